//! `studies/NAME.toml`: what is compared, under what load, and what others have claimed.

use std::path::Path;

use crate::checks::check_label;
use crate::claim::read_claims;
use crate::levels::{explicit_lanes, parse_lanes};
use crate::limit_target;
use crate::limits;
use crate::plan::{Lanes, Plan, Target, WarmupBounds, Within, Workload};
use crate::reader::{Document, Node, Section};
use crate::service::Services;
use crate::shelf::{Shelf, Targets};
use crate::workload::{read_version, read_workloads};
use photofinish_model::Version;
use photofinish_model::store::{MOST_LEVELS, MOST_TARGETS};

pub(crate) const STUDY_KEYS: &[&str] = &[
    "title", "source", "notes", "rounds", "within", "duration", "lead-in", "warmup", "margin",
    "aa", "lanes", "turns", "profile", "targets", "limit", "service", "workload", "claim",
];
pub(crate) const WARMUP_KEYS: &[&str] = &["min", "max"];
pub(crate) const LANES_KEYS: &[&str] = &["server", "generator"];
pub(crate) const TARGET_ENTRY_KEYS: &[&str] = &["target", "as", "http2", "streams"];

/// Reads a study. Mistakes are noted in the document; the plan counts only if there are none.
///
/// `dir` is the study's folder, from which it names other files.
pub(crate) fn read(doc: &Document, name: &str, dir: &Path, targets: &dyn Targets) -> Option<Plan> {
    let table = doc.parse()?;
    let file = Section::new(doc, table.get_ref(), 0..0, "a study", STUDY_KEYS);
    let title = file.need("title", "title = \"tio-boot against Quarkus\"");
    let source = file.get("source").and_then(|node| node.text());
    let mut shelf = Shelf::new(doc, targets);
    let mut targets = read_targets(&file, &mut shelf);
    let limit = limit_target::read(&file, &targets, &mut shelf);
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
        notes: file
            .get("notes")
            .and_then(|node| node.text())
            .map(|text| text.trim().to_owned()),
        text: doc.text().to_owned(),
        rounds: file
            .get("rounds")
            .and_then(|node| node.integer(limits::ROUNDS))
            .unwrap_or(limits::DEFAULT_ROUNDS),
        until_decided: false,
        within: (file.get("within"))
            .and_then(|node| node.duration(limits::WITHIN))
            .map(Within::of),
        duration: file.duration_or("duration", limits::DURATION, limits::DEFAULT_DURATION),
        lead_in: file.duration_or("lead-in", limits::LEAD_IN, limits::DEFAULT_LEAD_IN),
        warmup: read_warmup(&file),
        margin: file
            .get("margin")
            .and_then(|node| node.number(limits::margin_allowed, limits::MARGIN_SAYS))
            .unwrap_or(limits::DEFAULT_MARGIN),
        aa: file
            .get("aa")
            .and_then(|node| node.boolean())
            .unwrap_or(false),
        lanes: file
            .get("lanes")
            .and_then(|node| read_lanes(&node))
            .unwrap_or(Lanes::Split),
        services,
        targets,
        workloads,
        claims,
        left_out: Vec::new(),
        turns: file
            .get("turns")
            .and_then(|node| node.boolean())
            .unwrap_or(true),
        freeze: false,
        usual_priority: false,
        profile: file.get("profile").and_then(|node| node.boolean()),
        waits: false,
        smoke: false,
    })
}

fn read_warmup(file: &Section<'_>) -> WarmupBounds {
    let default = WarmupBounds {
        min: limits::DEFAULT_WARMUP_MIN,
        max: limits::DEFAULT_WARMUP_MAX,
    };
    let Some(node) = file.get("warmup") else {
        return default;
    };
    let example = "warmup = { min = \"3s\", max = \"60s\" }";
    let Some(section) = node.section("`warmup`", WARMUP_KEYS, example) else {
        return default;
    };
    let [min, max] = ["min", "max"].map(|key| section.get(key)?.duration(limits::WARMUP));
    // One bound alone moves the other's default out of its way.
    let bounds = match (min, max) {
        (Some(min), None) => WarmupBounds {
            min,
            max: default.max.max(min),
        },
        (None, Some(max)) => WarmupBounds {
            min: default.min.min(max),
            max,
        },
        (None, None) => default,
        (Some(min), Some(max)) => WarmupBounds { min, max },
    };
    if bounds.min > bounds.max {
        section.note(
            "`warmup` ends before it may: its min is longer than its max",
            example,
        );
    }
    bounds
}

fn read_lanes(node: &Node<'_>) -> Option<Lanes> {
    if !node.is_table() {
        let text = node.text()?;
        let lanes = parse_lanes(text);
        return lanes.map_err(|error| node.note(error.to_string(), "")).ok();
    }
    let example = "lanes = { server = [0], generator = [1] }";
    let section = node.section("`lanes`", LANES_KEYS, example)?;
    let cores = |key| {
        let items = section.need(key, example)?.list(example)?;
        let cores = items.iter().map(|item| item.integer(0..=1023));
        cores
            .map(|core| core.map(|core| core as usize))
            .collect::<Option<Vec<_>>>()
    };
    let (server, generator) = (cores("server"), cores("generator"));
    match explicit_lanes(server?, generator?) {
        Ok(Some(lanes)) => Some(lanes),
        Ok(None) => {
            node.note("a lane without cores", example);
            None
        }
        Err(error) => {
            node.note(error.to_string(), "");
            None
        }
    }
}

fn read_targets(file: &Section<'_>, shelf: &mut Shelf<'_>) -> Vec<Target> {
    let example = "targets = [\"event-loop\", \"thread-per-connection\"]";
    let missing = format!("{example} (it stands before the first [[workload]])");
    let Some(list) = file.need("targets", &missing) else {
        return Vec::new();
    };
    let Some(items) = list.list(example) else {
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
        let Some(target) = shelf.find(&item, wanted) else {
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
    let example = "{ target = \"event-loop\", as = \"event-loop-again\" }";
    let section = item.section("an entry of `targets`", TARGET_ENTRY_KEYS, example)?;
    let target = section.need("target", example)?.text()?;
    let label = match section.get("as") {
        None => None,
        Some(node) => {
            let label = node.text()?;
            if let Err((message, allowed)) = check_label(label) {
                node.note(message, format!("allowed: {allowed}"));
            }
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
