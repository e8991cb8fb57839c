//! The words of `layouts/headings.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Words that make a heading one of a kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    parts: Vec<String>,
    words: Vec<String>,
    whole: Vec<String>,
    not: Vec<String>,
}

/// The words of each kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headings {
    /// Names of servers.
    pub server: Words,
    /// What all servers of a group did.
    pub task: Words,
    /// A moment of a run.
    pub moment: Words,
    /// Connections of the clients.
    pub connections: Words,
    /// Connections of something else.
    pub others_connections: Words,
    /// Threads of the clients.
    pub threads: Words,
    /// Threads of the clients or the server.
    pub any_threads: Words,
    /// Requests of a connection at a time.
    pub depth: Words,
    /// Connections that wait or have several requests.
    pub schedule: Words,
    /// Rates that were asked for.
    pub asked: Words,
    /// Protocols with many requests on a connection.
    pub multiplexed: Words,
    /// Requests a second.
    pub rate: Words,
    /// A time of a request.
    pub latency: Words,
    /// A mean.
    pub mean: Words,
    /// The median.
    pub median: Words,
    /// A maximum.
    pub maximum: Words,
    /// Statistics other than the mean.
    pub statistic: Words,
    /// Times of something else than a request.
    pub other_time: Words,
    /// Length of a run.
    pub duration: Words,
    /// Successful responses.
    pub counted: Words,
    /// Further responses.
    pub counted_too: Words,
    /// Bytes.
    pub bytes: Words,
    /// Bytes a second.
    pub byte_rate: Words,
    /// Units of bytes and bits behind a number.
    pub byte_units: Words,
    /// Tokens of a language model.
    pub tokens: Words,
    /// What was computed from other columns.
    pub computed: Words,
    /// Seconds.
    pub seconds: Words,
    /// Factors of a rate by word.
    pub factors: BTreeMap<String, f64>,
    /// Milliseconds in a unit.
    pub units: BTreeMap<String, f64>,
}

/// The words that are compiled in.
pub static HEADINGS: LazyLock<Headings> =
    LazyLock::new(|| toml::from_str(FILE).unwrap_or_default());

const FILE: &str = include_str!("../../../layouts/headings.toml");

impl Words {
    /// Whether a heading in lower case is of this kind.
    pub fn fit(&self, text: &str) -> bool {
        self.found(text).is_some()
    }

    /// The word that makes a heading one of this kind.
    pub fn found(&self, text: &str) -> Option<&str> {
        if self.not.iter().any(|word| text.contains(word.as_str())) {
            return None;
        }
        let is_word = |word: &str| {
            text.split(|c: char| !c.is_alphanumeric())
                .any(|w| w == word)
        };
        let part = self.parts.iter().find(|word| text.contains(word.as_str()));
        let part = part.or_else(|| self.words.iter().find(|word| is_word(word)));
        let found = part.or_else(|| self.whole.iter().find(|word| text.trim() == *word));
        found.map(String::as_str)
    }

    /// Where the first of its parts stands.
    pub fn position(&self, text: &str) -> Option<usize> {
        self.parts
            .iter()
            .filter_map(|word| text.find(word.as_str()))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_each_kind() {
        toml::from_str::<Headings>(FILE).expect("headings");
    }
}
