//! `photofinish load`.

use std::fs;
use std::time::Duration;

use photofinish_lab::load_config::{Arrivals, Stage, Until};
use photofinish_lab::study::parse_size;
use photofinish_lab::{LoadOptions, OpenLoop, load_once};

use crate::args::{ArrivalsArg, LoadArgs};
use crate::commands::report::{colour, width};
use crate::commands::server::duration;
use crate::exit::Failure;
use crate::live::Live;
use crate::{out, signals};

const DEFAULT_DURATION: Duration = Duration::from_secs(10);

pub fn load(args: &LoadArgs) -> Result<(), Failure> {
    let options = options(args)?;
    let interrupt =
        signals::interrupt().map_err(|e| Failure::run(format!("cannot watch for Ctrl-C: {e}")))?;
    let seconds = match options.until {
        Until::Elapsed(time) => Some(time.as_secs_f64()),
        Until::Requests(_) => None,
    };
    let mut live = Live::new(seconds);
    let measured = load_once(&options, &mut |window| live.window(window), &interrupt);
    live.end();
    let measurement = measured.map_err(Failure::from)?;
    if args.json {
        out::result(&photofinish_report::measurement_json(&measurement))?;
    } else {
        out::result(&photofinish_report::load_summary(
            &measurement,
            width(),
            colour(),
        ))?;
    }
    let bad: u64 = measurement.errors.values().sum();
    if measurement.requests > 0 && bad >= measurement.requests {
        let kinds: Vec<&str> = measurement.errors.keys().map(String::as_str).collect();
        return Err(Failure::run(format!(
            "no request was answered as it should be ({}); nothing can be said of this server's speed",
            kinds.join(", ")
        )));
    }
    Ok(())
}

fn options(args: &LoadArgs) -> Result<LoadOptions, Failure> {
    let request = &args.request;
    let span = args
        .duration
        .as_deref()
        .map(|t| duration("--duration", t))
        .transpose()?;
    let span = span.unwrap_or(DEFAULT_DURATION);
    if span.is_zero() {
        return Err(Failure::request(
            "--duration 0: give a time above zero, such as 10s",
        ));
    }
    if args.requests == Some(0) {
        return Err(Failure::request("-n 0: give at least one request"));
    }
    if args.connections == 0 {
        return Err(Failure::request("-c 0: give at least one connection"));
    }
    if args.threads == Some(0) {
        return Err(Failure::request("--threads 0: give at least one thread"));
    }
    let timeout = duration("--timeout", &request.timeout)?;
    if timeout.is_zero() {
        return Err(Failure::request(
            "--timeout 0: give a time above zero, such as 10s",
        ));
    }
    if request.method.is_empty() || !request.method.chars().all(token) {
        return Err(Failure::request(format!(
            "--method '{}': this is not a method; give one such as GET or POST",
            request.method
        )));
    }
    let open = args.rate.map(|rate| {
        if !rate.is_finite() || rate <= 0.0 {
            return Err(Failure::request(format!(
                "--rate {rate}: give requests per second, above zero"
            )));
        }
        Ok(OpenLoop {
            arrivals: match args.arrivals {
                ArrivalsArg::Poisson => Arrivals::Poisson,
                ArrivalsArg::Constant => Arrivals::Constant,
            },
            stages: vec![Stage {
                duration: span,
                from: rate,
                to: rate,
            }],
        })
    });
    Ok(LoadOptions {
        url: args.url.clone(),
        size: args.size.as_deref().map(size).transpose()?,
        method: request.method.clone(),
        headers: request
            .headers
            .iter()
            .map(|h| header(h))
            .collect::<Result<_, _>>()?,
        body: named_bytes("--body", request.body.as_deref())?,
        expect_status: request.expect_status,
        expect_body: request
            .expect_body
            .as_deref()
            .map(|text| bytes("--expect-body", text))
            .transpose()?,
        timeout,
        connections: args.connections,
        until: args.requests.map_or(Until::Elapsed(span), Until::Requests),
        lead_in: Duration::ZERO,
        open: open.transpose()?,
        threads: args.threads,
        allow_remote: args.allow_remote,
        seed: args.seed.unwrap_or(1),
    })
}

/// What methods and the names of headers are made of (RFC 9110, 5.6.2).
fn token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// A header as it is given to -H.
fn header(text: &str) -> Result<(String, String), Failure> {
    let wrong = |problem: &str| {
        Failure::request(format!("-H '{text}': {problem}; write it as 'Name: value'"))
    };
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| wrong("there is no colon"))?;
    if name.is_empty() || !name.chars().all(token) {
        return Err(wrong("this is not a header's name"));
    }
    let value = value.trim();
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(wrong("the value holds a control character"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// What a flag gives as text, or as @FILE.
pub fn bytes(flag: &str, text: &str) -> Result<Vec<u8>, Failure> {
    match text.strip_prefix('@') {
        Some(file) => {
            fs::read(file).map_err(|e| Failure::request(format!("{flag}: cannot read {file}: {e}")))
        }
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// The same, where the flag may be missing.
pub fn named_bytes(flag: &str, text: Option<&str>) -> Result<Vec<u8>, Failure> {
    text.map_or_else(|| Ok(Vec::new()), |text| bytes(flag, text))
}

/// A message's size.
fn size(text: &str) -> Result<usize, Failure> {
    let bytes = parse_size(text).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| {
        Failure::request(format!(
            "--size {text}: give 1 byte to 16m, such as 300, 1k (1024 bytes) or 16m"
        ))
    })
}
