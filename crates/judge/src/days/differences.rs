//! What differs between two runs beside their figures: any of it may be the cause of a change.

use std::collections::BTreeSet;

use photofinish_model::message::Message;
use photofinish_model::settings::{Different, different};
use photofinish_model::store::Results;
use photofinish_model::{Environment, StudyRecord, TargetRecord};
use photofinish_voice::{checks as names, difference as found, place};

use crate::comparison::responses;
use crate::comparison::{CheckStatus, Comparison};

/// What differs between two runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) says: Message,
    /// Whose difference it is.
    pub(crate) of: Of,
}

/// Whose difference it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// What measures: the machine and photofinish.
    Machine,
    /// The commit of the working tree.
    Commit,
    /// Where a tool of the same version lies.
    Path,
    /// What is measured, and how.
    Study,
}

/// The validity checks that failed in either run; `None` if none did.
pub(crate) fn failed_checks(before: &Comparison, after: &Comparison) -> Option<Difference> {
    let failed = |comparison: &Comparison| {
        let checks = comparison.checks.iter();
        let failed = checks.filter(|check| check.status == CheckStatus::Failed);
        let titles: Vec<Message> = failed.map(|of| names::title(&of.name)).collect();
        (!titles.is_empty()).then(|| found::titles(titles))
    };
    let (before, after) = (failed(before), failed(after));
    (before.is_some() || after.is_some()).then(|| Difference {
        says: changed(found::failed_checks(), before, after),
        of: Of::Study,
    })
}

/// The same, if other checks failed in each.
pub(crate) fn other_failed_checks(before: &Comparison, after: &Comparison) -> Option<Difference> {
    let names = |comparison: &Comparison| -> Vec<String> {
        let checks = comparison.checks.iter();
        let failed = checks.filter(|check| check.status == CheckStatus::Failed);
        failed.map(|check| check.name.clone()).collect()
    };
    failed_checks(before, after).filter(|_| names(before) != names(after))
}

fn changed(what: Message, before: Option<Message>, after: Option<Message>) -> Message {
    let or_none = |was: Option<Message>| was.unwrap_or_else(found::none);
    found::changed(what, or_none(before), or_none(after))
}

/// What differs, in the order of its weight.
#[derive(Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn add(
        &mut self,
        of: Of,
        what: Message,
        before: impl Into<Option<Message>>,
        after: impl Into<Option<Message>>,
    ) {
        let (before, after) = (before.into(), after.into());
        if before != after {
            let says = changed(what, before, after);
            self.0.push(Difference { says, of });
        }
    }
}

/// What a run's record says of one thing.
type Seen = fn(&Environment) -> Option<Message>;

/// What differs between two runs beside the figures.
pub(crate) fn between(before: &Results, after: &Results) -> Vec<Difference> {
    let mut differences = Differences::default();
    let (old, new) = (&before.environment, &after.environment);
    let (was, is) = (&before.study, &after.study);
    differences.add(Of::Study, found::study(), text(&was.name), text(&is.name));
    let of_machine: [(Message, Seen); 11] = [
        (found::processor(), |it| text(&it.cpu).into()),
        (found::cores(), |it| found::count(it.cpus.len()).into()),
        (found::server_cores(), |it| list(&it.server_cpus)),
        (found::generator_cores(), |it| list(&it.generator_cpus)),
        (found::memory(), |it| {
            found::bytes(it.memory_bytes as f64).into()
        }),
        (found::kernel(), |it| text(&it.kernel).into()),
        (found::operating_system(), |it| text(&it.os).into()),
        (found::governor(), |it| known(&it.governor)),
        (found::server_priority(), |it| {
            Some(text(&format!("nice {}", it.server_nice?)))
        }),
        (found::hypervisor(), |it| known(&it.hypervisor)),
        (found::photofinish(), |it| text(&it.photofinish).into()),
    ];
    for (what, of) in of_machine {
        differences.add(Of::Machine, what, of(old), of(new));
    }
    let [had, has] = [old, new].map(|it| known(&it.commit));
    differences.add(Of::Commit, found::commit(), had, has);
    let settings = different(&was.settings, &is.settings).into_iter();
    // A smoke run is named at the end.
    for Different { name, was, is, .. } in settings.filter(|one| one.name != "smoke") {
        let [was, is] = [was, is].map(|value| value.as_deref().map(text));
        differences.add(Of::Study, found::setting(name), was, is);
    }
    for target in &is.targets {
        if let Some(known) = was.targets.iter().find(|old| old.label == target.label) {
            of_target(&mut differences, known, target);
        }
    }
    let labels = |study: &StudyRecord| {
        let labels: Vec<String> = study.targets.iter().map(|t| t.label.clone()).collect();
        found::names(labels)
    };
    differences.add(Of::Study, found::servers(), labels(was), labels(is));
    differences.add(Of::Study, found::loads(), loads(was), loads(is));
    for target in &is.targets {
        for workload in &is.workloads {
            let of = |results| responses(results, &target.label, &workload.name);
            let (old, new) = (of(before), of(after));
            if !old.is_empty() && !new.is_empty() && old != new {
                differences.0.push(Difference {
                    says: found::other_response(&workload.name, &target.label),
                    of: Of::Study,
                });
            }
        }
    }
    if was.settings.smoke || is.settings.smoke {
        differences.0.push(Difference {
            says: found::smoke(),
            of: Of::Study,
        });
    }
    differences.0
}

fn of_target(differences: &mut Differences, old: &TargetRecord, new: &TargetRecord) {
    let target = &new.label;
    differences.add(
        Of::Study,
        found::command(target),
        text(&old.command.join(" ")),
        text(&new.command.join(" ")),
    );
    let tools: BTreeSet<&String> = old.tools.keys().chain(new.tools.keys()).collect();
    for tool in tools {
        let [was, is] = [old, new].map(|target| target.tools.get(tool));
        // A version is followed by the path.
        let version = |tool: &String| tool.split(" (").next().map(str::to_owned);
        let of = match was.and_then(version) == is.and_then(version) {
            true => Of::Path,
            false => Of::Study,
        };
        let [was, is] = [was, is].map(|tool| tool.map(|version| text(version)));
        differences.add(of, found::tool(tool, target), was, is);
    }
}

fn text(name: &str) -> Message {
    found::name(name)
}

/// What may not be known.
fn known(name: &Option<String>) -> Option<Message> {
    name.as_deref().map(text)
}

/// Cores in a row; `None` for none.
fn list(cpus: &[u32]) -> Option<Message> {
    (!cpus.is_empty()).then(|| found::names(cpus))
}

/// The workloads with their loads.
fn loads(study: &StudyRecord) -> Message {
    let workloads = study.workloads.iter().map(|workload| {
        let levels: Vec<Message> = workload.loads.iter().map(place::level).collect();
        found::workload(&workload.name, workload.request.message(), levels)
    });
    found::workloads(workloads.collect::<Vec<Message>>())
}
