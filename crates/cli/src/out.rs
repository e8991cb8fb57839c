//! Printing that does not break when nobody reads on: `photofinish … | head` is no fault, and a
//! run does not end because its progress has no reader.

use std::io::{ErrorKind, Write, stderr, stdout};

use crate::exit::Failure;

/// Prints a result on standard output. A reader who has left has read enough; any other failure
/// (a full disk behind `>`) is told, because the result is lost.
pub fn result(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::run(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Prints a line on standard error, which is for people: where it cannot be written, nothing is lost.
pub fn note(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}
