//! Rows of a name and some words, in columns that align: what `doctor` and `list` print.

use crate::terminal::Screen;
use crate::text::clean;
use crate::words::Tone;

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Stands before the name, such as `ok`; empty = none.
    pub mark: &'static str,
    /// Whether that is good, or bad; `None` = neither.
    pub good: Option<bool>,
    /// The name.
    pub name: String,
    /// What there is to say, each thing on a line of its own.
    pub lines: Vec<String>,
}

/// The longest name for which others make room; behind a longer one the words begin on the next line.
const LONGEST: usize = 44;

/// Draws rows, each line after `indent` columns.
pub(crate) fn render(rows: &[Row], indent: usize, page: &Screen) -> String {
    let width = |text: &str| text.chars().count();
    let marks = rows.iter().map(|row| width(row.mark)).max().unwrap_or(0);
    let names = rows
        .iter()
        .map(|row| width(&row.name))
        .filter(|name| *name <= LONGEST);
    let names = names.max().unwrap_or(0);
    let before = indent + if marks > 0 { marks + 2 } else { 0 };
    let words = Screen {
        width: page.width.saturating_sub(before + names + 2).max(20),
        ..*page
    };
    let mut text = String::new();
    for row in rows {
        let mark = match marks {
            0 => String::new(),
            _ => format!("{:<marks$}  ", row.mark),
        };
        let tone = match row.good {
            Some(true) => Tone::Good,
            Some(false) => Tone::Bad,
            None => Tone::Strong,
        };
        let name = clean(&row.name);
        text.push_str(&format!(
            "{:indent$}{}{name:<names$}",
            "",
            page.paint(&mark, tone)
        ));
        let lines = row.lines.iter().flat_map(|line| {
            let wrapped = words.wrap(&clean(line), "", "");
            wrapped.lines().map(str::to_owned).collect::<Vec<String>>()
        });
        let mut joined = width(&name) <= names;
        for line in lines {
            match joined {
                true => text.push_str("  "),
                false => text.push_str(&format!("\n{:1$}", "", before + names + 2)),
            }
            text.push_str(&line);
            joined = false;
        }
        let end = text.trim_end().len();
        text.truncate(end);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_one_column() {
        let row = |mark, name: &str, lines: &[&str]| Row {
            mark,
            good: None,
            name: name.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        };
        let page = Screen::plain(40);
        let rows = [
            row(
                "ok",
                "disk",
                &["18.9 GiB free here: enough for builds", "→ nothing"],
            ),
            row("warn", "open files", &[]),
            row(
                "ok",
                "a name that is longer than any other one has ever been",
                &["x"],
            ),
        ];
        let expected = "\
ok    disk        18.9 GiB free here:
                  enough for builds
                  → nothing
warn  open files
ok    a name that is longer than any other one has ever been
                  x
";
        assert_eq!(render(&rows, 0, &page), expected);
        let plain = [row("", "a", &["b"])];
        assert_eq!(render(&plain, 4, &page), "    a  b\n");
    }
}
