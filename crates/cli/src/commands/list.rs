//! `photofinish list`.

use photofinish_host::Host;
use photofinish_lab::list::{Contender, Listing};
use photofinish_model::text::{clean, clean_json};
use photofinish_report::Row;
use photofinish_study::find::Library;

use crate::args::ListArgs;
use crate::exit::Failure;
use crate::screen::screen;
use crate::{out, process};

pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let library = Library::new(None, &process::folder()?);
    let program = process::program()?;
    let listing = photofinish_lab::list(&library, &Host::local(program));
    if args.json.all.json {
        return Ok(out::result(&clean_json(&json(&listing).to_string()))?);
    }
    if listing.studies.is_empty() && listing.targets.is_empty() {
        let roots: Vec<_> = library
            .roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        return Ok(out::result(&format!(
            "No studies/ or targets/ folder in {}",
            clean(&roots.join(", "))
        ))?);
    }
    Ok(out::result(&text(&listing))?)
}

fn text(listing: &Listing) -> String {
    let draw = |rows: &[Row], indent| photofinish_report::rows(rows, indent, screen());
    let mut text = "Studies: `photofinish run NAME` runs one\n".to_owned();
    for study in &listing.studies {
        let (says, targets) = match &study.study {
            Ok(summary) => (summary.title.clone(), summary.targets.as_slice()),
            Err(why) => (format!("cannot be run: {}", why.in_full()), [].as_slice()),
        };
        let rows: Vec<Row> = targets
            .iter()
            .map(|target| row(name(target), needs(target)))
            .collect();
        text.push_str(&format!("\n  {}\n", clean(&study.name)));
        text.push_str(&draw(&[row(String::new(), [says])], 2));
        text.push_str(&draw(&rows, 6));
    }
    text.push_str("\nTargets: `photofinish run STUDY --with TARGET` adds one to a study\n\n");
    let targets = listing
        .targets
        .iter()
        .flat_map(|target| match &target.variants {
            Ok(variants) => variants.iter().map(of_target).collect(),
            Err(why) => vec![row(
                target.name.clone(),
                [format!("cannot be run: {}", why.in_full())],
            )],
        });
    text + &draw(&targets.collect::<Vec<Row>>(), 2)
}

fn row(name: String, lines: impl IntoIterator<Item = String>) -> Row {
    Row {
        name,
        lines: lines.into_iter().collect(),
        ..Row::default()
    }
}

/// A target: what it is, what it needs, and what is missing.
fn of_target(target: &Contender) -> Row {
    let missing = target
        .here
        .as_ref()
        .err()
        .map(|why| why.to_string().replace('\n', " "));
    let lines = [Some(target.title.clone()), needs(target), missing];
    row(name(target), lines.into_iter().flatten())
}

fn name(target: &Contender) -> String {
    match target.limit {
        true => format!("{} (the limit)", target.label),
        false => target.label.clone(),
    }
}

/// The tools that a target needs; `None` where it needs none.
fn needs(target: &Contender) -> Option<String> {
    let needs = target
        .needs
        .iter()
        .map(|(tool, version)| format!("{tool} {version}"));
    let needs: Vec<String> = needs.collect();
    let missing = if target.here.is_err() {
        ": MISSING"
    } else {
        ""
    };
    (!needs.is_empty()).then(|| format!("needs {}{missing}", needs.join(", ")))
}

fn json(listing: &Listing) -> serde_json::Value {
    let contenders = |all: &[Contender]| -> Vec<serde_json::Value> {
        all.iter()
            .map(|c| {
                serde_json::json!({
                    "label": c.label,
                    "title": c.title,
                    "limit": c.limit,
                    "needs": c.needs,
                    "found": c.here.as_ref().ok(),
                    "missing": c.here.as_ref().err().map(|why| why.to_string()),
                })
            })
            .collect()
    };
    serde_json::json!({
        "studies": listing.studies.iter().map(|s| serde_json::json!({
            "name": s.name,
            "file": s.path,
            "title": s.study.as_ref().ok().map(|s| &s.title),
            "targets": s.study.as_ref().ok().map(|s| contenders(&s.targets)),
            "error": s.study.as_ref().err().map(|error| error.in_full()),
        })).collect::<Vec<_>>(),
        "targets": listing.targets.iter().map(|t| serde_json::json!({
            "name": t.name,
            "file": t.path,
            "variants": t.variants.as_ref().ok().map(|v| contenders(v)),
            "error": t.variants.as_ref().err().map(|error| error.in_full()),
        })).collect::<Vec<_>>(),
    })
}
