//! Java virtual machines whose methods are to have names in their stacks: a program that is compiled here, with a method that is hot.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use photofinish_host::{Error, Host, Process, ProcessSpec};
use photofinish_lab::java::{self, NoJava};
use photofinish_model::Layer;
use photofinish_model::samples::assert_contains;
use photofinish_profile::{SampleClock, Stacks, java::NoJava as Refused, layers};
use tempfile::TempDir;

use super::support::{Outcome, cache, host, must_be_held};
use super::trials::trials;

pub fn tests() -> Vec<Trial> {
    trials![
        a_hot_java_method_is_seen_by_its_name,
        a_java_machine_may_forbid_agents,
        a_java_machine_that_handles_no_signals_goes_on,
        a_java_machine_that_ends_leaves_no_stacks_and_no_error,
        a_java_machine_s_pauses_are_those_that_it_logs,
        a_java_machine_without_counters_reports_no_pauses,
    ]
}

/// Its threads spend nearly all of their time in `planted`, by way of three calls.
const PROGRAM: &str = "\
package shop;
public class Hot {
    static volatile long sink;
    static long planted(long n) {
        long hash = 17;
        for (long i = 0; i < n; i++) hash = hash * 31 + (hash >>> 7) ^ i;
        return hash;
    }
    static void handle() { sink = planted(100_000) + new byte[64].length; }
    public static void main(String[] words) throws Exception {
        Runnable work = () -> { while (true) handle(); };
        new Thread(work).start();
        System.out.println(\"up\");
    }
}
";

/// It collects its garbage twenty times once there is a file `go`, with enough that lives for a collection to take some milliseconds.
const COLLECTS: &str = "\
package shop;
import java.io.File;
public class Collects {
    static Object[] kept = new Object[200_000];
    public static void main(String[] words) throws Exception {
        for (int i = 0; i < kept.length; i++) kept[i] = new byte[32];
        System.out.println(\"up\");
        while (!new File(\"go\").exists()) Thread.sleep(5);
        for (int i = 0; i < 20; i++) System.gc();
        System.out.println(\"done\");
        Thread.sleep(600_000);
    }
}
";

/// A machine that runs the program, and the folder with what belongs to it.
struct Machine {
    process: Process,
    log: PathBuf,
    folder: TempDir,
}

impl Machine {
    /// Waits until it has printed this word.
    fn until_says(&self, word: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !fs::read_to_string(&self.log).is_ok_and(|text| text.contains(word)) {
            assert!(Instant::now() < deadline, "it does not say {word}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// One with the hot method.
fn machine(options: &[&str]) -> Result<Option<Machine>, Failed> {
    let options: Vec<&str> = ["-XX:+UseSerialGC"]
        .iter()
        .chain(options)
        .copied()
        .collect();
    machine_of("Hot", PROGRAM, &options)
}

/// `None`, said aloud, where no Java is installed on a machine of somebody's own.
fn machine_of(class: &str, program: &str, options: &[&str]) -> Result<Option<Machine>, Failed> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join(format!("{class}.java"));
    fs::write(&source, program)?;
    let mut javac = Command::new("javac");
    match javac.arg("-d").arg(folder.path()).arg(&source).status() {
        Ok(status) if status.success() => {}
        Err(error) if !must_be_held() => {
            eprintln!("skipped: javac: {error}");
            return Ok(None);
        }
        failed => return Err(format!("javac: {failed:?}").into()),
    }
    let log = folder.path().join("log");
    let class = format!("shop.{class}");
    let command = ["java", "-Xmx64m"].iter().chain(options);
    let spec = ProcessSpec {
        command: command
            .chain(&["-cp", ".", &*class])
            .map(|word| (*word).to_owned())
            .collect(),
        dir: Some(folder.path().to_owned()),
        log: log.clone(),
        ..ProcessSpec::default()
    };
    let process = host().start(&spec)?;
    let machine = Machine {
        process,
        log,
        folder,
    };
    machine.until_says("up");
    Ok(Some(machine))
}

/// The agent; `None`, said aloud, where it cannot be fetched on a machine of somebody's own.
fn library(host: &Host) -> Result<Option<PathBuf>, Failed> {
    let found = java::library(host, &cache(), &|| false, &mut |artifact| {
        eprintln!("fetching {artifact}")
    });
    match found {
        Ok(library) => Ok(Some(library)),
        Err(error @ NoJava::Fetch(_)) if !must_be_held() => {
            eprintln!("skipped: failed to {error}");
            Ok(None)
        }
        Err(error) => Err(format!("failed to {error}").into()),
    }
}

/// Samples a process in pieces that fit a buffer until it has used so much CPU time; `None` if the kernel does not let this user.
fn sampled(process: &mut Process, cpu: Duration) -> Option<Stacks> {
    let used = |process: &mut Process| {
        let usage = process.usage().expect("usage");
        usage.cpu_user + usage.cpu_system
    };
    let (before, deadline) = (used(process), Instant::now() + Duration::from_secs(60));
    while used(process) < before + cpu && Instant::now() < deadline {
        match process.sample(SampleClock::Cpu, true) {
            Err(why @ Error::Profile(_)) => {
                eprintln!("not tested: {why}");
                return None;
            }
            begun => begun.expect("begun"),
        }
        thread::sleep(Duration::from_millis(100));
        process.sample(SampleClock::Cpu, false).expect("ended");
    }
    Some(process.sampled(SampleClock::Cpu).expect("samples").stacks)
}

fn a_hot_java_method_is_seen_by_its_name() -> Outcome {
    let Some(library) = library(&host())? else {
        return Ok(());
    };
    let Some(mut machine) = machine(&[])? else {
        return Ok(());
    };
    let process = &mut machine.process;
    assert!(process.has_bare_java()?);
    let second = Duration::from_secs(1);
    let Some(native) = sampled(process, second) else {
        return Ok(());
    };
    // Nobody but the machine knows what it compiled.
    let share = |stacks: &Stacks, layer: Layer| {
        let count = layers::count(stacks).get(&layer).copied().unwrap_or(0);
        count as f64 / stacks.samples() as f64
    };
    assert!(
        share(&native, Layer::Compiled) > 0.8,
        "{:?}",
        layers::count(&native)
    );
    process.load_java_agent(library.clone())?;
    assert!(!process.has_bare_java()?);
    // Loading it again changes nothing.
    process.load_java_agent(library.clone())?;
    for _ in 0..2 {
        let before = process.cpu();
        let stacks = sampled(process, second).expect("it was allowed before");
        let counts = layers::count(&stacks);
        assert_eq!(counts.values().sum::<u64>(), stacks.samples());
        assert!(share(&stacks, Layer::Application) > 0.8, "{counts:?}");
        let inner = |(frames, _): &&(Vec<String>, u64)| {
            frames
                .last()
                .is_some_and(|frame| frame == "java`shop.Hot.planted")
        };
        let planted: u64 = stacks
            .seen
            .iter()
            .filter(inner)
            .map(|(_, count)| count)
            .sum();
        assert!(
            planted as f64 > 0.8 * stacks.samples() as f64,
            "{:?}",
            stacks.text()
        );
        let called = |(frames, _): &&(Vec<String>, u64)| {
            let place = |name: &str| frames.iter().position(|frame| frame == name);
            place("java`java.lang.Thread.run") < place("java`shop.Hot.handle")
        };
        assert!(
            stacks.seen.iter().any(|seen| called(&seen)),
            "{:?}",
            stacks.text()
        );
        // Each sample stands for as much CPU time as a sample of the kernel's does, beside what the process uses between the pieces.
        let used = process
            .cpu()
            .zip(before)
            .map(|(now, then)| now.saturating_sub(then));
        let seconds = stacks.samples() as f64 / f64::from(photofinish_profile::HERTZ);
        if let Some(used) = used {
            assert!(
                seconds < used.as_secs_f64() * 1.1,
                "{seconds} s of {used:?}"
            );
        }
    }
    Ok(())
}

/// What a machine with these options says to an agent that it will not load; the agent's file need not be there.
fn refused(options: &[&str]) -> Result<Option<(Machine, String)>, Failed> {
    let Some(mut machine) = machine(options)? else {
        return Ok(None);
    };
    assert!(machine.process.has_bare_java()?);
    let loaded = machine.process.load_java_agent("/nowhere/agent.so".into());
    let why = match loaded {
        Err(why @ Error::Java(Refused::Forbidden { .. } | Refused::Refused { .. })) => why,
        other => return Err(format!("{other:?}").into()),
    };
    assert_eq!(machine.process.exited()?, None);
    // Its stacks are those that the kernel sees.
    if let Some(stacks) = sampled(&mut machine.process, Duration::from_millis(300)) {
        assert!(stacks.samples() > 0);
    }
    Ok(Some((machine, why.to_string())))
}

fn a_java_machine_may_forbid_agents() -> Outcome {
    let Some((machine, why)) = refused(&["-XX:+DisableAttachMechanism"])? else {
        return Ok(());
    };
    assert_contains(&why, "its options forbid it (-XX:+DisableAttachMechanism)");
    // It was not made to print its threads' stacks either.
    let log = fs::read_to_string(&machine.log)?;
    assert!(!log.contains("Full thread dump"), "{log}");
    Ok(())
}

fn a_java_machine_that_handles_no_signals_goes_on() -> Outcome {
    // One that leaves signals to others has its socket from the beginning, and would be ended by a signal.
    for options in [&["-Xrs"][..], &[]] {
        if let Some((_, why)) = refused(options)? {
            assert!(why.contains("/nowhere/agent.so was not loaded"), "{why}");
        }
    }
    Ok(())
}

fn a_java_machine_that_ends_leaves_no_stacks_and_no_error() -> Outcome {
    let (Some(library), Some(mut machine)) = (library(&host())?, machine(&[])?) else {
        return Ok(());
    };
    let process = &mut machine.process;
    process.load_java_agent(library.clone())?;
    if let Err(Error::Profile(why)) = process.sample(SampleClock::Cpu, true) {
        eprintln!("not tested: {why}");
        return Ok(());
    }
    process.stop(Duration::ZERO)?;
    assert!(matches!(
        process.sample(SampleClock::Cpu, false),
        Err(Error::Java(_))
    ));
    process.sampled(SampleClock::Cpu)?;
    assert!(!process.has_bare_java()?);
    Ok(())
}

/// The machine's own log is the truth.
fn a_java_machine_s_pauses_are_those_that_it_logs() -> Outcome {
    for collector in ["-XX:+UseSerialGC", "-XX:+UseG1GC", "-XX:+UseParallelGC"] {
        let options = [collector, "-Xlog:gc:file=gc.log"];
        let Some(mut machine) = machine_of("Collects", COLLECTS, &options)? else {
            return Ok(());
        };
        let before = machine.process.usage()?.stood_still;
        let before = before.ok_or("it counts its pauses")?;
        fs::write(machine.folder.path().join("go"), "")?;
        machine.until_says("done");
        let after = machine.process.usage()?.stood_still;
        let after = after.ok_or("it counts its pauses")?;
        let log = fs::read_to_string(machine.folder.path().join("gc.log"))?;
        let asked = log.lines().filter(|line| line.contains("(System.gc())"));
        // The last word of a line, such as `3.214ms`. What a parallel collector does in two steps is logged as two pauses.
        let logged: Vec<f64> = asked
            .filter_map(|line| line.rsplit(' ').next()?.strip_suffix("ms")?.parse().ok())
            .collect();
        assert!(logged.len() >= 20, "{log}");
        let logged = logged.iter().sum::<f64>();
        let milliseconds = |later: Duration, earlier| (later - earlier).as_secs_f64() * 1e3;
        let collecting = milliseconds(after.collecting, before.collecting);
        let safepoints = milliseconds(after.safepoints, before.safepoints);
        let is_near = |counted: f64| (0.8..1.25).contains(&(counted / logged));
        assert!(
            is_near(collecting) && is_near(safepoints),
            "{collector}: {collecting} and {safepoints} ms, {logged} ms by its log:\n{log}"
        );
        // Once it has ended, what it counted stays.
        machine.process.stop(Duration::ZERO)?;
        let ended = machine.process.usage()?.stood_still;
        assert!(ended.is_some_and(|ended| ended.collecting >= after.collecting));
    }
    Ok(())
}

fn a_java_machine_without_counters_reports_no_pauses() -> Outcome {
    if let Some(mut machine) = machine(&["-XX:-UsePerfData"])? {
        assert_eq!(machine.process.usage()?.stood_still, None);
    }
    Ok(())
}
