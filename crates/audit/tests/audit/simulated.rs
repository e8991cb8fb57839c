//! Runs that are true: closed and open loops are simulated, and printed as each tool prints. Nothing in them is impossible.

mod printers;
mod run;

use photofinish_audit::{Rule, Severity, audit};
use proptest::prelude::*;
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

proptest! {
    #![proptest_config(ProptestConfig { cases: RUNS, ..ProptestConfig::default() })]

    #[test]
    fn no_figure_of_a_true_run_is_called_impossible(seed in any::<u64>()) {
        let (run, open) = (Run::closed(seed), Run::open(seed));
        let accused = accused(&run, &open);
        prop_assert!(accused.is_none(), "seed {seed}: {}", accused.unwrap_or_default());
    }
}
