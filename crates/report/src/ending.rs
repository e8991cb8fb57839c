//! How a command ends on a terminal: the verdict, and beside it what it rests on, in at most ten lines.

use photofinish_model::message::Message;
use photofinish_voice::{checks as names, measurement as found};

use crate::terminal::Page;
use crate::text::clean;
use crate::words::Tone;

/// The most lines.
const MOST: usize = 10;

/// The least and the most lines of one fact: each has the former, and as many as there is room for have the latter.
const FACT: [usize; 2] = [1, 2];

/// So many lines of the verdict come before a fact's second line.
const VERDICT: usize = 3;

/// What stands where words were left out.
const MORE: &str = " …";

/// Words with a tone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

/// A verdict and the facts beside it, the most important first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ending {
    pub(crate) verdict: Text,
    pub(crate) facts: Vec<Fact>,
}

/// A statement under a name of a word or two.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) text: Text,
    /// Stands on one line, however long it is: a path is selected and clicked on.
    pub(crate) whole: bool,
}

impl Ending {
    pub(crate) fn new(verdict: impl Into<String>) -> Ending {
        Ending {
            verdict: Text {
                text: verdict.into(),
                tone: Tone::Strong,
            },
            facts: Vec::new(),
        }
    }

    /// Adds a fact; one without words is none.
    pub(crate) fn fact(&mut self, name: &'static str, text: impl Into<String>, tone: Tone) {
        let text = text.into();
        if !text.is_empty() {
            self.facts.push(Fact {
                name,
                text: Text { text, tone },
                whole: false,
            });
        }
    }

    /// Adds a finding, where there is one.
    pub(crate) fn says(&mut self, name: &'static str, finding: Option<Message>, tone: Tone) {
        if let Some(finding) = finding {
            self.fact(name, finding.en, tone);
        }
    }

    /// Adds the validity checks that were made, each by its name and whether it passed: those that failed, or that none did. `besides`:
    /// what else is to be doubted.
    pub(crate) fn doubts<'a>(
        &mut self,
        checks: impl Iterator<Item = (&'a str, bool)>,
        besides: Option<Message>,
    ) {
        let checks: Vec<(&str, bool)> = checks.collect();
        let made = checks.len();
        let failed = checks.into_iter().filter(|(_, passed)| !passed);
        let failed: Vec<Message> = failed.map(|(name, _)| names::failed(name)).collect();
        let tone = match (failed.as_slice(), &besides) {
            ([], None) => Tone::Good,
            _ => Tone::Bad,
        };
        let passed = failed.is_empty() && besides.is_some();
        let checks = (made > 0 && !passed).then(|| match failed.len() {
            0 => found::checks_passed(made),
            count => found::checks_failed(count, made, failed),
        });
        let says = checks.into_iter().chain(besides);
        let says: Vec<String> = says.map(|finding| finding.en).collect();
        self.fact("doubts", says.join("; "), tone);
    }

    /// Adds what must not be broken.
    pub(crate) fn whole(&mut self, name: &'static str, text: impl Into<String>) {
        self.fact(name, text, Tone::Plain);
        if let Some(fact) = self.facts.last_mut() {
            fact.whole = true;
        }
    }
}

/// The verdict alone, however long it is.
pub(crate) fn verdict(ending: &Ending, page: &Page) -> String {
    let Text { text, tone } = &ending.verdict;
    page.paint(&page.wrap(&clean(text), "", ""), *tone) + "\n"
}

/// The verdict and the facts below it.
pub(crate) fn render(ending: &Ending, page: &Page) -> String {
    let name = |fact: &Fact| fact.name.chars().count();
    let indent = ending.facts.iter().map(name).max().unwrap_or(0) + 4;
    let wrapped = |most: usize| -> Vec<Vec<String>> {
        let facts = ending.facts.iter();
        facts.map(|fact| lines(page, fact, indent, most)).collect()
    };
    // One is the empty line between the verdict and its facts.
    let room = MOST - 1;
    let verdict = page.wrap(&clean(&ending.verdict.text), "", "");
    let needed = verdict.lines().count().min(VERDICT);
    let [least, most] = FACT;
    let mut facts = wrapped(least);
    let mut used: usize = facts.iter().map(Vec::len).sum();
    for (fact, longer) in facts.iter_mut().zip(wrapped(most)) {
        let more = longer.len() - fact.len();
        if used + more + needed <= room {
            used += more;
            *fact = longer;
        }
    }
    let verdict = first(
        verdict.lines(),
        room.saturating_sub(used).max(1),
        page.width,
    );
    let mut text = page.paint(&verdict.join("\n"), ending.verdict.tone);
    text.push('\n');
    for (index, (fact, lines)) in ending.facts.iter().zip(&facts).enumerate() {
        if index == 0 {
            text.push('\n');
        }
        for (line, words) in lines.iter().enumerate() {
            let name = if line == 0 { fact.name } else { "" };
            let gap = indent - 2;
            text.push_str(&page.paint(&format!("  {name:<gap$}"), Tone::Muted));
            text.push_str(&page.paint(words, fact.text.tone));
            text.push('\n');
        }
    }
    text
}

