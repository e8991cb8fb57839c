//! What a request's CPU time goes to, of real servers.

use std::fs;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::support::{Yard, measurements};

const EVENT_LOOP: &str = "{photofinish} server event-loop --threads 1 --port {port}";
const SLOWER: &str = "{photofinish} server event-loop --threads 1 --port {port} --slower 100%";

/// Servers of two tests would share the core that each has for itself.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn layers_add_up_and_a_planted_function_differs_most() {
    let _alone = alone();
    let yard = Yard::new();
    let ended = yard.run(&format!(
        "compare '{EVENT_LOOP}' '{SLOWER}' --names plain,slower \
         --url http://127.0.0.1:{{port}}/plaintext -c 16 --rounds 3 -d 500ms \
         --warmup 1s --profile"
    ));
    let ended = ended.code(0);
    let results = yard.result("compare");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 6);
    if lines.iter().all(|line| line["profile"].is_null()) {
        // The kernel lets this user see nothing, and what to set is said.
        ended.says(&["kernel.perf_event_paranoid"]);
        return;
    }
    // On a machine that is busy all the time a level may be left without: its turns count all the same.
    let profiled = lines.iter().filter(|line| !line["profile"].is_null());
    assert!(profiled.clone().count() >= lines.len() / 2, "{lines:?}");
    for line in profiled {
        let profile = &line["profile"];
        let samples = profile["samples"].as_u64().expect("samples");
        let layers = profile["layers"].as_object().expect("layers");
        let sum: u64 = layers.values().filter_map(Value::as_u64).sum();
        assert_eq!(sum, samples);
        assert_eq!(profile["program"], "photofinish");
        let file = profile["file"].as_str().expect("a file");
        let folded = fs::read_to_string(results.join(file)).expect("stacks");
        let counts = folded
            .lines()
            .map(|line| line.rsplit(' ').next().expect("a count").parse::<u64>());
        assert_eq!(
            counts.map(|count| count.expect("a number")).sum::<u64>(),
            samples
        );
    }
    let json = yard.path("report.json");
    let (folder, file) = (results.display().to_string(), json.display().to_string());
    yard.run(&["report", &folder, "--json", &file]).code(0);
    let report = fs::read_to_string(&json).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let cell = &report["cells"][0];
    for target in cell["targets"].as_array().expect("targets") {
        let profile = &target["profile"];
        let cpu = profile["cpu_us"].as_f64().expect("CPU time");
        let layers = profile["layers"].as_array().expect("layers");
        let sum: f64 = layers.iter().filter_map(|layer| layer["us"].as_f64()).sum();
        assert!((sum / cpu - 1.0).abs() < 0.03, "{sum} of {cpu}");
    }
    let most = &cell["layers"][0]["layers"][0];
    // A build whose symbols were stripped has no names.
    let layer = most["layer"].as_str().expect("a layer");
    assert!(["application", "unknown"].contains(&layer), "{most}");
    assert!(
        most["more_us"].as_f64().expect("a difference") > 0.0,
        "{most}"
    );
}

#[test]
fn what_threads_wait_for_is_not_known_of_other_servers_than_java() {
    let _alone = alone();
    let yard = Yard::new();
    let url = "--url http://127.0.0.1:{port}/plaintext -c 2 --why wall";
    let ended = yard.compare(&format!("'{EVENT_LOOP}' '{EVENT_LOOP}' {url}"));
    let ended = ended.code(0);
    if !ended.err.contains("kernel.perf_event_paranoid") {
        ended.says(&["A: it is no Java server", "B: it is no Java server"]);
    }
    let lines = measurements(&yard.result("compare"));
    assert!(lines.iter().all(|line| line["waits"].is_null()));
}

