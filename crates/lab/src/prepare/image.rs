//! The image that a target's container is made from: pulled, or built by a file of the target's folder, before the first round.

use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_host::task::{self, Ended};
use photofinish_host::{self as host, Container, Engine, ProcessSpec, last_lines};
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::secret::mask_words;
use photofinish_study::plan::{Image, Target};
use sha2::{Digest, Sha256};

use super::Prepared;
use crate::error::{Failure, Halt, failed};
use crate::events::Event;
use crate::hex::hex;
use crate::prepare::build::{LOG_LINES, absolute};
use crate::run_context::RunContext;

/// How long an image may take to come, or to be built where the target does not say.
const TIMEOUT: Duration = Duration::from_secs(20 * 60);

/// What a target runs from; `None` if it runs in no container.
///
/// # Errors
/// If the image is not to be had; halts for an interrupt.
pub(super) fn container(
    run: &RunContext,
    target: &Target,
    prepared: &Prepared,
    cache: &Path,
) -> Result<Option<Container>, Halt> {
    let (Some(wanted), Some(engine)) = (&target.start.image, &prepared.tools.engine) else {
        return Ok(None);
    };
    let making = Making {
        run,
        target,
        engine,
    };
    let image = match wanted {
        Image::Named(name) => making.pulled(name)?,
        Image::File(file) => {
            // A target with such a file has a folder.
            let dir = prepared.dir.as_deref().unwrap_or(Path::new("."));
            let [dir, cache] = [dir, cache].map(|path| absolute(path).map_err(failed));
            making.built(&dir?, file, &cache?)?
        }
    };
    Ok(Some(Container {
        engine: engine.clone(),
        image,
    }))
}

struct Making<'m> {
    run: &'m RunContext<'m>,
    target: &'m Target,
    engine: &'m Engine,
}

impl Making<'_> {
    /// The image of a name, which is pulled where it is not here.
    fn pulled(&self, name: &str) -> Result<host::Image, Halt> {
        if let Some(image) = self.installed(name)? {
            return Ok(image);
        }
        let artifact = name.to_owned();
        self.run.report(Event::Fetching { artifact });
        let refused = |says: String, log: &Path| {
            failed(FailureFinding::Image {
                target: self.target.label.clone(),
                image: name.to_owned(),
                says,
                log: log.display().to_string(),
                last: last_lines(log, LOG_LINES),
            })
        };
        let log = self.run(&["pull", name], TIMEOUT, &refused)?;
        let missing = || refused("it is not there all the same".to_owned(), &log);
        Ok(self.installed(name)?.ok_or_else(missing)?)
    }

    /// The image that a file of a folder builds. Always built: the engine knows best which of its steps are as they were.
    fn built(&self, dir: &Path, file: &Path, cache: &Path) -> Result<host::Image, Halt> {
        let label = || self.target.label.clone();
        let file = dir.join(file).display().to_string();
        let tag = tag(&self.target.name, &file);
        // Another run may build something else under the same name.
        let interrupted = || self.run.interrupted();
        let lock = cache.join(format!("image-{}.lock", tag.replace(['/', ':'], "-")));
        let _lock = match self.run.host.lock(&lock, &interrupted) {
            Err(_) if self.run.interrupted() => return Err(Halt::Interrupted),
            lock => lock.map_err(failed)?,
        };
        self.run.report(Event::Building { target: label() });
        let folder = dir.display().to_string();
        let args = ["build", "--file", &file, "--tag", &tag, &folder];
        let refused = |says: String, log: &Path| {
            failed(FailureFinding::Build {
                target: label(),
                says,
                command: mask_words(&self.command(&args)).join(" "),
                log: log.display().to_string(),
                last: last_lines(log, LOG_LINES),
            })
        };
        let own = self.target.build.as_ref();
        let timeout = own.map_or(TIMEOUT, |build| build.timeout);
        let log = self.run(&args, timeout, &refused)?;
        let missing = || refused("there is no image".to_owned(), &log);
        let image = self.installed(&tag)?.ok_or_else(missing)?;
        self.run.report(Event::Built {
            target: label(),
            cached: false,
        });
        Ok(image)
    }

    fn installed(&self, name: &str) -> Result<Option<host::Image>, Halt> {
        self.run.go_on()?;
        Ok((self.run.host.image(self.engine.clone(), name.to_owned())).map_err(failed)?)
    }

    fn command(&self, args: &[&str]) -> Vec<String> {
        let program = self.engine.program.display().to_string();
        let args = args.iter().map(|&arg| arg.to_owned());
        std::iter::once(program).chain(args).collect()
    }

    /// Runs the engine to the end of what it is to do; its log.
    fn run(
        &self,
        args: &[&str],
        timeout: Duration,
        refused: &dyn Fn(String, &Path) -> Failure,
    ) -> Result<PathBuf, Halt> {
        let log = self.run.log(&self.target.label, "image");
        let spec = ProcessSpec {
            command: self.command(args),
            log: log.clone(),
            ..ProcessSpec::default()
        };
        // Where that fails nothing else can be written to it either.
        let _ = task::show(&format!("$ {}", mask_words(&spec.command).join(" ")), &log);
        let interrupted = || self.run.interrupted();
        let ended = task::run(self.run.host, &spec, timeout, &interrupted);
        match ended.map_err(|error| refused(error.to_string(), &log))? {
            Ended::Well => Ok(log),
            Ended::Badly(how) => Err(refused(how, &log).into()),
            Ended::Interrupted => Err(Halt::Interrupted),
            Ended::TooLong => {
                let seconds = timeout.as_secs();
                Err(refused(format!("it takes longer than {seconds} s"), &log).into())
            }
        }
    }
}

/// What the image is called that a file builds for a target: the same each time, so that the one before it is replaced.
fn tag(target: &str, file: &str) -> String {
    let sha = Sha256::digest(file.as_bytes());
    format!("localhost/photofinish/{target}:{}", hex(&sha[..6]))
}
