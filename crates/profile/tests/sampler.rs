//! Samples of processes that are known to be busy. Where the kernel does not let this user sample, there is nothing to test.

use std::collections::BTreeSet;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::Layer;
use photofinish_profile::{HERTZ, Sampler, Stacks, layers};

/// A process that ends with the test.
struct Busy(Child);

impl Busy {
    fn run(command: &str) -> Busy {
        let mut sh = Command::new("sh");
        let child = sh.args(["-c", command]).stdout(Stdio::null()).spawn();
        Busy(child.expect("a shell"))
    }

    /// A copy of this test's own program, busy in [`planted_for_a_test`].
    fn copy(program: &Path) -> Busy {
        let mut copy = Command::new(program);
        copy.args(["--exact", "a_copy_is_busy"]).env(BUSY, "yes");
        let child = copy.stdout(Stdio::null()).spawn().expect("a program");
        let busy = Busy(child);
        // Once it is busy it does nothing else.
        let deadline = Instant::now() + Duration::from_secs(60);
        while busy.ticks() < 10 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        busy
    }

    /// CPU time so far, in clock ticks of 10 ms.
    fn ticks(&self) -> u64 {
        self.fields(12)
    }

    /// That of its ended children.
    fn ticks_of_ended(&self) -> u64 {
        self.fields(14)
    }

    /// Two numbers of what the kernel says of it, added up.
    fn fields(&self, first: usize) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).expect("it runs");
        let fields = stat[stat.rfind(')').expect("a name")..].split(' ');
        let numbers = fields.skip(first).take(2);
        let numbers = numbers.map(|ticks| ticks.parse::<u64>().expect("a number"));
        numbers.sum()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn sampler() -> Option<Sampler> {
    let cores = fs::read_to_string("/sys/devices/system/cpu/online").expect("Linux");
    let last = cores.trim().rsplit(['-', ',']).next().expect("a core");
    let cores: Vec<usize> = (0..=last.parse().expect("a number")).collect();
    match Sampler::open(&cores) {
        Ok(sampler) => Some(sampler),
        Err(why) => {
            eprintln!("not tested: {why}");
            None
        }
    }
}

/// Samples a process until it has run for so many ticks, in pieces that fit a buffer.
fn sampled(sampler: &mut Sampler, busy: &Busy, ticks: u64) -> (Stacks, u64) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let before = busy.ticks();
    loop {
        sampler.begin().expect("begun");
        thread::sleep(Duration::from_millis(100));
        sampler.end(&BTreeSet::from([busy.0.id()]));
        let used = busy.ticks() - before;
        if used >= ticks || Instant::now() > deadline {
            return (sampler.fold(), used);
        }
    }
}

#[test]
fn samples_stand_for_the_cpu_time_that_was_used() {
    let Some(mut sampler) = sampler() else { return };
    let busy = Busy::run("while :; do :; done");
    let (stacks, ticks) = sampled(&mut sampler, &busy, 200);
    assert_eq!(stacks.lost, 0);
    // A tick is 10 ms. Where others want the core too, whom a look finds there is chance: four standard deviations of that.
    let seconds = stacks.samples() as f64 / f64::from(HERTZ);
    let ratio = seconds / (ticks as f64 / 100.0);
    let chance = 4.0 / (stacks.samples() as f64).sqrt();
    assert!(
        (ratio - 1.0).abs() < 0.02 + chance,
        "{seconds} s of {ticks} ticks"
    );
    let depth = stacks.depth().expect("samples");
    assert!(depth >= 1.0, "{depth}");
}

#[test]
fn what_is_not_asked_for_is_not_kept() {
    let Some(mut sampler) = sampler() else { return };
    let _busy = Busy::run("while :; do :; done");
    sampler.begin().expect("begun");
    thread::sleep(Duration::from_millis(100));
    sampler.end(&BTreeSet::from([u32::MAX / 2]));
    assert_eq!(sampler.fold(), Stacks::default());
}

