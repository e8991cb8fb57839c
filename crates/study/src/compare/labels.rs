//! What the targets of `compare` are called.

use super::{Compare, MAX_COMMANDS};
use crate::error::Error;

pub(super) fn labels(compare: &Compare) -> Result<Vec<String>, Error> {
    let count = match compare.revisions.len() {
        0 => compare.commands.len(),
        revisions => revisions,
    };
    if !(2..=MAX_COMMANDS).contains(&count) {
        return Err(Error::argument(
            "compare",
            format!("the number of commands cannot be {count}"),
            format!(
                "allowed: 2 to {MAX_COMMANDS} commands, each in quotes; to load one server, use `photofinish load URL`"
            ),
        ));
    }
    if compare.names.is_empty() && !compare.revisions.is_empty() {
        let labels: Vec<String> = compare
            .revisions
            .iter()
            .map(|at| at.label.clone())
            .collect();
        let again = (1..labels.len()).find(|&at| labels[..at].contains(&labels[at]));
        return match again {
            None => Ok(labels),
            Some(at) => Err(Error::argument(
                "--rev",
                format!("`{}` is there twice", compare.revisions[at].revision.given),
                "give two revisions, or one to race it against the working tree",
            )),
        };
    }
    if compare.names.is_empty() {
        return Ok(('A'..).take(count).map(String::from).collect());
    }
    if compare.names.len() != count {
        return Err(Error::argument(
            "--names",
            format!("the number of names cannot be {}", compare.names.len()),
            format!("allowed: {count}, one for each command, separated by commas"),
        ));
    }
    for (i, name) in compare.names.iter().enumerate() {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
        if name.is_empty() || name.len() > 60 || !name.chars().all(allowed) {
            return Err(Error::argument(
                "--names",
                format!("`{name}` is not a name"),
                "allowed: letters, digits and -_.@, 60 at most",
            ));
        }
        if compare.names[..i].contains(name) {
            return Err(Error::argument(
                "--names",
                format!("`{name}` is there twice"),
                "give each command a name of its own, such as old,new",
            ));
        }
    }
    Ok(compare.names.clone())
}
