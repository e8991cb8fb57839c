//! The flags of settings: made from the rows of their table.

use std::path::PathBuf;

use clap::builder::{StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use photofinish_model::settings::{Flag, Group, Kind, Origin, Row, Value};

use super::choice::one_of;

/// The settings of a group that flags give.
#[derive(Clone, Debug)]
pub struct SettingsArgs<G: Group> {
    /// What is given.
    pub given: G,
    /// The settings, with defaults for what is not given.
    pub all: G::All,
}

impl<G: Group> FromArgMatches for SettingsArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingsArgs<G>, clap::Error> {
        let given = G::read(|row| {
            let value = row.flag.and_then(|flag| given(row, flag.long, matches));
            let is_off = row.off.is_some_and(|(off, _)| matches.get_flag(off));
            let value = value.or(is_off.then_some(Value::Switch(false)))?;
            Some((value, Origin::Flag))
        });
        let all = given.clone().complete();
        Ok(SettingsArgs { given, all })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = SettingsArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The value that the flag of a row has.
fn given(row: &Row, flag: &str, matches: &ArgMatches) -> Option<Value> {
    match row.kind {
        Kind::Switch => matches.get_flag(flag).then_some(Value::Switch(true)),
        Kind::List(_) => {
            let texts = matches.get_many::<String>(flag)?;
            Some(Value::Texts(texts.cloned().collect()))
        }
        Kind::File => matches.get_one(flag).cloned().map(Value::File),
        Kind::Files => {
            let files = matches.get_many::<PathBuf>(flag)?;
            Some(Value::Files(files.cloned().collect()))
        }
        _ => matches.get_one(flag).cloned(),
    }
}

impl<G: Group> Args for SettingsArgs<G> {
    fn augment_args(command: Command) -> Command {
        let [_, compare] = G::defaults();
        let compare = compare.given();
        let (heading, below) = (G::HEADING, G::BELOW);
        let heading = Some(heading).filter(|heading| !heading.is_empty());
        G::ROWS.iter().fold(command, |command, row| {
            let of_compare = compare.iter().find(|(other, _)| other.name == row.name);
            let of_compare = of_compare.and_then(|(_, set)| set.value.as_ref());
            let on = row.flag.map(|flag| {
                let help = help(row, below, of_compare);
                let arg = arg(row, flag).help(help).help_heading(heading);
                arg.conflicts_with_all(row.off.map(|(long, _)| long))
            });
            let off = row.off.map(|(long, help)| {
                let off = Arg::new(long).long(long).action(ArgAction::SetTrue);
                off.help(help).help_heading(heading)
            });
            command.args(on).args(off)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingsArgs::<G>::augment_args(command)
    }
}

/// The flag of a row.
pub(super) fn arg(row: &'static Row, flag: Flag) -> Arg {
    let arg = Arg::new(flag.long)
        .long(flag.long)
        .short(flag.short)
        .aliases(flag.aliases)
        .conflicts_with_all(row.conflicts);
    let arg = match row.requires {
        Some(other) => arg.requires(other),
        None => arg,
    };
    let parser = StringValueParser::new().try_map(|text| row.kind.parse(&text));
    if let Kind::Switch = row.kind {
        return arg.action(ArgAction::SetTrue);
    }
    let arg = arg.value_name(flag.value);
    match row.kind {
        Kind::Word(words) => {
            arg.value_parser(one_of(words()).try_map(|text| row.kind.parse(&text)))
        }
        Kind::Count(_)
        | Kind::Share
        | Kind::PositiveShare
        | Kind::Amount(_)
        | Kind::Number(_)
        | Kind::Rate(_) => arg.value_parser(parser).allow_negative_numbers(true),
        Kind::List(sign) => arg.value_delimiter(sign).action(ArgAction::Append),
        Kind::File => arg.value_parser(value_parser!(PathBuf)),
        Kind::Files => {
            let arg = arg.value_parser(value_parser!(PathBuf));
            arg.action(ArgAction::Append)
        }
        Kind::Switch | Kind::Time(_) | Kind::Text | Kind::Cpus => arg.value_parser(parser),
    }
}

/// The help text of a row, and what holds if the flag is not there: what stands in a file `below`, else the default.
fn help(row: &Row, below: &str, compare: Option<&Value>) -> String {
    let default = row.default().map(|value| value.to_string());
    let default = default.unwrap_or_else(|| row.unset.to_owned());
    // A switch that is off needs no word, and neither does nothing.
    if matches!(row.kind, Kind::Switch) && ["false", "none"].contains(&&*default)
        || below.is_empty() && default == "none"
    {
        return row.help();
    }
    let below = match row.key {
        Some(_) if !below.is_empty() => format!("{below}, else "),
        _ => String::new(),
    };
    let compare = compare.map_or_else(String::new, |value| {
        format!("; compare: {value}{}", row.compare_note)
    });
    format!("{} [default: {below}{default}{compare}]", row.help())
}
