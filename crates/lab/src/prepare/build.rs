//! Building a target, once for each set of inputs.
//!
//! The inputs are the target's files, the build's command and environment, and the versions of its tools. Their
//! fingerprint names a folder in the cache, so variants that are built alike share a build. The target's own folder
//! is never written to.

use std::path::{Path, PathBuf};

use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::secret::mask_words;
use photofinish_study::fill;
use photofinish_study::plan::{Build, Target};
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::prepare::cache::{MARKER, beside};
use crate::prepare::inputs;
use crate::prepare::marker::Marker;
use photofinish_host::task::{self, Ended};
use photofinish_host::{Error, Host, ProcessSpec, Tools, last_lines};

/// Number of lines of a failed build's log that are printed.
pub(crate) const LOG_LINES: usize = 20;

/// A target that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The folder that it was built in: what `{dir}` stands for. The target's own where there is nothing to build,
    /// and the current one for a bare command.
    pub dir: PathBuf,
    /// Whether it was built already.
    pub cached: bool,
}

/// Builds a target in a copy of its folder below `cache`, unless that was done already.
///
/// The build's output is appended to `log`. `interrupted` is asked many times a second; when it says so, the build's
/// processes are stopped.
///
/// # Errors
/// [`FailureFinding::Build`] with the log's last lines when the build fails or takes too long; [`Error::Interrupted`];
/// [`Error::File`] when a folder cannot be read or written.
pub fn build(
    host: &Host,
    target: &Target,
    tools: &Tools,
    cache: &Path,
    log: &Path,
    interrupted: &dyn Fn() -> bool,
) -> Result<Built, Error> {
    let own = absolute(target.dir.as_deref().unwrap_or(Path::new(".")))?;
    let (Some(plan), Some(_)) = (&target.build, &target.dir) else {
        return Ok(Built {
            dir: own,
            cached: true,
        });
    };
    if plan.in_place && host.is_here() {
        return in_place(
            host,
            &own,
            &mut || run(host, target, plan, tools, &own, log, interrupted),
            interrupted,
        );
    }
    let cache = absolute(cache)?;
    let files = inputs::list(&own)?;
    let name = format!("{}-{}", target.name, &key(&own, &files, plan, tools)?[..12]);
    let dir = cache.join(&name);
    let marker = Marker {
        file: dir.join(MARKER),
        lock: cache.join(format!("{name}.lock")),
        says: format!("{:?}\n", tools.found),
    };
    let cached = marker.once(host, interrupted, || -> Result<(), Error> {
        host.put(&own, &files, &dir)?;
        run(host, target, plan, tools, &dir, log, interrupted)
    })?;
    Ok(Built { dir, cached })
}

/// A target's own folder as its server finds it: where that runs on another machine, a copy below `cache`.
///
/// # Errors
/// [`Error::File`] when the folder cannot be read or put; [`Error::Interrupted`].
pub fn bring(
    host: &Host,
    target: &Target,
    cache: &Path,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<PathBuf>, Error> {
    let (Some(own), false) = (&target.dir, host.is_here()) else {
        return Ok(target.dir.clone());
    };
    let own = absolute(own)?;
    let files = inputs::list(&own)?;
    let mut sha = Sha256::new();
    inputs::digest(&own, &files, &mut sha)?;
    let name = format!("{}-{}", target.name, &hex(&sha.finalize())[..12]);
    let dir = cache.join(&name);
    let marker = Marker {
        file: dir.join(MARKER),
        lock: cache.join(format!("{name}.lock")),
        says: String::new(),
    };
    marker.once(host, interrupted, || host.put(&own, &files, &dir))?;
    Ok(Some(dir))
}

/// Builds in a folder that was made for this build alone, unless that was done already. What says so lies beside the folder,
/// which stays as it was checked out.
fn in_place(
    host: &Host,
    own: &Path,
    run: &mut dyn FnMut() -> Result<(), Error>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Built, Error> {
    let marker = Marker {
        file: beside(own, "built"),
        lock: beside(own, "lock"),
        says: String::new(),
    };
    let cached = marker.once(host, interrupted, run)?;
    let dir = own.to_owned();
    Ok(Built { dir, cached })
}

/// The fingerprint of everything that a build depends on, in hexadecimal.
fn key(own: &Path, files: &[PathBuf], plan: &Build, tools: &Tools) -> Result<String, Error> {
    let mut sha = Sha256::new();
    let env = (plan.env.iter()).map(|(name, value)| (name, value.expose()));
    let pairs = (env.chain(&tools.found)).flat_map(|(name, value)| [name, value]);
    for text in plan.command.iter().chain(pairs) {
        inputs::part(&mut sha, text.as_bytes());
    }
    // What lies between the lists, so that an argument cannot pass for a tool.
    for length in [plan.command.len(), plan.env.len(), tools.found.len()] {
        inputs::part(&mut sha, &length.to_le_bytes());
    }
    inputs::digest(own, files, &mut sha)?;
    Ok(hex(&sha.finalize()))
}

/// Runs the build's command in its folder.
fn run(
    host: &Host,
    target: &Target,
    plan: &Build,
    tools: &Tools,
    dir: &Path,
    log: &Path,
    interrupted: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let value = |name: &str| match name {
        "dir" => Some(dir.display().to_string()),
        "java_home" => tools
            .java_home
            .as_ref()
            .map(|home| home.display().to_string()),
        "java" => tools.java.as_ref().map(|java| java.display().to_string()),
        _ => None,
    };
    let filled = |text: &String| fill(text, value);
    let mut env = tools.process_env();
    if target.needs.contains_key("cargo") {
        // photofinish may itself have been started with another one, where `{dir}/target` would stay empty.
        env.insert(
            "CARGO_TARGET_DIR".to_owned(),
            dir.join("target").display().to_string().into(),
        );
    }
    env.extend(
        plan.env
            .iter()
            .map(|(name, text)| (name.clone(), text.map(filled))),
    );
    let spec = ProcessSpec {
        command: plan.command.iter().map(filled).collect(),
        env,
        dir: Some(dir.to_owned()),
        log: log.to_owned(),
        ..ProcessSpec::default()
    };
    let command = mask_words(&spec.command).join(" ");
    let failed = |says: String| {
        Error::from(FailureFinding::Build {
            target: target.label.clone(),
            says,
            command: command.clone(),
            log: log.display().to_string(),
            last: last_lines(log, LOG_LINES),
        })
    };

    task::show(&format!("$ {command}"), log).map_err(Error::file("write", log))?;
    let ended = task::run(host, &spec, plan.timeout, interrupted);
    match ended.map_err(|error| failed(error.to_string()))? {
        Ended::Well => Ok(()),
        Ended::Badly(how) => Err(failed(how)),
        Ended::Interrupted => Err(Error::Interrupted),
        Ended::TooLong => Err(failed(format!(
            "it takes longer than {} s; see `timeout` in its [build]",
            plan.timeout.as_secs()
        ))),
    }
}

/// A path from the root on.
///
/// # Errors
/// If there is no current folder.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(Error::file("find", path))
}
