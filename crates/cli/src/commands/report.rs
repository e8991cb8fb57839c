//! `photofinish report`.

use std::fs;
use std::path::Path;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_model::store::Results;
use photofinish_report::Detail;
use photofinish_voice::Language;

use crate::args::{LanguageArg, ReportArgs};
use crate::ci::Ci;
use crate::exit::Failure;
use crate::out;
use crate::screen::{colour, width};

/// The page's name in a results folder.
const PAGE: &str = "report.html";

pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let results = Results::read(&args.results).map_err(Failure::request)?;
    if let Some(later) = &args.later {
        return changes(args, &results, later);
    }
    let labels: Vec<&str> = (results.study.targets.iter())
        .map(|target| target.label.as_str())
        .collect();
    let ci = Ci::new(&args.ci, &labels)?;
    let comparison = Comparison::from(&results);
    if let Some(file) = &args.html {
        let language = args.lang.map(|language| match language {
            LanguageArg::En => Language::En,
            LanguageArg::Zh => Language::Zh,
        });
        let page = photofinish_report::html(&results, &comparison, language);
        write(file, &page.map_err(Failure::run)?)?;
    }
    if let Some(file) = &args.markdown {
        write(file, &photofinish_report::markdown(&comparison))?;
    }
    if let Some(file) = &args.json {
        write(file, &photofinish_report::json(&comparison))?;
    }
    if let Some(file) = &args.csv {
        write(
            file,
            &photofinish_report::csv(&results).map_err(Failure::run)?,
        )?;
    }
    let files = [&args.html, &args.markdown, &args.json, &args.csv];
    if files.iter().all(|file| file.is_none()) {
        draw(&comparison)?;
    }
    ci.tell(&results, &comparison)
}

/// What has changed from one run to a later one.
fn changes(args: &ReportArgs, before: &Results, later: &Path) -> Result<(), Failure> {
    let after = Results::read(later).map_err(Failure::request)?;
    let days = Days::from(before, &after);
    if let Some(file) = &args.markdown {
        write(file, &photofinish_report::days_markdown(&days))?;
    }
    if let Some(file) = &args.json {
        write(file, &photofinish_report::days_json(&days))?;
    }
    if args.markdown.is_none() && args.json.is_none() {
        out::result(&photofinish_report::days(&days, width(), colour()))?;
    }
    Ok(())
}

/// The end of a race: the verdict on the terminal, and the page `report.html` beside the results.
pub fn finish(dir: &Path, detail: Detail) -> Result<(Results, Comparison), Failure> {
    let results = Results::read(dir).map_err(Failure::run)?;
    let comparison = Comparison::from(&results);
    let file = dir.join(PAGE);
    let page = photofinish_report::html(&results, &comparison, None);
    write(&file, &page.map_err(Failure::run)?)?;
    let text = photofinish_report::race(&comparison, &file, detail, width(), colour());
    out::result(&format!("\n{text}"))?;
    Ok((results, comparison))
}

fn draw(comparison: &Comparison) -> Result<(), Failure> {
    let text = photofinish_report::terminal(comparison, width(), colour());
    Ok(out::result(&text)?)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        return Ok(out::result(text)?);
    }
    fs::write(file, text).map_err(|e| Failure::run(format!("cannot write {}: {e}", file.display())))
}
