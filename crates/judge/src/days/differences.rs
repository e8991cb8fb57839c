//! What differs between two runs beside their figures: any of it may be the cause of a change.

use std::collections::BTreeSet;

use photofinish_model::finding::days::{Differs, Had, HadWorkload, Thing};
use photofinish_model::store::Results;
use photofinish_model::{StudyRecord, TargetRecord};

use crate::comparison::responses;
use crate::comparison::{CheckStatus, Comparison};

/// The validity checks that failed in either run; `None` where none did.
pub(crate) fn failed_checks(before: &Comparison, after: &Comparison) -> Option<Differs> {
    let failed = |comparison: &Comparison| {
        let checks = comparison.checks.iter();
        let failed = checks.filter(|check| check.status == CheckStatus::Failed);
        let names: Vec<String> = failed.map(|check| check.name.clone()).collect();
        (!names.is_empty()).then_some(Had::Checks { names })
    };
    let (before, after) = (failed(before), failed(after));
    (before.is_some() || after.is_some()).then_some(Differs::Thing {
        what: Thing::FailedChecks,
        before,
        after,
    })
}

/// Whether both runs had something else.
pub(crate) fn is_difference(differs: &Differs) -> bool {
    match differs {
        Differs::Thing { before, after, .. } => before != after,
        _ => true,
    }
}

/// What differs, in the order of its weight.
#[derive(Default)]
struct Differences(Vec<Differs>);

impl Differences {
    fn add(&mut self, what: Thing, before: impl Into<Option<Had>>, after: impl Into<Option<Had>>) {
        let (before, after) = (before.into(), after.into());
        if before != after {
            self.0.push(Differs::Thing {
                what,
                before,
                after,
            });
        }
    }
}

/// What differs between two runs beside the figures.
pub(crate) fn between(before: &Results, after: &Results) -> Vec<Differs> {
    let mut found = Differences::default();
    let (old, new) = (&before.environment, &after.environment);
    let (was, is) = (&before.study, &after.study);
    found.add(Thing::Study, text(&was.name), text(&is.name));
    found.add(Thing::Processor, text(&old.cpu), text(&new.cpu));
    let count = |cpus: &[u32]| Had::Count { count: cpus.len() };
    found.add(Thing::Cores, count(&old.cpus), count(&new.cpus));
    found.add(
        Thing::ServerCores,
        list(&old.server_cpus),
        list(&new.server_cpus),
    );
    found.add(
        Thing::GeneratorCores,
        list(&old.generator_cpus),
        list(&new.generator_cpus),
    );
    let bytes = |bytes: u64| Had::Bytes { bytes };
    found.add(
        Thing::Memory,
        bytes(old.memory_bytes),
        bytes(new.memory_bytes),
    );
    found.add(Thing::Kernel, text(&old.kernel), text(&new.kernel));
    found.add(Thing::OperatingSystem, text(&old.os), text(&new.os));
    found.add(Thing::Governor, known(&old.governor), known(&new.governor));
    let nice = |nice: Option<i32>| nice.map(|nice| text(&format!("nice {nice}")));
    found.add(
        Thing::ServerPriority,
        nice(old.server_nice),
        nice(new.server_nice),
    );
    found.add(
        Thing::Hypervisor,
        known(&old.hypervisor),
        known(&new.hypervisor),
    );
    found.add(
        Thing::Photofinish,
        text(&old.photofinish),
        text(&new.photofinish),
    );
    found.add(Thing::Commit, known(&old.commit), known(&new.commit));
    let seconds = |study: &StudyRecord| Had::Seconds {
        seconds: study.duration_s,
    };
    found.add(Thing::Duration, seconds(was), seconds(is));
    for target in &is.targets {
        if let Some(known) = was.targets.iter().find(|old| old.label == target.label) {
            of_target(&mut found, known, target);
        }
    }
    let labels = |study: &StudyRecord| Had::Names {
        names: study.targets.iter().map(|t| t.label.clone()).collect(),
    };
    found.add(Thing::Targets, labels(was), labels(is));
    found.add(Thing::Loads, loads(was), loads(is));
    for target in &is.targets {
        for workload in &is.workloads {
            let of = |results| responses(results, &target.label, &workload.name);
            let (old, new) = (of(before), of(after));
            if !old.is_empty() && !new.is_empty() && old != new {
                found.0.push(Differs::OtherResponse {
                    target: target.label.clone(),
                    workload: workload.name.clone(),
                });
            }
        }
    }
    if was.smoke || is.smoke {
        found.0.push(Differs::Smoke);
    }
    found.0
}

