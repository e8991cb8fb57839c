//! Whether the offered rate was achieved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An open loop whose requests came in faster than they were served.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overloaded {
    /// Requests that fell due in the window, per second.
    pub offered_rps: f64,
    /// Good responses that arrived in it, per second.
    pub achieved_rps: f64,
}
