//! What harms the machine or the truth, each found by attack: nothing of it happens.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Instant;

use photofinish_model::text::{is_clean, no_commands};

use crate::stand_in;
use crate::support::{GOOD, Running, Yard, script, wait_until};

/// A command that hangs ends by this limit, in seconds, with exit status 124.
const LIMIT: &str = "60";

/// photofinish under a shell's `ulimit`s and with a limit of time.
fn limited(yard: &Yard, ulimit: &str, args: &[&str]) -> Command {
    let mut command = Command::new("bash");
    yard.place(&mut command);
    command
        .arg("-c")
        .arg(format!("{ulimit} && exec timeout {LIMIT} \"$@\""))
        .arg("bash")
        .arg(env!("CARGO_BIN_EXE_photofinish"))
        .args(args);
    command
}

fn pipe(yard: &Yard, name: &str) {
    let made = Command::new("mkfifo").arg(yard.path(name)).status();
    assert!(made.expect("mkfifo").success());
}

#[test]
fn resuming_removes_nothing_that_the_run_did_not_make() {
    let yard = Yard::of(&["a"], "rounds = 1");
    yard.run(&["run", "s"]).code(0);
    let results = yard.result("s");
    let precious = yard.path("precious");
    fs::create_dir(&precious).expect("a folder");
    fs::write(precious.join("thesis"), "years").expect("a file");
    fs::create_dir_all(results.join("services/photofinish-mine")).expect("a folder");
    symlink(&precious, results.join("services/photofinish-x")).expect("a link");
    let dir = results.display().to_string();
    yard.run(&["run", "s", "--resume", &dir]).code(0);
    let kept = fs::read_to_string(precious.join("thesis"));
    assert_eq!(kept.ok().as_deref(), Some("years"));
    assert!(results.join("services/photofinish-mine").is_dir());
}

#[test]
fn runs_that_begin_in_one_second_have_a_folder_each() {
    const RUNS: usize = 3;
    let results = Yard::new();
    let into = results.path("results").display().to_string();
    let yards: Vec<Yard> = (0..RUNS)
        .map(|n| {
            let yard = Yard::new();
            yard.target("a", GOOD).study(
                "s",
                &["a"],
                &format!("rounds = 1\nnotes = \"number {n}\""),
            );
            yard
        })
        .collect();
    let running: Vec<_> = yards
        .iter()
        .map(|yard| yard.start(&["run", "s", "--results", &into]))
        .collect();
    for running in running {
        running.end().code(0);
    }
    let folders = results.results("s");
    assert_eq!(folders.len(), RUNS, "{folders:?}");
    let texts: BTreeSet<String> = folders
        .iter()
        .map(|folder| {
            let text = fs::read_to_string(folder.join("study.toml")).expect("a study");
            let record = fs::read_to_string(folder.join("study.json")).expect("a record");
            let note = text.lines().find(|line| line.starts_with("notes"));
            let note = note.and_then(|line| line.split('"').nth(1)).expect("notes");
            assert!(record.contains(note), "{note} in {record}");
            note.to_owned()
        })
        .collect();
    assert_eq!(texts.len(), RUNS, "{texts:?}");
}

#[test]
fn named_pipes_in_place_of_files_are_refused() {
    let yard = Yard::of(&["a"], "rounds = 1");
    yard.run(&["run", "s"]).code(0);
    let results = yard.result("s");
    pipe(&yard, "studies/p.toml");
    pipe(&yard, "audited");
    let said = "it is not a regular file";
    let refused = |args: &[&str], code: i32| {
        Running::start(limited(&yard, "true", args))
            .end()
            .code(code)
            .says(&[said]);
    };
    refused(&["run", "studies/p.toml"], 2);
    refused(&["audit", "audited"], 2);
    fs::remove_file(results.join("measurements.jsonl")).expect("it is there");
    let relative = results.strip_prefix(yard.path("")).expect("below");
    let relative = relative.display().to_string();
    pipe(&yard, &format!("{relative}/measurements.jsonl"));
    refused(&["report", &relative], 2);
}

