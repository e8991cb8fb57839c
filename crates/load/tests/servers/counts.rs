//! What is counted, against what the server saw and what arithmetic says.

use std::io::Write;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::support::delay::DelayServer;
use crate::support::{HELLO, Server, allow_files, alone, config, load, millis, open};
use photofinish_load::{Control, ErrorKind, Outcome, Until, run};
use photofinish_model::Arrivals;

#[test]
fn exactly_so_many_requests() {
    let _alone = alone();
    for (requests, connections) in [(1, 1), (3, 10), (10, 10), (1000, 7), (5000, 1)] {
        let server = Server::responding(HELLO);
        let outcome = load(&config(
            server.address,
            connections,
            Until::Requests(requests),
        ));
        let case = format!("{requests} over {connections}");
        assert_eq!(server.seen(), requests, "{case}");
        assert_eq!(
            (outcome.requests, outcome.responses_in_window),
            (requests, requests),
            "{case}"
        );
        assert_eq!(outcome.latency.len(), requests, "{case}");
        assert_eq!(
            outcome.lag.as_ref().map(hdrhistogram::Histogram::len),
            Some(requests),
            "{case}"
        );
        assert_eq!(outcome.bytes_in, requests * HELLO.len() as u64, "{case}");
        assert_eq!(outcome.status.get(&200), Some(&requests), "{case}");
        assert_eq!(u64::from(connections), outcome.connects, "{case}");
        assert_eq!(
            outcome
                .windows
                .iter()
                .map(|window| window.responses)
                .sum::<u64>(),
            requests,
            "{case}"
        );
    }
}

#[test]
fn many_connections_are_all_opened_however_short_the_queue() {
    let _alone = alone();
    // What comes faster than it is accepted is dropped by the kernel, and tried again a second later at the earliest.
    allow_files();
    let server = DelayServer::with_backlog(128, |_| Duration::ZERO);
    let mut config = config(server.address, 2_000, Until::Requests(6000));
    config.timeout = Duration::from_secs(30);
    let outcome = load(&config);
    assert_eq!(outcome.errors.len(), 0, "{:?}", outcome.first_error);
    assert_eq!((outcome.connects, outcome.reconnects), (2_000, 0));
    assert_eq!(server.noted().len(), 6000);
}

#[test]
fn windows_add_up_and_the_lead_in_is_left_out() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let mut config = config(server.address, 4, millis(1200));
    config.lead_in = Duration::from_millis(200);
    let (sender, windows) = mpsc::channel();
    let outcome = run(&config, &Control::with_windows(sender)).unwrap();
    assert_eq!(outcome.duration, Duration::from_millis(1200));
    assert_eq!(outcome.windows.len(), 2);
    assert_eq!(outcome.windows[1].duration_s, 0.2);
    assert_eq!(
        outcome
            .windows
            .iter()
            .map(|window| window.responses)
            .sum::<u64>(),
        outcome.responses_in_window
    );
    assert_eq!(windows.iter().collect::<Vec<_>>(), outcome.windows[..1]);
    assert!(outcome.lead_in_requests > 0);
    assert_eq!(server.seen(), outcome.lead_in_requests + outcome.requests);
    assert_eq!(outcome.latency.len(), outcome.requests);
    assert_eq!((outcome.errors.len(), outcome.thread_cpu.len()), (0, 2));
}

#[test]
fn stop_ends_the_run() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let config = config(server.address, 4, Until::Elapsed(Duration::from_secs(3600)));
    let control = Control::default();
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| run(&config, &control).unwrap());
        while server.seen() < 100 {
            std::thread::yield_now();
        }
        control.stop();
        run.join().unwrap()
    });
    assert!(outcome.duration < Duration::from_secs(60));
    assert_eq!(server.seen(), outcome.requests);
}

#[test]
fn a_run_that_was_stopped_before_it_began_sends_nothing() {
    let _alone = alone();
    let server = Server::responding(HELLO);
    let control = Control::default();
    control.stop();
    let config = config(server.address, 4, Until::Elapsed(Duration::from_secs(3600)));
    // Whether a connection was open by then is a matter of luck.
    if let Ok(outcome) = run(&config, &control) {
        assert_eq!((outcome.requests, outcome.responses_in_window), (0, 0));
    }
    assert_eq!(server.seen(), 0);
}

