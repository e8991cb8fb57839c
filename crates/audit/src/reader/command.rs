//! The command line above a report.

use crate::figure::Figure;
use crate::layout::{CommandLine, Layout};
use crate::record::Record;

/// A command line, whose report may follow.
pub struct Command {
    line: usize,
    figures: Vec<(String, Figure)>,
}

/// Lines between a command line and its report.
const COMMAND: usize = 40;

impl Command {
    /// Adds what the report does not say itself, unless it contradicts the command line: then it is of another run.
    pub fn add_to(self, record: &mut Record) {
        let far = record.span.0 > self.line + COMMAND;
        let other = self.figures.iter().any(|(name, figure)| {
            let printed = record.run().get(name).and_then(|f| f.range);
            printed.zip(figure.range).is_some_and(|(a, b)| !a.meets(b))
        });
        if far || other {
            return;
        }
        for (name, figure) in self.figures {
            if record.run().get(&name).is_none() {
                record.set(0, &name, figure);
            }
        }
    }
}

/// Words of a command line that are read.
const WORDS: usize = 100;

/// The figures of a line that calls the layout's program with one of its options.
pub fn command(layout: &Layout, text: &str, line: usize) -> Option<Command> {
    let CommandLine { names, options } = layout.command.as_ref()?;
    if !names.iter().any(|name| text.contains(name.as_str())) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
    let is_program = |word: &&str| {
        names
            .iter()
            .any(|name| word.rsplit('/').next() == Some(name))
    };
    let from = words.iter().position(is_program)?;
    let mut figures = Vec::new();
    for (at, word) in words.iter().enumerate().skip(from + 1) {
        for (option, target) in options {
            let Some(attached) = word.strip_prefix(option.as_str()) else {
                continue;
            };
            // `-c 100`, `-c100`, `--connections=100`.
            let is_long = option.starts_with("--");
            let value = match attached.strip_prefix('=') {
                Some(value) => value,
                None if attached.is_empty() => words.get(at + 1).copied().unwrap_or_default(),
                None if is_long => continue,
                None => attached,
            };
            let figure = match target.name.starts_with("mark.") {
                true => Some(Figure::exact(value, line, 1.0)),
                false => target.figure(&target.name, value, line),
            };
            figures.extend(figure.map(|figure| (target.name.clone(), figure)));
        }
    }
    (!figures.is_empty()).then_some(Command { line, figures })
}
