//! A run of five targets with profiles: where their CPU time goes, by shares that each has.

use photofinish_model::{Layer, Line, Profile};

use super::{EVENT, NAMES, Run, SERVERS, Server, THREADS, closed, held, study, workload};
use crate::made_up::Noise;

/// Samples of a round.
const SAMPLES: f64 = 800.0;

/// The layers of which shares are given.
const LAYERS: [Layer; 8] = [
    Layer::KernelReceive,
    Layer::KernelSend,
    Layer::Waiting,
    Layer::Memory,
    Layer::Runtime,
    Layer::Framework,
    Layer::Application,
    Layer::Unknown,
];

/// Each target's shares of the layers, in hundredths.
const SHARES: [[f64; LAYERS.len()]; 5] = [
    [14.0, 48.0, 10.0, 0.0, 2.0, 6.0, 18.0, 2.0],
    [13.0, 42.0, 16.0, 1.0, 9.0, 8.0, 9.0, 2.0],
    [9.0, 29.0, 30.0, 1.0, 12.0, 12.0, 5.0, 2.0],
    [14.0, 47.0, 9.0, 0.0, 6.0, 16.0, 6.0, 2.0],
    [11.0, 33.0, 22.0, 2.0, 11.0, 16.0, 4.0, 1.0],
];

pub fn profiled() -> Run {
    let names = [NAMES[0], NAMES[1], NAMES[2], "netty", "tomcat"];
    let mut study = study("profiled", &names, 5);
    study.title = "What five servers spend their CPU time on".to_owned();
    study.workloads = vec![workload("plaintext", "GET /plaintext", closed(&[16, 256]))];
    let netty = Server {
        most: 187_000.0,
        ..EVENT
    };
    let tomcat = Server {
        most: 128_000.0,
        ..THREADS
    };
    let servers = [SERVERS[0], SERVERS[1], SERVERS[2], netty, tomcat];
    let mut run = held(study, 4, |target, _| servers[target]);
    let mut noise = Noise::new(17);
    for (line, _) in &mut run.lines {
        let target = names.iter().position(|name| *name == line.target);
        line.profile = target.and_then(|target| profile(line, &SHARES[target], &mut noise));
    }
    run
}

/// Samples about these shares, spread as chance spreads them.
fn profile(line: &Line, shares: &[f64; LAYERS.len()], noise: &mut Noise) -> Option<Profile> {
    let counts: Vec<(Layer, u64)> = (LAYERS.iter().zip(shares))
        .map(|(layer, share)| {
            let expected = SAMPLES * share / 100.0;
            let seen = (expected + expected.sqrt() * noise.next()).round().max(0.0);
            (*layer, seen as u64)
        })
        .filter(|(_, seen)| *seen > 0)
        .collect();
    let throughput_rps = line.measurement.as_ref()?.throughput_rps * (0.98 + 0.004 * noise.next());
    Some(Profile {
        throughput_rps,
        cpu_us_per_request: None,
        hertz: 499,
        samples: counts.iter().map(|(_, seen)| seen).sum(),
        lost: u64::from(line.round == 2),
        layers: counts.into_iter().collect(),
        stack_depth: Some(14.0 + noise.next()),
        file: photofinish_model::store::Store::stacks_of(line),
        merged: 0,
    })
}
