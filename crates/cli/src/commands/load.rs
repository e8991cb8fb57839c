//! `photofinish load`.

use std::fs;
use std::time::Duration;

use photofinish_lab::load_config::{Arrivals, Stage, Until};
use photofinish_lab::{LoadOptions, OpenLoop, load_once};

use crate::args::{ArrivalsArg, LoadArgs};
use crate::commands::report::{colour, width};
use crate::commands::server::duration;
use crate::exit::Failure;
use crate::live::Live;
use crate::signals;

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
        println!("{}", photofinish_report::measurement_json(&measurement));
    } else {
        println!(
            "{}",
            photofinish_report::load_summary(&measurement, width(), colour()).trim_end()
        );
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
        timeout: duration("--timeout", &request.timeout)?,
        connections: args.connections,
        until: args.requests.map_or(Until::Elapsed(span), Until::Requests),
        lead_in: Duration::ZERO,
        open: open.transpose()?,
        threads: args.threads,
        allow_remote: args.allow_remote,
        seed: args.seed.unwrap_or(1),
    })
}

/// A header as it is given to -H.
fn header(text: &str) -> Result<(String, String), Failure> {
    let wrong = |problem: &str| {
        Failure::request(format!("-H '{text}': {problem}; write it as 'Name: value'"))
    };
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| wrong("there is no colon"))?;
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
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
