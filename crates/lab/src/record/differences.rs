//! Whether two records are of the same study, so that a run can be resumed.

use photofinish_model::finding::asked::Asked;
use photofinish_model::settings::{Different, different};
use photofinish_model::{Environment, RequestDigests, StudyRecord, WorkloadRecord};
use serde_json::Value;

use super::secrets;

/// What keeps a run from being resumed, a fragment each; empty if nothing does.
pub(crate) fn differences(
    there: (&StudyRecord, &Environment),
    now: (&StudyRecord, &Environment),
) -> Vec<String> {
    let mut found = Vec::new();
    let (mut there_study, now_study) = (there.0.clone(), now.0);
    equate_unknown(&mut there_study, now_study);
    let [was, is] = [&there_study, now_study].map(|study| study.fingerprint_key.as_ref());
    if let (Some(was), Some(is)) = (was, is)
        && was != is
    {
        found.push(format!(
            "its requests and secrets were compared by another key ({was}), which lies in the state directory of the user and machine that began it; now it is {is}"
        ));
    }
    // Without a common key nothing is known of what two runs keep fingerprints of.
    if was.is_some() && was == is {
        found.extend(secrets::differences(
            &there_study.secrets,
            &now_study.secrets,
        ));
        for (there, now) in there_study.workloads.iter().zip(&now_study.workloads) {
            requests(there, now, &mut found);
        }
    }
    // What a digest was and is now tells nobody anything.
    for (there, now) in there_study.workloads.iter_mut().zip(&now_study.workloads) {
        there.digests.clone_from(&now.digests);
        if let (Asked::Requests { digest: was, .. }, Asked::Requests { digest: is, .. }) =
            (&mut there.request, &now.request)
        {
            was.clone_from(is);
        }
    }
    there_study.secrets.clone_from(&now_study.secrets);
    (there_study.fingerprint_key).clone_from(&now_study.fingerprint_key);
    let settings = different(&there_study.settings, &now_study.settings).into_iter();
    let settings = settings.filter(|one| !one.row.may_change);
    found.extend(settings.map(|Different { name, was, is, .. }| {
        let [was, is] = [was, is].map(|value| value.unwrap_or_else(|| "none".to_owned()));
        format!("{name} was {was}, is now {is}")
    }));
    there_study.settings.clone_from(&now_study.settings);
    // Records are plain data; one that cannot be written would differ from everything.
    let value = |record: &StudyRecord| serde_json::to_value(record).unwrap_or_default();
    compare("", &value(&there_study), &value(now_study), &mut found);
    machines(there.1, now.1, &mut found);
    found
}

/// Takes over what may differ between two runs: when they began, and tools and services that were missing when the first one did, so that
/// nothing was measured with other ones.
fn equate_unknown(there: &mut StudyRecord, now: &StudyRecord) {
    there.started.clone_from(&now.started);
    for (target, now) in there.targets.iter_mut().zip(&now.targets) {
        if target.tools.is_empty() {
            target.tools.clone_from(&now.tools);
        }
    }
    for (service, now) in there.services.iter_mut().zip(&now.services) {
        if service.version.is_empty() {
            service.version.clone_from(&now.version);
            service.origin.clone_from(&now.origin);
        }
    }
}

/// Which parts of a workload's requests changed, by their digests.
fn requests(there: &WorkloadRecord, now: &WorkloadRecord, found: &mut Vec<String>) {
    let name = &now.name;
    if let (Asked::Requests { digest: was, .. }, Asked::Requests { digest, source, .. }) =
        (&there.request, &now.request)
        && was != digest
    {
        found.push(format!(
            "the requests of {source}, their data, their order or what must come back for them have changed (workload {name})"
        ));
    }
    let (Some(was), Some(is)) = (&there.digests, &now.digests) else {
        return;
    };
    // A header that differs was named.
    let of = format!(" of workload {name} ");
    let mut named = found.iter().filter(|one| one.contains(&of));
    let is_named = named.any(|one| !one.starts_with("variable"));
    type Part = fn(&RequestDigests) -> &String;
    let parts: [(&str, Part, bool); 3] = [
        (
            "the headers of its request were others",
            |digests| &digests.headers,
            is_named,
        ),
        (
            "the body of its request was another one",
            |digests| &digests.body,
            false,
        ),
        (
            "what must come back for it was something else",
            |digests| &digests.expected,
            false,
        ),
    ];
    for (what, part, is_named) in parts {
        if part(was) != part(is) && !is_named {
            found.push(format!("{what} (workload {name})"));
        }
    }
}

/// Whether servers ran on other cores, or with another priority.
fn machines(there: &Environment, now: &Environment, found: &mut Vec<String>) {
    let cpu_sets = |environment: &Environment| {
        let (server, generator) = (&environment.server_cpus, &environment.generator_cpus);
        format!("server {server:?}, generator {generator:?}")
    };
    let nice = |environment: &Environment| match environment.server_nice {
        None => "the usual one".to_owned(),
        Some(nice) => nice.to_string(),
    };
    for (what, verb, was, is) in [
        ("lanes were", "are", cpu_sets(there), cpu_sets(now)),
        (
            "the nice value of servers was",
            "is",
            nice(there),
            nice(now),
        ),
    ] {
        if was != is {
            found.push(format!("{what} {was}, {verb} now {is}"));
        }
    }
}

fn compare(path: &str, there: &Value, now: &Value, found: &mut Vec<String>) {
    let under = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    match (there, now) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a
                .keys()
                .chain(b.keys().filter(|key| !a.contains_key(*key)))
                .collect();
            keys.dedup();
            for key in keys {
                let of = |side: &serde_json::Map<String, Value>| {
                    side.get(key).cloned().unwrap_or(Value::Null)
                };
                compare(&under(key), &of(a), &of(b), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{place}]"), a, b, found);
            }
        }
        _ if there != now => found.push(format!("{path} was {there}, is now {now}")),
        _ => {}
    }
}
