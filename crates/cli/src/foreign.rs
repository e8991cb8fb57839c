//! Flags of other load generators: what they are called here, in a line.

use clap::error::ContextKind;

/// A flag of other tools, and what to write instead.
struct Foreign {
    flag: &'static str,
    /// Where it is not known, or has another meaning.
    commands: &'static [&'static str],
    says: &'static str,
}

const LOAD: &[&str] = &["load", "capacity", "compare"];
const ALL: &[&str] = &["load", "capacity", "compare", "run"];

const FOREIGN: &[Foreign] = &[
    Foreign {
        flag: "-z",
        commands: LOAD,
        says: "-z of oha and hey is -d here: -d 30s",
    },
    Foreign {
        flag: "-q",
        commands: LOAD,
        says: "-q prints less here; -q of oha and hey is --rate: --rate 100",
    },
    Foreign {
        flag: "-R",
        commands: LOAD,
        says: "-R of wrk2 is --rate here: --rate 2000",
    },
    Foreign {
        flag: "-k",
        commands: LOAD,
        says: "connections are kept open here, as by -k of ab; -k of curl is --insecure",
    },
    Foreign {
        flag: "-T",
        commands: LOAD,
        says: "-T of ab, hey and oha is -H 'Content-Type: TYPE' here; -T of wrk is --timeout",
    },
    Foreign {
        flag: "-t",
        commands: LOAD,
        says: "-t is the number of threads here; -t of ab is -d, and -t of hey is --timeout",
    },
    Foreign {
        flag: "-s",
        commands: LOAD,
        says: "-s of wrk is --requests-from FILE here (docs/requests.md); -s of ab is --timeout",
    },
    Foreign {
        flag: "-p",
        commands: LOAD,
        says: "-p FILE of ab is -X POST --body @FILE here",
    },
    Foreign {
        flag: "-D",
        commands: LOAD,
        says: "-D FILE of hey and oha is --body @FILE here; -D of h2load is -d",
    },
    Foreign {
        flag: "-a",
        commands: LOAD,
        says: "-a USER:PASSWORD of oha and hey is -u USER:PASSWORD here",
    },
    Foreign {
        flag: "-A",
        commands: LOAD,
        says: "-A USER:PASSWORD of ab is -u USER:PASSWORD here; -A of oha and hey is -H 'Accept: TYPE'",
    },
    Foreign {
        flag: "-C",
        commands: LOAD,
        says: "-C of ab is -H 'Cookie: NAME=VALUE' here",
    },
    Foreign {
        flag: "-i",
        commands: LOAD,
        says: "-i of k6 is -n here; -i of ab is -X HEAD",
    },
    Foreign {
        flag: "-e",
        commands: LOAD,
        says: "-e FILE of ab is --json here",
    },
    Foreign {
        flag: "-l",
        commands: LOAD,
        says: "all percentiles are printed by -v here; bodies of any length are accepted unless --expect-body is there",
    },
    Foreign {
        flag: "-o",
        commands: ALL,
        says: "-o of oha, hey and vegeta is --json here",
    },
    Foreign {
        flag: "-w",
        commands: &["compare", "run"],
        says: "-w of hyperfine counts runs; here --warmup is a time: --warmup 10s",
    },
    Foreign {
        flag: "-r",
        commands: &["compare", "run"],
        says: "-r of hyperfine is --rounds here",
    },
    Foreign {
        flag: "-h2",
        commands: LOAD,
        says: "-h2 of hey is --http2 here",
    },
    Foreign {
        flag: "-rate",
        commands: LOAD,
        says: "-rate of vegeta is --rate here: --rate 100",
    },
    Foreign {
        flag: "-duration",
        commands: LOAD,
        says: "-duration of vegeta is --duration here: -d 30s",
    },
    Foreign {
        flag: "-targets",
        commands: LOAD,
        says: "-targets of vegeta is --requests-from FILE here (docs/requests.md)",
    },
    Foreign {
        flag: "--latency",
        commands: LOAD,
        says: "--latency of wrk is -v here",
    },
    Foreign {
        flag: "--latencies",
        commands: LOAD,
        says: "--latencies of bombardier is -v here",
    },
    Foreign {
        flag: "--vus",
        commands: LOAD,
        says: "--vus of k6 is -c here: -c 100",
    },
    Foreign {
        flag: "--iterations",
        commands: LOAD,
        says: "--iterations of k6 is -n here: -n 1000",
    },
    Foreign {
        flag: "--stage",
        commands: LOAD,
        says: "--stage of k6 is --stages here: --stages 10s@1000,30s@1000..5000 (requests per second)",
    },
    Foreign {
        flag: "--script",
        commands: LOAD,
        says: "--script of wrk is --requests-from FILE here (docs/requests.md)",
    },
    Foreign {
        flag: "--disable-keepalive",
        commands: LOAD,
        says: "--disable-keepalive of oha is --no-keepalive here",
    },
    Foreign {
        flag: "--no-tui",
        commands: LOAD,
        says: "--no-tui of oha is -q here",
    },
    Foreign {
        flag: "--query-per-second",
        commands: LOAD,
        says: "--query-per-second of oha is --rate here",
    },
    Foreign {
        flag: "--latency-correction",
        commands: LOAD,
        says: "latencies of an open loop (--rate) count from when a request was due",
    },
    Foreign {
        flag: "--min-runs",
        commands: &["compare", "run"],
        says: "--min-runs of hyperfine: rounds are added with --until-decided here, or fixed with --rounds",
    },
    Foreign {
        flag: "--max-runs",
        commands: &["compare", "run"],
        says: "--max-runs of hyperfine is --until-decided --max-rounds here",
    },
    Foreign {
        flag: "--setup",
        commands: &["compare"],
        says: "--setup of hyperfine: photofinish starts servers once per round; --prepare runs before each start",
    },
    Foreign {
        flag: "--conclude",
        commands: &["compare"],
        says: "--conclude of hyperfine is --cleanup here",
    },
];

