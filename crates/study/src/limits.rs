//! What a figure in a study, a target or a flag may be. Far from any sensible use on both sides:
//! they are there to catch slips (`duration = "5h"` for `"5s"`), not to forbid.

use std::ops::RangeInclusive;
use std::time::Duration;

type Bounds = RangeInclusive<Duration>;

pub(crate) const BUILD_TIMEOUT: Bounds = Duration::from_secs(1)..=Duration::from_secs(4 * 3600);
pub(crate) const GRACE: Bounds = Duration::ZERO..=Duration::from_secs(300);

pub(crate) const DEFAULT_BUILD_TIMEOUT: Duration = Duration::from_secs(20 * 60);
/// A server that runs already is ready at once; one that is just being replaced has some seconds.
pub(crate) const ALREADY_READY: Duration = Duration::from_secs(5);
pub(crate) const DEFAULT_GRACE: Duration = Duration::from_secs(5);
