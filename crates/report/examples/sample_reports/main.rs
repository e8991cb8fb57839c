//! Writes results folders of made-up runs and draws their endings and HTML reports, for the page's tests and to look at:
//!
//! `cargo run -p photofinish-report --example sample_reports -- FOLDER`
//!
//! Every figure follows from arithmetic; nothing is measured.

mod made_up;
mod runs;

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::history::History;
use photofinish_model::Environment;
use photofinish_model::files::remove::remove;
use photofinish_model::samples;
use photofinish_model::store::{Results, Store};
use photofinish_report::exports::ALL;
use photofinish_report::{Detail, Screen, html, race};
use photofinish_voice::Language;

use runs::Run;
use runs::daily::daily;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("give the folder to write to")?;
    for run in runs::all() {
        let dir = Path::new(&folder).join(run.study.name.as_str());
        let results = write(&run, &samples::environment(), &dir)?;
        let comparison = Comparison::from(&results);
        let endings = [60, 80, 120].map(|width| {
            let page = Path::new("results/report.html");
            race(&comparison, page, Detail::Ending, Screen::plain(width))
        });
        fs::write(dir.join("ending.txt"), endings.join("\n"))?;
        for (language, name) in [
            (Some(Language::En), "report.html"),
            (Some(Language::Zh), "report.zh.html"),
            (None, "report.auto.html"),
        ] {
            let page = html(&results, &comparison, language)?;
            fs::write(dir.join(name), &page)?;
            println!("{} {} bytes", dir.join(name).display(), page.len());
        }
    }
    over_time(&Path::new(&folder).join("history"))
}

/// Writes the runs of a history, its page without and with a baseline, and the page of its first run next to its last.
fn over_time(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut runs = Vec::new();
    for (run, environment) in daily() {
        let day = run.study.started.get(..10).unwrap_or_default();
        runs.push(write(&run, &environment, &folder.join(day))?);
    }
    let html = ALL.iter().find(|format| format.row.name == "html");
    let html = html.ok_or("there is no HTML")?;
    if let [first, .., last] = runs.as_slice() {
        let days = Days::from(first, last);
        for (language, name) in [
            (Language::En, "two-runs.html"),
            (Language::Zh, "two-runs.zh.html"),
        ] {
            fs::write(folder.join(name), (html.days)(&days, Some(language))?)?;
        }
    }
    for (baseline, name) in [(None, "report.html"), (Some("event-loop"), "relative.html")] {
        let history = History::from(runs.clone(), baseline)?;
        fs::write(folder.join(name), (html.history)(&history)?)?;
    }
    Ok(())
}

/// Writes a run in the place of what is there, and reads it.
fn write(run: &Run, environment: &Environment, dir: &Path) -> Result<Results, Box<dyn Error>> {
    remove(dir).map_err(io::Error::from)?;
    let mut store = Store::create(dir, &run.study, environment, "# made up\n")?;
    for trial in &run.trials {
        store.add_trial(trial)?;
    }
    for (line, histogram) in &run.lines {
        store.add_line(line, histogram.as_ref())?;
    }
    for (file, folded) in &run.stacks {
        store.add_stacks(file, folded)?;
    }
    Ok(Results::read(dir)?)
}
