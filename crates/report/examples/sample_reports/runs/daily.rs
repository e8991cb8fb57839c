//! A study that runs every night: a server becomes slower, the kernel changes, and one run is disturbed.

use photofinish_model::{Check, Environment, check, samples};
use photofinish_voice::checks;

use super::{EVENT, NAMES, Run, Server, THREADS, VIRTUAL, closed, held, study, workload};
use crate::made_up::Noise;

const DAYS: u32 = 16;

/// The first night of the slower server, of the other kernel, and the one that was disturbed.
const SLOWER: u32 = 9;
const KERNEL: u32 = 4;
const DISTURBED: u32 = 6;

/// The runs with the machine of each, the earliest first.
pub fn daily() -> Vec<(Run, Environment)> {
    (0..DAYS).map(night).collect()
}

fn night(day: u32) -> (Run, Environment) {
    let mut study = study("nightly", &NAMES, 3);
    study.title =
        "Every night: event loop, virtual threads or a thread for each connection".to_owned();
    study.workloads = vec![workload("plaintext", "/plaintext", closed(&[64, 256]))];
    study.started = format!("2026-10-{:02}T02:00:00Z", day + 1);
    study.seed = u64::from(day) + 1;
    let mut noise = Noise::new(study.seed);
    // What the machine does in a night is the same for all servers.
    let machine = (0.012 * noise.next()).exp();
    let slower = if day < SLOWER { 1.0 } else { 0.86 };
    let servers = [(EVENT, 1.0), (VIRTUAL, slower), (THREADS, 1.0)];
    let mut run = held(study, 3, |target, _| {
        let (server, share) = servers[target];
        Server {
            most: server.most * share * machine,
            ..server
        }
    });
    if day == DISTURBED {
        for line in run.lines.iter_mut().map(|(line, _)| line) {
            let checks = line.measurement.iter_mut().map(|it| &mut it.checks);
            for all in checks.filter(|_| line.target == NAMES[0]) {
                all.retain(|check| check.name != check::QUIET);
                all.push(Check {
                    name: check::QUIET.to_owned(),
                    ok: Some(false),
                    says: Some(checks::steal(0.2)),
                });
            }
        }
    }
    let kernel = if day < KERNEL { "6.1.0" } else { "6.12.0" };
    let environment = Environment {
        kernel: kernel.to_owned(),
        ..samples::environment()
    };
    (run, environment)
}
