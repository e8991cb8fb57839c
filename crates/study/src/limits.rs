//! What a figure in a study, a target or a flag may be. Far from any sensible use on both sides:
//! they are there to catch slips (`duration = "5h"` for `"5s"`), not to forbid.

use std::ops::RangeInclusive;
use std::time::Duration;

use photofinish_model::{SHORTEST_LOAD, SHORTEST_TIMEOUT};

type Bounds = RangeInclusive<Duration>;

pub(crate) const DURATION: Bounds = SHORTEST_LOAD..=Duration::from_secs(3600);
pub(crate) const SEARCH: Bounds = Duration::from_secs(1)..=Duration::from_secs(3600);
pub(crate) const RESPONSE_TIMEOUT: Bounds = SHORTEST_TIMEOUT..=Duration::from_secs(600);
pub(crate) const BUILD_TIMEOUT: Bounds = Duration::from_secs(1)..=Duration::from_secs(4 * 3600);
pub(crate) const READY_TIMEOUT: Bounds = Duration::from_millis(100)..=Duration::from_secs(3600);
pub(crate) const GRACE: Bounds = Duration::ZERO..=Duration::from_secs(300);

pub(crate) const DEFAULT_RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
pub(crate) const DEFAULT_BUILD_TIMEOUT: Duration = Duration::from_secs(20 * 60);
/// A server that runs already is ready at once; one that is just being replaced has some seconds.
pub(crate) const ALREADY_READY: Duration = Duration::from_secs(5);
pub(crate) const DEFAULT_READY_TIMEOUT: Duration = Duration::from_secs(60);
pub(crate) const DEFAULT_GRACE: Duration = Duration::from_secs(5);
