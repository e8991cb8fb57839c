//! What a check of a name or a request returns.

/// A mistake, and what is allowed.
pub(crate) type Mistake = (String, &'static str);
