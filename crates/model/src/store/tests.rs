use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use super::*;
use crate::finding::failure::FailureFinding;
use crate::samples::{self, assert_contains};
use crate::{Arrivals, Load};

fn create(dir: &Path) -> Store {
    Store::create(
        dir,
        &samples::study(&["a", "b"], 2),
        &samples::environment(),
        "title = \"x\"\n",
    )
    .expect("a folder to write")
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

#[test]
fn what_is_written_is_read_back() {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("deep/run");
    let mut store = create(&dir);
    let line = samples::line("a", 1, 1, 1000.0);
    let trial = samples::trial("a", 1, 1);
    store.add_line(&line, None).expect("added");
    store.add_trial(&trial).expect("added");
    let results = Results::read(&dir).expect("read");
    assert_eq!(results.lines, [line]);
    assert_eq!(results.trials, [trial]);
    assert_eq!(results.study, samples::study(&["a", "b"], 2));
    assert_eq!(results.environment, samples::environment());
    assert_eq!(
        fs::read_to_string(dir.join(STUDY_TEXT)).expect("text"),
        "title = \"x\"\n"
    );
    assert!(store.logs().is_dir());
}

#[test]
fn the_last_of_equal_keys_counts() {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = create(root.path());
    let failed = samples::failed_line("a", 1, 1, "exit status 1");
    let other = samples::line("b", 1, 2, 900.0);
    let again = samples::line("a", 1, 3, 1000.0);
    for line in [&failed, &other, &again] {
        store.add_line(line, None).expect("added");
    }
    let results = Results::read(root.path()).expect("read");
    assert_eq!(results.lines, [other, again]);
}

#[test]
fn that_there_was_no_time_is_kept_each_time() {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = create(root.path());
    let read = || Results::read(root.path()).expect("read").time_over;
    assert_eq!(read(), []);
    store
        .add_time_over(&samples::time_over(2))
        .expect("written");
    append(&root.path().join(TIME_OVER), r#"{"ver"#);
    assert_eq!(read(), [samples::time_over(2)]);
    store
        .add_time_over(&samples::time_over(3))
        .expect("written");
    assert_eq!(read(), [2, 3].map(samples::time_over));
}

#[test]
fn a_torn_last_line_is_left_out_and_cut_off_by_a_resume() {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = create(root.path());
    let first = samples::line("a", 1, 1, 1000.0);
    store.add_line(&first, None).expect("added");
    drop(store);
    append(
        &root.path().join(MEASUREMENTS),
        r#"{"version":1,"round":1,"tri"#,
    );
    append(&root.path().join(TRIALS), r#"{"ver"#);
    append(
        &root.path().join(LATENCY),
        "Tag=b/plaintext/1/1,1.000,5.000,1.2,HIST",
    );
    assert_eq!(
        Results::read(root.path()).expect("read").lines,
        std::slice::from_ref(&first)
    );

    let (mut store, results) = Store::resume(root.path()).expect("resumed");
    assert_eq!(results.lines, std::slice::from_ref(&first));
    let second = samples::line("b", 1, 2, 900.0);
    store.add_line(&second, None).expect("added");
    assert_eq!(
        Results::read(root.path()).expect("read").lines,
        [first, second]
    );
    let log = fs::read_to_string(root.path().join(LATENCY)).expect("log");
    assert!(log.ends_with('\n') && !log.contains("HIST"), "{log}");
}

#[test]
fn a_whole_last_line_that_only_lacks_its_end_is_kept() {
    let root = tempfile::tempdir().expect("a folder");
    drop(create(root.path()));
    let line = samples::line("a", 1, 1, 1000.0);
    append(
        &root.path().join(MEASUREMENTS),
        &serde_json::to_string(&line).expect("json"),
    );
    let (mut store, results) = Store::resume(root.path()).expect("resumed");
    assert_eq!(results.lines, [line]);
    store
        .add_line(&samples::line("b", 1, 2, 1.0), None)
        .expect("added");
    assert_eq!(Results::read(root.path()).expect("read").lines.len(), 2);
}

#[test]
fn a_bad_line_in_the_middle_is_an_error_with_its_number() {
    let root = tempfile::tempdir().expect("a folder");
    drop(create(root.path()));
    let line = serde_json::to_string(&samples::line("a", 1, 1, 1000.0)).expect("json");
    append(
        &root.path().join(MEASUREMENTS),
        &format!("{line}\nnonsense\n"),
    );
    let error = Results::read(root.path()).expect_err("an error");
    assert!(matches!(error, Error::Format { line: 2, .. }), "{error}");
    assert!(error.to_string().contains(MEASUREMENTS), "{error}");
}

#[test]
fn another_format_is_refused_with_one_sentence() {
    let root = tempfile::tempdir().expect("a folder");
    drop(create(root.path()));
    let says = || {
        let error = Results::read(root.path()).expect_err("an error");
        error
            .to_string()
            .replace(root.path().to_str().expect("a path"), "run")
    };
    let lines = root.path().join(MEASUREMENTS);
    for version in [0, 2, 99] {
        fs::write(&lines, format!("{{\"version\":{version},\"laps\":3}}\n")).expect("written");
        assert_eq!(
            says(),
            format!(
                "read run/measurements.jsonl: it has format version {version}, and this photofinish reads version 1; use the photofinish that wrote it, or convert the folder with scripts/convert-results if it is older"
            )
        );
    }
    // The first format of all had the same number.
    fs::write(root.path().join(STUDY), "{\"version\":1,\"laps\":3}").expect("written");
    assert_eq!(
        says(),
        "read run/study.json: missing field `name` at line 1 column 22; restore the file as photofinish wrote it, or convert the folder with scripts/convert-results if an early photofinish wrote it"
    );
}

#[test]
fn a_folder_that_is_no_run_is_reported_with_a_run_below_it() {
    let root = tempfile::tempdir().expect("a folder");
    let error = Results::read(root.path()).expect_err("an error");
    assert!(
        error.to_string().contains("not a results folder"),
        "{error}"
    );
    let missing = Results::read(&root.path().join("nowhere")).expect_err("an error");
    assert!(missing.to_string().contains("no such folder"), "{missing}");
    drop(create(&root.path().join("2026-01-31T12-00-00Z")));
    let error = Results::read(root.path()).expect_err("an error");
    assert!(
        error.to_string().contains("2026-01-31T12-00-00Z"),
        "{error}"
    );
}

#[test]
fn a_folder_with_a_run_is_not_begun_again() {
    let root = tempfile::tempdir().expect("a folder");
    drop(create(root.path()));
    let again = Store::create(
        root.path(),
        &samples::study(&["a"], 1),
        &samples::environment(),
        "",
    );
    assert!(matches!(again, Err(Error::Exists { .. })));
}

#[test]
fn a_folder_that_cannot_be_made_is_reported() {
    let root = tempfile::tempdir().expect("a folder");
    let file = root.path().join("file");
    fs::write(&file, "").expect("written");
    let error = Store::create(
        &file.join("run"),
        &samples::study(&["a"], 1),
        &samples::environment(),
        "",
    )
    .expect_err("an error");
    assert!(matches!(error, Error::Create { .. }), "{error}");
    assert!(error.to_string().contains("choose a folder"), "{error}");
}

#[test]
fn a_disk_with_too_little_room_is_reported_with_figures() {
    let error = enough(Path::new("results/x"), 3 * 1024 * 1024).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "begin a run in results/x: its disk has 3 MiB free and a run needs 64 MiB; \
         free some space or choose a folder on another disk"
    );
    assert!(enough(Path::new("results/x"), LEAST_FREE).is_ok());
}

#[test]
fn a_folder_that_is_being_written_is_not_resumed() {
    let root = tempfile::tempdir().expect("a folder");
    let _store = create(root.path());
    assert!(matches!(
        Store::resume(root.path()),
        Err(Error::InUse { .. })
    ));
}

#[test]
fn what_is_not_the_folder_s_own_is_not_written_to() {
    let root = tempfile::tempdir().expect("a folder");
    let theirs = root.path().join("thesis");
    // Without an end of a line: a torn line would be cut off.
    fs::write(&theirs, "years of work").expect("written");
    let elsewhere = root.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let refused = |name: &str, put: &dyn Fn(&Path)| {
        let run = tempfile::tempdir_in(root.path()).expect("a folder");
        drop(create(run.path()));
        let path = run.path().join(name);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        put(&path);
        let error = Store::resume(run.path()).expect_err("an error");
        assert!(
            matches!(&error, Error::NotOwn { path: found, .. } if *found == path),
            "{name}: {error}"
        );
        assert!(error.to_string().contains("cp -rL"), "{error}");
        assert_eq!(fs::read_to_string(&theirs).expect("text"), "years of work");
    };
    let link = |to: &Path, path: &Path| std::os::unix::fs::symlink(to, path).expect("a link");
    for file in [
        LATENCY,
        TRIALS,
        TIME_OVER,
        "report.html",
        "logs/a-round-1.log",
    ] {
        refused(file, &|path| link(&theirs, path));
        refused(file, &|path| fs::hard_link(&theirs, path).expect("a link"));
    }
    for folder in [LOGS, PROFILES, "services"] {
        refused(folder, &|path| link(&elsewhere, path));
    }
    refused(LATENCY, &|path| {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .expect("a pipe");
    });
    // The folder itself may be reached by a link, and hold links that nothing is written to.
    let run = tempfile::tempdir_in(root.path()).expect("a folder");
    drop(create(run.path()));
    link(&theirs, &run.path().join("notes"));
    let latest = root.path().join("latest");
    link(run.path(), &latest);
    assert!(Store::resume(&latest).is_ok());
}

#[test]
fn a_number_that_is_not_finite_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = create(root.path());
    let line = samples::line("a", 1, 1, f64::NAN);
    assert!(matches!(
        store.add_line(&line, None),
        Err(Error::Record { .. })
    ));
    assert!(Results::read(root.path()).expect("read").lines.is_empty());
}

#[test]
fn histograms_are_read_by_the_log_format_s_own_reader() {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = create(root.path());
    let mut histogram = Histogram::<u64>::new(3).expect("3 digits");
    histogram.record_n(1_000_000, 99).expect("recorded");
    histogram.record(20_000_000).expect("recorded");
    let mut line = samples::line("na me,x@v", 2, 1, 1000.0);
    line.load = Load::Open {
        rate: 500.0,
        arrivals: Arrivals::Poisson,
        connections: 10,
    };
    store.add_line(&line, Some(&histogram)).expect("added");
    store
        .add_line(&samples::line("b", 2, 2, 1000.0), Some(&histogram))
        .expect("added");

    let bytes = fs::read(root.path().join(LATENCY)).expect("log");
    let text = String::from_utf8(bytes.clone()).expect("text");
    assert_eq!(text.matches("MaxValueDivisor").count(), 1, "{text}");
    assert_contains(&text, "#[StartTime: 1769860800.000 (seconds since epoch)]");
    let entries: Vec<_> = IntervalLogIterator::new(&bytes)
        .map(|entry| entry.expect("an entry"))
        .collect();
    let LogEntry::Interval(first) = &entries[1] else {
        panic!("an interval: {entries:?}")
    };
    assert_eq!(
        first.tag().expect("a tag").as_str(),
        "na%20me_x@v/plaintext/500-per-s-poisson-10-connections/2"
    );
    assert_eq!(first.duration().as_secs(), 5);
    assert!((first.max() - 20.0).abs() < 0.02, "{}", first.max());
    let LogEntry::Interval(second) = &entries[2] else {
        panic!("an interval: {entries:?}")
    };
    assert_eq!(
        second.tag().expect("a tag").as_str(),
        "b/plaintext/100-connections/2"
    );
    let raw = base64_decode(second.encoded_histogram());
    let read: Histogram<u64> = hdrhistogram::serialization::Deserializer::new()
        .deserialize(&mut raw.as_slice())
        .expect("a histogram");
    assert_eq!(read, histogram);
}

/// Enough of base64 to read a log in a test.
fn base64_decode(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let sextets: Vec<u32> = text
        .bytes()
        .filter_map(|byte| ALPHABET.iter().position(|&a| a == byte))
        .map(|index| index as u32)
        .collect();
    let mut bytes = Vec::new();
    for group in sextets.chunks(4) {
        let word = group
            .iter()
            .enumerate()
            .fold(0, |word, (i, s)| word | s << (18 - 6 * i));
        bytes.extend(&word.to_be_bytes()[1..group.len()]);
    }
    bytes
}

#[test]
fn why_something_failed_is_read_as_it_was_recorded() {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = create(root.path());
    let failures = samples::failures();
    for (round, failure) in (1..).zip(&failures) {
        let mut line = samples::failed_line("a", round, 1, "");
        line.failure = Some(failure.clone());
        store.add_line(&line, None).expect("added");
        let mut trial = samples::trial("a", round, 1);
        trial.failure = line.failure;
        store.add_trial(&trial).expect("added");
    }
    drop(store);
    let results = Results::read(root.path()).expect("read");
    let read = results
        .trials
        .iter()
        .filter_map(|trial| trial.failure.clone());
    assert_eq!(read.collect::<Vec<FailureFinding>>(), failures);
    let read = results.lines.into_iter().filter_map(|line| line.failure);
    assert_eq!(read.collect::<Vec<_>>(), failures);
}

#[test]
fn no_more_is_read_than_a_run_has() {
    let root = tempfile::tempdir().expect("a folder");
    drop(create(root.path()));
    let says = || Results::read(root.path()).expect_err("refused").to_string();
    // 20 GB without a line.
    let measurements = root.path().join(MEASUREMENTS);
    let sparse = |length| {
        let file = fs::File::create(&measurements).expect("a file");
        file.set_len(length).expect("a sparse file");
    };
    sparse(20 << 30);
    assert_contains(&says(), "line 1 is longer than 1048576 bytes");
    sparse(0);
    // More than can be raced.
    let mut study = samples::study(&["a", "b"], 1);
    let one = study.targets[0].clone();
    study.targets = vec![one; 3_000];
    let text = serde_json::to_string(&study).expect("json");
    fs::write(root.path().join(STUDY), text).expect("written");
    let targets = says();
    assert_contains(
        &targets,
        "study.json has 3000 targets, and a run has at most 28",
    );
    fs::File::create(root.path().join(STUDY))
        .and_then(|file| file.set_len(1 << 40))
        .expect("a sparse file");
    assert_contains(&says(), "it is larger than 16777216 bytes");
}

#[test]
fn a_torn_line_behind_many_whole_ones_is_found_from_the_end() {
    let root = tempfile::tempdir().expect("a folder");
    drop(create(root.path()));
    let line = serde_json::to_string(&samples::line("a", 1, 1, 1000.0)).expect("json");
    let path = root.path().join(MEASUREMENTS);
    let torn = &line[..line.len() - 1];
    let pad = " ".repeat(200 * 1024);
    append(&path, &format!("{line}\n{line}\n{torn}{pad}"));
    let (_, results) = Store::resume(root.path()).expect("resumed");
    assert_eq!(results.lines.len(), 1);
    let text = fs::read_to_string(&path).expect("text");
    assert_eq!(text, format!("{line}\n{line}\n"));
}
