//! Data that travel in a form of their own.

use std::fmt;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2Serializer};
use photofinish_model::secret::exposing;
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The largest reply, in bytes: more than a log of 8 MiB.
pub(crate) const LARGEST_REPLY: usize = 32 << 20;

/// Something whose form is made for people; it travels as JSON.
pub struct Json<T>(Result<T, String>);

/// Without the value, in which secrets are.
impl<T> fmt::Debug for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Json")
    }
}

impl<T> From<T> for Json<T> {
    fn from(value: T) -> Json<T> {
        Json(Ok(value))
    }
}

impl<T> Json<T> {
    /// Returns the value.
    ///
    /// # Errors
    /// If what arrived is something else.
    pub(crate) fn read(self) -> Result<T, Error> {
        self.0.map_err(Error::Config)
    }
}

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // What cannot be written is empty, which cannot be read: the other side says so.
        let text = exposing(|| serde_json::to_string(self.0.as_ref().ok()?).ok());
        to.serialize_str(&text.unwrap_or_default())
    }
}

impl<'d, T: DeserializeOwned> Deserialize<'d> for Json<T> {
    fn deserialize<D: serde::Deserializer<'d>>(from: D) -> Result<Json<T>, D::Error> {
        let read = serde_json::from_str(&String::deserialize(from)?);
        Ok(Json(read.map_err(|error| error.to_string())))
    }
}

/// Times in nanoseconds; they travel in HdrHistogram's own format.
#[derive(Debug)]
pub struct Times(pub Histogram<u64>);

impl Serialize for Times {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        let written = V2Serializer::new().serialize(&self.0, &mut bytes);
        written.map_err(S::Error::custom)?;
        bytes.serialize(to)
    }
}

impl<'d> Deserialize<'d> for Times {
    fn deserialize<D: serde::Deserializer<'d>>(from: D) -> Result<Times, D::Error> {
        let bytes = Vec::<u8>::deserialize(from)?;
        let read = Deserializer::new().deserialize(&mut &bytes[..]);
        read.map(Times).map_err(D::Error::custom)
    }
}
