//! How a command ends on a terminal: the answer, a table of figures, and what they rest on, in at most twelve lines.

mod table;

use textwrap::core::display_width;

use crate::terminal::Screen;
use crate::words::Tone;

pub(crate) use table::Figures;
use table::{GAPS, INDENT};

/// The most lines.
const MOST: usize = 12;

/// The most lines of the answer, and of a fact that may be cut.
const ANSWER: usize = 4;
const FACT: usize = 2;

/// So many facts that may be cut have a line before a table has more than its least.
const FIRST: usize = 2;

/// What stands where words were left out; every terminal shows it.
const MORE: &str = " ..";

/// An answer, its figures, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ending {
    /// The answer in a sentence.
    answer: String,
    /// Under which conditions it was found.
    setting: String,
    /// What the first line alone must not be without, such as that the answer is not to be quoted.
    caveat: Option<String>,
    figures: Option<Figures>,
    facts: Vec<Fact>,
}

/// A statement under a name of a word or two.
#[derive(Clone, Debug, Default, PartialEq)]
struct Fact {
    name: &'static str,
    text: String,
    tone: Tone,
    how: How,
}

/// How a fact is shown if room is scarce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum How {
    /// It is cut, and left out before those before it.
    #[default]
    Cut,
    /// It stands in full, however many lines it takes.
    Full,
    /// It stands on one line, however long it is: a path is selected and clicked on.
    OneLine,
}

impl Ending {
    pub(crate) fn new(answer: impl Into<String>, setting: impl Into<String>) -> Ending {
        Ending {
            answer: answer.into(),
            setting: setting.into(),
            ..Ending::default()
        }
    }

    /// Adds what the first line alone must not be without.
    pub(crate) fn caveat(&mut self, caveat: Option<String>) {
        self.caveat = caveat;
    }

    /// Adds the table.
    pub(crate) fn figures(&mut self, figures: Option<Figures>) {
        self.figures = figures;
    }

    /// Adds a fact, if there are words; the most important first.
    pub(crate) fn fact(&mut self, name: &'static str, text: Option<impl Into<String>>, tone: Tone) {
        self.add(name, text, tone, How::Cut);
    }

    /// Adds a fact that is never cut.
    pub(crate) fn full(&mut self, name: &'static str, text: impl Into<String>, tone: Tone) {
        self.add(name, Some(text), tone, How::Full);
    }

    /// Adds what must not be broken.
    pub(crate) fn whole(&mut self, name: &'static str, text: impl Into<String>) {
        self.add(name, Some(text), Tone::Plain, How::OneLine);
    }

    fn add(&mut self, name: &'static str, text: Option<impl Into<String>>, tone: Tone, how: How) {
        let text = text.map(Into::into);
        let Some(text) = text.filter(|text: &String| !text.is_empty()) else {
            return;
        };
        self.facts.push(Fact {
            name,
            text,
            tone,
            how,
        });
    }

    /// The answer and its setting: on one line if they fit.
    fn first(&self, screen: &Screen, most: usize) -> Vec<String> {
        let (answer, setting) = (screen.text(&self.answer), screen.text(&self.setting));
        let wrapped = screen.wrap(&answer, "", "");
        let lines = first(wrapped.lines(), most, screen.width);
        let last = lines.last().map_or(0, |line| display_width(line));
        let gap = GAPS[0];
        let lines = lines.iter();
        let mut lines: Vec<String> = lines.map(|line| screen.paint(line, Tone::Strong)).collect();
        match lines.last_mut() {
            _ if setting.is_empty() => {}
            Some(line) if last + gap + display_width(&setting) <= screen.width => {
                *line = format!("{line}{:gap$}{}", "", screen.paint(&setting, Tone::Muted));
            }
            _ => {
                let setting = screen.wrap(&setting, "", "");
                lines.extend(setting.lines().map(|line| screen.paint(line, Tone::Muted)));
            }
        }
        lines
    }
}

/// The first line alone, however long it is.
pub(crate) fn verdict(ending: &Ending, screen: &Screen) -> String {
    let mut lines = ending.first(screen, usize::MAX);
    let caveat = ending.caveat.as_ref();
    lines.extend(
        caveat.map(|caveat| screen.paint(&screen.wrap(&screen.text(caveat), "", ""), Tone::Bad)),
    );
    lines.join("\n") + "\n"
}

