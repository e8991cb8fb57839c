//! What failed, and what was never measured.

use photofinish_judge::comparison::Failure;
use photofinish_model::message::QUOTATION_MARKS;

use photofinish_voice::label;

use crate::document::{Block, Item};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::Source;

pub(super) fn gaps(source: &Source) -> Vec<Block> {
    let comparison = source.comparison;
    let (failures, missing) = (&comparison.failures, &comparison.missing);
    let title = Text::from(label::gaps_title());
    let mut blocks = vec![Block::Part("gaps", title)];
    if failures.is_empty() && missing.is_empty() {
        blocks.push(Block::Line(Text::from(label::gaps_none())));
    }
    if !failures.is_empty() {
        blocks.push(Block::Heading(Text::from(label::gaps_failed())));
        blocks.push(Block::List(items(failures)));
    }
    if !missing.is_empty() {
        blocks.push(Block::Heading(Text::from(label::gaps_missing())));
        let items = missing.iter().map(|missing| {
            let place = [&missing.target, &missing.workload].map(Text::from);
            let place = Text::list(place.into_iter().chain([Text::from(&missing.level)]));
            let rounds = labels::in_rounds(&missing.rounds);
            Item::new(Text::labelled(place, rounds), Tone::Plain)
        });
        blocks.push(Block::List(items.collect()));
    }
    blocks
}

/// A failure of a server once with all its rounds: a server that cannot be built fails in each in the same way.
fn items(failures: &[Failure]) -> Vec<Item> {
    let mut reported: Vec<(&Failure, Vec<u32>, Vec<Text>)> = Vec::new();
    for failure in failures {
        let lost = failure.measurements.iter().map(Text::from);
        let same = |known: &Failure| known.target == failure.target && known.why == failure.why;
        match reported.iter_mut().find(|(known, ..)| same(known)) {
            Some((_, rounds, known)) => {
                rounds.push(failure.round);
                known.extend(lost);
            }
            None => reported.push((failure, vec![failure.round], lost.collect())),
        }
    }
    let items = reported.into_iter().map(|(failure, rounds, lost)| {
        // A reason may have a log's last lines below it.
        let (en, zh) = (&failure.why.en, &failure.why.zh);
        let quoted = line_by_line(zh);
        let lines_are_alike = en.lines().count() == quoted.len();
        let mut lines = en.lines().zip(&quoted);
        let place = Text::list([Text::from(&failure.target), labels::in_rounds(&rounds)]);
        let mut item = Item::default();
        let first = match lines_are_alike {
            true => {
                let first = lines.next();
                item.below
                    .extend(lines.map(|(en, zh)| Text::both(en.trim(), zh)));
                first.map_or_else(Text::default, |(en, zh)| Text::both(en, zh))
            }
            false => Text::from(&failure.why),
        };
        item.text = Text::labelled(place, first).toned(Tone::Bad);
        let mut known: Vec<Text> = Vec::new();
        for place in lost {
            if !known.contains(&place) {
                known.push(place);
            }
        }
        if !known.is_empty() {
            let lost = Text::from(label::gaps_lost());
            item.below
                .push(Text::labelled(lost, Text::sentences(known)));
        }
        item
    });
    items.collect()
}

/// The lines of a Chinese text, without white space around them. A quotation that goes on in the next line ends and begins anew there, so that
/// each line shows what is quoted.
fn line_by_line(text: &str) -> Vec<String> {
    let [opens, closes] = QUOTATION_MARKS;
    let mut is_open = false;
    let line = |line: &str| {
        let mut whole = String::new();
        if is_open {
            whole.push(opens);
        }
        whole.push_str(line.trim());
        is_open = match line.rfind([opens, closes]) {
            Some(last) => line[last..].starts_with(opens),
            None => is_open,
        };
        if is_open {
            whole.push(closes);
        }
        whole
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_of_several_lines_is_one_in_each() {
        let lines = line_by_line("第 4 轮：“failed to build\n  command: make\n| an error”\n缺少");
        let expected = [
            "第 4 轮：“failed to build”",
            "“command: make”",
            "“| an error”",
            "缺少",
        ];
        assert_eq!(lines, expected);
    }
}
