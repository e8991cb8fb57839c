//! Conditions on the versions of tools: `>=21`, `>=17, <22`, `17`, `any`.

use photofinish_model::version::{VersionOp, VersionReq, VersionTerm};
use thiserror::Error;

/// Why a text is no condition on a version.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not a condition on a version; write >=21, >=17, <22 (both must hold), 17 or any"
)]
pub struct VersionReqError {
    /// The text.
    pub text: String,
}

/// The signs, longest first so that `>=` is not read as `>`.
const SIGNS: [(&str, VersionOp); 6] = [
    (">=", VersionOp::AtLeast),
    ("<=", VersionOp::AtMost),
    ("==", VersionOp::Is),
    (">", VersionOp::Above),
    ("<", VersionOp::Below),
    ("=", VersionOp::Is),
];

/// Parses a condition: comparisons separated by commas, all of which must hold, or `any`.
///
/// # Errors
/// A sign or a number that cannot be read.
pub fn parse_version_req(text: &str) -> Result<VersionReq, VersionReqError> {
    let error = || VersionReqError {
        text: text.to_owned(),
    };
    let trimmed = text.trim();
    let mut terms = Vec::new();
    if trimmed != "any" {
        for part in trimmed.split(',') {
            let part = part.trim();
            let (op, number) = SIGNS
                .iter()
                .find_map(|(sign, op)| Some((*op, part.strip_prefix(sign)?)))
                .unwrap_or((VersionOp::Is, part));
            let version = number
                .trim()
                .split('.')
                .map(|digits| digits.parse().map_err(|_| error()))
                .collect::<Result<Vec<u32>, _>>()?;
            terms.push(VersionTerm { op, version });
        }
    }
    Ok(VersionReq {
        text: trimmed.to_owned(),
        terms,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn allows(requirement: &str, version: &str) -> bool {
        parse_version_req(requirement).unwrap().allows(version)
    }

    #[test]
    fn compares_number_by_number() {
        assert!(allows(">=21", "25.0.1"));
        assert!(allows(">=21", "21"));
        assert!(!allows(">=21", "17.0.15"));
        assert!(allows(">=3.8", "3.10.1"));
        assert!(!allows(">3.8", "3.8.0"));
        assert!(allows("<=17", "17.0.0"));
        assert!(!allows("<=17", "17.0.1"));
        assert!(allows(">=17, <22", "21.0.2"));
        assert!(!allows(">=17, <22", "22"));
    }

    #[test]
    fn equal_compares_only_what_is_given() {
        assert!(allows("17", "17.0.15"));
        assert!(allows("=17.0", "17"));
        assert!(!allows("17", "18"));
        assert!(!allows("=17.1", "17.0.15"));
    }

    #[test]
    fn reads_versions_as_tools_print_them() {
        assert!(allows(">=21", "25.0.1+9-LTS"));
        assert!(allows("22", "v22.1.0"));
        assert!(allows(">=1.22", "go1.22.3"));
        assert!(allows(">=21", "21-ea"));
        assert!(allows("any", "no idea"));
        assert!(!allows(">=1", "no idea"));
    }

    #[test]
    fn refuses_other_signs() {
        for text in ["^1", "~1.2", "", ">=", ">=x", "1..2", "any, 3"] {
            assert!(parse_version_req(text).is_err(), "{text}");
        }
        insta::assert_snapshot!(parse_version_req("^21").unwrap_err(), @"`^21` is not a condition on a version; write >=21, >=17, <22 (both must hold), 17 or any");
    }

    proptest! {
        #[test]
        fn never_panics(requirement in "\\PC*", version in "\\PC*") {
            if let Ok(requirement) = parse_version_req(&requirement) {
                let _ = requirement.allows(&version);
            }
        }

        #[test]
        fn text_round_trips(major in 0_u32..100, minor in 0_u32..100) {
            let requirement = parse_version_req(&format!(">={major}.{minor}")).unwrap();
            prop_assert_eq!(parse_version_req(&requirement.text), Ok(requirement));
        }
    }
}
