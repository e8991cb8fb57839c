//! Rounds that two pairs of machines share: servers on a with load from b, and both on c.

use std::fs;
use std::process::Command;

use crate::namespaces::{folder, sh};
use crate::support::{Yard, all_good, measurements, records, wait_until};
use crate::test_all::machines::yard;

use super::net::Net;

/// Machines, and a file with the two pairs.
fn pairs(yard: &Yard) -> Option<Net> {
    let net = Net::new(yard)?;
    let dir = folder(yard);
    let machine = |key: &str, name: &str| {
        let config = dir.display();
        format!("{key} = {{ ssh = \"{name}\", ssh-options = [\"-F\", \"{config}/ssh-config\"] }}\n")
    };
    let pair = |server: &str, generator: &str| {
        let (server, generator) = (machine("server", server), machine("generator", generator));
        format!("[[pair]]\n{server}{generator}")
    };
    yard.write("pairs.toml", pair("a", "b") + &pair("c", "c"));
    Some(net)
}

#[test]
fn two_pairs_of_machines_share_the_rounds() {
    let yard = yard("duration = \"500ms\"");
    let Some(net) = pairs(&yard) else { return };
    let args = ["run", "far", "--on", "pairs.toml", "--rounds", "6"];
    let ended = net.start(&yard, &args).end().code(0);
    ended.prints(&[
        "on these 2 pairs of machines: ",
        "takes 4 pairs of machines",
    ]);
    let run = yard.result("far");
    let mut all = 0;
    for pair in ["a", "c"] {
        let lines = measurements(&run.join(pair));
        // Each pair has measured rounds, and all of both servers.
        assert!(
            !lines.is_empty() && lines.len().is_multiple_of(2),
            "{pair}: {lines:?}"
        );
        all_good(&lines);
        all += lines.len();
        assert!(run.join(pair).join("report.html").is_file());
    }
    assert_eq!(all, 12);
    assert!(run.join("report.html").is_file());
    let report = net
        .start(&yard, &["report", &run.display().to_string()])
        .end();
    report
        .code(0)
        .prints(&["on these 2 pairs of machines: ", "pair of machines  "]);
    drop(net);
    yard.wait_empty();
}

/// Both pairs measure a round each, then all are analysed together: a half-width takes five rounds, and three waves have six.
#[test]
fn rounds_are_added_until_both_pairs_together_are_decided() {
    let yard = yard("duration = \"500ms\"");
    let Some(net) = pairs(&yard) else { return };
    let of_claims = ["run", "far", "--on", "pairs.toml", "--fail-if", "claims"];
    let refused = net.start(&yard, &of_claims).end().code(2);
    refused.says(&["claims are judged for each pair of machines by itself"]);
    let args = [
        "run",
        "far",
        "--on",
        "pairs.toml",
        "--half-width",
        "90%",
        "--fail-if",
        "good.throughput < 1",
        "--fail-if",
        "good.throughput > other.throughput * 0.1",
        "--junit",
        "junit.xml",
    ];
    let ended = net.start(&yard, &args).end().code(1);
    ended.says(&[
        "--fail-if 'good.throughput < 1': PASSED",
        "--fail-if 'good.throughput > other.throughput * 0.1': FAILED",
        "after 2 rounds on all pairs of machines: ",
        "decided after 6 rounds on all pairs of machines",
    ]);
    let run = yard.result("far");
    for pair in ["a", "c"] {
        let lines = measurements(&run.join(pair));
        all_good(&lines);
        assert_eq!(lines.len(), 6, "{pair}: {lines:?}");
        // Nothing but the analysis has ended the rounds.
        assert!(records(&run.join(pair).join("time-over.jsonl")).is_empty());
    }
    let junit = fs::read_to_string(yard.path("junit.xml")).expect("a file");
    for words in [
        "good.throughput &lt; 1",
        "<failure message=\"FAILED: ",
        "name=\"c: ",
    ] {
        assert!(junit.contains(words), "{words}: {junit}");
    }
    // The run is listed, found and has a place in the history as one.
    let folder = run.display().to_string();
    let list = net.start(&yard, &["report"]).end().code(0);
    list.prints(&["results/far/", "on these 2 pairs of machines: "]);
    let gate = ["report", "latest", "--fail-if", "good.throughput > 1"];
    let latest = net.start(&yard, &gate).end().code(1);
    latest.prints(&["on these 2 pairs of machines: "]);
    let study = run.parent().expect("a folder").display().to_string();
    for given in [&study, &folder] {
        let history = net.start(&yard, &["history", given]).end().code(0);
        history.prints(&["1 run of far", "good"]);
    }
    drop(net);
    yard.wait_empty();
}

#[test]
fn a_pair_that_is_lost_is_named_and_the_other_one_has_its_rounds() {
    let yard = yard("duration = \"2s\"");
    let Some(net) = pairs(&yard) else { return };
    let args = ["run", "far", "--on", "pairs.toml", "--rounds", "4"];
    let run = net.start(&yard, &args);
    let c = net.spaces.name(3);
    wait_until("a server is up on c", || {
        let script = format!(
            "for pid in $(ip netns pids {c}); do tr '\\0' ' ' < /proc/$pid/cmdline; echo; done"
        );
        let listed = Command::new("sh").args(["-c", &script]).output();
        let listed = String::from_utf8_lossy(&listed.expect("a shell").stdout).into_owned();
        listed
            .contains("server event-loop")
            .then_some(())
            .ok_or(listed)
    });
    sh(&format!(
        "for pid in $(ip netns pids {c}); do case $(tr '\\0' ' ' < /proc/$pid/cmdline) in *' agent ') kill -9 $pid;; esac; done"
    ));
    let ended = run.end();
    assert!(
        ended
            .err
            .contains("c ended early, and the other pairs of machines have its rounds: "),
        "{}",
        ended.err
    );
    let lines = measurements(&yard.result("far").join("a"));
    let good = lines.iter().filter(|line| line["measurement"].is_object());
    assert_eq!(good.count(), 8);
    drop(net);
    yard.wait_empty();
}
