//! `[[claim]]`: what others have published, to be compared with what is measured.

use crate::capacity::read_objective;
use crate::checks::check_name;
use crate::labels::label;
use crate::nearest::advice;
use crate::plan::Workload;
use crate::reader::{Node, Section};
use crate::workload::sections;
use photofinish_model::{Claim, ClaimDirection, Load, Metric};

/// Reads all claims; a claim without a source has the study's.
pub(crate) fn read_claims(
    file: &Section<'_>,
    labels: &[&str],
    workloads: &[Workload],
    source: Option<&str>,
) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for (node, section) in sections(file, "claim") {
        let Some(claim) = read_claim(&section, labels, workloads, source) else {
            continue;
        };
        if claims.iter().any(|other| other.id == claim.id) {
            node.note(
                format!("the claim `{}` is listed twice", claim.id),
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
    let id = section.need("id").and_then(|node| {
        let id = node.text()?;
        node.check(check_name(id));
        Some(id)
    });
    let says = section.need_text("says");
    let metric = section.need("metric").and_then(|node| read_metric(&node));
    let of_node = section.need("of");
    let of = of_node.and_then(|node| label(&node, labels));
    let over_node = section.need("over");
    let over = over_node.and_then(|node| label(&node, labels));
    let stated = read_stated(section);
    let margin = section.value("margin");
    let elsewhere = ["over-workload", "over-connections"]
        .iter()
        .any(|key| section.get(key).is_some());
    if let (Some(node), Some(of), Some(over)) = (over_node, &of, &over)
        && of == over
        && !elsewhere
    {
        node.note(
            "a claim compares two targets, not one with itself",
            "name another of the study's targets, or another level or workload of the same one: over-connections = 1000",
        );
    }
    let own_source = section.text("source");
    if own_source.or(source).is_none() {
        section.note(
            "the claim does not say where it was published",
            "add source = \"…\" here, or once for the whole study",
        );
    }
    let workload = read_workload(section, workloads)?;
    let load = read_level(section, workload)?;
    if let (Load::Capacity(_), Some(node), Some(word)) = (&load, section.get("metric"), metric)
        && word != Metric::Throughput
    {
        node.note(
            format!(
                "at a capacity there is no verdict on `{}`: each target is measured at a rate of its own",
                word.spec().key
            ),
            "a claim about a capacity has metric = \"throughput\": the highest rate that meets the objective",
        );
    }
    let over_workload = match section.get("over-workload") {
        None => workload,
        Some(node) => named_workload(&node, workloads)?,
    };
    let over_load = match section.get("over-connections") {
        None => None,
        Some(node) => Some(connections_level(&node, over_workload)?),
    };
    let measured_at = section
        .get("measured-at")
        .and_then(|node| read_stand_in(&node, workload));
    if let (Some(node), Load::Capacity(_)) = (section.get("measured-at"), &load) {
        node.note(
            "`measured-at` cannot replace a capacity: throughput at a number of connections is another figure",
            "leave it out",
        );
    }
    if let (Some(node), true) = (section.get("measured-at"), elsewhere) {
        node.note(
            "`measured-at` cannot replace two different levels",
            "leave it out, or compare two targets at one level",
        );
    }
    let sides = [(of_node, &of, workload), (over_node, &over, over_workload)];
    for (node, label, workload) in sides {
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
    let metric = metric?;
    Some(Claim {
        id: id?.to_owned(),
        says: says?.to_owned(),
        metric,
        of: of?,
        over: over?,
        ratio: stated?.ok(),
        direction: stated?.err(),
        decimals: section.get("ratio").and_then(|node| node.decimals()),
        margin,
        workload: workload.name.clone(),
        load,
        measured_at,
        over_workload: section
            .get("over-workload")
            .map(|_| over_workload.name.clone()),
        over_load,
        figures: section.text_or("figures", ""),
        source: own_source.or(source)?.to_owned(),
        judged: !metric.is_one_event(),
    })
}

/// What the claim says of the ratio: its size, or a direction alone.
fn read_stated(section: &Section<'_>) -> Option<Result<f64, ClaimDirection>> {
    let Some(node) = section.get("less") else {
        let example = "ratio = 1.067, or less = true if none was published";
        return section.need_such_as("ratio", example)?.value().map(Ok);
    };
    for key in ["ratio", "margin"] {
        if let Some(another) = section.get(key) {
            another.note(
                format!("a claim with `less` states a direction alone, and has no `{key}`"),
                "keep `ratio` where a figure was published, else `less`",
            );
            return None;
        }
    }
    Some(Err(match node.value::<bool>()? {
        true => ClaimDirection::Less,
        false => ClaimDirection::More,
    }))
}

/// What the claim is about, by its name or one that it had before.
fn read_metric(node: &Node<'_>) -> Option<Metric> {
    let name = node.text()?;
    let metric = Metric::from_key(name);
    // An older name is no mistake, and is not offered either.
    metric.or_else(|| Metric::from_key(node.word()?))
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
    named_workload(&node, workloads)
}

fn named_workload<'w>(node: &Node<'_>, workloads: &'w [Workload]) -> Option<&'w Workload> {
    let names = || workloads.iter().map(|workload| &*workload.name);
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
    let help = levels_of(workload);
    let given = ["connections", "rate", "capacity"].map(|key| section.get(key));
    match given {
        [Some(node), None, None] => connections_level(&node, workload),
        [None, Some(node), None] => rate_level(&node, workload),
        [None, None, Some(node)] => capacity_level(&node, workload),
        [connections, rate, capacity] => {
            if let Some(another) = capacity.or(rate).or(connections) {
                another.note(
                    "a claim is about `connections`, a `rate` or a `capacity`, not about several of them",
                    help,
                );
                return None;
            }
            if let [only] = &workload.loads[..]
                && workload.published_loads.is_empty()
            {
                return Some(only.clone());
            }
            section.note("the claim does not say which load level it is about", help);
            None
        }
    }
}

/// `measured-at`: one of the levels that run when nothing else is asked for.
fn read_stand_in(node: &Node<'_>, workload: &Workload) -> Option<Load> {
    let found = node.section()?.need("connections")?;
    let load = connections_level(&found, workload)?;
    if !workload.loads.contains(&load) {
        found.note(
            format!("{} is not run by itself either", level(&load)),
            levels_of(workload),
        );
    }
    Some(load)
}

fn connections_level(node: &Node<'_>, workload: &Workload) -> Option<Load> {
    let connections = node.value()?;
    let wanted = Load::Closed { connections };
    known(node, workload, |load| *load == wanted)
}

fn rate_level(node: &Node<'_>, workload: &Workload) -> Option<Load> {
    let wanted: f64 = node.value()?;
    known(
        node,
        workload,
        |load| matches!(load, Load::Open { rate, .. } if *rate == wanted),
    )
}

fn capacity_level(node: &Node<'_>, workload: &Workload) -> Option<Load> {
    let wanted = read_objective(node)?;
    known(
        node,
        workload,
        |load| matches!(load, Load::Capacity(search) if search.objective.conditions() == wanted.conditions()),
    )
}

/// The workload's level that fits; there must be one.
fn known(node: &Node<'_>, workload: &Workload, fits: impl Fn(&Load) -> bool) -> Option<Load> {
    let mut levels = workload.loads.iter().chain(&workload.published_loads);
    let found = levels.find(|load| fits(load)).cloned();
    if found.is_none() {
        node.note(
            format!("the workload `{}` has no such load level", workload.name),
            levels_of(workload),
        );
    }
    found
}

fn levels_of(workload: &Workload) -> String {
    let mut levels: Vec<String> = Vec::new();
    for load in workload.loads.iter().chain(&workload.published_loads) {
        let level = level(load);
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    format!("levels of `{}`: {}", workload.name, levels.join(", "))
}

/// A level as it is written in a claim.
pub(crate) fn level(load: &Load) -> String {
    match load {
        Load::Closed { connections } => format!("connections = {connections}"),
        Load::Open { rate, .. } => format!("rate = {rate}"),
        Load::Capacity(search) => format!("capacity = \"{}\"", search.objective.text()),
    }
}
