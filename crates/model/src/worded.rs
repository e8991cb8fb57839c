//! Choices that are written as words.

/// A choice that flags and files write as a word. [`worded!`](crate::worded) makes one.
pub trait Worded: Copy + PartialEq + 'static {
    /// Every choice: its word, what it means, and itself.
    const WORDS: &'static [(&'static str, &'static str, Self)];

    /// Its word.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(.., known)| *known == self);
        found.map_or("", |(word, ..)| word)
    }

    /// The choice of a word.
    fn parse(word: &str) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(known, ..)| *known == word);
        found.map(|(.., choice)| *choice)
    }

    /// The words, each with what it means, as help says it.
    fn words() -> Vec<(&'static str, &'static str)> {
        let words = Self::WORDS.iter();
        let meant = words.map(|(word, doc, _)| (*word, doc.trim().trim_end_matches('.')));
        meant.collect()
    }
}

/// Makes a choice: an enum whose variants have words, with a default if one is given. The doc comments are what help says.
#[macro_export]
macro_rules! worded {
    ($(#[$about:meta])+ $name:ident $(= $default:ident)?; $($(#[doc = $doc:literal])+ $choice:ident $word:literal;)+) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $doc])+ $choice,)+
        }

        impl $crate::Worded for $name {
            const WORDS: &'static [(&'static str, &'static str, $name)] =
                &[$(($word, concat!($($doc),+), $name::$choice)),+];
        }

        $(impl Default for $name {
            fn default() -> $name {
                $name::$default
            }
        })?
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Language;
    use crate::settings::{Undecided, WaitClock};
    use crate::{Arrivals, Order, Same, TlsVersion};

    fn every_word_is_of_one_choice<C: Worded + std::fmt::Debug>() {
        for (word, _, choice) in C::WORDS {
            assert_eq!((choice.word(), C::parse(word)), (*word, Some(*choice)));
        }
        assert_eq!(C::parse("another"), None);
    }

    #[test]
    fn choices_are_read_back_from_their_words() {
        every_word_is_of_one_choice::<Arrivals>();
        every_word_is_of_one_choice::<Language>();
        every_word_is_of_one_choice::<Order>();
        every_word_is_of_one_choice::<Same>();
        every_word_is_of_one_choice::<TlsVersion>();
        every_word_is_of_one_choice::<Undecided>();
        every_word_is_of_one_choice::<WaitClock>();
    }
}
