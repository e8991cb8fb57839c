//! How the program ends.

use std::process::ExitCode;

/// Why a command did not end well; each has an exit code of its own.
#[derive(Debug)]
pub enum Failure {
    /// 1: a threshold or claim that was asked for does not hold. What to say was said already.
    Condition,
    /// 2: the request was wrong.
    Request(miette::Report),
    /// 3: the run could not be done, or not wholly.
    Run(miette::Report),
    /// 3: the same, where everything was said already.
    Incomplete,
}

impl Failure {
    /// A wrong request, in words.
    pub fn request(message: impl std::fmt::Display) -> Self {
        Failure::Request(miette::miette!("{message}"))
    }

    /// A run that could not be done, in words.
    pub fn run(message: impl std::fmt::Display) -> Self {
        Failure::Run(miette::miette!("{message}"))
    }

    /// The exit code; prints what has to be said.
    pub fn end(self) -> ExitCode {
        match self {
            Failure::Condition => ExitCode::from(1),
            Failure::Request(report) => {
                eprintln!("photofinish: {report:?}");
                ExitCode::from(2)
            }
            Failure::Run(report) => {
                eprintln!("photofinish: {report:?}");
                ExitCode::from(3)
            }
            Failure::Incomplete => ExitCode::from(3),
        }
    }
}

impl From<photofinish_lab::Error> for Failure {
    fn from(error: photofinish_lab::Error) -> Self {
        use photofinish_lab::Error;
        let message = format!("failed to {error}");
        match error {
            Error::Url { .. } | Error::OtherStudy { .. } | Error::Nothing { .. } => {
                Failure::request(message)
            }
            _ => Failure::run(message),
        }
    }
}
