//! Outcomes that take little memory, for those of which there are many.
//!
//! A histogram of nanoseconds up to a minute has 27,648 bins of 8 bytes; a slice fills a few thousand of them, most with a few requests.

use std::cmp::Ordering;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use super::{Late, Lost, Opening, Outcome};
use crate::histogram;

/// An outcome of whose histograms only those bins are kept in which something is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compact {
    /// All else, with histograms in their places that nothing can be noted in: six empty ones with their digits are 100 KB.
    rest: Outcome,
    /// The histograms, in the order of [`histograms`].
    bins: Vec<Bins>,
}

/// The bins of a histogram in which something is, rising: of each how far its value is from that of the one before and how many are in it, as
/// numbers of 7 bits a byte, the lowest first. Most of them are small.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Bins(Vec<u8>);

/// A bin: a value of it, and how many there are.
type Bin = (u64, u64);

impl Bins {
    fn of(histogram: &Histogram<u64>) -> Bins {
        let recorded = histogram.iter_recorded();
        recorded
            .map(|bin| (bin.value_iterated_to(), bin.count_at_value()))
            .collect()
    }

    fn histogram(&self) -> Histogram<u64> {
        let mut histogram = histogram::small();
        for (value, count) in self.iter() {
            // As in `histogram::note`.
            let _ = histogram.record_n(value, count);
        }
        histogram
    }

    fn iter(&self) -> impl Iterator<Item = Bin> {
        let mut bytes = self.0.iter().copied();
        let mut value = 0_u64;
        std::iter::from_fn(move || {
            value = value.wrapping_add(number(&mut bytes)?);
            Some((value, number(&mut bytes)?))
        })
    }

    /// Adds those of another histogram with the same bins.
    fn add(&mut self, other: &Bins) {
        if other.0.is_empty() {
            return;
        }
        let own = std::mem::take(self);
        let (mut mine, mut theirs) = (own.iter().peekable(), other.iter().peekable());
        let sum = std::iter::from_fn(|| match (mine.peek(), theirs.peek()) {
            (Some(one), Some(other)) => match one.0.cmp(&other.0) {
                Ordering::Less => mine.next(),
                Ordering::Greater => theirs.next(),
                Ordering::Equal => {
                    let ((value, one), (_, other)) = (mine.next()?, theirs.next()?);
                    Some((value, one + other))
                }
            },
            (Some(_), None) => mine.next(),
            (None, _) => theirs.next(),
        });
        *self = sum.collect();
    }
}

impl FromIterator<Bin> for Bins {
    fn from_iter<T: IntoIterator<Item = Bin>>(bins: T) -> Bins {
        let (mut bytes, mut before) = (Vec::new(), 0);
        for (value, count) in bins {
            for mut number in [value - before, count] {
                while number > 0x7f {
                    bytes.push(number as u8 | 0x80);
                    number >>= 7;
                }
                bytes.push(number as u8);
            }
            before = value;
        }
        bytes.shrink_to_fit();
        Bins(bytes)
    }
}

/// The next number; `None` at the end.
fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}

impl From<Outcome> for Compact {
    fn from(outcome: Outcome) -> Compact {
        let mut rest = outcome;
        let bins = histograms(&mut rest).into_iter().map(|histogram| {
            let bins = Bins::of(histogram);
            *histogram = histogram::none();
            bins
        });
        let bins = bins.collect();
        Compact { rest, bins }
    }
}

impl Compact {
    /// All but the histograms, which are empty here.
    pub fn rest(&self) -> &Outcome {
        &self.rest
    }

    /// As it was.
    pub fn outcome(&self) -> Outcome {
        let mut outcome = self.rest.clone();
        for (histogram, bins) in histograms(&mut outcome).into_iter().zip(&self.bins) {
            *histogram = bins.histogram();
        }
        outcome
    }

    /// Adds what came of another slice of the same session, as [`Outcome::add`] does.
    pub fn add(&mut self, other: &Compact) {
        let is_plain = |one: &Compact| one.rest.lost.is_none() && one.rest.late.is_none();
        if is_plain(self) && is_plain(other) && self.bins.len() == other.bins.len() {
            self.rest.add(&other.rest);
            for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
                mine.add(theirs);
            }
            return;
        }
        // What is made of lost requests, and whether there is a lag, is for the whole.
        let mut all = self.outcome();
        all.add(&other.outcome());
        *self = Compact::from(all);
    }
}

/// The histograms of an outcome, without those of its parts.
fn histograms(outcome: &mut Outcome) -> Vec<&mut Histogram<u64>> {
    let Outcome {
        latency,
        service,
        lost,
        late,
        lag,
        opening,
        ..
    } = outcome;
    let Opening {
        connect,
        full,
        resumed,
    } = opening;
    let mut all = vec![latency, service, connect, full, resumed];
    all.extend(lag);
    if let Some(Lost {
        latency,
        service,
        waited,
        waited_since_sent,
    }) = lost
    {
        all.extend([latency, waited, waited_since_sent]);
        all.extend(service);
    }
    if let Some(Late {
        latency,
        without,
        unsent,
        longest: _,
    }) = late
    {
        all.extend([latency, without, unsent]);
    }
    all
}
