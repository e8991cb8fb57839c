//! What a race ends with on a terminal: who is ahead and by how much, whether that is real, and what to doubt.

use photofinish_judge::comparison::{CheckStatus, Comparison};
use photofinish_model::Metric;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::finding::ending::EndingFinding;
use photofinish_model::finding::headline::Place;
use photofinish_voice::Language;

use crate::document::Tone;
use crate::ending::Ending;

pub(super) fn ending(comparison: &Comparison) -> Ending {
    let mut ending = Ending::new(comparison.headline.text(Language::En));
    let because = comparison.because.as_ref();
    let because = because.map_or("", |because| because.text(Language::En));
    ending.fact("because", because, Tone::Plain);
    ending.says("noise floor", noise(comparison), Tone::Plain);
    ending.says("claims", claims(comparison), Tone::Plain);
    ending.says("missing", failed(comparison), Tone::Bad);
    let checks = comparison.checks.iter().filter_map(|check| {
        let passed = match check.status {
            CheckStatus::Ok | CheckStatus::Partly => true,
            CheckStatus::Failed => false,
            CheckStatus::NotChecked => return None,
        };
        Some((check.name.as_str(), passed))
    });
    ending.doubts(checks);
    ending.says("processes", already(comparison), Tone::Plain);
    ending
}

/// That servers were up before the run.
fn already(comparison: &Comparison) -> Option<DoubtFinding> {
    let mut doubts = comparison.doubts.iter().map(|doubt| &doubt.finding);
    let found = doubts.find(|doubt| matches!(doubt, DoubtFinding::Already { .. }));
    found.cloned()
}

/// By how much a target differed from itself in throughput, where that was most.
fn noise(comparison: &Comparison) -> Option<EndingFinding> {
    let floors = comparison.cells.iter().filter_map(|cell| {
        let floor = cell.noise_of(Metric::Throughput)?;
        Some((cell, floor, floor.ratio?.ln().abs()))
    });
    let (cell, floor, _) = floors.max_by(|a, b| a.2.total_cmp(&b.2))?;
    let several = (comparison.cells.iter()).any(|other| other.workload != cell.workload);
    Some(EndingFinding::Noise {
        noise: floor.says.finding.clone(),
        place: Place {
            workload: several.then(|| cell.workload.clone()),
            load: cell.level.finding.clone(),
        },
    })
}

/// How many of the claims came out how.
fn claims(comparison: &Comparison) -> Option<EndingFinding> {
    let mut outcomes: Vec<(ClaimVerdict, usize)> = Vec::new();
    for claim in &comparison.claims {
        let outcome = claim.outcome.finding;
        match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => outcomes.push((outcome, 1)),
        }
    }
    (!outcomes.is_empty()).then_some(EndingFinding::Claims { outcomes })
}

/// What failed first, and how many trials did.
fn failed(comparison: &Comparison) -> Option<EndingFinding> {
    let first = comparison.failures.first()?;
    Some(EndingFinding::Failed {
        trials: comparison.failures.len(),
        target: first.target.clone(),
        round: first.round,
        why: first.why.finding.clone(),
    })
}
