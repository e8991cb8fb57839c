//! What a run leaves, drawn again: `report`, and the commands that only show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::{Ended, GOOD, Yard, measurements};

/// The files of a finished race of two targets at two levels, in three rounds: two that differ much decide nothing, which a busy machine may
/// bring about. It is run once.
static RACE: LazyLock<Vec<(PathBuf, Vec<u8>)>> = LazyLock::new(|| {
    let yard = Yard::of(&["a", "b"], "rounds = 3\nconnections = [2, 4]");
    yard.run(&["run", "s"]).code(0);
    let mut folders = vec![yard.path("")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let bytes = fs::read(&path).expect("a file");
                    let relative = path.strip_prefix(yard.path("")).expect("below");
                    files.push((relative.to_owned(), bytes));
                }
            }
        }
    }
    files
});

/// A folder in which that race was run.
fn raced() -> Yard {
    let yard = Yard::new();
    for (path, bytes) in RACE.iter() {
        let path = yard.path("").join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    yard
}

/// The report on the race of a yard, by these flags.
fn report(yard: &Yard, flags: &str) -> Ended {
    yard.run(&format!("report {} {flags}", yard.result("s").display()))
}

#[test]
fn every_format_has_the_figures_that_were_measured() {
    let yard = raced();
    let lines = measurements(&yard.result("s"));
    assert_eq!(lines.len(), 12);

    let json = report(&yard, "--json -").code(0).json();
    for line in &lines {
        let cells = json["cells"].as_array().expect("cells");
        let cell = cells
            .iter()
            .find(|cell| cell["load"] == line["load"])
            .expect("its cell");
        let targets = cell["targets"].as_array().expect("targets");
        let target = targets
            .iter()
            .find(|target| target["target"] == line["target"])
            .expect("its target");
        let round = line["round"].as_u64().expect("a round") as usize - 1;
        let measured = &line["measurement"];
        let figures = &target["figures"];
        assert_eq!(
            figures["throughput"]["rounds"][round],
            measured["throughput_rps"]
        );
        for percentile in ["mean", "p50", "p99", "p999", "max"] {
            assert_eq!(
                figures[percentile]["rounds"][round],
                measured["latency_us"][percentile]
            );
        }
    }

    let csv = report(&yard, "--csv -").code(0);
    let mut rows = csv
        .out
        .lines()
        .map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let column = |name: &str| {
        header
            .iter()
            .position(|known| *known == name)
            .expect("a column")
    };
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(&lines) {
        let number = |name: &str| row[column(name)].parse::<f64>().expect("a number");
        let same =
            |name: &str, value: &Value| assert_eq!(Some(number(name)), value.as_f64(), "{name}");
        let measured = &line["measurement"];
        assert_eq!(Some(row[column("target")]), line["target"].as_str());
        same("round", &line["round"]);
        same("requests", &measured["requests"]);
        same("throughput_rps", &measured["throughput_rps"]);
        same("latency_p50_us", &measured["latency_us"]["p50"]);
        same("latency_p99_us", &measured["latency_us"]["p99"]);
        same("latency_max_us", &measured["latency_us"]["max"]);
    }

    let markdown = report(&yard, "--markdown -").code(0);
    let headline = json["headline"]["en"].as_str().expect("a headline");
    assert!(markdown.out.contains(headline), "{}", markdown.out);
    assert!(
        markdown.out.contains("| server | requests/s |"),
        "{}",
        markdown.out
    );

    // Several at once, into files.
    report(&yard, "--markdown r.md --csv r.csv --json r.json").code(0);
    for (file, printed) in [("r.md", &markdown.out), ("r.csv", &csv.out)] {
        let written = fs::read_to_string(yard.path(file)).expect("a file");
        assert_eq!(written.trim_end(), printed.trim_end());
    }
}

/// The flags that write something to a file.
const FILES: [&str; 5] = ["--html", "--markdown", "--json", "--csv", "--junit"];

#[test]
fn a_dash_is_standard_output_for_every_file() {
    let yard = raced();
    let holds = |flag: &str, out: &str| match flag {
        "--html" => out.starts_with("<!doctype html>"),
        "--markdown" => out.starts_with("# a test\n"),
        "--json" => serde_json::from_str::<Value>(out).is_ok(),
        "--csv" => out.starts_with("round,trial,order,target,"),
        _ => out.starts_with("<?xml") && out.trim_end().ends_with("</testsuites>"),
    };
    for flag in FILES {
        let out = report(&yard, &format!("{flag} -")).code(0).out;
        assert!(holds(flag, &out), "{flag}: {out}");
        let results = yard.result("s").display().to_string();
        let days = report(&yard, &format!("{results} {flag} -")).code(0).out;
        assert!(
            !days.contains("nothing differs\n\n") && days.lines().count() > 0,
            "{flag}: {days}"
        );
        assert!(!yard.path("-").exists(), "{flag}");
    }
    // In place of the verdict, at the end of a race.
    for flag in ["--json", "--junit"] {
        let results = yard.result("s").display().to_string();
        let resume = format!("run s --resume {results} {flag} -");
        let out = yard.run(&resume).code(0).out;
        assert!(holds(flag, out.trim_start()), "{flag}: {out}");
    }
    report(&yard, "--json - --junit -")
        .code(2)
        .says(&["--json - and --junit -: both are written to standard output"]);
    report(&yard, "--html x --csv x")
        .code(2)
        .says(&["--html x and --csv x: both are written to one file; give each its own"]);
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_measuring() {
    let yard = raced();
    fs::create_dir(yard.path("folder")).expect("a folder");
    yard.write("file", "");
    let before = yard.results("s");
    let dir = before[0].display().to_string();
    let refused = |args: &[&str], flag: &str, file: &str, why: &str| {
        let ended = yard.run(&[args, &[flag, file]].concat()).code(2);
        let ended = ended.says(&[&format!("{flag} {file}: {why}")]);
        assert_eq!(ended.out, "", "{args:?}");
    };
    // Every flag, every reason and every command: which of them meet makes no difference.
    for (flag, (file, why)) in FILES.iter().zip(
        [
            ("none/r", "there is no folder none; make it first"),
            ("folder", "this is a folder; give the name of a file in it"),
            ("file/r", "file is not a folder"),
            ("/proc/r", "cannot write it: "),
        ]
        .into_iter()
        .cycle(),
    ) {
        refused(&["report", &dir], flag, file, why);
    }
    let race = ["compare", "false {port}", "false {port}"];
    let compare = [&race[..], &["--url", "http://127.0.0.1:{port}/"]].concat();
    for args in [&["run", "s"][..], &compare, &["report", &dir, &dir]] {
        refused(args, "--json", "file/r", "file is not a folder");
    }
    let summary = |file: &str| {
        let mut command = yard.command(&["run", "s", "--step-summary"]);
        command.env("GITHUB_STEP_SUMMARY", file);
        crate::support::Running::start(command).end()
    };
    summary("none/r").code(2).says(&[
        "--step-summary: GITHUB_STEP_SUMMARY is none/r: there is no folder none; make it first",
    ]);
    assert_eq!(yard.results("s"), before, "nothing was begun");
}

#[test]
fn the_terminal_report_begins_with_the_verdict() {
    let yard = raced();
    let ending = report(&yard, "").code(0).prints(&["report.html"]);
    assert!(ending.out.lines().count() <= 12, "{}", ending.out);
    let ended = report(&yard, "-v").code(0);
    let first: Vec<&str> = ended.out.lines().take(4).collect();
    assert_eq!(first[0], "a test");
    assert!(!ended.out.contains('\u{1b}') && !ended.out.contains("NaN"));
    for line in ended.out.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    ended.prints(&[
        "RESULT",
        "WHY",
        "MAY I TRUST IT?",
        "ALL FIGURES",
        "HOW IT WAS MADE",
    ]);
}

#[test]
fn a_torn_last_line_is_left_out() {
    let yard = raced();
    let file = yard.result("s").join("measurements.jsonl");
    let text = fs::read_to_string(&file).expect("measurements");
    fs::write(&file, &text[..text.len() - 40]).expect("written");
    let json = report(&yard, "--json -").code(0).json();
    assert_eq!(
        json["missing"].as_array().map(Vec::len),
        Some(1),
        "{}",
        json["missing"]
    );
    // Any other line that is broken is a fault, and its place is reported.
    fs::write(&file, text.replacen("\"version\"", "\"vers", 1)).expect("written");
    report(&yard, "")
        .code(2)
        .says(&["measurements.jsonl, line 1"]);
}

#[test]
fn a_folder_that_holds_no_results_is_reported() {
    let yard = Yard::new();
    for (folder, says) in [
        ("studies", "not a results folder"),
        ("no-such-folder", "there is no such folder"),
    ] {
        yard.run(&["report", folder])
            .code(2)
            .says(&[folder, says, "give the folder of one run"]);
    }
    yard.write("file", "");
    yard.run(&["report", "file"]).code(2).says(&["file"]);
}

#[test]
fn the_list_shows_what_is_there_and_what_is_missing() {
    let yard = Yard::new();
    yard.run(&["list"])
        .code(0)
        .prints(&["No studies/ or targets/ folder in"]);
    yard.target("plain", GOOD)
        .target(
            "modern",
            &GOOD.replace("[start]", "needs = { jdk = \">=99\" }\n[start]"),
        )
        .target("broken", "title = 7")
        .study("s", &["plain", "modern"], "");
    yard.run(&["list"]).code(0).prints(&[
        "\n  s\n    a test\n      plain\n      modern  needs jdk >=99: MISSING\n",
        "\n  broken  cannot be run: targets/broken/target.toml:1",
    ]);
    let json = yard.run(&["list", "--json"]).code(0).json();
    assert_eq!(json["studies"][0]["name"], "s");
    let targets = json["targets"].as_array().expect("targets");
    let of = |name: &str| {
        targets
            .iter()
            .find(|target| target["name"] == name)
            .expect("it is listed")
    };
    assert!(of("plain")["variants"][0]["missing"].is_null());
    assert!(
        of("modern")["variants"][0]["missing"]
            .as_str()
            .is_some_and(|why| why.contains("JDK"))
    );
    assert!(of("broken")["error"].is_string());
}

#[test]
fn the_doctor_reports_what_is_noisy() {
    let yard = Yard::new();
    let ended = yard.run(&["doctor"]).code(0);
    assert!(ended.out.lines().count() > 3, "{}", ended.out);
    let mut lines = ended.out.lines();
    let summary = lines.next_back().expect("a summary");
    assert!(summary.contains("checks passed"), "{summary}");
    for line in lines.filter(|line| !line.is_empty()) {
        assert!(
            ["ok    ", "warn  ", "bad   ", "      "]
                .iter()
                .any(|mark| line.starts_with(mark)),
            "{line}"
        );
    }
}

#[test]
fn a_reader_who_leaves_is_no_fault_and_a_full_disk_is_one() {
    let yard = raced();
    let folder = yard.result("s").display().to_string();
    let mut command = yard.command(&["report", &folder]);
    // A pipe whose reader is gone.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.stderr, b"");
    if Path::new("/dev/full").exists() {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full");
        let output = yard
            .command(&["list"])
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(says.contains("cannot write to standard output"), "{says}");
    }
}

#[test]
fn a_run_goes_on_when_nobody_reads_its_progress() {
    let yard = Yard::of(&["a"], "");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = yard
        .command(&["run", "s"])
        .stderr(writer)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(measurements(&yard.result("s")).len(), 2);
}

#[test]
fn a_condition_decides_the_exit_code() {
    let yard = raced();
    // Three rounds bound nothing this small, and everything this large.
    let gate = |condition: &str| report(&yard, &format!("--fail-if '{condition}'"));
    gate("a.throughput > 0.000001 and b.p99 < 1_000_000s").code(1);
    gate("a.throughput < 0.000001").code(0).says(&["PASSED"]);
    // An interval holds its own ratio, so the largest of them is open where it is and proven nowhere, however
    // noisy the rounds were: said, and failed by only where that is asked for.
    let json = report(&yard, "--json -").code(0).json();
    let ratio = json["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .map(|cell| cell["verdicts"][0]["ratio"].as_f64().expect("a ratio"))
        .fold(0.0, f64::max);
    let open = format!("a.throughput > b.throughput * {ratio}");
    gate(&open).code(0).says(&[
        "UNDECIDED (not proven either way; the job passes",
        "could be ",
    ]);
    report(&yard, &format!("--fail-if '{open}' --undecided fail"))
        .code(1)
        .says(&["UNDECIDED", "the job fails by --undecided fail"]);
    let says = ["there is no target `c`; targets: a, b"];
    gate("c.p99 > a.p99").code(2).says(&says);
    report(&yard, "--fail-if different --junit junit.xml");
    let text = fs::read_to_string(yard.path("junit.xml")).expect("a file");
    let case = "<testcase name=\"different\" classname=\"s.fail-if\"";
    assert!(text.contains(case), "{text}");
}

#[test]
fn two_runs_have_every_format_and_a_gate() {
    let yard = raced();
    let folder = yard.result("s").display().to_string();
    report(&yard, &folder)
        .code(0)
        .prints(&["Their rounds were", "CHANGES"]);
    report(&yard, &format!("{folder} --fail-if different"))
        .code(2)
        .says(&["of two runs, after.METRIC is compared with before.METRIC"]);
    report(&yard, &format!("{folder} --html - --lang zh"))
        .code(0)
        .prints(&["lang=\"zh-Hans\" data-language=\"zh\""]);
    let files = "--html d.html --csv d.csv --json d.json --markdown d.md";
    report(&yard, &format!("{folder} {files}")).code(0);
    let read = |file: &str| fs::read_to_string(yard.path(file)).expect(file);
    let json: Value = serde_json::from_str(&read("d.json")).expect("JSON");
    let changes = json["changes"].as_array().expect("changes");
    // Two targets at two levels, and six metrics on which changes are judged.
    assert_eq!(changes.len(), 24);
    assert_eq!(read("d.csv").lines().count(), 25);
    let page = read("d.html");
    assert!(page.contains("a test</span></h1>") && !page.contains(" src="));
    assert_eq!(page.matches("<th scope=\"row\">").count(), 24);
    assert!(page.matches("<svg class=\"drawing\"").count() > 0);
    assert!(read("d.md").contains("## Changes"));

    // A run against itself: the same figures, which exclude any great change.
    let gate = |text: &str| {
        let flags = format!("--fail-if '{text}' --junit d.xml");
        report(&yard, &format!("{folder} {flags}"))
    };
    gate("after.throughput < before.throughput * 0.000001")
        .code(0)
        .says(&["PASSED", "a: after.throughput is "]);
    gate("after.throughput > before.throughput * 0.000001")
        .code(1)
        .says(&["FAILED"]);
    let xml = read("d.xml");
    assert!(
        xml.contains("classname=\"s.fail-if\"") && xml.contains("<failure"),
        "{xml}"
    );
    gate("after.throughput < before.throughput").code(0).says(&[
        "UNDECIDED (not proven either way; the job passes",
        "could be ",
    ]);
    gate("a.throughput < b.throughput")
        .code(2)
        .says(&["there is no target `a`"]);
}

#[test]
fn a_study_s_runs_make_a_history() {
    let yard = raced();
    let first = yard.result("s");
    let study = first.parent().expect("the study's folder");
    // The same run six days more, of which the last four are of another kernel.
    for day in 1..=6 {
        let folder = study.join(format!("day-{day}"));
        fs::create_dir(&folder).expect("a folder");
        for file in ["measurements.jsonl", "trials.jsonl"] {
            fs::copy(first.join(file), folder.join(file)).expect(file);
        }
        let edit = |file: &str, key: &str, value: String| {
            let text = fs::read_to_string(first.join(file)).expect(file);
            let mut json: Value = serde_json::from_str(&text).expect("JSON");
            json[key] = value.into();
            fs::write(folder.join(file), json.to_string()).expect(file);
        };
        edit(
            "study.json",
            "started",
            format!("2999-01-{day:02}T02:00:00Z"),
        );
        let kernel = if day < 3 { "1.0" } else { "2.0" };
        edit("environment.json", "kernel", kernel.to_owned());
    }
    let folder = study.display().to_string();
    let history = |flags: &str| yard.run(&format!("history {folder} {flags}"));
    history("").code(0).prints(&[
        "7 runs of s",
        "CHANGE POINTS",
        "kernel: before 1.0; after 2.0",
        "plaintext, 4 connections",
    ]);
    let json = history("--json -").code(0).json();
    let runs = json["runs"].as_array().expect("runs");
    let changed = |run: &Value| run["machine_changed"] == true;
    assert_eq!(runs.iter().filter(|run| changed(run)).count(), 2);
    assert!(changed(&runs[1]) && changed(&runs[3]), "{runs:?}");
    // Figures that are the same to the last digit shift nowhere.
    assert_eq!(json["says"][0]["id"], "history.stable");
    history("--csv h.csv --html h.html --markdown h.md").code(0);
    let page = fs::read_to_string(yard.path("h.html")).expect("a page");
    assert!(page.contains("<i lang=en>Change points</i>"), "{page}");
    assert_eq!(
        page.matches("<svg class=\"drawing\"").count(),
        6,
        "two levels of three metrics"
    );
    history("--baseline c")
        .code(2)
        .says(&["--baseline c: no run compares a target with it; targets: a, b"]);
    yard.run(&["history", "no-such-folder"])
        .code(2)
        .says(&["there is no such folder"]);
}

#[test]
fn every_format_has_a_schema() {
    let yard = Yard::new();
    let listed = yard.run(&["schema"]).code(0);
    let names = listed
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.collect();
    assert!(names.contains(&"report") && names.contains(&"measurements"));
    for name in names {
        let schema = yard.run(&["schema", name]).code(0).json();
        let id = schema["$id"].as_str().expect("an id");
        assert!(id.starts_with(&format!("urn:photofinish:{name}:")), "{id}");
    }
    yard.run(&["schema", "x"])
        .code(2)
        .says(&["there is no format `x`; formats: measurements, "]);
}

#[test]
fn a_half_width_is_planned_from_stored_rounds_or_what_to_run_is_printed() {
    let yard = raced();
    let folder = yard.result("s").display().to_string();
    for of in ["s", "results/s", folder.as_str()] {
        let json = yard
            .run(&["plan", of, "--half-width", "50%", "--json"])
            .code(0)
            .json();
        assert_eq!(json["study"], "s", "{of}");
        let needs = json["needs"].as_array().expect("rows");
        let halves: Vec<f64> = (needs.iter())
            .filter_map(|need| need["half_width"].as_f64())
            .collect();
        assert_eq!(halves, [0.5, 0.05, 0.02, 0.01], "{of}");
        assert!(json["ratios"] == 2 && json["round_s"].as_f64().is_some_and(|s| s > 0.0));
    }
    let table = yard.run(&["plan", "s"]).code(0);
    assert!(table.out.contains("±2%"), "{}", table.out);

    yard.study("later", &["a", "b"], "rounds = 3");
    let none = yard.run(&["plan", "later"]).code(2);
    let wanted = "run `photofinish run later` first";
    assert!(none.err.contains(wanted), "{}", none.err);
    let unknown = yard.run(&["plan", "latr"]).code(2);
    assert!(unknown.err.contains("later"), "{}", unknown.err);

    // Another run of the same servers begins with a forecast.
    let again = yard.run(&["run", "s", "--rounds", "1"]);
    assert!(again.err.contains("±2%"), "{}", again.err);
}
