//! The study as it is run, for `study.json`.

mod differences;
pub mod environment;
pub(crate) mod fingerprint;
pub(crate) mod network;
mod secrets;

use std::collections::BTreeMap;

use photofinish_model::finding::asked::{Asked, OverHttp2};
use photofinish_model::secret::{mask, mask_words};
use photofinish_model::{
    Exchange, RequestDigests, Requests, ServiceRecord, StudyRecord, TargetRecord, VERSION,
    WorkloadRecord,
};
use photofinish_study::plan::{self, Image, Plan, Workload};
use photofinish_study::same_as;

use crate::order;
use crate::record::fingerprint::Key;
use crate::service::{self, Found};
use photofinish_host::Tools;

pub(crate) use differences::differences;

/// The record of a plan that is run with these tools; its secrets are fingerprints by the key.
pub(crate) fn study(
    plan: &Plan,
    seed: u64,
    started: String,
    tools: &[Result<Tools, photofinish_host::Error>],
    services: Vec<ServiceRecord>,
    key: Option<&Key>,
    pair: Option<String>,
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
        pair,
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

/// What tells a single request from others beside its line; `None` if there is nothing else to it.
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

#[cfg(test)]
mod tests;
