//! The commands of `compare`, each with its label: as they were given, and once for each value of their parameters.

use photofinish_model::finding::failure::Around;
use photofinish_model::secret::{MASK, is_secret_name};
use photofinish_model::store::MOST_TARGETS;

use super::Compare;
use super::already;
use super::labels::{labels, of_commands};
use crate::command::START_PLACEHOLDERS;
use crate::error::Error;
use crate::nearest::advice;
use crate::placeholder::{fill, placeholders};

/// `-L NAME A,B,C`: commands that hold `{NAME}` race once with each value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What stands in braces.
    pub name: String,
    /// What it stands for.
    pub values: Vec<String>,
}

/// A command, or an image with its arguments, and what it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contender {
    /// Its name, once all are known.
    pub(super) label: String,
    pub(super) line: String,
    pub(super) in_container: bool,
    /// What runs before each start and after each stop; blank: nothing.
    pub(super) prepare: String,
    pub(super) cleanup: String,
}

impl Contender {
    fn command(line: String) -> Contender {
        Contender {
            line,
            ..Contender::default()
        }
    }

    fn map(&self, each: impl Fn(&str) -> String) -> Contender {
        Contender {
            line: each(&self.line),
            prepare: each(&self.prepare),
            cleanup: each(&self.cleanup),
            ..self.clone()
        }
    }

    /// What runs around its server, and when.
    pub(super) fn around(&self) -> impl Iterator<Item = (Around, &str)> {
        let both = [
            (Around::Prepare, &*self.prepare),
            (Around::Cleanup, &*self.cleanup),
        ];
        both.into_iter().filter(|(_, line)| !line.trim().is_empty())
    }
}

/// A command with values in place of its parameters, and which these are.
struct Filled {
    contender: Contender,
    values: Vec<String>,
}

/// All that race: with revisions the one command, or target, at each.
///
/// # Errors
/// Where there are too few or too many, for parameters that stand for nothing, and for names that cannot be.
pub(super) fn contenders(compare: &Compare) -> Result<Vec<Contender>, Error> {
    check_parameters(compare)?;
    check_around(compare)?;
    let (lines, usual) = match compare.revisions.as_slice() {
        _ if !compare.already.is_empty() => {
            let urls = compare.already.iter().map(|endpoint| endpoint.url.clone());
            (
                urls.map(Contender::command).collect(),
                already::labels(&compare.already),
            )
        }
        [] => commands(compare),
        revisions => {
            let [command] = compare.commands.as_slice() else {
                return Err(Error::argument(
                    "--rev",
                    format!("{} commands are given with it", compare.commands.len()),
                    "with --rev one command, or the name of a target, is started at each revision",
                ));
            };
            let labels = revisions.iter().map(|at| at.label.clone()).collect();
            let each = (0..revisions.len()).map(|place| Contender {
                prepare: given(&compare.prepare, place),
                cleanup: given(&compare.cleanup, place),
                ..Contender::command(command.clone())
            });
            (each.collect(), labels)
        }
    };
    if !(2..=MOST_TARGETS).contains(&lines.len()) {
        let what = match compare.already.is_empty() {
            true => "commands",
            false => "URLs",
        };
        return Err(Error::argument(
            "compare",
            format!("the number of {what} cannot be {}", lines.len()),
            format!(
                "allowed: 2 to {MOST_TARGETS} commands, each in quotes, and images (--image), or as many --url of servers that run already; to load one server, use `photofinish load URL`"
            ),
        ));
    }
    let labels = labels(compare, usual)?;
    let each = labels.into_iter().zip(lines);
    Ok(each
        .map(|(label, contender)| Contender { label, ..contender })
        .collect())
}

/// What was given for the command in this place, or once for all.
fn given(lines: &[String], place: usize) -> String {
    let at = if lines.len() == 1 { 0 } else { place };
    lines.get(at).cloned().unwrap_or_default()
}

/// Whether there is one `--prepare` and `--cleanup` for all, or for each.
fn check_around(compare: &Compare) -> Result<(), Error> {
    let (count, what) = match compare.revisions.len() {
        0 => (compare.lines().count(), "commands"),
        revisions => (revisions, "revisions"),
    };
    for (around, lines) in [
        (Around::Prepare, &compare.prepare),
        (Around::Cleanup, &compare.cleanup),
    ] {
        if !lines.is_empty() && ![1, count].contains(&lines.len()) {
            return Err(Error::argument(
                format!("--{}", around.name()),
                format!("it is given {} times for {count} {what}", lines.len()),
                "give it once for all, or once for each in their order ('' for one that needs none)",
            ));
        }
    }
    Ok(())
}

