//! Flags that take one of some words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use photofinish_model::Worded;

/// Reads one of these words, each with what help adds to it.
pub fn one_of(words: Vec<(&'static str, &'static str)>) -> PossibleValuesParser {
    let words = words.into_iter();
    PossibleValuesParser::new(words.map(|(word, help)| PossibleValue::new(word).help(help)))
}

/// Reads a choice by its word.
pub fn choice<C: Worded + Send + Sync>() -> impl TypedValueParser<Value = C> {
    // The parser takes no other word.
    one_of(C::words()).map(|word| C::parse(&word).unwrap_or(C::WORDS[0].2))
}
