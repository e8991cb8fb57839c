//! Sessions: what slices add up to, what becomes of connections between them, and what they cost.

#[path = "servers/support/mod.rs"]
mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::{Config, Control, Error, ErrorKind, Outcome, Session, Slice, Until};
use photofinish_model::{Address, Arrivals};
use photofinish_servers::Spoken;
use support::{HELLO, Server, alone, assert_good, config, open};

fn session(config: &Config) -> Session {
    Session::open(config, &Control::default()).unwrap()
}

fn slice(session: &mut Session, slice: &Slice) -> Outcome {
    session.slice(slice, &Control::default()).unwrap()
}

/// All slices together.
fn sum(outcomes: &[Outcome]) -> Outcome {
    let (first, rest) = outcomes.split_first().unwrap();
    let mut all = first.clone();
    rest.iter().for_each(|outcome| all.add(outcome));
    all
}

const MILLIS: Duration = Duration::from_millis(1);

#[test]
fn slices_by_number_add_up_on_the_connections_of_the_first() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let config = config(server.address, 7, Until::Requests(100));
    let mut session = session(&config);
    let outcomes: Vec<Outcome> = (0..5)
        .map(|_| slice(&mut session, &config.slice()))
        .collect();
    session.close().unwrap();
    for (number, outcome) in outcomes.iter().enumerate() {
        assert_good(outcome, 100);
        let connects = if number == 0 { 7 } else { 0 };
        assert_eq!((outcome.connects, outcome.reconnects), (connects, 0));
        // The first response is one of the 100, and no later than that which was last of all.
        let first = outcome.first_response.unwrap();
        assert!(first <= outcome.duration, "{outcome:?}");
        assert!(first >= Duration::from_nanos(outcome.latency.min()) - MILLIS / 1000);
    }
    let all = sum(&outcomes);
    assert_eq!(server.seen(), 500);
    assert_eq!(server.accepted.load(Ordering::SeqCst), 7);
    assert_eq!(
        (all.requests, all.responses_in_window, all.sent),
        (500, 500, 500)
    );
    assert_eq!((all.latency.len(), all.service.len()), (500, 500));
    assert_eq!(all.lag.as_ref().map(|lag| lag.len()), Some(500));
    assert_eq!(all.bytes_in, 500 * HELLO.len() as u64);
    assert_eq!(all.status.get(&200), Some(&500));
    let durations: Duration = outcomes.iter().map(|outcome| outcome.duration).sum();
    assert_eq!(all.duration, durations);
    let cpu: Duration = outcomes.iter().map(|outcome| outcome.thread_cpu[0]).sum();
    assert_eq!((all.thread_cpu.len(), all.thread_cpu[0]), (2, cpu));
    let responses: u64 = all.windows.iter().map(|window| window.responses).sum();
    assert_eq!(responses, 500);
}

#[test]
fn slices_by_time_add_up_without_their_lead_ins() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let length = 60 * MILLIS;
    let mut config = config(server.address, 5, Until::Elapsed(length));
    config.lead_in = 20 * MILLIS;
    let mut session = session(&config);
    let outcomes: Vec<Outcome> = (0..4)
        .map(|_| slice(&mut session, &config.slice()))
        .collect();
    session.close().unwrap();
    let all = sum(&outcomes);
    assert_eq!(all.duration, length * 4);
    assert_eq!(server.seen(), all.lead_in_requests + all.requests);
    assert_eq!(all.sent, server.seen());
    assert_eq!(all.latency.len(), all.requests);
    assert_eq!(all.errors.len(), 0, "{:?}", all.first_error);
    for outcome in &outcomes {
        assert!(outcome.lead_in_requests > 0);
        // Each connection had a response in the lead-in already, and one was the first.
        let all_responded = outcome.all_responded.unwrap();
        assert!(outcome.first_response.unwrap() <= all_responded);
        assert!(all_responded < config.lead_in + length);
    }
    // One window a slice, one after the other.
    let begins: Vec<f64> = all.windows.iter().map(|window| window.start_s).collect();
    assert_eq!(begins.len(), 4);
    for (number, begin) in (0..).zip(begins) {
        assert!((begin - 0.06 * f64::from(number)).abs() < 1e-9, "{begin}");
    }
}

