//! On a terminal: a live view and a bar, colours, the terminal's own width; `script` of util-linux
//! makes one.

use std::fs;
use std::process::Command;

use crate::support::{Ended, Running, Server, Yard};

const PROGRAM: &str = env!("CARGO_BIN_EXE_photofinish");

/// Runs photofinish on a terminal of so many columns; `None` where there is no `script`.
fn on_terminal(yard: &Yard, columns: u16, args: &str) -> Option<Ended> {
    in_shell(yard, columns, &format!("{PROGRAM} {args}"))
}

/// The same for a command as a shell takes it.
fn in_shell(yard: &Yard, columns: u16, command: &str) -> Option<Ended> {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `script` (of util-linux) to make a terminal");
        return None;
    }
    let line = format!("stty cols {columns} rows 40; exec {command}");
    let mut command = Command::new("script");
    command
        .args(["-qefc", &line, "/dev/null"])
        .env("SHELL", "/bin/sh")
        .env("TERM", "xterm-256color");
    yard.place(&mut command);
    Some(Running::start(command).end())
}

/// What stands on the screen in the end, without colours: what was drawn over is left out.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        // ESC [ … letter
        if chars.next() == Some('[') {
            chars.find(char::is_ascii_alphabetic);
        }
    }
    plain
}

#[test]
fn load_shows_a_live_view_and_ends_with_the_result() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    for columns in [80, 120] {
        let args = format!("load {} -c 2 -d 1500ms", server.url("/plaintext"));
        let Some(ended) = on_terminal(&yard, columns, &args) else {
            return;
        };
        let ended = ended
            .code(0)
            .prints(&["s left; Ctrl-C ends it early", "\u{1b}["]);
        let text = plain(&ended.out);
        let result = &text[text.rfind("requests/s, ").expect("the result")..];
        for line in result.lines() {
            assert!(line.chars().count() <= usize::from(columns), "{line}");
        }
    }
}

#[test]
fn a_report_that_is_longer_than_the_terminal_goes_through_the_pager() {
    let yard = Yard::of(&["a", "b"], "");
    yard.run(&["run", "s"]).code(0);
    let paged = |args: &str| {
        let command = format!("env PAGER='cat > paged' {PROGRAM} report latest {args}");
        let ended = in_shell(&yard, 100, &command)?;
        ended.code(0);
        Some(fs::read_to_string(yard.path("paged")).ok())
    };
    // The ending fits.
    if let Some(ending) = paged("") {
        assert_eq!(ending, None);
        let text = paged("-v").flatten().unwrap_or_default();
        assert!(text.lines().count() > 40, "{text}");
    }
}

#[test]
fn run_shows_a_view_takes_it_away_and_ends_in_twelve_lines() {
    let yard = Yard::of(&["a", "b"], "");
    for columns in [60, 80, 120] {
        let Some(ended) = on_terminal(&yard, columns, "run s") else {
            return;
        };
        let ended = ended.code(0).prints(&[
            "s, round 1 of 2: measuring",
            "s, round 2 of 2: measuring",
            " of 4 measurements, ",
            " left",
            "throughput so far, a / b",
            "4 connections",
        ]);
        // The view is taken away before the ending is printed, which is in colour.
        let view = ended.out.rfind("\u{1b}[2K").expect("the view is cleared");
        let text = plain(&ended.out[view..]);
        let report = text.trim();
        assert!(!report.contains(" left"), "the view is gone: {report}");
        assert!(report.contains("report.html"), "{report}");
        assert!(report.lines().count() <= 12, "{report}");
        for line in report.lines() {
            assert!(
                line.chars().count() <= usize::from(columns),
                "{columns}: {line}"
            );
        }
    }
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let yard = Yard::of(&["a", "b"], "");
    for dumb in ["TERM=dumb", "TERM=dumb NO_COLOR=1"] {
        let Some(ended) = in_shell(&yard, 80, &format!("env {dumb} {PROGRAM} run s")) else {
            return;
        };
        let ended = ended
            .code(0)
            .prints(&["round 1 of 2: starting", "(4 of 4, "]);
        assert!(!ended.out.contains('\u{1b}'), "{:?}", ended.out);
        // A terminal makes each end of a line a carriage return and a line feed; there is no other one.
        let returns = ended.out.matches('\r').count();
        assert_eq!(
            returns,
            ended.out.matches("\r\n").count(),
            "{:?}",
            ended.out
        );
    }
    let Some(ended) = in_shell(&yard, 80, &format!("env NO_COLOR=1 {PROGRAM} run s")) else {
        return;
    };
    let ended = ended.code(0).prints(&["round 1 of 2: measuring"]);
    for colour in ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[36m"] {
        ended.never_prints(colour);
    }
}

#[test]
fn mistakes_are_drawn_for_a_terminal() {
    let yard = Yard::of(&["a"], "roundz = 3");
    let Some(ended) = on_terminal(&yard, 80, "run s") else {
        return;
    };
    let text = plain(&ended.code(2).out);
    assert!(
        text.contains("unknown key `roundz`") && text.contains("did you mean `rounds`?"),
        "{text}"
    );
}
