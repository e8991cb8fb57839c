//! `photofinish report`.

use std::path::{Path, PathBuf};

use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::pooled::{PairRuns, Pooled};
use photofinish_lab::runs;
use photofinish_model::files;
use photofinish_model::settings::CiSettings;
use photofinish_model::store::{Error, PAGE, Results};
use photofinish_report::Detail;
use photofinish_report::export::Run;
use photofinish_voice::Language;

use crate::args::{ExportArgs, LATEST, RESULTS, RaceArgs, ReportArgs, detail};
use crate::ci::Ci;
use crate::commands::history::pair_runs_in;
use crate::exit::Failure;
use crate::out;
use crate::outputs::{self, write_each};
use crate::pager;
use crate::screen::screen;

/// More runs are not listed: each is judged anew.
const LISTED: usize = 20;

pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let folder = match &args.results {
        None => return list(),
        Some(named) if named.as_os_str() == LATEST && !named.exists() => latest()?,
        Some(named) => named.clone(),
    };
    let pairs = runs_of_pairs(&folder).map_err(Failure::unread)?;
    if let Some(pairs) = PairRuns::judged(pairs) {
        return of_pairs(args, &pairs);
    }
    let results = Results::read(&folder).map_err(Failure::unread)?;
    if let Some(later) = &args.later {
        return changes(args, &results, later);
    }
    outputs::check(&args.exports, Some(&args.ci.all), &[])?;
    let labels: Vec<&str> = (results.study.targets.iter())
        .map(|target| target.label.as_str())
        .collect();
    let ci = Ci::new(&args.ci.all, &labels)?;
    let comparison = Comparison::from(&results);
    export(&args.exports, &results, &comparison, args.lang)?;
    if is_drawn(args) {
        draw(&folder, &comparison, detail(&args.detail.all))?;
    }
    ci.report(&results, &comparison)
}

/// Reads the runs of several pairs of machines that a folder holds; none if it holds something else.
pub fn runs_of_pairs(folder: &Path) -> Result<Vec<Results>, Error> {
    let runs = pair_runs_in(folder);
    runs.iter().map(|run| Results::read(run)).collect()
}

/// Reports on the rounds of several pairs of machines.
fn of_pairs(args: &ReportArgs, pairs: &PairRuns) -> Result<(), Failure> {
    if args.later.is_some() {
        return Err(Failure::request(
            "the results are of several pairs of machines: compare the folders of one pair with each other",
        ));
    }
    outputs::check(&args.exports, Some(&args.ci.all), &[])?;
    let pooled = &pairs.pooled;
    let labels: Vec<&str> = (pooled.head.targets.iter())
        .map(|target| target.label.as_str())
        .collect();
    let ci = Ci::new(&args.ci.all, &labels)?;
    ci.require_pairs()?;
    write_each(&args.exports, |format| (format.pooled)(pooled, args.lang))?;
    if is_drawn(args) {
        pager::result(&photofinish_report::pooled(pooled, screen()))?;
    }
    ci.report_on_pairs(pairs)
}

/// The end of a race on several pairs of machines: each pair's page, the page of all of them, the files that were asked for, and the
/// verdicts on the terminal. `None`: nothing was measured.
pub fn finish_pairs(folder: &Path, args: &RaceArgs) -> Result<Option<PairRuns>, Failure> {
    let unread = photofinish_lab::Error::from;
    let runs = runs_of_pairs(folder).map_err(unread)?;
    let Some(pairs) = PairRuns::judged(runs) else {
        return Ok(None);
    };
    for (run, comparison) in pairs.runs.iter().zip(&pairs.comparisons) {
        let page = photofinish_report::html(run, comparison, None);
        write_page(&run.dir, page)?;
    }
    let pooled = &pairs.pooled;
    let page = write_page(folder, photofinish_report::pooled_html(pooled))?;
    write_each(&args.exports, |format| (format.pooled)(pooled, None))?;
    if !outputs::take_output(&args.exports, &args.ci.all) {
        let text = photofinish_report::pooled(pooled, screen());
        out::result(&format!("\n{text}\n  report  {}", page.display()))?;
    }
    Ok(Some(pairs))
}

