//! JUnit XML, as CI servers read it: what was asked for with `--fail-if` passes, fails, or is skipped where nothing is proven;
//! what was lost is an error.
//!
//! Claims and validity checks that do not hold are reported as skipped, with the reason: a job fails just where photofinish's exit
//! code says so, and whoever wants it to fail for them asks for that.

use photofinish_judge::comparison::{CheckStatus, Comparison};
use photofinish_judge::days::Days;
use photofinish_judge::pooled::PairRuns;
use photofinish_judge::threshold::{Gate, Status};
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::text::{clean_lines, no_commands};
use photofinish_voice::Language;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::Error;
use crate::labels;

/// The test cases of a study.
struct Cases<'s> {
    study: &'s str,
    suite: TestSuite,
}

impl<'s> Cases<'s> {
    /// Of a run that began then. The attribute is as it is kept, in RFC 3339, without a second library for dates.
    fn new(study: &'s str, started: &str) -> Cases<'s> {
        let mut suite = TestSuite::new(safe(study));
        suite.extra.insert("timestamp".into(), safe(started).into());
        Cases { study, suite }
    }

    fn add(&mut self, class: &str, name: &str, status: TestCaseStatus) {
        let mut case = TestCase::new(safe(name), status);
        case.set_classname(safe(&format!("{}.{class}", self.study)));
        self.suite.add_test_case(case);
    }

    fn gates(&mut self, gates: &[Gate]) {
        for gate in gates {
            self.add("fail-if", gate.condition.text(), of_gate(gate));
        }
    }

    /// What failed and what was never measured, each name behind `of`.
    fn measured(&mut self, comparison: &Comparison, of: &str) {
        for failure in &comparison.failures {
            let name = format!("{of}{}, round {}", failure.target, failure.round);
            let error = TestCaseStatus::non_success(NonSuccessKind::Error);
            self.add("measurements", &name, with(error, &failure.why.en));
        }
        for missing in &comparison.missing {
            let name = format!(
                "{of}{}, {}, {}",
                missing.target, missing.workload, missing.level.en
            );
            let error = TestCaseStatus::non_success(NonSuccessKind::Error);
            let says = format!(
                "not measured in {}",
                labels::in_rounds(&missing.rounds).text(Language::En)
            );
            self.add("measurements", &name, with(error, &says));
        }
    }

    fn claims(&mut self, comparison: &Comparison) {
        for claim in &comparison.claims {
            let status = match claim.verdict {
                ClaimVerdict::Holds => TestCaseStatus::success(),
                _ => {
                    let [outcome, says] = [&claim.outcome.en, &claim.says.en];
                    with(TestCaseStatus::skipped(), &format!("{outcome}: {says}"))
                }
            };
            let name = format!("({}) {}", claim.claim.id, claim.claim.says);
            self.add("claims", &name, status);
        }
    }

    /// The validity checks, each name behind `of`.
    fn checks(&mut self, comparison: &Comparison, of: &str) {
        for check in &comparison.checks {
            let status = match check.status {
                CheckStatus::Ok => TestCaseStatus::success(),
                _ => with(TestCaseStatus::skipped(), &check.says.en),
            };
            self.add("checks", &format!("{of}{}", check.title.en), status);
        }
    }

    fn xml(self) -> Result<String, Error> {
        let mut report = Report::new(safe(self.study));
        report.add_test_suite(self.suite);
        report
            .to_string()
            .map_err(|error| Error::Junit(error.to_string()))
    }
}

fn of_gate(gate: &Gate) -> TestCaseStatus {
    let says: Vec<&str> = (gate.outcome.says.iter())
        .map(|says| says.text(Language::En))
        .collect();
    let says = format!("{}: {}", gate.outcome.status.word(), says.join("\n"));
    match gate.outcome.status {
        _ if gate.fails => with(TestCaseStatus::non_success(NonSuccessKind::Failure), &says),
        Status::Undecided | Status::Void => with(TestCaseStatus::skipped(), &says),
        Status::Holds | Status::DoesNotHold => TestCaseStatus::success(),
    }
}

/// Two runs: the gates, and what else differs between them.
pub(crate) fn days(days: &Days, gates: &[Gate]) -> Result<String, Error> {
    let mut cases = Cases::new(&days.study, &days.after);
    cases.gates(gates);
    for differs in &days.warnings {
        let says = differs.text(Language::En);
        cases.add("differences", says, with(TestCaseStatus::skipped(), says));
    }
    cases.xml()
}

/// The report, or why it could not be put into XML.
pub(crate) fn render(comparison: &Comparison, gates: &[Gate]) -> Result<String, Error> {
    let mut cases = Cases::new(&comparison.head.name, &comparison.head.started);
    cases.gates(gates);
    cases.measured(comparison, "");
    cases.claims(comparison);
    cases.checks(comparison, "");
    let headline = comparison.headline.text(Language::En);
    cases.suite.set_system_out(safe(headline));
    cases.xml()
}

/// The rounds of several pairs of machines: the gates, and what was lost and which checks fail on each pair.
pub(crate) fn pooled(pairs: &PairRuns, gates: &[Gate]) -> Result<String, Error> {
    let pooled = &pairs.pooled;
    let mut cases = Cases::new(&pooled.head.name, &pooled.head.started);
    cases.gates(gates);
    let named = || pooled.machines.iter().zip(&pairs.comparisons);
    for (machine, comparison) in named() {
        cases.measured(comparison, &format!("{}: ", machine.name));
    }
    for (machine, comparison) in named() {
        cases.checks(comparison, &format!("{}: ", machine.name));
    }
    let says: Vec<&str> = (pooled.says.iter())
        .map(|says| says.text(Language::En))
        .collect();
    cases.suite.set_system_out(safe(&says.join("\n")));
    cases.xml()
}

/// A status with its reason: the first line as the message, all of them as the text where there are more.
fn with(mut status: TestCaseStatus, says: &str) -> TestCaseStatus {
    let says = &safe(says);
    status.set_message(says.lines().next().unwrap_or_default());
    if says.lines().count() > 1 {
        status.set_description(says);
    }
    status
}

/// Words that others chose, as CI servers may show them in a log.
fn safe(text: &str) -> String {
    no_commands(&clean_lines(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples::assert_contains;

    use super::*;

    #[test]
    fn a_reason_of_several_lines_keeps_them_and_hostile_text_stays_text() {
        let mut suite = TestSuite::new("s");
        let skipped = with(TestCaseStatus::skipped(), "</a> & \"b\"\u{1b}[0m\nmore");
        suite.add_test_case(TestCase::new("<c>", skipped));
        let mut report = Report::new("s");
        report.add_test_suite(suite);
        let xml = report.to_string().expect("XML");
        assert!(xml.contains("name=\"&lt;c&gt;\""), "{xml}");
        assert_contains(&xml, "message=\"&lt;/a&gt; &amp; &quot;b&quot;\\u{1b}[0m\"");
        assert!(xml.contains("\nmore</skipped>"), "{xml}");
        assert!(!xml.contains('\u{1b}'), "{xml}");
    }
}
