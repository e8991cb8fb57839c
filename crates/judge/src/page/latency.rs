//! Response times by percentile, from `latency.hlog`.

use std::collections::{HashMap, HashSet};
use std::io::{self, Cursor, ErrorKind};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::{DeserializeError, Deserializer};
use hdrhistogram::{AdditionError, Histogram};

use crate::comparison::Comparison;
use photofinish_model::files::Lines;
use photofinish_model::message::Message;
use photofinish_model::store::{LATENCY, Results, tag};
use photofinish_voice::latency as found;

use super::{cell, four_digits, target};

/// The most bytes of an entry: ten times what a histogram of three digits over nine decades takes.
const LONGEST_LINE: usize = 8 << 20;

/// Points for each nine: 90% to 99% is one, 99% to 99.9% the next.
const POINTS_PER_NINE: u32 = 10;

/// The most nines that are drawn.
const MOST_NINES: u32 = 7;

/// The percentiles of the table, as shares.
const TABLE: [f64; 7] = [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];

const NS_PER_US: f64 = 1000.0;

/// The response times of one target in one cell, the histograms of its rounds added.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The cell.
    pub cell: usize,
    /// The target.
    pub target: usize,
    /// The rounds that were added.
    pub rounds: usize,
    /// The response times in it.
    pub count: u64,
    /// The points that are drawn: the k-th is the time within which a share of 1 − 10^(−k/10) of the
    /// responses came, in microseconds with four significant digits.
    pub curve_us: Vec<f64>,
    /// The longest, in microseconds.
    pub max_us: f64,
    /// The percentiles of the table; those beyond the last response but one are left out.
    pub percentiles: Vec<Percentile>,
}

/// One percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// The share of the responses, such as 0.99.
    pub share: f64,
    /// The time within which they came, in microseconds.
    pub us: f64,
}

/// Adds up the histograms of each cell and target.
pub(super) fn read(
    results: &Results,
    comparison: &Comparison,
) -> (Vec<Distribution>, Option<Message>) {
    let none = |problem| (Vec::new(), Some(problem));
    let wanted: HashSet<String> = results.lines.iter().map(tag).collect();
    let mut problem = None;
    let entries = match entries(&results.dir.join(LATENCY), &wanted, &mut problem) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return none(found::not_there(LATENCY));
        }
        Err(error) => return none(found::unreadable(LATENCY, &error)),
    };
    let mut sums: HashMap<(usize, usize), (usize, Histogram<u64>)> = HashMap::new();
    for line in results.lines.iter().filter(|l| l.measurement.is_some()) {
        let place = cell(comparison, &line.workload, &line.load).zip(target(results, &line.target));
        let (Some(place), Some(encoded)) = (place, entries.get(&tag(line))) else {
            continue;
        };
        match decode(encoded).and_then(|histogram| add(&mut sums, place, histogram)) {
            Ok(()) => {}
            Err(error) => {
                problem = Some(found::entry(LATENCY, tag(line), &error));
            }
        }
    }
    let mut distributions: Vec<Distribution> = sums
        .into_iter()
        .filter(|(_, (_, histogram))| !histogram.is_empty())
        .map(|((cell, target), (rounds, histogram))| distribution(cell, target, rounds, &histogram))
        .collect();
    distributions.sort_by_key(|d| (d.cell, d.target));
    (distributions, problem)
}

/// The encoded histograms of the wanted tags; of several with one tag the last counts.
fn entries(
    path: &Path,
    wanted: &HashSet<String>,
    problem: &mut Option<Message>,
) -> io::Result<HashMap<String, String>> {
    let mut lines = Lines::open(path, LONGEST_LINE)?;
    let mut entries = HashMap::new();
    while let Some((_, line)) = lines.next_line()? {
        for entry in IntervalLogIterator::new(line) {
            match entry {
                Ok(LogEntry::Interval(interval)) => {
                    let tag = interval.tag().map(|tag| tag.as_str());
                    if let Some(tag) = tag.filter(|tag| wanted.contains(*tag)) {
                        entries.insert(tag.to_owned(), interval.encoded_histogram().to_owned());
                    }
                }
                Ok(_) => {}
                // A last line that was torn when the run was killed is no fault.
                Err(_) if !line.ends_with(b"\n") => {}
                Err(_) => *problem = Some(found::line(LATENCY)),
            }
        }
    }
    Ok(entries)
}

