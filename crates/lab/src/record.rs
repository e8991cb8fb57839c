//! The study as it is run, for `study.json`, and whether two of them are the same.

pub mod environment;
pub(crate) mod fingerprint;
pub(crate) mod network;
mod secrets;

use std::collections::BTreeMap;

use photofinish_model::finding::asked::{Asked, OverHttp2};
use photofinish_model::secret::{mask, mask_words};
use photofinish_model::settings::{Different, different};
use photofinish_model::{
    Environment, Exchange, RequestDigests, Requests, ServiceRecord, StudyRecord, TargetRecord,
    VERSION, WorkloadRecord,
};
use photofinish_study::plan::{self, Image, Plan, Workload};
use photofinish_study::same_as;
use serde_json::Value;

use crate::order;
use crate::record::fingerprint::Key;
use crate::service::{self, Found};
use photofinish_host::Tools;

/// The record of a plan that is run with these tools; its secrets are fingerprints by the key.
pub(crate) fn study(
    plan: &Plan,
    seed: u64,
    started: String,
    tools: &[Result<Tools, photofinish_host::Error>],
    services: Vec<ServiceRecord>,
    key: Option<&Key>,
) -> StudyRecord {
    let found = |place: usize| match tools.get(place) {
        Some(Ok(tools)) => tools.found.clone(),
        _ => BTreeMap::new(),
    };
    StudyRecord {
        version: VERSION,
        name: plan.name.clone(),
        title: mask(&plan.title).into_owned(),
        source: plan.source.as_deref().map(|text| mask(text).into_owned()),
        notes: plan.notes.as_deref().map(|text| mask(text).into_owned()),
        left_out: plan.left_out.clone(),
        started,
        seed,
        settings: plan.settings.clone(),
        targets: (plan.targets.iter().enumerate())
            .map(|(place, target)| TargetRecord {
                label: target.label.clone(),
                title: mask(&target.title).into_owned(),
                same_as: same_as(target, &plan.targets[..place]).map(str::to_owned),
                limit: target.limit,
                command: mask_words(&target.start.command),
                image: target.start.image.as_ref().map(|image| match image {
                    Image::Named(name) => name.clone(),
                    Image::File(path) => path.display().to_string(),
                }),
                prepare: mask_words(&target.start.prepare),
                cleanup: mask_words(&target.stop.cleanup),
                tools: found(place),
                already: target.already().is_some(),
                revision: target.revision.clone(),
            })
            .collect(),
        services,
        workloads: (plan.workloads.iter())
            .map(|workload| WorkloadRecord {
                name: workload.name.clone(),
                request: asked(plan, workload, key),
                loads: workload.loads.clone(),
                targets: workload.targets.clone(),
                responses_vary: workload.exchange.responses_vary(),
                digests: key.and_then(|key| digests(&workload.exchange, key)),
                sweep: workload.sweep.clone(),
            })
            .collect(),
        claims: plan.claims.clone(),
        secrets: secrets::records(plan, key),
        fingerprint_key: key.map(Key::id),
    }
}

/// What a workload asks for, and which targets are asked for it over HTTP/2 by themselves.
fn asked(plan: &Plan, workload: &Workload, key: Option<&Key>) -> Asked {
    let mut asked = workload.exchange.asked();
    if let Asked::Http {
        streams,
        over_http2,
        ..
    }
    | Asked::Requests {
        streams,
        over_http2,
        ..
    } = &mut asked
    {
        let takers = (plan.targets.iter()).filter(|target| order::takes(workload, &target.label));
        let own = takers.filter_map(|target| {
            let own = target.http2.filter(|own| Some(*own) != *streams)?;
            Some(OverHttp2 {
                target: target.label.clone(),
                streams: own,
            })
        });
        over_http2.extend(own);
    }
    if let (Asked::Requests { digest: its, .. }, Exchange::Requests(requests)) =
        (&mut asked, &workload.exchange)
    {
        *its = key.and_then(|key| digest(requests, key));
    }
    asked
}

