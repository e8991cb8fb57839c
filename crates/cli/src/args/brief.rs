//! `-h`: three examples and the arguments that most users need, each in a line. `--help` has all of them in full.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::Cli;

/// A command's examples, and the arguments that `-h` shows, separated by spaces; none: all.
struct Brief {
    command: &'static str,
    examples: &'static [&'static str],
    arguments: &'static str,
}

/// Makes the rows of the table.
macro_rules! briefs {
    ($($command:literal $arguments:literal: $($example:literal),+;)+) => {
        &[$(Brief { command: $command, examples: &[$($example),+], arguments: $arguments },)+]
    };
}

const BRIEFS: &[Brief] = briefs! {
    "run" "studies only smoke resume rounds until-decided within duration warmup results verbose quiet fail-if html json csv":
        "photofinish run quickstart",
        "photofinish run studies/mine.toml --rounds 10 --html report.html",
        "photofinish run quickstart --smoke";
    "compare" "commands url names parameters rev rate connections headers rounds within duration verbose quiet fail-if":
        "photofinish compare './old --port {port}' './new --port {port}' --url http://127.0.0.1:{port}/",
        "photofinish compare './server -p {port} -t {t}' -L t 1,2,4 --url http://127.0.0.1:{port}/",
        "photofinish compare --url http://127.0.0.1:8080/ --url http://127.0.0.1:8081/";
    "load" "url duration requests rate connections threads method headers body http2 timeout insecure fail_if json verbose quiet":
        "photofinish load http://127.0.0.1:8080/",
        "photofinish load http://127.0.0.1:8080/ -c 50 -d 30s --rate 5000",
        "photofinish load http://127.0.0.1:8080/items -n 10k -X POST --body '{\"id\": 1}'";
    "capacity" "url slo step start precision max-time connections threads method headers body json verbose quiet":
        "photofinish capacity http://127.0.0.1:8080/ --slo 'p99 < 10ms'",
        "photofinish capacity http://127.0.0.1:8080/ --slo 'p99 < 10ms and errors < 0.1%' -c 500",
        "photofinish capacity http://127.0.0.1:8080/ --slo 'p95 < 50ms' --step 5s --json";
    "report" "results later verbose quiet fail-if html markdown json csv lang":
        "photofinish report latest -v",
        "photofinish report results/quickstart/20260131T120000Z --html report.html",
        "photofinish report results/compare/20260131T120000Z results/compare/20260201T120000Z";
    "server" "kind port host unix_socket threads tls http2 delay":
        "photofinish server event-loop",
        "photofinish server delay --port 8081 --delay 5ms",
        "photofinish server event-loop --tls --http2 --ca ca.pem";
    "history" "":
        "photofinish history results/quickstart",
        "photofinish history results/quickstart --html history.html",
        "photofinish history results/quickstart --baseline event-loop";
    "plan" "":
        "photofinish plan quickstart",
        "photofinish plan quickstart --half-width 1% --within 10m",
        "photofinish plan results/quickstart/20260131T120000Z --json";
    "audit" "":
        "photofinish audit wrk.txt",
        "photofinish audit ab.txt hey.txt --json",
        "photofinish audit --board rounds/ --html boards.html";
    "list" "":
        "photofinish list",
        "photofinish list --json";
    "doctor" "":
        "photofinish doctor",
        "photofinish doctor --quick",
        "photofinish doctor --on hosts.toml";
    "completions" "":
        "photofinish completions bash",
        "photofinish completions zsh",
        "photofinish completions fish";
    "schema" "":
        "photofinish schema",
        "photofinish schema study-file",
        "photofinish schema report";
    "man" "":
        "photofinish man",
        "photofinish man run";
};

/// The command line, with a short `-h` for the commands that have many arguments.
pub fn brief(cli: Command) -> Command {
    BRIEFS.iter().fold(cli, |cli, brief| {
        cli.mut_subcommand(brief.command, |command| {
            let examples = brief.examples.iter();
            let examples: String = examples.map(|example| format!("  {example}\n")).collect();
            let examples = format!("Examples:\n{examples}");
            let command = command
                .before_help(examples.trim_end().to_owned())
                .after_help("`--help` explains all arguments");
            command.mut_args(|arg| {
                let mut named = brief.arguments.split_whitespace();
                let shown =
                    brief.arguments.is_empty() || named.any(|id| id == arg.get_id().as_str());
                let full = arg.get_help().map(ToString::to_string);
                let arg = arg.hide_short_help(!shown).hide_default_value(false);
                match full {
                    Some(full) if arg.get_long_help().is_none() => {
                        arg.help(first_clause(&full)).long_help(full)
                    }
                    _ => arg,
                }
            })
        })
    })
}

