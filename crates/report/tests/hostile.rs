//! Whatever a name holds, it stays within its place in a report.

use photofinish_judge::comparison::Comparison;
use photofinish_model::samples;
use photofinish_report as report;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_breaks_a_report(name in "\\PC{0,12}[\u{0}-\u{9f}|`<\\\\]{1,6}", width in 0usize..200) {
        let race = samples::race(&[&name, "b"], &[&[1100.0, 1110.0], &[1000.0, 1010.0]]);
        let tame = samples::race(&["a", "b"], &[&[1100.0, 1110.0], &[1000.0, 1010.0]]);
        let (race, tame) = (Comparison::from(&race), Comparison::from(&tame));
        let text = report::terminal(&race, width, false);
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");

        // As many lines and columns as with a name that means nothing.
        let shape = |comparison: &Comparison| {
            let markdown = report::markdown(comparison);
            let bars = |line: &str| {
                let mut escaped = false;
                let mut bars = 0;
                for c in line.chars() {
                    bars += usize::from(c == '|' && !escaped);
                    escaped = c == '\\' && !escaped;
                }
                bars
            };
            markdown.lines().map(bars).collect::<Vec<_>>()
        };
        prop_assert_eq!(shape(&race), shape(&tame));
    }
}
