//! What the targets of `compare` are called.

use super::Compare;
use crate::checks::check_label;
use crate::error::Error;

/// The names that were given, or else the `usual` ones, of which there are as many as contenders.
///
/// # Errors
/// For a number of names that is neither that of the contenders nor that of the commands, for one that cannot be a name, and for one
/// that is listed twice.
pub(super) fn labels(compare: &Compare, usual: Vec<String>) -> Result<Vec<String>, Error> {
    let count = usual.len();
    let given = compare.names.len();
    if given != 0 && given != count && given != compare.lines().count() {
        return Err(Error::argument(
            "--names",
            format!("the number of names cannot be {given}"),
            format!("allowed: {count}, one for each, separated by commas"),
        ));
    }
    let labels = match given == count {
        true => compare.names.clone(),
        false => usual,
    };
    let argument = match (
        given,
        compare.parameters.is_empty(),
        compare.revisions.is_empty(),
    ) {
        (0, ..) if !compare.already.is_empty() => "--url",
        (0, true, false) => "--rev",
        (0, false, _) => "-L",
        _ => "--names",
    };
    for (i, name) in labels.iter().enumerate() {
        // Revisions are called what git calls them, and servers by their URLs.
        let free = ["--rev", "--url"].contains(&argument);
        if !free && let Err((message, allowed)) = check_label(name) {
            return Err(Error::argument(
                argument,
                message,
                format!("allowed: {allowed}; give others by --names"),
            ));
        }
        if labels[..i].contains(name) {
            let revision = compare.revisions.get(i).filter(|_| free);
            let twice = revision.map_or(name, |at| &at.revision.given);
            return Err(Error::argument(
                argument,
                format!("`{twice}` is listed twice"),
                match argument {
                    "--rev" => "give two revisions, or one to race it against the working tree",
                    "--url" => "to race it against itself, give it two names: -n one -n other",
                    _ => "give each command a name of its own, such as --names old,new",
                },
            ));
        }
    }
    Ok(labels)
}
