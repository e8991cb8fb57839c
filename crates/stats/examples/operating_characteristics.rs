//! What the analyses of a run reach, by simulation: how often equal servers are called different, after how many rounds a difference is called,
//! and how often the interval covers the true ratio. Prints `notes/sequential-analyses.md`:
//!
//! ```text
//! cargo run -p photofinish-stats --example operating_characteristics > notes/sequential-analyses.md
//! ```

use std::cell::RefCell;
use std::collections::HashMap;

use photofinish_stats::correlation::correlation;
use photofinish_stats::spread::of_one_kind;
use photofinish_stats::{
    Analysis, Bounds, Decision, Direction, Paired, Random, Schedule, holm_shares, spread_of_pairs,
};

const ALPHA: f64 = 0.05;
const MARGIN: f64 = 0.02;
/// Runs of one pair behind each row.
const RUNS: u32 = 10_000;
/// Runs of several pairs behind each row.
const LARGE_RUNS: u32 = 2_000;
/// The standard deviation of a pair's log ratio from round to round, unless a row states another one.
const SPREAD: f64 = 0.005;
/// The share of the variance of a round that its turns imply.
const OF_TURNS: f64 = 0.5;

/// How the figure of one server differs from round to round. Each has the variance 1.
#[derive(Clone, Copy, PartialEq)]
enum Noise {
    Normal,
    /// Student's t with three degrees of freedom.
    Heavy,
    /// A first-order autoregression.
    Alike(f64),
    /// This share of the processes is slow, by 20 standard deviations of the others.
    TwoStates(f64),
}

impl Noise {
    fn name(self) -> String {
        match self {
            Noise::Normal => "normal".to_owned(),
            Noise::Heavy => "t, 3 degrees of freedom".to_owned(),
            Noise::Alike(rho) => format!("AR(1), {rho}"),
            Noise::TwoStates(share) => format!("{:.0}% slow processes", share * 100.0),
        }
    }

    fn series(self, random: &mut Random, rounds: usize) -> Vec<f64> {
        let mut state = random.normal();
        (0..rounds)
            .map(|_| match self {
                Noise::Normal => random.normal(),
                Noise::Heavy => {
                    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                    random.normal() / (squares / 3.0).sqrt() / 3f64.sqrt()
                }
                Noise::Alike(rho) => {
                    let now = state;
                    state = rho * state + (1.0 - rho * rho).sqrt() * random.normal();
                    now
                }
                Noise::TwoStates(share) => {
                    let apart = 20.0;
                    let slow = if random.uniform() < share { -1.0 } else { 0.0 };
                    let variance = 1.0 + apart * apart * share * (1.0 - share);
                    (apart * (slow + share) + random.normal()) / variance.sqrt()
                }
            })
            .collect()
    }
}

/// A design: when a run is analysed.
struct Design {
    schedule: Schedule,
    known: RefCell<HashMap<u64, Bounds>>,
}

impl Design {
    fn new(schedule: Schedule) -> Design {
        Design {
            schedule,
            known: RefCell::default(),
        }
    }

    fn most(&self) -> usize {
        self.schedule.last().unwrap_or(0)
    }

    fn level(&self, share: f64, rounds: usize) -> f64 {
        let mut known = self.known.borrow_mut();
        let bounds = known
            .entry(share.to_bits())
            .or_insert_with(|| Bounds::new(&self.schedule, share));
        bounds.level_after(rounds)
    }

