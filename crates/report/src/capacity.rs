//! What a search for a server's capacity found.

use photofinish_judge::comparison::doubts;
use photofinish_model::capacity::{Capacity, Step};
use photofinish_model::message::Message;
use photofinish_model::units::{self, Unit, per_second, thousands};
use photofinish_voice::{capacity as found, label};

use crate::document::{Block, Cell, Table};
use crate::ending::Ending;
use crate::words::{Text, Tone};

/// The result, what the server did at it, and what to doubt.
pub(crate) fn ending(capacity: &Capacity) -> Ending {
    let search = &capacity.found;
    let mut ending = Ending::new(result(capacity).en);
    let at = |rps: f64| search.steps.iter().rfind(|step| step.offered_rps == rps);
    let times = search
        .sustained_rps
        .and_then(at)
        .map(|step| found::median_and_p99(step.p50_us, step.p99_us));
    ending.says("at that rate", times, Tone::Plain);
    // Where none held, the doubts have the reason.
    let failed = search.sustained_rps.and(search.failed_rps);
    let failed = failed.and_then(at).and_then(|step| {
        let why = found::broken(step.why.as_ref()?);
        Some(found::rate_failed(step.offered_rps, why))
    });
    ending.says("above it", failed, Tone::Plain);
    match doubts(None, search).as_slice() {
        [] => ending.fact("doubts", "none", Tone::Good),
        doubts => {
            let doubts: Vec<String> = doubts.iter().map(|d| d.en.clone()).collect();
            ending.fact("doubts", doubts.join("; "), Tone::Bad);
        }
    }
    ending
}

/// The result, what limits it, and the curve by rising rate.
pub(crate) fn document(capacity: &Capacity) -> Vec<Block> {
    let mut blocks = vec![Block::Headline(result(capacity).into())];
    blocks.extend(doubts(None, &capacity.found).iter().map(|doubt| {
        let doubt = Text::from(doubt).then(Text::both(".", "。"));
        Block::Line(doubt.toned(Tone::Bad))
    }));
    if !capacity.found.steps.is_empty() {
        blocks.push(curve(&capacity.found.steps));
    }
    blocks
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
    let time =
        |us: Option<f64>| us.map_or_else(Cell::none, |us| Cell::new(Unit::Microseconds.text(us)));
    let rows = steps.into_iter().map(|step| {
        let verdict = match &step.why {
            None => Cell::words(Text::from(label::capacity_holds())).toned(Tone::Good),
            Some(why) => Cell::words(found::broken(why)).toned(Tone::Bad),
        };
        vec![
            Cell::new(per_second(step.offered_rps)),
            Cell::new(per_second(step.achieved_rps)),
            time(step.p50_us),
            time(step.p99_us),
            Cell::new(thousands(step.errors as f64)),
            Cell::new(units::percent(step.generator_cpu)),
            verdict,
        ]
    });
    Block::Table(Table {
        header: vec![
            Text::from(label::capacity_offered()),
            Text::from(label::capacity_achieved()),
            "p50".into(),
            "p99".into(),
            Text::from(label::capacity_errors()),
            Text::from(label::capacity_generator()),
            Text::default(),
        ],
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::capacity::{Ended, Found};
    use photofinish_model::finding::capacity::Broken;

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
        let text = crate::capacity(&capacity, Detail::Tables, 100, false);
        let said = "1,000/s meets 'p99 < 10ms'; 2,000/s does not.";
        assert!(text.starts_with(said), "{text}");
        assert!(
            text.contains("--threads") && text.contains("6.00 ms late"),
            "{text}"
        );
        let (low, high) = (text.find("met\n"), text.find("p99 20.0 ms"));
        assert!(low.is_some() && low < high, "{text}");
        (capacity.found.sustained_rps, capacity.found.failed_rps) = (None, Some(1.0));
        assert!(
            crate::capacity(&capacity, Detail::Verdict, 80, false).starts_with("No rate meets")
        );
        (capacity.found.sustained_rps, capacity.found.failed_rps) = (Some(8.0), None);
        assert!(
            crate::capacity(&capacity, Detail::Verdict, 80, false).starts_with("At least 8.0/s")
        );
        // Nothing failed because the time ran out: the flag that gives it more is named.
        capacity.found.generator_limited = false;
        let text = crate::capacity(&capacity, Detail::Ending, 100, false);
        assert!(text.contains("--max-time"), "{text}");
    }
}