/// What tells requests from others: all that is sent and must come back, its order and its weights. It is that of what the files say and
/// not of the files: who adds an empty line has not sent anything else.
fn digest(requests: &Requests, key: &Key) -> Option<String> {
    key.fingerprint(&(&*requests.list, requests.order, requests.per_connection))
}

/// What tells a single request from others beside its line; `None` where there is nothing else to it.
fn digests(exchange: &Exchange, key: &Key) -> Option<RequestDigests> {
    let (headers, body, expected) = match exchange {
        Exchange::Http {
            request, expect, ..
        } => (
            &request.headers,
            key.fingerprint(&request.body),
            key.fingerprint(expect),
        ),
        Exchange::WebSocket(socket) => (
            &socket.opening.headers,
            key.fingerprint(&socket.message),
            key.fingerprint(&socket.reply),
        ),
        Exchange::Grpc(call) => (
            &call.headers,
            key.fingerprint(&call.message),
            key.fingerprint(&(&call.expect, call.messages)),
        ),
        Exchange::Requests(_) | Exchange::TcpEcho { .. } => return None,
    };
    Some(RequestDigests {
        headers: key.fingerprint(headers)?,
        body: body?,
        expected: expected?,
    })
}

/// The record of a service that is run with what was found, or that was not found.
pub(crate) fn service(
    service: &plan::Service,
    found: Option<&Found>,
    cpus: &[usize],
) -> ServiceRecord {
    let own = service.url.is_none();
    let cpus = cpus.iter().filter(|_| own).map(|&cpu| cpu as u32);
    ServiceRecord {
        name: service.name.clone(),
        kind: service.kind.name().to_owned(),
        version: found.map(|found| found.version.clone()).unwrap_or_default(),
        origin: found.map(|found| found.origin.clone()).unwrap_or_default(),
        settings: service::settings(service),
        cpus: cpus.collect(),
        schema: service
            .schema
            .iter()
            .map(|file| file.name.clone())
            .collect(),
        rows: service.rows.clone(),
        targets: service.targets.clone(),
    }
}

/// Whether what two runs keep fingerprints of can be compared: both have them, by one key.
fn comparable(there: &StudyRecord, now: &StudyRecord) -> bool {
    there.fingerprint_key.is_some() && there.fingerprint_key == now.fingerprint_key
}

