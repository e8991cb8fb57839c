//! What others have published, next to what was measured here.

use photofinish_judge::comparison::{ClaimResult, ClaimSide};
use photofinish_model::finding::claim::ClaimVerdict;

use photofinish_voice::label;

use crate::document::{Block, Item, part};
use crate::figure::axis::{Scale, ratio_ticks};
use crate::figure::look::{MEASURED, PUBLISHED};
use crate::figure::rows::{HEIGHT, MIDDLE, Rows, Strip, ends};
use crate::figure::{Figure, Series, Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::Source;

pub(super) fn claims(source: &Source) -> Vec<Block> {
    let claims = &source.comparison.claims;
    if claims.is_empty() {
        return Vec::new();
    }
    let mut blocks = part(
        "claims",
        label::claims_title(),
        label::claims_what_others_have_published_next(),
    );
    let is_drawn = |claim: &&ClaimResult| {
        claim.ratio.is_some_and(|ratio| ratio > 0.0) && claim.claim.ratio.unwrap_or(1.0) > 0.0
    };
    let drawn: Vec<&ClaimResult> = claims.iter().filter(is_drawn).collect();
    if !drawn.is_empty() {
        blocks.push(Block::Figures(vec![picture(source, &drawn)]));
    }
    let of_study = source.comparison.head.source.as_deref();
    let items = claims.iter().map(|result| claim(result, of_study));
    blocks.push(Block::List(items.collect()));
    blocks
}

/// A claim; the study's own source is named once, with the study.
fn claim(result: &ClaimResult, of_study: Option<&str>) -> Item {
    let claim = &result.claim;
    let tone = match result.verdict {
        ClaimVerdict::Holds => Tone::Good,
        ClaimVerdict::DoesNotHold => Tone::Bad,
        _ => Tone::Plain,
    };
    let says = Text::from(format!("({}) ", claim.id)).then(Text::authored(&claim.says));
    let mut item = Item::new(Text::labelled(says, &result.outcome), tone);
    let own_source = Some(claim.source.as_str()).filter(|source| Some(*source) != of_study);
    let sources: Vec<&str> = std::iter::once(claim.figures.as_str())
        .chain(own_source)
        .filter(|text| !text.is_empty())
        .collect();
    let sources = match sources.as_slice() {
        [] => Text::default(),
        some => Text::from(" (")
            .then(Text::authored(&some.join("; ")))
            .then(")"),
    };
    let stated = match &result.stated {
        Some(stated) if claim.ratio.is_some() => Text::from(" = ").then(stated),
        Some(stated) => Text::both(": ", "：").then(stated),
        None => Text::default(),
    };
    let of = Text::say(&claim.metric).then(Text::both(
        format!(" of {} over ", claim.of),
        format!("，{} / ", claim.of),
    ));
    let over = Text::from(&claim.over).then(match &result.over_place {
        Some(place) => Text::both(" at ", "，").then(place),
        None => Text::default(),
    });
    let published = of.then(over).then(stated);
    let place = [Text::from(&claim.workload), Text::from(&result.level)];
    let published = Text::list([published].into_iter().chain(place)).then(sources);
    item.below
        .push(Text::labelled(self::published(), published));
    if let Some(level) = &result.measured_level {
        let instead = Text::both("tested at ", "改在 ")
            .then(level)
            .then(Text::both(
                " instead, as the study says: ",
                " 下检验（按研究的说明）：",
            ))
            .then(&result.level)
            .then(Text::both(" were not run", " 没有运行"));
        item.below.push(instead);
    }
    item.below.push(Text::labelled(measured(), here(result)));
    // Without a ratio that is the line above.
    if result.ratio.is_some() {
        let why = Text::from(label::claims_why());
        item.below.push(Text::labelled(why, &result.says));
    }
    item
}

fn published() -> Text {
    Text::from(label::claims_published())
}

fn measured() -> Text {
    Text::from(label::claims_measured())
}

/// What was measured: the ratio and its two sides, or why there is none.
fn here(result: &ClaimResult) -> Text {
    let sides = || {
        let sides = [&result.of, &result.over].into_iter().flatten();
        Text::sentences(sides.map(side))
    };
    match (result.ratio, &result.of, &result.over) {
        (Some(ratio), Some(_), Some(_)) => {
            Text::sentences([labels::ratio(ratio, result.interval), sides()])
        }
        // Why there is none, or the ranges of a maximum.
        _ => Text::from(&result.says),
    }
}

fn side(side: &ClaimSide) -> Text {
    let p999 = side.p999.as_ref().map(|figure| {
        Text::from(" (p99.9 ")
            .then(labels::translated(figure.range()))
            .then(")")
    });
    Text::from(format!("{} ", side.target))
        .then(labels::figure(&side.figure))
        .then(p999.unwrap_or_default())
}

/// Published and measured ratios on one scale.
fn picture(source: &Source, results: &[&ClaimResult]) -> Figure {
    let margin = 1.0 + source.comparison.head.settings.margin;
    let (mut low, mut high) = (margin.recip(), margin);
    for result in results {
        let interval = result
            .interval
            .filter(|it| !photofinish_model::units::is_wide(*it));
        let ends = interval.map(|it| [it.low, it.high]).into_iter().flatten();
        for value in ends.chain(result.ratio).chain(result.claim.ratio) {
            (low, high) = (low.min(value), high.max(value));
        }
    }
    let scale = Scale::log(low / 1.06, high * 1.06);
    let strips = results.iter().map(|result| strip(result, &scale));
    let says = results.iter().map(|result| {
        let says = Text::list([Text::from(&result.outcome), Text::from(&result.says)]);
        Text::labelled(result.claim.id.as_str(), says)
    });
    let rows = Rows {
        origin: Some(1.0),
        band: Some((margin.recip(), margin)),
        ..Rows::new(scale, ratio_ticks(scale.low, scale.high))
    };
    let title = Text::from("◇ ")
        .then(published())
        .then(Text::both(", ● ", "，● "))
        .then(measured());
    Figure::new(title, Text::sentences(says), rows.body(strips.collect()))
}

fn strip(result: &ClaimResult, scale: &Scale) -> Strip {
    let claim = &result.claim;
    let name = vec![
        Text::from(format!("{} ", claim.of)).then(labels::over(&claim.over)),
        Text::list([Text::say(&claim.metric), format!("({})", claim.id).into()]),
    ];
    let figure = result.ratio.map_or_else(
        || crate::words::NONE.into(),
        |ratio| labels::ratio(ratio, result.interval),
    );
    let outcome = Text::from(&result.outcome);
    let mut here: Vec<Shape> = Vec::new();
    here.extend(result.interval.map(|it| ends(it, scale)));
    let mark = |ratio: f64, style| Shape::Mark((scale.x(ratio), MIDDLE), style);
    here.extend(result.ratio.map(|ratio| mark(ratio, Style::Filled)));
    let series = Series::row();
    // A direction alone has no place on the scale.
    let there = claim.ratio.map(|ratio| mark(ratio, Style::Hollow));
    Strip {
        name,
        figure: vec![figure, outcome],
        shapes: vec![
            Shape::Group(MEASURED, 0.0, here, series),
            Shape::Group(PUBLISHED, 0.0, there.into_iter().collect(), None),
        ],
        height: HEIGHT,
    }
}
