//! What grows with generators, by real agents: how far apart their windows open, and how much longer a slice takes than it lasts.
//!
//!     cargo run --release --locked -p photofinish-host --example agents -- target/release/photofinish 100
//!
//! All agents are processes of this machine, which have one clock, so that their own words show when each window really opened. They share
//! its cores: on machines of their own none waits for another. Prints JSON, times in milliseconds.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use photofinish_host::agent::Link;
use photofinish_host::{Generator, Host};
use photofinish_load::{Config, Control, Until};
use photofinish_model::{Arrivals, Exchange, Load};

/// Slices, each of so long.
const SLICES: u32 = 10;
const SLICE: Duration = Duration::from_millis(200);
/// Requests per second of all of them together: few, so that the cores are free.
const RATE: f64 = 1_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let program = args.next().ok_or("which photofinish?")?;
    let count: u32 = args.next().ok_or("how many agents?")?.parse()?;
    let begun = Instant::now();
    let agents: Result<Vec<Box<dyn Generator>>, _> = (0..count)
        .map(|number| {
            let mut command = Command::new(&program);
            let name = format!("agent-{number}");
            let remote = Link::start(&name, None, command.arg("agent"), &AtomicBool::default());
            remote.map(|remote| Box::new(Host::from(remote)) as Box<dyn Generator>)
        })
        .collect();
    let agents = agents?;
    let started = begun.elapsed();
    let begun = Instant::now();
    let several = Host::several(agents)?;
    let clocks = begun.elapsed();
    let config = config(count)?;
    let control = Control::default();
    let mut session = several.open(&config, &control)?;
    let (mut apart, mut uncertain, mut longer) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SLICES {
        let begun = Instant::now();
        let outcome = session.slice(&config.slice(), &control)?;
        longer.push(begun.elapsed().saturating_sub(SLICE + config.lead_in));
        let opened = outcome.parts.iter().map(|part| part.outcome.rest().started);
        let opened: Vec<SystemTime> = opened.collect();
        let ends = opened.iter().min().zip(opened.iter().max());
        let (first, last) = ends.ok_or("no part")?;
        apart.push(last.duration_since(*first)?);
        let clocks = outcome.parts.iter().map(|part| part.clock.uncertain);
        uncertain.push(clocks.max().unwrap_or_default());
    }
    println!(
        "{{\"agents\": {count}, \"started_ms\": {:.0}, \"clocks_ms\": {:.1}, \"windows_apart_ms\": {}, \"clock_uncertain_ms\": {}, \"longer_ms\": {}}}",
        ms(started),
        ms(clocks),
        spread(apart),
        spread(uncertain),
        spread(longer)
    );
    Ok(())
}

/// Few requests to a server in this process that sends back what comes.
fn config(connections: u32) -> Result<Config, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let echo = thread::Builder::new().stack_size(64 << 10);
            let _ = echo.spawn(move || echoed(stream));
        }
    });
    let load = Load::Open {
        rate: RATE,
        arrivals: Arrivals::Poisson,
        connections,
    };
    let exchange = Exchange::TcpEcho { size: 8 };
    Ok(Config {
        lead_in: SLICE / 10,
        window: SLICE,
        ..Config::new(address, exchange, load, Until::Elapsed(SLICE))
    })
}

fn echoed(mut stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let mut bytes = [0; 64];
    while let Ok(read @ 1..) = stream.read(&mut bytes) {
        if stream.write_all(&bytes[..read]).is_err() {
            return;
        }
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median and the longest, as JSON.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let longest = times.last().copied().unwrap_or_default();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    format!("[{:.3}, {:.3}]", ms(median), ms(longest))
}
