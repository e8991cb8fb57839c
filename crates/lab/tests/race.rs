//! Whole runs with real servers, the real host and the real load generator.
//!
//! This program is its own keeper (`__keep`) and its own servers (`__serve PORT BODY`, `__serve_http2 PORT BODY`, `__echo PORT`);
//! without one of these words it runs the tests.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed};
use photofinish_host as host;
use photofinish_host::Host;
use photofinish_lab::{Event, Finished, LoadOptions, RunOptions, load_once, run};
use photofinish_load::Until;
use photofinish_model::finding::asked::Asked;
use photofinish_model::settings::RaceSettings;
use photofinish_model::store::Results;
use photofinish_model::{Exchange, Expect, Load, Version, check};
use photofinish_study::RequestFlags;
use photofinish_study::plan::{Plan, Target, Workload};
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
        Some(kind @ ("__serve" | "__serve_http2")) => {
            let words: Vec<String> = args.filter_map(|word| word.into_string().ok()).collect();
            let port = words[0].parse().expect("a port");
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("a free port");
            match kind {
                "__serve" => serve(&listener, &words[1]),
                _ => serve_http2(listener, &words[1]),
            }
            ExitCode::SUCCESS
        }
        Some("__echo") => {
            let port = args.next().and_then(|word| word.to_str()?.parse().ok());
            let port: u16 = port.expect("a port");
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("a free port");
            for stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let mut reading = stream.try_clone()?;
                    std::io::copy(&mut reading, &mut { stream })
                });
            }
            ExitCode::SUCCESS
        }
        _ => {
            let tests = trials![
                two_servers_are_raced,
                echoes_are_raced,
                servers_of_http2_alone_are_asked_by_it_whether_they_are_ready,
                an_interruption_leaves_no_server,
                exactly_so_many_requests,
                nobody_listens,
            ];
            libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
        }
    }
}

/// A server with a thread for each connection.
fn serve(listener: &TcpListener, body: &str) {
    for stream in listener.incoming().flatten() {
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        thread::spawn(move || {
            let mut stream = stream;
            let Ok(reading) = stream.try_clone() else {
                return;
            };
            for line in BufReader::new(reading).lines() {
                // The empty line ends a request without a body.
                match line {
                    Ok(line) if !line.is_empty() => {}
                    Ok(_) if stream.write_all(response.as_bytes()).is_ok() => {}
                    _ => return,
                }
            }
        });
    }
}