#[test]
fn a_study_of_mistakes_is_reported_at_once() {
    let yard = Yard::of(&["a"], "rounds = 1");
    let file = yard.path("studies/s.toml");
    let sound = fs::read_to_string(&file).expect("a study");
    let takes = |count: usize| {
        let mistakes: String = (0..count).map(|n| format!("key-{n} = 1\n")).collect();
        fs::write(&file, format!("{mistakes}{sound}")).expect("written");
        let begun = Instant::now();
        yard.run(&["run", "s"]).code(2).says(&[
            &format!("{count} mistakes in studies/s.toml"),
            &format!("and {} more", count - 100),
        ]);
        begun.elapsed()
    };
    // Eight times as many take eight times as long; they took 64 times as long when each was held against all others.
    assert!(takes(16_000) < takes(2_000) * 30);
    fs::write(&file, "#".repeat(5 * 1024 * 1024)).expect("written");
    yard.run(&["run", "s"])
        .code(2)
        .says(&["studies/s.toml", "it is larger than 4194304 bytes"]);
}

#[test]
fn a_mistake_far_to_the_right_is_reported() {
    let yard = Yard::of(&["a"], "rounds = 1");
    let file = yard.path("studies/s.toml");
    let sound = fs::read_to_string(&file).expect("a study");
    let long = format!("x = {{ {}y = 1 }}\n{sound}", " ".repeat(70_000));
    for text in [
        long.clone(),
        long.replace("x = {", "notes = {"),
        format!("rounds {}= = 1\n{sound}", " ".repeat(70_000)),
        format!("# {}\nrownds = 1\n{sound}", "x".repeat(70_000)),
    ] {
        fs::write(&file, text).expect("written");
        let ended = yard.run(&["run", "s"]).code(2);
        let ended = ended.says(&["studies/s.toml:"]);
        assert!(ended.err.len() < 4_000, "{}", ended.err.len());
    }
}

#[test]
fn a_file_that_may_not_grow_is_an_error_with_words() {
    let yard = Yard::of(&["a"], "rounds = 3\nconnections = [1, 2, 3, 4]");
    // 4 blocks of 1 KiB: the study fits, the measurements do not.
    let args = ["run", "s"];
    Running::start(limited(&yard, "ulimit -f 4", &args))
        .end()
        .code(3)
        .says(&["File too large"]);
    yard.wait_empty();
}

#[test]
fn nohup_is_respected() {
    let yard = Yard::of(&["a"], "rounds = 3");
    let args = ["run", "s"];
    let mut command = Command::new("bash");
    yard.place(&mut command);
    command
        .args(["-c", "trap '' HUP; exec \"$@\"", "bash"])
        .arg(env!("CARGO_BIN_EXE_photofinish"))
        .args(args);
    let running = Running::start(command);
    running.wait_for("(1 of 3,");
    running.signal("HUP");
    running.end().code(0);
}

#[test]
fn a_server_that_floods_its_log_fills_no_disk() {
    let yard = Yard::new();
    let flood = script(
        "yes 'a line of a log that nobody reads' & exec {photofinish} server event-loop --threads 1 --port {port}",
    );
    yard.target("a", &flood)
        .study("s", &["a"], "rounds = 1\nduration = \"2s\"");
    let running = yard.start(&["run", "s"]);
    let mut largest = 0;
    wait_until("it has measured", || {
        let logs = yard.results("s").first().map(|dir| dir.join("logs"));
        for file in logs
            .and_then(|dir| fs::read_dir(dir).ok())
            .into_iter()
            .flatten()
            .flatten()
        {
            largest = largest.max(file.metadata().map_or(0, |m| m.len()));
        }
        match running.err().contains("(1 of 1,") {
            true => Ok(()),
            false => Err(running.err()),
        }
    });
    running.end().code(0);
    let log = fs::read_dir(yard.result("s").join("logs"))
        .expect("logs")
        .flatten()
        .map(|file| file.path())
        .max_by_key(|file| file.metadata().map_or(0, |m| m.len()))
        .expect("a log");
    let text = fs::read_to_string(&log).expect("text");
    assert!(text.len() < 4 * 1024 * 1024, "{}", text.len());
    assert!(text.contains("left out"), "{}", &text[text.len() - 200..]);
    println!("largest: {largest}, at the end: {}", text.len());
    yard.wait_empty();
}

