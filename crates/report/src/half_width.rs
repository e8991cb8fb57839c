//! How many rounds, how much time and how many machines half-widths take.

use photofinish_judge::half_width::{HalfWidthPlan, Need};
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
    vec![
        Block::Title(title),
        Block::list(&plan.says, Tone::Plain),
        Block::Table(table(plan)),
    ]
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
