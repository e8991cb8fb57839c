//! `photofinish load`.

use std::time::Duration;

use photofinish_judge::limit::{self, Limit};
use photofinish_judge::threshold::Status;
use photofinish_lab::{LoadOptions, Loaded, load_once};
use photofinish_load::{Config, Until};
use photofinish_model::duration::format_duration;
use photofinish_model::settings::Undecided;
use photofinish_model::{Load, Measurement, Stage, check};
use photofinish_voice::errors;

use crate::args::{GeneratorArgs, LoadArgs, RequestArgs, detail};
use crate::ci::comes_of;
use crate::commands::server::{duration, load_duration};
use crate::commands::stages;
use crate::exit::Failure;
use crate::live::LoadProgress;
use crate::request::{asked, over_http2};
use crate::screen::screen;
use crate::{out, process};

const DEFAULT_DURATION: Duration = Duration::from_secs(10);

pub fn load(args: &LoadArgs) -> Result<(), Failure> {
    let options = options(args)?;
    let limits = limits(&args.fail_if)?;
    let interrupt = process::interrupt()?;
    let length = match options.until {
        Until::Elapsed(time) => Some(time),
        Until::Requests(_) => None,
    };
    let detail = detail(&args.detail.all);
    out::rivals(args.detail.all.quiet);
    let mut live = LoadProgress::new(length, args.detail.all.quiet);
    let loaded = load_once(&options, &mut |window| live.window(window), &interrupt);
    live.end();
    let Loaded {
        measurement,
        latency_ns,
        led_to,
        ..
    } = loaded.map_err(Failure::from)?;
    out::redirected(led_to.as_deref());
    if args.json.all.json {
        out::result(&photofinish_report::json(&measurement))?;
    } else {
        let text = photofinish_report::load(&measurement, &latency_ns, detail, screen());
        out::result(&text)?;
    }
    if let Some(why) = nothing_measured(&measurement) {
        return Err(Failure::run(why));
    }
    if let Some(says) = unavailable(&measurement) {
        out::note(&says);
        return Err(Failure::Condition);
    }
    // Each of them says what came of it.
    let undecided = args.undecided;
    let failed = (limits.iter().enumerate())
        .filter(|(at, limit)| fails(limit, *at < args.fail_if.len(), &measurement, undecided));
    match failed.count() {
        0 => Ok(()),
        _ => Err(Failure::Condition),
    }
}

/// Returns for how long the server was not there; `None` if it always was.
fn unavailable(measurement: &Measurement) -> Option<String> {
    let check = measurement.check(check::AVAILABLE)?;
    let says = check.says.as_ref().filter(|_| check.ok == Some(false))?;
    Some(format!("the server was {}", says.en))
}

/// Returns why there is no figure of the server's speed; `None` if there is one. Responses that came after the window have response times.
fn nothing_measured(measurement: &Measurement) -> Option<String> {
    let failures = measurement.failures_by_kind();
    if measurement.without_port() > 0 {
        let first = measurement.first_error.as_ref();
        let first = first.map_or(String::new(), |first| {
            format!("; the first error: {}", first.says)
        });
        return Some(format!(
            "the load generator ran out of local ports, so this says nothing about the server's speed{first}"
        ));
    }
    if measurement.throughput_rps > 0.0 || (failures.is_empty() && measurement.drained > 0) {
        return None;
    }
    let first = measurement.first_error.as_ref();
    let first = first.map_or(String::new(), |first| {
        format!("; the first: {}", first.says)
    });
    if failures.is_empty() {
        return Some(format!(
            "no request was sent, so nothing was measured: none fell due in the window, or no connection took one{first}; measure for longer (-d)"
        ));
    }
    let kinds = errors::counted(&failures).into_iter();
    let kinds: Vec<String> = kinds.map(|kind| kind.en).collect();
    let kinds = kinds.join(", ");
    Some(format!(
        "no response was as expected ({kinds}): this says nothing about the server's speed{first}"
    ))
}