/// A server that speaks HTTP/2 and nothing else.
fn serve_http2(listener: TcpListener, body: &str) {
    listener.set_nonblocking(true).expect("non-blocking");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        while let Ok((stream, _)) = listener.accept().await {
            let body = bytes::Bytes::copy_from_slice(body.as_bytes());
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

/// A server of this program.
fn target(label: &str) -> Target {
    let mut target = sample::target(label);
    target.start.command = ["{photofinish}", "__serve", "{port}", BODY]
        .map(str::to_owned)
        .to_vec();
    target.ready.path = None;
    target
}

fn plan() -> Plan {
    let mut plan = sample::plan(&["a", "b"], 1);
    plan.targets = plan.targets.iter().map(|one| target(&one.label)).collect();
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
    plan
}

fn race(
    folder: &tempfile::TempDir,
    plan: &Plan,
    events: &mut dyn FnMut(Event),
    interrupt: &AtomicBool,
) -> Result<Finished, Failed> {
    let this: PathBuf = std::env::current_exe()?;
    let options = RunOptions {
        results: folder.path().join("run"),
        resume: false,
        seed: Some(1),
        cache: folder.path().join("cache"),
        conditions: Vec::new(),
    };
    Ok(run(
        plan,
        &options,
        &Host::local(this),
        Host::this_machine(),
        events,
        interrupt,
    )?)
}

fn two_servers_are_raced() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let finished = race(&folder, &plan(), &mut |_| {}, &AtomicBool::new(false))?;
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    let results = Results::read(&finished.dir)?;
    assert_eq!(results.lines.len(), 2);
    for line in &results.lines {
        let measurement = line.measurement.as_ref().ok_or("no measurement")?;
        assert!(
            measurement.requests > 0 && measurement.errors.is_empty(),
            "{measurement:?}"
        );
        assert!(measurement.latency_us.is_some());
        let holds = |name| {
            measurement
                .checks
                .iter()
                .any(|c| c.name == name && c.ok == Some(true))
        };
        assert!(holds(check::ERRORS));
    }
    for trial in &results.trials {
        assert_eq!(trial.warmups.len(), 1);
        assert_eq!(trial.verified[0].body_bytes, BODY.len() as u64);
        let pid = trial.pid.ok_or("no process")?;
        assert!(
            !PathBuf::from(format!("/proc/{pid}")).exists(),
            "{pid} still runs"
        );
    }
    Ok(())
}

fn echoes_are_raced() -> Result<(), Failed> {
    let mut plan = plan();
    for target in &mut plan.targets {
        target.start.command = ["{photofinish}", "__echo", "{port}"]
            .map(str::to_owned)
            .to_vec();
    }
    let echo = |size| Workload {
        name: format!("echo-{size}"),
        exchange: Exchange::TcpEcho { size },
        ..plan.workloads[0].clone()
    };
    plan.workloads = [1_024, 1 << 20].map(echo).to_vec();
    let folder = tempfile::tempdir()?;
    let finished = race(&folder, &plan, &mut |_| {}, &AtomicBool::new(false))?;
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    let results = Results::read(&finished.dir)?;
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
    let mut plan = plan();
    for target in &mut plan.targets {
        target.start.command = ["{photofinish}", "__serve_http2", "{port}", BODY]
            .map(str::to_owned)
            .to_vec();
        target.ready.path = Some("/ready".to_owned());
    }
    let Exchange::Http { version, .. } = &mut plan.workloads[0].exchange else {
        return Err("the plan's requests are HTTP's".into());
    };
    *version = Version::Http2 { streams: 2 };
    let folder = tempfile::tempdir()?;
    let finished = race(&folder, &plan, &mut |_| {}, &AtomicBool::new(false))?;
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    for line in &Results::read(&finished.dir)?.lines {
        let measurement = line.measurement.as_ref().ok_or("no measurement")?;
        assert!(measurement.requests > 0 && measurement.errors.is_empty());
    }
    Ok(())
}

fn an_interruption_leaves_no_server() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let interrupt = AtomicBool::new(false);
    // Long enough that only the interruption can end it.
    let mut plan = plan();
    plan.settings.duration = Duration::from_secs(3_600);
    let on_event = &mut |event| {
        if let Event::Measuring { .. } = event {
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    let finished = race(&folder, &plan, on_event, &interrupt)?;
    assert!(finished.interrupted);
    let results = Results::read(&finished.dir)?;
    assert!(results.lines.is_empty() && results.trials.is_empty());
    Ok(())
}

fn options(url: String) -> LoadOptions {
    LoadOptions {
        url,
        unix_socket: None,
        flags: RequestFlags {
            expect: Expect {
                body: Some(BODY.as_bytes().to_vec()),
                ..Expect::default()
            },
            timeout: Duration::from_secs(20),
            ..RequestFlags::default()
        },
        load: Load::Closed { connections: 4 },
        stages: Vec::new(),
        until: Until::Requests(1_000),
        lead_in: Duration::ZERO,
        threads: None,
        batch: Duration::ZERO,
        allow_remote: false,
        seed: 1,
    }
}

fn exactly_so_many_requests() -> Result<(), Failed> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}/plaintext", listener.local_addr()?);
    // Ends with this process.
    thread::spawn(move || serve(&listener, BODY));
    let reported = load_once(&options(url), &mut |_| {}, &AtomicBool::new(false))?.measurement;
    assert_eq!(reported.requests, 1_000);
    assert_eq!(reported.status.get("200"), Some(&1_000));
    assert!(reported.errors.is_empty(), "{:?}", reported.errors);
    // Head and body, a thousand times.
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n".len() + BODY.len();
    assert_eq!(reported.bytes_in, 1_000 * response as u64);
    Ok(())
}

fn nobody_listens() -> Result<(), Failed> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}/", listener.local_addr()?);
    drop(listener);
    let error = load_once(&options(url), &mut |_| {}, &AtomicBool::new(false));
    let says = error.expect_err("nobody listens").to_string();
    assert!(
        says.contains("refused") && says.contains("is the server running?"),
        "{says}"
    );
    Ok(())
}