/// Each request takes a method that nobody could take for the machine's own.
const JAVA: &str = "\
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
public class Server {
    static volatile long sink;
    static long planted(long n) {
        long hash = 17;
        for (long i = 0; i < n; i++) hash = hash * 31 + (hash >>> 7) ^ i;
        return hash;
    }
    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(\"127.0.0.1\", Integer.parseInt(words[0])), 0);
        server.createContext(\"/\", exchange -> {
            sink = planted(500_000);
            // No body: it would be a second write, which waits for the acknowledgement of the first.
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }
}
";

/// Whether a run has said that the kernel lets this user see nothing, or that there is no network where there need not be.
fn cannot_look(err: &str) -> bool {
    let must_be = std::env::var_os("CI").is_some();
    let forbidden = err.contains("kernel.perf_event_paranoid");
    forbidden || (err.contains("failed to fetch") && !must_be)
}

/// Whether there is no Java here, and need not be.
fn lacks_java() -> bool {
    let is_there = Command::new("java").arg("-version").output().is_ok();
    !is_there && std::env::var_os("CI").is_none()
}

#[test]
fn java_methods_have_names_where_profiles_are_asked_for() {
    if lacks_java() {
        return;
    }
    let _alone = alone();
    let yard = Yard::new();
    yard.write("Server.java", JAVA);
    // C2 compiles long after so short a warm-up, and would take half of the samples.
    let server = "java -Xmx64m -XX:TieredStopAtLevel=1 Server.java {port}";
    let ended = yard.run(&format!(
        "compare '{server}' '{server}' --url http://127.0.0.1:{{port}}/ -c 4 \
         --rounds 2 -d 500ms --warmup 2s --profile"
    ));
    let ended = ended.code(0);
    if cannot_look(&ended.err) {
        return;
    }
    let results = yard.result("compare");
    let mut stacks = String::new();
    for line in measurements(&results) {
        if let Some(file) = line["profile"]["file"].as_str() {
            stacks += &fs::read_to_string(results.join(file)).expect("stacks");
        }
    }
    let count = |line: &str| line.rsplit(' ').next()?.parse::<u64>().ok();
    let all: u64 = stacks.lines().filter_map(count).sum();
    let planted = stacks
        .lines()
        .filter(|line| line.contains("java`Server.planted"));
    let planted: u64 = planted.filter_map(count).sum();
    assert!(planted * 2 > all, "{planted} of {all}: {}", ended.err);
}

/// Eight threads, of which one at a time holds a lock, or a monitor, for 4 ms, in which it sleeps.
const WAITING: &str = "\
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
public class Waiting {
    static final ReentrantLock lock = new ReentrantLock();
    static void locked() throws InterruptedException {
        lock.lock();
        try { Thread.sleep(4); } finally { lock.unlock(); }
    }
    static synchronized void monitored() throws InterruptedException { Thread.sleep(4); }
    public static void main(String[] words) throws Exception {
        boolean monitors = words[1].equals(\"monitors\");
        HttpServer server = HttpServer.create(new InetSocketAddress(\"127.0.0.1\", Integer.parseInt(words[0])), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext(\"/\", exchange -> {
            try {
                if (monitors) monitored(); else locked();
            } catch (InterruptedException error) {
                throw new RuntimeException(error);
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }
}
";

#[test]
fn what_java_threads_wait_for_adds_up() {
    if lacks_java() {
        return;
    }
    let _alone = alone();
    let yard = Yard::new();
    yard.write("Waiting.java", WAITING);
    let ended = yard.run(
        "compare 'java -Xmx64m Waiting.java {port} locks' \
         'java -Xmx64m Waiting.java {port} monitors' \
         --url http://127.0.0.1:{port}/ -c 4 --rounds 2 -d 500ms --warmup 1s \
         --why wall",
    );
    let ended = ended.code(0);
    if cannot_look(&ended.err) {
        return;
    }
    let results = yard.result("compare");
    let lines = measurements(&results);
    for line in &lines {
        let waits = &line["waits"];
        let us = |wait: &str| {
            let found = waits["waits"][wait].as_f64().unwrap_or(0.0);
            let (hertz, responses) = (waits["hertz"].as_f64(), waits["responses"].as_f64());
            found / hertz.expect("a rate") / responses.expect("a number") * 1e6
        };
        // One of four sleeps for 4 ms, as long as its request holds the lock, and the three others wait for it: 12 ms a request.
        let (sleeps, waits_for) = (us("sleep"), us("lock"));
        // A machine that is busy with something else lengthens both.
        assert!((3_500.0..13_000.0).contains(&sleeps), "{line}");
        assert!((2.0..4.0).contains(&(waits_for / sleeps)), "{line}");
        let file = waits["file"].as_str().expect("a file");
        let stacks = fs::read_to_string(results.join(file)).expect("stacks");
        assert!(stacks.contains("java`Waiting."), "{stacks}");
    }
    yard.run(&["report", &results.display().to_string(), "-v"])
        .code(0)
        .prints(&["wait for a lock", "Waits, per request"]);
}