/// The limits that were asked for, and then one of errors where none of them is.
fn limits(texts: &[String]) -> Result<Vec<Limit>, Failure> {
    let read = |text: &str| {
        Limit::parse(text).map_err(|error| Failure::request(format!("--fail-if '{text}': {error}")))
    };
    let mut limits: Vec<Limit> = (texts.iter())
        .map(|text| read(text))
        .collect::<Result<_, _>>()?;
    if !limits.iter().any(Limit::is_of_errors) {
        limits.push(read(limit::ERRORS)?);
    }
    Ok(limits)
}

/// Whether a limit fails the run; says so, and what came of those that were `asked` for.
fn fails(limit: &Limit, asked: bool, measurement: &Measurement, undecided: Undecided) -> bool {
    let (status, says) = limit.check(measurement);
    let (fails, comes_of) = match status {
        Status::Holds => (true, String::new()),
        Status::DoesNotHold => (false, String::new()),
        Status::Undecided => (
            asked && undecided == Undecided::Fail,
            format!(" ({})", comes_of(undecided)),
        ),
        // A gate that has judged nothing guards nothing.
        Status::Void => (asked, " (nothing was judged; the job fails)".to_owned()),
    };
    if fails || asked {
        let word = status.word();
        let text = limit.text();
        out::note(&format!("--fail-if '{text}': {word}: {says}{comes_of}"));
    }
    fails
}

fn options(args: &LoadArgs) -> Result<LoadOptions, Failure> {
    let stages = args.stages.as_deref().map(stages::stages).transpose()?;
    let span = match (&stages, args.duration.as_deref()) {
        (Some(stages), _) => Stage::total(stages),
        (None, Some(text)) => load_duration("--duration", text)?,
        (None, None) => DEFAULT_DURATION,
    };
    if args.requests == Some(0) {
        return Err(Failure::request("-n 0: give at least one request"));
    }
    if let Some(rate) = args.rate
        && !(rate.is_finite() && rate > 0.0)
    {
        return Err(Failure::request(format!(
            "--rate {rate}: give requests per second, above zero"
        )));
    }
    let stages = stages.unwrap_or_default();
    // Of a rate that changes the mean is on record.
    let rate = match stages.is_empty() {
        true => args.rate,
        false => Some(Stage::mean_rate(&stages)),
    };
    let connections = args.generator.connections;
    Ok(LoadOptions {
        until: args.requests.map_or(Until::Elapsed(span), Until::Requests),
        load: match rate {
            None => Load::Closed { connections },
            Some(rate) => Load::Open {
                rate,
                arrivals: args.open_loop.all.arrivals,
                connections,
            },
        },
        stages,
        batch: args.batch.as_deref().map_or(Ok(Duration::ZERO), batch)?,
        ..shared_options(&args.url, &args.request, &args.generator)?
    })
}

/// Reads `--batch`.
fn batch(text: &str) -> Result<Duration, Failure> {
    let time = duration("--batch", text)?;
    match time <= Config::LONGEST_BATCH {
        true => Ok(time),
        false => Err(Failure::request(format!(
            "--batch {text}: give at most {}",
            format_duration(Config::LONGEST_BATCH)
        ))),
    }
}

/// What is sent, to whom and by what: a closed loop of the default duration, until the caller says otherwise.
pub fn shared_options(
    url: &str,
    request: &RequestArgs,
    generator: &GeneratorArgs,
) -> Result<LoadOptions, Failure> {
    if generator.connections == 0 {
        return Err(Failure::request("-c 0: give at least one connection"));
    }
    if generator.threads == Some(0) {
        return Err(Failure::request("--threads 0: give at least one thread"));
    }
    if !over_http2(request).is_empty() {
        return Err(Failure::request(
            "--http2: names are for `compare`, where other servers are asked over HTTP/1.1; write --http2 alone",
        ));
    }
    // As other load generators do.
    let url = match url.contains("://") {
        true => url.to_owned(),
        false => format!("http://{url}"),
    };
    Ok(LoadOptions {
        flags: asked(request, Some(&url))?,
        url,
        unix_socket: request.unix_socket.clone(),
        load: Load::Closed {
            connections: generator.connections,
        },
        stages: Vec::new(),
        until: Until::Elapsed(DEFAULT_DURATION),
        lead_in: Duration::ZERO,
        threads: generator.threads,
        batch: Duration::ZERO,
        allow_remote: generator.allow_remote,
        seed: generator.seed.unwrap_or(1),
    })
}
