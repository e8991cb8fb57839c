//! What may disturb a measurement.

use photofinish_model::STANDSTILL_US;
use photofinish_model::finding::check::{Noise, NoiseSource};
use photofinish_model::units::{Unit, number};

/// How much of it there was.
pub(super) fn source(source: &NoiseSource) -> String {
    let NoiseSource { what, value, limit } = *source;
    let share = |share: f64| format!("{:.1}%", share * 100.0);
    let (text, at_most) = match what {
        Noise::Steal => (format!("steal {}", share(value)), share(limit)),
        Noise::OtherProcesses => (
            format!("other processes {value:.2} cores"),
            format!("{limit:.2}"),
        ),
        Noise::Hiccups => (
            format!("hiccups p99 {:.2} ms", value / 1e3),
            format!("{} ms", limit / 1e3),
        ),
        Noise::StoodStill => (
            match value {
                0.0 => format!(
                    "the load generator's core was never stalled for {} ms",
                    STANDSTILL_US / 1e3
                ),
                longest => format!(
                    "the load generator's core was stalled for up to {}",
                    Unit::Microseconds.text(longest)
                ),
            },
            Unit::Microseconds.text(limit),
        ),
        Noise::MemoryStall => (format!("waiting for memory {}", share(value)), share(limit)),
        Noise::Swap => (format!("swap {value:.0} pages/s"), format!("{limit:.0}")),
        Noise::Throttled => (
            format!(
                "the servers' container throttled by its CPU limit {}",
                share(value)
            ),
            share(limit),
        ),
        Noise::MovedCores => (
            format!(
                "core-to-core latency changed by a factor of {}",
                number(value)
            ),
            number(limit),
        ),
    };
    match source.is_noisy() {
        true => format!("{text} (at most {at_most})"),
        false => text,
    }
}