#[test]
fn slices_of_an_open_loop_offer_what_their_rate_says() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let mut config = config(server.address, 8, Until::Elapsed(50 * MILLIS));
    open(&mut config, Arrivals::Constant, 2_000.0);
    config.lead_in = 10 * MILLIS;
    let mut session = session(&config);
    let outcomes: Vec<Outcome> = (0..6)
        .map(|_| slice(&mut session, &config.slice()))
        .collect();
    session.close().unwrap();
    for outcome in &outcomes {
        // One every 0.5 ms from 10 ms until 60 ms.
        assert_eq!(outcome.offered, Some(100));
        assert_eq!(outcome.requests, 100);
    }
    let all = sum(&outcomes);
    assert_eq!((all.offered, all.latency.len()), (Some(600), 600));
    assert_eq!(all.service.len() + all.censored, 600);
    assert_eq!(server.seen(), all.sent);
}

/// A server that closes what has been at rest for `rest`, and closes after `last` responses, which it says.
struct Impatient {
    address: SocketAddr,
    closed: Arc<AtomicU64>,
}

impl Impatient {
    fn new(rest: Duration, last: u64) -> Impatient {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let closed = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&closed);
        // Ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let count = Arc::clone(&count);
                thread::spawn(move || {
                    serve(stream.unwrap(), rest, last);
                    count.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Impatient { address, closed }
    }

    /// Waits until so many connections were closed.
    fn closed(&self, count: u64) {
        while self.closed.load(Ordering::SeqCst) < count {
            thread::yield_now();
        }
    }
}

fn serve(mut stream: TcpStream, rest: Duration, last: u64) {
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(rest)).unwrap();
    let mut buffer = [0; 4096];
    for number in 1.. {
        // The generator's requests come in one piece.
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(_) if number == last => {
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
                );
                return;
            }
            Ok(_) => {
                if stream.write_all(HELLO).is_err() {
                    return;
                }
            }
        }
    }
}

#[test]
fn connections_that_a_server_closes_between_slices_are_opened_again_and_are_no_errors() {
    let _alone = alone();
    let server = Impatient::new(40 * MILLIS, u64::MAX);
    let config = config(server.address, 9, Until::Requests(90));
    let mut session = session(&config);
    for number in 0..3 {
        let outcome = slice(&mut session, &config.slice());
        assert_eq!(outcome.errors.len(), 0, "{:?}", outcome.first_error);
        assert_good(&outcome, 90);
        let reconnects = if number == 0 { 0 } else { 9 };
        assert_eq!((outcome.connects, outcome.reconnects), (9, reconnects));
        // At rest, all are closed.
        server.closed(9 * (number + 1));
    }
    session.close().unwrap();
}

#[test]
fn connections_that_a_server_closes_after_so_many_responses_are_no_errors_either() {
    let _alone = alone();
    let server = Impatient::new(Duration::from_secs(60), 100);
    let config = config(server.address, 4, Until::Requests(1_030));
    let mut session = session(&config);
    let outcomes: Vec<Outcome> = (0..3)
        .map(|_| slice(&mut session, &config.slice()))
        .collect();
    session.close().unwrap();
    let all = sum(&outcomes);
    assert_eq!(all.errors.len(), 0, "{:?}", all.first_error);
    assert_eq!((all.requests, all.good), (3_090, 3_090));
    // One connection in the place of each that was used up; some are used up by the very last requests of a slice,
    // and opened again only for the next.
    assert_eq!(all.connects, 4 + all.reconnects);
    assert!((27..=30).contains(&all.reconnects), "{}", all.reconnects);
}

/// How often each of this process' load threads was on a core, and for how long, by thread.
fn load_threads() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for task in fs::read_dir("/proc/self/task").unwrap().flatten() {
        let of = |file: &str| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        if of("comm").starts_with("load-") {
            let number = task.file_name().to_string_lossy().into_owned();
            found.push((number, of("schedstat")));
        }
    }
    found.sort();
    found
}

