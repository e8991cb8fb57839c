//! What a reader meets most: two servers, several levels, a tie, too few rounds, an invalid run, a rate.

use super::{EVENT, NAMES, Run, Server, THREADS, VIRTUAL, closed, held, open, study, workload};

const PAIR: [&str; 2] = ["event-loop", "threads"];

pub(super) fn cases() -> Vec<Run> {
    vec![
        two("two-servers", [EVENT, THREADS], 0.006),
        three_servers(),
        two("tie", [EVENT, EVENT], 0.003),
        two("undecided", [EVENT, slower(EVENT, 0.99)], 0.02),
        invalid(),
        rate(),
    ]
}

fn slower(server: Server, by: f64) -> Server {
    Server {
        most: server.most * by,
        ..server
    }
}

/// Two servers at one level in seven rounds.
fn two(name: &str, servers: [Server; 2], spread: f64) -> Run {
    let mut study = study(name, &PAIR, 7);
    study.title = "Event loop or a thread for each connection?".to_owned();
    study.workloads = vec![workload("plaintext", "/plaintext", closed(&[256]))];
    held(study, 5, |target, _| Server {
        spread,
        ..servers[target]
    })
}

fn three_servers() -> Run {
    let mut study = study("three-servers", &NAMES, 5);
    study.title = "Event loop, virtual threads or a thread for each connection?".to_owned();
    study.workloads = vec![workload(
        "plaintext",
        "/plaintext",
        closed(&[16, 64, 256, 1000]),
    )];
    let servers = [EVENT, slower(VIRTUAL, 0.9), THREADS];
    held(study, 5, |target, _| servers[target])
}

/// One of two servers answers with an error page.
fn invalid() -> Run {
    let mut run = two("invalid", [EVENT, THREADS], 0.006);
    let others = run
        .trials
        .iter_mut()
        .filter(|trial| trial.target == PAIR[1]);
    for verified in others.flat_map(|trial| &mut trial.verified) {
        verified.status = 404;
    }
    run
}

fn rate() -> Run {
    let mut study = study("rate", &PAIR, 7);
    study.title = "Event loop or a thread for each connection, at 50,000 requests/s?".to_owned();
    study.workloads = vec![workload("plaintext", "/plaintext", open(&[50_000.0]))];
    held(study, 5, |target, _| [EVENT, THREADS][target])
}
