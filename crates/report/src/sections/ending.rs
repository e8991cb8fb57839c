//! What a race ends with on a terminal: who is ahead and by how much, whether that is real, and what to doubt.

use photofinish_judge::comparison::{CheckStatus, Comparison};
use photofinish_model::Metric;
use photofinish_model::units::plural;
use photofinish_voice::Language;

use crate::document::Tone;
use crate::ending::Ending;

use super::glance::place;

pub(super) fn ending(comparison: &Comparison) -> Ending {
    let mut ending = Ending::new(comparison.headline.text(Language::En));
    let because = comparison.because.as_ref();
    let because = because.map_or("", |because| because.text(Language::En));
    ending.fact("because", because, Tone::Plain);
    ending.fact("noise floor", noise(comparison), Tone::Plain);
    ending.fact("claims", claims(comparison), Tone::Plain);
    ending.fact("missing", missing(comparison), Tone::Bad);
    let checks = comparison.checks.iter().filter_map(|check| {
        let passed = match check.status {
            CheckStatus::Ok | CheckStatus::Partly => true,
            CheckStatus::Failed => false,
            CheckStatus::NotChecked => return None,
        };
        Some((check.name.as_str(), passed))
    });
    ending.doubts(checks);
    ending
}

/// By how much a target differed from itself in throughput, where that was most.
fn noise(comparison: &Comparison) -> String {
    let floors = comparison.cells.iter().filter_map(|cell| {
        let floor = cell.noise_of(Metric::Throughput)?;
        Some((cell, floor, floor.ratio?.ln().abs()))
    });
    let largest = floors.max_by(|a, b| a.2.total_cmp(&b.2));
    largest.map_or_else(String::new, |(cell, floor, _)| {
        format!(
            "{} against itself differed in throughput by up to {} ({})",
            floor.target,
            floor.size(),
            place(cell, comparison)
        )
    })
}

/// How many of the claims came out how.
fn claims(comparison: &Comparison) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for claim in &comparison.claims {
        let outcome = claim.outcome.text(Language::En);
        match counted.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => counted.push((outcome, 1)),
        }
    }
    let counted = counted
        .into_iter()
        .map(|(outcome, count)| format!("{count} {outcome}"));
    counted.collect::<Vec<String>>().join(", ")
}

fn missing(comparison: &Comparison) -> String {
    let mut parts = Vec::new();
    if let Some(first) = comparison.failures.first() {
        let failures = plural(comparison.failures.len(), "trial failed", "trials failed");
        let why = first.why.en.lines().next().unwrap_or_default();
        parts.push(format!(
            "{failures}; {}, round {}: {why}",
            first.target, first.round
        ));
    }
    parts.join("; ")
}
