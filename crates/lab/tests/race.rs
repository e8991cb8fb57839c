//! Whole runs with real servers, the real host and the real load generator.
//!
//! This program is its own keeper (`__keep`) and its own servers (`__serve_http2 PORT`, `__echo PORT`); without one of these words it
//! runs the tests.

use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed};
use photofinish_host as host;
use photofinish_host::Host;
use photofinish_lab::{RunOptions, run};
use photofinish_model::finding::asked::Asked;
use photofinish_model::settings::RaceSettings;
use photofinish_model::store::Results;
use photofinish_model::{Exchange, Version, check};
use photofinish_study::plan::{Plan, Workload};
use sample::BODY;
use trials::trials;

#[path = "../src/fake/sample.rs"]
mod sample;
#[path = "host/trials.rs"]
mod trials;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_ref().and_then(|a| a.to_str()) {
        Some("__keep") => host::keep(args),
        Some(kind @ ("__echo" | "__serve_http2")) => {
            let port = args.next().and_then(|word| word.to_str()?.parse().ok());
            let port: u16 = port.expect("a port");
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("a free port");
            match kind {
                "__echo" => echo(&listener),
                _ => serve_http2(listener),
            }
            ExitCode::SUCCESS
        }
        _ => {
            let tests = trials![
                echoes_are_raced,
                servers_of_http2_alone_are_asked_by_it_whether_they_are_ready,
            ];
            libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
        }
    }
}

/// A server that sends back what it gets.
fn echo(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        thread::spawn(move || {
            let mut reading = stream.try_clone()?;
            std::io::copy(&mut reading, &mut { stream })
        });
    }
}

/// A server that speaks HTTP/2 and nothing else.
fn serve_http2(listener: TcpListener) {
    listener.set_nonblocking(true).expect("non-blocking");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        while let Ok((stream, _)) = listener.accept().await {
            let body = bytes::Bytes::from_static(BODY.as_bytes());
            tokio::spawn(async move {
                let Ok(mut connection) = h2::server::handshake(stream).await else {
                    return;
                };
                while let Some(Ok((_, mut respond))) = connection.accept().await {
                    if let Ok(mut send) = respond.send_response(http::Response::new(()), false) {
                        let _ = send.send_data(body.clone(), true);
                    }
                }
            });
        }
    });
}

/// What comes of a race of two servers of this program.
fn raced(server: &str, change: impl FnOnce(&mut Plan)) -> Result<Results, Failed> {
    let mut plan = sample::plan(&["a", "b"], 1);
    for target in &mut plan.targets {
        target.start.command = ["{photofinish}", server, "{port}"]
            .map(str::to_owned)
            .to_vec();
        target.ready.path = None;
    }
    plan.workloads = vec![sample::workload("plaintext", &[8])];
    plan.settings = RaceSettings {
        rounds: 1,
        duration: Duration::from_millis(400),
        lead_in: Duration::from_millis(50),
        warmup_min: Duration::from_millis(50),
        warmup_max: Duration::from_millis(100),
        turns: false,
        ..RaceSettings::default()
    };
    change(&mut plan);
    let folder = tempfile::tempdir()?;
    let options = RunOptions {
        results: folder.path().join("run"),
        resume: false,
        seed: Some(1),
        cache: folder.path().join("cache"),
        conditions: Vec::new(),
        dealt: None,
    };
    let servers = Host::local(std::env::current_exe()?);
    let finished = run(
        &plan,
        &options,
        &servers,
        Host::this_machine(),
        &mut |_| {},
        &AtomicBool::new(false),
    )?;
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    Ok(Results::read(&finished.dir)?)
}

fn echoes_are_raced() -> Result<(), Failed> {
    let results = raced("__echo", |plan| {
        let echo = |size| Workload {
            name: format!("echo-{size}"),
            exchange: Exchange::TcpEcho { size },
            ..plan.workloads[0].clone()
        };
        plan.workloads = [1_024, 1 << 20].map(echo).to_vec();
    })?;
    assert_eq!(results.lines.len(), 4);
    for line in &results.lines {
        let measurement = line.measurement.as_ref().ok_or("no measurement")?;
        let check = |name| {
            let found = measurement.checks.iter().find(|c| c.name == name);
            found.and_then(|c| c.ok)
        };
        assert!(measurement.requests > 0);
        assert_eq!(check(check::ERRORS), Some(true), "{measurement:?}");
        assert_eq!(check(check::BYTES), Some(true), "{measurement:?}");
        // Nobody to compare with yet for the first, the same bytes for the second.
        assert_ne!(check(check::SAME_JOB), Some(false));
    }
    let verified = &results.trials[1].verified;
    assert_eq!(verified[0].body_bytes, 1_024);
    assert_eq!((verified[1].status, verified[1].body_bytes), (0, 1 << 20));
    assert_eq!(
        results.study.workloads[0].request,
        Asked::TcpEcho { size: 1_024 }
    );
    Ok(())
}

fn servers_of_http2_alone_are_asked_by_it_whether_they_are_ready() -> Result<(), Failed> {
    let results = raced("__serve_http2", |plan| {
        for target in &mut plan.targets {
            target.ready.path = Some("/ready".to_owned());
        }
        if let Exchange::Http { version, .. } = &mut plan.workloads[0].exchange {
            *version = Version::Http2 { streams: 2 };
        }
    })?;
    for line in &results.lines {
        let measurement = line.measurement.as_ref().ok_or("no measurement")?;
        assert!(measurement.requests > 0 && measurement.errors.is_empty());
    }
    Ok(())
}
