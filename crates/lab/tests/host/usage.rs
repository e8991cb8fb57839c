//! What a server has used is reported.

use std::time::Duration;

use libtest_mimic::Trial;

use super::support::{Case, Outcome, host, until, until_ready};
use super::trials::trials;

pub fn tests() -> Vec<Trial> {
    trials![
        ended_threads_and_children_count,
        threads_and_memory_are_reported,
        descendants_count,
        children_that_the_kernel_forgets_are_noted,
        an_ended_server_keeps_its_usage,
        the_race_is_not_other_processes,
    ]
}

fn ended_threads_and_children_count() -> Outcome {
    let case = Case::fixture(&["burn"]);
    let mut server = case.start()?;
    until_ready(&case, 1)?;
    let used = server.usage()?;
    let cpu = used.cpu_user + used.cpu_system;
    // 60 ms in a thread, and 60 in a child, of which up to two ticks of 10 ms are not reported.
    assert!(cpu >= Duration::from_millis(100), "{used:?}");
    assert!(used.cpu_user > used.cpu_system, "{used:?}");
    assert!(used.faults_minor > 0, "{used:?}");
    assert_eq!((used.processes, used.threads), (1, 1));
    assert_eq!(server.usage()?.uncounted, 0);
    Ok(())
}

fn threads_and_memory_are_reported() -> Outcome {
    let case = Case::fixture(&["threads", "40"]);
    let mut server = case.start()?;
    until_ready(&case, 1)?;
    until("all threads block", || {
        server.usage().is_ok_and(|u| u.switches_voluntary >= 40)
    })?;
    let used = server.usage()?;
    assert_eq!((used.processes, used.threads), (1, 41));
    assert!(used.rss_bytes > 100_000, "{used:?}");
    let glance = server.glance()?;
    assert_eq!(glance.threads, 41);
    assert!(glance.cpu_user + glance.cpu_system >= used.cpu_user + used.cpu_system);
    Ok(())
}

fn descendants_count() -> Outcome {
    let case = Case::family();
    let mut server = case.start()?;
    until_ready(&case, 3)?;
    // sleep; the stubborn shell and its sleep; the daemon.
    until("all four are reported", || {
        server.usage().is_ok_and(|u| u.processes == 4)
    })?;
    server.stop(Duration::ZERO)?;
    assert_eq!(server.usage()?.processes, 0);
    Ok(())
}

fn children_that_the_kernel_forgets_are_noted() -> Outcome {
    for how in ["ignore", "flag"] {
        let case = Case::fixture(&["forget", how]);
        let mut server = case.start()?;
        until_ready(&case, 1)?;
        until("one is noted", || {
            server.usage().is_ok_and(|used| used.uncounted > 0)
        })?;
        let before = server.usage()?.uncounted;
        until("another one is", || {
            server.usage().is_ok_and(|used| used.uncounted > before)
        })?;
    }
    Ok(())
}

fn an_ended_server_keeps_its_usage() -> Outcome {
    let case = Case::fixture(&["burn"]);
    let mut server = case.start()?;
    until_ready(&case, 1)?;
    let before = server.usage()?;
    server.stop(Duration::from_secs(30))?;
    let after = server.usage()?;
    assert!(after.cpu_user >= before.cpu_user && after.cpu_system >= before.cpu_system);
    assert!(after.faults_minor >= before.faults_minor);
    assert_eq!(after.rss_bytes, 0);
    Ok(())
}

fn the_race_is_not_other_processes() -> Outcome {
    let before = host().machine_sample().ok_or("Linux can be sampled")?;
    let case = Case::fixture(&["burn"]);
    let server = case.start()?;
    until_ready(&case, 1)?;
    let after = host().machine_sample().ok_or("Linux can be sampled")?;
    let ours: Duration = after
        .processes
        .values()
        .filter(|p| p.ours)
        .map(|p| p.own + p.children)
        .sum();
    assert!(after.processes[&server.pid().ok_or("it was started")?].ours);
    assert!(ours >= Duration::from_millis(80), "{ours:?}");
    let reported = after.since(&before).ok_or("time has passed")?;
    assert!(
        reported
            .other_cores
            .is_some_and(|cores| cores.is_finite() && cores >= 0.0)
    );
    Ok(())
}
