//! A server that is slower by a known share: for each request it uses so much more CPU time than the request itself costs.
//!
//! What a request costs is not guessed but read from the thread's own CPU clock, block by block, and paid in units of work whose price
//! is measured beside it. So the share holds however many connections there are and however fast the machine is just now, over every
//! stretch of some thousand requests.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::http::Request;
use crate::policy::{Policy, Prompt};

/// So many requests go by between two looks at the CPU clock: the looks cost some hundred nanoseconds, a few ten-thousandths of them.
const BLOCK_REQUESTS: u32 = 512;
/// So many requests' work is done at once, so that the loop's own beginning and end are no part of it worth naming.
const MAX_TOGETHER: u32 = 8;
/// A unit of work is so many rounds of a shift register: some ten nanoseconds, below a hundredth of what a request costs.
const ROUNDS: u32 = 6;
/// The first price of a unit is the median of so many measurements.
const CALIBRATION_STEPS: usize = 41;
/// What a measurement of the price takes: some microseconds.
const SAMPLE_REQUESTS: u32 = 200;
/// How much each further measurement moves the price: what it costs depends on what else the machine does.
const WEIGHT: f64 = 0.05;

/// By how much a server is slower.
#[derive(Clone, Debug)]
pub struct Slower {
    share: f64,
    first_price: f64,
    /// Units a request that a thread did last, as the bits of an `f64`: a new thread begins with it.
    rate: Arc<AtomicU64>,
}

impl Slower {
    /// Slower by this share (0.015: 1.5% more CPU time for each request). Measures the price of a unit, which takes less than a
    /// millisecond.
    pub fn by(share: f64) -> Slower {
        Slower {
            share,
            first_price: typical(std::array::from_fn(|_| price().0)),
            rate: Arc::new(AtomicU64::new(0)),
        }
    }
}

/// Does so many units of work.
fn work(units: u32) {
    let mut register = u64::from(units) | 1;
    for _ in 0..units * ROUNDS {
        register ^= register << 13;
        register ^= register >> 7;
        register ^= register << 17;
        register = black_box(register);
    }
}

/// The median of some prices. Not the lowest: a look at the clock that is interrupted takes so long that the work after it seems to cost
/// nothing, and whoever pays at a price that is far too low never comes to an end, because what is paid too much passes for what requests
/// cost.
fn typical(mut prices: [f64; CALIBRATION_STEPS]) -> f64 {
    prices.sort_by(f64::total_cmp);
    prices[CALIBRATION_STEPS / 2]
}

/// What a unit of work costs now, and what it cost to find that out, in nanoseconds.
fn price() -> (f64, f64) {
    let at = [thread_cpu(), thread_cpu()];
    work(SAMPLE_REQUESTS);
    let end = thread_cpu();
    let look = at[1].saturating_sub(at[0]);
    let worked = end.saturating_sub(at[1]).saturating_sub(look);
    let price = worked.as_nanos() as f64 / f64::from(SAMPLE_REQUESTS);
    (price.max(0.1), end.saturating_sub(at[0]).as_nanos() as f64)
}

/// The CPU time, user and system, that the calling thread has used.
fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What one thread owes, and what it has paid.
#[derive(Debug)]
struct Debt {
    share: f64,
    /// What a unit costs, in nanoseconds.
    price: f64,
    /// Units for each request of this block, and what is left of a unit from the last.
    rate: f64,
    rest: f64,
    /// What the requests before this block have cost by themselves and what was paid for them, in nanoseconds.
    cost: f64,
    paid: f64,
    /// Units of this block.
    units: u32,
}

impl Debt {
    fn new(share: f64, price: f64, rate: f64) -> Debt {
        Debt {
            share,
            price,
            rate,
            rest: 0.0,
            cost: 0.0,
            paid: 0.0,
            units: 0,
        }
    }

    /// Units that the next so many requests are to do.
    fn next(&mut self, requests: u32) -> u32 {
        self.rest += self.rate * f64::from(requests);
        let units = self.rest.floor();
        self.rest -= units;
        self.units += units as u32;
        units as u32
    }

    /// A block of so many requests is over, and has used so many nanoseconds of CPU time, its units included.
    fn settle(&mut self, requests: u32, used: f64) {
        let paid = f64::from(self.units) * self.price;
        self.cost += (used - paid).max(0.0);
        self.paid += paid;
        self.units = 0;
        let owed = (self.cost * self.share - self.paid).max(0.0);
        self.rate = owed / self.price / f64::from(requests);
    }

    /// Measures what a unit costs now, where enough is owed to pay for that.
    fn measure(&mut self) {
        if self.rate * f64::from(BLOCK_REQUESTS) < 2.0 * f64::from(SAMPLE_REQUESTS) {
            return;
        }
        let (price, spent) = price();
        // What interrupts a measurement is no price.
        let price = price.clamp(self.price / 2.0, self.price * 2.0);
        self.price += (price - self.price) * WEIGHT;
        self.paid += spent;
        self.rate -= spent / self.price / f64::from(BLOCK_REQUESTS);
        self.rate = self.rate.max(0.0);
    }
}

