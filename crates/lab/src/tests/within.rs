//! Runs whose rounds have a limit of time.

use photofinish_judge::comparison::Comparison;

use super::turns::{self, is_counted};
use super::*;

fn within(time: Duration, rounds: u32) -> Plan {
    let mut plan = turns::plan(&["a", "b"], rounds);
    plan.settings.within = Some(time);
    plan
}

#[test]
fn no_round_begins_that_would_not_end_in_time() {
    let mut bench = Bench::new();
    let plan = within(Duration::from_micros(1), 3);
    let finished = bench.run(&plan);
    assert_eq!((finished.missing, finished.failed), (0, 0));
    let ended: Vec<u32> = (bench.events.iter())
        .filter_map(|event| match event {
            Event::NoTime { round } => Some(*round),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [1]);
    let results = bench.results();
    assert!(results.lines.iter().all(|line| line.round == 1));
    assert_eq!(
        results.study.settings.within,
        Some(Duration::from_micros(1))
    );
    let comparison = Comparison::from(&results);
    let head = &comparison.head;
    let rounds = (head.rounds_done, head.rounds_asked, head.settings.rounds);
    assert_eq!(rounds, (1, 1, 3));
    assert!(comparison.missing.is_empty());
    // The same with a limit that is over when the next round would begin, anew for each resumed run.
    assert_eq!(bench.resume(&plan).missing, 0);
    let lines = bench.results().lines;
    assert_eq!(lines.iter().map(|line| line.round).max(), Some(2));
}

#[test]
fn time_that_is_left_goes_into_turns() {
    let mut bench = Bench::new();
    let plan = within(Duration::from_secs(3600), 3);
    let slices = turns::run(&mut bench, &plan, turns::quiet);
    // Two levels and two targets, of 20 turns each at first, and in both other rounds of as many as fit into ten times as long.
    let results = bench.results();
    let mut made = 0;
    for line in &results.lines {
        let turns = line.turns.as_ref().expect("turns").turns.len();
        match line.round {
            1 => assert_eq!(turns, 20),
            _ => assert!(turns > 60, "{turns}"),
        }
        made += turns;
    }
    assert_eq!(slices.iter().filter(is_counted).count(), made);
    let head = Comparison::from(&results).head;
    assert_eq!((head.rounds_done, head.settings.rounds), (3, 3));
}
