//! h2load's report.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule, Severity};
use crate::gather::{Block, keep};
use crate::responses::Responses;
use crate::rules::{self, Failed, Latency, Slack};
use crate::sheet::Sheet;

/// What one report says.
#[derive(Debug, Default)]
pub struct Report {
    clients: Option<Figure>,
    protocol: Option<String>,
    timed: bool,
    /// In milliseconds.
    elapsed: Option<Figure>,
    rate: Option<Figure>,
    total: Option<Figure>,
    done: Option<Figure>,
    succeeded: Option<Figure>,
    failed: Option<Figure>,
    errored: Option<Figure>,
    timeouts: Option<Figure>,
    responses: Responses,
    latency: Latency,
    within: Option<Figure>,
    /// Median, p95 and p99 stand between maximum and mean in newer versions.
    percentiles: bool,
}

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.starts_with("starting benchmark")
            || text.starts_with("finished in ") && self.elapsed.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let mut scan = Scan::new(text, line);
        if scan.lit("spawning thread #") {
            let clients = scan.find(": ").then(|| scan.finite()).flatten();
            self.timed |= text.contains("Timing-based");
            if !text.contains("total client") {
                return false;
            }
            // Each thread has its own line and its share of the clients.
            let sum = match (self.clients.take(), clients) {
                (Some(a), Some(b)) => Some(Figure {
                    text: format!("{} + {}", a.text, b.text),
                    line: a.line,
                    range: a.range.zip(b.range).map(|(a, b)| a.plus(b)),
                }),
                (a, b) => a.or(b),
            };
            return keep(&mut self.clients, sum);
        }
        if scan.lit("Application protocol:") {
            self.protocol = Some(scan.rest().to_owned());
            return true;
        }
        if scan.lit("finished in ") {
            self.elapsed = scan.time();
            scan.lit(",");
            let rate = scan.finite();
            return self.elapsed.is_some() && scan.lit("req/s") && keep(&mut self.rate, rate);
        }
        if scan.lit("requests:") {
            return self.requests(&mut scan);
        }
        if scan.lit("status codes:") {
            while let Some(count) = scan.finite() {
                let status: String = scan.rest().chars().take(3).collect();
                self.responses.status(&status, count);
                if !scan.find(",") {
                    break;
                }
            }
            return !self.responses.statuses.is_empty();
        }
        if scan.lit("min ") {
            self.percentiles = text.contains("median") || text.contains("p95");
            return text.contains("max") && text.contains("mean");
        }
        if scan.lit("time for request:") || scan.lit("request     :") {
            return self.row(&mut scan);
        }
        scan.lit("traffic:") && self.elapsed.is_some()
    }

    fn is_one(&self) -> bool {
        self.elapsed.is_some() && self.rate.is_some() && self.total.is_some()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let done = self.done.as_ref().and_then(|n| n.range);
        if done.is_some_and(|n| n.lo > 0.0) {
            self.latency
                .check(sheet, Slack::of(done.map_or(2.0, |n| n.lo)));
        }
        if let Some((share, p)) = self.within.as_ref().and_then(|s| Some((s, s.range?))) {
            sheet.must(
                p.lo <= 100.0,
                Rule::Spread,
                &[share],
                format!("{} of the values within one standard deviation", share.text),
                "A share lies between 0 and 100%.",
            );
        }
        self.rate(sheet);
        self.counts(sheet);
        self.failures(sheet);
        let figures: Vec<&Figure> = self.latency.mean.iter().chain(&self.rate).collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "h2load does not print how many streams a connection had at a time (-m)",
            "Ask for the command line: clients × streams / rate is what a request took on average, if no rate was set (-r, --rps).",
        );
        let mut title: Vec<String> = self.protocol.iter().cloned().collect();
        title.extend(self.total.iter().map(|n| format!("{} requests", n.text)));
        title.extend(self.clients.iter().map(|c| format!("{} clients", c.text)));
        finding::Report::new("h2load", span, title.join(", "))
    }
}

