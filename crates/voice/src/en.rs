//! English: one file an area.

pub(crate) mod asked;
pub(crate) mod because;
pub(crate) mod capacity;
pub(crate) mod check;
pub(crate) mod claim;
pub(crate) mod complaint;
pub(crate) mod days;
pub(crate) mod doubt;
pub(crate) mod ending;
pub(crate) mod failure;
pub(crate) mod figures;
pub(crate) mod headline;
pub(crate) mod history;
pub(crate) mod latency;
pub(crate) mod left_out;
pub(crate) mod load;
pub(crate) mod metric;
pub(crate) mod noise;
pub(crate) mod run_check;
pub(crate) mod scaling;
pub(crate) mod single;
pub(crate) mod sustained;
pub(crate) mod sweep;
pub(crate) mod threshold;
pub(crate) mod verdict;
pub(crate) mod windows;