/// What a flag of another tool is called here. `wrong` is the argument that was refused in this command line.
pub fn answer(words: &[String], wrong: &str) -> Option<String> {
    let (command, given) = words.split_first()?;
    let wrong = wrong.split([' ', '=']).next().unwrap_or_default();
    if wrong == "--duration" && LOAD.contains(&command.as_str()) {
        return given
            .iter()
            .find(|word| is_body(word))
            .map(|_| BODY.to_owned());
    }
    let places = given.iter().enumerate().filter(|(at, word)| {
        let name = word.split('=').next().unwrap_or_default();
        // `-rate` is refused as `-r`, `-t 30s` as `--threads`, and the value of a switch by itself.
        let is_refused = !wrong.is_empty() && name.starts_with(wrong);
        let is_ours = name == "-t" && wrong == "--threads";
        let has_value = name == "-q" && given.get(at + 1).is_some_and(|next| next == wrong);
        is_refused || is_ours || has_value || name == "-h2"
    });
    places.into_iter().find_map(|(_, word)| {
        let name = word.split('=').next().unwrap_or_default();
        let mut rows = FOREIGN.iter();
        let row = rows.find(|row| row.flag == name && row.commands.contains(&command.as_str()));
        row.map(|row| row.says.to_owned())
    })
}

/// The argument that clap refused.
pub fn refused_argument(error: &clap::Error) -> String {
    let wrong = error.get(ContextKind::InvalidArg);
    wrong.map(ToString::to_string).unwrap_or_default()
}

/// What `-d` says of a text that is a body, as curl and hey take it there.
pub const BODY: &str = "-d is --duration here; -d of curl and hey is --body";

/// Whether a text is a body rather than a length of time.
pub fn is_body(text: &str) -> bool {
    text.contains(['=', '{']) && !text.starts_with('-') && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    /// The answer to a line that is refused.
    fn refused(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let all = ["photofinish".to_owned()].into_iter().chain(words.clone());
        let error = Cli::try_parse_from(all).expect_err(line);
        answer(&words, &refused_argument(&error))
    }

    #[test]
    fn flags_of_other_tools_are_answered_in_a_line() {
        let url = "http://127.0.0.1:8080/";
        for (line, part) in [
            (format!("load -z 30s {url}"), "is -d here"),
            (format!("load {url} -q 100"), "--rate 100"),
            (format!("load {url} --latency"), "is -v here"),
            (format!("compare a b --url {url} -d a=1"), "is --body"),
            (format!("load {url} -h2"), "is --http2 here"),
            (format!("load {url} -t 30s"), "-t of ab is -d"),
            (format!("load -k {url}"), "--insecure"),
            (format!("load {url} --vus 10"), "is -c here"),
            (format!("load {url} -rate=100"), "is --rate here"),
            (format!("compare a b --url {url} -w 3"), "--warmup 10s"),
            ("run quickstart --min-runs 5".to_owned(), "--until-decided"),
        ] {
            let answer = refused(&line).unwrap_or_default();
            assert!(answer.contains(part), "{line}: {answer}");
            assert!(!answer.contains('\n'), "{answer}");
        }
        // A flag that is right is no riddle.
        assert_eq!(
            refused("load http://127.0.0.1:8080/ -t 2 -q --no-such-flag"),
            None
        );
    }
}
