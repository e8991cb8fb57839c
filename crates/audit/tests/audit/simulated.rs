//! Runs that are true: closed and open loops are simulated, and printed as each tool prints. Nothing in them is impossible.

mod printers;
mod run;

use std::num::NonZero;
use std::thread;

use photofinish_audit::{Rule, Severity, audit};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use run::Run;

/// Runs that are tried; every one is printed in all formats.
const RUNS: u32 = 10_000;

/// The first thing that a true run is accused of, if any.
fn accused(run: &Run, open: &Run) -> Option<String> {
    printers::all(run, open)
        .into_iter()
        .find_map(|(tool, text)| {
            let found = audit(&text);
            // Where wrk timed out, its mean is truly not the mean of its requests: that is what the audit is for.
            let wrong = found
                .findings
                .iter()
                .find(|f| f.severity == Severity::Impossible && f.rule != Rule::Timeouts);
            if let Some(wrong) = wrong {
                return Some(format!(
                    "{tool}: {} {}\n{text}",
                    wrong.figure, wrong.arithmetic
                ));
            }
            let read = found.reports.iter().any(|r| r.tool.name() == tool);
            (!read).then(|| format!("{tool} was not recognised:\n{text}"))
        })
}

/// On all cores: one takes two minutes.
#[test]
fn no_figure_of_a_true_run_is_called_impossible() {
    let cores = thread::available_parallelism().map_or(1, NonZero::get) as u32;
    let try_runs = || {
        let mut runner = TestRunner::new(ProptestConfig {
            cases: RUNS.div_ceil(cores),
            // Runs that were once accused are tried first.
            source_file: Some(file!()),
            ..ProptestConfig::default()
        });
        runner.run(&any::<u64>(), |seed| {
            let (run, open) = (Run::closed(seed), Run::open(seed));
            let accused = accused(&run, &open);
            prop_assert!(
                accused.is_none(),
                "seed {seed}: {}",
                accused.unwrap_or_default()
            );
            Ok(())
        })
    };
    let tried: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(try_runs)).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|tried| tried.expect("a thread")).collect()
    });
    for found in tried {
        found.unwrap_or_else(|accused| panic!("{accused}"));
    }
}
