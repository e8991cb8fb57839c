//! Histograms of nanoseconds: how they are made, added and sent to another machine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer as Reader, Serializer as _, V2Serializer};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serializer};

use crate::clock::{Nanos, SECOND};

/// A histogram of nanoseconds with 3 significant digits, that grows when a value beyond a minute comes.
pub fn histogram() -> Histogram<u64> {
    let bounds = Histogram::new_with_bounds(1, 60 * SECOND, 3);
    let mut histogram = bounds.expect("1 ns to a minute with 3 digits are valid bounds");
    histogram.auto(true);
    histogram
}

/// The same for what seldom comes: it takes 16 KiB until it does.
pub fn small() -> Histogram<u64> {
    let mut histogram = Histogram::new(3).expect("3 digits are valid");
    histogram.auto(true);
    histogram
}

/// One in which nothing is ever noted, for where others are put later: it takes no more than some bytes.
pub fn none() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 2, 0).expect("1 to 2 without any digits are valid bounds")
}

/// Notes a time.
#[inline]
pub fn note(histogram: &mut Histogram<u64>, value: Nanos) {
    // The only error would be a value out of range, and the histogram grows.
    let _ = histogram.record(value);
}

/// Adds one to another.
pub fn add(mine: &mut Histogram<u64>, theirs: &Histogram<u64>) {
    if !theirs.is_empty() {
        // Both grow and have the same digits, so that adding cannot fail.
        let _ = mine.add(theirs);
    }
}

/// For serde: HdrHistogram's own binary format (V2), as base64.
pub fn serialize<S: Serializer>(
    histogram: &Histogram<u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    V2Serializer::new()
        .serialize(histogram, &mut bytes)
        .map_err(S::Error::custom)?;
    serializer.serialize_str(&STANDARD.encode(bytes))
}

/// For serde.
pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Histogram<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
    let mut histogram: Histogram<u64> = Reader::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| D::Error::custom(format!("no histogram: {error:?}")))?;
    histogram.auto(true);
    Ok(histogram)
}

/// The same where there may be none.
pub mod optional {
    use serde::Serialize;

    use super::*;

    struct Wrapped<'h>(&'h Histogram<u64>);

    impl Serialize for Wrapped<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            super::serialize(self.0, serializer)
        }
    }

    struct Unwrapped(Histogram<u64>);

    impl<'d> Deserialize<'d> for Unwrapped {
        fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
            super::deserialize(deserializer).map(Unwrapped)
        }
    }

    pub fn serialize<S: Serializer>(
        histogram: &Option<Histogram<u64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        histogram.as_ref().map(Wrapped).serialize(serializer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Option<Histogram<u64>>, D::Error> {
        let histogram = Option::<Unwrapped>::deserialize(deserializer)?;
        Ok(histogram.map(|Unwrapped(histogram)| histogram))
    }
}
