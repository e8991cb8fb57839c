//! Studies and targets from texts, without a disk; what is on the disk is tested in `files`.

mod already;
mod arguments;
mod capacity;
mod claims;
mod compare;
mod docs;
mod files;
mod limit;
mod services;
mod study_errors;
mod target_errors;
mod values;

use std::path::Path;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use crate::error::Error;
use crate::plan::{Draft, Target};
use crate::reader::Document;
use crate::study_file;
use crate::target_file;
use crate::targets::Targets;

/// Targets that every test study may use.
struct Stub;

const STUB: [(&str, &str); 3] = [
    (
        "event-loop",
        "title = \"e\"\n[start]\ncommand = [\"e\", \"{port}\"]",
    ),
    (
        "quarkus",
        "title = \"q\"\n[start]\ncommand = [\"q\", \"{port}\"]\n[variant.virtual-threads]",
    ),
    ("broken", "title = \"b\"\n[start]\ncommand = [\"b\"]\n"),
];

impl Targets for Stub {
    fn names(&self) -> Vec<String> {
        STUB.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn find(&self, name: &str) -> Option<Result<Vec<Target>, Error>> {
        let (_, text) = STUB.iter().find(|(other, _)| *other == name)?;
        Some(read_target(name, text))
    }
}

fn read_target(name: &str, text: &str) -> Result<Vec<Target>, Error> {
    let doc = Document::new(&format!("targets/{name}/target.toml"), text);
    let dir = Path::new("targets").join(name);
    let targets = target_file::read(&doc, name, &dir);
    crate::find::finish(doc, Some(targets))
}

fn read_study_with(text: &str, targets: &dyn Targets) -> Result<Draft, Error> {
    let doc = Document::new("studies/race.toml", text);
    let dir = Path::new("../../studies");
    let plan = study_file::read(&doc, "race", dir, targets);
    crate::find::finish(doc, plan)
}

fn read_study(text: &str) -> Result<Draft, Error> {
    read_study_with(text, &Stub)
}

/// A whole study around what a test is about.
fn study(head: &str, workload: &str, claim: &str) -> String {
    format!(
        "title = \"a race\"\ntargets = [\"event-loop\", \"quarkus\"]\n{head}\n\
         [[workload]]\nname = \"w\"\npath = \"/w\"\nconnections = [16, 100]\n{workload}\n{claim}\n"
    )
}

/// An error as a reader sees it, without colours.
fn render(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    let drawn = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(110)
        .render_report(&mut text, error);
    assert!(drawn.is_ok());
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// What is reported about each of some texts that are all wrong.
fn mistakes_in<T>(texts: &[&str], read: impl Fn(&str) -> Result<T, Error>) -> String {
    let mut all = String::new();
    for text in texts {
        match read(text) {
            Ok(_) => all.push_str(&format!("NOT REFUSED: {text}\n")),
            Err(error) => all.push_str(&format!("{}\n", render(&error))),
        }
    }
    all
}
