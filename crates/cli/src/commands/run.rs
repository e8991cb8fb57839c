//! `photofinish run`.

mod pairs;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use photofinish_lab::{RunOptions, last_results, new_results};
use photofinish_model::secret::{MASK, mask_words, masked_header};
use photofinish_model::store::take_back;
use photofinish_study::find::Library;
use photofinish_study::plan::{Plan, Target};
use photofinish_study::{RunFlags, at_revisions, load_study_with, resolve};
use photofinish_voice::left_out;

use crate::args::{RaceArgs, RunArgs, detail};
use crate::ci::Ci;
use crate::commands::history::pair_runs_in;
use crate::commands::plan;
use crate::commands::report;
use crate::commands::revisions::{self, Revisions};
use crate::exit::Failure;
use crate::foreign;
use crate::machines::machines;
use crate::progress::{self, RunProgress};
use crate::{out, outputs, process, signals};

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    if args.resume.is_some() && args.studies.len() > 1 {
        return Err(Failure::request(
            "--resume resumes one run: name one study with it",
        ));
    }
    if args.studies.iter().any(|study| study.ends_with(".js")) {
        return Err(Failure::request(foreign::SCRIPT));
    }
    let current = process::folder()?;
    let library = Library::new(None, &current);
    let flags = RunFlags {
        settings: args.race.settings.given.clone(),
        smoke: args.smoke,
        only: args.only.clone(),
        scale: args.scale,
        no_limit: args.no_limit,
    };
    let revisions = match args.race.rev.as_slice() {
        [] => None,
        given => Some(revisions::check_out(given, "")?),
    };
    // Every study is read before the first one runs: a mistake in the last must not cost an hour.
    let plans = args
        .studies
        .iter()
        .map(|study| {
            let plan = load_study_with(&library, study, &args.with).map_err(Failure::mistake)?;
            let plan = match &revisions {
                None => plan,
                Some(Revisions {
                    repository,
                    checkouts,
                    ..
                }) => at_revisions(plan, repository.root(), checkouts).map_err(Failure::mistake)?,
            };
            resolve(plan, &flags).map_err(Failure::mistake)
        })
        .collect::<Result<Vec<_>, _>>()?;
    require_outputs(&plans.iter().collect::<Vec<_>>(), &args.race)?;
    let interrupt = process::interrupt()?;
    let exports = args.race.exports.0.first();
    let file = match (&args.race.ci.all.junit, exports) {
        (Some(_), _) => Some("junit"),
        (None, Some((format, _))) => Some(format.row.name),
        (None, None) => None,
    };
    if let (Some(flag), true) = (file, plans.len() > 1) {
        return Err(Failure::request(format!(
            "--{flag} names one file: run one study with it"
        )));
    }
    let asked = plans
        .iter()
        .map(|plan| ci(plan, &args.race))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(revisions) = &revisions {
        revisions.introduce(args.race.detail.all.quiet);
    }
    let (mut incomplete, mut fails) = (false, false);
    for ((plan, ci), study) in plans.iter().zip(&asked).zip(&args.studies) {
        let resume = resumes(args.resume.as_ref(), &args.race, &plan.name)?;
        // This study alone.
        let other = |word: &String| args.studies.contains(word) && word != study;
        let words = || words().filter(|word| !other(word));
        let begun = resume.is_none();
        let again = |dir: &Path| again(words(), begun.then_some(dir));
        match race(plan, &args.race, ci, resume, &again, &interrupt) {
            Ok(()) => {}
            // Said already; the other studies go on.
            Err(Failure::Incomplete) => incomplete = true,
            Err(Failure::Condition) => fails = true,
            Err(other) => return Err(other),
        }
        if signals::interrupted(&interrupt) {
            return Err(Failure::Incomplete);
        }
    }
    if incomplete {
        Err(Failure::Incomplete)
    } else if fails {
        Err(Failure::Condition)
    } else {
        Ok(())
    }
}

/// Checks the files that are to be written against those that the plans are run from.
///
/// # Errors
/// As [`outputs::check`].
pub fn require_outputs(plans: &[&Plan], args: &RaceArgs) -> Result<(), Failure> {
    let targets = plans.iter().flat_map(|plan| &plan.targets);
    let mut inputs: Vec<PathBuf> = targets.flat_map(programs).collect();
    inputs.extend(args.on.clone());
    outputs::check(&args.exports, Some(&args.ci.all), &inputs)
}

