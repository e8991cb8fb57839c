//! Conditions on the versions of tools, such as `>=21`.

use serde::{Deserialize, Serialize};

/// What a target in a container needs, among its tools: either will do.
pub const CONTAINERS: &str = "podman or docker";

/// A condition on a version, such as `>=21` or `>=17, <22`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionReq {
    /// As it was written.
    pub text: String,
    /// All of these must hold.
    pub terms: Vec<VersionTerm>,
}

/// One comparison of a [`VersionReq`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionTerm {
    /// How to compare.
    pub op: VersionOp,
    /// The version's numbers, most significant first; missing ones count as 0, but for `=`,
    /// which compares only the numbers that are given (`=17` allows 17.0.15).
    pub version: Vec<u32>,
}

/// How a version is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VersionOp {
    /// `=`, or no sign.
    Is,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
    /// `<=`
    AtMost,
    /// `<`
    Below,
}

impl VersionReq {
    /// Any version will do.
    pub fn any() -> Self {
        VersionReq {
            text: "any".to_owned(),
            terms: Vec::new(),
        }
    }

    /// Whether a version, as a tool prints it, meets every term. Only its leading numbers count:
    /// `25.0.1+9-LTS`, `v22.1.0` and `go1.22` are read as 25.0.1, 22.1.0 and 1.22. A text
    /// without a number meets only `any`.
    pub fn allows(&self, version: &str) -> bool {
        let found = numbers(version);
        self.terms.iter().all(|term| {
            !found.is_empty() && {
                let order = compare(&found, &term.version);
                match term.op {
                    VersionOp::Is => starts_with(&found, &term.version),
                    VersionOp::AtLeast => order.is_ge(),
                    VersionOp::Above => order.is_gt(),
                    VersionOp::AtMost => order.is_le(),
                    VersionOp::Below => order.is_lt(),
                }
            }
        })
    }
}

fn numbers(version: &str) -> Vec<u32> {
    let start = version.find(|c: char| c.is_ascii_digit());
    let digits = start.map_or("", |start| &version[start..]);
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.');
    digits[..end.unwrap_or(digits.len())]
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect()
}

/// Missing numbers count as 0.
fn compare(a: &[u32], b: &[u32]) -> std::cmp::Ordering {
    let at = |numbers: &[u32], i: usize| numbers.get(i).copied().unwrap_or(0);
    (0..a.len().max(b.len()))
        .map(|i| at(a, i).cmp(&at(b, i)))
        .find(|order| order.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn starts_with(found: &[u32], wanted: &[u32]) -> bool {
    let padded = found.iter().copied().chain(std::iter::repeat(0));
    padded.zip(wanted).all(|(a, b)| a == *b)
}
