//! Whether several load generators sent the load as one would have.

use photofinish_model::Measurement;
use photofinish_model::message::Message;

use photofinish_voice::checks as found;

use super::Outcome;

/// What share of a window may not be shared by all of them: it touches throughput by as much.
const APART: f64 = 0.01;

/// The check, by what each of them measured; `None` where there was one.
pub(super) fn generators(measurement: &Measurement) -> Option<Outcome> {
    let of = measurement.generators.len();
    if of == 0 {
        return None;
    }
    let (troubles, apart_us) = examine(measurement);
    let ok = troubles.is_empty();
    let says = match ok {
        true => found::generators(of, apart_us),
        false => found::troubles(troubles),
    };
    Some(Outcome::new(ok, says))
}

/// Returns what is wrong with the load generators of a measurement.
pub(crate) fn troubles(measurement: &Measurement) -> Vec<Message> {
    examine(measurement).0
}

/// Returns what is wrong with load generators, and by how many microseconds their windows differed at most.
fn examine(measurement: &Measurement) -> (Vec<Message>, f64) {
    let parts = &measurement.generators;
    let windows = measurement.windows.iter().map(|window| window.duration_s);
    let shortest = windows.fold(measurement.duration_s, f64::min);
    let mut uncertain: Vec<f64> = parts.iter().map(|part| part.clock_uncertain_us).collect();
    uncertain.sort_by(|a, b| b.total_cmp(a));
    // Two clocks are apart by what is wrong with both.
    let apart_us: f64 = uncertain.iter().take(2).sum();
    let late = apart_us > APART * shortest * 1e6;
    let troubles = parts.iter().flat_map(|part| {
        let machine = &part.machine;
        let is_late = late && part.clock_uncertain_us >= uncertain[0];
        let troubles = [
            part.limited.then(|| found::trouble_bottleneck(machine)),
            (part.astray > 0).then(|| found::trouble_unpinned(machine)),
            (part.shares_server).then(|| found::trouble_shares_server(machine)),
            is_late.then(|| found::trouble_clock(machine)),
        ];
        troubles.into_iter().flatten()
    });
    (troubles.collect(), apart_us)
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

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
        (
            outcome.ok,
            outcome.says.map(|says| says.en).unwrap_or_default(),
        )
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
