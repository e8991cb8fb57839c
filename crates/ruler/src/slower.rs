//! A server that is slower by a known share: for each request it uses so much more CPU time than the request itself costs.
//!
//! What a request costs is not guessed but read from the thread's own CPU clock, block by block, and paid in units of work whose price
//! was measured before. So the share holds however many connections there are and however fast the machine is, over every stretch of
//! some thousand requests.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::http::{Request, Route};
use crate::policy::{Policy, Prompt};

/// So many requests go by between two looks at the CPU clock: a look costs a few hundred nanoseconds, a ten-thousandth of them.
const BLOCK: u32 = 512;
/// A unit of work is so many rounds of a shift register: some ten nanoseconds, below a hundredth of what a request costs.
const ROUNDS: u32 = 6;
/// The price of a unit is the lowest of so many measurements of so many units: whatever interrupts one makes it dearer.
const TRIES: u32 = 40;
const UNITS: u32 = 20_000;

/// By how much, and what a unit of work costs here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slower {
    share: f64,
    unit_ns: f64,
}

impl Slower {
    /// Slower by this share (0.015: 1.5% more CPU time for each request). Measures the price of a unit, which takes some
    /// milliseconds.
    pub fn by(share: f64) -> Slower {
        let price = |_| {
            let began = thread_cpu();
            work(UNITS);
            thread_cpu().saturating_sub(began)
        };
        let lowest = (0..TRIES).map(price).min().unwrap_or_default();
        Slower {
            share,
            unit_ns: (lowest.as_nanos() as f64 / f64::from(UNITS)).max(0.1),
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

/// The CPU time, user and system, that the calling thread has used.
fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What one thread owes, and what it has paid.
#[derive(Debug)]
struct Debt {
    slower: Slower,
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
    fn new(slower: Slower) -> Debt {
        Debt {
            slower,
            rate: 0.0,
            rest: 0.0,
            cost: 0.0,
            paid: 0.0,
            units: 0,
        }
    }

    /// Units that the next request is to do.
    fn next(&mut self) -> u32 {
        self.rest += self.rate;
        let units = self.rest.floor();
        self.rest -= units;
        self.units += units as u32;
        units as u32
    }

    /// A block of so many requests is over; it has used this CPU time, with its units.
    fn settle(&mut self, requests: u32, used: Duration) {
        let paid = f64::from(self.units) * self.slower.unit_ns;
        self.cost += (used.as_nanos() as f64 - paid).max(0.0);
        self.paid += paid;
        self.units = 0;
        let owed = (self.cost * self.slower.share - self.paid).max(0.0);
        self.rate = owed / self.slower.unit_ns / f64::from(requests);
    }
}

/// Works for each request of one thread.
#[derive(Debug)]
pub struct Worker {
    debt: Debt,
    requests: u32,
    cpu: Duration,
}

impl Worker {
    /// To be made on the thread that it works on.
    pub fn new(slower: Slower) -> Worker {
        Worker {
            debt: Debt::new(slower),
            requests: 0,
            cpu: thread_cpu(),
        }
    }

    /// A request has come.
    pub fn request(&mut self) {
        work(self.debt.next());
        self.requests += 1;
        if self.requests == BLOCK {
            let cpu = thread_cpu();
            self.debt.settle(BLOCK, cpu.saturating_sub(self.cpu));
            self.cpu = cpu;
            self.requests = 0;
        }
    }
}

impl Policy for Worker {
    const STAMPS: bool = Prompt::STAMPS;

    fn delay(&mut self, request: Request) -> Duration {
        self.request();
        Prompt.delay(request)
    }

    fn written(&mut self, _: i64, _: i64) {}

    fn truth(&self, _: Route) -> Option<String> {
        None
    }

    fn freeze(&mut self) -> Option<Duration> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many units are done for blocks whose requests cost this many nanoseconds each by themselves.
    fn units(share: f64, unit_ns: f64, costs: &[f64]) -> (u64, u32) {
        let mut debt = Debt::new(Slower { share, unit_ns });
        let (mut all, mut most) = (0, 0);
        for cost in costs {
            let mut block = 0;
            for _ in 0..BLOCK {
                let units = debt.next();
                most = most.max(units);
                block += units;
            }
            let used = cost * f64::from(BLOCK) + f64::from(block) * unit_ns;
            debt.settle(BLOCK, Duration::from_nanos(used as u64));
            all += u64::from(block);
        }
        (all, most)
    }

    #[test]
    fn units_make_up_the_share_of_what_requests_cost() {
        // 1.5% of 5,000 ns are 75 ns, or 7.5 units of 10: 3,840 a block, the first of which is paid for in the second.
        let (all, most) = units(0.015, 10.0, &[5_000.0; 1_001]);
        assert!(all.abs_diff(3_840_000) <= 10, "{all}");
        // They are spread evenly: 7 or 8 for each request.
        assert_eq!(most, 8);
        assert_eq!(units(0.0, 10.0, &[5_000.0; 100]), (0, 0));
        // Twice the price, half the units; less than one a request.
        let (all, most) = units(0.001, 20.0, &[5_000.0; 1_001]);
        assert!(all.abs_diff(128_000) <= 10, "{all}");
        assert_eq!(most, 1);
    }

    #[test]
    fn units_follow_what_requests_cost() {
        // 500 blocks at 4 µs and 500 at 8 µs: 1.5% of 512 × 500 × 12 µs are 4,608,000 units of 10 ns, but for those of the last block.
        let costs = [[4_000.0; 500], [8_000.0; 500]].concat();
        let (all, _) = units(0.015, 10.0, &costs);
        assert!(all.abs_diff(4_608_000 - 6_144) <= 10, "{all}");
    }

    #[test]
    fn a_thread_does_its_units() {
        let mut worker = Worker::new(Slower::by(0.5));
        for _ in 0..20 * BLOCK {
            // What a request costs.
            work(100);
            worker.request();
        }
        let Debt { cost, paid, .. } = worker.debt;
        // One block of twenty is still owed, and whatever interrupted the last one.
        let share = paid / cost;
        assert!((0.25..=0.75).contains(&share), "{share}");
    }
}
