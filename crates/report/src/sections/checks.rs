//! The validity checks, and where they failed.

use photofinish_judge::comparison::{CheckResult, CheckStatus, Failing, TargetFigures};
use photofinish_model::message::Message;
use photofinish_model::{Metric, units};

use photofinish_voice::{label, trust};

use crate::document::{Block, Item, part};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::Source;

pub(super) fn checks(source: &Source) -> Vec<Block> {
    let mut blocks = part("checks", label::checks_title(), label::checks_lead());
    blocks.push(Block::List(grouped(source)));
    blocks.extend(more_threads(source).map(Block::line));
    blocks
}

/// That a server runs more threads than it had cores: locks and pools of threads behave otherwise with more cores.
fn more_threads(source: &Source) -> Option<Message> {
    let cores = source.comparison.head.server_cores?;
    let threads = |target: &TargetFigures| Some(target.figure(Metric::Threads)?.max as usize);
    let most = source
        .targets()
        .filter_map(|target| Some((threads(target)?, &target.target)));
    let (threads, server) = most.max_by_key(|(threads, _)| *threads)?;
    (threads > cores).then(|| trust::more_threads(server, threads as u64, cores as u64))
}

/// The failed checks, each with where it failed; the others by name in a line for each outcome.
pub(super) fn grouped(source: &Source) -> Vec<Item> {
    let checks = &source.comparison.checks;
    let of = |status: CheckStatus| checks.iter().filter(move |check| check.status == status);
    let mut items: Vec<Item> = of(CheckStatus::Failed).map(check).collect();
    for (outcome, tone) in [
        (CheckStatus::Ok, Tone::Good),
        (CheckStatus::Partly, Tone::Muted),
        (CheckStatus::NotChecked, Tone::Muted),
    ] {
        let titles: Vec<Text> = of(outcome).map(|check| Text::from(&check.title)).collect();
        if titles.is_empty() {
            continue;
        }
        let mut item = Item::new(counted(outcome, titles.len()), tone);
        item.below.push(Text::sentences(titles));
        let reasons = of(outcome).filter(|check| check.has_reason);
        item.below
            .extend(reasons.map(|check| Text::labelled(&check.title, &check.says)));
        let notes: Vec<Text> = of(outcome)
            .flat_map(|check| check.notes.iter().map(Text::from))
            .collect();
        if !notes.is_empty() {
            item.folded
                .push((Text::from(label::checks_worth_knowing()), notes));
        }
        items.push(item);
    }
    items
}

/// How many checks came out so.
fn counted(outcome: CheckStatus, count: usize) -> Text {
    let status = status(outcome);
    Text::both(format!("{count} "), format!("{count} 项")).then(status)
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
