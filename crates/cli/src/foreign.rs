//! Flags of other load generators: what they are called here, in a line.

use clap::CommandFactory;
use clap::error::ContextKind;

use crate::args::Cli;

/// A flag of other tools, and what to write instead.
struct Foreign {
    flag: &'static str,
    /// The commands that do not have it, or with another meaning.
    commands: &'static [&'static str],
    says: &'static str,
}

const ONE: &[&str] = &["load", "capacity"];
const COMPARE: &[&str] = &["compare"];
const RACES: &[&str] = &["compare", "run"];
const LOADS: &[&str] = &["load", "capacity", "compare"];
const ALL: &[&str] = &["load", "capacity", "compare", "run"];

/// Makes the rows of the table.
macro_rules! answers {
    ($($commands:ident $flag:literal: $says:literal;)+) => {
        &[$(Foreign { flag: $flag, commands: $commands, says: $says },)+]
    };
}

const FOREIGN: &[Foreign] = answers! {
    LOADS "-z": "-z of oha and hey is -d here: -d 30s";
    LOADS "-q": "-q prints less here; -q of oha and hey is --rate: --rate 100";
    LOADS "-R": "-R of wrk2 is --rate here: --rate 2000";
    LOADS "-k": "connections are kept open here, as by -k of ab; -k of curl is --insecure";
    LOADS "-T": "-T of ab, hey and oha is -H 'Content-Type: TYPE' here; -T of wrk is --timeout";
    LOADS "-t": "-t is the number of threads here; -t of ab is -d, and -t of hey is --timeout";
    LOADS "-s": "-s of wrk is --requests-from FILE here (docs/requests.md); -s of ab is --timeout";
    ONE "-L": "-L of curl is --follow-redirects here";
    LOADS "--location": "--location of curl is --follow-redirects here";
    LOADS "--redirect": "--redirect of oha: redirects are errors here unless --follow-redirects is there";
    LOADS "--max-redirects": "--max-redirects of k6: redirects are errors here unless --follow-redirects is there";
    LOADS "-redirects": "-redirects of vegeta: redirects are errors here unless --follow-redirects is there";
    LOADS "-disable-redirects": "redirects are not followed here unless --follow-redirects is there";
    ONE "-p": "-p FILE of ab is -X POST --body @FILE here";
    COMPARE "-p": "-p of hyperfine is --prepare here; -p FILE of ab is -X POST --body @FILE";
    LOADS "-D": "-D FILE of hey and oha is --body @FILE here; -D of h2load is -d";
    LOADS "-a": "-a USER:PASSWORD of oha and hey is -u USER:PASSWORD here";
    LOADS "-A": "-A USER:PASSWORD of ab is -u USER:PASSWORD here; -A of oha and hey is -H 'Accept: TYPE'";
    LOADS "-C": "-C of ab is a header here: -H, and its name is Cookie";
    COMPARE "-i": "-i of hyperfine: a server that fails is named here, and the others race on";
    COMPARE "--ignore-failure": "--ignore-failure of hyperfine: a server that fails is named here, and the others race on";
    ONE "-i": "-i of k6 is -n here; -i of ab is -X HEAD";
    LOADS "-e": "-e FILE of ab is --json here";
    LOADS "-l": "all percentiles are printed by -v here; bodies of any length are accepted unless --expect-body is there";
    ALL "-o": "-o of oha, hey and vegeta is --json here";
    RACES "-w": "-w of hyperfine counts runs; here --warmup is a time: --warmup 10s";
    RACES "-r": "-r of hyperfine is --rounds here";
    LOADS "-h2": "-h2 of hey is --http2 here";
    LOADS "-host": "-host of hey is -H 'Host: NAME' here";
    LOADS "-cpus": "-cpus of hey is --threads here";
    LOADS "-disable-keepalive": "-disable-keepalive of hey is --no-keepalive here";
    LOADS "-workers": "-workers of vegeta is -c here: -c 100";
    LOADS "-max-workers": "-max-workers of vegeta is -c here: -c 100";
    LOADS "-rate": "-rate of vegeta is --rate here: --rate 100";
    LOADS "-duration": "-duration of vegeta is --duration here: -d 30s";
    LOADS "-targets": "-targets of vegeta is --requests-from FILE here (docs/requests.md)";
    LOADS "--latency": "--latency of wrk is -v here";
    LOADS "--latencies": "--latencies of bombardier is -v here";
    ALL "--vus": "--vus of k6 is -c of `photofinish load` and `compare`: -c 100";
    ALL "--iterations": "--iterations of k6 is -n of `photofinish load`: -n 1000";
    LOADS "--stage": "--stage of k6 is --stages here: --stages 10s@1000,30s@1000..5000 (requests per second)";
    LOADS "--script": "--script of wrk is --requests-from FILE here (docs/requests.md)";
    LOADS "--disable-keepalive": "--disable-keepalive of oha is --no-keepalive here";
    LOADS "--no-tui": "--no-tui of oha is -q here";
    LOADS "--query-per-second": "--query-per-second of oha is --rate here";
    LOADS "--rps": "--rps of k6 is --rate here: --rate 100";
    LOADS "--ramp-up": "rates rise by --stages here: --stages 10s@100..1000,30s@1000";
    LOADS "--data": "--data of curl is --body here";
    LOADS "--body-file": "--body-file is --body @FILE here";
    LOADS "-b": "-b of curl is a header here: -H, and its name is Cookie";
    LOADS "--cookie": "--cookie of curl is a header here: -H, and its name is Cookie";
    LOADS "--compressed": "--compressed of curl is -H 'Accept-Encoding: gzip' here; bodies are not decoded";
    LOADS "-I": "-I of curl is -X HEAD here";
    LOADS "--head": "--head of curl is -X HEAD here";
    LOADS "-x": "-x of curl: no proxy is used here, so give the URL of the server";
    LOADS "--proxy": "--proxy: no proxy is used here, so give the URL of the server";
    LOADS "--resolve": "--resolve of curl: give the address in the URL here, and the name by -H 'Host: NAME'";
    LOADS "--connect-to": "--connect-to: give the address in the URL here, and the name by -H 'Host: NAME'";
    LOADS "--http3": "HTTP/3 is not spoken here; HTTP/1.1 is the default, and --http2 is there";
    LOADS "--http1.1": "HTTP/1.1 is the default here";
    LOADS "--output": "--output is --json here";
    LOADS "--output-format": "--output-format of oha is --json here";
    LOADS "--latency-correction": "latencies of an open loop (--rate) count from when a request was due";
    RACES "--min-runs": "--min-runs of hyperfine: rounds are added with --until-decided here, or fixed with --rounds";
    RACES "-M": "-M of hyperfine is --until-decided --max-rounds here";
    COMPARE "-S": "-S of hyperfine: sh starts commands here, or no shell with --no-shell";
    COMPARE "--shell": "--shell of hyperfine: sh starts commands here, or no shell with --no-shell";
    COMPARE "--show-output": "--show-output of hyperfine: what servers print is in the folder logs of the results";
    COMPARE "--style": "--style of hyperfine: -q prints less here, and -v more";
    COMPARE "--time-unit": "--time-unit of hyperfine: each figure has the unit that suits it here";
    RACES "--max-runs": "--max-runs of hyperfine is --until-decided --max-rounds here";
    COMPARE "--setup": "--setup of hyperfine: photofinish starts servers once per round; --prepare runs before each start";
    COMPARE "--conclude": "--conclude of hyperfine is --cleanup here";
};

