//! The command line is sound, and the pages show commands that the program takes, and flags that it has.

mod reference;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use photofinish_judge::limit::Limit;
use photofinish_judge::threshold::{Condition, Error};
use photofinish_model::Objective;
use photofinish_model::settings::CiSettings;

use super::{Cli, Command};
use crate::commands::stages::stages;

/// Flags of other programs that the pages name by themselves, and whose they are.
const OF_OTHERS: &[(&str, &str)] = &[
    ("--latency", "wrk"),
    ("--no-noise", "bench/gate"),
    ("--overnight", "bench/resolution"),
    ("--planted", "bench/resolution"),
    ("--runs", "bench/resolution"),
    ("--summary-export", "k6"),
    ("--tries", "bench/gate"),
];

/// A page, by its name in the repository.
struct Page {
    name: String,
    text: String,
}

/// Every page that users read.
fn pages() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names = [
        "README.md",
        "README.zh-CN.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ];
    let mut files: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    for entry in fs::read_dir(root.join("docs")).expect("a folder") {
        files.push(entry.expect("a file").path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    assert!(files.len() > 20, "{files:?}");
    files.sort();
    let read = |file: PathBuf| Page {
        text: fs::read_to_string(&file).expect("text"),
        name: file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned(),
    };
    files.into_iter().map(read).collect()
}

/// The commands of the page's blocks: after a `$`, each as one line.
fn commands(text: &str) -> Vec<String> {
    let blocks = text.split("```console\n").skip(1);
    let blocks = blocks.map(|rest| {
        rest.split("```")
            .next()
            .unwrap_or_default()
            .replace("\\\n", " ")
    });
    let mut commands = Vec::new();
    for block in blocks {
        let typed = block.lines().filter_map(|line| line.strip_prefix("$ "));
        commands.extend(typed.map(str::to_owned));
    }
    commands
}

/// What stands between backticks outside the page's blocks, each as one line.
fn spans(text: &str) -> Vec<String> {
    let prose = text.split("```").step_by(2);
    let spans = prose.flat_map(|part| part.split('`').skip(1).step_by(2));
    spans
        .map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The words of a command as a shell makes them, up to a comment, a pipe or the file that output goes to.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '>') => break,
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    assert_eq!(quote, None, "a quote is not closed: {line}");
    words.extend(word);
    words
}

/// A condition about any targets.
fn condition(text: &str) -> Result<(), Error> {
    let mut labels: Vec<String> = Vec::new();
    loop {
        let known: Vec<&str> = labels.iter().map(String::as_str).collect();
        match Condition::parse(text, &known) {
            Err(Error::Target { name, .. }) if !labels.contains(&name) => labels.push(name),
            read => return read.map(|_| ()),
        }
    }
}

fn conditions(ci: &CiSettings, two_runs: bool, line: &str) {
    for text in &ci.fail_if {
        let read = match two_runs {
            true => Condition::parse_of_two_runs(text).map(|_| ()),
            false => condition(text),
        };
        assert_eq!(read, Ok(()), "{line}");
    }
}

/// What flags take as text, in a language of its own.
fn check_values(cli: &Cli, line: &str) {
    match &cli.command {
        Command::Run(args) => conditions(&args.race.ci.all, false, line),
        Command::Compare(args) => {
            conditions(&args.race.ci.all, false, line);
            let objective = args.capacity.as_deref().map(Objective::parse);
            assert!(!matches!(objective, Some(Err(_))), "{line}");
        }
        Command::Report(args) => conditions(&args.ci.all, args.later.is_some(), line),
        Command::Load(args) => {
            let read = args.fail_if.iter().map(|text| Limit::parse(text));
            read.for_each(|limit| assert!(limit.is_ok(), "{line}"));
            let stages = args.stages.as_deref().map(stages);
            assert!(!matches!(stages, Some(Err(_))), "{line}");
        }
        Command::Capacity(args) => assert!(Objective::parse(&args.slo).is_ok(), "{line}"),
        _ => {}
    }
}

#[test]
fn the_command_line_is_sound_and_speaks_of_responses() {
    let mut cli = Cli::command();
    cli.build();
    cli.clone().debug_assert();
    for command in cli.get_subcommands_mut() {
        let help = command.render_long_help().to_string().to_lowercase();
        for word in ["answer ", "answers", "honest", "ruler", "tells"] {
            assert!(!help.contains(word), "{word}: {help}");
        }
    }
}

#[test]
fn every_command_of_the_pages_is_accepted() {
    let mut found = 0;
    for Page { name, text } in pages() {
        let commands = commands(&text);
        for line in commands
            .iter()
            .filter(|line| line.starts_with("photofinish "))
        {
            let cli = Cli::try_parse_from(words(line))
                .unwrap_or_else(|error| panic!("{name}: {line}\n{error}"));
            check_values(&cli, &format!("{name}: {line}"));
            found += 1;
        }
    }
    assert!(found > 60, "only {found} commands were found");
}

/// Commands in sentences, which may leave out what does not matter there.
#[test]
fn every_command_in_a_sentence_is_one() {
    let mut found = 0;
    for Page { name, text } in pages() {
        let spans = spans(&text);
        for span in spans.iter().filter(|span| span.starts_with("photofinish ")) {
            let words = words(&span.replace(['…', '[', ']'], ""));
            // `COMMAND` is any, and `__keep` is not for users.
            let begins = |word: &String| word.starts_with(|c: char| c.is_ascii_lowercase());
            if !words.get(1).is_some_and(begins) {
                continue;
            }
            found += 1;
            if let Err(error) = Cli::try_parse_from(&words) {
                let allowed = [
                    ErrorKind::MissingRequiredArgument,
                    ErrorKind::DisplayHelp,
                    ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                ];
                assert!(allowed.contains(&error.kind()), "{name}: `{span}`\n{error}");
            }
        }
    }
    assert!(found > 30, "only {found} commands were found");
}

/// The long flags of a command and of those below it.
fn flags(command: &clap::Command, into: &mut BTreeSet<String>) {
    for argument in command.get_arguments() {
        let names = argument
            .get_long_and_visible_aliases()
            .into_iter()
            .flatten();
        into.extend(names.map(|name| format!("--{name}")));
        let others = argument.get_all_aliases().into_iter().flatten();
        into.extend(others.map(|name| format!("--{name}")));
    }
    command
        .get_subcommands()
        .for_each(|below| flags(below, into));
}

#[test]
fn every_flag_in_a_sentence_exists() {
    let mut known = BTreeSet::new();
    let mut cli = Cli::command();
    cli.build();
    flags(&cli, &mut known);
    known.extend(OF_OTHERS.iter().map(|(flag, _)| (*flag).to_owned()));
    let mut found = 0;
    for Page { name, text } in pages() {
        for span in spans(&text).iter().filter(|span| span.starts_with("--")) {
            let end = span.find([' ', '=', '[', '<']).unwrap_or(span.len());
            assert!(known.contains(&span[..end]), "{name}: `{span}`");
            found += 1;
        }
    }
    assert!(found > 100, "only {found} flags were found");
}

#[test]
fn a_line_is_split_as_a_shell_does() {
    let split = |line| words(line).join("|");
    assert_eq!(split("a 'b c' d='e' \"\" # f"), "a|b c|d=e|");
    assert_eq!(split("a b#c > d"), "a|b#c");
}
