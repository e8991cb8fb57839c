//! Agents as child processes: what they start, what they leave behind (nothing), and what they are sent that makes no sense.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use photofinish_host::agent::{Link, PROTOCOL};
use photofinish_host::clocks::Clock;
use photofinish_host::{Error, Generator, Host, MeterKind, Process};
use photofinish_load::{Config, Control, Mark, Until};
use photofinish_model::{Address, Exchange, Load};

use super::support::{self, Case, Outcome, marked, new_mark, until};
use super::trials::trials;

pub fn tests() -> Vec<Trial> {
    trials![
        an_agent_serves_as_a_host,
        an_agent_reports_on_its_machine,
        an_agent_keeps_files,
        an_agent_connects,
        a_server_that_speaks_first_is_heard_from_elsewhere,
        an_agent_sends_load,
        two_agents_send_load_as_one,
        one_of_two_agents_that_is_killed_is_reported,
        a_killed_agent_leaves_nothing,
        a_killed_asker_leaves_nothing,
        an_agent_whose_link_is_dropped_leaves_nothing,
        another_version_and_who_is_no_agent_are_reported,
        a_silent_agent_is_not_waited_for,
        an_agent_that_nobody_reads_ends,
        an_agent_that_nobody_greets_ends,
        an_agent_refuses_what_makes_no_sense,
    ]
}

/// The command of an agent.
fn command() -> Command {
    let mut command = Command::new(support::this_program());
    command.arg("__agent");
    command
}

pub fn agent() -> Result<Host, Error> {
    Ok(start("far")?.into())
}

fn start(name: &str) -> Result<Link, Error> {
    Link::start(name, None, &mut command(), &AtomicBool::default())
}

fn an_agent_serves_as_a_host() -> Outcome {
    let far = agent()?;
    let case = Case::shell("echo $WORD; echo ready; exec sleep 1000");
    let mut spec = case.spec.clone();
    spec.env.insert("WORD".to_owned(), "hello".into());
    fs::write(&spec.log, "before\n")?;
    let mut server = far.start(&spec)?;
    until("the log has come", || {
        server.fetch_log().is_ok() && case.log() == "before\nhello\nready\n"
    })?;
    assert_eq!(server.exited()?, None);
    let used = server.usage()?;
    assert!(used.processes >= 1 && used.rss_bytes > 0, "{used:?}");
    assert!(server.cpu().is_some());
    assert!(!marked(&case.mark).is_empty());
    server.stop(Duration::from_secs(5))?;
    assert_eq!(marked(&case.mark), Vec::<u32>::new());
    assert_eq!(case.log(), "before\nhello\nready\n");

    let ends = Case::shell("echo last words; exit 3");
    let mut server = far.start(&ends.spec)?;
    until("it has ended", || {
        server.exited().is_ok_and(|how| how.is_some())
    })?;
    assert_eq!(server.exited()?.as_deref(), Some("exit status 3"));
    server.stop(Duration::ZERO)?;
    assert_eq!(ends.log(), "last words\n");

    let mut none = ends.spec.clone();
    none.command = vec!["/nowhere/program".to_owned()];
    let error = far.start(&none).err().ok_or("an error")?.to_string();
    assert!(
        error.starts_with("start /nowhere/program: ") && error.ends_with("(on far)"),
        "{error}"
    );
    Ok(())
}