/// The files that the words of a target's commands may be, such as a script. A word may be a whole command of a shell's.
fn programs(target: &Target) -> Vec<PathBuf> {
    let build = target.build.iter().flat_map(|build| &build.command);
    let around = [
        &target.start.command,
        &target.start.prepare,
        &target.stop.cleanup,
    ];
    let words = around.into_iter().flatten().chain(build);
    let folder = target.dir.as_deref().unwrap_or(Path::new(""));
    words
        .flat_map(|word| word.split_ascii_whitespace())
        .map(|word| folder.join(word.trim_matches(['"', '\''])))
        .filter(|path| path.is_file())
        .collect()
}

/// The folder that `--resume` names, or that of the last run where it names none; `None` where nothing is resumed.
///
/// # Errors
/// Where there is no earlier run.
pub fn resumes(
    asked: Option<&Option<PathBuf>>,
    args: &RaceArgs,
    name: &str,
) -> Result<Option<PathBuf>, Failure> {
    match asked {
        None => Ok(None),
        Some(Some(folder)) => Ok(Some(folder.clone())),
        Some(None) => match last_results(&args.results, name) {
            Some(folder) => Ok(Some(folder)),
            None => Err(Failure::request(format!(
                "--resume: there is no earlier run of {name} under {}; run it without --resume",
                args.results.display()
            ))),
        },
    }
}

/// What a CI job asks for, about a plan's targets.
pub fn ci(plan: &Plan, args: &RaceArgs) -> Result<Ci, Failure> {
    let labels: Vec<&str> = plan.targets.iter().map(|t| t.label.as_str()).collect();
    Ci::new(&args.ci.all, &labels)
}

/// Runs one race, and prints the verdict and where the report lies; `again` says how to resume the run of a folder where it is
/// interrupted.
pub fn race(
    plan: &Plan,
    args: &RaceArgs,
    ci: &Ci,
    resume: Option<PathBuf>,
    again: &dyn Fn(&Path) -> String,
    interrupt: &AtomicBool,
) -> Result<(), Failure> {
    out::rivals(args.detail.all.quiet);
    if !args.detail.all.quiet {
        introduce(plan);
        let forecast = (resume.is_none() && args.on.is_none())
            .then(|| plan::forecast(plan, &args.results))
            .flatten();
        if let Some(forecast) = forecast {
            out::note(&forecast.en);
        }
    }
    let mut all = machines(args.on.as_deref(), interrupt)?;
    let is_of_pairs = |folder: &PathBuf| !pair_runs_in(folder).is_empty();
    if all.len() > 1 || resume.as_ref().is_some_and(is_of_pairs) {
        return pairs::race(plan, (args, ci), resume, again, (interrupt, &all));
    }
    let Some(machines) = all.pop() else {
        return Err(Failure::request("--on names no machines"));
    };
    let options = RunOptions {
        results: match &resume {
            Some(folder) => folder.clone(),
            None => new_results(&args.results, &plan.name).map_err(photofinish_lab::Error::from)?,
        },
        resume: resume.is_some(),
        seed: args.seed,
        cache: machines.cache.clone(),
        conditions: ci.conditions().to_vec(),
        dealt: None,
    };
    let mut show = RunProgress::new(&plan.name, &options.results, detail(&args.detail.all));
    let finished = photofinish_lab::run(
        plan,
        &options,
        &machines.host,
        &machines.generator,
        &mut |event| show.event(event),
        interrupt,
    );
    show.end();
    if finished.is_err() && resume.is_none() {
        take_back(&options.results);
    }
    let finished = finished.map_err(Failure::from)?;
    let (results, comparison) = report::finish(
        &finished.dir,
        detail(&args.detail.all),
        &args.exports,
        &args.ci.all,
    )?;
    if finished.interrupted {
        return Err(interrupted(&finished.dir, again));
    }
    let asked = ci.report(&results, &comparison);
    if finished.failed > 0 {
        let what = match (finished.missing, finished.failed) {
            (0, 1) => "1 trial failed after its last measurement".to_owned(),
            (0, trials) => format!("{trials} trials failed after their last measurement"),
            (1, _) => "1 measurement is missing".to_owned(),
            (missing, _) => format!("{missing} measurements are missing"),
        };
        out::note(&format!(
            "{what}; see above and {}/logs",
            finished.dir.display()
        ));
        return Err(Failure::Incomplete);
    }
    if !finished.different_jobs.is_empty() {
        out::note(&different_jobs(&finished.different_jobs));
        return Err(Failure::Incomplete);
    }
    if !finished.changed.is_empty() {
        out::note(&changed(&finished.changed));
        return Err(Failure::Incomplete);
    }
    asked
}