/// Works for each request of one thread.
#[derive(Debug)]
pub struct Worker {
    slower: Slower,
    debt: Debt,
    requests: u32,
    cpu: Duration,
}

impl Worker {
    /// To be made on the thread that it works on.
    pub fn new(slower: Slower) -> Worker {
        let rate = f64::from_bits(slower.rate.load(Ordering::Relaxed));
        Worker {
            debt: Debt::new(slower.share, slower.first_price, rate),
            slower,
            requests: 0,
            cpu: thread_cpu(),
        }
    }

    /// A request has come.
    pub fn request(&mut self) {
        self.requests += 1;
        if self.requests.is_multiple_of(MAX_TOGETHER) {
            work(self.debt.next(MAX_TOGETHER));
        }
        if self.requests == BLOCK_REQUESTS {
            let used = thread_cpu().saturating_sub(self.cpu);
            self.debt.settle(BLOCK_REQUESTS, used.as_nanos() as f64);
            let rate = self.debt.rate.to_bits();
            self.slower.rate.store(rate, Ordering::Relaxed);
            self.debt.measure();
            self.cpu = thread_cpu();
            self.requests = 0;
        }
    }
}

impl Policy for Worker {
    fn delay(&mut self, request: Request) -> Duration {
        self.request();
        Prompt.delay(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many units are done for blocks whose requests cost this many nanoseconds each by themselves, and how many at once.
    fn units(share: f64, price: f64, costs: &[f64]) -> (u64, u32) {
        let mut debt = Debt::new(share, price, 0.0);
        let (mut all, mut most) = (0, 0);
        for cost in costs {
            let mut block = 0;
            for _ in 0..BLOCK_REQUESTS / MAX_TOGETHER {
                let units = debt.next(MAX_TOGETHER);
                most = most.max(units);
                block += units;
            }
            debt.settle(
                BLOCK_REQUESTS,
                cost * f64::from(BLOCK_REQUESTS) + f64::from(block) * price,
            );
            all += u64::from(block);
        }
        (all, most)
    }

    #[test]
    fn units_make_up_the_share_of_what_requests_cost() {
        // 1.5% of 5,000 ns are 75 ns, or 7.5 units of 10: 3,840 a block, the first of which is paid for in the second.
        let (all, most) = units(0.015, 10.0, &[5_000.0; 1_001]);
        assert!(all.abs_diff(3_840_000) <= 10, "{all}");
        // They are spread evenly: 60 for each eight requests.
        assert!((60..=61).contains(&most), "{most}");
        assert_eq!(units(0.0, 10.0, &[5_000.0; 100]), (0, 0));
        // Twice the price, half the units.
        let (all, most) = units(0.001, 20.0, &[5_000.0; 1_001]);
        assert!(all.abs_diff(128_000) <= 10, "{all}");
        assert!((2..=3).contains(&most), "{most}");
    }

    #[test]
    fn the_first_price_is_none_of_those_that_were_interrupted() {
        let prices = std::array::from_fn(|place| match place {
            3 => 0.1,
            7 | 21 => 5_000.0,
            _ => 10.0,
        });
        assert_eq!(typical(prices), 10.0);
    }

    #[test]
    fn units_follow_what_requests_cost() {
        // 500 blocks at 4 µs and 500 at 8 µs: 1.5% of 512 × 500 × 12 µs are 4,608,000 units of 10 ns, but for those of the last block.
        let costs = [[4_000.0; 500], [8_000.0; 500]].concat();
        let (all, _) = units(0.015, 10.0, &costs);
        assert!(all.abs_diff(4_608_000 - 6_144) <= 10, "{all}");
    }

    #[test]
    fn a_new_thread_begins_at_the_rate_of_the_others() {
        let slower = Slower::by(0.5);
        let mut first = Worker::new(slower.clone());
        assert_eq!(first.debt.rate, 0.0);
        for _ in 0..BLOCK_REQUESTS {
            work(100);
            first.request();
        }
        // A request has cost a hundred units and more.
        assert!(Worker::new(slower).debt.rate > 10.0);
    }

    /// CPU time of a block with a worker over that of one without, median of many pairs right after each other.
    fn ratio(share: f64) -> f64 {
        let mut worker = Worker::new(Slower::by(share));
        let block = |mut worker: Option<&mut Worker>| {
            let began = thread_cpu();
            for _ in 0..BLOCK_REQUESTS {
                // What a request costs.
                work(100);
                if let Some(worker) = &mut worker {
                    worker.request();
                }
            }
            (thread_cpu().saturating_sub(began)).as_secs_f64()
        };
        let mut ratios: Vec<f64> = (0..60)
            .map(|_| {
                worker.cpu = thread_cpu();
                block(Some(&mut worker)) / block(None)
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }

    #[test]
    fn a_request_takes_so_much_more_cpu_time() {
        for share in [0.0, 0.5] {
            let ratio = ratio(share);
            // Half of what it should be off, for whatever else the machine does.
            assert!((ratio - 1.0 - share).abs() < 0.25, "{share}: {ratio}");
        }
    }
}
