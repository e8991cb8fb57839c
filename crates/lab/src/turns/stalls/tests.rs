use photofinish_load::{Gap, Outcome};
use photofinish_stats::Random;

use super::*;
use crate::fake;

const MS: f64 = 1e-3;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn stalls_are_long_beside_response_times() {
    assert_eq!(limit(Duration::from_micros(100)), ms(5));
    assert_eq!(limit(ms(3)), ms(12));
    assert_eq!(limit(Duration::MAX), Duration::MAX);
}

#[test]
fn stalls_of_slices_add_up() {
    let mut sum = StallSum::default();
    let started = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
    let mut outcome = fake::outcome(4, ms(20), 1_000, ms(1));
    outcome.started = started;
    outcome.gaps = vec![Gap {
        began: 15_000_000,
        lasted: ms(80),
        under_way: false,
    }];
    sum.add(&outcome, &outcome.stalls(ms(2)));
    assert!(!sum.are_notable(), "once, and not for long");
    sum.add(&outcome, &outcome.stalls(ms(2)));
    assert_eq!((sum.flow, sum.stalled, sum.count), (ms(30), ms(160), 2));
    assert_eq!(sum.longest, Some((ms(80), started + ms(15))));
    assert!(sum.are_notable());
    // One that was under way is in no sum, but is the longest.
    outcome.gaps[0] = Gap {
        began: -5_000_000,
        lasted: ms(5_000),
        under_way: true,
    };
    sum.add(&outcome, &outcome.stalls(ms(2)));
    assert_eq!((sum.flow, sum.stalled, sum.count), (ms(30), ms(160), 2));
    assert_eq!(sum.longest, Some((ms(5_000), started - ms(5))));
}

/// When a simulated server stalls.
#[derive(Clone, Copy)]
enum Stands {
    /// For so long after each so many responses.
    Work(f64, f64),
    /// For so long in each so many seconds, loaded or not.
    Timer(f64, f64),
}

/// A server with this rate while responses flow, and how much it has done.
struct Server {
    rate: f64,
    stands: Stands,
    done: f64,
}

impl Server {
    /// Puts it under load at `from` until `until`, and until what was under way is done. Adds when it stalled and for how long, and returns when it is
    /// done.
    fn load(&mut self, from: f64, until: f64, gaps: &mut Vec<(f64, f64)>) -> f64 {
        let mut now = from;
        while now < until {
            let (next, length) = match self.stands {
                Stands::Work(each, length) => {
                    let left = each - self.done % each;
                    (now + left / self.rate, length)
                }
                Stands::Timer(period, length) => {
                    let begun = (now / period).floor() * period;
                    match now < begun + length {
                        true => (now, begun + length - now),
                        false => (begun + period, length),
                    }
                }
            };
            let flows = next.min(until) - now;
            self.done += flows * self.rate;
            now += flows;
            if next >= until {
                return now;
            }
            gaps.push((now, length));
            now += length;
            if let Stands::Work(each, _) = self.stands {
                // Rounding must not begin the same one again.
                self.done = (self.done / each).round() * each + 1e-6;
            }
        }
        now
    }
}

/// The throughput of a server over its rate while responses flow, by the stalls of 80 s of turns in slices of 15 ms with a server that never stands
/// still, and of a continuous run in each of eight rounds.
fn measured(stands: Stands, random: &mut Random) -> f64 {
    let mut server = Server {
        rate: 110_000.0,
        stands,
        done: random.uniform() * 110_000.0,
    };
    let mut sum = StallSum::default();
    let mut now = random.uniform() * 10.0;
    let outcome = |window: u64| fake::outcome(4, ms(window), 1_000, ms(1));
    let (mut of_slice, mut of_continuous_run) = (outcome(15), outcome(2_500));
    let mut slice = |server: &mut Server, now: f64, lead_in: f64, outcome: &mut Outcome| {
        let (opens, mut gaps) = (now + lead_in, Vec::new());
        let ends = server.load(now, opens + outcome.duration.as_secs_f64(), &mut gaps);
        let gaps = gaps.into_iter().map(|(at, lasted)| Gap {
            began: ((at - opens) * 1e9) as i64,
            lasted: Duration::from_secs_f64(lasted),
            under_way: at <= now,
        });
        outcome.lead_in = Duration::from_secs_f64(lead_in);
        outcome.gaps = gaps.collect();
        sum.add(outcome, &outcome.stalls(ms(2)));
        ends + MS
    };
    for _ in 0..8 {
        let ends = now + 8.0;
        while now < ends {
            // Either leads half of the turns.
            let other = 21.0 * MS;
            let leads = random.uniform() < 0.5;
            now += if leads { 0.0 } else { other };
            now = slice(&mut server, now, 5.0 * MS, &mut of_slice);
            now += if leads { other } else { 0.0 };
        }
        now = slice(&mut server, now, 0.2, &mut of_continuous_run) + 2.7;
    }
    sum.flow.as_secs_f64() / (sum.flow + sum.stalled).as_secs_f64()
}

/// Sequential runs of any length come to the truth; so must slices that are shorter than the stalls.
#[test]
fn stalls_by_work_and_by_the_clock_are_measured_without_bias() {
    const RACES: u32 = 60;
    let mut random = Random::new(11);
    for (stands, truth, bias) in [
        (Stands::Work(20_000.0, 0.2), 0.182 / 0.382, 0.004),
        (Stands::Work(500_000.0, 0.2), 4.545 / 4.745, 0.004),
        (Stands::Timer(2.0, 0.5), 0.75, 0.015),
        (Stands::Timer(10.0, 1.0), 0.9, 0.015),
        (Stands::Timer(0.13, 0.01), 0.923, 0.004),
    ] {
        let all: f64 = (0..RACES).map(|_| measured(stands, &mut random)).sum();
        let mean = all / f64::from(RACES);
        assert!((mean - truth).abs() < bias, "{mean} for {truth}");
    }
}

/// 100 responses per millisecond while they flow.
#[test]
fn stalls_are_pooled_with_those_of_slices_that_are_as_fast() {
    let sum = |flow: u64, stalled: u64, rps: u64| StallSum {
        flow: ms(flow),
        stalled: ms(stalled),
        count: 1,
        longest: None,
        responses: flow * rps / 1_000,
        window: (flow * rps / 1_000, ms(flow)),
    };
    let counted = sum(1_000, 500, 100_000);
    let others = [sum(500, 200, 91_000), sum(4_000, 100, 70_000)];
    let all = counted.clone().pooled(others.iter());
    assert_eq!((all.stalled, all.count), (ms(700), 2));
    // 1.5 s by the clock, and 145,500 responses at 100,000 per second.
    let expected = (1.5_f64 * 1.455).sqrt();
    assert!((all.flow.as_secs_f64() - expected).abs() < 1e-6, "{all:?}");
    // One that never had a flow has none to compare with.
    let none = StallSum::default().pooled(others.iter());
    assert_eq!((none.flow, none.count), (Duration::ZERO, 0));
}
