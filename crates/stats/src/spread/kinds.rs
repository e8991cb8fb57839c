//! Rounds of several kinds, each of which has a mean of its own.

/// With fewer degrees of freedom of its own a series takes no part.
pub const FEWEST_FREEDOM: usize = 2;

/// The log ratios of one pair at one place by round, those of each kind of rounds by themselves: rounds of one kind have one mean.
pub type Kinds = Vec<Vec<(u32, f64)>>;

/// Rounds of one kind.
pub fn of_one_kind(rounds: &[f64]) -> Kinds {
    vec![(1..).zip(rounds.iter().copied()).collect()]
}

/// How many degrees of freedom the spread within kinds is known with.
pub fn freedom_within(kinds: &Kinds) -> usize {
    let of_kind = kinds.iter().map(|rounds| rounds.len().saturating_sub(1));
    of_kind.sum()
}
