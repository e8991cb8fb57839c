//! What a search for a server's capacity found.

use photofinish_judge::comparison::doubts;
use photofinish_model::capacity::{Capacity, Step};
use photofinish_model::message::Message;
use photofinish_model::units::{self, per_second, thousands};
use photofinish_voice::{capacity as found, label, trust};

use crate::document::{Block, Cell, Table};
use crate::ending::{Ending, Figures};
use crate::labels;
use crate::words::{Text, Tone};

/// The most steps of the ladder: those that are nearest to the result.
const STEPS: usize = 6;

/// The result, the rates that were tried, and how far it may be trusted.
pub(crate) fn ending(capacity: &Capacity) -> Ending {
    let search = &capacity.found;
    let setting = found::setting(capacity.connections, search.steps.len());
    let mut ending = Ending::new(result(capacity).en, setting.en);
    ending.figures(ladder(capacity));
    let nothing = search.sustained_rps.or(search.failed_rps).is_none();
    match doubts(None, search).as_slice() {
        [] if nothing => ending.full("trust", trust::no_checks().en, Tone::Bad),
        [] => ending.full("trust", trust::grade_quotable().en, Tone::Good),
        doubts => {
            let doubts: Vec<Message> = doubts.to_vec();
            let says = trust::with_care(found::doubts(doubts), None).en;
            ending.caveat(Some(says.clone()));
            ending.full("trust", says, Tone::Bad);
        }
    }
    ending
}

/// The rates around the result, the highest first: each with its mark, and why it does not hold.
fn ladder(capacity: &Capacity) -> Option<Figures> {
    let search = &capacity.found;
    let middle = search.sustained_rps.or(search.failed_rps)?;
    let mut steps: Vec<&Step> = search.steps.iter().collect();
    let far = |step: &Step| (step.offered_rps / middle).ln().abs();
    steps.sort_by(|a, b| far(a).total_cmp(&far(b)));
    steps.truncate(STEPS);
    steps.sort_by(|a, b| b.offered_rps.total_cmp(&a.offered_rps));
    let offered = |step: &&Step| {
        let (mark, tone) = match step.holds {
            true => ("✓", Tone::Good),
            false => ("✗", Tone::Bad),
        };
        Cell::new(format!("{mark} {}", per_second(step.offered_rps))).toned(tone)
    };
    let why = |step: &&Step| {
        let why = step.why.as_ref().map(|why| Text::from(found::broken(why)));
        Cell::words(why.unwrap_or_default())
    };
    Some(Figures {
        table: Table::of(steps)
            .column(label::capacity_offered(), offered)
            .column("p50", |step| time(step.p50_us))
            .column("p99", |step| time(step.p99_us))
            .column(Text::default(), why)
            .table(),
        spare: vec![1],
        kept: 0,
    })
}

/// The curve by rising rate.
pub(crate) fn document(capacity: &Capacity) -> Vec<Block> {
    match capacity.found.steps.as_slice() {
        [] => Vec::new(),
        steps => vec![curve(steps)],
    }
}

fn result(capacity: &Capacity) -> Message {
    let objective = &capacity.objective;
    match (capacity.found.sustained_rps, capacity.found.failed_rps) {
        (Some(held), Some(failed)) => found::between(held, objective, failed),
        (Some(held), None) => found::at_least(held, objective),
        (None, Some(failed)) => found::none_meets(objective, failed),
        (None, None) => found::nothing_measured(objective),
    }
}

fn curve(steps: &[Step]) -> Block {
    let mut steps: Vec<&Step> = steps.iter().collect();
    steps.sort_by(|a, b| a.offered_rps.total_cmp(&b.offered_rps));
    let verdict = |step: &&Step| match &step.why {
        None => Cell::words(label::capacity_holds()).toned(Tone::Good),
        Some(why) => Cell::words(found::broken(why)).toned(Tone::Bad),
    };
    Block::Table(
        Table::of(steps)
            .column(label::capacity_offered(), |it| per_second(it.offered_rps))
            .column(label::capacity_achieved(), |it| per_second(it.achieved_rps))
            .column("p50", |step| time(step.p50_us))
            .column("p99", |step| time(step.p99_us))
            .column(label::capacity_errors(), |it| thousands(it.errors as f64))
            .column(label::capacity_generator(), |it| {
                units::percent(it.generator_cpu)
            })
            .column(Text::default(), verdict)
            .table(),
    )
}

fn time(us: Option<f64>) -> Cell {
    Cell::some(us.map(labels::microseconds))
}

#[cfg(test)]
mod tests {
    use photofinish_model::capacity::{Ended, Found};
    use photofinish_model::finding::capacity::Broken;

    use super::*;
    use crate::{Detail, Screen};

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
            why: why.map(|_| Broken::Time {
                figure: "p99".to_owned(),
                us: 20_000.0,
            }),
        }
    }

    #[test]
    fn the_result_its_doubts_and_the_curve_by_rate() {
        let mut capacity = Capacity {
            version: 1,
            url: "http://127.0.0.1/".to_owned(),
            objective: "p99 < 10ms".to_owned(),
            connections: 10,
            found: Found {
                sustained_rps: Some(1_000.0),
                failed_rps: Some(2_000.0),
                ended: Ended::Time,
                generator_limited: true,
                noise_us: Some(6_000.0),
                steps: vec![step(2_000.0, Some("p99 20 ms")), step(1_000.0, None)],
            },
        };
        let text = crate::capacity(&capacity, Detail::Tables, Screen::plain(100));
        let said = "1,000/s meets 'p99 < 10ms'; 2,000/s does not   10 connections, 2 rates tried";
        assert!(text.starts_with(said), "{text}");
        assert!(
            text.contains("--threads") && text.contains("6.00 ms late"),
            "{text}"
        );
        let (low, high) = (text.find("met\n"), text.rfind("p99 20.0 ms"));
        assert!(low.is_some() && low < high, "{text}");
        (capacity.found.sustained_rps, capacity.found.failed_rps) = (None, Some(1.0));
        assert!(
            crate::capacity(&capacity, Detail::Verdict, Screen::plain(80))
                .starts_with("No rate meets")
        );
        (capacity.found.sustained_rps, capacity.found.failed_rps) = (Some(8.0), None);
        assert!(
            crate::capacity(&capacity, Detail::Verdict, Screen::plain(80))
                .starts_with("At least 8.0/s")
        );
        // Nothing failed because the time ran out: the flag that gives it more is named.
        capacity.found.generator_limited = false;
        let text = crate::capacity(&capacity, Detail::Ending, Screen::plain(100));
        assert!(text.contains("--max-time"), "{text}");
    }
}