#[test]
fn a_session_at_rest_uses_no_cpu_while_another_one_is_busy() {
    let _alone = alone();
    let (one, other) = (Server::responding(HELLO), Server::responding(HELLO));
    let mut config_of_one = config(one.address, 10, Until::Elapsed(50 * MILLIS));
    open(&mut config_of_one, Arrivals::Poisson, 1_000.0);
    let config_of_other = config(other.address, 10, Until::Elapsed(250 * MILLIS));
    let mut resting = session(&config_of_one);
    slice(&mut resting, &config_of_one.slice());
    // It comes to rest.
    let mut before = load_threads();
    let came_to_rest = Instant::now();
    loop {
        thread::sleep(5 * MILLIS);
        let now = load_threads();
        if now == before {
            break;
        }
        assert!(came_to_rest.elapsed() < Duration::from_secs(10), "{now:?}");
        before = now;
    }
    assert_eq!(before.len(), 2);
    let mut busy = session(&config_of_other);
    let outcome = slice(&mut busy, &config_of_other.slice());
    assert!(outcome.requests > 0 && outcome.errors.is_empty());
    let after: Vec<_> = load_threads()
        .into_iter()
        .filter(|(thread, _)| before.iter().any(|(of, _)| of == thread))
        .collect();
    assert_eq!(before, after);
    // And is there again at once.
    let outcome = slice(&mut resting, &config_of_one.slice());
    assert!(outcome.requests > 0 && outcome.errors.is_empty());
    assert_eq!(outcome.connects, 0);
}

#[test]
fn a_server_that_says_nothing_more_disturbs_only_its_own_session() {
    let _alone = alone();
    let silent = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&silent);
    let stuck = Server::new(move |stream, _| {
        flag.load(Ordering::SeqCst) || stream.write_all(HELLO).is_ok()
    });
    let good = Server::responding(HELLO);
    let mut config_of_stuck = config(stuck.address, 3, Until::Elapsed(30 * MILLIS));
    config_of_stuck.timeout = 150 * MILLIS;
    let config_of_good = config(good.address, 3, Until::Elapsed(30 * MILLIS));
    let mut one = session(&config_of_stuck);
    let mut other = session(&config_of_good);
    for turn in 0..6 {
        silent.store((2..4).contains(&turn), Ordering::SeqCst);
        let outcome = slice(&mut one, &config_of_stuck.slice());
        if (2..4).contains(&turn) {
            let lost = outcome.errors.get(&ErrorKind::Timeout).unwrap_or(&0);
            assert_eq!(lost + outcome.censored, 3, "{:?}", outcome.errors);
            assert!(outcome.first_error.is_some());
            assert_eq!(
                (outcome.first_response, outcome.all_responded),
                (None, None)
            );
        } else {
            assert_eq!(
                outcome.errors.len(),
                0,
                "turn {turn}: {:?}",
                outcome.first_error
            );
            assert!(outcome.good > 0);
        }
        let outcome = slice(&mut other, &config_of_good.slice());
        assert_eq!((outcome.errors.len(), outcome.reconnects), (0, 0));
    }
}

#[test]
fn nobody_listening_any_more_is_reported_by_the_slice_and_the_session_may_be_tried_again() {
    let _alone = alone();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let accept = |listener: &TcpListener| {
        let (stream, _) = listener.accept().unwrap();
        thread::spawn(move || serve(stream, Duration::from_secs(60), 10))
    };
    let config = config(address, 1, Until::Requests(10));
    let mut session = session(&config);
    // The tenth response is the last one on the only connection.
    let server = accept(&listener);
    assert_eq!(slice(&mut session, &config.slice()).good, 10);
    server.join().unwrap();
    drop(listener);
    match session.slice(&config.slice(), &Control::default()) {
        Err(Error::Connect { kind, .. }) => assert_eq!(kind, ErrorKind::ConnectRefused.name()),
        other => panic!("{other:?}"),
    }
    let listener = TcpListener::bind(address).unwrap();
    let server = thread::spawn(move || accept(&listener).join());
    let began = Instant::now();
    let outcome = loop {
        match session.slice(&config.slice(), &Control::default()) {
            // The pause since the last attempt is not over.
            Err(Error::Connect { .. }) if began.elapsed() < Duration::from_secs(10) => {
                thread::yield_now();
            }
            outcome => break outcome.unwrap(),
        }
    };
    assert_eq!(outcome.good, 10);
    let _ = server.join().unwrap();
}

