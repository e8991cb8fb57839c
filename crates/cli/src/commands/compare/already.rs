//! `photofinish compare --url A --url B`: servers that run already.

use photofinish_lab::resolve;
use photofinish_model::settings::{Group, LEAVE_OUT, RaceLayer};
use photofinish_study::plan::Endpoint;

use crate::args::CompareArgs;
use crate::exit::Failure;

/// Where the servers are that race, if they run already; nothing where commands or revisions do.
///
/// # Errors
/// For flags that are about starting servers, and for URLs that cannot or may not be loaded.
pub fn already(args: &CompareArgs) -> Result<Vec<Endpoint>, Failure> {
    let starts = !args.commands.is_empty() || !args.image.is_empty() || !args.race.rev.is_empty();
    match (args.url.len(), starts) {
        (1, true) if args.allow_remote => {
            return Err(Failure::request(
                "--allow-remote: it is for servers that run already, and commands start theirs on this machine; leave it out",
            ));
        }
        (1, _) => return Ok(Vec::new()),
        (_, true) => {
            return Err(Failure::request(
                "--url: several URLs are of servers that run already, and commands start servers; give one URL with {port} for the \
                 commands, or the URLs alone",
            ));
        }
        (_, false) => {}
    }
    let settings = refused_settings(args).map(|(flag, instead)| (flag, true, instead));
    let refused = refused(args).map(|(flag, given, instead)| (flag.to_owned(), given, instead));
    for (flag, given, instead) in refused.into_iter().chain(settings) {
        if given {
            return Err(Failure::request(format!(
                "{flag}: the servers at these URLs run already, and photofinish neither starts nor stops them; {instead}"
            )));
        }
    }
    let socket = args.request.unix_socket.as_deref();
    if socket.is_some() {
        return Err(Failure::request(
            "--unix-socket: all URLs would be those of one socket; give `compare` URLs with ports, or load each by `photofinish load`",
        ));
    }
    let endpoints = args.url.iter();
    endpoints
        .map(|url| Ok(resolve(url, None, args.allow_remote)?))
        .collect()
}

/// The settings that make no sense here, and what to do instead.
fn refused_settings(args: &CompareArgs) -> impl Iterator<Item = (String, &'static str)> {
    let running = RaceLayer::of_running().over(RaceLayer::of_run()).given();
    let (race, ready) = (args.race.settings.given.given(), args.ready.given.given());
    let given = race.into_iter().chain(ready);
    given.filter_map(move |(row, set)| {
        let instead = row.running?;
        let same = running
            .iter()
            .any(|(other, fixed)| other.name == row.name && fixed.value == set.value);
        (!same).then(|| (row.label(), instead))
    })
}

/// Other flags that make no sense here, whether each is given, and what to do instead.
fn refused(args: &CompareArgs) -> [(&'static str, bool, &'static str); 9] {
    [
        ("--build", args.build.is_some(), LEAVE_OUT),
        ("--parameter-list", !args.parameters.is_empty(), LEAVE_OUT),
        ("--parameter-scan", !args.scans.is_empty(), LEAVE_OUT),
        ("--no-shell", args.no_shell, LEAVE_OUT),
        ("--prepare", !args.prepare.is_empty(), LEAVE_OUT),
        ("--cleanup", !args.cleanup.is_empty(), LEAVE_OUT),
        (
            "--env",
            !args.env.is_empty() || !args.env_file.is_empty(),
            LEAVE_OUT,
        ),
        (
            "--on",
            args.race.on.is_some(),
            "start photofinish on the machine that is to send the load",
        ),
        (
            "--capacity",
            args.capacity.is_some(),
            "use `photofinish capacity URL` for each, or give the commands that start them",
        ),
    ]
}