/// What a flag of another tool is called here. `wrong` is the argument that was refused in this command line.
pub fn answer(words: &[String], wrong: &str) -> Option<String> {
    if let Some(says) = without_command(words) {
        return Some(says);
    }
    if let Some(says) = with_one_dash(words) {
        return Some(says);
    }
    let (command, given) = words.split_first()?;
    let wrong = wrong.split([' ', '=']).next().unwrap_or_default();
    let has_body = |pair: &[String]| pair[0] == "-d" && is_body(&pair[1]);
    if LOADS.contains(&command.as_str()) && given.windows(2).any(has_body) {
        return Some(BODY.to_owned());
    }
    let places = given.iter().enumerate().filter(|(at, word)| {
        let name = word.split('=').next().unwrap_or_default();
        // `-rate` is refused as `-r`, `-t 30s` as `--threads`, and the value of a switch as the URL.
        let is_refused = !wrong.is_empty() && name.starts_with(wrong);
        let is_ours = name == "-t" && wrong == "--threads";
        let next = given.get(at + 1).and_then(|next| next.parse::<f64>().ok());
        let has_value = name == "-q" && next.is_some() || is_glued_rate(name);
        is_refused || is_ours || has_value || name == "-h2"
    });
    places.into_iter().find_map(|(_, word)| {
        let name = word.split('=').next().unwrap_or_default();
        // `-R2000` is `-R 2000`.
        let short = || find(command, wrong).filter(|_| wrong.len() == LETTER);
        let rate = || find(command, "-q").filter(|_| is_glued_rate(name));
        let row = find(command, name).or_else(short).or_else(rate);
        row.map(|row| row.says.to_owned())
    })
}