#[test]
fn a_request_in_flight_at_the_end_is_followed() {
    let _alone = alone();
    // Each response takes longer than the window.
    let server = DelayServer::new(|_| Duration::from_millis(150));
    let outcome = load(&config(server.address, 3, millis(50)));
    assert_eq!(
        (
            outcome.requests,
            outcome.drained,
            outcome.responses_in_window
        ),
        (3, 3, 0)
    );
    assert!(outcome.latency.min() >= 149_000_000);
    assert_eq!(server.noted().len(), 3);
    // 100 ms of each lie beyond the window.
    let outlasted = outcome.outlasted;
    assert!(outlasted >= Duration::from_millis(297), "{outlasted:?}");
    assert_eq!(outcome.carried, Duration::ZERO);
}

#[test]
fn a_request_that_is_under_way_for_the_whole_window_is_in_no_response_time() {
    let _alone = alone();
    // Two of four connections wait for their first response until the window has closed.
    let server = DelayServer::new(|number| match number {
        0 | 1 => Duration::from_millis(600),
        _ => Duration::from_millis(1),
    });
    let mut config = config(server.address, 4, millis(200));
    config.lead_in = Duration::from_millis(100);
    let outcome = load(&config);
    assert!(outcome.latency.max() < 400_000_000);
    // Two for 200 ms, and of the others what was left of a response when it opened, however late their thread was.
    let carried = outcome.carried.as_millis();
    assert!((400..=800).contains(&carried), "{carried}");
    let in_all = outcome.carried.as_secs_f64() - outcome.outlasted.as_secs_f64()
        + outcome.latency.mean() * outcome.requests as f64 / 1e9
        + outcome.turnaround.unwrap_or_default().as_secs_f64() * outcome.turnarounds as f64;
    // Connections × window: the law to the letter, but for a turnaround of each at both ends.
    let unread = outcome.lag.map_or(0.0, |lag| lag.max() as f64 / 1e9);
    let ends = 0.02 + 2.0 * 4.0 * unread;
    assert!((in_all - 0.8).abs() < ends, "{in_all} ± {ends}");
}

fn close_to(reported: u64, noted: u64) -> bool {
    let difference = reported.abs_diff(noted);
    difference <= 20_000 || difference <= noted / 50
}

#[test]
fn latencies_are_those_that_the_server_noted() {
    let _alone = alone();
    let delay = |number| Duration::from_millis(if number % 50 == 49 { 20 } else { 1 });
    let server = DelayServer::new(delay);
    let outcome = load(&config(server.address, 20, Until::Requests(10_000)));
    let noted = server.noted();
    assert_eq!(noted.len() as u64, outcome.requests);
    for quantile in [0.5, 0.99] {
        let reported = outcome.latency.value_at_quantile(quantile);
        let place = (quantile * noted.len() as f64).ceil() as usize - 1;
        assert!(
            close_to(reported, noted[place]),
            "{quantile}: reported {reported}, noted {}",
            noted[place]
        );
    }
    assert!(outcome.kernel_timestamps);
}

#[test]
fn littles_law_holds() {
    let _alone = alone();
    let connections = 16;
    let server = DelayServer::new(|_| Duration::from_millis(2));
    let outcome = load(&config(
        server.address,
        connections,
        Until::Elapsed(Duration::from_secs(2)),
    ));
    let rate = outcome.responses_in_window as f64 / outcome.duration.as_secs_f64();
    let cycle = outcome.latency.mean() / 1e9 + outcome.turnaround.unwrap().as_secs_f64();
    let in_flight = rate * cycle;
    assert!(
        (in_flight / f64::from(connections) - 1.0).abs() < 0.02,
        "{in_flight}"
    );
}

/// Everything that was due is in the histogram.
fn nothing_is_missing(outcome: &Outcome, due: u64) {
    assert_eq!(outcome.offered, Some(due));
    assert_eq!((outcome.requests, outcome.latency.len()), (due, due));
}

#[test]
fn constant_arrivals_come_as_counted() {
    let _alone = alone();
    for (rate, millis, threads, due) in [
        (1.0, 1500, 8, 2),
        (1000.0, 500, 2, 500),
        (20_000.0, 500, 1, 10_000),
    ] {
        let server = DelayServer::new(|_| Duration::ZERO);
        let mut config = config(server.address, 16, crate::support::millis(millis));
        config.threads = threads;
        open(&mut config, Arrivals::Constant, rate);
        let outcome = load(&config);
        nothing_is_missing(&outcome, due);
        let sent = server.noted().len() as u64;
        assert_eq!(sent + outcome.censored, due, "rate {rate}");
    }
}