#[test]
fn threads_that_cannot_be_had_are_an_error_with_words() {
    let yard = Yard::of(&["a"], "rounds = 1");
    // Root may start as many as it likes: the limit holds for others.
    let program = yard.path("photofinish");
    fs::copy(env!("CARGO_BIN_EXE_photofinish"), &program).expect("a copy");
    let open = Command::new("chmod")
        .args(["-R", "a+rwX"])
        .arg(yard.path(""))
        .status();
    assert!(open.expect("chmod").success());
    for most in 1..12 {
        let mut command = Command::new("bash");
        yard.place(&mut command);
        let run = format!(
            "ulimit -u $(($(ps --no-headers -Lu 64321 | wc -l) + {most})); exec timeout {LIMIT} {} run s",
            program.display()
        );
        command.args([
            "-c",
            "exec setpriv --reuid=64321 --regid=64321 --clear-groups bash -c \"$0\"",
            &run,
        ]);
        let ended = Running::start(command).end();
        ended.never_says("panicked");
        assert_ne!(ended.status.code(), Some(101), "{most}: {}", ended.err);
    }
    yard.wait_empty();
}

/// What a terminal would act upon, or not show, and what the log of a CI job would take for a command.
fn acts(text: &str) -> Option<String> {
    let mut chars = text.chars().filter(|c| !"\n\t".contains(*c));
    let c = chars.find(|c| !is_clean(&c.to_string()));
    let command = || text.lines().find(|line| no_commands(line) != *line);
    c.map(|c| c.to_string())
        .or_else(|| command().map(str::to_owned))
}

#[test]
fn nothing_that_others_wrote_acts_on_the_terminal() {
    let yard = Yard::new();
    let evil = r"::error::owned ##[error]owned \u001b]0;owned\u0007\u001b[2J\u009b31m\r\u202e\u00ad\u061c\U000e0041";
    let target =
        script(r"printf '\033]0;owned\007\033[2J\302\23331m\342\200\256\r last words\n::error::owned\n  ::set-output name=a::b\n##[error]owned\n'; exit 3")
            .replace("a script", evil)
            .replace("[ready]", "env = { PORT = \"{port}\" }\n[ready]");
    yard.target("bad", &target)
        .target("good", &GOOD.replace("a server", evil))
        .study(
            "s",
            &["bad", "good"],
            &format!("title = \"{evil}\"\nnotes = \"{evil}\"\nrounds = 1"),
        );
    let ended = yard.run(&["run", "s"]).code(3).says(&["last words"]);
    for (name, text) in [("err", &ended.err), ("out", &ended.out)] {
        assert_eq!(acts(text), None, "{name}: {text:?}");
    }
    let results = yard.result("s").display().to_string();
    for args in [
        &["report", &results][..],
        &["report", &results, "-v"],
        &["report", &results, "--markdown", "-"],
        &["report", &results, "--csv", "-"],
        &["report", &results, "--json", "-"],
        &["report", &results, "--html", "page.html"],
        &["report", &results, "--junit", "-"],
        &["report", &results, &results],
        &["report", &results, &results, "--csv", "-"],
        &["history", &results, &results],
        &["list"],
        &["list", "--json"],
        &["run", "s", "--resume", &results],
    ] {
        let ended = yard.run(args);
        for text in [&ended.err, &ended.out] {
            assert_eq!(acts(text), None, "{args:?}: {text:?}");
        }
    }
    // Arguments, and names and contents of files.
    yard.write("studies/\u{1b}[2J\u{202e}.toml", "");
    yard.write(
        "evil",
        "\u{1b}]0;owned\u{7} Requests/sec: 1\n::error::x ##[error]x\n",
    );
    for args in [
        &["run", "\u{1b}]0;owned\u{7}"][..],
        &["report", "\u{1b}[2J"],
        &["audit", "\u{1b}[2J"],
        &["audit", "evil"],
        &["load", "http://\u{1b}[2J/"],
        &["run", "::error::owned::"],
        &["report", "##[error]owned"],
        &["audit", "evil", "--json"],
        &["compare", "\u{1b}]0;owned\u{7}", "false"],
        &["list"],
        &["list", "--json"],
        &["run", "--\u{202e}"],
        &["run", "s", "--rounds", "\u{202e}\u{ad}1"],
        &["\u{9b}2J"],
    ] {
        let ended = yard.run(args);
        for text in [&ended.err, &ended.out] {
            assert_eq!(acts(text), None, "{args:?}: {text:?}");
        }
    }
}

