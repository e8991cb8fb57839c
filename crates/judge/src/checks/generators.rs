//! Whether several load generators sent the load as one would have.

use photofinish_model::Measurement;
use photofinish_model::finding::check::{CheckFinding, GeneratorTrouble, Trouble};

use super::Outcome;

/// What share of a window may not be shared by all of them: it touches throughput by as much.
const APART: f64 = 0.01;

/// The check, by what each of them measured; `None` where there was one.
pub(super) fn generators(measurement: &Measurement) -> Option<Outcome> {
    let parts = &measurement.generators;
    if parts.is_empty() {
        return None;
    }
    let windows = measurement.windows.iter().map(|window| window.duration_s);
    let shortest = windows.fold(measurement.duration_s, f64::min);
    let mut uncertain: Vec<f64> = parts.iter().map(|part| part.clock_uncertain_us).collect();
    uncertain.sort_by(|a, b| b.total_cmp(a));
    // Two clocks are apart by what is wrong with both.
    let apart_us: f64 = uncertain.iter().take(2).sum();
    let late = apart_us > APART * shortest * 1e6;
    let troubles = parts.iter().flat_map(|part| {
        [
            (part.limited, Trouble::Bottleneck),
            (part.astray > 0, Trouble::Unpinned),
            (part.shares_server, Trouble::SharesServer),
            (
                late && part.clock_uncertain_us >= uncertain[0],
                Trouble::Clock,
            ),
        ]
        .into_iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, what)| GeneratorTrouble {
            machine: part.machine.clone(),
            what,
        })
    });
    let troubles: Vec<GeneratorTrouble> = troubles.collect();
    let of = parts.len() as u64;
    let finding = CheckFinding::Generators {
        of,
        troubles: troubles.clone(),
        apart_us,
    };
    Some(Outcome::new(troubles.is_empty(), finding))
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_voice::{Language, Say};

    use super::*;

    fn measured() -> Measurement {
        let mut measurement = samples::measurement(1_000.0);
        measurement.generators = vec![
            samples::generator_part("b", 500.0),
            samples::generator_part("c", 500.0),
        ];
        measurement
    }

    fn says(change: impl FnOnce(&mut Measurement)) -> (Option<bool>, String) {
        let mut measurement = measured();
        change(&mut measurement);
        let outcome = generators(&measurement).expect("there are two");
        (outcome.ok, outcome.finding.say(Language::En))
    }

    #[test]
    fn one_generator_is_not_checked() {
        assert!(generators(&samples::measurement(1.0)).is_none());
    }

    #[test]
    fn several_that_measured_as_one_are_good() {
        let (ok, says) = says(|_| {});
        assert_eq!(ok, Some(true));
        assert_eq!(
            says,
            "2 load generators, whose windows differed by at most 40.0 µs"
        );
    }

    #[test]
    fn each_trouble_is_reported_with_its_machine() {
        type Change = fn(&mut Measurement);
        let cases: [(Change, &str); 4] = [
            (|m| m.generators[1].limited = true, "c was the bottleneck"),
            (
                |m| m.generators[0].astray = 1,
                "b did not stay on its cores",
            ),
            (
                |m| m.generators[1].shares_server = true,
                "c runs on the servers' machine",
            ),
            (
                |m| m.generators[0].clock_uncertain_us = 1e6,
                "the clock offset of b is not known precisely enough",
            ),
        ];
        for (change, expected) in cases {
            let (ok, says) = says(change);
            assert_eq!(ok, Some(false));
            assert!(says.contains(expected), "{says}");
        }
    }
}