/// What keeps a run from being resumed, a fragment each; empty where nothing does.
pub(crate) fn differences(
    there: (&StudyRecord, &Environment),
    now: (&StudyRecord, &Environment),
) -> Vec<String> {
    let mut found = Vec::new();
    let mut there_study = there.0.clone();
    there_study.started.clone_from(&now.0.started);
    // Where a tool was missing when the run began nothing was measured with another one.
    for (target, now) in there_study.targets.iter_mut().zip(&now.0.targets) {
        if target.tools.is_empty() {
            target.tools.clone_from(&now.tools);
        }
    }
    for (service, now) in there_study.services.iter_mut().zip(&now.0.services) {
        if service.version.is_empty() {
            service.version.clone_from(&now.version);
            service.origin.clone_from(&now.origin);
        }
    }
    if let (Some(was), Some(is)) = (&there_study.fingerprint_key, &now.0.fingerprint_key)
        && was != is
    {
        found.push(format!(
            "its requests and secrets were compared by another key ({was}), which lies in the state directory of the user and machine that began it; now it is {is}"
        ));
    }
    match comparable(&there_study, now.0) {
        true => found.extend(secrets::differences(&there_study.secrets, &now.0.secrets)),
        // Without a common key nothing is known.
        false => {
            for (there, now) in there_study.workloads.iter_mut().zip(&now.0.workloads) {
                there.digests.clone_from(&now.digests);
                if let (Asked::Requests { digest: was, .. }, Asked::Requests { digest: is, .. }) =
                    (&mut there.request, &now.request)
                {
                    was.clone_from(is);
                }
            }
        }
    }
    there_study.secrets.clone_from(&now.0.secrets);
    (there_study.fingerprint_key).clone_from(&now.0.fingerprint_key);
    // What a digest was and is now tells nobody anything.
    for (there, now) in there_study.workloads.iter_mut().zip(&now.0.workloads) {
        if let (Asked::Requests { digest: was, .. }, Asked::Requests { digest, source, .. }) =
            (&mut there.request, &now.request)
            && was != digest
        {
            was.clone_from(digest);
            let name = &now.name;
            found.push(format!(
                "the requests of {source}, their data, their order or what must come back for them have changed (workload {name})"
            ));
        }
    }
    for (there, now) in there_study.workloads.iter_mut().zip(&now.0.workloads) {
        if let (Some(was), Some(is)) = (&there.digests, &now.digests) {
            let name = &now.name;
            let parts = [
                (
                    "the headers of its request were others",
                    &was.headers,
                    &is.headers,
                ),
                (
                    "the body of its request was another one",
                    &was.body,
                    &is.body,
                ),
                (
                    "what must come back for it was something else",
                    &was.expected,
                    &is.expected,
                ),
            ];
            // A header that differs was named.
            let is_named = |what: &str| {
                let of = format!(" of workload {name} ");
                let mut named = found.iter().filter(|one| one.contains(&of));
                what.starts_with("the headers") && named.any(|one| !one.starts_with("variable"))
            };
            let changed = (parts.into_iter())
                .filter(|(what, was, is)| was != is && !is_named(what))
                .collect::<Vec<_>>();
            let changed = changed.into_iter();
            found.extend(changed.map(|(what, ..)| format!("{what} (workload {name})")));
        }
        there.digests.clone_from(&now.digests);
    }
    let settings = different(&there_study.settings, &now.0.settings).into_iter();
    let settings = settings.filter(|one| !one.row.may_change);
    found.extend(settings.map(|Different { name, was, is, .. }| {
        let [was, is] = [was, is].map(|value| value.unwrap_or_else(|| "none".to_owned()));
        format!("{name} was {was}, is now {is}")
    }));
    there_study.settings.clone_from(&now.0.settings);
    // Records are plain data; one that cannot be written would differ from everything.
    let value = |record: &StudyRecord| serde_json::to_value(record).unwrap_or_default();
    compare("", &value(&there_study), &value(now.0), &mut found);
    let lanes = |environment: &Environment| {
        format!(
            "server {:?}, generator {:?}",
            environment.server_cpus, environment.generator_cpus
        )
    };
    if lanes(there.1) != lanes(now.1) {
        found.push(format!(
            "lanes were {}, are now {}",
            lanes(there.1),
            lanes(now.1)
        ));
    }
    let nice = |environment: &Environment| match environment.server_nice {
        None => "the usual one".to_owned(),
        Some(nice) => format!("{nice}"),
    };
    if there.1.server_nice != now.1.server_nice {
        found.push(format!(
            "the nice value of servers was {}, is now {}",
            nice(there.1),
            nice(now.1)
        ));
    }
    found
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

#[cfg(test)]
mod tests {
    use photofinish_model::{Expect, Listed, Order, Request, Version, samples};

    use super::*;
    use crate::fake;

    #[test]
    fn what_differs_is_named_with_both_values() {
        let environment = samples::environment();
        let record = |plan: &Plan| {
            study(
                plan,
                1,
                "2026-01-01T00:00:00Z".to_owned(),
                &[],
                Vec::new(),
                Some(&Key::of_test()),
            )
        };
        let plan = fake::plan(&["a", "b"], 3);
        let there = record(&plan);
        let same = |now: &StudyRecord| differences((&there, &environment), (now, &environment));
        let mut later = there.clone();
        later.started = "2026-01-02T00:00:00Z".to_owned();
        later.targets[0]
            .tools
            .insert("jdk".to_owned(), "21".to_owned());
        assert_eq!(same(&later), [""; 0]);
        let mut now = plan.clone();
        now.settings.rounds = 5;
        fake::http(&mut now.workloads[0]).0.path = photofinish_model::Template::fixed("/x");
        assert_eq!(
            same(&record(&now)),
            [
                "rounds was 3, is now 5",
                "workloads[0].request.path was \"/plaintext\", is now \"/x\""
            ]
        );
        let mut other = environment.clone();
        other.server_cpus = vec![7];
        let found = differences((&there, &environment), (&there, &other));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("lanes were server ["), "{found:?}");
    }

    #[test]
    fn another_request_at_the_same_path_is_noticed_and_its_part_named() {
        let environment = samples::environment();
        let record = |change: &dyn Fn(&mut Request, &mut Expect)| {
            let mut plan = fake::plan(&["a"], 3);
            let (request, expect) = fake::http(&mut plan.workloads[0]);
            change(request, expect);
            study(
                &plan,
                1,
                String::new(),
                &[],
                Vec::new(),
                Some(&Key::of_test()),
            )
        };
        let there = record(&|_, _| {});
        let found = |there: &StudyRecord, change: &dyn Fn(&mut Request, &mut Expect)| {
            differences((there, &environment), (&record(change), &environment))
        };
        let body = |request: &mut Request, _: &mut Expect| {
            request.body = photofinish_model::Template::fixed("x").into();
        };
        let others = |request: &mut Request, expect: &mut Expect| {
            let value = photofinish_model::Template::fixed("b").into();
            request.headers.push(("A".to_owned(), value));
            request.method = "PUT".to_owned();
            expect.rows = Some(3);
        };
        assert_eq!(found(&there, &|_, _| {}), [""; 0]);
        assert_eq!(
            found(&there, &body),
            ["the body of its request was another one (workload plaintext)"]
        );
        assert_eq!(
            found(&there, &others),
            [
                "header A of workload plaintext was not given",
                "what must come back for it was something else (workload plaintext)",
                "workloads[0].request.method was \"GET\", is now \"PUT\"",
            ]
        );
        let mut without_key = there;
        without_key.workloads[0].digests = None;
        without_key.fingerprint_key = None;
        assert_eq!(found(&without_key, &body), [""; 0]);
    }

    #[test]
    fn other_requests_of_the_same_file_are_noticed() {
        let environment = samples::environment();
        let record = |paths: [&str; 2], order| {
            let mut plan = fake::plan(&["a"], 3);
            let list = paths.map(|path| Listed {
                request: Request::get(path),
                expect: Expect::default(),
                weight: 1,
            });
            plan.workloads[0].exchange = Exchange::Requests(Requests {
                source: "shop.jsonl".to_owned(),
                list: list.into(),
                order,
                per_connection: false,
                version: Version::Http1,
            });
            study(
                &plan,
                1,
                String::new(),
                &[],
                Vec::new(),
                Some(&Key::of_test()),
            )
        };
        let there = record(["/a", "/b"], Order::InOrder);
        let found = |paths, order| {
            let now = record(paths, order);
            differences((&there, &environment), (&now, &environment))
        };
        assert_eq!(found(["/a", "/b"], Order::InOrder), [""; 0]);
        for changed in [
            found(["/a", "/c"], Order::InOrder),
            found(["/a", "/b"], Order::Random),
        ] {
            let [says] = &changed[..] else {
                panic!("{changed:?}")
            };
            assert!(
                says.starts_with("the requests of shop.jsonl, their data, ")
                    && says.contains("have changed (workload "),
                "{says}"
            );
        }
        // More of them are told by their number too.
        let Asked::Requests { digest, .. } = &there.workloads[0].request else {
            panic!("{:?}", there.workloads[0].request);
        };
        assert_eq!(digest.as_ref().map(String::len), Some(64));
    }

    #[test]
    fn who_is_asked_over_http2_by_itself_is_recorded_with_the_request() {
        let mut plan = fake::plan(&["a", "b", "c"], 3);
        plan.targets[1].http2 = Some(10);
        plan.targets[2].http2 = Some(1);
        plan.workloads[0].targets = vec!["a".to_owned(), "b".to_owned()];
        let record = study(
            &plan,
            1,
            String::new(),
            &[],
            Vec::new(),
            Some(&Key::of_test()),
        );
        let Asked::Http { over_http2, .. } = &record.workloads[0].request else {
            panic!("{:?}", record.workloads[0].request);
        };
        let expected = OverHttp2 {
            target: "b".to_owned(),
            streams: 10,
        };
        assert_eq!(over_http2, &[expected]);
    }
}
