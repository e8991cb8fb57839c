//! Printing that does not break when nobody reads on: `photofinish … | head` is no fault, and a
//! run does not end because its progress has no reader.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

use photofinish_host::Rival;
use photofinish_model::secret::{Quote, mask, mask_query};
use photofinish_model::text::{clean_lines, no_commands, shortened};

/// A result that could not be printed, and is lost.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub struct OutputError(std::io::Error);

/// Prints a result on standard output. No line of it is a command to a CI job that reads along, whatever others' words are in it.
///
/// # Errors
/// If it cannot be written (a full disk behind `>`). A reader who has left has read enough: that is none.
pub fn result(text: &str) -> Result<(), OutputError> {
    let text = printable(text);
    let mut out = stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(OutputError(error)),
        _ => Ok(()),
    }
}

/// A result as standard output takes it.
pub fn printable(text: &str) -> Cow<'_, str> {
    let text = no_commands(text.trim_end());
    // A file keeps what programs read; only a terminal lacks signs.
    match stdout().is_terminal() && !photofinish_report::unicode_allowed() {
        true => Cow::Owned(photofinish_report::ascii(&text)),
        false => text,
    }
}

/// Prints lines on standard error, which is for people: where it cannot be written, nothing is lost. What is in them may be
/// others' words (a server's log, a name), so nothing in them acts on the terminal.
pub fn note(text: &str) {
    let text = clean_lines(&mask(text));
    let lines: Vec<Cow<'_, str>> = text
        .split('\n')
        .map(|line| shortened(line, LONGEST))
        .collect();
    drawn(&lines.join("\n"));
}

/// Names other photofinishes that measure on this machine, which makes the figures of both worthless; nothing if `quiet`.
pub fn rivals(quiet: bool) {
    if !quiet {
        let warnings = photofinish_host::rivals();
        warnings.iter().for_each(|rival| note(&warning(rival)));
    }
}

fn warning(Rival { pid, command }: &Rival) -> String {
    format!(
        "warning: another photofinish measures on this machine (`{command}`, process {pid}): each slows what the other measures; wait until it has ended"
    )
}

/// Reports where redirects led (`--follow-redirects`).
pub fn redirected(led_to: Option<&str>) {
    if let Some(path) = led_to {
        note(&format!(
            "redirected to {}, which was loaded; the redirects themselves were not (--follow-redirects)",
            mask_query(path)
        ));
    }
}

/// The longest line in characters: some screens full. A study's path or a server's log may have megabytes in one.
const LONGEST: usize = 10_000;

/// Prints what was drawn for a terminal, perhaps in colours, of words that were made safe before.
pub fn drawn(text: &str) {
    let text = text.without_known();
    let _ = writeln!(stderr(), "{}", no_commands(&text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_photofinish_is_named_with_what_to_do() {
        let rival = Rival {
            pid: 4711,
            command: "compare".to_owned(),
        };
        assert_eq!(
            warning(&rival),
            "warning: another photofinish measures on this machine (`compare`, process 4711): each slows what the other measures; wait until it has ended"
        );
    }
}
