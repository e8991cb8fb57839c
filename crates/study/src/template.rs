//! Whether places in requests that look as if they were to be filled in can be.

use photofinish_model::{Part, Recall, Template};

use crate::mistake::Mistake;

/// Whether what looks like a place in a request is one.
pub(crate) fn check_request(text: &str) -> Result<(), Mistake> {
    let allowed =
        "{random:1..100} for a whole number, both bounds included, the smaller first; {counter}";
    check(text, allowed, |place| {
        matches!(
            Template::parse(place).0[..],
            [Part::Random { .. } | Part::Counter]
        )
    })
}

/// The same for what a response must contain.
pub(crate) fn check_recall(text: &str) -> Result<(), Mistake> {
    let allowed = "{random} for the request's random number, {first-random} for the first of several, {counter} for \
                   its number";
    check(text, allowed, |place| {
        matches!(Recall::parse(place)[..], [Recall::Random | Recall::Counter])
    })
}

/// `is_place` gets what stands in braces, with them.
fn check(
    text: &str,
    allowed: &'static str,
    is_place: impl Fn(&str) -> bool,
) -> Result<(), Mistake> {
    for name in ["{random", "{first-random", "{counter"] {
        for (at, _) in text.match_indices(name) {
            let end = text[at..].find('}').map_or(text.len(), |end| at + end + 1);
            let place = &text[at..end];
            if !is_place(place) {
                let shown: String = place.chars().take(40).collect();
                return Err((
                    format!("`{shown}` is not a placeholder that can be used here"),
                    allowed,
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_looks_like_a_place_must_be_one() {
        for good in ["{random:1..1}", "{\"a\":{counter}}", "{rand}", "{}"] {
            assert_eq!(check_request(good), Ok(()), "{good}");
        }
        for bad in [
            "{random}",
            "{first-random}",
            "{random:5..1}",
            "{random:1-5}",
            "{random:1..x}",
            "{counter:1}",
            "{counter",
            "{random:0..18446744073709551616}",
        ] {
            assert!(check_request(bad).is_err(), "{bad}");
        }
        assert_eq!(check_recall("\"id\":{random},{counter}"), Ok(()));
        assert_eq!(check_recall("{first-random}"), Ok(()));
        assert!(check_recall("{first-random:1}").is_err());
        assert!(check_recall("{random:1..5}").is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "([{}a-c.:]|\\{random|\\{counter){0,20}|\\PC*") {
            let _ = check_request(&text);
            let _ = check_recall(&text);
        }
    }
}
