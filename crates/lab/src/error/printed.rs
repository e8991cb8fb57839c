//! What a program printed last, to stand behind what is said of it.

use std::fmt;
use std::path::{Path, PathBuf};

use photofinish_host as host;

/// What a program printed last, to stand behind what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    log: PathBuf,
    lines: Vec<String>,
}

impl Printed {
    /// How many of the last lines are shown.
    const LINES: usize = 12;

    /// The last lines of a log.
    pub(crate) fn to(log: &Path) -> Printed {
        Printed {
            log: log.to_owned(),
            lines: host::last_lines(log, Self::LINES),
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lines.is_empty() {
            return f.write_str("; it printed nothing");
        }
        write!(f, "; its last lines ({}):", self.log.display())?;
        (self.lines.iter()).try_for_each(|line| write!(f, "\n    | {line}"))
    }
}