/// Why an entry says nothing.
#[derive(Debug, thiserror::Error)]
enum BadEntry {
    #[error(transparent)]
    Base64(#[from] base64::DecodeError),
    #[error(transparent)]
    Histogram(#[from] DeserializeError),
    #[error(transparent)]
    Sum(#[from] AdditionError),
}

fn decode(encoded: &str) -> Result<Histogram<u64>, BadEntry> {
    let bytes = STANDARD.decode(encoded)?;
    Ok(Deserializer::new().deserialize(&mut Cursor::new(bytes))?)
}

fn add(
    sums: &mut HashMap<(usize, usize), (usize, Histogram<u64>)>,
    place: (usize, usize),
    histogram: Histogram<u64>,
) -> Result<(), BadEntry> {
    match sums.get_mut(&place) {
        Some((rounds, sum)) => {
            sum.auto(true);
            sum.add(&histogram)?;
            *rounds += 1;
        }
        None => {
            sums.insert(place, (1, histogram));
        }
    }
    Ok(())
}

fn distribution(
    cell: usize,
    target: usize,
    rounds: usize,
    histogram: &Histogram<u64>,
) -> Distribution {
    let count = histogram.len();
    let us = |share: f64| histogram.value_at_quantile(share) as f64 / NS_PER_US;
    // Beyond this share fewer than one response is left: what is there is the maximum.
    let reported = |left: f64| left * count as f64 >= 1.0;
    let curve_us = (0..=POINTS_PER_NINE * MOST_NINES)
        .map(|k| 10f64.powf(-f64::from(k) / f64::from(POINTS_PER_NINE)))
        .take_while(|&left| reported(left * (1.0 + 1e-9)))
        .map(|left| four_digits(us(1.0 - left)))
        .collect();
    let percentiles = TABLE
        .into_iter()
        .filter(|share| reported((1.0 - share) * (1.0 + 1e-9)))
        .map(|share| Percentile {
            share,
            us: us(share),
        })
        .collect();
    Distribution {
        cell,
        target,
        rounds,
        count,
        curve_us,
        max_us: histogram.max() as f64 / NS_PER_US,
        percentiles,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use photofinish_model::samples;
    use photofinish_model::store::Store;

    /// 1 to 1,000 µs, each once.
    fn uniform() -> Histogram<u64> {
        let mut histogram = Histogram::new(3).expect("three digits");
        for us in 1..=1000u64 {
            histogram.record(us * 1000).expect("in range");
        }
        histogram
    }

    #[test]
    fn histograms_of_all_rounds_are_added() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("run");
        let race = samples::race(&["a,b"], &[&[100.0, 110.0]]);
        let mut store =
            Store::create(&dir, &race.study, &race.environment, "").expect("a new folder");
        for line in &race.lines {
            store.add_line(line, Some(&uniform())).expect("a line");
        }
        let results = Results::read(&dir).expect("a results folder");
        let read = read(&results, &Comparison::from(&results));
        assert_eq!(read.1, None);
        let [reported] = read.0.as_slice() else {
            panic!("one cell and target: {:?}", read.0);
        };
        assert_eq!((reported.rounds, reported.count), (2, 2000));
        // 2,000 responses: 10^-3.3 of them is one, so the points 0 to 33.
        assert_eq!(reported.curve_us.len(), 34);
        let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.002;
        assert!(
            near(reported.curve_us[10], 900.0),
            "{:?}",
            reported.curve_us
        );
        assert!(near(reported.percentiles[0].us, 500.0));
        assert!(near(reported.max_us, 1000.0));
        let shares: Vec<f64> = reported.percentiles.iter().map(|p| p.share).collect();
        assert_eq!(shares, [0.5, 0.9, 0.95, 0.99, 0.999]);
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut race = samples::race(&["a"], &[&[100.0]]);
        race.dir = folder.path().to_owned();
        let comparison = Comparison::from(&race);
        let reported = read(&race, &comparison);
        assert_eq!(reported.1, Some(found::not_there(LATENCY)));
        let tag = tag(&race.lines[0]);
        let line = format!("Tag={tag},0.000,1.000,1.0,AAAA\n");
        fs::write(folder.path().join(LATENCY), line).expect("written");
        let reported = read(&race, &comparison);
        let problem = reported.1.expect("a problem");
        assert_eq!(problem.id, "latency.entry");
        assert!(problem.en.contains(&tag), "{}", problem.en);
        assert_eq!(reported.0, []);
    }
}
