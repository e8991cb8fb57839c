//! The order of a run's requests.

use std::sync::Arc;

use photofinish_model::{Order, Requests};
use photofinish_stats::{Random, Weighted};

use crate::protocol::Place;

/// The order in which a list of requests is sent.
#[derive(Clone, Debug)]
pub struct RequestSequence {
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

/// The place of a thread or a connection in a sequence.
#[derive(Debug)]
pub struct Position {
    next: usize,
    step: usize,
    random: Random,
}

impl RequestSequence {
    /// Repeats one request.
    pub fn of_one() -> RequestSequence {
        RequestSequence {
            count: 1,
            how: How::InOrder,
            per_connection: false,
        }
    }

    /// Returns the order of a list of requests.
    pub fn of(requests: &Requests) -> RequestSequence {
        let weights: Vec<u32> = requests.list.iter().map(|one| one.weight).collect();
        RequestSequence {
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

    /// Whether there is more than one request.
    #[inline]
    pub fn is_many(&self) -> bool {
        self.count > 1
    }

    /// Whether each connection has its own position.
    pub fn per_connection(&self) -> bool {
        self.per_connection && self.is_many()
    }

    /// Returns the position that a thread's connections share. Thread `k` of `T` takes the requests k, k + T, k + 2T, … in order, so that all
    /// threads together leave none out; or it chooses by chance, by a sequence of its own.
    pub fn shared(&self, seed: u64, place: Place) -> Position {
        self.position(place.thread, place.threads, seed, place.thread)
    }

    /// Returns a connection's own position, by its number in the run.
    pub fn own(&self, seed: u64, connection: usize) -> Position {
        // Beyond all threads.
        const CONNECTIONS: usize = 1 << 40;
        self.position(0, 1, seed, CONNECTIONS + connection)
    }

    fn position(&self, first: usize, step: usize, seed: u64, number: usize) -> Position {
        // Random streams that neither due times nor what varies in requests nor messages use.
        const STREAMS: u64 = 1 << 41;
        let count = self.count.max(1);
        Position {
            next: first % count,
            step: step % count,
            random: Random::stream(seed, STREAMS + number as u64),
        }
    }

    /// Returns the index of the next request in the list.
    #[inline]
    pub fn next(&self, position: &mut Position) -> usize {
        match &self.how {
            How::InOrder => {
                let this = position.next;
                position.next += position.step;
                if position.next >= self.count {
                    position.next -= self.count;
                }
                this
            }
            How::Random => position.random.within(0, self.count as u64 - 1) as usize,
            How::Weighted(weighted) => weighted.draw(&mut position.random),
        }
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::{Expect, Listed, Request, Version};

    use super::*;

    fn sequence(count: usize, order: Order, per_connection: bool) -> RequestSequence {
        let listed = |weight| Listed {
            request: Request::get("/"),
            expect: Expect::default(),
            weight,
        };
        RequestSequence::of(&Requests {
            source: "f".to_owned(),
            list: (1..=count as u32).map(listed).collect(),
            order,
            per_connection,
            version: Version::Http1,
        })
    }

    fn taken(sequence: &RequestSequence, mut position: Position, count: usize) -> Vec<usize> {
        (0..count).map(|_| sequence.next(&mut position)).collect()
    }

    #[test]
    fn threads_leave_none_out_and_a_connection_goes_through_all() {
        let sequence = sequence(5, Order::InOrder, true);
        let thread = |thread, threads| {
            let place = Place {
                thread,
                threads,
                first: 0,
                single: false,
            };
            taken(&sequence, sequence.shared(1, place), 5)
        };
        assert_eq!(thread(0, 1), [0, 1, 2, 3, 4]);
        assert_eq!(thread(0, 2), [0, 2, 4, 1, 3]);
        assert_eq!(thread(1, 2), [1, 3, 0, 2, 4]);
        // More threads than requests.
        assert_eq!(thread(8, 11), [3, 4, 0, 1, 2]);
        assert_eq!(taken(&sequence, sequence.own(1, 77), 6), [0, 1, 2, 3, 4, 0]);
        assert!(sequence.per_connection());
        assert_eq!(
            taken(
                &RequestSequence::of_one(),
                RequestSequence::of_one().own(1, 0),
                3
            ),
            [0; 3]
        );
    }

    #[test]
    fn chance_follows_from_the_seed_and_the_weights() {
        for (order, weight) in [
            (Order::Random, [1.0; 4]),
            (Order::Weighted, [1.0, 2.0, 3.0, 4.0]),
        ] {
            let sequence = sequence(4, order, false);
            let draw = |connection| taken(&sequence, sequence.own(3, connection), 40_000);
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
