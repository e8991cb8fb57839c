//! The validity checks, and where they failed.

use photofinish_judge::comparison::{CheckResult, CheckStatus, Failing};
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Item};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::Source;

pub(super) fn checks(source: &Source) -> Vec<Block> {
    let checks = source.comparison.checks.iter();
    let (silent, made): (Vec<&CheckResult>, Vec<&CheckResult>) =
        checks.partition(|check| is_silent(check));
    let mut items: Vec<Item> = made.into_iter().map(check).collect();
    if !silent.is_empty() {
        let titles = silent.iter().map(|check| Text::from(&check.title));
        let mut item = Item::new(status(CheckStatus::NotChecked), Tone::Muted);
        item.below.push(Text::sentences(titles));
        items.push(item);
    }
    let lead = Text::from(label::checks_lead());
    vec![
        Block::Section("checks", Text::from(label::checks_title())),
        Block::Line(lead.toned(Tone::Muted)),
        Block::List(items),
    ]
}

fn status(status: CheckStatus) -> Text {
    let zh = match status {
        CheckStatus::Ok => "通过",
        CheckStatus::Failed => "未通过",
        CheckStatus::Partly => "部分检查",
        CheckStatus::NotChecked => "未检查",
    };
    Text::both(status.words(), zh)
}

/// Whether a check was not made, without a reason or remark to show.
fn is_silent(check: &CheckResult) -> bool {
    check.status == CheckStatus::NotChecked && !check.has_reason && check.notes.is_empty()
}

fn check(check: &CheckResult) -> Item {
    let tone = match check.status {
        CheckStatus::Ok => Tone::Good,
        CheckStatus::Failed => Tone::Bad,
        CheckStatus::Partly | CheckStatus::NotChecked => Tone::Muted,
    };
    let title = Text::labelled(status(check.status), &check.title);
    let mut item = Item::new(title, tone);
    item.below.push(Text::from(&check.says));
    if !check.failing.is_empty() {
        let places = check.failing.len();
        let en = units::plural(places, "place", "places");
        let zh = units::thousands(places as f64);
        let name = Text::both(format!("Where: {en}"), format!("位置：{zh} 处"));
        item.folded
            .push((name, check.failing.iter().map(failing).collect()));
    }
    if !check.notes.is_empty() {
        let name = Text::from(label::checks_worth_knowing());
        item.folded
            .push((name, check.notes.iter().map(Text::from).collect()));
    }
    item
}

fn failing(failing: &Failing) -> Text {
    let round = failing.round.map(|round| labels::round(round as usize));
    let parts = [
        failing.target.as_ref().map(Text::from),
        failing.workload.as_ref().map(Text::from),
        failing.level.as_ref().map(Text::from),
        round,
    ];
    let place = Text::list(parts.into_iter().flatten());
    match place.is_empty() {
        true => Text::from(&failing.says),
        false => Text::labelled(place, &failing.says),
    }
}