/// A fact's lines, without the room for its name.
fn lines(page: &Page, fact: &Fact, indent: usize, most: usize) -> Vec<String> {
    if fact.whole {
        return vec![clean(&fact.text.text)];
    }
    let narrow = Page {
        width: page.width.saturating_sub(indent).max(20),
        ..*page
    };
    let wrapped = narrow.wrap(&clean(&fact.text.text), "", "");
    first(wrapped.lines(), most, narrow.width)
}

/// So many lines; the last one ends in a mark where there were more.
fn first<'a>(lines: impl Iterator<Item = &'a str>, most: usize, width: usize) -> Vec<String> {
    let all: Vec<&str> = lines.collect();
    let mut kept: Vec<String> = all
        .iter()
        .take(most)
        .map(|line| (*line).to_owned())
        .collect();
    if let Some(last) = kept.last_mut().filter(|_| all.len() > most) {
        while last.chars().count() + MORE.chars().count() > width {
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

    fn page(width: usize) -> Page {
        Page {
            width,
            colour: false,
        }
    }

    #[test]
    fn facts_stand_in_a_column_of_their_own() {
        let mut ending = Ending::new("a is 10.0% faster than b.");
        ending.fact("because", "fewer switches", Tone::Plain);
        ending.fact("claims", "", Tone::Plain);
        ending.fact(
            "doubts",
            "a busy machine, and more of it than fits into one line",
            Tone::Bad,
        );
        let expected = "a is 10.0% faster than b.\n\n  because  fewer switches\n  doubts   a busy machine, and more of it\n           than fits into one line\n";
        assert_eq!(render(&ending, &page(42)), expected);
        assert_eq!(verdict(&ending, &page(42)), "a is 10.0% faster than b.\n");
    }

    #[test]
    fn the_first_facts_have_the_room_that_is_left() {
        let long = "one two three four five six seven ".repeat(8);
        let mut ending = Ending::new(long.clone());
        for name in ["a", "b", "c", "d", "e"] {
            ending.fact(name, long.clone(), Tone::Plain);
        }
        let text = render(&ending, &page(60));
        let lines: Vec<&str> = text.lines().collect();
        // Three of the verdict, an empty one, two of the first fact and one of each other.
        assert_eq!(lines.len(), 10, "{text}");
        assert!(
            lines[4].starts_with("  a ") && lines[5].starts_with("     "),
            "{text}"
        );
        for (line, name) in lines[6..].iter().zip(["b", "c", "d", "e"]) {
            assert!(line.starts_with(&format!("  {name} ")), "{text}");
        }
    }

    #[test]
    fn never_more_than_ten_lines() {
        let long = "one two three four five six seven ".repeat(80);
        for facts in 0..=6 {
            let mut ending = Ending::new(long.clone());
            for name in ["a", "b", "c", "d", "e", "f"].into_iter().take(facts) {
                ending.fact(name, long.clone(), Tone::Plain);
            }
            for width in [40, 60, 80, 200] {
                let text = render(&ending, &page(width));
                assert!(text.lines().count() <= MOST, "{facts} at {width}:\n{text}");
                assert!(
                    text.lines().all(|line| line.chars().count() <= width),
                    "{text}"
                );
                assert!(text.contains(MORE), "what was cut is marked:\n{text}");
            }
        }
    }

    #[test]
    fn a_path_is_kept_on_one_line() {
        let path = format!("results/{}/report.html", "x".repeat(60));
        let mut ending = Ending::new("v");
        ending.whole("report", path.clone());
        let text = render(&ending, &page(60));
        assert!(text.contains(&path), "{text}");
    }
}
