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

/// A share and its limit as percentages, with as few decimals as tell them apart (from one on): 2.003% and 2.000%, since "2.0% (at most 2.0%)"
/// contradicts itself.
pub(crate) fn against_limit(share: f64, limit: f64) -> (String, String) {
    let texts =
        |decimals: usize| [share, limit].map(|share| format!("{:.decimals$}%", share * 100.0));
    let apart = (1..=6).find(|&decimals| texts(decimals)[0] != texts(decimals)[1]);
    let [share, limit] = texts(apart.unwrap_or(1));
    (share, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_beyond_its_limit_reads_as_such() {
        let cases = [
            (0.0464, "4.6%", "2.0%"),
            (0.02003, "2.003%", "2.000%"),
            (0.01996, "1.996%", "2.000%"),
            (0.0, "0.0%", "2.0%"),
            (0.02, "2.0%", "2.0%"),
        ];
        for (share, said, limit) in cases {
            assert_eq!(
                against_limit(share, 0.02),
                (said.to_owned(), limit.to_owned())
            );
        }
    }
}
