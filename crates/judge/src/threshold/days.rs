//! Conditions about two runs, such as `after.p99 > before.p99 * 1.05`: held against every target at every workload and load level.
//!
//! The rounds of two runs are not paired, so the interval is Welch's, as in [`Days`]; a figure beside a mere number has that of its own
//! run's rounds. Conditions share no 5 in 100: each is asked for itself, as of one run.

use photofinish_model::Metric;
use photofinish_model::Place;
use photofinish_stats::{Interval, Paired, Unpaired};
use photofinish_voice::threshold as found;
use photofinish_voice::verdict::reason;

use super::expression::{Compare, Number, Side, Term};
use super::status::{Met, invalid, most};
use super::{Condition, Error, Found, Outcome, Status, parse};
use crate::comparison::{ALPHA, JUDGED};
use crate::days::{Change, Days};
use crate::lists::by_key;

/// What a run's figures are called in a condition.
const BEFORE: &str = "before";
const AFTER: &str = "after";

/// A side: a figure of one of the runs, or none, and what it is multiplied by.
struct Scaled {
    figure: Option<(bool, Metric)>,
    times: f64,
}

impl Condition {
    /// Reads a condition about two runs, whose figures are `before.METRIC` and `after.METRIC`.
    ///
    /// # Errors
    /// As [`Condition::parse`]; and for what the figures of two runs do not decide: claims, checks, sums, and metrics on which no
    /// verdicts are given.
    pub fn parse_of_two_runs(text: &str) -> Result<Condition, Error> {
        let expression = parse::Parser::new(text, &[BEFORE, AFTER]).whole()?;
        (expression.terms().into_iter()).try_for_each(Term::is_of_two_runs)?;
        Ok(Condition {
            text: text.to_owned(),
            expression,
        })
    }

    /// Whether it holds for any target at any workload and load level.
    pub(super) fn check_two_runs(&self, days: &Days) -> Outcome {
        let mut says = Vec::new();
        let smoke = days.smoke;
        let places = by_key(days.changes.iter().map(|change| {
            let place = (&change.target, &change.workload, &change.load);
            (place, change)
        }));
        let asked = (places.iter()).map(|(_, here)| {
            (self.expression).status(&mut says, &|term| term.of_two_runs(here, smoke))
        });
        let status = match places.is_empty() {
            true => Status::Undecided,
            false => most(asked),
        };
        // What failed in one of the runs has not passed.
        let lacking: Vec<Found> = days.unmeasured.iter().cloned().map(Found::from).collect();
        let status = match lacking.is_empty() {
            true => status,
            false => status.max(Status::Void),
        };
        says.extend(lacking);
        Outcome::new(status, says)
    }
}

impl Term {
    fn is_of_two_runs(&self) -> Result<(), Error> {
        match self {
            Term::Compare(compare) => compare.terms().map(|_| ()),
            Term::Claims | Term::Checks | Term::Different => Err(Error::TwoRuns),
        }
    }

    /// Its outcomes for the target and place of these changes, a metric each.
    fn of_two_runs(&self, here: &[&Change], smoke: bool) -> Vec<Met> {
        match self {
            Term::Compare(compare) => vec![compare.of_two_runs(here, smoke)],
            // Refused when the condition was read.
            Term::Claims | Term::Checks | Term::Different => vec![(Status::Undecided, None)],
        }
    }
}

impl Compare {
    /// Both sides, of which at least one is a figure; two figures are of the same metric and of different runs.
    fn terms(&self) -> Result<[Scaled; 2], Error> {
        let terms = [self.left.scaled()?, self.right.scaled()?];
        match [terms[0].figure, terms[1].figure] {
            [None, None] => Err(Error::TwoRuns),
            [Some((first, metric)), Some((second, other))]
                if first == second || metric != other =>
            {
                Err(Error::TwoRuns)
            }
            _ => Ok(terms),
        }
    }

