//! How the program ends.

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

use miette::{Diagnostic, MietteHandlerOpts, Report};

use photofinish_model::store;

use crate::out;

/// Why a command did not end well; each has an exit code of its own.
#[derive(Debug)]
pub enum Failure {
    /// 1: a threshold or claim that was asked for does not hold. What to say was said already.
    Condition,
    /// 2: the request was wrong.
    Request(FailureText),
    /// 3: the run could not be done, or not wholly.
    Run(FailureText),
    /// 3: the same, where everything was said already.
    Incomplete,
}

/// What is said of a failure.
#[derive(Debug)]
pub enum FailureText {
    /// A sentence.
    Words(String),
    /// A mistake in a file or a flag, with its place and what is allowed.
    Mistake(Report),
}

impl Failure {
    /// A wrong request, in words.
    pub fn request(message: impl std::fmt::Display) -> Self {
        Failure::Request(FailureText::Words(message.to_string()))
    }

    /// Results that were asked about and cannot be read.
    pub fn unread(error: store::Error) -> Self {
        Failure::request(format!("failed to {error}"))
    }

    /// A mistake in a file or a flag.
    pub fn mistake(mistake: impl Diagnostic + Send + Sync + 'static) -> Self {
        Failure::Request(FailureText::Mistake(mistake.into()))
    }

    /// A run that could not be done, in words.
    pub fn run(message: impl std::fmt::Display) -> Self {
        Failure::Run(FailureText::Words(message.to_string()))
    }

    /// The exit code; prints what has to be said.
    pub fn end(self) -> ExitCode {
        match self {
            Failure::Condition => ExitCode::from(1),
            Failure::Request(says) => {
                says.print();
                ExitCode::from(2)
            }
            Failure::Run(says) => {
                says.print();
                ExitCode::from(3)
            }
            Failure::Incomplete => ExitCode::from(3),
        }
    }
}

impl FailureText {
    fn print(&self) {
        match self {
            FailureText::Words(words) => out::note(&format!("photofinish: {words}")),
            // Where there is no line to show, a frame would be noise.
            FailureText::Mistake(report)
                if report.labels().is_none() && report.related().is_none() =>
            {
                out::note(&format!("photofinish: {report}"));
                if let Some(help) = report.help() {
                    out::note(&format!("  help: {help}"));
                }
            }
            FailureText::Mistake(report) => {
                plain_where_piped();
                let drawn = format!("{report:?}");
                out::drawn(&format!("photofinish: {}", drawn.trim()));
            }
        }
    }
}

/// Where standard error is no terminal, lines are not broken: they are searched and quoted.
fn plain_where_piped() {
    if !stderr().is_terminal() {
        // It is set once, at the end of the program; a second time would change nothing.
        let _ = miette::set_hook(Box::new(|_| {
            Box::new(MietteHandlerOpts::new().wrap_lines(false).build())
        }));
    }
}

impl From<out::OutputError> for Failure {
    fn from(lost: out::OutputError) -> Self {
        Failure::run(lost)
    }
}

impl From<photofinish_lab::Error> for Failure {
    fn from(error: photofinish_lab::Error) -> Self {
        use photofinish_lab::Error;
        let message = format!("failed to {error}");
        match &error {
            Error::Revision(error) if !error.is_of_the_request() => Failure::run(message),
            Error::Url { .. }
            | Error::Revision(_)
            | Error::OtherStudy { .. }
            | Error::Nothing { .. }
            | Error::Results(store::Error::NotResults { .. }) => Failure::request(message),
            _ => Failure::run(message),
        }
    }
}
