//! A run with all that a page can show: an A/A pair, rounds added until it was decided, a sweep over connections that
//! follows the scalability law, a sweep over sizes with a level out of line, and a rate that was too high.

use std::collections::BTreeMap;

use photofinish_model::finding::asked::Asked;
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::*;

use super::{EVENT, NAMES, Run, SERVERS, VIRTUAL, closed, held, open, study, workload};
use crate::made_up::Server;

/// Which workload is which, in the order of the study.
const SCALING: usize = 0;
const PACED: usize = 1;
const FIRST_SIZE: usize = 2;
const SIZES: [u64; 6] = [64, 256, 1024, 4096, 5120, 16_384];

/// The size at which one server is slow.
const SLOW: u64 = 5120;

pub fn rich() -> Run {
    let copy = format!("{}-again", NAMES[0]);
    let targets = [NAMES[0], NAMES[1], NAMES[2], &copy];
    let mut study = study("rich", &targets, 7);
    study.title = "All that a report can show".to_owned();
    study.source = Some("a made-up study: every figure follows from arithmetic".to_owned());
    study.notes = Some(
        "The published figures were taken with -k on 16 cores;\nthis run has two.\n\nOnly the ratios carry over."
            .to_owned(),
    );
    study.left_out = vec![
        LeftOut::Target {
            target: "netty".to_owned(),
        },
        LeftOut::Claim {
            id: "a".to_owned(),
            why: Untested::Level {
                load: Load::Closed { connections: 4096 },
                published: true,
            },
        },
    ];
    study.settings.max_rounds = Some(12);
    study.settings.rounds = 12;
    study.targets[3].same_as = Some(NAMES[0].to_owned());
    study.services = vec![service()];
    study.workloads = vec![
        workload(
            "plaintext",
            "/plaintext",
            closed(&[1, 8, 32, 128, 256, 512]),
        ),
        workload("paced", "/plaintext", open(&[40_000.0, 150_000.0])),
    ];
    for size in SIZES {
        let mut echo = workload(&format!("echo-{size}"), "/echo", closed(&[50]));
        echo.request = Asked::TcpEcho { size };
        echo.sweep = Some(Sweep {
            name: "echo".to_owned(),
            variable: "size".to_owned(),
            value: size,
        });
        study.workloads.push(echo);
    }
    // Looks begin after the fifth round.
    study.settings.rounds = 7;
    let mut run = held(study, 3, server);
    run.study.settings.rounds = 12;
    run
}

fn server(target: usize, workload: usize) -> Server {
    let server = SERVERS.get(target).copied().unwrap_or(EVENT);
    match workload {
        SCALING => Server {
            least_s: if target == 2 { 105e-6 } else { 90e-6 },
            spread: if target == 2 { 0.03 } else { 0.012 },
            law: Some(
                [
                    (0.02, 0.000_03),
                    (0.021, 0.0),
                    (0.03, 0.000_06),
                    (0.02, 0.000_03),
                ][target],
            ),
            ..server
        },
        // The two that are alike offer about the same, so that the copy is not out of the race.
        PACED => server,
        _ => {
            let size = SIZES[workload - FIRST_SIZE];
            let slow = if target == 1 && size == SLOW {
                0.55
            } else {
                1.0
            };
            let most = slow / (1.0 / server.most + size as f64 / 4e8);
            Server { most, ..VIRTUAL }
        }
    }
}

fn service() -> ServiceRecord {
    ServiceRecord {
        name: "db".to_owned(),
        kind: "postgresql".to_owned(),
        version: "17.5".to_owned(),
        origin: "/usr/lib/postgresql/17/bin/postgres".to_owned(),
        settings: BTreeMap::from([
            ("max_connections".to_owned(), "200".to_owned()),
            ("shared_buffers".to_owned(), "256MB".to_owned()),
        ]),
        cpus: vec![0],
        schema: vec!["schema.sql".to_owned()],
        rows: BTreeMap::from([("world".to_owned(), 10_000), ("fortune".to_owned(), 12)]),
        targets: vec![NAMES[2].to_owned()],
    }
}
