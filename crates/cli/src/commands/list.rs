//! `photofinish list`.

use std::env;

use photofinish_host::LocalHost;
use photofinish_lab::list::{Contender, Listing};
use photofinish_study::find::Library;

use crate::args::ListArgs;
use crate::exit::Failure;
use crate::out;

pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let unknown = |e| Failure::run(format!("cannot find the current folder: {e}"));
    let library = Library::new(None, &env::current_dir().map_err(unknown)?);
    let program = env::current_exe()
        .map_err(|e| Failure::run(format!("cannot find the photofinish binary: {e}")))?;
    let listing = photofinish_lab::list(&library, &LocalHost::new(program));
    if args.json {
        return Ok(out::result(&json(&listing).to_string())?);
    }
    if listing.studies.is_empty() && listing.targets.is_empty() {
        let roots: Vec<_> = library
            .roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        return Ok(out::result(&format!(
            "No studies/ or targets/ folder in {}",
            roots.join(", ")
        ))?);
    }
    Ok(out::result(&text(&listing))?)
}

fn text(listing: &Listing) -> String {
    let mut lines = vec!["Studies (photofinish run NAME)".to_owned()];
    for study in &listing.studies {
        match &study.study {
            Ok(summary) => {
                lines.push(format!("  {}: {}", study.name, summary.title));
                lines.extend(
                    summary
                        .targets
                        .iter()
                        .map(|target| format!("      {}", contender(target))),
                );
            }
            Err(error) => {
                let why = error.in_full();
                lines.push(format!("  {}: cannot be run: {why}", study.name));
            }
        }
    }
    lines.push("\nTargets".to_owned());
    for target in &listing.targets {
        match &target.variants {
            Ok(variants) => {
                for variant in variants {
                    lines.push(format!("  {}", contender(variant)));
                    lines.push(format!("      {}", variant.title));
                    if let Err(why) = &variant.here {
                        lines.push(format!("      {}", why.to_string().replace('\n', " ")));
                    }
                }
            }
            Err(error) => {
                let why = error.in_full();
                lines.push(format!("  {}: cannot be run: {why}", target.name));
            }
        }
    }
    lines.join("\n")
}

/// A target and what it needs.
fn contender(target: &Contender) -> String {
    let needs: Vec<String> = target
        .needs
        .iter()
        .map(|(tool, version)| format!("{tool} {version}"))
        .collect();
    let mut name = target.label.clone();
    if target.limit {
        name.push_str(", the limit");
    }
    match (needs.is_empty(), &target.here) {
        (true, _) => name,
        (false, Ok(_)) => format!("{name} (needs {}: here)", needs.join(", ")),
        (false, Err(_)) => format!("{name} (needs {}: MISSING)", needs.join(", ")),
    }
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
                    "missing": c.here.as_ref().err().map(ToString::to_string),
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
