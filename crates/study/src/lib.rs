//! Study and target files, and the checked plan that they make.
//!
//! Every error points at the file and the line, says what is wrong and what is allowed.
//! The files' keys are documented in `docs/study-files.md` and `docs/target-files.md`.

#![forbid(unsafe_code)]

mod capacity;
mod checks;
mod claim;
mod command;
mod compare;
mod copy;
mod error;
mod expanded;
mod expect;
pub mod find;
mod flags;
mod hosts_file;
mod image;
mod keys;
mod labels;
mod levels;
mod limit_target;
mod limits;
mod mistake;
mod nearest;
mod placeholder;
pub mod plan;
mod race;
mod reader;
mod requests;
mod resolve;
mod revisions;
mod scheme;
mod service;
mod shown;
pub mod size;
mod study_file;
mod target_file;
mod targets;
mod template;
#[cfg(test)]
mod tests;
mod tls;
mod variables;
mod version;
mod workload;

pub use checks::METHODS;
pub use compare::{Compare, Parameter, compare_plan};
pub use copy::same_as;
pub use error::{Error, Problem};
pub use expanded::{header_value, variable_value};
pub use find::{load_study, load_study_with};
pub use flags::{MessageError, RequestFlags};
pub use hosts_file::{Hosts, MachinePair, Place, Scheduler, load_hosts};
pub use keys::{FILES, FileSchema};
pub use levels::{LevelError, MAX_CONNECTIONS, RATE_CONNECTIONS, check_loads};
pub use nearest::advice;
pub use placeholder::{PLACEHOLDERS, fill, placeholders};
pub use requests::{RequestFiles, RequestsRead, check_login, read_login, read_requests};
pub use resolve::{RunFlags, Scale, resolve};
pub use revisions::{Checkout, at_revisions};
pub use scheme::Scheme;
pub use size::{format_size, parse_size};
pub use target_file::TOOLS;
pub use version::{VersionReqError, parse_version_req};
