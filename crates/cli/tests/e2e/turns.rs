//! Rounds in turns, with real servers.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{GOOD, Yard, measurements};

/// Another process that wants a core for some tenths of a second at a time, for as long as it is held.
struct Noise(Child);

impl Noise {
    fn make() -> Noise {
        let spells =
            "while :; do i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep 0.3; done";
        let child = Command::new("sh")
            .args(["-c", spells])
            .stdin(Stdio::null())
            .spawn();
        Noise(child.expect("a shell"))
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn targets_take_turns_unless_asked_otherwise() {
    let yard = Yard::new();
    yard.target("a", GOOD)
        .target("b", GOOD)
        .study("s", &["a", "b"], "rounds = 1")
        .study("alone", &["a"], "rounds = 1");
    let cases: [(&[&str], &str, bool); 4] = [
        (&["run", "s"], "s: a, b; in turns", true),
        (&["run", "s", "--freeze"], "s: a, b; in turns", true),
        (
            &["run", "s", "--sequential"],
            "s: a, b; sequential (as asked)",
            false,
        ),
        (
            &["run", "alone"],
            "alone: a; sequential (there is no other target)",
            false,
        ),
    ];
    for (args, says, in_turns) in cases {
        let results = yard.path("results");
        let _ = std::fs::remove_dir_all(results);
        yard.run(args).code(0).says(&[says]);
        let lines = measurements(&yard.result(args[1]));
        assert!(!lines.is_empty());
        for line in lines {
            assert_eq!(!line["turns"].is_null(), in_turns, "{args:?}");
            let frozen = line["turns"]["frozen"] == true;
            assert_eq!(frozen, args.contains(&"--freeze"), "{args:?}");
        }
    }
    let wrong = yard.run(&["run", "s", "--freeze", "--sequential"]);
    wrong.code(2).says(&["--freeze", "--sequential"]);
    yard.wait_empty();
}

#[test]
fn servers_come_before_other_programs_unless_asked_otherwise() {
    let yard = Yard::of(&["a", "b"], "rounds = 1");
    let may = Command::new("nice").args(["-n", "-20", "nice"]).output();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let may = may.expect("coreutils").stdout == b"-20\n" && cores > 1;
    for (flags, first) in [(&[][..], may), (&["--usual-priority"][..], false)] {
        let _ = std::fs::remove_dir_all(yard.path("results"));
        let pinned = ["run", "s", "--no-profile", "--lanes", "split"];
        let run = yard.run(&[&pinned[..], flags].concat());
        run.code(0);
        let environment = std::fs::read_to_string(yard.result("s").join("environment.json"));
        let environment: Value = serde_json::from_str(&environment.expect("a file")).expect("JSON");
        let nice = first.then_some(-20);
        assert_eq!(environment["server_nice"].as_i64(), nice, "{flags:?}");
    }
    yard.wait_empty();
}

#[test]
fn turns_that_others_disturb_are_set_aside_and_said_to_be() {
    let yard = Yard::of(&["a", "b"], "duration = \"1s\"");
    {
        let _noise = Noise::make();
        yard.run(&["run", "s"]).code(0);
    }
    let results = yard.result("s");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 4);
    let turns = |line: &Value| line["turns"]["turns"].as_array().expect("turns").clone();
    // Both targets of a round have the same turns.
    let all: Vec<Value> = (lines.iter())
        .filter(|line| line["target"] == "a")
        .flat_map(turns)
        .collect();
    if all.iter().all(|turn| turn["other_ms"].is_null()) {
        // This machine does not report what its cores run.
        return;
    }
    let count = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|turn| is(turn)).count();
    let disturbed = count(&|turn| !turn["disturbed"].is_null());
    assert!(
        count(&|turn| turn["disturbed"] == "other-processes") > 0,
        "{all:#?}"
    );
    let kept = count(&|turn| turn["disturbed"].is_null() || turn["spared"] == true);
    for line in &lines {
        // The flow of the level is the mean of the turns that count, each by how long responses flowed in it.
        let slice_s = line["turns"]["slice_s"].as_f64().expect("a length");
        let (mut responses, mut flow) = (0.0, 0.0);
        for turn in turns(line) {
            if turn["disturbed"].is_null() || turn["spared"] == true {
                let seconds = turn["flow_s"].as_f64().unwrap_or(slice_s);
                responses += turn["throughput_rps"].as_f64().expect("a number") * seconds;
                flow += seconds;
            }
        }
        let (mean, measured) = (responses / flow, &line["measurement"]);
        // The throughput includes stalls.
        let reported = measured["stalls"]["flow_rps"].as_f64();
        let reported = reported.or_else(|| measured["throughput_rps"].as_f64());
        let reported = reported.expect("a number");
        assert!(
            (reported / mean - 1.0).abs() < 1e-6,
            "{reported} for {mean}"
        );
    }
    let folder = results.display().to_string();
    let report = yard.run(&["report", &folder, "--json", "-"]).code(0).json();
    let verdicts = report["cells"][0]["verdicts"].as_array().expect("verdicts");
    let throughput = verdicts
        .iter()
        .find(|verdict| verdict["metric"] == "throughput");
    let notes = throughput.expect("a verdict")["notes"].to_string();
    let made = all.len();
    // Where other tests use the cores too, hardly any turn is undisturbed.
    let says = match kept + disturbed <= made {
        true => format!("{disturbed} of {made} turns do not count, for what disturbed them ("),
        false => format!("{disturbed} of {made} turns were disturbed ("),
    };
    assert!(notes.contains(&says), "{says}: {notes}");
    if kept + disturbed > made {
        let says =
            format!("), too many to exclude them all: {kept} are kept, the least disturbed first");
        assert!(notes.contains(&says), "{says}: {notes}");
    }
    // Each turn has one reason.
    let others = count(&|turn| turn["disturbed"] == "other-processes");
    assert!(
        notes.contains(&format!("other processes: {others}")),
        "{others}: {notes}"
    );
}
