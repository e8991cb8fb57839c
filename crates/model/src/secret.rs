//! Values that may be secret: what holds them, and the names and places by which text that others wrote is searched for them.

mod known;
mod mask;
mod names;
mod places;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use known::{Quote, remember, remember_environment};
pub use mask::{
    blank, mask, mask_head, mask_json_texts, mask_query, mask_words, masked_header, shown_body,
};
pub use names::{is_likely_secret, is_plain_header, is_secret_name};

/// What is printed in place of a secret.
pub const MASK: &str = "***";

/// A value that may be secret, and where it came from. It prints as `***`, also in JSON; only the stream to an agent carries the value
/// itself.
#[derive(Clone, Default)]
pub struct Secret<T> {
    value: T,
    source: Option<Arc<str>>,
}

impl<T> Secret<T> {
    /// A value from a place with a name, such as `--env-file prod.env` or `${TOKEN}`.
    pub fn from_source(value: T, source: &Arc<str>) -> Secret<T> {
        Secret {
            value,
            source: Some(Arc::clone(source)),
        }
    }

    /// The value itself. Only what builds requests, starts processes, opens connections or computes fingerprints may call this: a
    /// test lists the files.
    pub fn expose(&self) -> &T {
        &self.value
    }

    /// The name of the place where the value came from, if it has one.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The value that is made of this one; it comes from the same place.
    pub fn map<U>(&self, make: impl FnOnce(&T) -> U) -> Secret<U> {
        Secret {
            value: make(&self.value),
            source: self.source.clone(),
        }
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Secret<T> {
        Secret {
            value,
            source: None,
        }
    }
}

impl From<&str> for Secret<String> {
    fn from(value: &str) -> Secret<String> {
        value.to_owned().into()
    }
}

/// Where a value came from makes no difference.
impl<T: PartialEq> PartialEq for Secret<T> {
    fn eq(&self, other: &Secret<T>) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Secret<T> {}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<T> fmt::Display for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<T: Serialize> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() && !EXPOSES.get() {
            true => serializer.serialize_str(MASK),
            false => self.value.serialize(serializer),
        }
    }
}

impl<'d, T: Deserialize<'d>> Deserialize<'d> for Secret<T> {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Secret<T>, D::Error> {
        T::deserialize(deserializer).map(Secret::from)
    }
}

thread_local! {
    /// Whether this thread serialises secrets as what they are.
    static EXPOSES: Cell<bool> = const { Cell::new(false) };
}

/// Serialises with the secrets themselves, for the stream to an agent and for fingerprints. What may call this is restricted as it is for
/// [`Secret::expose`].
pub fn exposing<R>(serialize: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            EXPOSES.set(self.0);
        }
    }
    let _restore = Restore(EXPOSES.replace(true));
    serialize()
}

/// What a record keeps of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretRecord {
    /// What it is, such as `header Authorization of workload shop`.
    pub name: String,
    /// Where it came from, such as `--env-file prod.env` or `${TOKEN}`.
    pub source: String,
    /// Its HMAC-SHA-256 by a key that is not in the results, in hexadecimal; `null` where there was no key.
    pub fingerprint: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_written_as_text() {
        let source = Arc::from("--env-file a");
        let secret = Secret::from_source("canary".to_owned(), &source);
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(
            serde_json::to_string(&[&secret]).expect("JSON"),
            r#"["***"]"#
        );
        assert_eq!(secret.source(), Some("--env-file a"));
        assert_eq!(secret.map(String::len).source(), Some("--env-file a"));
        assert_eq!(
            exposing(|| serde_json::to_string(&secret)).expect("JSON"),
            r#""canary""#
        );
        assert_eq!(serde_json::to_string(&secret).expect("JSON"), r#""***""#);
        assert_eq!(secret, Secret::from("canary"));
        assert_eq!(secret.expose(), "canary");
    }
}
