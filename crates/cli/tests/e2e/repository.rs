//! A git repository with a server in it, made by the test.

use std::process::Command;

use crate::support::Yard;

/// A repository of a server with two commits: `main`, and a branch `work`, which is checked out, that changes a comment.
pub fn repository() -> Yard {
    let yard = Yard::new();
    git(&yard, &["init", "--quiet", "--initial-branch=main"]);
    yard.write(
        ".gitignore",
        "cache/\nstate/\nresults/\nserver.sh\nout/\nbin/\n",
    );
    let serve = "exec $1 server event-loop --threads 1 --port $2\n";
    yard.write("server.in", serve);
    commit(&yard, "A server");
    git(&yard, &["switch", "--quiet", "--create", "work"]);
    yard.write("server.in", format!("# Better.\n{serve}"));
    commit(&yard, "A comment");
    yard
}

/// What git prints.
pub fn git(yard: &Yard, args: &[&str]) -> String {
    let mut command = Command::new("git");
    yard.place(&mut command);
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    let ended = command.args(identity).args(args).output().expect("git");
    assert!(ended.status.success(), "git {args:?}: {ended:?}");
    String::from_utf8_lossy(&ended.stdout).trim().to_owned()
}

pub fn commit(yard: &Yard, message: &str) {
    git(yard, &["add", "--all"]);
    git(yard, &["commit", "--quiet", "--message", message]);
}
