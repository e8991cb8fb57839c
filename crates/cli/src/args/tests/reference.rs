//! `docs/commands.md`: every command with its arguments, made from the command line.

use std::fs;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use super::super::Cli;

const BEGIN: &str = "# Commands\n\nEvery command with its arguments, as `--help` prints them. This page is made from the program.\n";

/// What an argument is called: `-d`, `--duration TIME`.
fn name(arg: &Arg) -> String {
    let values: Vec<&str> = arg
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| name.as_str())
        .collect();
    let values = match arg.get_num_args().is_some_and(|count| count.takes_values()) {
        true => values.join(" "),
        false => String::new(),
    };
    let (short, long) = (arg.get_short(), arg.get_long());
    let flags = [
        short.map(|letter| format!("-{letter}")),
        long.map(|long| format!("--{long}")),
    ];
    let flags: Vec<String> = flags.into_iter().flatten().collect();
    let named = flags.join(", ");
    match (named.as_str(), values.as_str()) {
        ("", values) => format!("`{values}`"),
        (named, "") => format!("`{named}`"),
        (named, values) => format!("`{named} {values}`"),
    }
}

fn item(text: &str) -> String {
    let options = lines().initial_indent("- ").subsequent_indent("  ");
    textwrap::fill(text, options) + "\n"
}

/// Lines of a page, in which no name is broken.
fn lines() -> textwrap::Options<'static> {
    textwrap::Options::new(100)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
}

/// An argument with its help, its possible values and its default.
fn argument(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{}: {help}", name(arg));
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && !["true", "false"].contains(&value.get_name()))
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        text.push_str(&format!(". Values: {}", values.join(", ")));
    }
    let defaults = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy());
    let defaults: Vec<String> = defaults.map(|value| value.into_owned()).collect();
    if !defaults.is_empty() && !["true", "false"].contains(&&*defaults[0]) {
        text.push_str(&format!(" [default: {}]", defaults.join(",")));
    }
    item(&text)
}

fn section(command: &Command, names: &str) -> String {
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut page = format!(
        "\n## `{names}`\n\n{}\n",
        textwrap::fill(&format!("{about}."), lines())
    );
    let shown =
        |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    let of = |arg: &Arg| match (arg.get_help_heading(), arg.is_positional()) {
        (Some(heading), _) => heading.to_owned(),
        (None, true) => "Arguments".to_owned(),
        (None, false) => "Options".to_owned(),
    };
    let mut headings: Vec<String> = Vec::new();
    for arg in command.get_arguments().filter(shown) {
        if !headings.contains(&of(arg)) {
            headings.push(of(arg));
        }
    }
    for heading in headings {
        page.push_str(&format!("\n{heading}:\n\n"));
        let args = command.get_arguments().filter(shown);
        page.extend(args.filter(|arg| of(arg) == heading).map(argument));
    }
    let below = command
        .get_subcommands()
        .filter(|one| one.get_name() != "help" && !one.is_hide_set());
    page.extend(below.map(|one| section(one, &format!("{names} {}", one.get_name()))));
    page
}

#[test]
fn the_reference_of_commands_is_made_from_the_program() {
    let mut cli = Cli::command();
    cli.build();
    let commands = cli
        .get_subcommands()
        .filter(|one| one.get_name() != "help" && !one.is_hide_set());
    let sections = commands.map(|one| section(one, &format!("photofinish {}", one.get_name())));
    let made = BEGIN.to_owned() + &sections.collect::<String>();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if fs::read_to_string(&path).unwrap_or_default() != made {
        fs::write(&path, made).expect("written");
        panic!("docs/commands.md was stale; it is written anew, so commit it");
    }
}
