//! A plan, a server and a workload, as tests need them: those of this crate, and those that run real servers.

// Each program of tests uses a part.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::time::Duration;

use photofinish_model::settings::{CpuSets, RaceSettings};
use photofinish_model::{Exchange, Expect, Load, Request, Version};
use photofinish_study::plan::{Listen, Plan, Ready, Start, Stop, Target, Workload};

/// What every good server sends back.
pub(crate) const BODY: &str = "Hello, World!";

/// A plan for these targets: one workload at 16 and 256 connections, and no warm-up.
pub(crate) fn plan(targets: &[&str], rounds: u32) -> Plan {
    Plan {
        name: "fake".to_owned(),
        title: "Fakes against each other".to_owned(),
        source: None,
        notes: None,
        text: "title = \"Fakes against each other\"\n".to_owned(),
        settings: RaceSettings {
            rounds,
            duration: Duration::from_secs(1),
            lead_in: Duration::ZERO,
            warmup_min: Duration::ZERO,
            warmup_max: Duration::ZERO,
            lanes: CpuSets::None,
            turns: false,
            profile: Some(false),
            ..RaceSettings::default()
        },
        services: Vec::new(),
        targets: targets.iter().map(|label| target(label)).collect(),
        workloads: vec![workload("plaintext", &[16, 256])],
        claims: Vec::new(),
        left_out: Vec::new(),
    }
}

/// A target that [`FakeHost`] serves well.
pub(crate) fn target(label: &str) -> Target {
    Target {
        label: label.to_owned(),
        name: label.to_owned(),
        variant: None,
        title: format!("The target {label}"),
        limit: false,
        dir: None,
        needs: BTreeMap::new(),
        build: None,
        start: Start {
            command: ["serve", BODY, "{port}"].map(str::to_owned).to_vec(),
            image: None,
            env: BTreeMap::new(),
            jvm_flags: Vec::new(),
            listen: Listen::FreePort,
            prepare: Vec::new(),
        },
        ready: Ready {
            path: Some("/".to_owned()),
            timeout: Duration::from_secs(20),
        },
        stop: Stop {
            grace: Duration::from_secs(1),
            cleanup: Vec::new(),
        },
        tls: None,
        host: None,
        http2: None,
        revision: None,
    }
}

/// A workload that expects [`BODY`].
pub(crate) fn workload(name: &str, connections: &[u32]) -> Workload {
    Workload {
        name: name.to_owned(),
        exchange: Exchange::Http {
            request: Request::get(format!("/{name}")),
            expect: Expect {
                status: Some(200),
                body: Some(BODY.as_bytes().to_vec()),
                ..Expect::default()
            },
            version: Version::Http1,
        },
        requests_per_connection: None,
        timeout: Duration::from_secs(20),
        loads: connections
            .iter()
            .map(|&connections| Load::Closed { connections })
            .collect(),
        published_loads: Vec::new(),
        sweep: None,
        targets: Vec::new(),
        warmed_up: true,
        before: None,
        login: None,
        count_after: None,
    }
}
