//! One pair at several levels, as in quickstart: what the first screen of a page must have room for.

use super::{EVENT, NAMES, Run, Server, THREADS, closed, held, study, workload};
use crate::made_up::check;

/// Two servers at three levels and with a wait; at two levels the load generator was the bottleneck now and then.
pub(super) fn levels() -> Run {
    let mut study = study("levels", &[NAMES[0], "thread-per-connection"], 4);
    study.title = "Event loop or thread per connection? It depends on how many connections there are, and on what the server waits for".to_owned();
    study.workloads = vec![
        workload("plaintext", "/plaintext", closed(&[16, 256, 1000])),
        workload("sleep-20ms", "/sleep?ms=20", closed(&[64])),
    ];
    let servers = [EVENT, THREADS];
    let mut run = held(study, 10, |target, workload| Server {
        least_s: servers[target].least_s + if workload == 1 { 20e-3 } else { 0.0 },
        spread: 0.03,
        ..servers[target]
    });
    for (line, _) in run.lines.iter_mut().filter(|(line, _)| line.round % 2 == 1) {
        if line.workload == "plaintext" && line.target == NAMES[0] {
            if let Some(measurement) = &mut line.measurement {
                measurement.generator.cpu_utilisation = 0.97;
            }
            check(line);
        }
    }
    run
}
