//! What was run, where, and what is not there.

use photofinish_judge::comparison::{Comparison, Failure, Head, StartUp};
use photofinish_model::units::{self, Unit};
use photofinish_model::{Environment, Machines, ServiceRecord};
use photofinish_voice::Language;

use crate::document::{Block, Item, Text, Tone};

/// The title and the whole verdict in a sentence.
pub(super) fn verdict(comparison: &Comparison) -> Vec<Block> {
    vec![
        Block::Heading(1, comparison.head.title.clone()),
        Block::Line(Text {
            text: comparison.headline.text(Language::En).to_owned(),
            tone: Tone::Strong,
        }),
    ]
}

/// What was run, and where.
pub(super) fn run(comparison: &Comparison) -> Vec<Block> {
    let head = &comparison.head;
    let mut blocks = vec![Block::section("The run")];
    let targets = head.targets.iter().map(|target| {
        let limit = if target.limit { " (the limit)" } else { "" };
        let name = format!("{}{limit}: {}", target.label, target.title);
        let mut item = Item::new(name, Tone::Plain);
        let tools = target
            .tools
            .iter()
            .map(|(name, found)| format!("{name} {found}"));
        item.below.extend(tools);
        let ran = comparison.images.iter();
        let ran = ran.filter(|ran| ran.target == target.label);
        let images = ran.flat_map(|ran| &ran.images);
        item.below
            .extend(images.map(|image| format!("image: {image}")));
        let started = comparison.start_up.iter();
        let started = started.filter(|started| started.target == target.label);
        item.below.extend(started.map(start_up));
        item
    });
    let services = head.services.iter().map(service);
    blocks.push(Block::List(targets.chain(services).collect()));
    blocks.push(Block::line(study(head)));
    blocks.push(Block::line(machine(head)));
    if let Some(source) = &head.source {
        blocks.push(Block::line(format!("Published: {source}")));
    }
    // A blank line ends a paragraph; single line ends are only where the file's lines were full.
    for paragraph in head.notes.iter().flat_map(|notes| notes.split("\n\n")) {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        if !words.is_empty() {
            blocks.push(Block::line(words.join(" ")));
        }
    }
    if !head.left_out.is_empty() {
        blocks.push(Block::line("Left out of the study:"));
        let items = head
            .left_out
            .iter()
            .map(|part| Item::new(part.text(Language::En), Tone::Plain));
        blocks.push(Block::List(items.collect()));
    }
    blocks
}

/// A start-up time with its range, such as `start-up: 512 ms (480 … 560 ms)`.
fn start_up(start_up: &StartUp) -> String {
    let time = &start_up.time;
    match time.min == time.max {
        true => format!("start-up: {}", time.short()),
        false => format!("start-up: {} ({})", time.short(), time.range()),
    }
}

/// A database: the figures are as much its as the servers'.
fn service(service: &ServiceRecord) -> Item {
    let kind = match service.kind.as_str() {
        "postgresql" => "PostgreSQL",
        "mariadb" => "MariaDB",
        other => other,
    };
    if service.version.is_empty() {
        let says = format!("service {}: {kind}, not found", service.name);
        return Item::new(says, Tone::Bad);
    }
    let mut item = Item::new(
        format!(
            "service {}: {kind} {} ({})",
            service.name, service.version, service.origin
        ),
        Tone::Plain,
    );
    let settings = service
        .settings
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    let settings: Vec<String> = settings.collect();
    if !settings.is_empty() {
        item.below.push(format!("set to {}", settings.join(", ")));
    }
    item
}

fn study(head: &Head) -> String {
    format!(
        "Study {}: {} of {}{} of {} s each, begun {}, seed {}{}.",
        head.name,
        head.rounds_done,
        units::plural(head.rounds_asked as usize, "round", "rounds"),
        how_many(head),
        head.duration_s,
        head.started,
        head.seed,
        if head.smoke { ", a smoke run" } else { "" }
    )
}

/// Why there are so many rounds, where the study has not fixed their number.
fn how_many(head: &Head) -> String {
    let within = head.within_s.map(|seconds| format!("{seconds} s"));
    let planned = head.rounds_planned;
    match (head.max_rounds, within) {
        (Some(max), None) => format!(" (added until it was decided, {max} at most)"),
        (Some(max), Some(time)) => {
            format!(" (added until it was decided, {max} at most, within {time})")
        }
        (None, Some(time)) if head.rounds_asked < planned => {
            format!(" ({planned} at most, within {time})")
        }
        (None, _) => String::new(),
    }
}

/// What servers and load run on, where load comes from several machines.
fn of_several(machine: &Environment) -> Option<String> {
    let machines = machine.machines.as_ref()?;
    let each = machines.generators.iter().map(|one| {
        format!(
            "{} ({}, {}, kernel {}{})",
            one.name,
            one.cpu,
            units::plural(one.cores as usize, "core", "cores"),
            one.kernel,
            if one.same {
                ", which is the servers' machine"
            } else {
                ""
            }
        )
    });
    let each: Vec<String> = each.collect();
    Some(format!(
        "servers on {}, load from {} machines together: {}; the servers' machine:",
        machines.server,
        each.len(),
        each.join("; ")
    ))
}

