//! On a terminal: a live view and a bar, colours, the terminal's own width; `script` of util-linux
//! makes one.

use std::process::Command;

use crate::support::{Ended, GOOD, Running, Server, Yard};

/// Runs photofinish on a terminal of so many columns; `None` where there is no `script`.
fn on_terminal(yard: &Yard, columns: u16, args: &str) -> Option<Ended> {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `script` (of util-linux) to make a terminal");
        return None;
    }
    let line = format!(
        "stty cols {columns} rows 40; exec {} {args}",
        env!("CARGO_BIN_EXE_photofinish")
    );
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
        let args = format!("load {} -c 2 -d 2s", server.url("/plaintext"));
        let Some(ended) = on_terminal(&yard, columns, &args) else {
            return;
        };
        let ended = ended.code(0).prints(&[
            "s left; Ctrl-C ends the run and tells what was measured",
            "\u{1b}[",
        ]);
        let text = plain(&ended.out);
        let result = &text[text.rfind("requests/s: ").expect("the result")..];
        for line in result.lines() {
            assert!(line.chars().count() <= usize::from(columns), "{line}");
        }
    }
}

#[test]
fn run_shows_a_bar_and_takes_it_away() {
    let yard = Yard::new();
    yard.target("a", GOOD)
        .target("b", GOOD)
        .study("s", &["a", "b"], "");
    for columns in [80, 120] {
        let Some(ended) = on_terminal(&yard, columns, "run s") else {
            return;
        };
        let ended = ended.code(0).prints(&["measurements, ", " left"]);
        let text = plain(&ended.out);
        let report = &text[text.rfind("a test\r\n").expect("the report")..];
        assert!(!report.contains(" left"), "the bar is gone: {report}");
        for line in report.lines() {
            assert!(
                line.chars().count() <= usize::from(columns),
                "{columns}: {line}"
            );
        }
    }
}

#[test]
fn mistakes_are_drawn_for_a_terminal() {
    let yard = Yard::new();
    yard.target("a", GOOD).study("s", &["a"], "roundz = 3");
    let Some(ended) = on_terminal(&yard, 80, "run s") else {
        return;
    };
    let text = plain(&ended.code(2).out);
    assert!(
        text.contains("unknown key `roundz`") && text.contains("did you mean `rounds`?"),
        "{text}"
    );
}
