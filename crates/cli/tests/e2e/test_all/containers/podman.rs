//! podman with images and containers of a test's own, and an image made from nothing but a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::namespaces::{folder, may_skip};
use crate::running::{Ended, Running};
use crate::support::Yard;

/// The image that holds the server.
pub const IMAGE: &str = "localhost/photofinish-test/server:1";

/// Debian's podman, whose images and containers are in the yard; what it holds goes with the yard.
pub struct Podman<'y> {
    yard: &'y Yard,
}

fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

fn lacks() -> Option<&'static str> {
    let id = Command::new("id").arg("-u").output().expect("id");
    match (id.stdout == b"0\n", which("podman")) {
        (false, _) => Some("containers are only tested as root"),
        (_, None) => Some("there is no podman (Debian: podman, runc)"),
        _ => None,
    }
}

impl Podman<'_> {
    /// With the image of the server. `None`, said aloud, where there is none and it may be left out.
    pub fn new(yard: &Yard) -> Option<Podman<'_>> {
        if may_skip(lacks()) {
            return None;
        }
        // Where groups of both versions are mounted, as here and there in virtual machines, crun does not work.
        let runtime = which("runc").map_or("", |_| "runtime = \"runc\"\n");
        let file = |name: &str| yard.path(name).display().to_string();
        let conf = format!(
            "[engine]\n{runtime}cgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\ntmp_dir = \"{}\"\n",
            file("podman/tmp")
        );
        let storage = format!(
            "[storage]\ndriver = \"vfs\"\ngraphroot = \"{}\"\nrunroot = \"{}\"\n",
            file("podman/images"),
            file("podman/run")
        );
        let image = yard.path("image");
        fs::create_dir(&image).expect("a folder");
        yard.write("containers.conf", conf);
        yard.write("storage.conf", storage);
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/test_all/containers/server.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-static", "-o"]);
        let compiled = compiler.arg(image.join("server")).arg(source).status();
        assert!(compiled.expect("cc runs").success());
        fs::write(image.join("Containerfile"), containerfile()).expect("a file");
        let podman = Podman { yard };
        let image = image.display().to_string();
        podman.run(&["build", "--quiet", "--tag", IMAGE, &image]);
        Some(podman)
    }

    /// A program that uses this podman.
    pub fn place(&self, command: &mut Command) {
        command
            .env("CONTAINERS_CONF", self.yard.path("containers.conf"))
            .env("CONTAINERS_STORAGE_CONF", self.yard.path("storage.conf"));
    }

    /// What podman prints.
    pub fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new("podman");
        self.place(&mut command);
        let output = command.args(args).output().expect("podman runs");
        let says = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "podman {args:?}: {says}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The names of all containers.
    pub fn containers(&self) -> Vec<String> {
        let names = self.run(&["ps", "--all", "--format", "{{.Names}}"]);
        names.lines().map(str::to_owned).collect()
    }

    /// photofinish with this podman.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.yard.command(args);
        self.place(&mut command);
        command
    }

    pub fn start(&self, args: &[&str]) -> Running {
        Running::start(self.command(args))
    }

    pub fn photofinish(&self, args: &[&str]) -> Ended {
        self.start(args).end()
    }

    /// A target whose container serves what the tests' studies ask for; `[start]` begins with these lines.
    pub fn target(&self, name: &str, start: &str) {
        // By which the yard finds what is left of it.
        let mark = folder(self.yard).display().to_string();
        let toml = format!(
            "title = \"a server in a container\"\n[start]\n{start}\nenv = {{ PORT = \"{{port}}\", PHOTOFINISH_TEST_YARD = \"{mark}\" }}\n\
             [ready]\npath = \"/plaintext\"\n"
        );
        self.yard.target(name, &toml);
    }
}

impl Drop for Podman<'_> {
    fn drop(&mut self) {
        // What a failed test has left.
        let mut command = Command::new("podman");
        self.place(&mut command);
        let _ = command.args(["rm", "--all", "--force"]).output();
    }
}

/// How the image is built.
pub fn containerfile() -> &'static str {
    "FROM scratch\nCOPY server /server\nENTRYPOINT [\"/server\"]\n"
}
