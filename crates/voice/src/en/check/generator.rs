//! What may be wrong with load generators.

use photofinish_model::finding::check::{GeneratorLimit, GeneratorTrouble, Trouble};
use photofinish_model::units::{Unit, number, thousands};

use super::{count, whole_percent};

/// Why the load generator was the bottleneck.
pub(super) fn limit(limit: &GeneratorLimit) -> String {
    match limit {
        GeneratorLimit::Busy {} => {
            "its busiest thread was saturated: give it more cores".to_owned()
        }
        GeneratorLimit::BusyAtFailed { rate_rps } => format!(
            "its busiest thread was saturated at {}/s, the rate that failed: the server may sustain more; give the load generator more cores",
            thousands(rate_rps.round())
        ),
        GeneratorLimit::Starved { at_server, more } => format!(
            "with {} requests at the server on average, it often waited for the load generator and could serve up to {} more; response times are not affected; use more connections",
            number(*at_server),
            whole_percent(*more)
        ),
        GeneratorLimit::Late {
            requests,
            of,
            longest_us,
            p99_us,
            in_time_us,
        } => format!(
            "{} of {} requests were sent up to {} late although a connection was idle, because its thread did not run: sent in time, p99 would be {}, not {}",
            count(*requests),
            count(*of),
            Unit::Microseconds.text(*longest_us),
            Unit::Microseconds.text(*in_time_us),
            Unit::Microseconds.text(*p99_us)
        ),
        GeneratorLimit::ClockStepped { by_us } => format!(
            "the wall clock was stepped by {} meanwhile, which invalidates kernel timestamps: measure again",
            Unit::Microseconds.text(*by_us)
        ),
    }
}

/// What is wrong with one of several load generators.
pub(in super::super) fn trouble(trouble: &GeneratorTrouble) -> String {
    let machine = &trouble.machine;
    match trouble.what {
        Trouble::Bottleneck => format!("load generator {machine} was the bottleneck"),
        Trouble::Unpinned => format!("load generator {machine} did not stay on its cores"),
        Trouble::SharesServer => format!("load generator {machine} runs on the servers' machine"),
        Trouble::Clock => format!(
            "the clock offset of {machine} is not known precisely enough to start with the others: its link is slow or busy"
        ),
    }
}
