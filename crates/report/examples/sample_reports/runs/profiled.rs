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
    study.workloads = vec![workload("plaintext", "/plaintext", closed(&[16, 256]))];
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
        let profile = line.profile.iter();
        (run.stacks).extend(profile.map(|profile| (profile.file.clone(), stacks(profile))));
    }
    run
}

/// Functions of a layer, the innermost last; the samples of a layer go to its functions as 4 : 2 : 1 : 1.
fn functions(layer: Layer) -> [&'static str; 4] {
    match layer {
        Layer::KernelReceive => [
            "libc`recv;kernel`tcp_recvmsg;kernel`skb_copy_datagram_iter",
            "libc`recv;kernel`tcp_recvmsg;kernel`tcp_cleanup_rbuf",
            "libc`recv;kernel`sock_recvmsg",
            "kernel`net_rx_action;kernel`tcp_v4_rcv",
        ],
        Layer::KernelSend => [
            "libc`send;kernel`tcp_sendmsg;kernel`tcp_write_xmit;kernel`loopback_xmit",
            "libc`send;kernel`tcp_sendmsg;kernel`tcp_write_xmit;kernel`ip_output",
            "libc`send;kernel`tcp_sendmsg;kernel`skb_page_frag_refill",
            "libc`send;kernel`sock_sendmsg",
        ],
        Layer::Waiting => [
            "libc`epoll_wait;kernel`ep_poll;kernel`schedule",
            "libc`epoll_wait;kernel`ep_poll",
            "server`park;libc`futex;kernel`futex_wait;kernel`schedule",
            "server`unpark;libc`futex;kernel`futex_wake;kernel`try_to_wake_up",
        ],
        Layer::Runtime => [
            "libc`malloc",
            "libc`free",
            "server`collect;server`mark",
            "server`collect;server`sweep",
        ],
        Layer::Unknown => ["[unknown]"; 4],
        Layer::Framework => [
            "server`http::parse",
            "server`http::route",
            "server`http::encode",
            "server`http::headers;server`http::Map<K, V>::insert",
        ],
        _ => [
            "server`handle",
            "server`handle;server`render",
            "server`handle;server`date",
            "server`handle;server`copy",
        ],
    }
}

/// The file of a profile's stacks.
fn stacks(profile: &Profile) -> String {
    let mut text = String::new();
    for (layer, samples) in &profile.layers {
        let functions = functions(*layer);
        let shares = [samples / 2, samples / 4, samples / 8];
        let rest = samples - shares.iter().sum::<u64>();
        for (function, count) in functions.iter().zip(shares.into_iter().chain([rest])) {
            if count > 0 {
                text.push_str(&format!("server`main;server`run;{function} {count}\n"));
            }
        }
    }
    text
}

/// A run whose functions have hostile names, one of them very long.
pub fn hostile_stacks(run: &mut Run) {
    for (line, _) in &mut run.lines {
        let Some(profile) = profile(line, &SHARES[0], &mut Noise::new(u64::from(line.trial)))
        else {
            continue;
        };
        let half = profile.samples / 2;
        let long = "x".repeat(10_000);
        let text = format!(
            "</script><script>alert(7)</script>;<img src=x onerror=alert(8)>`{long} {half}\n<!--;\u{1b}[31m\u{202e}\u{2028}&lt; {}\nno stack\n",
            profile.samples - half
        );
        run.stacks.push((profile.file.clone(), text));
        line.profile = Some(profile);
    }
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
        program: None,
        file: photofinish_model::store::Store::stacks_of(line),
        merged: 0,
    })
}
