//! What the targets of `compare` are called.

use photofinish_model::secret::mask_words;

use super::Compare;
use crate::checks::check_label;
use crate::error::Error;
use crate::placeholder::placeholders;

/// A longer name that is made of a command would fill a table.
const LONGEST: usize = 40;

/// More words, and more parts of a path, are longer than that.
const MOST_WORDS: usize = LONGEST / 2;

/// Names for commands: as few of their first words as distinguish them, without those that all share if the names would be too long,
/// else letters.
pub(super) fn of_commands<'c>(commands: impl Iterator<Item = &'c String>) -> Vec<String> {
    let commands: Vec<Vec<String>> = commands.map(|command| words(command)).collect();
    let letters = || {
        (b'A'..)
            .take(commands.len())
            .map(|letter| char::from(letter).to_string())
            .collect()
    };
    distinct(&commands)
        .or_else(|| distinct(&without_shared(&commands)))
        .unwrap_or_else(letters)
}

/// Commands without the first arguments that all of them have; the flag whose value differs stays.
fn without_shared(commands: &[Vec<String>]) -> Vec<Vec<String>> {
    let Some((first, others)) = commands.split_first() else {
        return Vec::new();
    };
    let is_shared = |at: &usize| others.iter().all(|words| words.get(*at) == first.get(*at));
    let shared = (1..first.len()).take_while(is_shared).count();
    let is_flag = first.get(shared).is_some_and(|word| word.starts_with('-'));
    let from = if shared > 0 && is_flag {
        shared
    } else {
        shared + 1
    };
    let short = |words: &Vec<String>| {
        let program = words.iter().take(1);
        program.chain(words.iter().skip(from)).cloned().collect()
    };
    commands.iter().map(short).collect()
}

/// As few of the commands' first words as distinguish them; `None` if no names of the longest length do.
fn distinct(commands: &[Vec<String>]) -> Option<Vec<String>> {
    let most = commands.iter().map(Vec::len).max().unwrap_or_default();
    let most = most.min(MOST_WORDS);
    let parts = |words: &Vec<String>| words.first().map_or(0, |path| path.matches('/').count());
    let deepest = commands.iter().map(parts).max().unwrap_or_default();
    let deepest = deepest.min(MOST_WORDS);
    // A program is called by its file; by more of its path only if its arguments do not distinguish it either.
    let sizes = (1..=deepest + 1).flat_map(|parts| (1..=most).map(move |count| (parts, count)));
    let named = sizes.map(|(parts, count)| {
        let names = commands.iter().map(|words| name(words, parts, count));
        names.collect::<Vec<String>>()
    });
    let fit = |names: &Vec<String>| {
        names.iter().enumerate().all(|(place, name)| {
            check_label(name).is_ok()
                && name.chars().count() <= LONGEST
                && !names[..place].contains(name)
        })
    };
    named.into_iter().find(fit)
}

/// A command's words that name it: without variables before it, and without arguments that differ from run to run or are secret.
fn words(command: &str) -> Vec<String> {
    let split = shlex::split(command);
    let split = split.unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect());
    let is_before = |word: &&String| {
        ["env", "exec"].contains(&word.as_str()) || (word.contains('=') && !word.starts_with('-'))
    };
    let masked = mask_words(&split);
    let mut words: Vec<String> = Vec::new();
    for word in masked.iter().skip_while(is_before) {
        if word == "{java}" {
            words.push("java".to_owned());
            continue;
        }
        let has_place = placeholders(word).next().is_some();
        // `--port {port}` is left out as a whole.
        let is_value = has_place && word.starts_with('{') && words.len() > 1;
        if is_value && words.last().is_some_and(|flag| flag.starts_with('-')) {
            words.pop();
        }
        if !has_place && !word.contains("***") {
            words.push(word.clone());
        }
    }
    words
}

/// So many parts of the path to a program, and so many words with it.
fn name(words: &[String], parts: usize, count: usize) -> String {
    let Some((program, arguments)) = words.split_first() else {
        return String::new();
    };
    let path: Vec<&str> = program.rsplit('/').take(parts).collect();
    let path = path
        .into_iter()
        .rev()
        .filter(|part| !["", "."].contains(part));
    let arguments = arguments.iter().take(count - 1).map(String::as_str);
    let plain = |word: &str| {
        let fits = |c: char| check_label(&c.to_string()).is_ok();
        let word: String = word
            .chars()
            .map(|c| if fits(c) { c } else { '-' })
            .collect();
        word.trim_end_matches('-').to_owned()
    };
    let words = path.chain(arguments).map(plain);
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

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
