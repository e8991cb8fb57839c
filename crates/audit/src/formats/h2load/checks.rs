//! What must be true of h2load's counts, rates and rows.

use super::Report;
use crate::figure::{Figure, Range, digits};
use crate::finding::{Rule, Severity};
use crate::rules::{self, Failed, Latency};
use crate::sheet::{Sheet, both};

/// Why a count is not compared with the other ones.
const WARM_UP: &str = "The run warmed up, or may have: h2load then counts the main duration only, and requests that began before it may end in it. Ask for the whole output.";

/// Minimum, mean and maximum of a row of which it is not known how many values it has.
pub fn order(name: &str, row: &Latency, sheet: &mut Sheet) {
    let (Some(min), Some(mean), Some(max)) = (&row.min, &row.mean, &row.max) else {
        return;
    };
    rules::ascending(
        sheet,
        &[
            (format!("the minimum of {name}"), min),
            (format!("the mean of {name}"), mean),
            (format!("the maximum of {name}"), max),
        ],
    );
}

impl Report {
    /// What the run may be measured for, in seconds, and where that is from. A run by time is measured for the time that it was
    /// asked for, without its warm-up; some versions may take the whole time.
    fn measured(&self) -> Option<(Vec<Range>, &Figure)> {
        let elapsed = self.elapsed.as_ref()?;
        let whole = elapsed.range.filter(|t| t.lo > 0.0)?.scaled(1e-3);
        match &self.period {
            Some(period) if self.warmed_up => Some((vec![period.range?], period)),
            Some(period) => Some((vec![whole, period.range?], elapsed)),
            None => Some((vec![whole], elapsed)),
        }
    }

    /// Without the lines of the start nothing says whether the run warmed up.
    fn may_have_warmed_up(&self) -> bool {
        self.period.is_none() && self.clients.is_none()
    }

    /// Requests over the time.
    pub fn rate(&self, sheet: &mut Sheet) {
        let (Some(rate), Some(done)) = (&self.rate, &self.done) else {
            return;
        };
        let (Some((periods, time)), Some(most)) = (self.measured(), done.range) else {
            return;
        };
        // Some versions count all that are done, some those that succeeded.
        let good = self
            .succeeded
            .as_ref()
            .and_then(|n| n.range)
            .unwrap_or(most);
        let all = most.over(periods[0]);
        let printed = rate.range.unwrap_or(all);
        let fits = periods
            .iter()
            .any(|t| printed.meets(most.over(*t)) || printed.meets(good.over(*t)));
        let figures = [rate, done, time];
        let says = format!(
            "{} requests done / {} = {all} per second; printed {}",
            done.text, time.text, rate.text
        );
        if !fits && printed.above(all) && self.may_have_warmed_up() {
            sheet.add(Severity::NotChecked, Rule::Rate, &figures, says, WARM_UP);
            return;
        }
        sheet.must(
            fits || printed.hi <= 0.0 && most.lo <= 0.0,
            Rule::Rate,
            &figures,
            says,
            "The rate is not that count over that time: one of the three was changed, or they come from different runs.",
        );
    }

    /// All bytes, rounded and exact, and over the time.
    pub fn traffic(&self, sheet: &mut Sheet) {
        let Some((rounded, exact)) = &self.traffic else {
            return;
        };
        let Some((short, all)) = both(rounded, exact) else {
            return;
        };
        sheet.must(
            short.meets(all),
            Rule::Bytes,
            &[rounded, exact],
            format!("{} bytes of traffic; printed {}", exact.text, rounded.text),
            "Both are the same number of bytes.",
        );
        let Some((transfer, printed)) = self.transfer.as_ref().and_then(|x| Some((x, x.range?)))
        else {
            return;
        };
        let Some((periods, time)) = self.measured() else {
            return;
        };
        // A whole number of bytes a second is cut off.
        let expected = |period: &Range| {
            let each = all.over(*period);
            Range::new((each.lo - 1.0).max(0.0), each.hi)
        };
        let figures = [transfer, exact, time];
        let first = expected(&periods[0]);
        let says = format!(
            "{} bytes / {} = {first} bytes a second; printed {}/s",
            exact.text, time.text, transfer.text
        );
        let fits = periods.iter().any(|t| printed.meets(expected(t)));
        if !fits && printed.above(first) && self.may_have_warmed_up() {
            sheet.add(Severity::NotChecked, Rule::Rate, &figures, says, WARM_UP);
            return;
        }
        sheet.must(
            fits,
            Rule::Rate,
            &figures,
            says,
            "The transfer rate is not those bytes over that time.",
        );
    }

