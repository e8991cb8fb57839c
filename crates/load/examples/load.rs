//! `load [https://]ADDRESS PATH CONNECTIONS[xSTREAMS] SECONDS CPU [RATE] [batch=MICROSECONDS]`: a bare run of the generator, for profiling it.
//!
//! With `xSTREAMS` it speaks HTTP/2. `https://` accepts any certificate.

use std::error::Error;
use std::time::Duration;

use photofinish_load::{Config, Control, Until, run};
use photofinish_model::{Arrivals, Exchange, Expect, Load, Request, Tls, Trust, Version};

fn main() -> Result<(), Box<dyn Error>> {
    let (batch, arguments): (Vec<String>, Vec<String>) =
        (std::env::args().skip(1)).partition(|argument| argument.starts_with("batch="));
    let batch = match batch.first() {
        Some(argument) => argument["batch=".len()..].parse()?,
        None => 0,
    };
    let [address, path, connections, seconds, cpu, rate @ ..] = arguments.as_slice() else {
        let usage = "usage: load [https://]ADDRESS PATH CONNECTIONS[xSTREAMS] SECONDS CPU [RATE] [batch=MICROSECONDS]";
        return Err(usage.into());
    };
    let until = Duration::from_secs_f64(seconds.parse()?);
    let (connections, version) = match connections.split_once('x') {
        None => (connections.as_str(), Version::Http1),
        Some((connections, streams)) => {
            let streams = streams.parse()?;
            (connections, Version::Http2 { streams })
        }
    };
    let connections = connections.parse()?;
    let load = match rate.first() {
        None => Load::Closed { connections },
        Some(rate) => Load::Open {
            rate: rate.parse()?,
            arrivals: Arrivals::Poisson,
            connections,
        },
    };
    // `echo:1024` instead of a path: messages of so many bytes.
    let exchange = match path.strip_prefix("echo:") {
        Some(size) => Exchange::TcpEcho {
            size: size.parse()?,
        },
        None => Exchange::Http {
            request: Request::get(path),
            expect: Expect {
                status: Some(200),
                body: rate.get(1).map(|body| body.clone().into_bytes()),
                ..Expect::default()
            },
            version,
        },
    };
    let (address, tls) = match address.strip_prefix("https://") {
        None => (address.as_str(), None),
        Some(address) => {
            let trust = Trust::Anyone;
            let tls = Tls {
                trust,
                ..Tls::default()
            };
            (address, Some(tls))
        }
    };
    let server: std::net::SocketAddr = address.parse()?;
    let config = Config {
        batch: Duration::from_micros(batch),
        tls,
        timeout: Duration::from_secs(5),
        cpus: vec![cpu.parse()?],
        ..Config::new(server, exchange, load, Until::Elapsed(until))
    };
    let outcome = run(&config, &Control::default())?;
    let us = |histogram: &hdrhistogram::Histogram<u64>, quantile| {
        histogram.value_at_quantile(quantile) as f64 / 1e3
    };
    let cpu: f64 = outcome.thread_cpu.iter().map(Duration::as_secs_f64).sum();
    println!(
        "{:.0}/s, {} requests, errors {:?}, offered {:?}, cpu {:.3} us/request, utilisation {:.3}, stamps {}",
        outcome.responses_in_window as f64 / outcome.duration.as_secs_f64(),
        outcome.requests,
        outcome.errors,
        outcome.offered,
        cpu * 1e6 / outcome.requests as f64,
        cpu / outcome.duration.as_secs_f64(),
        outcome.kernel_timestamps,
    );
    println!(
        "latency us: mean {:.1} p50 {:.1} p99 {:.1} max {:.1}; service p50 {:.1}; lag {:?}; turnaround {:?}; {:?}",
        outcome.latency.mean() / 1e3,
        us(&outcome.latency, 0.5),
        us(&outcome.latency, 0.99),
        us(&outcome.latency, 1.0),
        us(&outcome.service, 0.5),
        outcome
            .lag
            .as_ref()
            .map(|lag| (us(lag, 0.5), us(lag, 0.99), us(lag, 1.0))),
        outcome.turnaround,
        outcome.first_error,
    );
    println!(
        "{} windows, connects {}, step {:?}",
        outcome.windows.len(),
        outcome.connects,
        outcome.clock_step
    );
    Ok(())
}
