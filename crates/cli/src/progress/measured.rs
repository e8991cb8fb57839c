//! A measurement that has ended, as the lines of a run show it.

use photofinish_model::Line;
use photofinish_model::units::{plural, thousands};
use photofinish_voice::capacity;

use crate::words;

/// A finished measurement in one line.
pub(super) fn measured(line: &Line) -> String {
    let what = format!("{}: {}, {}", line.target, line.workload, line.load.label());
    let figures = match (&line.measurement, &line.failure) {
        (Some(m), _) => {
            let p99 = m.latency_us.map_or_else(
                || match m.throughput_rps > 0.0 {
                    // What was answered had been sent before the window opened.
                    true => "no response to what was sent in the window".to_owned(),
                    false => "no response".to_owned(),
                },
                |l| format!("p99 {}", words::micros(l.p99)),
            );
            let errors = m.failures();
            let errors = match errors {
                0 => String::new(),
                errors => format!(", {}", plural(errors as usize, "error", "errors")),
            };
            match &m.capacity {
                Some(found) => capacity::trial(found).en,
                None => format!("{}/s, {p99}{errors}", thousands(m.throughput_rps.round())),
            }
        }
        (None, Some(why)) => format!("failed: {}", why),
        (None, None) => "failed".to_owned(),
    };
    format!("{what}: {figures}")
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn a_throughput_of_earlier_requests_does_not_contradict_that_no_other_was_answered() {
        let mut line = samples::line("failing", 1, 1, 76.0);
        let measurement = line.measurement.as_mut().expect("it was measured");
        measurement.latency_us = None;
        let says = measured(&line);
        assert!(
            says.ends_with("76/s, no response to what was sent in the window"),
            "{says}"
        );
        let measurement = line.measurement.as_mut().expect("it was measured");
        measurement.throughput_rps = 0.0;
        let says = measured(&line);
        assert!(says.ends_with("0/s, no response"), "{says}");
    }
}
