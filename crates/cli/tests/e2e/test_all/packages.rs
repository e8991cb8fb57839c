//! What releases hold beside archives: a Debian package, and an image.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Yard;
use crate::test_all::containers::podman::{Podman, containerfile};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scripts")
        .join(name)
}

/// What a command prints; it succeeds.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {says}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_debian_package_has_the_program_its_manual_and_completions() {
    let yard = Yard::new();
    let has_dpkg = Command::new("dpkg-deb").arg("--version").output().is_ok();
    if !has_dpkg {
        eprintln!("skipped: there is no dpkg-deb, with which Debian packages are made");
        return;
    }
    // In place of the program, which takes a minute to be packed.
    let program = yard.path("program");
    fs::write(&program, "#!/bin/sh\necho runs\n").expect("a file");
    let out = yard.path("out");
    let mut pack = Command::new(script("deb"));
    pack.arg(&program).arg("amd64").arg(&out);
    run(pack.env("PHOTOFINISH", env!("CARGO_BIN_EXE_photofinish")));
    let version = env!("CARGO_PKG_VERSION");
    let package = out.join(format!("photofinish_{version}_amd64.deb"));
    let field = |name: &str| {
        let mut ask = Command::new("dpkg-deb");
        run(ask.arg("--field").arg(&package).arg(name))
            .trim()
            .to_owned()
    };
    assert_eq!(field("Package"), "photofinish");
    assert_eq!(field("Version"), version);
    let listed = run(Command::new("dpkg-deb").arg("--contents").arg(&package));
    for line in [
        "-rwxr-xr-x root/root",
        "./usr/share/man/man1/photofinish-compare.1.gz",
        "./usr/share/doc/photofinish/copyright",
    ] {
        assert!(listed.contains(line), "{line} in {listed}");
    }

    let root = yard.path("root");
    run(Command::new("dpkg-deb")
        .arg("--extract")
        .arg(&package)
        .arg(&root));
    let installed = root.join("usr/bin/photofinish");
    assert_eq!(run(&mut Command::new(installed)), "runs\n");
    let completions = root.join("usr/share/bash-completion/completions/photofinish");
    let completions = fs::read_to_string(completions).expect("a file");
    assert!(completions.contains("_clap_complete_photofinish"));
}

#[test]
fn an_image_holds_the_program() {
    let yard = Yard::new();
    let Some(podman) = Podman::new(&yard) else {
        return;
    };
    // In place of the distribution that it begins with, which no registry is asked for here.
    let empty = yard.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let nothing = containerfile().replace("COPY server /server\n", "");
    fs::write(empty.join("Containerfile"), nothing).expect("a file");
    let folder = empty.display().to_string();
    podman.run(&[
        "build",
        "--tag",
        "docker.io/library/debian:bookworm-slim",
        &folder,
    ]);
    let archive = yard.path("image.tar");
    let mut pack = Command::new(script("image"));
    podman.place(&mut pack);
    run(pack.arg(yard.path("image/server")).arg(&archive));
    podman.run(&["rmi", "--all", "--force"]);
    podman.run(&["load", "--input", &archive.display().to_string()]);
    let tag = format!("localhost/photofinish:{}", env!("CARGO_PKG_VERSION"));
    // The server, which ends where it is given no port.
    let args = ["create", "--name", "held", "--network", "host", &tag];
    podman.run(&args);
    let held = yard.path("held");
    podman.run(&[
        "cp",
        "held:/usr/local/bin/photofinish",
        &held.display().to_string(),
    ]);
    let same =
        fs::read(held).expect("a file") == fs::read(yard.path("image/server")).expect("a file");
    assert!(same);
}