    /// Runs several pairs until all are decided: what came of each, and after how many rounds. `implied`: the variance that turns imply.
    fn run(&self, pairs: &[Vec<f64>], implied: f64) -> (Vec<Decision>, usize) {
        let mut decisions = vec![Decision::default(); pairs.len()];
        for rounds in self.schedule.rounds() {
            let so_far: Vec<&[f64]> = pairs.iter().map(|logs| &logs[..rounds]).collect();
            let kinds: Vec<_> = so_far.iter().map(|logs| of_one_kind(logs)).collect();
            let spread = spread_of_pairs(&kinds);
            let correlation = correlation(&so_far);
            let paired: Vec<Paired> = (so_far.iter())
                .filter_map(|logs| {
                    let ratios: Vec<(f64, f64)> = logs.iter().map(|d| (d.exp(), 1.0)).collect();
                    let paired = Paired::new(&ratios)?;
                    let paired = match &spread {
                        Some(spread) => paired.helped_by(spread),
                        None => paired,
                    };
                    let paired = paired.with_variance_of_at_least(implied);
                    Some(paired.with_correlation(correlation))
                })
                .collect();
            let p: Vec<Option<f64>> = (paired.iter().zip(&decisions))
                .map(|(paired, decision)| match is_different(decision) {
                    true => Some(0.0),
                    false => paired.p_value(),
                })
                .collect();
            let shares = holm_shares(&p, ALPHA, |share| self.level(share, rounds));
            for ((decision, paired), share) in decisions.iter_mut().zip(&paired).zip(shares) {
                let analysis = Analysis {
                    after: rounds as u32,
                    is_last: rounds == self.most(),
                    bound: self.level(share, rounds),
                    share,
                    alone: ALPHA,
                    margin: MARGIN,
                    resolution: 0.0,
                };
                *decision = analysis.of(paired, decision);
            }
            let is_open = |decision: &Decision| decision.direction == Some(Direction::Undecided);
            if !decisions.iter().any(is_open) {
                return (decisions, rounds);
            }
        }
        (decisions, self.most())
    }
}

fn is_different(decision: &Decision) -> bool {
    matches!(
        decision.direction,
        Some(Direction::Above | Direction::Below)
    )
}

/// What many runs of one pair come to.
#[derive(Default)]
struct Count {
    rounds: f64,
    right: f64,
    wrong: f64,
    tie: f64,
    open: f64,
    covered: f64,
    /// By number of rounds: how many runs ended then, and in how many the interval covers the true ratio.
    by_rounds: HashMap<usize, (f64, f64)>,
}

