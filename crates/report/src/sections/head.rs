//! What comes first: what was run, the answer in a sentence, why, and what to know before quoting it.

use photofinish_judge::comparison::{Grade, Head, Subject, Trust, Warning};
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Item};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::Source;
use super::{ending, result};

pub(super) fn head(source: &Source) -> Vec<Block> {
    let comparison = source.comparison;
    let Trust { grade, says } = &comparison.trust;
    let mut blocks = vec![
        Block::Title(Text::authored(&comparison.head.title)),
        Block::Headline(Text::from(&comparison.headline)),
        Block::Line(Text::from(&comparison.setting).toned(Tone::Muted)),
        Block::Line(Text::from(says).toned(ending::tone(*grade))),
    ];
    // The first reason stands in the grade.
    let counts = |warning: &&Warning| warning.grade > Grade::Quotable;
    let first = usize::from(comparison.warnings.iter().any(|w| counts(&w)));
    let warnings = comparison.warnings.iter().skip(first).map(|warning| Item {
        more: more(warning.about),
        ..Item::new(&warning.says, Tone::Bad)
    });
    let warnings: Vec<Item> = warnings.collect();
    if !warnings.is_empty() {
        blocks.push(Block::Warnings(warnings));
    }
    blocks.extend(result::table(source).map(|figures| Block::Table(figures.table)));
    let also = [
        &comparison.cost,
        &comparison.stalls,
        &comparison.also,
        &comparison.next,
        &comparison.short_load,
    ];
    blocks.extend(also.into_iter().flatten().map(Block::line));
    blocks.push(Block::Line(run(&comparison.head).toned(Tone::Muted)));
    blocks
}

/// The section that says more of a warning.
fn more(about: Subject) -> Option<&'static str> {
    match about {
        Subject::Smoke | Subject::Verdict | Subject::AlreadyUp => None,
        Subject::Checks => Some("checks"),
        Subject::Rounds | Subject::ShortSlices | Subject::NoiseFloor => Some("throughput"),
        Subject::Reconnects => Some("evidence"),
        Subject::LeftOut => Some("study"),
        Subject::Gaps => Some("gaps"),
    }
}

/// When and how it was run.
fn run(head: &Head) -> Text {
    let rounds = labels::count_of_rounds(head.rounds_asked as usize);
    let duration = head.settings.duration.as_secs_f64();
    let begun = Text::from(&head.name)
        .then(Text::both(": ", "："))
        .then(rounds)
        .then(Text::both(
            format!(" of {} s", duration),
            format!("，每次测量 {} s", duration),
        ));
    let incomplete = (head.rounds_done < head.rounds_asked).then(|| {
        let (done, asked) = (head.rounds_done, head.rounds_asked);
        Text::both(
            format!("{done} of {asked} rounds complete"),
            format!("{asked} 轮中完成了 {done} 轮"),
        )
    });
    let smoke = head
        .settings
        .smoke
        .then(|| Text::from(label::head_a_smoke_run()));
    let facts = [Some(begun), how_many(head), incomplete, smoke];
    let facts = facts.into_iter().flatten();
    Text::joined(facts.chain([started(head)]), &" · ".into())
}

fn started(head: &Head) -> Text {
    let minutes = head.started.get(..16).filter(|text| text.is_ascii());
    match minutes {
        Some(minutes) => format!("{} UTC", minutes.replace('T', " ")).into(),
        None => Text::from(&head.started),
    }
}

/// Why there are so many rounds, if the study has not fixed their number.
pub(super) fn how_many(head: &Head) -> Option<Text> {
    let within = head.settings.within;
    let within = within.map(|time| format!("{} s", time.as_secs_f64()));
    let most = |count: u32| units::thousands(f64::from(count));
    match (head.settings.max_rounds, within) {
        (Some(max), within) => {
            let time = within.map_or_else(Text::default, |time| {
                Text::both(format!(", within {time}"), format!("，不超过 {time}"))
            });
            let added = Text::both(
                format!("rounds added until decided, at most {}", most(max)),
                format!("不断加轮直到有结论，最多 {} 轮", most(max)),
            );
            Some(added.then(time))
        }
        (None, Some(time)) if head.rounds_asked < head.settings.rounds => {
            let planned = most(head.settings.rounds);
            Some(Text::both(
                format!("at most {planned} rounds, within {time}"),
                format!("最多 {planned} 轮，不超过 {time}"),
            ))
        }
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use photofinish_judge::comparison::Comparison;
    use photofinish_model::samples;
    use photofinish_voice::Language;

    use super::*;

    #[test]
    fn why_there_are_so_many_rounds() {
        let mut results = samples::race(&["a", "b"], &[&[1000.0; 3], &[1000.0; 3]]);
        let mut says = |planned, max, within_s: Option<f64>| {
            results.study.settings.rounds = planned;
            results.study.settings.max_rounds = max;
            results.study.settings.within = within_s.map(Duration::from_secs_f64);
            results.time_over = within_s
                .map(|_| samples::time_over(3))
                .into_iter()
                .collect();
            let head = Comparison::from(&results).head;
            Language::ALL.map(|language| run(&head).text(language))
        };
        let [en, zh] = says(3, None, None);
        assert!(en.contains(": 3 rounds of "), "{en}");
        assert!(zh.contains("：3 轮，每次测量 "), "{zh}");
        for (planned, max, within_s, expected) in [
            (
                5,
                None,
                Some(1200.0),
                " · at most 5 rounds, within 1200 s · ",
            ),
            (3, None, Some(1200.0), " s · 2"),
            (
                20,
                Some(20),
                None,
                " · rounds added until decided, at most 20 · ",
            ),
            (
                20,
                Some(20),
                Some(90.0),
                " · rounds added until decided, at most 20, within 90 s · ",
            ),
        ] {
            let [said, _] = says(planned, max, within_s);
            assert!(said.contains(expected), "{said}");
        }
    }
}
