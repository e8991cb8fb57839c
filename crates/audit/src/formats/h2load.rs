//! h2load's report.

mod checks;

use crate::figure::{Figure, Scan, unit_bytes};
use crate::finding;
use crate::gather::{Block, keep};
use crate::responses::Responses;
use crate::rules::{self, Latency, Slack};
use crate::sheet::Sheet;

/// The rows of the table of times, as older and newer versions name them.
const ROWS: [(&str, &str); 8] = [
    ("time for request:", REQUESTS),
    ("request     :", REQUESTS),
    ("time for connect:", "time for connect"),
    ("connect     :", "time for connect"),
    ("time to 1st byte:", "time to 1st byte"),
    ("TTFB        :", "time to 1st byte"),
    ("req/s           :", RATES),
    ("req/s       :", RATES),
];
const REQUESTS: &str = "time for request";
const RATES: &str = "req/s of a client";

/// What one report says.
#[derive(Debug, Default)]
pub struct Report {
    clients: Option<Figure>,
    protocol: Option<String>,
    /// Of a run by time: what it is measured for, in seconds.
    period: Option<Figure>,
    /// Before that the run warmed up, and requests of that time may have ended within the period.
    warmed_up: bool,
    /// In milliseconds, with the warm-up.
    elapsed: Option<Figure>,
    rate: Option<Figure>,
    /// Bytes a second.
    transfer: Option<Figure>,
    /// All bytes, rounded and exact.
    traffic: Option<(Figure, Figure)>,
    total: Option<Figure>,
    started: Option<Figure>,
    done: Option<Figure>,
    succeeded: Option<Figure>,
    failed: Option<Figure>,
    errored: Option<Figure>,
    timeouts: Option<Figure>,
    responses: Responses,
    latency: Latency,
    /// Rows of the table of times, without that of the requests.
    rows: Vec<(&'static str, Latency)>,
    /// Shares of the values within one standard deviation.
    within: Vec<Figure>,
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
            if text.contains("Timing-based") {
                self.period_of(text, line);
            }
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
            let is_rate = self.elapsed.is_some() && scan.lit("req/s");
            self.transfer = is_rate
                .then(|| scan.lit(",").then(|| bytes(&mut scan)))
                .flatten()
                .flatten()
                .filter(|_| scan.lit("/s"));
            return is_rate && keep(&mut self.rate, rate);
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
        for (label, name) in ROWS {
            if scan.lit(label) {
                return self.elapsed.is_some() && self.row(name, &mut scan);
            }
        }
        if scan.lit("traffic:") && self.elapsed.is_some() {
            self.traffic = bytes(&mut scan).and_then(|rounded| {
                let exact = scan.lit("(").then(|| scan.finite()).flatten()?;
                Some((rounded, exact))
            });
            return true;
        }
        false
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
        for (name, row) in &self.rows {
            checks::order(name, row, sheet);
        }
        for share in &self.within {
            rules::share_within(sheet, share);
        }
        self.rate(sheet);
        self.traffic(sheet);
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
                Some("started") => &mut self.started,
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

    /// `Timing-based test with 1s of warm-up time and 2s of main duration`
    fn period_of(&mut self, text: &str, line: usize) {
        let mut scan = Scan::new(text, line);
        let warm_up = scan.find(" with ").then(|| scan.finite()).flatten();
        self.warmed_up = warm_up.and_then(|t| t.range).is_none_or(|t| t.hi > 0.0);
        self.period = scan.find(" and ").then(|| scan.finite()).flatten();
        self.period = self.period.take().map(|t| t.in_unit(" s", 1.0));
    }

    /// min, max, (median, p95, p99,) mean, sd, share within one sd.
    fn row(&mut self, name: &'static str, scan: &mut Scan<'_>) -> bool {
        let is_rate = name == RATES;
        let mut next = || {
            if is_rate {
                scan.finite()
            } else {
                // Microseconds are cut off to whole ones.
                scan.time().map(|t| t.no_finer(1e-3))
            }
        };
        let mut row = Latency {
            min: next(),
            max: next(),
            ..Latency::default()
        };
        if self.percentiles {
            for percent in [50.0, 95.0, 99.0] {
                row.quantile(percent, next());
            }
        }
        row.mean = next();
        row.sd = next();
        let share = scan.finite().filter(|_| scan.lit("%"));
        let whole = row.sd.is_some();
        if whole {
            self.within.extend(share);
            if name == REQUESTS {
                self.latency = row;
            } else if self.rows.len() < ROWS.len() {
                self.rows.push((name, row));
            }
        }
        whole
    }
}

/// `217.11KB`, in bytes.
fn bytes(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.finite()?;
    let unit = scan.letters();
    unit_bytes(unit).map(|by| figure.in_unit(unit, by))
}