/// The commands and images with their parameters filled in, and what each is called where no name is given.
fn commands(compare: &Compare) -> (Vec<Contender>, Vec<String>) {
    let count = compare.lines().count();
    let named = compare.names.len() == count;
    let names = match named {
        true => compare.names.clone(),
        false => of_commands(compare.lines().take(MOST_TARGETS)),
    };
    let (mut lines, mut labels) = (Vec::new(), Vec::new());
    for (place, command) in compare.lines().enumerate() {
        let own = names.get(place).cloned().unwrap_or_default();
        let contender = Contender {
            label: String::new(),
            line: command.clone(),
            in_container: place >= compare.commands.len(),
            prepare: given(&compare.prepare, place),
            cleanup: given(&compare.cleanup, place),
        };
        for Filled { contender, values } in filled(contender, &compare.parameters) {
            labels.push(match (values.join("-").as_str(), count) {
                ("", _) => own.clone(),
                // There is nothing to distinguish it from.
                (values, 1) if !named => values.to_owned(),
                (values, _) => format!("{own}-{values}"),
            });
            lines.push(contender);
        }
    }
    (lines, labels)
}

/// A command with each combination of the values of those parameters that it holds; what runs around it has the same.
fn filled(contender: Contender, parameters: &[Parameter]) -> Vec<Filled> {
    let command = contender.line.clone();
    let mut all = vec![Filled {
        contender,
        values: Vec::new(),
    }];
    for Parameter { name, values } in parameters {
        if !placeholders(&command).any(|used| used == name) {
            continue;
        }
        let with = |filled: &Filled, place: usize, value: &String| Filled {
            contender: (filled.contender)
                .map(|text| fill(text, |used| (used == name).then(|| value.clone()))),
            values: [filled.values.as_slice(), &[labelled(name, place, value)]].concat(),
        };
        let combined = all.iter().flat_map(|filled| {
            let values = values.iter().enumerate();
            values.map(move |(place, value)| with(filled, place, value))
        });
        all = combined.collect();
    }
    all
}

/// `threads` and `4` as part of a label; the name by itself stands for an empty value. Secrets have their numbers: `token 1`.
fn labelled(name: &str, place: usize, value: &str) -> String {
    if is_secret_name(name) {
        return format!("{name} {}", place + 1);
    }
    let plain = |c: char| match c.is_ascii_alphanumeric() || "._".contains(c) {
        true => c,
        false => '-',
    };
    let value: String = value.chars().map(plain).collect();
    format!("{name}-{}", value.trim_matches('-'))
        .trim_end_matches('-')
        .to_owned()
}

fn check_parameters(compare: &Compare) -> Result<(), Error> {
    for (place, Parameter { name, values }) in compare.parameters.iter().enumerate() {
        let argument = format!("-L {name}");
        let wrong = |problem: String, help: &str| Err(Error::argument(&argument, problem, help));
        if placeholders(&format!("{{{name}}}")).next() != Some(name) {
            return wrong(
                format!("`{name}` is not a parameter's name"),
                "letters and underscores, such as -L threads 1,4,16",
            );
        }
        if START_PLACEHOLDERS.contains(&name.as_str()) {
            return wrong(
                format!("{{{name}}} has a meaning of its own"),
                "choose another name, such as -L threads 1,4,16",
            );
        }
        if let Some(twice) = (1..values.len()).find(|&at| values[..at].contains(&values[at])) {
            let value = match is_secret_name(name) {
                true => MASK,
                false => &values[twice],
            };
            return wrong(
                format!("the value `{value}` is listed twice"),
                "give each value once; --aa races a server against a copy of itself",
            );
        }
        if compare.parameters[..place]
            .iter()
            .any(|other| other.name == *name)
        {
            return wrong(
                "it is listed twice".to_owned(),
                "give all of its values at once",
            );
        }
        let mut used = compare.lines().flat_map(|line| placeholders(line));
        if !used.any(|used| used == name) {
            let places = compare.lines().flat_map(|line| placeholders(line));
            let help = advice(name, "names in braces in the commands", places);
            return wrong(format!("no command has {{{name}}}"), &help);
        }
        if !compare.revisions.is_empty() {
            return wrong(
                "revisions of one command race, with --rev".to_owned(),
                "leave out -L or --rev",
            );
        }
    }
    Ok(())
}