fn an_agent_reports_on_its_machine() -> Outcome {
    let far = agent()?;
    let here = Host::this_machine();
    assert_eq!(far.name(), "far");
    assert_eq!(far.cores(), here.cores());
    assert_eq!(far.cpus()?, here.cpus()?);
    assert_eq!(far.facts()?.boot, here.facts()?.boot);
    assert!(far.own_cpu().is_some() && far.memory_available().is_some());
    assert!(far.machine_sample().is_some() && far.core_times().is_some());
    assert!(far.allow_open_files(1).is_ok());
    assert!(far.allow_open_files(u64::MAX - 1).is_err());
    let port = far.free_port()?;
    assert_eq!(
        far.holder(SocketAddr::from(([127, 0, 0, 1], port)).into()),
        None
    );
    assert_eq!(far.photofinish(), support::this_program());
    assert!(far.tools(BTreeMap::new())?.found.is_empty());
    let meter = far.meter(MeterKind::Hiccups, None);
    let mut late = meter.lap();
    until("a sleep was noted", || {
        late = late.take().or_else(|| meter.lap());
        late.as_ref().is_some_and(|late| !late.is_empty())
    })?;
    drop(meter.end());
    // The same clock: what is between them is within what the shortest round trip allows, and a step of the clock is not tested.
    let seen = Clock::default().update(200, || far.ahead())?;
    assert!(
        Duration::from_nanos(seen.nanos.unsigned_abs())
            <= seen.uncertain + Duration::from_millis(1),
        "{seen:?}"
    );
    assert_eq!(far.fill(100_000)?.len(), 100_000);
    Ok(())
}

fn an_agent_keeps_files() -> Outcome {
    let far = agent()?;
    let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let large: Vec<u8> = (0..3_000_000_u32).map(|n| n as u8).collect();
    fs::create_dir(from.path().join("bin"))?;
    fs::write(from.path().join("bin/run"), &large)?;
    fs::set_permissions(
        from.path().join("bin/run"),
        fs::Permissions::from_mode(0o755),
    )?;
    fs::write(from.path().join("empty"), "")?;
    symlink("bin/run", from.path().join("link"))?;
    let folder = to.path().join("new");
    fs::create_dir(&folder)?;
    fs::write(folder.join("old"), "")?;
    let files = ["bin/run", "empty", "link"].map(PathBuf::from);
    far.put(from.path(), &files, &folder)?;
    assert_eq!(fs::read(folder.join("bin/run"))?, large);
    let mode = fs::metadata(folder.join("bin/run"))?.permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(fs::read_link(folder.join("link"))?, Path::new("bin/run"));
    assert!(fs::read(folder.join("empty"))?.is_empty());
    assert!(far.has(folder.join("empty"))? && !far.has(folder.join("old"))?);
    far.write(&folder.join("note"), b"x", 0o600)?;
    assert_eq!(fs::read(folder.join("note"))?, b"x");

    let temp = far.temp()?;
    let path = temp.path().to_owned();
    assert!(path.is_dir());
    drop(temp);
    until("the folder is gone", || !path.exists())?;

    let lock = far.lock(&to.path().join("lock"), &|| false)?;
    let held = agent()?.lock(&to.path().join("lock"), &|| true);
    assert!(matches!(held, Err(Error::Interrupted)));
    drop(lock);
    agent()?.lock(&to.path().join("lock"), &|| false)?;
    Ok(())
}

fn an_agent_connects() -> Outcome {
    let far = agent()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.into();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut asked = Vec::new();
        // Ends where the other side has said all, and still takes the response.
        stream.read_to_end(&mut asked).expect("a question");
        asked.reverse();
        stream.write_all(&asked).expect("a response");
    });
    let mut stream = far.connect(&address, Duration::from_secs(10))?;
    let question: Vec<u8> = (0..300_000_u32).map(|n| (n / 7) as u8).collect();
    stream.write_all(&question)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut got = Vec::new();
    stream.read_to_end(&mut got)?;
    got.reverse();
    assert!(got == question, "{} of {}", got.len(), question.len());
    server.join().map_err(|_| "the server")?;
    let refused = far.connect(&address, Duration::from_secs(10));
    assert_eq!(
        refused.err().map(|error| error.kind()),
        Some(ErrorKind::ConnectionRefused)
    );
    Ok(())
}

/// Echoes whatever comes, on every connection, as long as the test lasts.
fn echo() -> std::io::Result<Address> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.into();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let _ = std::io::copy(&mut &stream, &mut &stream);
            });
        }
    });
    Ok(address)
}

