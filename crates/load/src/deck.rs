//! Which of a run's requests is next.

use std::sync::Arc;

use photofinish_model::{Order, Requests};
use photofinish_stats::{Random, Weighted};

use crate::protocol::Place;

/// The order of so many requests.
#[derive(Clone, Debug)]
pub struct Deck {
    count: usize,
    how: How,
    per_connection: bool,
}

#[derive(Clone, Debug)]
enum How {
    InOrder,
    Random,
    Weighted(Arc<Weighted>),
}

/// Where a thread or a connection is in it.
#[derive(Debug)]
pub struct Stream {
    next: usize,
    step: usize,
    random: Random,
}

impl Deck {
    /// One request, again and again.
    pub fn of_one() -> Deck {
        Deck {
            count: 1,
            how: How::InOrder,
            per_connection: false,
        }
    }

    /// Those of a list.
    pub fn of(requests: &Requests) -> Deck {
        let weights: Vec<u32> = requests.list.iter().map(|one| one.weight).collect();
        Deck {
            count: weights.len(),
            how: match requests.order {
                Order::InOrder => How::InOrder,
                Order::Random => How::Random,
                // Where no weight is above zero, none is above another.
                Order::Weighted => match Weighted::new(&weights) {
                    Some(weighted) => How::Weighted(weighted.into()),
                    None => How::Random,
                },
            },
            per_connection: requests.per_connection,
        }
    }

    /// Whether there is a choice.
    #[inline]
    pub fn is_many(&self) -> bool {
        self.count > 1
    }

    /// Whether each connection goes through it by itself.
    pub fn per_connection(&self) -> bool {
        self.per_connection && self.is_many()
    }

    /// The stream that a thread's connections share. Thread `k` of `T` takes the requests k, k + T, k + 2T, … in order, so that all
    /// threads together leave none out; or it chooses by chance, by a sequence of its own.
    pub fn shared(&self, seed: u64, place: Place) -> Stream {
        self.stream(place.thread, place.threads, seed, place.thread)
    }

    /// A connection's own stream, by its number in the run.
    pub fn own(&self, seed: u64, connection: usize) -> Stream {
        // Beyond all threads.
        const CONNECTIONS: usize = 1 << 40;
        self.stream(0, 1, seed, CONNECTIONS + connection)
    }

    fn stream(&self, first: usize, step: usize, seed: u64, number: usize) -> Stream {
        // Streams that neither due times nor what varies in requests nor messages use.
        const STREAMS: u64 = 1 << 41;
        let count = self.count.max(1);
        Stream {
            next: first % count,
            step: step % count,
            random: Random::stream(seed, STREAMS + number as u64),
        }
    }

    /// The next request's place in the list.
    #[inline]
    pub fn next(&self, stream: &mut Stream) -> usize {
        match &self.how {
            How::InOrder => {
                let this = stream.next;
                stream.next += stream.step;
                if stream.next >= self.count {
                    stream.next -= self.count;
                }
                this
            }
            How::Random => stream.random.within(0, self.count as u64 - 1) as usize,
            How::Weighted(weighted) => weighted.draw(&mut stream.random),
        }
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::{Expect, Listed, Request, Version};

    use super::*;

    fn deck(count: usize, order: Order, per_connection: bool) -> Deck {
        let listed = |weight| Listed {
            request: Request::get("/"),
            expect: Expect::default(),
            weight,
        };
        Deck::of(&Requests {
            source: "f".to_owned(),
            list: (1..=count as u32).map(listed).collect(),
            order,
            per_connection,
            version: Version::Http1,
        })
    }

    fn taken(deck: &Deck, mut stream: Stream, count: usize) -> Vec<usize> {
        (0..count).map(|_| deck.next(&mut stream)).collect()
    }

    #[test]
    fn threads_leave_none_out_and_a_connection_goes_through_all() {
        let deck = deck(5, Order::InOrder, true);
        let thread = |thread, threads| {
            let place = Place {
                thread,
                threads,
                first: 0,
                single: false,
            };
            taken(&deck, deck.shared(1, place), 5)
        };
        assert_eq!(thread(0, 1), [0, 1, 2, 3, 4]);
        assert_eq!(thread(0, 2), [0, 2, 4, 1, 3]);
        assert_eq!(thread(1, 2), [1, 3, 0, 2, 4]);
        // More threads than requests.
        assert_eq!(thread(8, 11), [3, 4, 0, 1, 2]);
        assert_eq!(taken(&deck, deck.own(1, 77), 6), [0, 1, 2, 3, 4, 0]);
        assert!(deck.per_connection());
        assert_eq!(taken(&Deck::of_one(), Deck::of_one().own(1, 0), 3), [0; 3]);
    }

    #[test]
    fn chance_follows_from_the_seed_and_the_weights() {
        for (order, weight) in [
            (Order::Random, [1.0; 4]),
            (Order::Weighted, [1.0, 2.0, 3.0, 4.0]),
        ] {
            let deck = deck(4, order, false);
            let draw = |connection| taken(&deck, deck.own(3, connection), 40_000);
            let drawn = draw(1);
            assert_eq!(drawn, draw(1));
            assert_ne!(drawn, draw(2));
            let mut cells = [0.0; 4];
            drawn.iter().for_each(|&at| cells[at] += 1.0);
            let sum: f64 = weight.iter().sum();
            // Chi-square with 3 degrees of freedom: the 99.9% point is 16.3.
            let chi: f64 = (cells.iter().zip(weight))
                .map(|(got, weight)| (got - 40_000.0 * weight / sum).powi(2) * sum / weight)
                .sum::<f64>()
                / 40_000.0;
            assert!(chi < 16.3, "{order:?}: {cells:?}: {chi}");
        }
    }
}
