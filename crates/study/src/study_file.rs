//! `studies/NAME.toml`: what is compared, under what load, and what others have claimed.

use std::path::Path;

use crate::checks::check_label;
use crate::claim::read_claims;
use crate::keys;
use crate::limit_target;
use crate::plan::{Draft, Plan, Target, Workload};
use crate::race;
use crate::reader::hide::hidden;
use crate::reader::{Document, Node, Section};
use crate::service::Services;
use crate::targets::{OpenedTargets, Targets};
use crate::workload::{read_version, read_workloads};
use photofinish_model::Version;
use photofinish_model::settings::RaceLayer;
use photofinish_model::store::{MOST_LEVELS, MOST_TARGETS};

/// Reads a study. Mistakes are noted in the document; the plan counts only if there are none.
///
/// `dir` is the study's folder, from which it names other files.
pub(crate) fn read(doc: &Document, name: &str, dir: &Path, targets: &dyn Targets) -> Option<Draft> {
    let table = doc.parse()?;
    let settings = keys::settings(None).into_iter();
    let settings: Vec<&str> = settings.map(|(key, _)| key).collect();
    let keys = (keys::study::STUDY, &*settings);
    let file = Section::new(doc, table.get_ref(), 0..0, "a study", keys);
    let title = file.need("title");
    let source = file.text("source");
    let mut opened = OpenedTargets::new(doc, targets);
    let mut targets = read_targets(&file, &mut opened);
    let limit = limit_target::read(&file, &targets, &mut opened);
    let labels: Vec<&str> = targets.iter().map(|target| &*target.label).collect();
    let services = Services::read(&file, dir, &labels);
    let mut workloads = read_workloads(&file, dir, &labels, &services);
    check_http2(&file, &targets, &workloads);
    let levels: usize = workloads.iter().map(|workload| workload.loads.len()).sum();
    if levels > MOST_LEVELS {
        file.note(
            format!(
                "the workloads have {levels} load levels, and at most {MOST_LEVELS} can be measured"
            ),
            "leave some out, or write several studies",
        );
    }
    let mut services = services.into_list();
    if let Some(limit) = limit {
        limit_target::join(&limit, &mut services, &mut workloads);
        targets.push(limit);
    }
    let labels: Vec<&str> = targets.iter().map(|target| &*target.label).collect();
    let claims = read_claims(&file, &labels, &workloads, source);
    Some(Plan {
        name: name.to_owned(),
        title: title
            .and_then(|node| node.text())
            .unwrap_or_default()
            .to_owned(),
        source: source.map(str::to_owned),
        notes: file.text("notes").map(|text| text.trim().to_owned()),
        text: hidden(doc.text()),
        settings: race::read(&file).over(RaceLayer::of_run()),
        services,
        targets,
        workloads,
        claims,
        left_out: Vec::new(),
    })
}

fn read_targets(file: &Section<'_>, opened: &mut OpenedTargets<'_>) -> Vec<Target> {
    let example = "targets = [\"event-loop\", \"thread-per-connection\"]";
    let missing = format!("{example} (it stands before the first [[workload]])");
    let Some(list) = file.need_such_as("targets", &missing) else {
        return Vec::new();
    };
    let Some(items) = list.list() else {
        return Vec::new();
    };
    if items.is_empty() {
        list.note("a study needs at least one target", example);
    }
    if items.len() > MOST_TARGETS {
        list.note(
            format!(
                "{} targets are listed, and at most {MOST_TARGETS} can be raced",
                items.len()
            ),
            "leave some out, or write several studies",
        );
        return Vec::new();
    }
    let mut targets: Vec<Target> = Vec::new();
    for item in items {
        let Some(Entry {
            wanted,
            label,
            http2,
        }) = read_entry(&item)
        else {
            continue;
        };
        let Some(target) = opened.find(&item, wanted) else {
            continue;
        };
        let target = match http2 {
            Some(streams) => target.over_http2(streams),
            None => target,
        };
        let label = label.unwrap_or(wanted);
        if targets.iter().any(|other| other.label == label) {
            let again = wanted.replace(['@', '.'], "-");
            item.note(
                format!("the target `{label}` is listed twice"),
                format!(
                    "to race it against itself (A/A), give the second a label of its own: \
                     {{ target = \"{wanted}\", as = \"{again}-again\" }}"
                ),
            );
            continue;
        }
        targets.push(Target {
            label: label.to_owned(),
            ..target
        });
    }
    targets
}

/// An entry of `targets`: the target that is wanted, the label that it gets, and whether it is asked over HTTP/2, with so many streams.
struct Entry<'d> {
    wanted: &'d str,
    label: Option<&'d str>,
    http2: Option<u32>,
}

fn read_entry<'d>(item: &Node<'d>) -> Option<Entry<'d>> {
    if !item.is_table() {
        return Some(Entry {
            wanted: item.text()?,
            label: None,
            http2: None,
        });
    }
    let section = item.section()?;
    let target = section.need("target")?.text()?;
    let label = match section.get("as") {
        None => None,
        Some(node) => {
            let label = node.text()?;
            node.check(check_label(label));
            Some(label)
        }
    };
    let http2 = match read_version(&section) {
        Version::Http2 { streams } => Some(streams),
        Version::Http1 => None,
    };
    Some(Entry {
        wanted: target,
        label,
        http2,
    })
}

/// Notes what workloads ask for that a target over HTTP/2 of its own cannot do.
fn check_http2(file: &Section<'_>, targets: &[Target], workloads: &[Workload]) {
    for target in targets {
        let Some(streams) = target.http2 else {
            continue;
        };
        let (label, takes) = (&target.label, |workload: &&Workload| {
            workload.targets.is_empty() || workload.targets.contains(&target.label)
        });
        for workload in workloads.iter().filter(takes) {
            let name = &workload.name;
            if workload.requests_per_connection.is_some() {
                file.note(
                    format!("`{name}` has `requests-per-connection`, which is for HTTP/1.1, and `{label}` is asked over HTTP/2"),
                    "leave it out, or name the workload's targets",
                );
            }
            if let Some(in_flight) = target.uneven(workload) {
                file.note(
                    format!("`{label}` has {streams} streams on each connection, and {in_flight} requests in flight of `{name}` are not a multiple of that"),
                    format!("levels that are multiples of {streams}: as many requests are in flight as to the other targets"),
                );
            }
        }
    }
}