fn of_target(found: &mut Differences, old: &TargetRecord, new: &TargetRecord) {
    let target = new.label.clone();
    let what = Thing::Command {
        target: target.clone(),
    };
    found.add(
        what,
        text(&old.command.join(" ")),
        text(&new.command.join(" ")),
    );
    let tools: BTreeSet<&String> = old.tools.keys().chain(new.tools.keys()).collect();
    for tool in tools {
        let what = Thing::Tool {
            target: target.clone(),
            tool: tool.clone(),
        };
        found.add(
            what,
            old.tools.get(tool).map(|version| text(version)),
            new.tools.get(tool).map(|version| text(version)),
        );
    }
}

fn text(name: &str) -> Had {
    Had::Name {
        name: name.to_owned(),
    }
}

/// What may not be known.
fn known(name: &Option<String>) -> Option<Had> {
    name.as_deref().map(text)
}

/// Cores in a row; `None` for none.
fn list(cpus: &[u32]) -> Option<Had> {
    let names: Vec<String> = cpus.iter().map(u32::to_string).collect();
    (!names.is_empty()).then_some(Had::Names { names })
}

/// The workloads with their loads.
fn loads(study: &StudyRecord) -> Had {
    let workloads = study.workloads.iter().map(|workload| HadWorkload {
        name: workload.name.clone(),
        asked: workload.request.clone(),
        loads: workload.loads.clone(),
    });
    Had::Workloads {
        workloads: workloads.collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::days::Days;
    use photofinish_model::samples;
    use photofinish_voice::Language;

    const ROUNDS: [f64; 5] = [1000.0, 1010.0, 990.0, 1005.0, 995.0];

    #[test]
    fn whatever_else_differs_is_said_in_both_languages() {
        let before = samples::race(&["a", "b"], &[&ROUNDS, &ROUNDS]);
        let mut after = before.clone();
        after.environment.kernel = "6.2.0".to_owned();
        after.study.targets[0]
            .tools
            .insert("jdk".to_owned(), "25".to_owned());
        after.study.duration_s = 10.0;
        after.environment.server_nice = Some(-20);
        after.environment.memory_bytes *= 2;
        after.environment.server_cpus = vec![0, 1];
        after.study.workloads[0].loads = vec![samples::CLOSED_100, samples::capacity_level()];
        after.study.smoke = true;
        let warnings = Days::from(&before, &after).warnings;
        let said = |language| -> Vec<&str> {
            let warnings = warnings.iter();
            warnings.map(|warning| warning.text(language)).collect()
        };
        assert_eq!(
            said(Language::En),
            [
                "cores of the servers: before 0; after 0, 1",
                "memory: before 8.00 GiB; after 16.0 GiB",
                "kernel: before 6.1.0; after 6.2.0",
                "higher CPU priority of the servers: before none; after nice -20",
                "length of a measurement: before 5 s; after 10 s",
                "jdk of a: before none; after 25",
                "load: before plaintext (GET /plaintext) at 100 connections; after plaintext (GET /plaintext) at 100 connections, capacity (p99 < 10ms)",
                "a smoke run, which says nothing about speed"
            ]
        );
        assert_eq!(
            said(Language::Zh),
            [
                "服务器使用的核：之前 0；之后 0、1",
                "内存：之前 8.00 GiB；之后 16.0 GiB",
                "内核：之前 6.1.0；之后 6.2.0",
                "服务器更高的 CPU 优先级：之前 无；之后 nice -20",
                "每次测量的时长：之前 5 s；之后 10 s",
                "a 的 jdk：之前 无；之后 25",
                "负载：之前 plaintext（GET /plaintext），100 个连接；之后 plaintext（GET /plaintext），100 个连接、容量（p99 < 10ms）",
                "其中有冒烟运行，不能得出任何结论"
            ]
        );
    }
}