#[test]
fn the_kernel_s_frames_have_names() {
    let Some(mut sampler) = sampler() else { return };
    // It asks the kernel for one byte at a time.
    let busy = Busy::run("exec dd if=/dev/zero of=/dev/null bs=1");
    let (stacks, _) = sampled(&mut sampler, &busy, 50);
    let samples = stacks.samples();
    let layers = layers::count(&stacks);
    assert_eq!(layers.values().sum::<u64>(), samples);
    let kallsyms = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let named = kallsyms
        .lines()
        .next()
        .is_some_and(|line| !line.starts_with("0000000000000000"));
    let frame = |frame: &str| {
        let with = |(frames, _): &&(Vec<String>, u64)| frames.iter().any(|f| f.contains(frame));
        stacks
            .seen
            .iter()
            .filter(with)
            .map(|(_, count)| count)
            .sum::<u64>()
    };
    assert!(frame("kernel`") * 2 > samples, "{layers:?}");
    if named {
        assert!(
            frame("kernel`vfs_read") + frame("kernel`vfs_write") > 0,
            "{:?}",
            stacks.text()
        );
    }
}

#[test]
fn a_process_that_has_ended_is_unknown_and_no_error() {
    let Some(mut sampler) = sampler() else { return };
    let busy = Busy::run("while :; do :; done");
    let pid = busy.0.id();
    sampler.begin().expect("begun");
    let before = busy.ticks();
    let deadline = Instant::now() + Duration::from_secs(60);
    while busy.ticks() < before + 10 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(10));
    }
    sampler.end(&BTreeSet::from([pid]));
    drop(busy);
    let stacks = sampler.fold();
    assert!(stacks.samples() > 0);
    let user = |frames: &Vec<String>| frames.iter().all(|f| !f.starts_with("kernel`"));
    for (frames, _) in stacks.seen.iter().filter(|(frames, _)| user(frames)) {
        assert_eq!(layers::layer(frames), Layer::Unknown, "{frames:?}");
    }
}

/// Samples a process whose children end until they have run for so many ticks; returns how much they had by then.
fn sampled_with_children(busy: &Busy, ticks: u64) -> Option<(Stacks, u64)> {
    let mut sampler = sampler()?;
    let deadline = Instant::now() + Duration::from_secs(60);
    let before = busy.ticks_of_ended();
    let parent = BTreeSet::from([busy.0.id()]);
    loop {
        sampler.begin().expect("begun");
        sampler.know(&parent);
        thread::sleep(Duration::from_millis(100));
        sampler.end(&parent);
        let used = busy.ticks_of_ended() - before;
        if used >= ticks || Instant::now() > deadline {
            return Some((sampler.fold(), used));
        }
    }
}

/// A shell that counts in one child after the other, each of which does only so for some milliseconds.
const COUNTS: &str = "while :; do (i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done); done";

#[test]
fn children_that_have_ended_are_kept_and_named_by_whom_they_were_forked_from() {
    let busy = Busy::run(COUNTS);
    let Some((stacks, ticks)) = sampled_with_children(&busy, 100) else {
        return;
    };
    // Less one that was there already when a slice began.
    let seconds = stacks.samples() as f64 / f64::from(HERTZ);
    assert!(
        seconds > 0.5 * ticks as f64 / 100.0,
        "{seconds} s of {ticks} ticks"
    );
    let shell = fs::read_link(format!("/proc/{}/exe", busy.0.id())).expect("a program");
    let shell = shell.file_name().expect("a name").to_string_lossy();
    let of = |frame: &str| frame.split('`').next() == Some(&*shell) || frame.starts_with("libc");
    let user = |frame: &&String| !frame.starts_with("kernel`");
    let (mut named, mut all) = (0, 0);
    for (frames, count) in &stacks.seen {
        if let Some(inmost) = frames.iter().rev().find(user) {
            all += count;
            named += if of(inmost) { *count } else { 0 };
        }
    }
    assert!(all > 0 && named * 10 > all * 9, "{:?}", stacks.text());
}

