//! The table of an ending, which fits the terminal.

use textwrap::core::display_width;

use crate::document::{Cell, Table};
use crate::terminal::Screen;
use crate::words::{Text, Tone};

/// The least lines of a table: its header, two rows, those that are always kept, and one that names how many are missing.
pub(super) fn least(figures: &Figures) -> usize {
    1 + figures.table.rows.len().min(3 + figures.kept)
}

/// Between the answer and its setting, and between columns: where there is room, and at the least.
pub(super) const GAPS: [usize; 2] = [3, 2];

/// Before each line of a table and each fact.
pub(super) const INDENT: usize = 2;

/// A name in a table is never cut below this width.
const NAME: usize = 12;

/// A table of figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) table: Table,
    /// Columns that are left out if the terminal is too narrow, the first one first.
    pub(crate) spare: Vec<usize>,
    /// Rows at the end that are never left out, such as a difference.
    pub(crate) kept: usize,
}

/// Returns a table in at most so many lines. Columns fit by narrower gaps, then without spare columns, then by shorter names.
pub(super) fn lines(screen: &Screen, figures: &Figures, most: usize) -> Vec<String> {
    let Table { header, rows } = &figures.table;
    let said = |text: &Text| screen.said(text);
    let mut columns: Vec<usize> = (0..header.len()).collect();
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| display_width(&said(&cell.text)));
        let widest = cells.chain([display_width(&said(&header[column]))]).max();
        widest.unwrap_or(0)
    };
    let needs = |columns: &[usize], gap: usize| {
        let widths = columns.iter().map(|column| width_of(*column));
        INDENT + widths.sum::<usize>() + gap * columns.len().saturating_sub(1)
    };
    let mut spare = figures.spare.iter();
    while needs(&columns, GAPS[1]) > screen.width {
        let Some(column) = spare.next() else { break };
        columns.retain(|kept| kept != column);
    }
    let gap = match needs(&columns, GAPS[0]) <= screen.width {
        true => GAPS[0],
        false => GAPS[1],
    };
    let over = needs(&columns, gap).saturating_sub(screen.width);
    let name = width_of(0).saturating_sub(over).max(NAME.min(width_of(0)));
    let line = |texts: Vec<(String, Tone)>| {
        let mut line = " ".repeat(INDENT);
        for (at, (text, tone)) in texts.into_iter().enumerate() {
            let width = match at {
                0 => name,
                _ => width_of(columns[at]),
            };
            let text = match at {
                0 => shortened(&text, name, screen.unicode),
                _ => text,
            };
            let pad = " ".repeat(width.saturating_sub(display_width(&text)));
            let text = screen.paint(&text, tone);
            match at {
                0 => line.push_str(&(text + &pad)),
                _ if figures.table.has_words(columns[at]) => {
                    line.push_str(&format!("{:gap$}{text}{pad}", ""))
                }
                _ => line.push_str(&format!("{:gap$}{pad}{text}", "")),
            }
        }
        line.trim_end().to_owned()
    };
    let of_header = columns
        .iter()
        .map(|column| (said(&header[*column]), Tone::Muted));
    let mut lines = vec![line(of_header.collect())];
    let room = most.saturating_sub(1).max(least(figures) - 1);
    let kept = figures.kept.min(rows.len());
    let (free, last) = rows.split_at(rows.len() - kept);
    let fits = rows.len() <= room;
    // One line names how many are missing.
    let shown = match fits {
        true => free.len(),
        // At least two: see [`least`].
        false => room.saturating_sub(kept + 1).min(free.len()),
    };
    let draw = |row: &Vec<Cell>| {
        let cells = columns.iter().map(|column| {
            let cell = row.get(*column);
            cell.map_or_else(Default::default, |cell| (said(&cell.text), cell.text.tone))
        });
        line(cells.collect())
    };
    lines.extend(free.iter().take(shown).map(draw));
    let missing = free.len() - shown;
    if missing > 0 {
        let more = format!("{:INDENT$}and {missing} more (-v)", "");
        lines.push(screen.paint(&more, Tone::Muted));
    }
    lines.extend(last.iter().map(draw));
    lines
}

/// A name of at most so many columns: its ends stay, which is where names differ.
fn shortened(name: &str, width: usize, unicode: bool) -> String {
    if display_width(name) <= width {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let keep = width.saturating_sub(1);
    let (front, back) = (keep.div_ceil(2), keep / 2);
    let front: String = letters.iter().take(front).collect();
    let back: String = letters[letters.len().saturating_sub(back)..]
        .iter()
        .collect();
    let between = if unicode { '…' } else { '~' };
    format!("{front}{between}{back}")
}
