//! What a search for a server's capacity found.

use photofinish_model::capacity::{Capacity, Ended, Found, Step};
use photofinish_model::units::{self, Unit, thousands};
use photofinish_voice::{Language, Say};

use crate::document::{Block, Figure, Table, Text, Tone};
use crate::ending::Ending;

/// The answer, what the server did at it, and what to doubt.
pub(crate) fn ending(capacity: &Capacity) -> Ending {
    let mut ending = Ending::new(answer(capacity));
    let at = |rps: Option<f64>| {
        let steps = capacity.steps.iter();
        let mut steps = steps.filter(|step| Some(step.offered_rps) == rps);
        steps.next_back()
    };
    let held = at(capacity.sustained_rps).map(times);
    ending.fact("at that rate", held.unwrap_or_default(), Tone::Plain);
    let failed = at(capacity.failed_rps);
    let why = failed.and_then(|step| {
        Some(format!(
            "{}: {}",
            rate(step.offered_rps),
            step.why.as_ref()?
        ))
    });
    ending.fact("above it", why.unwrap_or_default(), Tone::Plain);
    ending.fact("doubts", doubts(capacity).join(" "), Tone::Bad);
    ending
}

/// The percentiles of a step.
fn times(step: &Step) -> String {
    let times = [("p50", step.p50_us), ("p99", step.p99_us)];
    let times = times
        .into_iter()
        .filter_map(|(name, us)| Some(format!("{name} {}", Unit::Microseconds.text(us?))));
    times.collect::<Vec<String>>().join(", ")
}

/// The answer, what limits it, and the curve by rising rate.
pub(crate) fn document(capacity: &Capacity) -> Vec<Block> {
    let mut blocks = vec![Block::Line(Text {
        text: answer(capacity),
        tone: Tone::Strong,
    })];
    blocks.extend(doubts(capacity).into_iter().map(|text| {
        Block::Line(Text {
            text,
            tone: Tone::Bad,
        })
    }));
    if !capacity.steps.is_empty() {
        blocks.push(curve(&capacity.steps));
    }
    blocks
}

/// Below 100 with a digit after the point, so that rates 2% apart differ.
pub(crate) fn rate(rate: f64) -> String {
    if rate < 99.95 {
        format!("{rate:.1}/s")
    } else {
        format!("{}/s", thousands(rate.round()))
    }
}

/// What the search of one trial found, such as `sustains 12,300/s`; a lower bound is called one.
pub(crate) fn sustained(found: &Found) -> String {
    let lowest = found
        .failed_rps
        .map_or_else(String::new, |failed| format!(" down to {}", rate(failed)));
    match (found.sustained_rps, found.lower_bound()) {
        (None, _) => format!("no rate meets the objective{lowest}"),
        (Some(held), None) => format!("sustains {}", rate(held)),
        (Some(held), Some(why)) => format!(
            "sustains at least {}: {}",
            rate(held),
            why.say(Language::En)
        ),
    }
}

fn answer(capacity: &Capacity) -> String {
    let objective = &capacity.objective;
    match (capacity.sustained_rps, capacity.failed_rps) {
        (Some(held), Some(failed)) => format!(
            "{} meets '{objective}'; {} does not.",
            rate(held),
            rate(failed)
        ),
        (Some(held), None) => format!(
            "At least {} meets '{objective}'; no rate was found that does not.",
            rate(held)
        ),
        (None, Some(failed)) => {
            format!("No rate meets '{objective}', down to {}.", rate(failed))
        }
        (None, None) => format!("No rate was measured against '{objective}'."),
    }
}

fn doubts(capacity: &Capacity) -> Vec<String> {
    let ended = match capacity.ended {
        Ended::Found => None,
        Ended::Steps => Some("The search ran out of steps (--max-steps)."),
        Ended::Time => Some("The search ran out of time (--max-time)."),
        Ended::Interrupted => Some("The search was interrupted."),
    };
    let mut doubts: Vec<String> = ended.map(str::to_owned).into_iter().collect();
    if capacity.generator_limited {
        doubts.push(
            "The load generator was the bottleneck at the rate that failed: the server may sustain more. Give the generator more cores (--threads)."
                .to_owned(),
        );
    }
    doubts.extend(capacity.noise_us.map(|late| {
        format!(
            "This machine is too noisy for the objective: at the rate that failed, a thread that only sleeps woke {} late (p99). Try again when it is quiet.",
            Unit::Microseconds.text(late)
        )
    }));
    doubts
}

fn curve(steps: &[Step]) -> Block {
    let mut steps: Vec<&Step> = steps.iter().collect();
    steps.sort_by(|a, b| a.offered_rps.total_cmp(&b.offered_rps));
    let header = [
        "offered",
        "achieved",
        "p50",
        "p99",
        "errors",
        "generator",
        "",
    ];
    let time = |us: Option<f64>| {
        us.map_or_else(Figure::none, |us| Figure::new(Unit::Microseconds.text(us)))
    };
    let rows = steps.into_iter().map(|step| {
        let verdict = match &step.why {
            None => Figure {
                text: "met".to_owned(),
                tone: Tone::Good,
                detail: None,
            },
            Some(why) => Figure {
                text: why.clone(),
                tone: Tone::Bad,
                detail: None,
            },
        };
        vec![
            Figure::new(rate(step.offered_rps)),
            Figure::new(rate(step.achieved_rps)),
            time(step.p50_us),
            time(step.p99_us),
            Figure::new(thousands(step.errors as f64)),
            Figure::new(units::percent(step.generator_cpu)),
            verdict,
        ]
    });
    Block::Table(Table {
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Detail;

    fn step(offered_rps: f64, why: Option<&str>) -> Step {
        Step {
            offered_rps,
            achieved_rps: offered_rps,
            requests: 1,
            errors: 0,
            p50_us: Some(100.0),
            p99_us: None,
            generator_cpu: 0.5,
            hiccup_us: None,
            holds: why.is_none(),
            why: why.map(str::to_owned),
        }
    }

    #[test]
    fn the_answer_its_doubts_and_the_curve_by_rate() {
        let mut capacity = Capacity {
            version: 1,
            url: "http://127.0.0.1/".to_owned(),
            objective: "p99 < 10ms".to_owned(),
            connections: 10,
            sustained_rps: Some(1_000.0),
            failed_rps: Some(2_000.0),
            ended: Ended::Time,
            generator_limited: true,
            noise_us: Some(6_000.0),
            steps: vec![step(2_000.0, Some("p99 20 ms")), step(1_000.0, None)],
        };
        let text = crate::capacity(&capacity, Detail::Tables, 100, false);
        let said = "1,000/s meets 'p99 < 10ms'; 2,000/s does not.";
        assert!(text.starts_with(said), "{text}");
        assert!(
            text.contains("--max-time")
                && text.contains("--threads")
                && text.contains("6.00 ms late"),
            "{text}"
        );
        let (low, high) = (text.find("met\n"), text.find("p99 20 ms"));
        assert!(low.is_some() && low < high, "{text}");
        (capacity.sustained_rps, capacity.failed_rps) = (None, Some(1.0));
        assert!(
            crate::capacity(&capacity, Detail::Verdict, 80, false).starts_with("No rate meets")
        );
        (capacity.sustained_rps, capacity.failed_rps) = (Some(8.0), None);
        assert!(
            crate::capacity(&capacity, Detail::Verdict, 80, false).starts_with("At least 8.0/s")
        );
    }
}
