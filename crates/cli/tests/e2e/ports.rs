//! A load generator that runs out of local ports says so, and charges nothing to the server.

use std::process::Command;

use crate::files::lacks;
use crate::namespaces::may_skip;
use crate::support::{Running, Yard};

/// Loads a server over more connections than its machine has local ports: a network namespace with two of them for each of the loopback addresses
/// that a generator takes.
const SCRIPT: &str = r#"
ip link set lo up
echo "40000 40001" > /proc/sys/net/ipv4/ip_local_port_range
"$0" server event-loop --threads 1 --port 8099 > listens &
server=$!
until grep -q listening listens; do sleep 0.02; done
code=0
"$0" load http://127.0.0.1:8099/plaintext "$@" || code=$?
kill $server
exit $code
"#;

#[test]
fn ports_that_are_used_up_are_the_generator_s_in_closed_and_open_loops() {
    let no_ip = Command::new("ip").arg("-V").output().is_err();
    let lack = lacks("--net").or(no_ip.then_some("there is no ip (Debian: iproute2)"));
    if may_skip(lack) {
        return;
    }
    let yard = Yard::new();
    for flags in [
        &["-c", "200", "-d", "500ms"][..],
        &["-c", "200", "-d", "500ms", "--rate", "400"],
    ] {
        let mut command = Command::new("unshare");
        yard.place(&mut command);
        command.args(["--net", "sh", "-c", SCRIPT]);
        command.arg(env!("CARGO_BIN_EXE_photofinish")).args(flags);
        let ended = Running::start(command).end().code(3).says(&[
            "the load generator ran out of local ports, so this says nothing about the server's speed",
            "no free local port of 2",
        ]);
        assert!(
            !ended.err.contains("is the server running"),
            "{}",
            ended.err
        );
    }
}
