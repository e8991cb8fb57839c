//! Servers that this machine has started.

mod process;
mod reports;
mod sampling;

pub use process::LocalProcess;
