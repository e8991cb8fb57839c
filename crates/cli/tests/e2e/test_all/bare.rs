//! What is released runs on a Debian that has nothing else: the archive, the package and the image, each with a race.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::namespaces::may_skip;
use crate::support::{SHORT, Yard};
use crate::test_all::containers::podman::Podman;

const DEBOOTSTRAP: &str = "/usr/sbin/debootstrap";

/// Runs a command in a root file system with this machine's devices and processes; the mounts end with it.
const INSIDE: &str = "mount --rbind /dev \"$1/dev\" && mount --rbind /sys \"$1/sys\" && mount -t proc proc \"$1/proc\" && \
                      exec chroot \"$1\" /bin/sh -ec \"$2\"";

fn lacks() -> Option<&'static str> {
    let id = Command::new("id").arg("-u").output().expect("id");
    match (id.stdout == b"0\n", Path::new(DEBOOTSTRAP).exists()) {
        (false, _) => Some("a root file system takes root"),
        (_, false) => Some("there is no debootstrap (Debian: debootstrap)"),
        _ => None,
    }
}

/// What a command prints; it succeeds.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    let says = String::from_utf8_lossy(&output.stderr);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}: {says}{out}");
    out.into_owned()
}

/// The release of this Debian, of which the program under test needs the libraries, and where its packages come from.
fn release() -> (String, String) {
    let system = fs::read_to_string("/etc/os-release").expect("a file");
    let names = system.lines();
    let mut name = names.filter_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let name = name.next_back().expect("a name").to_owned();
    let targets =
        run(Command::new("apt-get").args(["indextargets", "--format", "$(SITE) $(RELEASE)"]));
    let mut targets = targets.lines().filter_map(|line| line.split_once(' '));
    let site = targets
        .find(|(_, release)| *release == name)
        .expect("a site");
    (name, site.0.to_owned())
}

/// A Debian with what every Debian has.
fn debian(yard: &Yard) -> PathBuf {
    let root = yard.path("debian");
    let (name, site) = release();
    let mut make = Command::new(DEBOOTSTRAP);
    run(make.args(["--variant=minbase", &name]).arg(&root).arg(site));
    root
}

/// A short race of two built-in servers, for a shell.
fn race(photofinish: &str) -> String {
    let server = |kind: &str| format!("'{photofinish} server {kind} --port {{port}}'");
    format!(
        "{photofinish} compare {} {} --names event-loop,threads --url 'http://127.0.0.1:{{port}}/plaintext' -c 4 {}",
        server("event-loop"),
        server("thread-per-connection"),
        SHORT
    )
}

#[test]
fn archive_package_and_image_race_on_a_bare_debian() {
    let yard = Yard::new();
    if may_skip(lacks()) {
        return;
    }
    let Some(podman) = Podman::new(&yard) else {
        return;
    };
    let root = debian(&yard);
    // What the image begins with.
    let archive = yard.path("debian.tar");
    run(Command::new("tar")
        .arg("-C")
        .arg(&root)
        .arg("-cf")
        .arg(&archive)
        .arg("."));
    let base = "docker.io/library/debian:bookworm-slim";
    podman.run(&["import", &archive.display().to_string(), base]);

    let packed = root.join("packed");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/dist");
    let mut pack = Command::new(script);
    podman.place(&mut pack);
    run(pack
        .env("DIST_PROGRAM", env!("CARGO_BIN_EXE_photofinish"))
        .env("DIST_FOLDER", &packed)
        .env("DIST_IMAGE", "yes")
        .env("DEB_COMPRESSION", "none"));

    let inside = |command: &str| {
        let mut unshared = Command::new("unshare");
        yard.place(&mut unshared);
        unshared.args([
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            INSIDE,
            "sh",
        ]);
        run(unshared.arg(&root).arg(command))
    };
    let has_ended = |printed: String| {
        for part in ["event-loop", "threads", "requests/s", "report.html"] {
            assert!(printed.contains(part), "no {part} in:\n{printed}");
        }
    };
    inside(
        "mkdir /opt/photofinish; tar -C /opt/photofinish --strip-components 1 -xzf /packed/*.tar.gz",
    );
    has_ended(inside(&race("/opt/photofinish/photofinish")));
    inside("apt-get install --yes --no-install-recommends /packed/*.deb");
    has_ended(inside(&race("photofinish")));

    podman.run(&["rmi", "--all", "--force"]);
    let image = fs::read_dir(&packed).expect("a folder").flatten();
    let mut images = image.map(|entry| entry.path().display().to_string());
    let image = images
        .find(|path| path.ends_with("-image.tar"))
        .expect("an image");
    podman.run(&["load", "--input", &image]);
    let tag = format!("localhost/photofinish:{}", env!("CARGO_PKG_VERSION"));
    let command = race("photofinish");
    has_ended(podman.run(&[
        "run",
        "--rm",
        "--network",
        "host",
        &tag,
        "sh",
        "-c",
        &command,
    ]));
    yard.wait_empty();
}
