use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use photofinish_model::{Arrivals, Exchange, Load};

use super::*;
use crate::Host;

/// A generator of this process whose clock is off, and that begins late so many times.
struct Off {
    nanos: i64,
    late: AtomicU32,
}

impl Off {
    fn by(nanos: i64) -> Box<dyn Generator> {
        let late = AtomicU32::new(0);
        Box::new(Off { nanos, late })
    }
}

impl Generator for Off {
    fn machine(&self) -> &Host {
        Host::this_machine()
    }

    fn ahead(&self) -> Result<Ahead, Error> {
        Ok(Ahead {
            nanos: self.nanos,
            uncertain: Duration::from_micros(10),
        })
    }

    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, Error> {
        Host::this_machine().run(config, control)
    }

    fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, Error> {
        let session = Host::this_machine().open(config, control)?;
        Ok(Box::new(OffSession { of: self, session }))
    }
}

struct OffSession<'g> {
    of: &'g Off,
    session: Box<dyn Session + 'g>,
}

impl Session for OffSession<'_> {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, Error> {
        let back = Ahead {
            nanos: -self.of.nanos,
            uncertain: Duration::ZERO,
        };
        let mut slice = slice.clone();
        slice.begin = slice.begin.map(|begin| ahead_of(begin, back));
        let late = self.of.late.load(Ordering::Relaxed);
        if late > 0 {
            self.of.late.store(late - 1, Ordering::Relaxed);
            // As if the word had come after the window was to open.
            slice.begin = slice.begin.map(|begin| begin + Duration::from_millis(60));
        }
        let mut outcome = self.session.slice(&slice, control)?;
        outcome.started = ahead_of(
            outcome.started,
            Ahead {
                nanos: self.of.nanos,
                uncertain: Duration::ZERO,
            },
        );
        Ok(outcome)
    }
}

/// Echoes whatever comes, on every connection, as long as the test lasts.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = stream.set_nodelay(true);
            thread::spawn(move || io::copy(&mut &stream, &mut &stream));
        }
    });
    address
}

fn config(load: Load) -> Config {
    let until = Until::Elapsed(Duration::from_millis(200));
    Config {
        lead_in: Duration::from_millis(20),
        window: Duration::from_millis(50),
        ..Config::new(echo(), Exchange::TcpEcho { size: 8 }, load, until)
    }
}

const CLOSED: Load = Load::Closed { connections: 5 };

#[test]
fn a_clock_five_seconds_off_does_not_matter() {
    for nanos in [5_000_000_000, -5_000_000_000] {
        let several = Several::new(vec![Off::by(0), Off::by(nanos)]).expect("both are here");
        let config = config(CLOSED);
        let mut session = several
            .open(&config, &Control::default())
            .expect("it is open");
        for _ in 0..3 {
            let outcome = session.slice(&config.slice(), &Control::default());
            let outcome = outcome.expect("load flows");
            let [one, other] = &outcome.parts[..] else {
                panic!("there are two")
            };
            assert_eq!((one.connections, other.connections), (3, 2));
            assert_eq!(other.clock.nanos, nanos);
            // By one clock their windows opened at the same nanosecond.
            let opened = ahead_of(one.outcome.rest().started, other.clock);
            assert_eq!(opened, other.outcome.rest().started);
            assert_eq!(outcome.duration, Duration::from_millis(200));
            assert_eq!(one.outcome.rest().duration, other.outcome.rest().duration);
            let requests = one.outcome.rest().requests + other.outcome.rest().requests;
            assert_eq!(
                (outcome.requests, outcome.latency.len()),
                (requests, requests)
            );
            assert!(one.outcome.rest().requests > 0 && other.outcome.rest().requests > 0);
        }
    }
}

#[test]
fn a_slice_that_one_began_late_does_not_count() {
    let late = Box::new(Off {
        nanos: 0,
        late: AtomicU32::new(2),
    });
    let several = Several::new(vec![Off::by(0), late]).expect("both are here");
    let config = config(CLOSED);
    let mut session = several
        .open(&config, &Control::default())
        .expect("it is open");
    let outcome = session.slice(&config.slice(), &Control::default());
    let outcome = outcome.expect("load flows");
    let of_parts: u64 = outcome
        .parts
        .iter()
        .map(|part| part.outcome.rest().sent)
        .sum();
    // What was wasted was sent all the same, and is no request of the window.
    assert!(outcome.sent > of_parts, "{} {of_parts}", outcome.sent);
    let requests: u64 = outcome
        .parts
        .iter()
        .map(|part| part.outcome.rest().requests)
        .sum();
    assert_eq!(outcome.requests, requests);
}

