//! The rounds of several pairs of machines: the answer, and each ratio with the machines it is made of.

use photofinish_judge::comparison::Verdict;
use photofinish_judge::pooled::{MachineRatio, Pooled, PooledRatio};
use photofinish_model::Metric;
use photofinish_model::metric::Better;
use photofinish_model::units;
use photofinish_stats::Interval;
use photofinish_voice::label;

use crate::document::{Block, Cell, Table};
use crate::figure::axis::{Scale, ratio_ticks};
use crate::figure::look::{Look, NOBODY, look};
use crate::figure::rows::{HEIGHT, Rows, Strip, ratio_shapes, sides};
use crate::figure::{Figure, Series, Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

pub(crate) fn document(pooled: &Pooled) -> Vec<Block> {
    let mut blocks = vec![Block::Title(Text::authored(&pooled.title))];
    let mut says = pooled.says.iter();
    blocks.extend(says.next().map(|says| Block::Headline(says.into())));
    if says.len() > 0 {
        blocks.push(Block::list(says, Tone::Plain));
    }
    if !pooled.warnings.is_empty() {
        blocks.push(Block::list(&pooled.warnings, Tone::Bad));
    }
    let title = Text::from(label::ratios_title());
    blocks.push(Block::Section("verdict", title));
    let servers = pooled.ratios.iter().flat_map(|it| [&*it.of, &*it.over]);
    blocks.push(Block::key(&pooled.head, servers));
    let mut metrics: Vec<Metric> = pooled.ratios.iter().map(|it| it.metric).collect();
    metrics.dedup();
    let options = metrics.iter().map(|metric| {
        let ratios = pooled.ratios.iter().filter(|it| it.metric == *metric);
        let blocks = ratios.flat_map(|ratio| of_ratio(pooled, ratio)).collect();
        (Text::say(metric), blocks)
    });
    let mut stated = pooled.ratios.iter().filter(|it| it.is_headline);
    let stated = stated.next().map(|it| it.metric);
    let first = metrics.iter().position(|metric| Some(*metric) == stated);
    let first = first.unwrap_or(0);
    blocks.extend(Block::choice(label::metric(), options.collect(), first));
    let title = Text::from(label::pooled_machines());
    blocks.push(Block::Section("machines", title));
    blocks.push(Block::Table(
        Table::of(&pooled.machines)
            .column(label::pooled_pair(), |it| Text::from(&it.name))
            .column(label::half_width_rounds(), |it| it.rounds.to_string())
            .column(label::pooled_processor(), |it| {
                Cell::words(Text::code(&it.processor))
            })
            .column(label::pooled_by_itself(), |it| {
                Cell::words(Text::from(&it.headline))
            })
            .table(),
    ));
    blocks
}

/// A ratio on each pair of machines, on all of them, and on machines like these.
fn of_ratio(pooled: &Pooled, ratio: &PooledRatio) -> Vec<Block> {
    let place = [Text::from(&ratio.workload), Text::from(&ratio.level)];
    let title = Text::list(place.into_iter().chain([Text::say(&ratio.metric)]));
    let mut blocks = vec![
        Block::Heading(title),
        Block::Figures(vec![forest(pooled, ratio)]),
        Block::tables(table(ratio)),
    ];
    if !ratio.notes.is_empty() {
        blocks.push(Block::list(&ratio.notes, Tone::Muted));
    }
    blocks
}

/// The two verdicts, each with its name in a row.
fn verdicts(ratio: &PooledRatio) -> impl Iterator<Item = (Text, &Verdict)> {
    let these = ratio
        .on_these
        .as_ref()
        .map(|it| (label::pooled_on_these(), it));
    let like = ratio.like_these.as_ref();
    let like = like.map(|it| (label::pooled_like_these(), it));
    let all = these.into_iter().chain(like);
    all.map(|(name, verdict)| (Text::from(name), verdict))
}

fn table(ratio: &PooledRatio) -> Table {
    let each = ratio.each.iter().map(|one| {
        let rounds = labels::count_of_rounds(one.rounds);
        [
            Text::from(&one.machine),
            rounds,
            measured(one.ratio, one.interval),
            Text::default(),
        ]
    });
    let verdicts = verdicts(ratio).map(|(name, verdict)| {
        let outcome = Text::from(&verdict.outcome);
        let rounds = labels::count_of_rounds(verdict.rounds);
        [
            name,
            rounds,
            measured(verdict.ratio, verdict.interval),
            outcome,
        ]
    });
    let rows: Vec<[Text; 4]> = each.chain(verdicts).collect();
    Table::of(rows)
        .column(label::pooled_pair(), |row| row[0].clone())
        .column(label::half_width_rounds(), |row| row[1].clone())
        .column(
            Text::from(format!("{} ", ratio.of)).then(labels::over(&ratio.over)),
            |row| row[2].clone(),
        )
        .column(label::days_verdict(), |row| row[3].clone())
        .table()
}

/// A ratio with its interval; words for an interval that bounds nothing.
fn measured(ratio: Option<f64>, interval: Option<Interval>) -> Text {
    labels::measured_ratio(ratio, interval, interval.is_some_and(units::is_wide))
}

fn forest(pooled: &Pooled, ratio: &PooledRatio) -> Figure {
    let scale = scale(pooled, ratio);
    let one = |it: &MachineRatio| {
        let name = vec![Text::from(&it.machine)];
        let rounds = labels::count_of_rounds(it.rounds);
        let figure = vec![measured(it.ratio, it.interval), rounds];
        strip(
            &scale,
            name,
            figure,
            (it.ratio, it.interval),
            (NOBODY, Style::Hollow),
        )
    };
    let all = |(name, verdict): (Text, &Verdict)| {
        let (look, style) = match verdict.ahead() {
            Some(ahead) => (look(&pooled.head, ahead), Style::Filled),
            None => (NOBODY, Style::Filled),
        };
        let outcome = Text::from(&verdict.outcome);
        let figure = vec![measured(verdict.ratio, verdict.interval), outcome];
        let ends = (verdict.ratio, verdict.interval);
        strip(&scale, vec![name], figure, ends, (look, style))
    };
    let strips = ratio.each.iter().map(one).chain(verdicts(ratio).map(all));
    let says = verdicts(ratio).map(|(name, verdict)| Text::labelled(name, &verdict.says));
    let margin = 1.0 + pooled.head.settings.margin;
    let rows = Rows {
        origin: Some(1.0),
        band: Some((margin.recip(), margin)),
        sides: Some(sides(Some((ratio.of.as_str(), ratio.over.as_str())))),
        ..Rows::new(scale, ratio_ticks(scale.low, scale.high))
    };
    let title = Text::from(format!("{} ", ratio.of)).then(labels::over(&ratio.over));
    Figure::new(title, Text::sentences(says), rows.body(strips.collect()))
}

fn strip(
    scale: &Scale,
    name: Vec<Text>,
    figure: Vec<Text>,
    (ratio, interval): (Option<f64>, Option<Interval>),
    (look, style): (Look, Style),
) -> Strip {
    let interval = interval.filter(|interval| !units::is_wide(*interval));
    let shapes = ratio.map(|ratio| {
        let shapes = ratio_shapes(ratio, interval, style, scale);
        Shape::Group(look, 0.0, shapes, Series::row())
    });
    Strip {
        name,
        figure,
        shapes: shapes.into_iter().collect(),
        height: HEIGHT,
    }
}

/// A scale for a ratio, as wide as intervals ask for that bound anything.
fn scale(pooled: &Pooled, ratio: &PooledRatio) -> Scale {
    let each = ratio.each.iter().map(|it| (it.ratio, it.interval));
    let verdicts = verdicts(ratio).map(|(_, it)| (it.ratio, it.interval));
    let reached = each.chain(verdicts).flat_map(|(ratio, interval)| {
        let interval = interval.filter(|interval| !units::is_wide(*interval));
        let ends = interval.map_or([None; 2], |it| [Some(it.low), Some(it.high)]);
        ends.into_iter().chain([ratio]).flatten()
    });
    let is_smaller_better = ratio.metric.spec().better != Better::Larger;
    Scale::of_ratios(pooled.head.settings.margin, reached).turned(is_smaller_better)
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_voice::Language;

    use crate::figure::Body;
    use crate::terminal::Screen;

    use super::*;

    fn pooled() -> Pooled {
        let runs = [1.09, 1.1, 1.11, 1.1].map(|ratio| {
            let a = [1000.0, 1010.0, 990.0].map(|rate| rate * ratio);
            let mut run = samples::race(&["a", "b"], &[&a, &[1000.0, 1008.0, 992.0]]);
            run.study.pair = Some(format!("rack-{:.0}", ratio * 100.0));
            run
        });
        Pooled::from(&runs).expect("runs")
    }

    #[test]
    fn each_machine_has_a_row_below_which_both_verdicts_stand() {
        let pooled = pooled();
        let blocks = of_ratio(&pooled, &pooled.ratios[0]);
        let Block::Figures(figures) = &blocks[1] else {
            panic!("no figure")
        };
        let Body::Rows(_, rows) = &figures[0].body else {
            panic!("no rows")
        };
        let names: Vec<String> = rows
            .iter()
            .filter(|row| !row.is_scale)
            .map(|row| row.name[0].text(Language::En))
            .collect();
        let machines = ["rack-109", "rack-110", "rack-111", "rack-110"];
        let verdicts = ["on these machines", "on machines like these"];
        assert_eq!(names, [&machines[..], &verdicts[..]].concat());
        assert!(rows.iter().all(|row| !row.drawing.shapes.is_empty()));
    }

    #[test]
    fn the_terminal_has_the_answer_and_the_tables() {
        let text = crate::pooled(&pooled(), Screen::plain(120));
        for words in [
            "on these 4 pairs of machines: a is 10.0% faster than b",
            "on machines like these: a is 10.0% faster than b",
            "rack-111",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}