/// The answer, its figures and the facts below them.
pub(crate) fn render(ending: &Ending, screen: &Screen) -> String {
    let indent = ending.facts.iter().map(|fact| display_width(fact.name));
    let indent = indent.max().unwrap_or(0) + 2 * INDENT;
    let mut answer = ending.first(screen, ANSWER);
    let has_figures = ending.figures.is_some();
    let least_table = ending.figures.as_ref().map_or(0, table::least);
    // What stands in full has its room first, then one line of each other fact as long as there is room.
    let mut facts: Vec<Option<Vec<String>>> = vec![None; ending.facts.len()];
    let is_cut = |fact: &Fact| fact.how == How::Cut;
    let mut must = answer.len() + least_table;
    for (fact, lines) in ending.facts.iter().zip(&mut facts) {
        if !is_cut(fact) {
            let full = lines_of(screen, fact, indent, usize::MAX);
            must += full.len();
            *lines = Some(full);
        }
    }
    // An empty line stands below the answer, if there is anything else, and room for it.
    let empty = usize::from((has_figures || !ending.facts.is_empty()) && must < MOST);
    let mut room = MOST.saturating_sub(must + empty);
    let mut add = |most: usize, room: &mut usize| {
        let cut = ending.facts.iter().zip(&mut facts);
        let left_out = cut.filter(|(fact, lines)| is_cut(fact) && lines.is_none());
        for (fact, lines) in left_out.take(most) {
            if *room > 0 {
                *lines = Some(lines_of(screen, fact, indent, 1));
                *room -= 1;
            }
        }
    };
    add(FIRST, &mut room);
    let table = ending.figures.as_ref().map(|figures| {
        let lines = table::lines(screen, figures, least_table + room);
        room -= lines.len().saturating_sub(least_table).min(room);
        lines
    });
    add(usize::MAX, &mut room);
    for (fact, lines) in ending.facts.iter().zip(&mut facts) {
        let Some(lines) = lines.as_mut().filter(|_| is_cut(fact)) else {
            continue;
        };
        let longer = lines_of(screen, fact, indent, FACT);
        let more = longer.len() - lines.len();
        if more <= room {
            room -= more;
            *lines = longer;
        }
    }
    answer.extend(std::iter::repeat_n(String::new(), empty));
    answer.extend(table.into_iter().flatten());
    for (fact, lines) in ending.facts.iter().zip(facts) {
        for (line, words) in lines.into_iter().flatten().enumerate() {
            let name = if line == 0 { fact.name } else { "" };
            let gap = indent - INDENT;
            let name = screen.paint(&format!("  {name:<gap$}"), Tone::Muted);
            answer.push(name + &screen.paint(&words, fact.tone));
        }
    }
    answer.join("\n") + "\n"
}

/// A fact's lines, without the room for its name.
fn lines_of(screen: &Screen, fact: &Fact, indent: usize, most: usize) -> Vec<String> {
    if fact.how == How::OneLine {
        return vec![screen.text(&fact.text)];
    }
    let narrow = Screen {
        width: screen.width.saturating_sub(indent).max(20),
        ..*screen
    };
    let wrapped = narrow.wrap(&screen.text(&fact.text), "", "");
    first(wrapped.lines(), most, narrow.width)
}

