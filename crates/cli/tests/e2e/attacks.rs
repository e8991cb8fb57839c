//! Servers that put something else in the place of their log or their temporary folder, or print lines without an end: what is
//! reported is what was so, nothing hangs, and no other file is shown or removed.

use std::fs;

use crate::support::{GOOD, Yard, failure, measurements, script};

/// A script's path of its own log.
const OWN_LOG: &str = "L=$(readlink /proc/$$/fd/1); rm \"$L\"";

#[test]
fn what_a_server_puts_in_place_of_its_log_is_not_read() {
    let yard = Yard::new();
    let secret = yard.path("secret").display().to_string();
    fs::write(&secret, "the secret\n").expect("written");
    for (name, instead) in [
        ("pipe", "mkfifo \"$L\"".to_owned()),
        ("link", format!("ln -s {secret} \"$L\"")),
        ("device", "ln -s /dev/zero \"$L\"".to_owned()),
        ("folder", "mkdir \"$L\"".to_owned()),
    ] {
        yard.target(
            name,
            &script(&format!("echo {{port}}; {OWN_LOG}; {instead}; exit 3")),
        );
    }
    yard.target("good", GOOD).study(
        "s",
        &["pipe", "link", "device", "folder", "good"],
        "rounds = 1",
    );
    let ended = yard.run(&["run", "s"]).code(3);
    ended.never_says("the secret");
    let lines = measurements(&yard.result("s"));
    for line in lines.iter().filter(|line| line["target"] != "good") {
        let why = failure(line);
        assert!(why.contains("(exit status 3)"), "{why}");
        assert!(why.contains("it printed nothing"), "{why}");
    }
    assert_eq!(lines.len(), 5);
    let page = fs::read_to_string(yard.result("s").join("report.html")).expect("a page");
    assert!(!page.contains("the secret"));
    yard.wait_empty();
}

#[test]
fn a_line_without_an_end_fills_no_report() {
    let yard = Yard::new();
    let long = script("echo {port}; head -c 5000000 /dev/zero | tr '\\0' x; exit 3");
    yard.target("long", &long)
        .target("good", GOOD)
        .study("s", &["long", "good"], "rounds = 1");
    let ended = yard.run(&["run", "s"]).code(3);
    let ended = ended.says(&["(exit status 3)", "xxxx", " characters more)"]);
    assert!(ended.err.len() < 10_000, "{}", ended.err.len());
    for line in measurements(&yard.result("s")) {
        assert!(line["failure"].to_string().len() < 4_000);
    }
    yard.wait_empty();
}

#[test]
fn what_a_server_puts_in_place_of_its_temporary_folder_stays() {
    let link = script(
        "rm -rf \"$TMPDIR\"; ln -s YARD/precious \"$TMPDIR\"\nexec {photofinish} server event-loop --threads 1 --port {port}",
    );
    // To the end, and killed.
    for killed in [false, true] {
        let yard = Yard::new();
        let here = yard.path("").display().to_string();
        fs::create_dir(yard.path("precious")).expect("a folder");
        yard.write("precious/thesis", "years");
        yard.target("link", &link.replace("YARD", here.trim_end_matches('/')))
            .study("s", &["link"], "rounds = 3\nduration = \"300ms\"");
        let running = yard.start(&["run", "s"]);
        running.wait_for("(1 of 3,");
        if killed {
            running.signal("KILL");
            running.end();
        } else {
            running.end().code(0);
        }
        yard.wait_empty();
        let kept = fs::read_to_string(yard.path("precious/thesis"));
        assert_eq!(kept.ok().as_deref(), Some("years"));
    }
}