/// Writes the page of a folder.
fn write_page(
    folder: &Path,
    page: Result<String, photofinish_report::Error>,
) -> Result<PathBuf, Failure> {
    let page = page.map_err(Failure::run)?;
    let file = folder.join(PAGE);
    files::write_private(&file, page.as_bytes())
        .map_err(|error| Failure::run(format!("cannot write {}: {error}", file.display())))?;
    Ok(file)
}

/// The newest run.
fn latest() -> Result<PathBuf, Failure> {
    runs(Path::new(RESULTS)).pop().ok_or_else(none)
}

fn none() -> Failure {
    Failure::request(format!(
        "there are no results under {RESULTS}/ here; name a results folder, or begin with `photofinish run` or `photofinish compare`"
    ))
}

/// Prints the newest runs with their verdicts, the newest last.
fn list() -> Result<(), Failure> {
    let all = runs(Path::new(RESULTS));
    if all.is_empty() {
        return Err(none());
    }
    let newest = &all[all.len().saturating_sub(LISTED)..];
    let lines = newest.iter().map(|run| {
        let says = headline(run).unwrap_or_else(|error| format!("failed to {error}"));
        format!("{}  {says}\n", run.display())
    });
    let mut text = lines.collect::<String>();
    let older = all.len() - newest.len();
    if older > 0 {
        text.insert_str(0, &format!("({older} older runs are not listed)\n"));
    }
    Ok(out::result(&text)?)
}

/// What the run in a folder came to, which may be one of several pairs of machines.
fn headline(folder: &Path) -> Result<String, Error> {
    let says = match Pooled::from(&runs_of_pairs(folder)?) {
        Some(pooled) => pooled.says.into_iter().next(),
        None => Some(Comparison::from(&Results::read(folder)?).headline),
    };
    Ok(says.map_or_else(String::new, |says| says.en))
}

/// Writes a run's report to the files that were asked for.
pub fn export(
    exports: &ExportArgs,
    results: &Results,
    comparison: &Comparison,
    language: Option<Language>,
) -> Result<(), Failure> {
    let run = Run {
        results,
        comparison,
        language,
    };
    write_each(exports, |format| (format.run)(run))
}

/// Whether the report is drawn on the terminal: where it is written to no file, and standard output is nothing else's.
fn is_drawn(args: &ReportArgs) -> bool {
    args.exports.0.is_empty() && !outputs::take_output(&args.exports, &args.ci.all)
}

/// What has changed from one run to a later one.
fn changes(args: &ReportArgs, before: &Results, later: &Path) -> Result<(), Failure> {
    let ci = Ci::of_two_runs(&args.ci.all)?;
    let after = Results::read(later).map_err(Failure::unread)?;
    outputs::check(&args.exports, Some(&args.ci.all), &[])?;
    let days = Days::from(before, &after);
    write_each(&args.exports, |format| (format.days)(&days, args.lang))?;
    if is_drawn(args) {
        pager::result(&photofinish_report::days(&days, screen()))?;
    }
    ci.report_of_two_runs(&days)
}

/// The end of a race: the page `report.html` beside the results, the files that were asked for, and the verdict on the terminal, unless
/// one of the files is standard output.
pub fn finish(
    dir: &Path,
    detail: Detail,
    exports: &ExportArgs,
    ci: &CiSettings,
) -> Result<(Results, Comparison), Failure> {
    let results = Results::read(dir).map_err(photofinish_lab::Error::from)?;
    let comparison = Comparison::from(&results);
    let page = photofinish_report::html(&results, &comparison, None);
    let file = write_page(dir, page)?;
    export(exports, &results, &comparison, None)?;
    if !outputs::take_output(exports, ci) {
        let text = photofinish_report::race(&comparison, &file, detail, screen());
        out::result(&format!("\n{text}"))?;
    }
    Ok((results, comparison))
}

/// The ending that the run had on the terminal, or all sections of the report.
fn draw(folder: &Path, comparison: &Comparison, detail: Detail) -> Result<(), Failure> {
    if detail == Detail::Tables {
        return Ok(pager::result(&photofinish_report::terminal(
            comparison,
            screen(),
        ))?);
    }
    let page = Some(folder.join(PAGE)).filter(|page| page.is_file());
    let place = page.unwrap_or_else(|| folder.to_owned());
    let text = photofinish_report::race(comparison, &place, detail, screen());
    Ok(out::result(&text)?)
}