    fn of_two_runs(&self, here: &[&Change], smoke: bool) -> Met {
        let Ok([left, right]) = self.terms() else {
            return (Status::Undecided, None);
        };
        let metric = left.figure.or(right.figure).map(|(_, metric)| metric);
        let change = here.iter().find(|change| Some(change.metric) == metric);
        // A metric that is not measured at this place: nothing to ask.
        let Some(change) = change else {
            return (Status::DoesNotHold, None);
        };
        let place = Place::of(&change.workload, &change.load);
        let void = match &change.void {
            _ if smoke => Some(reason::smoke()),
            // One round is no reason against a figure by itself.
            Some(void) if !void.is_too_early() => Some(void.reason.clone()),
            _ => None,
        };
        if let Some(reason) = void {
            return (Status::Void, Some(invalid(place, reason)));
        }
        match change.ratio_of(&left, &right) {
            Some(interval) => {
                let (status, met) = self.decided(place, interval, Some(&change.target));
                (status, Some(met))
            }
            None => {
                let rounds = [&change.before, &change.after].map(|figure| figure.values().len());
                let rounds = rounds.into_iter().min().unwrap_or(0);
                let met = found::few_rounds(place, rounds).into();
                (Status::Undecided, Some(met))
            }
        }
    }
}

impl Side {
    fn scaled(&self) -> Result<Scaled, Error> {
        let mut figures = Vec::new();
        self.number.figures(&mut figures);
        let times = match &self.number {
            Number::Figure { .. } => Some(1.0),
            number if figures.is_empty() => number.value(&|_, _| None),
            number => number.scaled().map(|(_, times)| times),
        };
        let times = times.filter(|times| times.is_finite() && *times > 0.0);
        let times = times.ok_or(Error::TwoRuns)?;
        let figure = match figures.as_slice() {
            [] => None,
            [(run, metric)] => {
                if !JUDGED.contains(metric) {
                    return Err(Error::NotJudged {
                        name: metric.spec().key,
                        judged: JUDGED.map(|metric| metric.spec().key).join(", "),
                    });
                }
                Some((*run == AFTER, *metric))
            }
            _ => return Err(Error::TwoRuns),
        };
        Ok(Scaled { figure, times })
    }
}

