//! Choices that are written as words.

/// A choice that flags and files write as a word.
pub trait Worded: Copy + PartialEq + 'static {
    /// Every choice, by its word.
    const WORDS: &'static [(&'static str, Self)];

    /// Its word.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(_, known)| *known == self);
        found.map_or("", |(word, _)| word)
    }

    /// The choice of a word.
    fn parse(word: &str) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(known, _)| *known == word);
        found.map(|(_, choice)| *choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Order, Same};

    fn every_word_is_of_one_choice<C: Worded + std::fmt::Debug>() {
        for (word, choice) in C::WORDS {
            assert_eq!((choice.word(), C::parse(word)), (*word, Some(*choice)));
        }
        assert_eq!(C::parse("another"), None);
    }

    #[test]
    fn choices_are_read_back_from_their_words() {
        every_word_is_of_one_choice::<Order>();
        every_word_is_of_one_choice::<Same>();
    }
}