#[test]
fn one_that_is_always_late_is_reported() {
    let late = Box::new(Off {
        nanos: 0,
        late: AtomicU32::new(u32::MAX),
    });
    let several = Several::new(vec![Off::by(0), late]).expect("both are here");
    let mut config = config(CLOSED);
    config.until = Until::Elapsed(Duration::from_millis(5));
    let outcome = several.run(&config, &Control::default());
    assert!(matches!(
        outcome,
        Err(Error::Load(why)) if matches!(*why, LoadTrouble::Apart { .. })
    ));
}

#[test]
fn a_rate_is_dealt_out() {
    let several = Several::new(vec![Off::by(0), Off::by(7_000), Off::by(-9_000)]);
    let several = several.expect("all are here");
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let mut config = config(Load::Open {
            rate: 3_000.0,
            arrivals,
            connections: 30,
        });
        config.until = Until::Elapsed(Duration::from_secs(2));
        let outcome = several
            .run(&config, &Control::default())
            .expect("load flows");
        let offered = outcome.offered.expect("it is an open loop") as f64;
        // Constant arrivals fall on the slots of one schedule; the number of Poisson ones has its mean for variance.
        let off = match arrivals {
            Arrivals::Constant => 1.0,
            Arrivals::Poisson => 4.0 * 6_000.0_f64.sqrt(),
        };
        assert!((offered - 6_000.0).abs() <= off, "{arrivals:?}: {offered}");
        for part in &outcome.parts {
            let offered = part.outcome.rest().offered.expect("it is an open loop") as f64;
            let off = off.max(1.0);
            assert!((offered - 2_000.0).abs() <= off, "{arrivals:?}: {offered}");
        }
    }
}

#[test]
fn what_cannot_be_dealt_out_is_refused() {
    let several = Several::new(vec![Off::by(0), Off::by(0)]).expect("both are here");
    let one = config(Load::Closed { connections: 1 });
    let refused = several.run(&one, &Control::default());
    let says = refused
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(
        says.starts_with("1 connections for 2 load generators"),
        "{says}"
    );
    let mut one = config(CLOSED);
    one.until = Until::Requests(1);
    let refused = several.run(&one, &Control::default());
    assert!(
        matches!(&refused, Err(Error::Load(why)) if matches!(**why, LoadTrouble::FewRequests { .. })),
        "{refused:?}"
    );
    one.until = Until::Requests(101);
    let outcome = several.run(&one, &Control::default()).expect("load flows");
    assert_eq!((outcome.requests, outcome.good), (101, 101));
}

#[test]
fn windows_of_all_are_reported_as_one_and_a_stop_ends_all() {
    let several = Several::new(vec![Off::by(0), Off::by(0)]).expect("both are here");
    let mut config = config(CLOSED);
    config.until = Until::Elapsed(Duration::from_secs(3_600));
    let (send, windows) = mpsc::channel();
    let control = Control::with_windows(send);
    let outcome = thread::scope(|scope| {
        let load = scope.spawn(|| several.run(&config, &control));
        let reported: Vec<Window> = windows.iter().take(3).collect();
        control.stop();
        (load.join().expect("it does not panic"), reported)
    });
    let (outcome, reported) = (outcome.0.expect("load flows"), outcome.1);
    assert!(outcome.duration < Duration::from_secs(600));
    let kept = outcome
        .windows
        .iter()
        .take(3)
        .map(|window| window.responses);
    assert!(
        kept.eq(reported.iter().map(|window| window.responses)),
        "{reported:?}"
    );
}

#[test]
fn names_are_joined() {
    let several = Several::new(vec![Off::by(0), Off::by(0)]).expect("both are here");
    assert_eq!(several.name(), "this machine and this machine");
    assert!(several.fewest_cores() >= 1);
}

#[test]
fn each_is_given_its_own_cores_in_place_of_those_of_the_first() {
    let generators = (0..3).map(|_| Off::by(0)).collect();
    let mut several = Several::new(generators).expect("they are there");
    let places = [("one", vec![0, 1]), ("one", vec![2]), ("other", vec![6, 7])];
    for (place, (boot, cores)) in several.places.iter_mut().zip(places) {
        boot.clone_into(&mut place.boot);
        place.cores = cores;
    }
    let all = |chosen: &[usize]| [0, 1, 2].map(|number| several.own_cpus(number, chosen));
    assert_eq!(all(&[0, 1]), [vec![0, 1], vec![2], vec![6, 7]]);
    // What a user wrote down is taken as it is, and fails if it cannot be had.
    assert_eq!(all(&[1]), [vec![1], vec![1], vec![1]]);
    assert!(all(&[]).iter().all(Vec::is_empty));
    // Two of one machine that may use the same cores.
    several.places[1].cores = vec![0, 1, 2];
    assert_eq!(several.own_cpus(1, &[0, 1]), [0, 1]);
}
