//! What can be wrong with a study, a target or a flag, told so that it can be put right.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
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
            problem: problem.into(),
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
            format!("{} mistakes in {}", several.len(), files.join(" and "))
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
}

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
            message: message.into(),
            help: help.into(),
        }
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
        Some(&*self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let length = self.span.len().max(1);
        let label = LabeledSpan::underline((self.span.start, length));
        Some(Box::new(std::iter::once(label)))
    }
}
