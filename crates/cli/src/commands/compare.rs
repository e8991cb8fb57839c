//! `photofinish compare`.

mod already;
mod at;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use photofinish_model::secret::{is_secret_name, remember};
use photofinish_model::store::MOST_TARGETS;
use photofinish_model::{Load, Objective, Search, Secret};
use photofinish_study::plan::Plan;
use photofinish_study::{Compare, Parameter, RunFlags, compare_plan, resolve, variable_value};

use crate::args::{At, CompareArgs};
use crate::commands::{revisions, run};
use crate::exit::Failure;
use crate::process;
use crate::request::{asked, lines, over_http2};

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let url = args.url.first().map_or("", String::as_str);
    let flags = asked(&args.request, Some(url))?;
    let already = already::already(args)?;
    let revisions = match args.race.rev.as_slice() {
        [] => None,
        given => {
            let purpose = args.build.as_deref().unwrap_or_default();
            Some(revisions::check_out(given, purpose)?)
        }
    };
    let checkouts = revisions.as_ref().map(|revisions| &revisions.checkouts);
    let usual = Compare::new(args.commands.clone(), url);
    let wanted = Compare {
        images: args.image.clone(),
        unix_socket: (args.request.unix_socket.as_ref()).map(|path| path.display().to_string()),
        revisions: checkouts.cloned().unwrap_or_default(),
        build: args.build.clone(),
        names: args.names.clone(),
        parameters: parameters(args)?,
        shell: !args.no_shell,
        prepare: args.prepare.clone(),
        cleanup: args.cleanup.clone(),
        env: variables(args)?,
        ready: args.ready.all.clone(),
        loads: loads(args, &BTreeMap::new())?,
        flags,
        over_http2: over_http2(&args.request),
        already,
        ..usual
    };
    if let (Some(At::Share(_)), Some(_)) = (args.at, &args.resume) {
        return Err(Failure::request(
            "--at: its share was turned into a rate when the run began; to resume that, give the rate, such as --at 20000/s",
        ));
    }
    let plan = plan(&wanted, args)?;
    run::require_outputs(&[&plan], &args.race)?;
    let ci = run::ci(&plan, &args.race)?;
    if let Some(revisions) = &revisions {
        revisions.introduce(args.race.detail.all.quiet);
    }
    let interrupt = process::interrupt()?;
    let plan = match args.at {
        Some(At::Share(share)) => {
            let found = at::rates(&plan, share, &args.race, &interrupt)?;
            let loads = loads(args, &found)?;
            self::plan(&Compare { loads, ..wanted }, args)?
        }
        _ => plan,
    };
    let resume = run::resumes(args.resume.as_ref(), &args.race, &plan.name)?;
    let again = |dir: &Path| run::again(run::words(), resume.is_none().then_some(dir));
    run::race(&plan, &args.race, &ci, resume.clone(), &again, &interrupt)
}

/// What is raced, with the settings of the flags.
fn plan(wanted: &Compare, args: &CompareArgs) -> Result<Plan, Failure> {
    let draft = compare_plan(wanted).map_err(Failure::mistake)?;
    let given = RunFlags {
        settings: args.race.settings.given.clone(),
        ..RunFlags::default()
    };
    resolve(draft, &given).map_err(Failure::mistake)
}

/// What `-c`, `--rate`, `--at` and `--capacity` ask for; `found`: the rates that a share came to, by the number of connections. Without them it is a
/// closed loop, which finds them.
fn loads(args: &CompareArgs, found: &BTreeMap<u32, f64>) -> Result<Vec<Load>, Failure> {
    let objective = match &args.capacity {
        None => None,
        Some(text) => Some(
            Objective::parse(text)
                .map_err(|error| Failure::request(format!("--capacity '{text}': {error}")))?,
        ),
    };
    let rates = |connections: u32| match args.at {
        None => args.rate.clone(),
        Some(At::Rate(rate)) => vec![rate],
        Some(At::Share(_)) => found.get(&connections).copied().into_iter().collect(),
    };
    let at = |connections| {
        if let Some(objective) = &objective {
            return vec![Load::Capacity(Search::new(objective.clone(), connections))];
        }
        let rates = rates(connections);
        if rates.is_empty() {
            return vec![Load::Closed { connections }];
        }
        let arrivals = args.open_loop.all.arrivals;
        let open = |rate| Load::Open {
            rate,
            arrivals,
            connections,
        };
        rates.into_iter().map(open).collect()
    };
    Ok(args.connections.iter().copied().flat_map(at).collect())
}

/// What -L and -P give, such as `threads` and `1,4,16` or `1..8`.
fn parameters(args: &CompareArgs) -> Result<Vec<Parameter>, Failure> {
    let mut parameters = Vec::new();
    for given in args.parameters.chunks(2) {
        let [name, values] = given else { continue };
        let listed = || values.split(',').map(str::to_owned).collect();
        let values: Vec<String> = match values.split_once("..") {
            Some((min, max)) if is_number(min) && is_number(max) => {
                range(&format!("-L {name}"), min, max)?
            }
            _ => listed(),
        };
        if is_secret_name(name) {
            values.iter().for_each(|value| remember(value));
        }
        let name = name.clone();
        parameters.push(Parameter { name, values });
    }
    for given in args.scans.chunks(3) {
        let [name, min, max] = given else { continue };
        let values = range(&format!("-P {name}"), min, max)?;
        let name = name.clone();
        parameters.push(Parameter { name, values });
    }
    Ok(parameters)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// All whole numbers from `min` to `max`.
fn range(flag: &str, min: &str, max: &str) -> Result<Vec<String>, Failure> {
    let number = |text: &str| {
        let number = text.parse::<u32>();
        number.map_err(|_| Failure::request(format!("{flag} {text}: give a whole number")))
    };
    let (min, max) = (number(min)?, number(max)?);
    if min > max {
        return Err(Failure::request(format!(
            "{flag} {min}..{max}: the first number is the larger one; write {max}..{min}"
        )));
    }
    let count = u64::from(max - min) + 1;
    if count > MOST_TARGETS as u64 {
        return Err(Failure::request(format!(
            "{flag} {min}..{max}: these are {count} servers, and at most {MOST_TARGETS} can be raced; list some, such as -L NAME {min},{max}"
        )));
    }
    Ok((min..=max).map(|number| number.to_string()).collect())
}

/// The variables of all --env-file, and then those of all --env.
fn variables(args: &CompareArgs) -> Result<Vec<(String, Secret<String>)>, Failure> {
    let mut variables = Vec::new();
    for file in &args.env_file {
        let file = file.display().to_string();
        let source: Arc<str> = format!("--env-file {file}").into();
        for (number, line) in lines("--env-file", &file)? {
            let place = format!("--env-file {file}, line {number}");
            variables.push(variable(&line, &place, Some(&source))?);
        }
    }
    for text in &args.env {
        variables.push(variable(text, "--env", None)?);
    }
    Ok(variables)
}

/// `NAME=VALUE`. A mistake is named without the text, which may be a secret.
fn variable(
    text: &str,
    place: &str,
    source: Option<&Arc<str>>,
) -> Result<(String, Secret<String>), Failure> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| Failure::request(format!("{place}: there is no `=`; write NAME=VALUE")))?;
    Ok((name.to_owned(), variable_value(name, value, source)))
}
