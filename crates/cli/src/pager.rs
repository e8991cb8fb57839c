//! The user's pager, for results that are longer than the terminal.

use std::env;
use std::io::{IsTerminal, Write, stdout};
use std::process::{Command, Stdio};
use std::sync::Arc;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::out::{self, OutputError};

/// Prints a result, through a pager if it is longer than the terminal.
///
/// # Errors
/// As [`out::result`].
pub fn result(text: &str) -> Result<(), OutputError> {
    match is_longer(text) && page(text) {
        true => Ok(()),
        false => out::result(text),
    }
}

fn is_longer(text: &str) -> bool {
    let size = terminal_size::terminal_size_of(stdout()).filter(|_| stdout().is_terminal());
    size.is_some_and(|(_, lines)| text.lines().count() >= usize::from(lines.0))
}

/// Shows the text in the pager of the environment, else in `less`; `false` if there is none.
fn page(text: &str) -> bool {
    let line = env::var("PAGER").ok();
    let mut command = match line.as_deref().map(str::trim) {
        Some("" | "cat") => return false,
        Some(line) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            shell
        }
        None => Command::new("less"),
    };
    if env::var_os("LESS").is_none() {
        // Colours are shown as such, and the text stays on the screen.
        command.env("LESS", "FRX");
    }
    // Ctrl-C is for the pager. Without a handler it would end this program and leave the pager alone.
    let _ = flag::register(SIGINT, Arc::default());
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else {
        return false;
    };
    if let Some(mut input) = pager.stdin.take() {
        // A reader who leaves has read enough.
        let _ = writeln!(input, "{}", out::printable(text));
    }
    // A shell ends with 127 if there is no such program.
    pager.wait().is_ok_and(|status| status.code() != Some(127))
}