fn a_server_that_speaks_first_is_heard_from_elsewhere() -> Outcome {
    const TIMES: usize = 3000;
    let far = agent()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.into();
    let server = thread::spawn(move || {
        for stream in listener.incoming().take(TIMES) {
            let mut stream = stream.expect("a connection");
            stream.write_all(b"welcome").expect("it is there");
        }
    });
    // Its words may come before the word that it is connected.
    for _ in 0..TIMES {
        let mut stream = far.connect(&address, Duration::from_secs(10))?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        assert_eq!(said, "welcome");
    }
    server.join().map_err(|_| "the server")?;
    Ok(())
}

fn an_agent_sends_load() -> Outcome {
    let far = agent()?;
    let mut config = Config {
        until: Until::Requests(500),
        lead_in: Duration::ZERO,
        window: Duration::from_secs(1),
        ..echoed(Load::Closed { connections: 2 })?
    };
    let outcome = far.run(&config, &Control::default())?;
    assert_eq!((outcome.requests, outcome.good), (500, 500));
    assert_eq!(outcome.latency.len(), 500);

    // A session's connections stay from slice to slice, and its windows and marks come here.
    let mut session = far.open(&config, &Control::default())?;
    for _ in 0..2 {
        let (windows_in, windows) = std::sync::mpsc::channel();
        let (marks_in, marks) = std::sync::mpsc::channel();
        let control = Control::with_windows(windows_in).with_marks(marks_in);
        let slice = photofinish_load::Slice {
            until: Until::Elapsed(Duration::from_millis(200)),
            window: Duration::from_millis(50),
            ..config.slice()
        };
        let outcome = session.slice(&slice, &control)?;
        assert!(outcome.good > 0 && outcome.reconnects == 0, "{outcome:?}");
        drop(control);
        let came: Vec<u64> = windows.iter().map(|window| window.responses).collect();
        let kept: Vec<u64> = outcome
            .windows
            .iter()
            .map(|window| window.responses)
            .collect();
        assert!(
            !came.is_empty() && kept.starts_with(&came),
            "{came:?} {kept:?}"
        );
        let marks: Vec<bool> = (marks.iter().map(|mark| matches!(mark, Mark::Opened(_)))).collect();
        assert_eq!(marks, [true, false]);
    }
    drop(session);

    // A load that is cancelled ends long before its time.
    config.until = Until::Elapsed(Duration::from_secs(3_600));
    let control = Control::default();
    let outcome = thread::scope(|scope| {
        let load = scope.spawn(|| far.run(&config, &control));
        thread::sleep(Duration::from_millis(50));
        control.stop();
        load.join()
    });
    let outcome = outcome.map_err(|_| "the load")??;
    assert!(outcome.duration < Duration::from_secs(600));

    config.load = Load::Closed { connections: 0 };
    let refused = far.run(&config, &Control::default());
    let says = refused.err().ok_or("refused")?.to_string();
    assert!(
        says.contains("at least one connection") && says.ends_with("(on far)"),
        "{says}"
    );
    Ok(())
}

/// Two agents, and how each is ended.
fn two_agents() -> Result<(Host, [u32; 2]), Box<dyn std::error::Error>> {
    let agents = [start("b")?, start("c")?];
    let carriers = [agents[0].carrier(), agents[1].carrier()];
    let generators = agents.map(|agent| Box::new(Host::from(agent)) as Box<dyn Generator>);
    let several = Host::several(generators.into())?;
    Ok((several, carriers))
}

fn echoed(load: Load) -> Result<Config, std::io::Error> {
    let address = echo()?;
    let until = Until::Elapsed(Duration::from_secs(2));
    Ok(Config {
        lead_in: Duration::from_millis(100),
        window: Duration::from_millis(100),
        ..Config::new(address, Exchange::TcpEcho { size: 8 }, load, until)
    })
}