#[test]
fn children_that_ran_another_program_have_not_the_names_of_whom_they_were_forked_from() {
    // It asks the kernel for one byte at a time.
    let busy =
        Busy::run("while :; do dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null; done");
    let Some((stacks, ticks)) = sampled_with_children(&busy, 100) else {
        return;
    };
    let seconds = stacks.samples() as f64 / f64::from(HERTZ);
    assert!(
        seconds > 0.3 * ticks as f64 / 100.0,
        "{seconds} s of {ticks} ticks"
    );
    let user = |frame: &&String| !frame.starts_with("kernel`");
    let inner = |frames: &[String]| frames.iter().rev().find(user).cloned();
    let (mut unknown, mut all) = (0, 0);
    for (frames, count) in &stacks.seen {
        if let Some(inmost) = inner(frames) {
            all += count;
            unknown += if inmost == "[unknown]" { *count } else { 0 };
        }
    }
    assert!(all > 0 && unknown * 10 > all * 9, "{:?}", stacks.text());
}

/// Set for a copy that is to be busy.
const BUSY: &str = "PHOTOFINISH_TEST_BUSY";

/// Takes all CPU time until the process is ended, and calls nothing.
#[inline(never)]
fn planted_for_a_test() -> u64 {
    let mut register = black_box(17_u64);
    // A shift register never comes to 0, which only who wrote it knows.
    while register != 0 {
        register ^= register << 13;
        register ^= register >> 7;
        register ^= register << 17;
    }
    register
}

/// No test but what a copy of this program does.
#[test]
fn a_copy_is_busy() {
    if std::env::var_os(BUSY).is_some() {
        black_box(planted_for_a_test());
    }
}

/// Whether a frame is [`planted_for_a_test`], with what its symbol says of where it is defined.
fn is_planted(frame: &str) -> bool {
    frame.starts_with("server`") && frame.ends_with("planted_for_a_test")
}

/// A copy of this test's own program in a folder.
fn copied(folder: &Path) -> PathBuf {
    let copy = folder.join("server");
    let own = std::env::current_exe().expect("a program");
    fs::copy(own, &copy).expect("a copy");
    copy
}

/// The share of the samples whose innermost frame in the program is so.
fn inmost(stacks: &Stacks, is_so: impl Fn(&str) -> bool) -> f64 {
    let user = |frame: &&String| !frame.starts_with("kernel`");
    let inner = |frames: &[String]| frames.iter().rev().find(user).cloned().unwrap_or_default();
    let with = (stacks.seen.iter()).filter(|(frames, _)| is_so(&inner(frames)));
    let count: u64 = with.map(|(_, count)| count).sum();
    count as f64 / stacks.samples() as f64
}

#[test]
fn functions_of_a_program_have_their_names_and_those_of_a_stripped_one_none() {
    let Some(mut sampler) = sampler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = copied(folder.path());
    let (stacks, _) = sampled(&mut sampler, &Busy::copy(&program), 50);
    let named = inmost(&stacks, is_planted);
    assert!(named > 0.9, "{:?}", stacks.text());
    match Command::new("strip").arg(&program).status() {
        Ok(ended) => assert!(ended.success()),
        Err(error) => return eprintln!("not tested: strip: {error}"),
    }
    let (stacks, _) = sampled(&mut sampler, &Busy::copy(&program), 50);
    // It is not given to the nearest function that still has a name.
    let nameless = inmost(&stacks, |frame| frame == "server`[unknown]");
    assert!(nameless > 0.9, "{:?}", stacks.text());
    let counts = layers::count(&stacks);
    let unknown = counts.get(&Layer::Unknown).copied().unwrap_or(0);
    assert!(unknown * 10 > stacks.samples() * 9, "{counts:?}");
}

#[test]
fn a_program_that_was_deleted_while_it_runs_is_known_by_what_is_mapped() {
    let Some(mut sampler) = sampler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = copied(folder.path());
    let busy = Busy::copy(&program);
    fs::remove_file(&program).expect("ours");
    // Another one in its place is not asked.
    fs::copy("/bin/sh", &program).expect("a shell");
    let (stacks, _) = sampled(&mut sampler, &busy, 50);
    // What is mapped only root may look into.
    let may = fs::read_dir(format!("/proc/{}/map_files", busy.0.id()))
        .ok()
        .and_then(|mut files| files.next())
        .is_some_and(|file| file.is_ok_and(|file| fs::File::open(file.path()).is_ok()));
    let found = match may {
        true => inmost(&stacks, is_planted),
        false => inmost(&stacks, |frame| frame == "server`[unknown]"),
    };
    assert!(found > 0.9, "{may}: {:?}", stacks.text());
}
