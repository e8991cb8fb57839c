//! Flags that take one of some words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A word, what it means, and its value.
pub type Choice<T> = (&'static str, &'static str, T);

/// Reads one of these words.
pub fn choice<T>(choices: &'static [Choice<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let words = choices.iter();
    let words = words.map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).map(|given| {
        let chosen = choices.iter().find(|(word, ..)| *word == given);
        // The parser takes no other word.
        chosen.unwrap_or(&choices[0]).2
    })
}
