//! The honesty rules, as far as one measurement alone can tell.

use photofinish_judge::steady;
use photofinish_load::config::Exchange;
use photofinish_load::outcome::Outcome;
use photofinish_model::{Check, Measurement, check};

use crate::quiet;

mod generator;
mod law;
#[cfg(test)]
mod tests;

pub(crate) use generator::{BUSY, overloaded};

/// All rules in their order, for one load run.
pub(crate) fn of_one_run(measurement: &Measurement, outcome: &Outcome) -> Vec<Check> {
    check::ALL
        .iter()
        .map(|name| {
            let (ok, says) = match *name {
                check::LITTLES_LAW => law::littles_law(measurement, outcome),
                check::GENERATOR => generator::generator(measurement, outcome),
                check::ERRORS => errors(measurement, outcome),
                check::STEADY => steady::within(&measurement.windows),
                check::QUIET => quiet::judge(None),
                _ => (None, "not checked for one load run".to_owned()),
            };
            Check {
                name: (*name).to_owned(),
                ok,
                says,
            }
        })
        .collect()
}

type Verdict = (Option<bool>, String);

/// No errors and no timeouts; else each kind counted.
fn errors(measurement: &Measurement, outcome: &Outcome) -> Verdict {
    let failed: u64 = measurement.errors.values().sum();
    if measurement.requests == 0 {
        let why = outcome.first_error.as_deref().unwrap_or("none was sent");
        return (Some(false), format!("no request came to an end: {why}"));
    }
    if failed == 0 {
        return (
            Some(true),
            format!("all {} answers as expected", measurement.requests),
        );
    }
    let kinds: Vec<String> = (measurement.errors.iter())
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    let first = match &outcome.first_error {
        Some(error) => format!("; the first: {error}"),
        None => String::new(),
    };
    let (attempts, noun) = measurement.attempts();
    let says = format!(
        "{failed} of {attempts} {noun} failed: {}{first}",
        kinds.join(", ")
    );
    (Some(false), says)
}

/// As many bytes came and went as so many answers and requests must have.
pub(crate) fn bytes(measurement: &Measurement, exchange: &Exchange) -> Verdict {
    let failed: u64 = measurement.errors.values().sum();
    if failed > 0 {
        let says = "not checked: nobody can tell the bytes of requests that failed";
        return (None, says.to_owned());
    }
    let requests = measurement.requests;
    let (came, went) = (measurement.bytes_in, measurement.bytes_out);
    match exchange {
        Exchange::Echo { size } => {
            let expected = requests * *size as u64;
            let says = format!(
                "{requests} echoes × {size} bytes = {expected} bytes; {came} came, {went} went"
            );
            (Some(came == expected && went == expected), says)
        }
        Exchange::Http { expect, .. } => {
            let Some(body) = &expect.body else {
                let says = "not checked: the bytes of an answer are not stated";
                return (None, says.to_owned());
            };
            // A head is longer than its status line, and may differ from answer to answer.
            let least = requests * (body.len() + STATUS_LINE.len()) as u64;
            let says = format!(
                "{requests} answers × {} bytes of body and a head of at least {} = at least {least} bytes; {came} came",
                body.len(),
                STATUS_LINE.len()
            );
            (Some(came >= least), says)
        }
    }
}

/// The shortest head of an answer.
const STATUS_LINE: &str = "HTTP/1.1 200\r\n\r\n";

/// Puts a rule's outcome in the place of the one that was there.
pub(crate) fn replace(checks: &mut [Check], name: &str, ok: Option<bool>, says: String) {
    for check in checks.iter_mut().filter(|check| check.name == name) {
        check.ok = ok;
        check.says.clone_from(&says);
    }
}