fn two_agents_send_load_as_one() -> Outcome {
    let (several, _) = two_agents()?;
    assert_eq!(several.name(), "b and c");
    let rate = 2_000.0;
    let config = echoed(Load::Open {
        rate,
        arrivals: photofinish_model::Arrivals::Constant,
        connections: 15,
    })?;
    let (marks_in, marks) = std::sync::mpsc::channel();
    let (windows_in, windows) = std::sync::mpsc::channel();
    let control = Control::with_windows(windows_in).with_marks(marks_in);
    let mut session = several.open(&config, &control)?;
    let outcome = session.slice(&config.slice(), &control)?;
    // Both by their own schedules, and together that of the whole rate.
    let offered = outcome.offered.ok_or("an open loop")? as f64;
    assert!((offered - rate * 2.0).abs() <= 2.0, "{offered}");
    let achieved = outcome.responses_in_window as f64 / outcome.duration.as_secs_f64();
    assert!((achieved / rate - 1.0).abs() < 0.01, "{achieved}");
    let [one, other] = &outcome.parts[..] else {
        return Err("two parts".into());
    };
    assert_eq!((one.connections, other.connections), (8, 7));
    assert_eq!((&*one.machine, &*other.machine), ("b", "c"));
    let requests = one.outcome.rest().requests + other.outcome.rest().requests;
    assert_eq!(
        (outcome.requests, outcome.latency.len()),
        (requests, requests)
    );
    // By one clock both begin: what was estimated of it is all that can be between them.
    let apart = match one
        .outcome
        .rest()
        .started
        .duration_since(other.outcome.rest().started)
    {
        Ok(apart) => apart,
        Err(error) => error.duration(),
    };
    let known = one.clock.uncertain + other.clock.uncertain;
    assert!(apart <= known * 2, "{apart:?} {known:?}");
    assert!(known < Duration::from_millis(20), "{known:?}");
    drop(control);
    let marks: Vec<bool> = (marks.iter().map(|mark| matches!(mark, Mark::Opened(_)))).collect();
    assert_eq!(marks, [true, false]);
    let came: u64 = windows.iter().map(|window| window.responses).sum();
    assert!(came > 0 && came <= outcome.responses_in_window, "{came}");
    Ok(())
}

fn one_of_two_agents_that_is_killed_is_reported() -> Outcome {
    let (several, [_, carrier]) = two_agents()?;
    let mut config = echoed(Load::Closed { connections: 4 })?;
    config.until = Until::Elapsed(Duration::from_secs(3_600));
    let (windows_in, windows) = std::sync::mpsc::channel();
    let control = Control::with_windows(windows_in);
    let ended = thread::scope(|scope| {
        let load = scope.spawn(|| several.run(&config, &control));
        let _ = windows.recv();
        let killed = kill(carrier).is_ok();
        assert!(killed);
        load.join().map_err(|_| "it panicked")
    })?;
    let says = ended.err().ok_or("an error")?.to_string();
    assert!(says.starts_with("reach c: "), "{says}");
    // Nor is it there for the next one.
    let says = several.run(&config, &Control::default()).err();
    let says = says.ok_or("an error")?.to_string();
    assert!(says.starts_with("reach c: "), "{says}");
    Ok(())
}

fn a_killed_agent_leaves_nothing() -> Outcome {
    let remote = start("far")?;
    let pid = remote.carrier();
    let far = Host::from(remote);
    let case = Case::family();
    let mut server = far.start(&case.spec)?;
    until("all are there", || {
        server.fetch_log().is_ok() && case.log().matches("ready").count() >= 3
    })?;
    kill(pid)?;
    until("nothing is left", || marked(&case.mark).is_empty())?;
    until("that is known", || server.exited().is_err())?;
    let says = server.exited().err().ok_or("an error")?.to_string();
    assert!(says.starts_with("reach far: "), "{says}");
    assert!(
        far.cpus().is_err()
            && far.own_cpu().is_none()
            && far.meter(MeterKind::Hiccups, None).lap().is_none()
    );
    let address = echo()?;
    assert!(far.connect(&address, Duration::from_secs(1)).is_err());
    let (exchange, load) = (
        Exchange::TcpEcho { size: 8 },
        Load::Closed { connections: 1 },
    );
    let config = Config::new(address, exchange, load, Until::Requests(1));
    let gone = far.run(&config, &Control::default());
    assert!(matches!(gone, Err(Error::Finding(_))));
    Ok(())
}