    /// Counts that must fit each other.
    pub fn counts(&self, sheet: &mut Sheet) {
        let statuses: Vec<&Figure> = self.responses.statuses.iter().map(|(_, n)| n).collect();
        // A status is counted when it arrives: the request may still fail before its body is there, so that it was started and never done.
        let begun = self.started.as_ref().or(self.total.as_ref());
        if let (Some(begun), false) = (begun, statuses.is_empty())
            && let Some(n) = begun.range
        {
            let sum = self.responses.responses();
            let done = self
                .done
                .as_ref()
                .and_then(|n| n.range)
                .map_or(n.hi, |n| n.hi);
            let mut figures = vec![begun];
            figures.extend(self.done.iter());
            figures.extend(&statuses);
            self.at_most(
                sheet,
                sum.lo <= n.hi.max(done),
                &figures,
                format!(
                    "{} responses by status; {} requests started",
                    digits(sum.lo),
                    begun.text
                ),
                "Every response belongs to a request that was started.",
            );
        }
        if let (Some(total), Some(good), Some(bad)) = (&self.total, &self.succeeded, &self.failed)
            && let (Some(all), Some(sum)) = (
                total.range,
                good.range.zip(bad.range).map(|(g, b)| g.plus(b)),
            )
        {
            self.at_most(
                sheet,
                sum.lo <= all.hi,
                &[total, good, bad],
                format!(
                    "{} succeeded + {} failed = {sum}; {} in total",
                    good.text, bad.text, total.text
                ),
                "No more requests can have ended than there were.",
            );
        }
    }

    /// Holds if `ok`; else it cannot be true, unless requests of the warm-up ended within the period that is measured.
    fn at_most(
        &self,
        sheet: &mut Sheet,
        ok: bool,
        figures: &[&Figure],
        says: String,
        meaning: &str,
    ) {
        if ok || !self.warmed_up && !self.may_have_warmed_up() {
            sheet.must(ok, Rule::Sum, figures, says, meaning);
        } else {
            sheet.add(Severity::NotChecked, Rule::Sum, figures, says, WARM_UP);
        }
    }

    /// Requests that failed, and those that were not done in time.
    pub fn failures(&self, sheet: &mut Sheet) {
        let Some((total, n)) = self.total.as_ref().and_then(|n| Some((n, n.range?))) else {
            return;
        };
        self.responses.check(sheet, Failed::Lost);
        for (count, what) in [
            (&self.errored, "requests without a response"),
            (&self.timeouts, "timeouts"),
        ] {
            if let Some(count) = count
                && count.range.is_some_and(|c| c.hi > 0.0)
            {
                rules::failures_of(sheet, count, n, (&total.text, &[total]), what, Failed::Lost);
            }
        }
        if self.period.is_some()
            && let Some(done) = &self.done
            && n.hi > done.range.map_or(n.hi, Range::mid)
        {
            sheet.add(
                Severity::Note,
                Rule::Errors,
                &[total, done],
                format!("{} of {} requests were done when the time was up", done.text, total.text),
                "The others are not in the latency: where responses take long, the slowest are missing.",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Severity, audit};

    /// What a run with a warm-up prints at its end, at `rate`.
    fn end(rate: &str) -> String {
        format!(
            "finished in 4.00s, {rate} req/s, 98.81KB/s\nrequests: 2176 total, 2176 started, 2176 done, 2176 succeeded, 0 failed, 0 errored, 0 timeout\nstatus codes: 2176 2xx, 0 3xx, 0 4xx, 0 5xx\ntraffic: 197.63KB (202368) total, 226.49KB (231928) headers (space savings 0.00%), 55.55KB (56888) data\n"
        )
    }

    #[test]
    fn a_warm_up_may_be_in_lines_that_are_missing() {
        assert_eq!(audit(&end("1088.00")).impossible(), 0);
        // Less than over the whole time it is with no warm-up.
        assert_eq!(audit(&end("272.00")).impossible(), 1);
        let start = "spawning thread #0: 10 total client(s). 2176 total requests\n";
        let whole = audit(&(start.to_owned() + &end("1088.00")));
        assert_eq!(whole.impossible(), 2);
        let start = "spawning thread #0: 10 total client(s). Timing-based test with 2s of warm-up time and 2s of main duration for measurements.\n";
        let whole = audit(&(start.to_owned() + &end("1088.00")));
        assert_eq!(whole.count(Severity::Impossible), 0);
    }
}
