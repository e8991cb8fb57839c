//! What a thread was waiting for, by its stack: by the rules of `waits.toml`.
//!
//! The threads of a Java server wait most of their time, and mostly for work. What counts is the time for which a thread that has a request
//! waits: for a connection of a pool, for a lock, for a response of a database, for another thread.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use photofinish_model::Wait;
use serde::Deserialize;

use crate::fold::Stacks;
use crate::layers::{fits, is_the_programs};
use crate::symbols::JAVA;

/// Rules, the first that fits first.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    /// The methods in which a thread waits.
    waiting: Vec<String>,
    /// The functions of the machine in which a thread waits for a monitor.
    monitors: Vec<String>,
    rule: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// What for; none: for work.
    #[serde(default)]
    wait: Option<Wait>,
    /// Methods, `*` stands for any characters.
    methods: Vec<String>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    // The file is part of the program, and read by a test.
    toml::from_str(include_str!("waits.toml")).unwrap_or_default()
});

/// How many samples found a thread that waited with a request, by what for; what none waited for is not there.
pub fn count(stacks: &Stacks) -> BTreeMap<Wait, u64> {
    let mut waits = BTreeMap::new();
    for (frames, count) in &stacks.seen {
        if let Some(wait) = wait(frames) {
            *waits.entry(wait).or_default() += count;
        }
    }
    waits
}

/// Whether there are virtual threads, of which those that wait are on no thread that could be looked at.
pub fn has_virtual_threads(stacks: &Stacks) -> bool {
    let mut frames = stacks.seen.iter().flat_map(|(frames, _)| frames);
    frames.any(|frame| frame.starts_with("java`java.lang.VirtualThread."))
}

