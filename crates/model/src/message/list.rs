//! Several things in a row, and parts of a sentence that may be missing.

use serde_json::{Value, json};

use super::{Argument, Language, Message};

/// Defines a list of names.
macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident($join:expr);)+) => {$(
        holding! { $(#[doc = $doc])+ $name(Vec<String>); }

        impl<T: ToString> From<&[T]> for $name {
            fn from(names: &[T]) -> $name {
                $name(names.iter().map(T::to_string).collect())
            }
        }

        impl<T: ToString> From<&Vec<T>> for $name {
            fn from(names: &Vec<T>) -> $name {
                $name(names.iter().map(T::to_string).collect())
            }
        }

        impl Argument for $name {
            fn text(&self, language: Language) -> String {
                let join: fn(&[String], Language) -> String = $join;
                join(&self.0, language)
            }

            fn value(&self) -> Value {
                json!(self.0)
            }
        }
    )+};
}

names! {
    /// Names with commas between them.
    Names(|names, language| names.join(match language {
        Language::En => ", ",
        Language::Zh => "、",
    }));
    /// Names in a sentence: `a, b and c`.
    Alternatives(|names, language| match (names, language) {
        ([], _) => String::new(),
        ([one], _) => one.clone(),
        ([most @ .., last], Language::En) => format!("{} and {last}", most.join(", ")),
        ([most @ .., last], Language::Zh) => format!("{} 和 {last}", most.join("、")),
    });
}

/// Defines a list of messages with its separator in each language.
macro_rules! lists {
    ($($(#[doc = $doc:literal])+ $name:ident($en:literal, $zh:literal);)+) => {$(
        holding! { $(#[doc = $doc])+ $name(Vec<Message>); }

        impl FromIterator<Message> for $name {
            fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> $name {
                $name(messages.into_iter().collect())
            }
        }

        impl Argument for $name {
            fn text(&self, language: Language) -> String {
                let texts: Vec<&str> = self.0.iter().map(|part| part.text(language)).collect();
                texts.join(match language {
                    Language::En => $en,
                    Language::Zh => $zh,
                })
            }

            fn value(&self) -> Value {
                self.0.iter().map(Argument::value).collect()
            }
        }
    )+};
}

lists! {
    /// Clauses with semicolons between them.
    Clauses("; ", "；");
    /// Parts with commas between them.
    Parts(", ", "，");
}

/// Defines a part that may be missing, with what stands before and after it.
macro_rules! optional {
    ($($(#[doc = $doc:literal])+ $name:ident($en:literal, $zh:literal);)+) => {$(
        holding! { $(#[doc = $doc])+ $name(Option<Message>); }

        impl From<Message> for $name {
            fn from(message: Message) -> $name {
                $name(Some(message))
            }
        }

        impl Argument for $name {
            fn text(&self, language: Language) -> String {
                self.0.as_ref().map_or_else(String::new, |part| match language {
                    Language::En => format!($en, part.en),
                    Language::Zh => format!($zh, part.zh),
                })
            }

            fn value(&self) -> Value {
                self.0.as_ref().map_or(Value::Null, Argument::value)
            }
        }
    )+};
}

optional! {
    /// A clause at the end, behind a semicolon; there may be none.
    Tail("; {}", "；{}");
    /// A remark in brackets; there may be none.
    Brackets(" ({})", "（{}）");
    /// Where something was measured; empty if there is only one place.
    AtPlaces(" at {}", "在{}时，");
    /// What something consists of, behind a colon; there may be nothing.
    Details(": {}", "：{}");
}

holding! {
    /// The rounds in which something happened: `rounds 1–3, 5`.
    InRounds(Vec<u32>);
}

impl From<&[u32]> for InRounds {
    fn from(rounds: &[u32]) -> InRounds {
        InRounds(rounds.to_vec())
    }
}

impl From<&Vec<u32>> for InRounds {
    fn from(rounds: &Vec<u32>) -> InRounds {
        InRounds(rounds.clone())
    }
}

impl Argument for InRounds {
    fn text(&self, language: Language) -> String {
        match (self.0.as_slice(), language) {
            ([round], Language::En) => format!("round {round}"),
            (rounds, Language::En) => format!("rounds {}", ranges(rounds, ", ")),
            (rounds, Language::Zh) => format!("第 {} 轮", ranges(rounds, "、")),
        }
    }

    fn value(&self) -> Value {
        json!(self.0)
    }
}

/// Returns rounds in order, with consecutive ones as ranges: `1–3, 5`.
fn ranges(rounds: &[u32], separator: &str) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for &round in rounds {
        match found.last_mut() {
            Some((_, to)) if to.checked_add(1) == Some(round) => *to = round,
            _ => found.push((round, round)),
        }
    }
    let text = |(from, to): &(u32, u32)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}{separator}{to}"),
        _ => format!("{from}–{to}"),
    };
    found.iter().map(text).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_rounds_are_ranges() {
        assert_eq!(ranges(&[], ", "), "");
        assert_eq!(ranges(&[4], ", "), "4");
        assert_eq!(ranges(&[1, 2], ", "), "1, 2");
        assert_eq!(ranges(&[1, 2, 3, 5, 7, 8, 9, 10], ", "), "1–3, 5, 7–10");
        assert_eq!(ranges(&[1, 3], "、"), "1、3");
        assert_eq!(InRounds(vec![3]).text(Language::En), "round 3");
        assert_eq!(InRounds(vec![1, 2, 3]).text(Language::Zh), "第 1–3 轮");
    }
}
