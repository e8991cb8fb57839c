//! `photofinish agent`.

use std::fs::File;
use std::io::{stdin, stdout};
use std::os::fd::AsFd;

use photofinish_host::agent;
use photofinish_lab::cache_dir;

use crate::exit::Failure;
use crate::process;

pub fn agent() -> Result<(), Failure> {
    let program = process::program()?;
    // Not through the standard library's buffer, which looks for line ends.
    let output = stdout().as_fd().try_clone_to_owned().map(File::from);
    let output = output.map_err(|e| Failure::run(format!("cannot write: {e}")))?;
    agent::serve(stdin(), output, &program, &cache_dir())
        .map_err(|e| Failure::run(format!("the agent ends: {e}")))
}