fn kill(pid: u32) -> Outcome {
    let status: ExitStatus = Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()?;
    assert!(status.success());
    Ok(())
}

fn a_killed_asker_leaves_nothing() -> Outcome {
    let dir = tempfile::tempdir()?;
    let mark = new_mark();
    let mut asker: Child = Command::new(support::this_program())
        .args(["__asker".as_ref(), dir.path().as_os_str(), mark.as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // It says so once all are there.
    asker
        .stdout
        .take()
        .ok_or("a pipe")?
        .read_exact(&mut [0; 6])?;
    assert!(!marked(&mark).is_empty());
    kill(asker.id())?;
    asker.wait()?;
    until("nothing is left", || marked(&mark).is_empty())
}

/// A photofinish with a family of processes below an agent, until its standard input ends.
pub fn asker(dir: &Path, mark: &str) -> Outcome {
    let far = agent()?;
    let mut server = far.start(&support::family(dir, mark))?;
    until("all are there", || {
        let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
        server.fetch_log().is_ok() && log.matches("ready").count() >= 3
    })?;
    println!("ready");
    std::io::stdout().flush()?;
    let _ = std::io::stdin().read(&mut [0]);
    Ok(())
}

fn an_agent_whose_link_is_dropped_leaves_nothing() -> Outcome {
    let far = agent()?;
    let case = Case::shell("echo ready; trap '' TERM; while :; do sleep 1000; done");
    let server = far.start(&case.spec)?;
    until_ready_there(&case, server)?;
    let temp = far.temp()?;
    let path = temp.path().to_owned();
    // What was made there still holds the link.
    drop((temp, far));
    until("nothing is left", || {
        marked(&case.mark).is_empty() && !path.exists()
    })
}

/// Waits until it is ready, and forgets it.
fn until_ready_there(case: &Case, mut server: Process) -> Outcome {
    until("it is ready", || {
        server.fetch_log().is_ok() && case.log().contains("ready")
    })
}

/// Why a program of a shell in place of an agent is none.
fn refused(script: &str, interrupt: &AtomicBool) -> String {
    let mut command = Command::new("sh");
    let started = Link::start("far", None, command.args(["-c", script]), interrupt);
    let error = started.err().map(|error| error.to_string());
    error.unwrap_or_default()
}

fn another_version_and_who_is_no_agent_are_reported() -> Outcome {
    let octal = |bytes: &[u8]| -> String {
        let digits = bytes.iter().map(|byte| format!("\\{byte:03o}"));
        digits.collect()
    };
    // After a good greeting: no welcome, a message that is none, and one that is too long.
    let greeting = greeting();
    let no_message = [&greeting[..], &[4, 0, 0, 0, 255, 255, 255, 255]].concat();
    let too_long = [&greeting[..], &[255; 4]].concat();
    let other = b"photofinish talk\x09\x00\x050.9.9".to_vec();
    for (said, expected) in [
        (other, "it is photofinish 0.9.9 (protocol 9), and this is "),
        (
            b"Welcome to far!\nYou have mail.\n".to_vec(),
            "\"Welcome to far!\"",
        ),
        (no_message, "not a message"),
        (too_long, "longer than any may be"),
    ] {
        let script = format!("printf '{}'; cat >/dev/null", octal(&said));
        let reported = refused(&script, &AtomicBool::default());
        assert!(reported.contains(expected), "{reported}");
    }
    let reported = refused("echo far: out of order >&2; exit 3", &AtomicBool::default());
    assert_eq!(reported, "reach far: far: out of order");
    Ok(())
}

/// How long each side waits for the other, and then some.
const SILENCE: Duration = Duration::from_secs(20);
const LATE: Duration = Duration::from_secs(10);

fn a_silent_agent_is_not_waited_for() -> Outcome {
    let flag = AtomicBool::new(false);
    let begun = Instant::now();
    let interrupted = thread::scope(|scope| {
        let waits = scope.spawn(|| refused("exec sleep 1000", &flag));
        flag.store(true, Ordering::Relaxed);
        waits.join()
    });
    assert_eq!(interrupted.ok().as_deref(), Some("finish: interrupted"));
    assert!(begun.elapsed() < LATE);
    let begun = Instant::now();
    // What it complains of without an end is no response.
    let says = refused("exec yes out of order >&2", &AtomicBool::default());
    assert!(says.contains("out of order; out of order"), "{says}");
    assert!(begun.elapsed() < SILENCE + LATE);
    Ok(())
}

/// An agent, and its standard input, on which it was greeted where that is asked for; its output is open and nobody reads it.
fn unread(greeted: bool) -> Result<(Child, ChildStdin), Box<dyn std::error::Error>> {
    let mut child = command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("a pipe")?;
    if greeted {
        stdin.write_all(&greeting())?;
    }
    Ok((child, stdin))
}

fn ends_in_time(mut child: Child, begun: Instant) -> Outcome {
    while child.try_wait()?.is_none() {
        assert!(begun.elapsed() < SILENCE + LATE, "it goes on");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!child.wait()?.success());
    Ok(())
}

fn an_agent_that_nobody_reads_ends() -> Outcome {
    // `ToAgent::Ask(number, Ask::Fill(1 MiB))`.
    let question = |number: u8| [7, 0, 0, 0, 0, number, 6, 0x80, 0x80, 0x40, b'\n'];
    let (child, mut stdin) = unread(true)?;
    let begun = Instant::now();
    for number in 0..100 {
        stdin.write_all(&question(number))?;
    }
    // It is heard of again and again all the while.
    let alive = [1, 0, 0, 0, 4, b'\n'];
    let heard = thread::spawn(move || {
        while stdin.write_all(&alive).is_ok() {
            thread::sleep(Duration::from_millis(500));
        }
    });
    ends_in_time(child, begun)?;
    heard.join().map_err(|_| "a thread")?;
    // Nor are there ever more threads than it deals with.
    let (child, mut stdin) = unread(true)?;
    let begun = Instant::now();
    while stdin.write_all(&question(0)).is_ok() {
        let threads = fs::read_dir(format!("/proc/{}/task", child.id())).map_or(0, Iterator::count);
        assert!(threads < 300, "{threads} threads");
    }
    ends_in_time(child, begun)
}

fn an_agent_that_nobody_greets_ends() -> Outcome {
    let begun = Instant::now();
    let (child, _stdin) = unread(false)?;
    ends_in_time(child, begun)
}

/// What an asker says first.
fn greeting() -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let mut greeting = b"photofinish talk".to_vec();
    greeting.extend_from_slice(&PROTOCOL.to_le_bytes());
    greeting.push(version.len() as u8);
    greeting.extend_from_slice(version.as_bytes());
    greeting
}

fn an_agent_refuses_what_makes_no_sense() -> Outcome {
    let greeting = greeting();
    let garbage = [&greeting[..], &[3, 0, 0, 0, 0xff, 0xff, 0xff]].concat();
    let long = [&greeting[..], &[0xff; 4]].concat();
    let cut = [&greeting[..], &[9, 0, 0, 0, 1]].concat();
    for (bytes, well) in [
        (garbage, false),
        (long, false),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), false),
        // A stream that ends is how an agent is dismissed.
        (cut, true),
        (greeting, true),
    ] {
        let mut child = command()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        child.stdin.take().ok_or("a pipe")?.write_all(&bytes)?;
        assert_eq!(child.wait()?.success(), well, "{bytes:?}");
    }
    Ok(())
}
