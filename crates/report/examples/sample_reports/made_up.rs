//! Made-up servers and what would be measured of them.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use photofinish_judge::checks::{Seen, checks};
use photofinish_model::samples;
use photofinish_model::*;

/// A server of which everything follows from a few figures.
#[derive(Clone, Copy)]
pub struct Server {
    /// Requests per second that it cannot exceed.
    pub most: f64,
    /// Seconds that a response takes when there is no queue.
    pub least_s: f64,
    /// How heavy its tail is; 1 is usual.
    pub tail: f64,
    /// Seconds for which it warms up.
    pub warms_s: usize,
    /// Context switches per request.
    pub switches: f64,
    /// Bytes of a response.
    pub bytes: u64,
    /// Contention and coherency, where throughput follows the Universal Scalability Law from one connection's on.
    pub law: Option<(f64, f64)>,
    /// How far its throughput goes from round to round: the deviation of its logarithm.
    pub spread: f64,
}

impl Server {
    /// Throughput at a load: what is offered, or what the least time allows, up to what it can.
    fn throughput(&self, load: &Load) -> f64 {
        match load {
            Load::Closed { connections } if self.law.is_some() => {
                let (alpha, beta) = self.law.unwrap_or_default();
                let n = f64::from(*connections);
                n / self.least_s / (1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0))
            }
            Load::Closed { connections } => {
                let free = f64::from(*connections) / self.least_s;
                // Smooth where the two limits meet.
                1.0 / (1.0 / free.powi(4) + 1.0 / self.most.powi(4)).powf(0.25)
            }
            Load::Open { rate, .. } => rate.min(self.most),
            Load::Capacity { .. } => self.most,
        }
    }

    fn mean_s(&self, load: &Load, throughput: f64) -> f64 {
        match load {
            Load::Closed { connections } => f64::from(*connections) / throughput,
            Load::Open { rate, .. } => self.least_s / (1.0 - (rate / self.most).min(0.95)),
            Load::Capacity { .. } => self.least_s / 0.05,
        }
    }
}

/// Numbers that look like chance and are the same each time: a linear congruence (Knuth's MMIX).
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// About normal, with mean 0 and deviation 1: the sum of 12 uniform ones, less 6.
    pub fn next(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A measurement's line with its histogram.
pub fn measure(
    server: &Server,
    place: (&str, &str, &Load),
    round: u32,
    trial: u32,
    seconds: usize,
    noise: &mut Noise,
) -> (Line, Option<Histogram<u64>>) {
    let (target, workload, load) = place;
    let throughput = server.throughput(load) * (server.spread * noise.next()).exp();
    let mean_us = server.mean_s(load, throughput) * 1e6;
    let requests = (throughput * seconds as f64) as u64;
    let histogram = times(
        mean_us,
        server.tail * (0.05 * noise.next()).exp(),
        requests as f64,
    );
    let us = |share| histogram.value_at_quantile(share) as f64 / 1e3;
    let latency = Latency {
        mean: mean_us,
        min: histogram.min() as f64 / 1e3,
        p50: us(0.5),
        p90: us(0.9),
        p95: us(0.95),
        p99: us(0.99),
        p999: us(0.999),
        max: histogram.max() as f64 / 1e3,
    };
    let mut line = samples::line(target, round, trial, throughput);
    line.workload = workload.to_owned();
    line.load = load.clone();
    line.measurement = line.measurement.map(|sample| Measurement {
        requests,
        duration_s: seconds as f64,
        latency_us: Some(latency),
        service_us: Some(latency),
        bytes_in: requests * server.bytes,
        load: load.clone(),
        status: BTreeMap::from([("200".to_owned(), requests)]),
        windows: windows(&vec![1.0; seconds], throughput, &latency, noise),
        overloaded: overloaded(server, load, throughput),
        ..sample
    });
    if let Some(used) = &mut line.server {
        used.switches_voluntary_per_request = Some(server.switches);
        used.cpu_user_us_per_request = Some(0.6e6 / server.most);
        used.cpu_system_us_per_request = Some(0.4e6 / server.most);
    }
    check(&mut line);
    (line, Some(histogram))
}

/// Makes the checks of a line's measurement, as the lab makes them.
pub fn check(line: &mut Line) {
    let Line {
        measurement,
        server,
        machine,
        ..
    } = line;
    if let Some(measurement) = measurement {
        let seen = Seen {
            server: server.as_ref(),
            machine: machine.as_ref(),
            ..Seen::default()
        };
        measurement.checks = checks(measurement, &seen);
    }
}

/// An open loop that offers more than the server can take.
fn overloaded(server: &Server, load: &Load, throughput: f64) -> Option<Overloaded> {
    match load {
        Load::Open { rate, .. } if *rate > server.most => Some(Overloaded {
            offered_rps: *rate,
            achieved_rps: throughput,
        }),
        _ => None,
    }
}

/// A warm-up that rises in two steps to the full throughput.
pub fn warm_up(server: &Server, workload: &str, load: &Load, noise: &mut Noise) -> Warmup {
    let warms = server.warms_s;
    let shares: Vec<f64> = (0..warms + 10)
        .map(|second| match second {
            _ if second < warms / 3 => 0.35,
            _ if second < warms => 0.8,
            _ => 1.0,
        })
        .collect();
    let shifts = if warms == 0 {
        Vec::new()
    } else {
        vec![warms as u32 / 3, warms as u32]
    };
    let throughput = server.throughput(load);
    let mean = server.mean_s(load, throughput) * 1e6;
    let latency = Latency {
        mean,
        min: mean,
        p50: mean,
        p90: mean,
        p95: mean,
        p99: mean * 3.0,
        p999: mean,
        max: mean * 9.0,
    };
    Warmup {
        duration_s: shares.len() as f64,
        settled: true,
        fixed: false,
        load: load.clone(),
        workload: workload.to_owned(),
        windows: windows(&shares, throughput, &latency, noise),
        shifts,
    }
}

/// Windows of a second in which a share of the full throughput is reached.
fn windows(shares: &[f64], throughput: f64, latency: &Latency, noise: &mut Noise) -> Vec<Window> {
    let window = |(second, share): (usize, &f64)| {
        let share = share * (0.012 * noise.next()).exp();
        Window {
            start_s: second as f64,
            duration_s: 1.0,
            responses: (throughput * share) as u64,
            errors: 0,
            p50_us: Some(latency.p50 / share),
            p99_us: Some(latency.p99 / share * (0.08 * noise.next()).exp()),
            max_us: Some(latency.max),
        }
    };
    shares.iter().enumerate().map(window).collect()
}

/// Response times with this mean: each further nine takes longer than the last.
fn times(mean_us: f64, tail: f64, requests: f64) -> Histogram<u64> {
    let bins: Vec<(f64, f64)> = (0..600)
        .map(|k| {
            let nines = f64::from(k) / 100.0;
            let share = 10f64.powf(-nines) - 10f64.powf(-nines - 0.01);
            (share, 0.7 + 0.22 * nines + 0.03 * tail * nines.powi(3))
        })
        .collect();
    let mean: f64 = bins.iter().map(|(share, us)| share * us).sum();
    let mut histogram = Histogram::new(3).expect("three digits");
    for (share, us) in bins {
        let count = (share * requests).round() as u64;
        let ns = us / mean * mean_us * 1e3;
        histogram
            .record_n(ns as u64, count)
            .expect("a histogram that grows");
    }
    histogram
}
