//! Many requests in place of one: which is next, and what each must be answered with.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Expect, Part, Recall, Replies, Request, Template, Version};

/// The most requests that a list may have, rows of data counted.
pub const MOST_REQUESTS: usize = 100_000;

/// The most bytes that all of them may have together: 16 MiB.
pub const MOST_REQUEST_BYTES: u64 = 16 << 20;

/// The highest weight of a request.
pub const HIGHEST_WEIGHT: u32 = 1_000_000;

/// Requests that are sent one after the other, each with what must come back for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// Where they are from, for a line: the file's name.
    pub source: String,
    /// They; one at least.
    #[serde(with = "shared")]
    pub list: Arc<[Listed]>,
    /// Which is next.
    pub order: Order,
    /// Whether each connection goes through them by itself; else all of them share one stream.
    pub per_connection: bool,
    /// The version of HTTP.
    pub version: Version,
}

/// A request of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// What is sent.
    pub request: Request,
    /// What must come back.
    pub expect: Expect,
    /// How often it is chosen beside the others, where weights decide; 1 to [`HIGHEST_WEIGHT`].
    pub weight: u32,
}

crate::worded! {
    /// Which request of a list is next.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    Order = InOrder;
    /// From the first to the last, and again.
    InOrder "in-order";
    /// Each is equally likely.
    Random "random";
    /// Each is as likely as its weight says.
    Weighted "weighted";
}

impl Listed {
    /// About how many bytes it is: those of its method, path, headers and body, and of what must come back. What is filled in anew each
    /// time counts as much as it takes in memory, so that a body of nothing else is not without any.
    pub fn bytes(&self) -> u64 {
        let texts = self.request.templates().map(length);
        let names = self.request.headers.iter().map(|(name, _)| name.len() + 4);
        let body = self.expect.body.as_ref().map_or(0, Vec::len);
        let contains = self.expect.contains.iter().map(|recall| match recall {
            Recall::Bytes(bytes) => bytes.len(),
            Recall::Random | Recall::Counter => size_of::<Recall>(),
        });
        let bytes = texts.chain(names).chain(contains).sum::<usize>();
        (self.request.method.len() + bytes + body) as u64
    }
}

/// The bytes of a text.
fn length(text: &Template) -> usize {
    let parts = text.0.iter().map(|part| match part {
        Part::Bytes(bytes) => bytes.len(),
        Part::Random { .. } | Part::Counter => size_of::<Part>(),
    });
    parts.sum()
}

impl Requests {
    /// What is known of the responses beforehand: they are those of several requests.
    pub(super) fn replies(&self) -> Replies {
        match self.list.iter().all(|one| one.expect.body.is_some()) {
            true => Replies::Stated,
            false => Replies::Varying,
        }
    }
}

/// A list that is shared, as one that is not.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Listed;

    pub fn serialize<S: Serializer>(list: &[Listed], serializer: S) -> Result<S::Ok, S::Error> {
        list.serialize(serializer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Arc<[Listed]>, D::Error> {
        Vec::<Listed>::deserialize(deserializer).map(Arc::from)
    }
}
