//! `[[claim]]`: what others have published, to be set beside what is measured.

use crate::checks::check_name;
use crate::nearest::advice;
use crate::plan::{Claim, Load, Workload};
use crate::reader::Section;
use crate::workload::{label, sections};

pub(crate) const CLAIM_KEYS: &[&str] = &[
    "id",
    "says",
    "metric",
    "of",
    "over",
    "ratio",
    "workload",
    "connections",
    "rate",
    "figures",
    "source",
];

/// What a claim may be about.
pub(crate) const METRICS: &[&str] = &[
    "throughput",
    "mean",
    "p50",
    "p90",
    "p95",
    "p99",
    "p999",
    "max",
    "server-cpu",
    "context-switches",
    "memory",
];

/// Reads all claims; a claim without a source has the study's.
pub(crate) fn read_claims(
    file: &Section<'_>,
    labels: &[&str],
    workloads: &[Workload],
    source: Option<&str>,
) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for (node, section) in sections(file, "claim", CLAIM_KEYS) {
        let Some(claim) = read_claim(&section, labels, workloads, source) else {
            continue;
        };
        if claims.iter().any(|other| other.id == claim.id) {
            node.note(
                format!("the claim `{}` is there twice", claim.id),
                "give each an id of its own, such as a, b or d-max",
            );
        }
        claims.push(claim);
    }
    claims
}

fn read_claim(
    section: &Section<'_>,
    labels: &[&str],
    workloads: &[Workload],
    source: Option<&str>,
) -> Option<Claim> {
    let need = |key, example| section.need(key, example);
    let id = need("id", "id = \"a\"").and_then(|node| {
        let id = node.text()?;
        if let Err((message, allowed)) = check_name(id) {
            node.note(message, format!("allowed: {allowed}"));
        }
        Some(id)
    });
    let says = need(
        "says",
        "says = \"A answers 6.7% more requests per second than B\"",
    )
    .and_then(|node| node.text());
    let metric = need("metric", "metric = \"throughput\"").and_then(|node| node.word(METRICS));
    let of_node = need("of", "of = \"the label of target A in A / B\"");
    let of = of_node.and_then(|node| label(&node, labels));
    let over_node = need("over", "over = \"the label of target B in A / B\"");
    let over = over_node.and_then(|node| label(&node, labels));
    let ratio = need("ratio", "ratio = 1.067").and_then(|node| {
        node.number(
            |ratio| ratio > 0.0,
            "a ratio above 0, such as 1.067 for 6.7% more",
        )
    });
    if let (Some(node), Some(of), Some(over)) = (over_node, &of, &over)
        && of == over
    {
        node.note(
            "a claim compares two targets, not one with itself",
            "name another of the study's targets",
        );
    }
    let own_source = section.get("source").and_then(|node| node.text());
    if own_source.or(source).is_none() {
        section.note(
            "the claim does not say where it was published",
            "add source = \"…\" here, or once for the whole study",
        );
    }
    let workload = read_workload(section, workloads)?;
    let load = read_level(section, workload)?;
    for (node, label) in [(of_node, &of), (over_node, &over)] {
        if let (Some(node), Some(label)) = (node, label)
            && !workload.targets.is_empty()
            && !workload.targets.contains(label)
        {
            node.note(
                format!(
                    "the target `{label}` does not take the workload `{}`",
                    workload.name
                ),
                format!("targets that take it: {}", workload.targets.join(", ")),
            );
        }
    }
    Some(Claim {
        id: id?.to_owned(),
        says: says?.to_owned(),
        metric: metric?.to_owned(),
        of: of?,
        over: over?,
        ratio: ratio?,
        workload: workload.name.clone(),
        load,
        figures: section.text_or("figures", ""),
        source: own_source.or(source)?.to_owned(),
    })
}

/// The workload that the claim names; the only one where it names none.
fn read_workload<'w>(section: &Section<'_>, workloads: &'w [Workload]) -> Option<&'w Workload> {
    let names = || workloads.iter().map(|workload| &*workload.name);
    let Some(node) = section.get("workload") else {
        if let [only] = workloads {
            return Some(only);
        }
        section.note(
            "the claim does not say which workload it is about",
            advice("", "workloads of the study", names()),
        );
        return None;
    };
    let wanted = node.text()?;
    let found = workloads.iter().find(|workload| workload.name == wanted);
    if found.is_none() {
        let help = advice(wanted, "workloads of the study", names());
        node.note(format!("the study has no workload `{wanted}`"), help);
    }
    found
}

/// The level that the claim names; the only one where it names none.
fn read_level(section: &Section<'_>, workload: &Workload) -> Option<Load> {
    let levels: Vec<String> = workload.loads.iter().map(level).collect();
    let help = format!("levels of `{}`: {}", workload.name, levels.join(", "));
    let (connections, rate) = (section.get("connections"), section.get("rate"));
    let (node, found) = match (connections, rate) {
        (Some(_), Some(rate)) => {
            rate.note(
                "a claim is about `connections` or about a `rate`, not both",
                help,
            );
            return None;
        }
        (Some(node), None) => {
            let wanted = node.integer(1..=crate::levels::MAX_CONNECTIONS)?;
            let wanted = Load::Closed {
                connections: wanted,
            };
            (node, workload.loads.iter().find(|load| **load == wanted))
        }
        (None, Some(node)) => {
            let wanted = node.number(|rate| rate > 0.0, "a rate above 0")?;
            let fits = |load: &&Load| matches!(load, Load::Open { rate, .. } if *rate == wanted);
            (node, workload.loads.iter().find(fits))
        }
        (None, None) => {
            if let [only] = workload.loads[..] {
                return Some(only);
            }
            section.note("the claim does not say which load level it is about", help);
            return None;
        }
    };
    if found.is_none() {
        node.note(
            format!("the workload `{}` has no such load level", workload.name),
            help,
        );
    }
    found.copied()
}

/// A level as it is written in a claim.
pub(crate) fn level(load: &Load) -> String {
    match load {
        Load::Closed { connections } => format!("connections = {connections}"),
        Load::Open { rate, .. } => format!("rate = {rate}"),
    }
}