impl Report {
    /// `20000 total, 20000 started, 20000 done, 20000 succeeded, 0 failed, 0 errored, 0 timeout`
    fn requests(&mut self, scan: &mut Scan<'_>) -> bool {
        while let Some(count) = scan.finite() {
            let slot = match scan.rest().split([',', ' ']).next() {
                Some("total") => &mut self.total,
                Some("done") => &mut self.done,
                Some("succeeded") => &mut self.succeeded,
                Some("failed") => &mut self.failed,
                Some("errored") => &mut self.errored,
                Some("timeout") => &mut self.timeouts,
                _ => &mut None,
            };
            *slot = Some(count);
            if !scan.find(",") {
                break;
            }
        }
        self.total.is_some() && self.done.is_some()
    }

    /// min, max, (median, p95, p99,) mean, sd, share within one sd.
    fn row(&mut self, scan: &mut Scan<'_>) -> bool {
        // Microseconds are cut off to whole ones.
        let mut next = || scan.time().map(|t| t.no_finer(1e-3));
        self.latency.min = next();
        self.latency.max = next();
        if self.percentiles {
            for percent in [50.0, 95.0, 99.0] {
                self.latency.quantile(percent, next());
            }
        }
        self.latency.mean = next();
        self.latency.sd = next();
        self.within = scan.finite().filter(|_| scan.lit("%"));
        self.latency.sd.is_some()
    }

    fn rate(&self, sheet: &mut Sheet) {
        let (Some(elapsed), Some(rate), Some(done)) = (&self.elapsed, &self.rate, &self.done)
        else {
            return;
        };
        let (Some(ms), Some(most)) = (elapsed.range.filter(|t| t.lo > 0.0), done.range) else {
            return;
        };
        // Some versions count all that are done, some those that succeeded.
        let good = self
            .succeeded
            .as_ref()
            .and_then(|n| n.range)
            .unwrap_or(most);
        let secs = ms.scaled(1e-3);
        let (all, best) = (most.over(secs), good.over(secs));
        let printed = rate.range.unwrap_or(all);
        sheet.must(
            printed.meets(all) || printed.meets(best) || printed.hi <= 0.0 && most.lo <= 0.0,
            Rule::Rate,
            &[rate, done, elapsed],
            format!("{} requests done / {} = {all} per second; printed {}", done.text, elapsed.text, rate.text),
            "The rate is not that count over that time: one of the three was changed, or they come from different runs.",
        );
    }

    fn counts(&self, sheet: &mut Sheet) {
        let statuses: Vec<&Figure> = self.responses.statuses.iter().map(|(_, n)| n).collect();
        if let (Some(done), false) = (&self.done, statuses.is_empty())
            && let Some(n) = done.range
        {
            let sum = self.responses.responses();
            let mut figures = vec![done];
            figures.extend(&statuses);
            // Requests that were done without a status (a reset stream) are in no class.
            sheet.must(
                sum.lo <= n.hi,
                Rule::Sum,
                &figures,
                format!("{} responses by status; {} done", digits(sum.lo), done.text),
                "Every response belongs to a request that is done.",
            );
        }
        if let (Some(total), Some(good), Some(bad)) = (&self.total, &self.succeeded, &self.failed)
            && let (Some(all), Some(sum)) = (
                total.range,
                good.range.zip(bad.range).map(|(g, b)| g.plus(b)),
            )
        {
            sheet.must(
                sum.lo <= all.hi,
                Rule::Sum,
                &[total, good, bad],
                format!(
                    "{} succeeded + {} failed = {sum}; {} in total",
                    good.text, bad.text, total.text
                ),
                "No more requests can have ended than there were.",
            );
        }
    }

    fn failures(&self, sheet: &mut Sheet) {
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
        if self.timed
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
