//! The validity checks, and where they failed.

use photofinish_judge::comparison::{CheckResult, CheckStatus, Comparison, Failing};
use photofinish_model::finding::run_check::RunCheckFinding;

use crate::document::{Block, Item, Tone};

/// So many places where a check failed are shown; the rest is counted.
const PLACES: usize = 10;

pub(super) fn checks(comparison: &Comparison) -> Vec<Block> {
    let (silent, made): (Vec<&CheckResult>, Vec<&CheckResult>) =
        comparison.checks.iter().partition(|check| is_silent(check));
    let mut items: Vec<Item> = made.into_iter().map(check).collect();
    if !silent.is_empty() {
        let titles: Vec<&str> = silent.iter().map(|check| check.title.en.as_str()).collect();
        let mut item = Item::new(CheckStatus::NotChecked.words(), Tone::Muted);
        item.below.push(titles.join("; "));
        items.push(item);
    }
    vec![Block::section("Validity checks"), Block::List(items)]
}

/// Whether there is nothing to say of a check but that it was not made, as far as a code says why.
fn is_silent(check: &CheckResult) -> bool {
    let reason = match &check.says.finding {
        RunCheckFinding::NotChecked { why } => why.as_deref(),
        _ => return false,
    };
    let recorded = |why: &RunCheckFinding| matches!(why, RunCheckFinding::Recorded { .. });
    reason.is_none_or(recorded) && check.notes.is_empty()
}

fn check(check: &CheckResult) -> Item {
    let tone = match check.status {
        CheckStatus::Ok => Tone::Good,
        CheckStatus::Failed => Tone::Bad,
        CheckStatus::Partly | CheckStatus::NotChecked => Tone::Muted,
    };
    let title = format!("{}: {}", check.status.words(), check.title.en);
    let mut item = Item::new(title, tone);
    item.below.push(check.says.en.clone());
    let failing = check.failing.iter().take(PLACES).map(failing);
    item.below.extend(failing);
    more(&mut item, check.failing.len());
    let notes = check.notes.iter().take(PLACES);
    item.below.extend(notes.map(|note| note.en.clone()));
    more(&mut item, check.notes.len());
    item
}

fn failing(failing: &Failing) -> String {
    match failing.place() {
        place if place.is_empty() => failing.says.en.clone(),
        place => format!("{place}: {}", failing.says.en),
    }
}

/// Counts what is not shown of so many.
fn more(item: &mut Item, of: usize) {
    let rest = of.saturating_sub(PLACES);
    if rest > 0 {
        let rest = format!("and {rest} more, all in the JSON report");
        item.below.push(rest);
    }
}
