//! `photofinish plan`, and the forecast before a study runs.

use std::path::{Path, PathBuf};

use photofinish_judge::half_width::{self, Error, HalfWidthPlan};
use photofinish_judge::history::AD_HOC;
use photofinish_lab::runs;
use photofinish_model::StudyRecord;
use photofinish_model::message::Message;
use photofinish_model::store::{Results, STUDY};
use photofinish_study::find::Library;
use photofinish_study::load_study;
use photofinish_study::plan::Plan;

use crate::args::PlanArgs;
use crate::commands::history::runs_in;
use crate::exit::Failure;
use crate::out;
use crate::pager;
use crate::process;
use crate::screen::screen;

pub fn plan(args: &PlanArgs) -> Result<(), Failure> {
    let wanted = &args.wanted.all;
    let half = wanted.half_width.unwrap_or(half_width::DEFAULT);
    let of = |results: &Results| HalfWidthPlan::from(results, half, wanted.within);
    let given = Path::new(&args.study);
    // Of a folder with runs, the newest; of another folder nothing.
    let folder = (runs_in(given).into_iter()).rfind(|run| run.join(STUDY).is_file());
    let plan = match folder {
        Some(folder) => {
            let results = Results::read(&folder).map_err(Failure::unread)?;
            of(&results).map_err(Failure::request)?
        }
        None => by_name(args, of)?,
    };
    match args.json.all.json {
        true => Ok(out::result(&photofinish_report::json(&plan))?),
        false => Ok(pager::result(&photofinish_report::half_width(
            &plan,
            screen(),
        ))?),
    }
}

/// The plan by the newest results of a study that show how much rounds differ.
fn by_name(
    args: &PlanArgs,
    of: impl Fn(&Results) -> Result<HalfWidthPlan, Error>,
) -> Result<HalfWidthPlan, Failure> {
    let name = Path::new(&args.study).file_stem().unwrap_or_default();
    let name = name.to_string_lossy();
    let mut why = None;
    for folder in newest(&args.results, &name) {
        let plan = match Results::read(&folder) {
            Ok(results) => of(&results).map_err(Failure::request),
            Err(error) => Err(Failure::unread(error)),
        };
        match plan {
            Ok(plan) => return Ok(plan),
            Err(error) => why = why.or(Some(error)),
        }
    }
    if let Some(why) = why {
        return Err(why);
    }
    // A name that is none is the likelier mistake.
    let library = Library::new(None, &process::folder()?);
    load_study(&library, &args.study).map_err(Failure::mistake)?;
    Err(Failure::request(format!(
        "there are no results of {name} under {}: its spread is not known; run `{}` first",
        args.results.display(),
        half_width::command(&name)
    )))
}

/// A study's results folders of one pair of machines, the newest first.
fn newest(results: &Path, study: &str) -> impl Iterator<Item = PathBuf> {
    let folder = results.join(study);
    let runs = runs(results).into_iter().rev();
    runs.filter(move |run| run.parent() == Some(folder.as_path()) && run.join(STUDY).is_file())
}

/// Returns the forecast for a study that is about to run, by its newest results; `None` if none of them are of the same servers and loads
/// on one machine and show how much rounds differ.
pub fn forecast(plan: &Plan, results: &Path) -> Option<Message> {
    // Races of commands have nothing in common but their name.
    if plan.settings.smoke || plan.name == AD_HOC {
        return None;
    }
    // A study's record is small; all of its measurements are read of those alone that will do.
    let same = newest(results, &plan.name)
        .filter(|folder| Results::read_study(folder).is_ok_and(|study| is_same(plan, &study)));
    let mut found = same.filter_map(|folder| {
        let results = Results::read(&folder).ok()?;
        if results.environment.machines.is_some() {
            return None;
        }
        HalfWidthPlan::from(&results, half_width::DEFAULT, None).ok()
    });
    found.next()?.forecast()
}

/// Whether a run had a plan's servers and loads.
fn is_same(plan: &Plan, study: &StudyRecord) -> bool {
    let labels = plan.targets.iter().map(|target| &target.label);
    let loads = plan.workloads.iter().map(|it| (&it.name, &it.loads));
    labels.eq(study.targets.iter().map(|target| &target.label))
        && loads.eq(study.workloads.iter().map(|it| (&it.name, &it.loads)))
        && !study.settings.smoke
}
