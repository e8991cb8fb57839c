//! The agent that shows the frames of Java code: async-profiler, fetched once and loaded into the Java virtual machines that are profiled.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use photofinish_host::Host;

pub use crate::error::NoJava;
use crate::prepare::fetch::{Artifact, Fetcher, Packing};

/// Its file in the folder that it is unpacked to.
const LIBRARY: &str = "libasyncProfiler.so";
const VERSION: &str = "4.2";
/// One jar for all processors: each has its folder.
const ARTIFACTS: &[Artifact] = &[
    artifact("x86_64", "linux-x64"),
    artifact("aarch64", "linux-arm64"),
];

const fn artifact(arch: &'static str, folder: &'static str) -> Artifact {
    Artifact {
        coordinates: "tools.profiler:async-profiler:4.2",
        version: VERSION,
        arch,
        sha256: "445b7bdc6a3ed03d45a9d4b61b5a5fc072b3e9952d7f2b63722312f48ea9ee18",
        packing: Packing::Jar(folder),
    }
}

/// The agent's file below `cache`, fetched if it is not there yet. `fetching` is called with its coordinates before it is.
///
/// # Errors
/// If it cannot be fetched, or there is none for this processor.
pub fn library(
    host: &Host,
    cache: &Path,
    interrupted: &dyn Fn() -> bool,
    fetching: &mut dyn FnMut(&str),
) -> Result<PathBuf, NoJava> {
    let arch = std::env::consts::ARCH;
    let artifact = ARTIFACTS.iter().find(|artifact| artifact.arch == arch);
    let artifact = artifact.ok_or(NoJava::Processor { arch })?;
    let fetcher = Fetcher {
        host,
        cache,
        interrupted,
    };
    Ok(fetcher.fetch(artifact, fetching)?.join(LIBRARY))
}

/// What a run knows of Java.
#[derive(Default)]
pub(crate) struct Java {
    pub(crate) cache: PathBuf,
    /// The agent's file, or why there is none, once that was asked.
    pub(crate) library: OnceCell<Result<PathBuf, Arc<NoJava>>>,
    /// The targets of which it was reported that they have no Java frames.
    pub(crate) without: RefCell<BTreeSet<String>>,
}

impl Java {
    /// Of a run that keeps downloads in `cache`.
    pub(crate) fn new(cache: &Path) -> Java {
        Java {
            cache: cache.to_owned(),
            ..Java::default()
        }
    }
}