/// The length of a flag of one letter.
const LETTER: usize = 2;

/// Whether a word is `-q100`, which clap reads as `-q -1 -0 -0`.
fn is_glued_rate(word: &str) -> bool {
    let rate = word.strip_prefix("-q");
    rate.is_some_and(|rate| rate.parse::<f64>().is_ok())
}

/// The row of a flag, in a command.
fn find(command: &str, flag: &str) -> Option<&'static Foreign> {
    let here = |row: &&Foreign| row.commands.contains(&command);
    FOREIGN.iter().filter(here).find(|row| row.flag == flag)
}

/// What to write for the first long flag with one dash. A command that refuses `-max-workers=10` has taken it as `-m ax-workers=10`.
pub fn with_one_dash(words: &[String]) -> Option<String> {
    let (command, given) = words.split_first()?;
    given.iter().find_map(|word| one_dash(command, word))
}

/// What to write for a long flag with one dash, as tools in Go have them (hey, vegeta): clap reads `-timeout` as `-t imeout`.
fn one_dash(command: &str, word: &str) -> Option<String> {
    let flag = word.split('=').next()?;
    let name = flag.strip_prefix('-')?;
    if name.len() < LETTER || name.starts_with('-') {
        return None;
    }
    if let Some(row) = find(command, flag) {
        return Some(row.says.to_owned());
    }
    let cli = Cli::command();
    let mut own = cli.find_subcommand(command)?.get_arguments();
    let is_own = own.any(|arg| {
        let names = arg.get_long_and_visible_aliases().unwrap_or_default();
        names.contains(&name)
    });
    is_own.then(|| format!("{flag} is --{name} here, with two dashes"))
}

/// Whether words that clap reads as a call for help ask for something else: `-header` is no `-h`.
pub fn asks_for_no_help(words: &[String]) -> bool {
    let is_long = |word: &String| word.starts_with("-h") && word.len() > LETTER;
    words.iter().any(is_long)
}

/// What to write if the first word is no command: other tools have one command only.
fn without_command(words: &[String]) -> Option<String> {
    let first = words.first()?;
    let is_url = |word: &String| word.contains("://") && !word.contains(' ');
    let says = if first == "attack" {
        "attack of vegeta is load here: `photofinish load URL --rate 100 -d 30s`"
    } else if words.iter().any(is_url) && (is_url(first) || first.starts_with('-')) {
        "`photofinish load URL` loads a server that runs; `photofinish load -h` shows examples"
    } else if first.contains(' ') {
        "`photofinish compare 'COMMAND' 'COMMAND' --url URL` races servers; `photofinish compare -h` shows examples"
    } else {
        return None;
    };
    Some(says.to_owned())
}