/// Returns what a command line lacks, and the command's examples, which have it; `None` if nothing is missing that the command
/// always needs.
pub fn lacks(words: &[String], error: &clap::Error) -> Option<String> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut cli = Cli::command();
    cli.build();
    let name = words.first()?;
    let needed = cli.find_subcommand(name)?.get_arguments();
    let needed: Vec<String> = needed
        .filter(|arg| arg.is_required_set())
        .map(ToString::to_string)
        .collect();
    let brief = BRIEFS.iter().find(|brief| brief.command == name)?;
    let is_lacking = error.kind() == ErrorKind::MissingRequiredArgument
        && missing.iter().all(|one| needed.contains(one));
    is_lacking.then(|| {
        let missing = missing.join(" and ");
        let examples = brief.examples.join("\n  ");
        format!("{name} needs {missing}, as in\n  {examples}")
    })
}

/// What stands before examples, conditions and defaults.
fn first_clause(help: &str) -> String {
    let ends = ["; ", ": ", ", such as", ", or ", ", to ", " ("];
    let ends = ends.iter().filter_map(|end| help.find(end));
    let default = help.rfind(" [default: ");
    let end = ends.chain(default).min().unwrap_or(help.len());
    let (text, rest) = help.split_at(end);
    match default.filter(|at| *at >= end) {
        Some(at) if help.len() - at < 40 => format!("{text}{}", &rest[at - end..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The words of an example, whose quotes hold no quotes.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn the_short_help_has_forty_lines_and_begins_with_examples() {
        let mut cli = brief(Cli::command()).term_width(100);
        cli.build();
        for Brief {
            command,
            examples,
            arguments,
        } in BRIEFS
        {
            let command = cli.find_subcommand_mut(command).expect("a command");
            let help = command.render_help().to_string();
            assert!(help.starts_with("Examples:\n  photofinish "), "{help}");
            let lines = help.lines().count();
            assert!(lines <= 40, "{lines} lines:\n{help}");
            let ids: Vec<&str> = command
                .get_arguments()
                .map(|arg| arg.get_id().as_str())
                .collect();
            for name in arguments.split_whitespace() {
                assert!(ids.contains(&name), "{name} is none of {ids:?}");
            }
            for example in *examples {
                let parsed = Cli::try_parse_from(words(example));
                assert!(
                    parsed.is_ok(),
                    "{example}: {}",
                    parsed.expect_err("refused")
                );
            }
        }
    }

    /// The answer to a line.
    fn lacking(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let all = ["photofinish".to_owned()].into_iter().chain(words.clone());
        lacks(&words, &Cli::try_parse_from(all).expect_err(line))
    }

    #[test]
    fn a_command_without_what_it_needs_is_answered_by_its_examples() {
        for (line, needs) in [
            ("compare ./a ./b", "compare needs --url <URL>, as in\n  "),
            ("load -c 10", "load needs <URL>, as in\n  "),
            (
                "capacity http://127.0.0.1/",
                "capacity needs --slo <OBJECTIVE>, as in\n  ",
            ),
        ] {
            let answer = lacking(line).unwrap_or_default();
            assert!(answer.starts_with(needs), "{line}: {answer}");
            assert!(answer.contains("\n  photofinish "), "{answer}");
        }
        let both = lacking("capacity").unwrap_or_default();
        assert!(both.contains("<URL>") && both.contains(" and "), "{both}");
        // The examples show no --rev, which only --build needs.
        assert_eq!(
            lacking("compare ./a --build make --url http://127.0.0.1/"),
            None
        );
    }

    #[test]
    fn a_help_text_is_cut_at_its_first_clause() {
        for (help, brief) in [
            (
                "Number of rounds; in each, all [default: 5]",
                "Number of rounds [default: 5]",
            ),
            (
                "Time, such as 20m, or none [default: the study's, else none; compare: 85s]",
                "Time",
            ),
            ("Request method", "Request method"),
        ] {
            assert_eq!(first_clause(help), brief);
        }
    }
}
