//! How many rounds, how much time and how many machines half-widths take.

use photofinish_judge::half_width::{HalfWidthPlan, Need, OnPairs};
use photofinish_model::message::Span;
use photofinish_model::units::{margin, thousands};

use photofinish_voice::label;

use crate::document::{Block, Cell, Table};
use crate::words::{Text, Tone};

pub(crate) fn document(plan: &HalfWidthPlan) -> Vec<Block> {
    let title = Text::from(label::half_width_title()).then(Text::both(
        format!(" ({})", plan.study),
        format!("（{}）", plan.study),
    ));
    let mut blocks = vec![
        Block::Title(title),
        Block::list(&plan.says, Tone::Plain),
        Block::Table(table(plan)),
    ];
    let mut needs = plan.needs.iter();
    if let Some(need) = needs.find(|need| need.half_width == plan.asked) {
        let half = margin(need.half_width);
        blocks.push(Block::heading(label::half_width_on_pairs(format!(
            "±{half}"
        ))));
        blocks.push(Block::Table(on_pairs(&need.on_pairs)));
    }
    blocks
}

/// The rounds and the time on some numbers of pairs of machines.
fn on_pairs(all: &[OnPairs]) -> Table {
    let count = |rounds: Option<u32>| Cell::some(rounds.map(|rounds| thousands(rounds.into())));
    Table::of(all)
        .column(label::half_width_pairs(), |it| it.pairs.to_string())
        .column(label::half_width_rounds(), |it| count(it.rounds))
        .column(label::half_width_rounds_of_a_pair(), |it| {
            count(it.rounds_of_a_pair)
        })
        .column(label::half_width_time_on_pairs(), |it| {
            Cell::some(it.time_s.map(|time| Text::say(&Span(time))))
        })
        .table()
}

fn table(plan: &HalfWidthPlan) -> Table {
    let count = |rounds: Option<u32>| Cell::some(rounds.map(|rounds| thousands(rounds.into())));
    let within = Text::from(label::half_width_pairs())
        .then(Text::both(" (", "（"))
        .then(Text::say(&Span(plan.within_s)))
        .then(Text::both(")", "）"));
    Table::of(&plan.needs)
        .column(label::half_width(), |need| {
            Cell::new(format!("±{}", margin(need.half_width)))
        })
        .column(label::half_width_rounds(), |need| count(need.rounds))
        .column(label::half_width_range(), |need| range(need))
        .column(label::half_width_time(), |need| {
            Cell::some(need.time_s.map(|time| Text::say(&Span(time))))
        })
        .column_if(
            plan.ratios > 1,
            label::half_width_half_of_the_ratios(),
            |need| count(need.rounds_for_half_of_the_ratios),
        )
        .column(within, |need| count(need.pairs))
        .column(label::half_width_rounds_of_a_pair(), |need| {
            count(need.rounds_of_a_pair)
        })
        .table()
}

/// The rounds at both ends of the spread's range; an end that no number of rounds reaches is open.
fn range(need: &Need) -> Cell {
    let Some(low) = need.at_least else {
        return Cell::none();
    };
    let low = thousands(low.into());
    Cell::new(match need.at_most {
        Some(high) => format!("{low} … {}", thousands(high.into())),
        None => format!("≥ {low}"),
    })
}
