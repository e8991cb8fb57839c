//! `photofinish server`.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::time::Duration;

use photofinish_host::Host;
use photofinish_model::Address;
use photofinish_model::SHORTEST_LOAD;
use photofinish_model::duration::{format_duration, parse_duration};
use photofinish_servers::{Delays, Kind, Spoken, Tls};

use crate::args::{KindArg, ServerArgs};
use crate::exit::Failure;
use crate::foreign;
use crate::outputs;

/// A request may cost eleven times what it does by itself.
const MOST: f64 = 10.0;

pub fn server(args: &ServerArgs) -> Result<(), Failure> {
    let slower = args.slower.as_deref().map(share).transpose()?;
    let kind = match args.kind {
        KindArg::EventLoop => Kind::EventLoop {
            threads: args
                .threads
                .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
                .unwrap_or(1),
            slower,
        },
        KindArg::ThreadPerConnection => Kind::ThreadPerConnection { slower },
        KindArg::Delay | KindArg::WebSocketEcho | KindArg::GrpcEcho if slower.is_some() => {
            return Err(Failure::request(
                "--slower: the delay server's times are stated by --delay and --slow, and an echo has no work to add to; use it with event-loop or thread-per-connection",
            ));
        }
        KindArg::WebSocketEcho => Kind::WebSocketEcho,
        KindArg::GrpcEcho => Kind::GrpcEcho,
        KindArg::Delay => Kind::Delay(Delays {
            usual: duration("--delay", &args.delay)?,
            slow: duration("--slow", &args.slow)?,
            slow_one_in: args.slow_one_in,
            freeze_after: args
                .freeze_after
                .as_deref()
                .map(|t| duration("--freeze-after", t))
                .transpose()?,
            freeze_for: duration("--freeze-for", &args.freeze_for)?,
        }),
    };
    let address = match &args.unix_socket {
        None => Ok(SocketAddr::new(args.host, args.port).into()),
        Some(path) => Address::unix(path),
    };
    let address = address.map_err(|error| Failure::request(format!("--unix-socket: {error}")))?;
    let tls = args
        .tls
        .then(|| Tls::new(args.host, args.http2 || kind == Kind::GrpcEcho))
        .transpose();
    let tls = tls.map_err(|error| Failure::run(error.to_string()))?;
    if let (Some(tls), Some(file)) = (&tls, &args.ca) {
        let wrong = |why| Failure::request(format!("--ca {}: {why}", file.display()));
        outputs::writable(file).map_err(wrong)?;
        outputs::write(file, &tls.issuer)?;
    }
    let scheme = match kind {
        Kind::WebSocketEcho if tls.is_some() => "wss",
        Kind::WebSocketEcho => "ws",
        Kind::GrpcEcho if tls.is_some() => "grpcs",
        Kind::GrpcEcho => "grpc",
        _ if tls.is_some() => "https",
        _ => "http",
    };
    let spoken = Spoken {
        tls,
        http2: args.http2,
        websocket: args.websocket,
    };
    photofinish_servers::serve(&kind, &address, &spoken, |address| {
        // Whoever waits for this line must get it at once; if nobody reads, the server serves on.
        let mut out = std::io::stdout();
        let host = address.authority();
        let over = match address {
            Address::Tcp(_) => String::new(),
            Address::Unix(path) => format!(" over the Unix socket {}", path.display()),
        };
        let _ = writeln!(out, "listening on {scheme}://{host}{over}").and_then(|()| out.flush());
    })
    .map_err(|error| match error {
        photofinish_servers::Error::Listen {
            ref address,
            ref source,
        } if source.kind() == ErrorKind::AddrInUse => Failure::run(taken(address, &error)),
        error @ photofinish_servers::Error::NoTls => Failure::request(format!("--tls: {error}")),
        error @ photofinish_servers::Error::NoHttp2 => {
            Failure::request(format!("--http2: {error}"))
        }
        error @ photofinish_servers::Error::NoWebSocket => {
            Failure::request(format!("--websocket: {error}"))
        }
        error => Failure::run(format!("failed to serve: {error}")),
    })
}

/// Who is in the way.
fn taken(address: &Address, error: &photofinish_servers::Error) -> String {
    let holder = std::env::current_exe()
        .ok()
        .and_then(|program| Host::local(program).holder(address.clone()));
    match holder {
        Some(holder) => {
            let (what, how) = match address {
                Address::Tcp(_) => ("port", "another port with --port"),
                Address::Unix(_) => ("socket", "another path with --unix-socket"),
            };
            format!(
                "cannot listen on {address}: the {what} is taken by {}; end that, or choose {how}",
                holder
            )
        }
        None => error.to_string(),
    }
}

/// What `--slower` states, as a share of a request's own CPU time.
fn share(text: &str) -> Result<f64, Failure> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text),
    };
    share
        .filter(|share| (0.0..=MOST).contains(share))
        .ok_or_else(|| {
            Failure::request(format!(
                "--slower {text}: state a share of a request's own CPU time from 0% to 1000%, such as 1.5%"
            ))
        })
}

/// The longest time that a flag may give, some 31 years: what is longer no clock can be set to.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// A time given by a flag; a number alone is seconds, as wrk and hey take it.
pub fn duration(flag: &str, text: &str) -> Result<Duration, Failure> {
    if flag == "--duration" && foreign::is_body(text) {
        return Err(Failure::request(foreign::BODY));
    }
    let number = text.trim().parse::<f64>().ok();
    let time = match number.and_then(|s| Duration::try_from_secs_f64(s).ok()) {
        Some(seconds) => seconds,
        None => {
            parse_duration(text).map_err(|e| Failure::request(format!("{flag} {text}: {e}")))?
        }
    };
    match time <= LONGEST {
        true => Ok(time),
        false => Err(Failure::request(format!(
            "{flag} {text}: it is longer than {} s; give a shorter time",
            LONGEST.as_secs()
        ))),
    }
}

/// A time given by a flag for which load flows.
pub fn load_duration(flag: &str, text: &str) -> Result<Duration, Failure> {
    let time = duration(flag, text)?;
    match time >= SHORTEST_LOAD {
        true => Ok(time),
        false => Err(Failure::request(format!("{flag} {text}: {}", too_short()))),
    }
}

/// What is wrong with a time that is too short for load.
pub fn too_short() -> String {
    format!(
        "it is too short to measure load; give at least {}, such as 10s",
        format_duration(SHORTEST_LOAD)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage_or_a_number() {
        for (text, wanted) in [("1.5%", 0.015), ("0", 0.0), (" 20 % ", 0.2), ("0.5", 0.5)] {
            assert_eq!(share(text).ok(), Some(wanted), "{text}");
        }
        for wrong in ["", "%", "-1%", "NaN%", "inf", "1001%", "1,5%"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_alone_is_seconds() {
        let read = |text| duration("-d", text).ok();
        assert_eq!(read("5"), Some(Duration::from_secs(5)));
        assert_eq!(read("0"), Some(Duration::ZERO));
        assert_eq!(read("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(read("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(read("1e9"), Some(LONGEST));
        for wrong in [
            "",
            "-1",
            "NaN",
            "inf",
            "1e30",
            "soon",
            "5x",
            "1e18",
            "1000000000.1",
            "9999999h",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
