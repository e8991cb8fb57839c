//! What a mistake in a target file is reported as.

use super::{mistakes_in, read_target};

/// A target that is right but for what is put in its places.
fn target(head: &str, start: &str, tail: &str) -> String {
    format!("title = \"t\"\n{head}\n[start]\n{start}\n{tail}\n")
}

const START: &str = "command = [\"server\", \"--port\", \"{port}\"]";

fn tails(tails: &[&str]) -> String {
    mistakes_in(tails, |tail| read_target("t", &target("", START, tail)))
}

#[test]
fn missing_parts() {
    insta::assert_snapshot!(mistakes_in(&["", "title = \"t\"\n[start]\n"], |text| {
        read_target("t", text)
    }));
}

#[test]
fn unknown_keys() {
    insta::assert_snapshot!(tails(&[
        "[redy]",
        "[ready]\npaht = \"/\"",
        "[variant.x]\njvm_flags = [\"-Xmx1g\"]",
    ]));
}

#[test]
fn needs() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "needs = { jdk = \"^21\" }",
            "needs = { java = \"21\" }",
            "needs = { jdk = 21 }"
        ],
        |head| read_target("t", &target(head, START, ""))
    ));
}

#[test]
fn start() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "command = \"java -jar app.jar --port={port}\"",
            "command = []",
            "command = [\"server\"]",
            "command = [\"server\", \"{prot}\", \"{port}\"]",
            "command = [\"{java}\", \"{port}\"]",
            "command = [\"x{jvm_flags}\", \"{port}\"]",
            "command = [\"x\", \"{port}\"]\njvm-flags = [\"-Xmx1g\"]",
            "command = [\"x\", \"{jvm_flags}\", \"{port}\"]\njvm-flags = [\"Xmx1g\"]",
            "command = [\"x\", \"{jvm_flags}\", \"{port}\"]\njvm-flags = [\"-XX:ActiveProcessorCount={cpu}\"]",
            "command = [\"x\"]\nport = 70000",
            "command = [\"x\", \"{port}\"]\nenv = { \"A=B\" = \"c\" }",
            "command = [\"x\", \"{port}\"]\nenv = { A = \"{jvm_flags}\" }",
            "command = [\"x\", \"{port}\"]\nenv = { A = 7 }",
        ],
        |start| read_target("t", &target("", start, ""))
    ));
}

#[test]
fn containers() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "image = \"app:1\"",
            "image = \"--privileged app:1\"\nport = 80",
            "image = \"app:1\"\ncontainerfile = \"Containerfile\"\nport = 80",
            "containerfile = \"../Containerfile\"\nport = 80",
            "image = \"app:1\"\ncommand = [\"{dir}/server\", \"{port}\"]",
            "image = \"app:1\"\nenv = { PORT = \"{port}\", TMPDIR = \"{temp}\" }",
            "image = \"app:1\"\nsocket = \"/run/app.sock\"",
            "image = \"app:1\"\nport = 80\njvm-flags = [\"-Xmx1g\"]",
        ],
        |start| read_target("t", &target("", start, ""))
    ));
    insta::assert_snapshot!(tails(&["[variant.new]\nimage = \"app:2\""]));
}

#[test]
fn build_ready_and_stop() {
    insta::assert_snapshot!(tails(&[
        "[build]\ntimeout = \"5m\"",
        "[build]\ncommand = [\"make\", \"PORT={port}\"]",
        "[build]\ncommand = [\"make\"]\ntimeout = \"9h\"",
        "[ready]\npath = \"plaintext\"",
        "[ready]\ntimeout = \"0s\"",
        "[stop]\ngrace = 5",
        "[stop]\ncleanup = \"rm -rf data\"",
        "[stop]\ncleanup = [\"rm\", \"{temp}/data\"]",
    ]));
}

#[test]
fn variants() {
    insta::assert_snapshot!(tails(&[
        "[variant.\"Virtual Threads\"]",
        "[variant]\nvirtual = \"yes\"",
        "[variant.x]\nbuild-command = [\"make\"]",
        "[variant.x]\nstart-command = [\"server\"]",
        "[variant.x]\njvm-flags = [\"-Xmx1g\"]",
    ]));
}

#[test]
fn a_mistake_of_the_base_is_reported_once() {
    let text = target("", "command = [\"x\"]", "[variant.a]\n[variant.b]");
    let error = read_target("t", &text).unwrap_err();
    assert!(matches!(error, crate::Error::Files(problems) if problems.len() == 1));
}
