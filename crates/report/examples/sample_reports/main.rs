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
use photofinish_model::files::remove::remove;
use photofinish_model::store::{Results, Store};
use photofinish_report::{Detail, Screen, html, race};
use photofinish_voice::Language;

use runs::Run;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("give the folder to write to")?;
    for run in runs::all() {
        let dir = Path::new(&folder).join(run.study.name.as_str());
        remove(&dir).map_err(io::Error::from)?;
        write(&run, &dir)?;
        let results = Results::read(&dir)?;
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
    Ok(())
}

fn write(run: &Run, dir: &Path) -> Result<(), Box<dyn Error>> {
    let environment = photofinish_model::samples::environment();
    let mut store = Store::create(dir, &run.study, &environment, "# made up\n")?;
    for trial in &run.trials {
        store.add_trial(trial)?;
    }
    for (line, histogram) in &run.lines {
        store.add_line(line, histogram.as_ref())?;
    }
    for (file, folded) in &run.stacks {
        store.add_stacks(file, folded)?;
    }
    Ok(())
}