#[test]
fn a_slice_that_is_stopped_leaves_its_session_as_it_was() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let config = config(
        server.address,
        4,
        Until::Elapsed(Duration::from_secs(3_600)),
    );
    let mut session = session(&config);
    let control = Control::default();
    let outcome = thread::scope(|scope| {
        let run = scope.spawn(|| session.slice(&config.slice(), &control).unwrap());
        while server.seen() < 100 {
            thread::yield_now();
        }
        control.stop();
        run.join().unwrap()
    });
    assert!(outcome.duration < Duration::from_secs(60));
    assert_eq!(server.seen(), outcome.requests);
    let short = Slice {
        until: Until::Requests(50),
        ..config.slice()
    };
    let outcome = slice(&mut session, &short);
    assert_eq!((outcome.good, outcome.connects), (50, 0));
}

#[test]
fn a_slice_that_cannot_be_is_refused_and_the_next_one_is_not() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let config = config(server.address, 1, Until::Requests(1));
    let mut session = session(&config);
    let none = Slice {
        until: Until::Requests(0),
        ..config.slice()
    };
    let refused = session.slice(&none, &Control::default());
    assert!(
        matches!(refused, Err(Error::Settings { .. })),
        "{refused:?}"
    );
    assert_eq!(slice(&mut session, &config.slice()).good, 1);
}

/// The built-in server with an event loop, on a thread of this process.
fn event_loop() -> Address {
    let (send, address) = mpsc::channel();
    thread::spawn(move || {
        let kind = photofinish_servers::Kind::EventLoop {
            threads: 1,
            slower: None,
        };
        let any = "127.0.0.1:0".parse::<SocketAddr>().unwrap().into();
        photofinish_servers::serve(&kind, &any, &Spoken::default(), |address| {
            send.send(address.clone()).unwrap()
        })
    });
    address.recv().unwrap()
}

/// What of their time slices of 50 ms do not use: load flows from the opening of the window to the last response.
#[test]
fn slices_lose_little_of_their_time() {
    let _alone = alone();
    support::allow_files();
    let address = event_loop();
    for connections in [16, 100, 1_000] {
        let mut config = config(address.clone(), connections, Until::Elapsed(50 * MILLIS));
        support::http(&mut config).0.path = photofinish_model::Template::fixed("/plaintext");
        config.threads = 1;
        let mut session = session(&config);
        let mut lost: Vec<f64> = (0..40)
            .map(|_| {
                let began = Instant::now();
                let outcome = slice(&mut session, &config.slice());
                let idle = began.elapsed() - outcome.duration - outcome.draining;
                idle.as_secs_f64() / outcome.duration.as_secs_f64()
            })
            .collect();
        lost.sort_by(f64::total_cmp);
        println!("{connections} connections: {lost:.3?}");
        // Where others want the cores too, threads are woken late: a tenth of the slices is undisturbed however busy the
        // machine is.
        let undisturbed = lost[lost.len() / 10];
        assert!(undisturbed < 0.05, "{connections} connections: {lost:.3?}");
    }
}

#[test]
fn what_a_thread_looks_for_before_it_sleeps_is_no_work() {
    let _alone = alone();
    // Most of what an eager thread does here is to look: for 1 ms of every 4.
    let server = Server::new(|stream, _| {
        thread::sleep(Duration::from_millis(4));
        stream.write_all(HELLO).is_ok()
    });
    let spent = |eager| {
        let window = Duration::from_millis(600);
        let mut config = config(server.address, 1, Until::Elapsed(window));
        (config.threads, config.eager) = (1, eager);
        let mut session = session(&config);
        let outcome = slice(&mut session, &config.slice());
        session.close().unwrap();
        assert_eq!(outcome.errors.len(), 0, "{:?}", outcome.errors);
        assert!(outcome.good > 20, "{}", outcome.good);
        let cpu: Duration = outcome.thread_cpu.iter().sum();
        (cpu.as_secs_f64() / outcome.good as f64, outcome.turnaround)
    };
    let (asleep, eager) = (spent(false), spent(true));
    // A request costs some 30 to 100 µs in a test's build; what it looks for would be 1,000.
    assert!(eager.0 < asleep.0 + 400e-6, "{eager:?}, {asleep:?}");
}