fn machine(head: &Head) -> String {
    let machine = &head.machine;
    let lane = |cpus: &[u32]| {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        cpus.join(",")
    };
    let lanes = if machine.server_cpus.is_empty() && machine.generator_cpus.is_empty() {
        "server and generator not pinned".to_owned()
    } else {
        format!(
            "server on {}, generator on {}",
            lane(&machine.server_cpus),
            lane(&machine.generator_cpus)
        )
    };
    let one = |machines: &&Machines| machines.generators.is_empty();
    let apart = machine.machines.as_ref().filter(one).map(|machines| {
        let same = if machines.same {
            ", which is the same machine"
        } else {
            ""
        };
        format!(
            "servers on {}, load from {} ({}, {}, kernel {}){same}; the servers' machine:",
            machines.server,
            machines.generator,
            machines.generator_cpu,
            units::plural(machines.generator_cores as usize, "core", "cores"),
            machines.generator_kernel
        )
    });
    let apart = apart.or_else(|| of_several(machine));
    let mut parts = vec![
        match apart {
            None => machine.cpu.clone(),
            Some(apart) => format!("{apart} {}", machine.cpu),
        },
        units::plural(machine.cpus.len(), "core", "cores"),
        lanes,
        Unit::Bytes.text(machine.memory_bytes as f64),
        machine.os.clone(),
        format!("kernel {}", machine.kernel),
    ];
    parts.extend(
        machine
            .hypervisor
            .as_ref()
            .map(|name| format!("hypervisor {name}")),
    );
    parts.extend(
        machine
            .governor
            .as_ref()
            .map(|name| format!("governor {name}")),
    );
    parts.extend((machine.server_nice).map(|nice| format!("servers at nice {nice}")));
    parts.push(format!("photofinish {}", machine.photofinish));
    parts.extend(
        machine
            .commit
            .as_ref()
            .map(|commit| format!("commit {commit}")),
    );
    format!("Machine: {}.", parts.join(", "))
}

/// Failures and missing measurements, before any figure: they touch them all.
pub(super) fn gaps(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !comparison.failures.is_empty() {
        blocks.push(Block::section("Failures"));
        blocks.push(Block::List(failures(&comparison.failures)));
    }
    if !comparison.missing.is_empty() {
        blocks.push(Block::section("Not measured"));
        let items = comparison.missing.iter().map(|missing| {
            Item::new(
                format!(
                    "{}, {}, {}: {}",
                    missing.target,
                    missing.workload,
                    missing.level.en,
                    in_words(&missing.rounds)
                ),
                Tone::Plain,
            )
        });
        blocks.push(Block::List(items.collect()));
    }
    blocks
}

/// What failed, the same failure of a target shown once with all its rounds: a target that cannot
/// be built fails in each in the same way.
fn failures(failures: &[Failure]) -> Vec<Item> {
    let mut reported: Vec<(&Failure, Vec<u32>, Vec<&str>)> = Vec::new();
    for failure in failures {
        let lost = failure.measurements.iter().map(|place| place.en.as_str());
        let same = |known: &Failure| known.target == failure.target && known.why == failure.why;
        match reported.iter_mut().find(|(known, ..)| same(known)) {
            Some((_, rounds, known)) => {
                rounds.push(failure.round);
                known.extend(lost);
            }
            None => reported.push((failure, vec![failure.round], lost.collect())),
        }
    }
    let items = reported.into_iter().map(|(failure, rounds, mut lost)| {
        // A reason may have a log's last lines below it.
        let mut why = failure.why.en.lines();
        let first = why.next().unwrap_or_default();
        let text = format!("{}, {}: {first}", failure.target, in_words(&rounds));
        let mut item = Item::new(text, Tone::Bad);
        item.below.extend(why.map(|line| line.trim().to_owned()));
        lost.sort_unstable();
        lost.dedup();
        if !lost.is_empty() {
            item.below.push(format!("lost: {}", lost.join("; ")));
        }
        item
    });
    items.collect()
}

/// `round 1`, or `rounds 1, 2`.
pub(crate) fn in_words(rounds: &[u32]) -> String {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!("{noun} {}", rounds.join(", "))
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn why_there_are_so_many_rounds() {
        let mut results = samples::race(&["a", "b"], &[&[1000.0; 3], &[1000.0; 3]]);
        let mut says = |planned, max, within_s| {
            results.study.rounds = planned;
            results.study.max_rounds = max;
            results.study.within_s = within_s;
            results.time_over = within_s
                .map(|_| samples::time_over(3))
                .into_iter()
                .collect();
            study(&Comparison::from(&results).head)
        };
        for (planned, max, within_s, expected) in [
            (3, None, None, "3 of 3 rounds of "),
            (
                5,
                None,
                Some(1200.0),
                "3 of 3 rounds (5 at most, within 1200 s) of ",
            ),
            (3, None, Some(1200.0), "3 of 3 rounds of "),
            (
                20,
                Some(20),
                None,
                "3 of 3 rounds (added until it was decided, 20 at most) of ",
            ),
            (
                20,
                Some(20),
                Some(90.0),
                "3 of 3 rounds (added until it was decided, 20 at most, within 90 s) of ",
            ),
        ] {
            let said = says(planned, max, within_s);
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn servers_that_come_first_are_said() {
        let mut results = samples::race(&["a", "b"], &[&[1000.0; 3], &[1000.0; 3]]);
        assert!(!machine(&Comparison::from(&results).head).contains("nice"));
        results.environment.server_nice = Some(-20);
        let said = machine(&Comparison::from(&results).head);
        assert!(
            said.contains(", servers at nice -20, photofinish "),
            "{said}"
        );
    }
}
