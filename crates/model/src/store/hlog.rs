//! `latency.hlog`: HdrHistogram's own log format, so that its tools read it.

use std::io;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogWriterBuilder, IntervalLogWriterError, Tag,
};
use hdrhistogram::serialization::{V2DeflateSerializeError, V2DeflateSerializer};
use jiff::Timestamp;

use crate::{Line, Load, Search, Worded};

/// The column of maxima is in milliseconds, as HdrHistogram's own writer has it: 1 ms in ns.
const MAX_DIVISOR: f64 = 1e6;

/// What the file begins with.
pub(super) fn header(started: &str, study: &str) -> Vec<u8> {
    let mut builder = IntervalLogWriterBuilder::new();
    builder
        .add_comment(&format!("[Response times of the study {}]", clean(study)))
        .add_comment("[Histogram log format version 1.3]")
        .add_comment("[Values are in nanoseconds, the column Interval_Max is in milliseconds, times are in seconds since the epoch]")
        .add_comment("[Tag = target/workload/level/round; where a tag comes twice, the last one counts]")
        .with_start_time(time_of(started))
        .with_max_value_divisor(MAX_DIVISOR);
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and nothing is serialised here.
    let _ = builder.begin_log_with(&mut bytes, &mut V2DeflateSerializer::new());
    bytes.extend_from_slice(
        b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
    );
    bytes
}

/// Why a histogram has no line.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unwritten {
    #[error(transparent)]
    Head(io::Error),
    #[error(transparent)]
    Histogram(IntervalLogWriterError<V2DeflateSerializeError>),
}

/// A measurement's line.
pub(super) fn entry(line: &Line, histogram: &Histogram<u64>) -> Result<Vec<u8>, Unwritten> {
    let duration = line.measurement.as_ref().map_or(0.0, |m| m.duration_s);
    let tag = tag(line);
    let mut bytes = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    IntervalLogWriterBuilder::new()
        .with_max_value_divisor(MAX_DIVISOR)
        .begin_log_with(&mut bytes, &mut serializer)
        .map_err(Unwritten::Head)?
        .write_histogram(
            histogram,
            time_of(&line.at)
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default(),
            Duration::try_from_secs_f64(duration).unwrap_or_default(),
            Tag::new(&tag),
        )
        .map_err(Unwritten::Histogram)?;
    // The writer says the divisor anew each time; the file's header has said it.
    let comment = bytes
        .iter()
        .position(|&b| b == b'\n')
        .filter(|_| bytes.starts_with(b"#"));
    Ok(bytes.split_off(comment.map_or(0, |end| end + 1)))
}

/// A measurement's tag in `latency.hlog`: `target/workload/level/round`, such as
/// `quarkus/plaintext/100-connections/3`.
pub fn tag(line: &Line) -> String {
    let level = match &line.load {
        Load::Closed { connections } => format!("{connections}-connections"),
        Load::Open {
            rate,
            arrivals,
            connections,
        } => {
            let arrivals = arrivals.word();
            format!("{rate}-per-s-{arrivals}-{connections}-connections")
        }
        Load::Capacity(Search {
            objective,
            connections,
            ..
        }) => format!("capacity-{}-{connections}-connections", objective.text()),
    };
    // `a b` and `a_b` are two targets; no label has a `%` where others have a space.
    let target = line.target.replace(' ', "%20");
    clean(&format!(
        "{target}/{}/{level}/{}",
        line.workload, line.round
    ))
}

/// The format ends a tag at a comma and a line at a line break, and allows no space in a tag.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == ',' || c.is_whitespace() || c.is_control() {
                '_'
            } else {
                c
            }
        })
        .collect()
}

/// A time that cannot be read counts as the epoch: the log is of use without it.
fn time_of(rfc3339: &str) -> SystemTime {
    rfc3339
        .parse::<Timestamp>()
        .map_or(SystemTime::UNIX_EPOCH, SystemTime::from)
}