impl Change {
    /// The 95% interval of left / right; `None` where the rounds are too few.
    fn ratio_of(&self, left: &Scaled, right: &Scaled) -> Option<Interval> {
        let rounds = |is_after: bool| match is_after {
            true => self.after.values(),
            false => self.before.values(),
        };
        let interval = match (left.figure, right.figure) {
            (Some((of, _)), Some((over, _))) => {
                Unpaired::new(&rounds(of), &rounds(over))?.interval(ALPHA, self.resolution)
            }
            (Some((run, _)), None) => {
                Paired::of_ratios(rounds(run))?.interval(ALPHA, self.resolution)
            }
            (None, Some((run, _))) => {
                let interval = Paired::of_ratios(rounds(run))?.interval(ALPHA, self.resolution)?;
                interval.recip()
            }
            (None, None) => None,
        }?;
        let times = left.times / right.times;
        Interval::new(interval.low * times, interval.high * times)
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_model::settings::Undecided;
    use photofinish_model::store::Results;

    use super::*;
    use crate::threshold::Gate;

    const THEN: [f64; 5] = [1000.0, 1010.0, 990.0, 1005.0, 995.0];

    fn runs(ratio: f64) -> (Results, Results) {
        let now = THEN.map(|x| x * ratio);
        (
            samples::race(&["a", "b"], &[&THEN, &THEN]),
            samples::race(&["a", "b"], &[&now, &THEN]),
        )
    }

    fn asked(text: &str, (before, after): &(Results, Results)) -> (Status, String) {
        let condition = Condition::parse_of_two_runs(text).expect(text);
        let outcome = condition.check_two_runs(&Days::from(before, after));
        let says: Vec<&str> = outcome.says.iter().map(|says| &*says.en).collect();
        (outcome.status, says.join("; "))
    }

    #[test]
    fn each_target_s_later_run_is_held_against_its_earlier_one() {
        // ln THEN has the mean μ and s = 0.0079; after / before = 0.9, Welch with 8 degrees of freedom (t = 2.306):
        // 0.9 × exp(± 2.306 × s × √(2 / 5)) = 0.8896 to 0.9104.
        let runs = runs(0.9);
        let (status, says) = asked("after.throughput < before.throughput * 0.95", &runs);
        assert_eq!(status, Status::Holds);
        assert_eq!(
            says,
            "plaintext, 100 connections: a: after.throughput is −11% to −9.0% compared with before.throughput; the limit is −5%"
        );
        // Times are the inverse: 1.11 of before; b has not changed.
        let status = |text: &str| asked(text, &runs).0;
        assert_eq!(status("after.p99 > before.p99 * 1.05"), Status::Holds);
        assert_eq!(status("after.p99 > before.p99 * 1.11"), Status::Undecided);
        assert_eq!(status("after.p99 > before.p99 * 1.2"), Status::DoesNotHold);
        assert_eq!(
            status("after.p99 > before.p99 * 1.05 and after.throughput > before.throughput"),
            Status::DoesNotHold
        );
        assert_eq!(
            status("after.p99 < before.p99 * 0.8 or 1.05 * before.p99 < after.p99"),
            Status::Holds
        );
        // 100 connections at 900/s: the mean is 111 ms, p99 twice that.
        assert_eq!(status("after.p99 > 210ms"), Status::Holds);
        assert_eq!(status("before.p99 > 210ms"), Status::DoesNotHold);
        assert_eq!(status("210ms < after.p99"), Status::Holds);
    }

    #[test]
    fn one_round_decides_nothing_and_a_smoke_run_is_void() {
        let one = (
            samples::race(&["a"], &[&[1000.0]]),
            samples::race(&["a"], &[&[500.0]]),
        );
        let (status, says) = asked("after.throughput < before.throughput", &one);
        assert_eq!(status, Status::Undecided);
        assert!(says.contains("1 round with all of its figures"), "{says}");
        let mut smoke = runs(0.5);
        smoke.1.study.settings.smoke = true;
        let text = "after.throughput < before.throughput";
        assert_eq!(asked(text, &smoke).0, Status::Void);
        let condition = Condition::parse_of_two_runs(text).expect(text);
        let days = Days::from(&smoke.0, &smoke.1);
        assert!(!Gate::of_two_runs(&condition, &days, Undecided::Pass).fails);
        assert!(Gate::of_two_runs(&condition, &days, Undecided::Fail).fails);
    }

    #[test]
    fn runs_that_share_nothing_pass_no_gate_unseen() {
        let runs = (
            samples::race(&["a"], &[&THEN]),
            samples::race(&["b"], &[&THEN]),
        );
        let (status, _) = asked("after.throughput < before.throughput", &runs);
        assert_eq!(status, Status::Undecided);
    }

    #[test]
    fn a_target_that_failed_in_one_of_the_runs_passes_no_gate() {
        let mut runs = runs(1.0);
        runs.1.lines.retain(|line| line.target != "b");
        let (status, says) = asked("after.throughput < before.throughput * 0.9", &runs);
        assert_eq!(status, Status::Void);
        assert!(
            says.ends_with("plaintext, 100 connections: b was not measured in the later run"),
            "{says}"
        );
        // What is certain elsewhere stays so.
        let (status, _) = asked("after.throughput > before.throughput * 0.9", &runs);
        assert_eq!(status, Status::Holds);
    }

    #[test]
    fn another_job_is_void_and_two_uneven_rounds_are_undecided() {
        let mut other = runs(1.5);
        for trial in other
            .1
            .trials
            .iter_mut()
            .filter(|trial| trial.target == "a")
        {
            trial.verified[0].status = 503;
        }
        let (status, says) = asked("after.throughput < before.throughput * 0.9", &other);
        assert_eq!(status, Status::Void);
        assert_eq!(
            says,
            "plaintext, 100 connections: a did not do the same job in both runs: its responses differ"
        );
        let two = |rates: [f64; 2]| samples::race(&["a"], &[&rates]);
        let uneven = (two([1000.0, 1600.0]), two([500.0, 800.0]));
        let (status, says) = asked("after.throughput < before.throughput", &uneven);
        assert_eq!(status, Status::Undecided, "{says}");
    }

    #[test]
    fn what_two_runs_cannot_decide_is_refused() {
        for text in [
            "claims",
            "checks",
            "different",
            "after.p99 > after.p50",
            "after.p99 > before.p50",
            "after.p99 - before.p99 > 1ms",
            "1 > 2",
        ] {
            assert_eq!(
                Condition::parse_of_two_runs(text),
                Err(Error::TwoRuns),
                "{text}"
            );
        }
        let reported =
            Condition::parse_of_two_runs("after.max > before.max").expect_err("not judged");
        assert_eq!(
            reported.to_string(),
            "changes of `max` are not judged from run to run; those of throughput, mean, p50, p99, p999, server-cpu are"
        );
        let reported =
            Condition::parse_of_two_runs("new.p99 > before.p99").expect_err("no such run");
        assert_eq!(reported.to_string(), "there is no target `new`");
    }
}
