//! One row for each workload and load level: who leads.

use photofinish_judge::comparison::{Cell, Standing};
use photofinish_model::Metric;
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table};
use crate::words::{Text, Tone};

use super::super::source::{Source, short_place};

/// Who leads in throughput, and who in the slowest hundredth.
pub(super) fn leaders(source: &Source) -> Vec<Block> {
    let cells = &source.comparison.cells;
    let is_contested = |cell: &&Cell| cell.verdicts.iter().any(|verdict| verdict.rounds > 1);
    let cells: Vec<&Cell> = cells.iter().filter(is_contested).collect();
    if cells.is_empty() {
        return Vec::new();
    }
    vec![Block::Table(
        Table::of(cells)
            .column(label::leaders_ahead_at(), |it| {
                short_place(source.comparison, it)
            })
            .column(label::leaders_in_requests_s(), |it| {
                leader(it, Metric::Throughput)
            })
            .column(label::leaders_in_p99(), |cell| leader(cell, Metric::P99))
            .table(),
    )]
}

/// Who leads in a metric, and by how much over the best of the others.
fn leader(cell: &Cell, metric: Metric) -> Figure {
    let Some(lead) = cell.lead(metric) else {
        return Figure::none();
    };
    let Some(gap) = &lead.gap else {
        return Figure::new(match lead.among {
            Some(Standing::Tie) if lead.beside.is_empty() => Text::from(label::verdicts_tie()),
            Some(Standing::Mixed) => Text::from(label::leaders_no_clear_order()),
            _ => Text::from(label::verdicts_undecided()),
        });
    };
    let by = by(gap.ratio);
    let text = match lead.leaders.as_slice() {
        [] => by,
        [one] => Text::from(format!("{one} ")).then(by),
        [one, others @ ..] => {
            let others = others.join(", ");
            let both = Text::both(
                format!("{one}, with {others} "),
                format!("{one}（与 {others} 并列）"),
            );
            both.then(by)
        }
    };
    let text = match lead.beside.is_empty() {
        true => text,
        // Of the others nothing is known: name the server that it is ahead of.
        false => text.then(Text::both(
            format!(" before {}", gap.over),
            format!("，领先于 {}", gap.over),
        )),
    };
    Figure::new(text).toned(Tone::Strong)
}

/// A ratio as a step up or down: `+10.0%`, `−30.0%`, `2.30 ×`, `2.30 × lower`.
fn by(ratio: f64) -> Text {
    match ratio {
        r if r >= 2.0 => format!("{} ×", units::number(r)).into(),
        r if r >= 1.0 => format!("+{}", units::percent(r - 1.0)).into(),
        r if r > 0.5 => format!("−{}", units::percent(1.0 - r)).into(),
        r => {
            let times = units::number(r.recip());
            Text::both(format!("{times} × lower"), format!("低至 1/{times}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use photofinish_voice::Language;

    use super::*;

    #[test]
    fn ratios_are_steps() {
        let steps = [1.1, 2.5, 0.75, 0.4].map(|ratio| by(ratio).text(Language::En));
        assert_eq!(steps, ["+10.0%", "2.50 ×", "−25.0%", "2.50 × lower"]);
    }
}