fn simulate(design: &Design, noise: Noise, spread: f64, ratio: f64, seed: u64) -> Count {
    let mut random = Random::stream(20_261_130, seed);
    let mut count = Count::default();
    for _ in 0..RUNS {
        let [a, b] = [0, 1].map(|_| noise.series(&mut random, design.most()));
        let one = spread / 2f64.sqrt();
        let logs: Vec<f64> = (a.iter().zip(b))
            .map(|(a, b)| ratio.ln() + one * (a - b))
            .collect();
        let (decisions, rounds) = design.run(&[logs], OF_TURNS * spread * spread);
        let decision = decisions[0];
        let share = 1.0 / f64::from(RUNS);
        count.rounds += rounds as f64 * share;
        let of = match decision.direction {
            Some(Direction::Above) if ratio > 1.0 => &mut count.right,
            Some(Direction::Above | Direction::Below) => &mut count.wrong,
            Some(Direction::Tie) => &mut count.tie,
            _ => &mut count.open,
        };
        *of += share;
        let covers = decision
            .interval
            .is_some_and(|interval| interval.contains(ratio));
        let covers = f64::from(u8::from(covers));
        count.covered += covers * share;
        let (runs, covered) = count.by_rounds.entry(rounds).or_default();
        *runs += 1.0;
        *covered += covers;
    }
    count
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn one_pair(name: &str, schedule: &Schedule) {
    let design = Design::new(schedule.clone());
    println!("\n## One pair, {name}\n");
    println!(
        "| noise | spread | true ratio | rounds | called, right | called, wrong | tie | undecided | interval covers |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let rows = [
        (Noise::Normal, SPREAD, [1.0, 1.015, 1.1, 1.6]),
        (Noise::Normal, 0.02, [1.0, 1.015, 1.1, 1.6]),
        (Noise::Normal, 0.2, [1.0, 1.1, 1.6, 3.0]),
        (Noise::Heavy, SPREAD, [1.0, 1.015, 1.1, 1.6]),
        (Noise::Alike(0.5), SPREAD, [1.0, 1.015, 1.1, 1.6]),
        (Noise::TwoStates(0.3), 0.1, [1.0, 1.1, 1.6, 3.0]),
    ];
    let mut seed = 0;
    for (noise, spread, ratios) in rows {
        for ratio in ratios {
            seed += 1;
            let count = simulate(&design, noise, spread, ratio, seed);
            println!(
                "| {} | {} | {ratio} | {:.1} | {} | {} | {} | {} | {} |",
                noise.name(),
                percent(spread),
                count.rounds,
                percent(count.right),
                percent(count.wrong),
                percent(count.tie),
                percent(count.open),
                percent(count.covered),
            );
        }
    }
}

/// Rounds are added until the ordinary interval is narrow enough, from the fifth on, and analysed once.
fn until_narrow() {
    const FEWEST: usize = 5;
    const MOST: usize = 20;
    println!("\n## One pair of equal servers, until the half-width is 1%\n");
    println!("| noise | spread | rounds | called | interval covers |");
    println!("|---|--:|--:|--:|--:|");
    for noise in [Noise::Normal, Noise::Heavy, Noise::Alike(0.5)] {
        for spread in [0.005, 0.01, 0.02] {
            let mut random = Random::stream(20_261_130, 500);
            let (mut called, mut rounds) = (0_u32, 0);
            for _ in 0..RUNS {
                let [a, b] = [0, 1].map(|_| noise.series(&mut random, MOST));
                let one = spread / 2f64.sqrt();
                let both = a.iter().zip(b);
                let pairs: Vec<(f64, f64)> =
                    both.map(|(a, b)| ((one * (a - b)).exp(), 1.0)).collect();
                let interval = |count: usize| {
                    let paired = Paired::new(&pairs[..count])?;
                    let implied = OF_TURNS * spread * spread;
                    paired
                        .with_variance_of_at_least(implied)
                        .interval(ALPHA, 0.0)
                };
                let narrow = |count: &usize| {
                    let half = interval(*count).map(|i| (i.high / i.low).sqrt() - 1.0);
                    half.is_some_and(|half| half <= 0.01)
                };
                let ended = (FEWEST..MOST).find(narrow).unwrap_or(MOST);
                rounds += ended;
                called += u32::from(!interval(ended).is_some_and(|i| i.contains(1.0)));
            }
            let share = f64::from(called) / f64::from(RUNS);
            println!(
                "| {} | {} | {:.1} | {} | {} |",
                noise.name(),
                percent(spread),
                rounds as f64 / f64::from(RUNS),
                percent(share),
                percent(1.0 - share)
            );
        }
    }
}

fn coverage(schedule: &Schedule) {
    let design = Design::new(schedule.clone());
    let rounds: Vec<usize> = schedule.rounds().collect();
    println!("\n## Coverage by the round after which a run stops, at most 7 rounds\n");
    println!(
        "The share of runs that stop then, and in how many of these the 95% interval covers the true ratio. Normal noise.\n"
    );
    let columns: Vec<String> = rounds.iter().map(|n| format!(" after {n} |")).collect();
    println!("| spread | true ratio |{}", columns.concat());
    println!("|--:|--:|{}", "--:|".repeat(rounds.len()));
    let mut seed = 100;
    for (spread, ratios) in [
        (SPREAD, [1.0, 1.015, 1.1, 1.6]),
        (0.02, [1.0, 1.03, 1.1, 1.6]),
    ] {
        for ratio in ratios {
            seed += 1;
            let count = simulate(&design, Noise::Normal, spread, ratio, seed);
            let cells: Vec<String> = (rounds.iter())
                .map(|rounds| match count.by_rounds.get(rounds) {
                    Some((runs, covered)) => {
                        let share = runs / f64::from(RUNS);
                        format!(" {} of {} |", percent(covered / runs), percent(share))
                    }
                    None => " – |".to_owned(),
                })
                .collect();
            println!("| {} | {ratio} |{}", percent(spread), cells.concat());
        }
    }
}

/// Several servers at several levels, all equal. A process's noise is half that of its server, the same at all levels, and half its own.
fn several_pairs() {
    println!("\n## Several pairs of equal servers: reports with a false call\n");
    println!("A server's figures at several levels share half of their variance. Spread 1%.\n");
    println!(
        "| servers × levels | noise | 7 rounds, analysed once | at most 7 rounds | at most 20 rounds |"
    );
    println!("|---|---|--:|--:|--:|");
    let designs = [Schedule::once(7), Schedule::up_to(7), Schedule::up_to(20)].map(Design::new);
    for (servers, levels) in [(2, 1), (3, 1), (3, 4), (6, 8)] {
        for noise in [
            Noise::Normal,
            Noise::Heavy,
            Noise::Alike(0.5),
            Noise::TwoStates(0.3),
        ] {
            let mut cells = String::new();
            for (number, design) in designs.iter().enumerate() {
                let mut random = Random::stream(20_261_130, 1000 + number as u64);
                let mut called = 0_u32;
                for _ in 0..LARGE_RUNS {
                    let pairs = equal_servers(&mut random, noise, (servers, levels), design.most());
                    let (decisions, _) = design.run(&pairs, OF_TURNS * 1e-4);
                    called += u32::from(decisions.iter().any(is_different));
                }
                let share = f64::from(called) / f64::from(LARGE_RUNS);
                cells += &format!(" {} |", percent(share));
            }
            println!("| {servers} × {levels} | {} |{cells}", noise.name());
        }
    }
}

/// The log ratios of all pairs at all levels.
fn equal_servers(
    random: &mut Random,
    noise: Noise,
    (servers, levels): (usize, usize),
    rounds: usize,
) -> Vec<Vec<f64>> {
    let own: Vec<Vec<f64>> = (0..servers).map(|_| noise.series(random, rounds)).collect();
    let mut pairs = Vec::new();
    for _ in 0..levels {
        let figures: Vec<Vec<f64>> = (own.iter())
            .map(|own| {
                let here = noise.series(random, rounds);
                let both = own.iter().zip(here);
                both.map(|(own, here)| 0.01 / 2f64.sqrt() * (own + here) / 2f64.sqrt())
                    .collect()
            })
            .collect();
        for a in 0..servers {
            for b in a + 1..servers {
                let both = figures[a].iter().zip(&figures[b]);
                pairs.push(both.map(|(a, b)| a - b).collect());
            }
        }
    }
    pairs
}

fn bounds() {
    println!("\n## Bounds of |t|\n");
    println!("| error | rounds | bound of \\|t\\| after each analysis |");
    println!("|--:|--:|---|");
    for most in [7, 20] {
        for comparisons in [1.0, 3.0, 6.0] {
            let schedule = Schedule::up_to(most);
            let bounds = Bounds::new(&schedule, ALPHA / comparisons);
            let bound = |rounds: usize| {
                // The half-width of an interval whose standard error is 0.001.
                let unit = Paired {
                    rounds,
                    mean: 0.0,
                    sd: Some(0.001 * (rounds as f64).sqrt()),
                    freedom: rounds as f64 - 1.0,
                    correlation: 0.0,
                    uncertainty: 0.0,
                };
                let half = unit.interval(bounds.level_after(rounds), 0.0);
                half.map_or("–".to_owned(), |half| {
                    format!("{:.2} ({rounds})", 1000.0 * half.high.ln())
                })
            };
            let all: Vec<String> = schedule.rounds().map(bound).collect();
            println!(
                "| {:.4} | {most} | {} |",
                ALPHA / comparisons,
                all.join(", ")
            );
        }
    }
}

fn main() {
    println!("# Repeated analyses: operating characteristics\n");
    println!("Printed by `cargo run -p photofinish-stats --example operating_characteristics`,");
    println!(
        "from fixed seeds. {RUNS} runs a row for one pair, {LARGE_RUNS} for several. The spread is the"
    );
    println!(
        "standard deviation of the log ratio from round to round; turns imply half of its variance."
    );
    println!("A run stops when it is decided (margin ±2%), or at its cap.");
    bounds();
    one_pair("at most 7 rounds", &Schedule::up_to(7));
    one_pair(
        "at most 7 rounds, first analysed after 3",
        &Schedule::up_to(7).beginning_with(3),
    );
    one_pair("at most 20 rounds", &Schedule::up_to(20));
    one_pair("7 rounds, analysed once", &Schedule::once(7));
    one_pair("3 rounds, analysed once", &Schedule::once(3));
    one_pair("2 rounds, analysed once", &Schedule::once(2));
    one_pair("at most 12 rounds", &Schedule::up_to(12));
    coverage(&Schedule::up_to(7));
    until_narrow();
    several_pairs();
}
