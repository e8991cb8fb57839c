//! What can be wrong with a study, a target or a flag, said so that it can be put right.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use photofinish_model::secret::mask;
use photofinish_model::text::{clean, clean_lines, shortened};
use thiserror::Error;

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum Error {
    /// One or more mistakes in study or target files.
    #[error("{}", mistakes(.0))]
    Files(Vec<Problem>),
    /// A name that was asked for is not there.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// What was looked for: `study`, `target`.
        kind: &'static str,
        /// The name that was asked for.
        name: String,
        /// The nearest names, and the list of all.
        help: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A flag or an argument is wrong.
    #[error("{argument}: {problem}")]
    Argument {
        /// The flag or argument, as the reader typed it.
        argument: String,
        /// What is wrong.
        problem: String,
        /// What is allowed.
        help: String,
    },
}

impl Error {
    /// Everything that is wrong in one line, for a list of many files.
    pub fn in_full(&self) -> String {
        match self {
            Error::Files(problems) => {
                let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
                problems.join("; ")
            }
            other => other.to_string(),
        }
    }

    pub(crate) fn argument(
        argument: impl Into<String>,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Error::Argument {
            argument: argument.into(),
            problem: mask(&problem.into()).into_owned(),
            help: help.into(),
        }
    }
}

fn mistakes(problems: &[Problem]) -> String {
    match problems {
        [only] => only.to_string(),
        several => {
            let mut files: Vec<&str> = several.iter().map(Problem::file).collect();
            files.dedup();
            let count: usize = several.iter().map(|problem| 1 + problem.more).sum();
            format!("{count} mistakes in {}", files.join(" and "))
        }
    }
}

impl Diagnostic for Error {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self {
            Error::Files(problems) => single(problems)?.help(),
            Error::Unknown { help, .. } | Error::Argument { help, .. } => Some(Box::new(help)),
            Error::Read { .. } => None,
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self {
            Error::Files(problems) => single(problems)?.source_code(),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match self {
            Error::Files(problems) => single(problems)?.labels(),
            _ => None,
        }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self {
            Error::Files(problems) if problems.len() > 1 => Some(Box::new(
                problems.iter().map(|problem| problem as &dyn Diagnostic),
            )),
            _ => None,
        }
    }
}

fn single(problems: &[Problem]) -> Option<&Problem> {
    match problems {
        [only] => Some(only),
        _ => None,
    }
}

/// One mistake at one place of a file.
#[derive(Clone, Debug)]
pub struct Problem {
    source: Arc<NamedSource<String>>,
    span: Range<usize>,
    message: String,
    help: String,
    /// How many further mistakes were found that are not reported.
    more: usize,
}

/// A line that is longer than this many bytes is not shown below a mistake: nobody could read it, and what draws it cannot
/// count beyond 65,535 columns.
const LONGEST_SHOWN: usize = 1_000;

/// The most characters of a message, which may quote a file's words. The names of all targets that are here fit into it.
const LONGEST_MESSAGE: usize = 4_000;

impl Problem {
    pub(crate) fn new(
        source: &Arc<NamedSource<String>>,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem {
            source: Arc::clone(source),
            span,
            // A file's words may be in them.
            message: shortened(&clean(&mask(&message.into())), LONGEST_MESSAGE).into_owned(),
            help: shortened(&clean_lines(&help.into()), LONGEST_MESSAGE).into_owned(),
            more: 0,
        }
    }

    /// Says after this mistake that there are more.
    pub(crate) fn add_more(&mut self, more: usize) {
        if more == 0 {
            return;
        }
        self.more += more;
        let parted = if self.help.is_empty() { "" } else { "\n" };
        self.help = format!(
            "{}{parted}(and {more} more; put these right first)",
            self.help
        );
    }

    /// Whether the place and the lines around it can be shown.
    fn can_be_shown(&self) -> bool {
        let text = self.source.inner().as_bytes();
        let [start, end] = [self.span.start, self.span.end].map(|at| at.min(text.len()));
        let is_end = |byte: &u8| *byte == b'\n';
        // The line before and the line after are shown too.
        let mut before = text[..start].rsplit(is_end).take(2).map(<[u8]>::len);
        let mut after = text[end..].split(is_end).take(2).map(<[u8]>::len);
        let mut within = text[start..end].split(is_end).map(<[u8]>::len);
        before.all(|length| length <= LONGEST_SHOWN)
            && after.all(|length| length <= LONGEST_SHOWN)
            && within.all(|length| length <= LONGEST_SHOWN)
    }

    /// The file, as it was named to the reader.
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        let text = self.source.inner().as_bytes();
        let end = self.span.start.min(text.len());
        1 + text[..end].iter().filter(|byte| **byte == b'\n').count()
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        self.file() == other.file() && self.span == other.span && self.message == other.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file(), self.line(), self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.can_be_shown()
            .then_some(&*self.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if !self.can_be_shown() {
            return None;
        }
        let length = self.span.len().max(1);
        let label = LabeledSpan::underline((self.span.start, length));
        Some(Box::new(std::iter::once(label)))
    }
}
