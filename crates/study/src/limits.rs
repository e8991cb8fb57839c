//! What a figure in a study, a target or a flag may be. Far from any sensible use on both sides:
//! they are there to catch slips (`duration = "5h"` for `"5s"`), not to forbid.

use std::ops::RangeInclusive;
use std::time::Duration;

use photofinish_model::{SHORTEST_LOAD, SHORTEST_TIMEOUT};

use crate::plan::Within;

type Bounds = RangeInclusive<Duration>;

/// How many rounds a run may have.
pub const ROUNDS: RangeInclusive<u32> = 1..=1000;
/// The most rounds that a run may be allowed with `--until-decided`: looks are made for so many at most
/// (`photofinish_stats::sequential::MOST_ROUNDS`); with one there is nothing to compare.
pub const MAX_ROUNDS: RangeInclusive<u32> = 2..=100;
/// How long a run's rounds may take together.
pub(crate) const WITHIN: Bounds = Duration::from_secs(10)..=Duration::from_secs(24 * 3600);
pub(crate) const DURATION: Bounds = SHORTEST_LOAD..=Duration::from_secs(3600);
pub(crate) const LEAD_IN: Bounds = Duration::ZERO..=Duration::from_secs(600);
pub(crate) const SEARCH: Bounds = Duration::from_secs(1)..=Duration::from_secs(3600);
pub(crate) const WARMUP: Bounds = Duration::ZERO..=Duration::from_secs(3600);
pub(crate) const RESPONSE_TIMEOUT: Bounds = SHORTEST_TIMEOUT..=Duration::from_secs(600);
pub(crate) const BUILD_TIMEOUT: Bounds = Duration::from_secs(1)..=Duration::from_secs(4 * 3600);
pub(crate) const READY_TIMEOUT: Bounds = Duration::from_millis(100)..=Duration::from_secs(3600);
pub(crate) const GRACE: Bounds = Duration::ZERO..=Duration::from_secs(300);

pub(crate) const DEFAULT_ROUNDS: u32 = 5;
pub(crate) const DEFAULT_MAX_ROUNDS: u32 = 20;
pub(crate) const DEFAULT_DURATION: Duration = Duration::from_secs(5);
/// A comparison of commands is to end within 90 s, where its servers start at once. Rounds are the sample, so there are more of them than in a
/// study, and shorter ones: t with 6 degrees of freedom is 2.45, and 2.78 with 4. Beside others that want the cores a round takes some
/// 9 to 12 s, for turns go on for longer.
pub(crate) const COMPARE_ROUNDS: u32 = 7;
pub(crate) const COMPARE_DURATION: Duration = Duration::from_millis(2_500);
/// What is left of the 90 s is for builds, what stands before the first round, and the report. Servers that do not start at once have no limit: too
/// few rounds say nothing.
pub(crate) const COMPARE_WITHIN: Within = Within {
    time: Duration::from_secs(85),
    fewest: 5,
};
/// A server without just-in-time compilers is warm at once; that one with them is, the warm-up sees.
pub(crate) const COMPARE_WARMUP_MIN: Duration = Duration::from_millis(500);
pub(crate) const DEFAULT_LEAD_IN: Duration = Duration::from_secs(1);
pub(crate) const DEFAULT_WARMUP_MIN: Duration = Duration::from_secs(3);
pub(crate) const DEFAULT_WARMUP_MAX: Duration = Duration::from_secs(60);
pub(crate) const DEFAULT_MARGIN: f64 = 0.02;
pub(crate) const DEFAULT_RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
pub(crate) const DEFAULT_BUILD_TIMEOUT: Duration = Duration::from_secs(20 * 60);
/// A server that runs already is ready at once; one that is just being replaced has some seconds.
pub(crate) const ALREADY_READY: Duration = Duration::from_secs(5);
pub(crate) const DEFAULT_READY_TIMEOUT: Duration = Duration::from_secs(60);
pub(crate) const DEFAULT_GRACE: Duration = Duration::from_secs(5);

/// Whether a margin makes sense: at 1 everything would be a tie.
pub(crate) fn margin_allowed(margin: f64) -> bool {
    (0.0..1.0).contains(&margin)
}

/// What [`margin_allowed`] demands.
pub(crate) const MARGIN_SAYS: &str = "0 or more and below 1, such as 0.02 for 2%";