/// Says that a race was interrupted, and how to resume it.
fn interrupted(folder: &Path, again: &dyn Fn(&Path) -> String) -> Failure {
    out::note(&format!(
        "interrupted; every finished measurement is kept. {}",
        again(folder)
    ));
    Failure::Incomplete
}

/// That the servers do not do the same job at these workloads, and what to do about it.
fn different_jobs(workloads: &[String]) -> String {
    format!(
        "the servers do not do the same job ({}): their responses differ, so their figures cannot be compared; make the \
         responses alike, or state what must be alike (compare: --same or --expect-contains; in a study same, contains or rows)",
        workloads.join(", ")
    )
}

/// That the responses of these servers changed during the race, and what to do about it.
fn changed(servers: &[String]) -> String {
    format!(
        "{}: more than 1 in 100 responses had another status or body than when the server was verified, so its figures cannot be compared; see the \
         server's log, or state what responses must contain if they vary (compare: --expect-contains; in a study contains or rows)",
        servers.join(", ")
    )
}

/// What is about to race, and what is not.
fn introduce(plan: &Plan) {
    for left_out in &plan.left_out {
        out::note(&format!("note: {}", left_out::says(left_out).en));
    }
    let [contenders, limit] = [false, true].map(|limit| {
        let targets = plan.targets.iter().filter(|target| target.limit == limit);
        let labels: Vec<&str> = targets.map(|target| target.label.as_str()).collect();
        labels.join(", ")
    });
    let how = match photofinish_lab::sequential(plan) {
        None => "in turns".to_owned(),
        Some(why) => format!("sequential ({})", progress::sequential(&why)),
    };
    out::note(&match limit.as_str() {
        "" => format!("{}: {contenders}; {how}", plan.name),
        limit => format!("{}: {contenders}; the limit: {limit}; {how}", plan.name),
    });
    // What has no folder is a command that was typed, under a letter or a name of the user's.
    let typed = |target: &&Target| target.dir.is_none() && target.revision.is_none();
    for target in plan.targets.iter().filter(typed) {
        out::note(&format!("  {}: {}", target.label, target.title));
    }
}

/// The command as it was typed. Bytes that are no text are replaced: a file may have any name.
pub fn words() -> impl Iterator<Item = String> {
    let lossy = |word: OsString| word.to_string_lossy().into_owned();
    env::args_os().skip(1).map(lossy)
}

/// How to resume an interrupted run: the command as it was typed, with the run's folder where it does not say `--resume` itself.
/// Every flag counts, for the run must be the same one.
pub fn again(words: impl Iterator<Item = String>, begun: Option<&Path>) -> String {
    let resume = begun.map(|dir| ["--resume".to_owned(), dir.display().to_string()]);
    let words: Vec<String> = words.chain(resume.into_iter().flatten()).collect();
    let shown = shown_words(&words);
    let note = match shown == words {
        true => "",
        false => " (with the values in place of ***)",
    };
    let shown: Vec<String> = shown.iter().map(|word| quoted(word)).collect();
    format!("Resume with: photofinish {}{note}", shown.join(" "))
}

/// The words as they are printed: without the values of flags that may be secret.
fn shown_words(words: &[String]) -> Vec<String> {
    let masked = mask_words(words);
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    (words.iter().zip(masked).zip(before))
        .map(|((word, masked), before)| {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, value),
                _ => (before, word.as_str()),
            };
            let hidden = match flag {
                _ if value.starts_with('@') => value.to_owned(),
                "-H" | "--header" | "--metadata" => masked_header(value),
                "--env" => match value.split_once('=') {
                    Some((name, _)) => format!("{name}={MASK}"),
                    None => MASK.to_owned(),
                },
                "--body" | "--message" | "--user" | "-u" => MASK.to_owned(),
                _ => return masked,
            };
            match flag == before {
                true => hidden,
                false => format!("{flag}={hidden}"),
            }
        })
        .collect()
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_to_resume_is_printed_without_secrets() {
        let words = [
            "compare",
            "./a --token canary",
            "-H",
            "X-A: canary",
            "-H",
            "@file",
            "--header=Accept: x",
            "--env",
            "A=canary",
            "--env=B=canary",
            "--body=canary",
            "--user=me:canary",
        ];
        let says = again(words.map(str::to_owned).into_iter(), None);
        assert_eq!(
            says,
            "Resume with: photofinish compare './a --token ***' -H 'X-A: ***' -H @file '--header=Accept: x' \
             --env 'A=***' '--env=B=***' '--body=***' '--user=***' (with the values in place of ***)"
        );
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("--only=a@b,c"), "--only=a@b,c");
        assert_eq!(quoted("b.p99 > 2"), "'b.p99 > 2'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
