//! The secrets that this process was given, so that text in which a server repeats one can be quoted without it.

use std::borrow::Cow;
use std::env;
use std::sync::{PoisonError, RwLock};

use super::MASK;
use super::names::{is_likely_secret, is_outright_secret, is_secret_name};

/// The shortest value that is looked for: a shorter one stands in texts by chance.
const SHORTEST: usize = 6;

/// The same for a part of a value: `Bearer` is no secret.
const SHORTEST_WORD: usize = 8;

/// How many are looked for. A file of requests may hold a hundred thousand, and each text is searched for each.
const MOST: usize = 1_000;

/// The values, the longest first, so that one that contains another is replaced as a whole.
static KNOWN: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// Has a value left out of whatever is [quoted](Quote) from now on, and so its words: of `Bearer abc` a server repeats `abc`.
pub fn remember(value: &str) {
    let value = value.trim();
    let words = value.split([' ', ';', ',']).flat_map(|word| {
        let after = word.split_once('=').map(|(_, after)| after);
        [Some(word), after]
    });
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let words = words.flatten().filter(|word| word.len() >= SHORTEST_WORD);
    for text in std::iter::once(value).chain(words) {
        // What is filled in is known once it has been.
        if text.len() >= SHORTEST
            && !text.contains('{')
            && known.len() < MOST
            && known.iter().all(|one| one != text)
        {
            known.push(text.to_owned());
        }
    }
    known.sort_by_key(|text| std::cmp::Reverse(text.len()));
}

/// Remembers the secrets in this process's own environment, which servers and builds inherit and may print.
pub fn remember_environment() {
    let variables = env::vars_os().filter_map(|(name, value)| {
        let both = (name.into_string(), value.into_string());
        both.0.ok().zip(both.1.ok())
    });
    for (name, value) in variables {
        if is_secret_variable(&name, &value) {
            remember(&value);
        }
    }
}

/// `PWD` is a folder, and `DESKTOP_SESSION` a name.
fn is_secret_variable(name: &str, value: &str) -> bool {
    is_secret_name(name)
        && !value.starts_with('/')
        && (is_outright_secret(name) || is_likely_secret(value))
}

/// A text that others wrote and that may repeat a secret of this process.
pub trait Quote {
    /// The text without the secrets that it repeats.
    fn without_known(&self) -> Cow<'_, str>;
}

impl Quote for str {
    fn without_known(&self) -> Cow<'_, str> {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        let mut text = Cow::Borrowed(self);
        for one in known.iter().filter(|one| self.contains(one.as_str())) {
            text = Cow::Owned(text.replace(one.as_str(), MASK));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_a_server_repeats_is_left_out() {
        remember("Bearer canary-of-known");
        remember("a=b");
        assert_eq!(
            "no such token: canary-of-known; a=b".without_known(),
            "no such token: ***; a=b"
        );
    }

    #[test]
    fn variables_that_are_secret_are_told_from_those_that_only_sound_so() {
        for (name, value) in [
            ("DB_PASSWORD", "correct horse"),
            ("GITHUB_TOKEN", "ghp_abc"),
            ("API_KEY", "k3y9sdf8sdf"),
        ] {
            assert!(is_secret_variable(name, value), "{name}");
        }
        for (name, value) in [
            ("PWD", "/home/ann"),
            ("DESKTOP_SESSION", "ubuntu"),
            ("TLS_KEY", "/etc/key.pem"),
            ("RUST_LOG", "k3y9sdf8sdf"),
        ] {
            assert!(!is_secret_variable(name, value), "{name}");
        }
    }
}