/// So many lines; the last one ends in a mark if there were more.
fn first<'a>(lines: impl Iterator<Item = &'a str>, most: usize, width: usize) -> Vec<String> {
    let all: Vec<&str> = lines.collect();
    let mut kept: Vec<String> = all
        .iter()
        .take(most)
        .map(|line| (*line).to_owned())
        .collect();
    if let Some(last) = kept.last_mut().filter(|_| all.len() > most) {
        while display_width(last) + display_width(MORE) > width {
            // A word at a time, so that no figure is cut in two.
            let Some(space) = last.rfind(' ') else { break };
            last.truncate(space);
        }
        last.push_str(MORE);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Cell, Table};
    use crate::words::Text;

    fn screen(width: usize) -> Screen {
        Screen::plain(width)
    }

    fn figures(names: &[&str]) -> Figures {
        let texts = |texts: &[&str]| texts.iter().map(|text| Text::from(*text)).collect();
        let rows = names.iter().map(|name| {
            let figures = ["189,800", "0.520 ms", "1.10 ms", "4.90 µs"];
            let cells = [*name].into_iter().chain(figures);
            cells.map(Cell::new).collect()
        });
        Figures {
            table: Table {
                header: texts(&["", "requests/s", "p50", "p99", "CPU/request"]),
                rows: rows.collect(),
            },
            spare: vec![2],
            kept: 0,
        }
    }

    #[test]
    fn the_answer_its_figures_and_facts_stand_in_columns() {
        let mut ending = Ending::new("a is 1.48× as fast as b", "7 rounds, 41 s");
        ending.figures(Some(figures(&["a", "b"])));
        ending.fact("cost", Some("b +4.7 µs per request"), Tone::Plain);
        ending.fact("claims", None::<String>, Tone::Plain);
        ending.full("trust", "quotable: 9 checks passed", Tone::Good);
        let expected = "\
a is 1.48× as fast as b   7 rounds, 41 s

      requests/s        p50       p99   CPU/request
  a      189,800   0.520 ms   1.10 ms       4.90 µs
  b      189,800   0.520 ms   1.10 ms       4.90 µs
  cost   b +4.7 µs per request
  trust  quotable: 9 checks passed
";
        assert_eq!(render(&ending, &screen(60)), expected);
        let first = "a is 1.48× as fast as b   7 rounds, 41 s\n";
        assert_eq!(verdict(&ending, &screen(60)), first);
        ending.caveat(Some("not quotable".to_owned()));
        assert_eq!(
            verdict(&ending, &screen(60)),
            format!("{first}not quotable\n")
        );
    }

    #[test]
    fn never_more_than_twelve_lines_and_trust_is_never_cut() {
        let long = "one two three four five six seven ".repeat(10);
        let trust = "with care: the machine was not quiet, which may have slowed some servers more than others";
        for rows in [2, 3, 12] {
            for facts in 0..=6 {
                let mut ending = Ending::new(long.clone(), "7 rounds, 41 s");
                let names = ["tio-boot@virtual-threads"; 12];
                ending.figures(Some(figures(&names[..rows])));
                for name in ["a", "b", "c", "d", "e", "f"].into_iter().take(facts) {
                    ending.fact(name, Some(long.clone()), Tone::Plain);
                }
                ending.full("trust", trust, Tone::Bad);
                ending.whole("report", "results/report.html");
                for width in [60, 80, 120] {
                    let text = render(&ending, &screen(width));
                    let lines = text.lines().count();
                    assert!(lines <= MOST, "{rows} {facts} {width}: {lines}\n{text}");
                    let fit = text.lines().all(|line| display_width(line) <= width);
                    assert!(fit, "{width}:\n{text}");
                    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert!(words.contains(trust), "{text}");
                    assert!(text.contains("results/report.html"), "{text}");
                    assert!(text.contains("189,800"), "{text}");
                    // Three servers are cut only if they would not fit below a headline of so many lines.
                    let is_cut = text.contains("more (-v)");
                    assert!(
                        is_cut == (rows == 12) || rows == 3 && lines == MOST,
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn names_keep_their_ends_and_spare_columns_go_first() {
        let mut ending = Ending::new("v", "");
        ending.figures(Some(figures(&["tio-boot@virtual-threads", "b"])));
        let text = render(&ending, &screen(60));
        assert!(!text.contains("p50") && text.contains("p99"), "{text}");
        assert!(text.contains("tio-boot@virtual-threads"), "{text}");
        let long = "x".repeat(30) + "@threads";
        ending.figures(Some(figures(&[&long])));
        let text = render(&ending, &screen(60));
        assert!(text.contains("…") && text.contains("hreads"), "{text}");
        assert!(text.lines().all(|line| display_width(line) <= 60), "{text}");
    }

    #[test]
    fn a_path_is_kept_on_one_line() {
        let path = format!("results/{}/report.html", "x".repeat(60));
        let mut ending = Ending::new("v", "");
        ending.whole("report", path.clone());
        let text = render(&ending, &screen(60));
        assert!(text.contains(&path), "{text}");
    }
}