/// What a thread waited for, by its stack, whose outermost frame comes first. `None`: it ran, waited for work, or is one that has no
/// requests: of the machine itself, or that of `main`.
///
/// Where no rule knows what it waits for, or only that it sleeps or waits for another thread, it has a request only if it is in a method
/// of the program: libraries have threads of their own.
pub fn wait(frames: &[String]) -> Option<Wait> {
    let frames: Vec<(&str, &str)> = (frames.iter())
        .map(|frame| frame.split_once('`').unwrap_or(("", frame)))
        .collect();
    let methods = || {
        let java = frames.iter().filter(|(module, _)| *module == JAVA);
        java.map(|(_, method)| *method)
    };
    let outermost = methods().next()?;
    if outermost.ends_with(".main") {
        return None;
    }
    let innermost = methods().next_back()?;
    let any = |patterns: &[String], name: &str| patterns.iter().any(|pattern| fits(pattern, name));
    let mut within = (frames.iter().rev()).take_while(|(module, _)| *module != JAVA);
    if within.any(|(_, function)| any(&RULES.monitors, function)) {
        return Some(Wait::Lock);
    }
    if !any(&RULES.waiting, innermost) {
        return None;
    }
    let rule = RULES
        .rule
        .iter()
        .find(|rule| methods().any(|method| any(&rule.methods, method)));
    let wait = rule.map_or(Some(Wait::Other), |rule| rule.wait)?;
    let is_told = matches!(wait, Wait::Pool | Wait::Lock | Wait::Network);
    (is_told || methods().any(is_the_programs)).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stack: &str) -> Option<Wait> {
        let frames: Vec<String> = stack.split(';').map(str::to_owned).collect();
        wait(&frames)
    }

    /// In a thread of a pool, where the program has a request.
    fn asked(rest: &str) -> Option<Wait> {
        of(&format!(
            "java`java.lang.Thread.run;java`java.util.concurrent.ThreadPoolExecutor.runWorker;java`shop.Orders.list;{rest}"
        ))
    }

    const PARK: &str = "java`java.util.concurrent.locks.LockSupport.park;java`jdk.internal.misc.Unsafe.park;libc.so.6`pthread_cond_wait";

    #[test]
    fn the_rules_are_read_and_no_wait_is_forgotten() {
        let rules: Rules = toml::from_str(include_str!("waits.toml")).expect("a valid file");
        for wait in Wait::ALL {
            let is_ruled = rules.rule.iter().any(|rule| rule.wait == Some(*wait));
            // What no rule says is what is left over.
            assert!(is_ruled != (*wait == Wait::Other), "{wait:?}");
        }
    }

    #[test]
    fn threads_with_a_request_wait_for_something() {
        let lock = "java`java.util.concurrent.locks.ReentrantLock.lock";
        assert_eq!(asked(&format!("{lock};{PARK}")), Some(Wait::Lock));
        let pool = "java`com.zaxxer.hikari.HikariDataSource.getConnection;java`com.zaxxer.hikari.util.ConcurrentBag.borrow;\
                    java`java.util.concurrent.SynchronousQueue.poll";
        assert_eq!(asked(&format!("{pool};{PARK}")), Some(Wait::Pool));
        let read = "java`org.mariadb.jdbc.Statement.executeQuery;java`java.net.Socket$SocketInputStream.read;java`sun.nio.ch.NioSocketImpl.read;\
                    java`sun.nio.ch.Net.poll;libc.so.6`__poll";
        assert_eq!(asked(read), Some(Wait::Network));
        let result = "java`java.util.concurrent.CompletableFuture.join";
        assert_eq!(asked(&format!("{result};{PARK}")), Some(Wait::Thread));
        assert_eq!(
            asked(
                "java`java.lang.Thread.sleep;libjvm.so`JVM_Sleep;libc.so.6`pthread_cond_timedwait"
            ),
            Some(Wait::Sleep)
        );
        assert_eq!(asked(PARK), Some(Wait::Other));
        let monitor =
            "java`shop.Orders.count;libjvm.so`ObjectMonitor::enter;libc.so.6`pthread_cond_wait";
        assert_eq!(asked(monitor), Some(Wait::Lock));
    }

    #[test]
    fn who_runs_or_waits_for_work_waits_for_nothing() {
        assert_eq!(asked("java`shop.Orders.count"), None);
        assert_eq!(
            asked("java`shop.Orders.count;libjvm.so`OptoRuntime::new_array_C"),
            None
        );
        let take = "java`java.lang.Thread.run;java`java.util.concurrent.ThreadPoolExecutor.runWorker;\
                    java`java.util.concurrent.ThreadPoolExecutor.getTask;java`java.util.concurrent.LinkedBlockingQueue.take";
        assert_eq!(of(&format!("{take};{PARK}")), None);
        let events = "java`java.lang.Thread.run;java`io.netty.channel.nio.NioEventLoop.run;java`sun.nio.ch.EPollSelectorImpl.doSelect;\
                      java`sun.nio.ch.EPoll.wait;libc.so.6`epoll_wait";
        assert_eq!(of(events), None);
        // A thread of a library's own, the machine's threads, and that of main, which waits as long as the server is up.
        let own = "java`java.lang.Thread.run;java`org.apache.catalina.core.Sweeper.run;java`java.lang.Thread.sleep";
        assert_eq!(of(own), None);
        assert_eq!(
            of("libjvm.so`WatcherThread::run;libc.so.6`pthread_cond_wait"),
            None
        );
        assert_eq!(
            of(&format!(
                "java`shop.Main.main;java`shop.Server.await;{PARK}"
            )),
            None
        );
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn samples_are_counted_by_what_they_wait_for() {
        let frames = |text: &str| text.split(';').map(str::to_owned).collect::<Vec<String>>();
        let sleep = "java`java.lang.Thread.run;java`shop.Orders.list;java`java.lang.Thread.sleep";
        let stacks = Stacks {
            seen: vec![
                (frames(sleep), 4),
                (frames("java`java.lang.Thread.run;java`shop.Orders.list"), 7),
            ],
            lost: 0,
        };
        assert_eq!(count(&stacks), BTreeMap::from([(Wait::Sleep, 4)]));
        assert!(!has_virtual_threads(&stacks));
        let carrier = frames("java`java.lang.VirtualThread.run;java`shop.Orders.list");
        let stacks = Stacks {
            seen: vec![(carrier, 1)],
            lost: 0,
        };
        assert!(has_virtual_threads(&stacks));
    }
}
