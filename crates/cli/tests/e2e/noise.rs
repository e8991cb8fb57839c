//! `photofinish compare` on a machine that is not quiet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Yard, measurements};

/// Wants a core for a while, rests, and so on, as `bench/lib/noise.py` does: this process is a stranger to both sides of a race.
struct Noise {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Noise {
    fn make() -> Noise {
        let end = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&end);
        let spells = move || {
            while !over.load(Ordering::Relaxed) {
                let began = Instant::now();
                while began.elapsed() < Duration::from_millis(200) {
                    std::hint::spin_loop();
                }
                thread::sleep(Duration::from_millis(300));
            }
        };
        let thread = Some(thread::spawn(spells));
        Noise { end, thread }
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The direction of a verdict on throughput.
fn direction(report: &Value) -> String {
    let verdicts = report["cells"][0]["verdicts"].as_array().expect("verdicts");
    let throughput = verdicts.iter().find(|v| v["metric"] == "throughput");
    let judged = &throughput.expect("one on throughput")["judgement"];
    judged["direction"].as_str().unwrap_or("void").to_owned()
}

#[test]
fn a_server_against_itself_is_not_called_different_beside_noise() {
    let _noise = Noise::make();
    let server = "{photofinish} server event-loop --threads 1 --port {port}";
    let url = "http://127.0.0.1:{port}/plaintext";
    let mut called = Vec::new();
    // One such race in twenty may call a difference by chance; three in a row do so in one of 8,000.
    for seed in ["1", "2", "3"] {
        let yard = Yard::new();
        let args = [
            "compare", server, server, "--url", url, "--turns", "-c", "8", "-d", "800ms",
            "--rounds", "4", "--warmup", "0", "--seed", seed, "-v",
        ];
        let ended = yard.run(&args).code(0);
        let folder = yard.result("compare");
        let lines = measurements(&folder);
        let turns = lines.iter().flat_map(|line| {
            let turns = line["turns"]["turns"].as_array();
            turns.unwrap_or_else(|| panic!("no turns in {line}"))
        });
        let disturbed = turns.filter(|turn| !turn["disturbed"].is_null()).count();
        assert!(disturbed > 0, "{lines:#?}");
        ended.prints(&["disturbed", "turns"]);
        let folder = folder.to_string_lossy();
        let report = yard.run(&["report", &folder, "--json", "-"]).code(0).json();
        called.push(direction(&report));
        if ["tie", "undecided"].contains(&called[called.len() - 1].as_str()) {
            return;
        }
    }
    panic!("called different: {called:?}");
}