/// The argument that clap refused.
pub fn refused_argument(error: &clap::Error) -> String {
    let wrong = error.get(ContextKind::InvalidArg);
    wrong.map(ToString::to_string).unwrap_or_default()
}

/// What `run` says of a script.
pub const SCRIPT: &str = "run takes a study here (docs/study-files.md); what a script of k6 does is `photofinish load URL -c 100 -d 30s`";

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
            (format!("load -n 20 -q 100 {url}"), "--rate 100"),
            (format!("compare a b --url {url} -d a=1"), "is --body"),
            (format!("load -n 20 -d a=1 {url}"), "is --body"),
            (format!("load {url} -h2"), "is --http2 here"),
            (format!("load {url} -t 30s"), "-t of ab is -d"),
            (format!("load -k {url}"), "--insecure"),
            (format!("load {url} --vus 10"), "is -c of"),
            (format!("load {url} -rate=100"), "is --rate here"),
            (format!("compare a b --url {url} -w 3"), "--warmup 10s"),
            ("run quickstart --min-runs 5".to_owned(), "--until-decided"),
            (format!("load -t2 -c10 -R2000 {url}"), "--rate 2000"),
            (format!("-c 10 {url}"), "`photofinish load URL`"),
            (url.to_owned(), "`photofinish load URL`"),
            (format!("load -L {url}"), "--follow-redirects"),
            (format!("load {url} --redirect 5"), "--follow-redirects"),
            (format!("load -redirects=5 {url}"), "--follow-redirects"),
            ("attack -rate=100".to_owned(), "`photofinish load URL"),
            (
                format!("load -timeout 1s {url}"),
                "-timeout is --timeout here",
            ),
            (format!("load -body a.txt {url}"), "-body is --body here"),
            (
                format!("load -header A:b {url}"),
                "-header is --header here",
            ),
            (format!("load -http2 {url}"), "-http2 is --http2 here"),
            (format!("load -host a.test {url}"), "-H 'Host: NAME'"),
            (format!("load -cpus 2 {url}"), "--threads"),
            (format!("load -targets=a.txt {url}"), "--requests-from"),
            (
                format!("load -n 20 -disable-keepalive {url}"),
                "--no-keepalive",
            ),
            (format!("load -max-workers 10 {url}"), "-c 100"),
            (format!("load -q100 {url}"), "--rate 100"),
            (format!("load --rps 5 {url}"), "--rate 100"),
            (format!("load --data x=1 {url}"), "is --body here"),
            (format!("load -x http://a.test {url}"), "no proxy"),
            (format!("load --http3 {url}"), "is not spoken"),
            (format!("compare a b --url {url} -i"), "of hyperfine"),
            (format!("compare a b --url {url} -M 9"), "--max-rounds"),
            (format!("compare a b --url {url} -S none"), "--no-shell"),
        ] {
            let answer = refused(&line).unwrap_or_default();
            assert!(answer.contains(part), "{line}: {answer}");
            assert!(!answer.contains('\n'), "{answer}");
        }
        // Clap takes these for flags of one letter with their values.
        for (line, part) in [
            ("load -max-workers=10 http://127.0.0.1:8080/", "-c 100"),
            (
                "load http://127.0.0.1:8080/ -disable-keepalive",
                "--no-keepalive",
            ),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let answer = with_one_dash(&words).unwrap_or_default();
            assert!(answer.contains(part), "{line}: {answer}");
        }
        // A flag that is right is no riddle.
        assert_eq!(
            refused("load http://127.0.0.1:8080/ -t 2 -q --no-such-flag"),
            None
        );
    }
}