#[test]
fn a_folder_whose_name_is_no_text_is_one_like_any_other() {
    let yard = Yard::of(&["a"], "duration = \"300ms\"\nrounds = 9");
    let mut command = yard.command(&["run", "s", "--results"]);
    command.arg(OsStr::from_bytes(b"r\xff"));
    let running = Running::start(command);
    running.wait_for("(1 of 9,");
    running.signal("INT");
    running.end().code(3).says(&[
        "interrupted; every finished",
        "Resume with: photofinish run s --results",
    ]);
    let folder = yard.path("").join(OsStr::from_bytes(b"r\xff/s"));
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 1);
    yard.wait_empty();
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    let yard = Yard::of(&["a"], "rounds = 1");
    yard.run(&["run", "s"]).code(0);
    let results = yard.result("s");
    let file = results.join("measurements.jsonl");
    let sound = fs::read_to_string(&file).expect("measurements");
    // Study files take no such names, but results may come from anywhere.
    for name in ["=cmd|' /C calc'!A1", "+1+1", "-1+1", "@SUM(1)", "\\t=1"] {
        let named = sound.replace("\"target\":\"a\"", &format!("\"target\":\"{name}\""));
        assert_ne!(named, sound);
        fs::write(&file, named).expect("written");
        let results = results.display().to_string();
        let csv = yard.run(&["report", &results, "--csv", "-"]).code(0).out;
        let cells = csv
            .lines()
            .flat_map(|line| line.split(','))
            .map(|cell| cell.trim_start_matches('"'));
        let is_formula = |cell: &&str| {
            cell.starts_with(['=', '+', '-', '@', '\t']) && cell.parse::<f64>().is_err()
        };
        assert_eq!(cells.clone().find(is_formula), None, "{csv}");
        assert!(cells.clone().any(|cell| cell.starts_with('\'')), "{csv}");
    }
}

#[test]
fn somebody_elses_server_is_not_measured_in_place_of_a_target() {
    let yard = Yard::new();
    let file = yard.path("port").display().to_string();
    let idle = script(&format!(
        "echo {{port}} > {file}.new; mv {file}.new {file}; exec sleep 600"
    ));
    yard.target("idle", &idle)
        .study("s", &["idle"], "rounds = 1");
    let running = yard.start(&["run", "s"]);
    yard.wait_file("port", &running);
    let port = fs::read_to_string(yard.path("port")).expect("a port");
    let port: u16 = port.trim().parse().expect("a port");
    // Responds as the target should.
    stand_in::serve(port, |_| stand_in::response("200 OK", "", "Hello, World!"));
    let says = format!("port {port}, which idle needs, is taken by process ");
    running.end().code(3).says(&[&says]);
    yard.wait_empty();
}
