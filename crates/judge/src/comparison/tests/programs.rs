//! Targets whose executables have different names.

use std::fs;

use photofinish_model::{Layer, Profile};
use tempfile::TempDir;

use super::*;
use crate::page::Page;

/// A race whose two targets spend these stacks in each round: `a` by the first, `b` by the second. Each has the executable that it names
/// and takes 5 µs for each 1,000 samples.
struct Race {
    results: Results,
    _dir: TempDir,
}

/// The executable that a target names, and its stacks with how often each was seen.
type Spent<'s> = (Option<&'s str>, &'s [(&'s str, u64)]);

fn race(of: [Spent<'_>; 2]) -> Race {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir(dir.path().join("profiles")).expect("a folder");
    let mut results = two(1.10);
    results.dir = dir.path().to_owned();
    for line in &mut results.lines {
        let (program, stacks) = of[usize::from(line.target == "b")];
        // No two rounds are quite alike.
        let counts = (stacks.iter().zip(0..))
            .map(|((stack, count), place)| (*stack, count + u64::from(line.round + place) % 3));
        let text: String = (counts.clone())
            .map(|(stack, count)| format!("{stack} {count}\n"))
            .collect();
        let samples: u64 = counts.map(|(_, count)| count).sum();
        let file = format!("profiles/{}-{}.folded", line.target, line.round);
        fs::write(dir.path().join(&file), text).expect("written");
        line.profile = Some(Profile {
            throughput_rps: 1_000.0,
            cpu_us_per_request: None,
            hertz: 499,
            samples,
            lost: 0,
            layers: [(Layer::Application, samples)].into(),
            stack_depth: None,
            program: program.map(str::to_owned),
            file,
            merged: 0,
        });
        let server = line.server.as_mut().expect("sampled");
        server.cpu_user_us_per_request = Some(samples as f64 / 200.0);
        server.cpu_system_us_per_request = Some(0.0);
    }
    Race { results, _dir: dir }
}

impl Race {
    /// The functions that differ for certain, those with the largest difference first, and the coloured frames of the flame graph.
    fn sure(&self) -> (Vec<String>, Vec<String>) {
        let comparison = Comparison::from(&self.results);
        let mut functions: Vec<(f64, String)> = (comparison.cells[0].functions.iter())
            .flat_map(|of| {
                of.differences
                    .iter()
                    .map(|by| (by.difference, &of.function))
            })
            .filter(|(by, _)| by.is_sure)
            .map(|(by, function)| (by.more_us.abs(), function.clone()))
            .collect();
        functions.sort_by(|a, b| b.0.total_cmp(&a.0));
        let flames = &Page::from(&self.results, &comparison).flames[0];
        let pair = &flames.pairs[0];
        let coloured = pair.frames.iter().filter(|frame| frame.is_sure);
        let name = |frame: usize| flames.names[flames.frames[frame]].clone();
        (
            functions.into_iter().map(|(_, name)| name).collect(),
            coloured.map(|it| name(it.frame)).collect(),
        )
    }

    /// The names of all functions that were looked at.
    fn names(&self) -> Vec<String> {
        let comparison = Comparison::from(&self.results);
        let functions = comparison.cells[0].functions.iter();
        let mut names: Vec<String> = functions.map(|of| of.function.clone()).collect();
        names.sort();
        names
    }
}

const OLD: [(&str, u64); 3] = [
    ("app-old`main;app-old`work", 500),
    ("app-old`main;libc.so.6`send;kernel`tcp_sendmsg", 300),
    ("app-old`main;app-old`parse", 200),
];
const NEW: [(&str, u64); 3] = [
    ("app-new`main;app-new`work", 500),
    ("app-new`main;libc.so.6`send;kernel`tcp_sendmsg", 300),
    ("app-new`main;app-new`parse", 200),
];
const PLANTED: (&str, u64) = ("app-new`main;app-new`planted", 300);

#[test]
fn the_same_program_under_two_names_differs_in_nothing() {
    let race = race([(Some("app-old"), &OLD), (Some("app-new"), &NEW)]);
    assert_eq!(race.sure(), (Vec::new(), Vec::new()));
    let program = ["(program)`main", "(program)`parse", "(program)`work"];
    let names = race.names();
    assert_eq!(names[..3], program);
    assert_eq!(names[3..], ["kernel`tcp_sendmsg", "libc.so.6`send"]);
}

#[test]
fn a_planted_function_is_all_that_differs() {
    let planted = [NEW.as_slice(), &[PLANTED]].concat();
    let race = race([(Some("app-old"), &OLD), (Some("app-new"), &planted)]);
    let (functions, coloured) = race.sure();
    assert_eq!(functions, ["(program)`planted"]);
    // With those that call it, down to what all stacks have in common.
    assert_eq!(coloured, ["", "(program)`main", "(program)`planted"]);
}

#[test]
fn a_library_is_not_another_target_s_executable() {
    // `b` loads what `a` runs: what is in it is no part of `b`'s own executable.
    let loads = [
        ("app-new`main;app-new`work", 500),
        ("app-new`main;app-old`work", 500),
    ];
    let runs = [("app-old`main;app-old`work", 500)];
    let race = race([(Some("app-old"), &runs), (Some("app-new"), &loads)]);
    assert_eq!(race.sure().0, ["app-old`work"]);
    let names = ["(program)`main", "(program)`work", "app-old`work"];
    assert_eq!(race.names(), names);
}

#[test]
fn without_a_record_of_the_executable_names_are_compared() {
    for of in [[None, None], [Some("app-old"), None]] {
        let race = race([(of[0], &OLD), (of[1], &NEW)]);
        let (functions, _) = race.sure();
        assert!(
            functions.contains(&"app-old`work".to_owned()),
            "{functions:?}"
        );
        assert!(
            functions.contains(&"app-new`work".to_owned()),
            "{functions:?}"
        );
    }
}

#[test]
fn executables_of_one_name_keep_it() {
    let race = race([(Some("app-old"), &OLD), (Some("app-old"), &OLD)]);
    assert_eq!(race.sure(), (Vec::new(), Vec::new()));
    assert!(race.names().contains(&"app-old`work".to_owned()));
}

#[test]
fn a_target_that_ran_another_executable_in_one_round_is_compared_by_name() {
    let mut race = race([(Some("app-old"), &OLD), (Some("app-new"), &NEW)]);
    let mut of_b = (race.results.lines.iter_mut()).filter(|line| line.target == "b");
    let profile = of_b.next().and_then(|line| line.profile.as_mut());
    profile.expect("a profile").program = None;
    assert!(race.names().contains(&"app-new`work".to_owned()));
}