#[test]
fn a_schedule_by_number() {
    let _alone = alone();
    let server = DelayServer::new(|_| Duration::ZERO);
    let mut config = config(server.address, 4, Until::Requests(500));
    open(&mut config, Arrivals::Poisson, 5000.0);
    let outcome = load(&config);
    nothing_is_missing(&outcome, 500);
    assert_eq!(server.noted().len(), 500);
}

#[test]
fn what_falls_due_in_a_stall_waits_and_is_reported() {
    let _alone = alone();
    // One connection, 20 a second, and request 10 (due at 500 ms) takes 1 s: those due at 550, 600, … 1450 ms
    // wait until 1500 ms, for 950, 900, … 50 ms.
    let server =
        DelayServer::new(|number| Duration::from_millis(if number == 10 { 1000 } else { 0 }));
    let mut config = config(server.address, 1, millis(1990));
    open(&mut config, Arrivals::Constant, 20.0);
    let outcome = load(&config);
    nothing_is_missing(&outcome, 40);
    assert_eq!(outcome.errors.len(), 0, "{:?}", outcome.errors);
    for step in 1..20 {
        let least = step * 50_000_000 - 25_000_000;
        let waited = outcome.latency.count_between(least, u64::MAX);
        // The request that stalled, and those that waited at least so long.
        let due = 1 + (20 - step);
        // Not one is hidden. (A busy machine holds up others besides.)
        assert!(waited >= due, "at least {least} ns: {waited}, not {due}");
    }
    // Service times are those of the server: only one was slow.
    assert_eq!(outcome.service.count_between(500_000_000, u64::MAX), 1);
    // Nobody waited beside an idle connection: the stall is not the generator's.
    let late = outcome.late.map_or(Duration::ZERO, |late| late.longest);
    assert!(late < Duration::from_millis(500), "{late:?}");
}

#[test]
fn what_is_not_sent_by_the_end_is_censored() {
    let _alone = alone();
    // The first of 100 requests a second never gets a response, on the only connection.
    let (_never, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let server = Server::new(move |stream, _| {
        let _ = wait.lock().unwrap().recv_timeout(Duration::from_secs(5));
        stream.write_all(HELLO).is_ok()
    });
    let mut config = config(server.address, 1, millis(295));
    config.timeout = Duration::from_millis(400);
    open(&mut config, Arrivals::Constant, 100.0);
    let began = Instant::now();
    let outcome = load(&config);
    nothing_is_missing(&outcome, 30);
    assert_eq!(outcome.errors.get(&ErrorKind::Timeout), Some(&1));
    assert_eq!(
        (outcome.errors.get(&ErrorKind::Censored), outcome.censored),
        (Some(&29), 29)
    );
    // The one due at 10 ms had waited for 285 ms when the window closed, and the one due at 290 ms for 5: their responses would have
    // taken longer, and the only time known to be longer is the timeout.
    assert_eq!(outcome.latency.count_between(395_000_000, u64::MAX), 30);
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_request_without_response_has_no_short_response_time() {
    let _alone = alone();
    // One connection and 5 ms a response: of 10,000 requests a second at most 60 get one, and the last of the others falls due
    // just before the window closes. That it had hardly waited by then says nothing of a response time.
    let server = DelayServer::new(|_| Duration::from_millis(5));
    let mut config = config(server.address, 1, millis(300));
    config.timeout = Duration::from_secs(2);
    open(&mut config, Arrivals::Constant, 10_000.0);
    let outcome = load(&config);
    nothing_is_missing(&outcome, 3_000);
    assert!(outcome.censored >= 2_900, "{}", outcome.censored);
    // Histograms have three digits.
    let least = 4_990_000;
    assert!(outcome.latency.min() >= least, "{}", outcome.latency.min());
    assert!(outcome.service.min() >= least, "{}", outcome.service.min());
}

#[test]
fn windows_are_as_long_as_asked_for() {
    let _alone = alone();
    let server = DelayServer::new(|_| Duration::ZERO);
    let mut config = config(server.address, 2, millis(250));
    config.window = Duration::from_millis(100);
    let outcome = load(&config);
    let spans: Vec<(f64, f64)> = (outcome.windows.iter())
        .map(|window| (window.start_s, window.duration_s))
        .collect();
    assert_eq!(spans, [(0.0, 0.1), (0.1, 0.1), (0.2, 0.05)]);
    let responses: u64 = outcome.windows.iter().map(|window| window.responses).sum();
    assert_eq!(responses, outcome.responses_in_window);
}
