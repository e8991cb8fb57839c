//! The validity checks in words.

use std::collections::BTreeMap;

use photofinish_model::Check;

use crate::{Language, Say, en, typeset, zh};

/// A check in a few words; its name where it is none that is known.
pub fn title(name: &str, language: Language) -> &str {
    match language {
        Language::En => en::check::title(name),
        Language::Zh => zh::check::title(name),
    }
}

/// That a check failed, in a few words, for a list of what to doubt; its name where it is none that is known.
pub fn failed(name: &str, language: Language) -> &str {
    match language {
        Language::En => en::check::failed(name),
        Language::Zh => zh::check::failed(name),
    }
}

/// What it means for the figures when a check fails.
pub fn meaning(name: &str, language: Language) -> &'static str {
    match language {
        Language::En => en::check::meaning(name),
        Language::Zh => zh::check::meaning(name),
    }
}

/// How many errors of each kind there were.
pub fn errors(kinds: &BTreeMap<String, u64>, language: Language) -> String {
    match language {
        Language::En => en::figures::errors(kinds),
        Language::Zh => typeset::spaced(&zh::figures::errors(kinds)),
    }
}

/// What came of a check; in English, as it was recorded, where an older version recorded no code.
pub fn says(check: &Check, language: Language) -> String {
    match &check.finding {
        Some(finding) => finding.say(language),
        None => check.says.clone(),
    }
}
