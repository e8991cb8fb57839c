//! One load run from beginning to end.

use crate::config::Config;
use crate::control::Control;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::session::Session;

/// Sends load as `config` says, on connections of its own, and returns what came of it.
///
/// Returns when the window is closed and the responses that were in flight are in, or were waited for as long
/// as the timeout allows. What is counted stands in the crate's documentation.
///
/// # Errors
/// Where no load can be sent; requests that fail are counted in the outcome.
pub fn run(config: &Config, control: &Control) -> Result<Outcome, Error> {
    // What is wrong with the slice is found before anything is started.
    config.validate_slice(&config.slice())?;
    let mut session = Session::open(config, control)?;
    let outcome = session.slice(&config.slice(), control)?;
    session.close()?;
    Ok(outcome)
}
