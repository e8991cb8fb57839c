//! The flags of settings: made from the rows of their table.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use photofinish_model::settings::{Flag, Group, Kind, Origin, Row, Value};

/// The settings of a group that flags give.
#[derive(Clone, Debug, Default)]
pub struct SettingsArgs<G>(pub G);

impl<G: Group> FromArgMatches for SettingsArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingsArgs<G>, clap::Error> {
        let given = |name: &str| matches.get_flag(name);
        Ok(SettingsArgs(G::read(|row| {
            let flag = row.flag?;
            let value = match row.kind {
                Kind::Switch if given(flag.long) => Value::Switch(true),
                Kind::Switch if row.off.is_some_and(|(off, _)| given(off)) => Value::Switch(false),
                Kind::Switch => return None,
                _ => matches.get_one::<Value>(flag.long)?.clone(),
            };
            Some((value, Origin::Flag))
        })))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = SettingsArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<G: Group> Args for SettingsArgs<G> {
    fn augment_args(command: Command) -> Command {
        let [run, compare] = G::defaults().map(|layer| {
            let given = layer.given().into_iter();
            let given =
                given.map(|(row, set)| (row.name, set.value.map(|value| value.to_string())));
            given.collect::<Vec<_>>()
        });
        let default = |of: &[(&str, Option<String>)], row: &Row| {
            let found = of.iter().find(|(name, _)| *name == row.name);
            found.and_then(|(_, value)| value.clone())
        };
        G::ROWS.iter().fold(command, |command, row| {
            let Some(flag) = row.flag else {
                return command;
            };
            let off = row.off.map(|(long, help)| {
                let off = Arg::new(long).long(long).action(ArgAction::SetTrue);
                off.help(help).help_heading(G::HEADING)
            });
            let defaults = [default(&run, row), default(&compare, row)];
            let arg = arg(row, flag, defaults).help_heading(G::HEADING);
            let arg = match row.off {
                Some((long, _)) => arg.conflicts_with(long),
                None => arg,
            };
            command.arg(arg).args(off)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingsArgs::<G>::augment_args(command)
    }
}

/// The flag of a row; `defaults` are those of `run` and of `compare`.
fn arg(row: &'static Row, flag: Flag, defaults: [Option<String>; 2]) -> Arg {
    let arg = Arg::new(flag.long)
        .long(flag.long)
        .aliases(flag.aliases)
        .help(help(row, defaults));
    let arg = match flag.short {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    let parser = StringValueParser::new().try_map(|text| row.kind.parse(&text));
    match row.kind {
        Kind::Switch => arg.action(ArgAction::SetTrue),
        Kind::Word(words) => {
            let values = words
                .iter()
                .map(|(word, help)| PossibleValue::new(*word).help(*help));
            let parser = clap::builder::PossibleValuesParser::new(values);
            let parser = parser.try_map(|text| row.kind.parse(&text));
            arg.value_name(flag.value).value_parser(parser)
        }
        Kind::Count(_) | Kind::Share => {
            let arg = arg.value_name(flag.value).value_parser(parser);
            arg.allow_negative_numbers(true)
        }
        Kind::Time(_) | Kind::Cpus => arg.value_name(flag.value).value_parser(parser),
    }
}

/// The help text of a row, and what holds if the flag is not there.
fn help(row: &Row, [run, compare]: [Option<String>; 2]) -> String {
    let run = run.unwrap_or_else(|| row.unset.to_owned());
    // A switch that is off needs no word.
    if matches!(row.kind, Kind::Switch) && ["false", "none"].contains(&&*run) {
        return row.help();
    }
    let study = match row.key {
        Some(_) => "the study's, else ",
        None => "",
    };
    let compare = compare.map_or_else(String::new, |value| {
        format!("; compare: {value}{}", row.compare_note)
    });
    format!("{} [default: {study}{run}{compare}]", row.help())
}
