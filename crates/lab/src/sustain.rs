//! A measurement that is a search: the highest rate that holds an objective.
//!
//! The search is that of `photofinish capacity`. Each of its steps is a load run that is watched as any other measurement's; what
//! is recorded is the step at the highest rate that held, with what the search found.

use std::time::Instant;

use photofinish_model::Search;
use photofinish_model::capacity::{self as results, Ended};
use photofinish_model::finding::failure::FailureFinding;

use crate::capacity::{self, Attempt};
use crate::error::Halt;
use crate::events::Event;
use crate::measure::{self, Measured, Measuring, Ran};

/// Searches, and reports each step.
///
/// # Errors
/// As [`Measuring::block`].
pub(crate) fn measure(measuring: &mut Measuring, search: &Search) -> Result<Measured, Halt> {
    let run = measuring.run;
    let mut line = measuring.line();
    let seed = measuring.seed();
    let mut measure = |attempt: Attempt| -> Result<capacity::Measured<Ran>, Halt> {
        let length = capacity::length(search, attempt.rate);
        let (load, lead_in) = (attempt.load(search), capacity::lead_in(search));
        let ran = measuring.run(load, length, lead_in, attempt.seed(seed))?;
        // A rate at which there is no response does not hold; the search continues at a lower one.
        measuring.silence(&ran)?;
        let machine = ran.seen.machine.as_ref();
        let hiccups = machine.and_then(|machine| machine.hiccup_us);
        Ok(capacity::Measured {
            measurement: ran.measurement(),
            hiccup_us: hiccups.map(|late| late.p99),
            rest: ran,
        })
    };
    let mut number = 0;
    let mut on_step = |step: &results::Step| {
        number += 1;
        let step = step.clone();
        run.report(Event::Step { number, step });
    };
    let began = Instant::now();
    let mut late = || began.elapsed() >= search.max_time;
    let sought = capacity::find(search, &mut measure, &mut on_step, &mut late, run.interrupt)?;
    if sought.found.ended == Ended::Interrupted {
        return Err(Halt::Interrupted);
    }
    let Some(best) = sought.best else {
        line.failure = Some(FailureFinding::NoStep {});
        return Ok(Measured::nothing(line));
    };
    // The best step stands for the search.
    let capacity::Measured {
        mut measurement,
        rest: ran,
        ..
    } = best;
    measurement.throughput_rps = sought.found.sustained_rps.unwrap_or(0.0);
    measurement.capacity = Some(sought.found);
    measuring.check(&mut measurement, &ran);
    Ok(measure::filled(line, measurement, ran.seen))
}
