//! bombardier's statistics, as text and as JSON.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding;
use crate::gather::{Block, keep};
use crate::json::{Document, Node};
use crate::responses::Responses;
use crate::rules::{self, Busy, Failed, Latency, Slack, path};
use crate::sheet::Sheet;

/// What one report says.
#[derive(Debug, Default)]
pub struct Report {
    url: Option<String>,
    connections: Option<Figure>,
    /// Of a timed run, in seconds; JSON has what it took instead.
    seconds: Option<Figure>,
    /// The time is what the run took, not what it was asked to take.
    taken: bool,
    /// Mean and maximum of samples of a hundredth of a second.
    rate: Option<Figure>,
    fastest: Option<Figure>,
    latency: Latency,
    responses: Responses,
}

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.starts_with("Bombarding ") || text.starts_with("Statistics ") && self.rate.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let mut scan = Scan::new(text, line);
        if scan.lit("Bombarding ") {
            return self.heading(&mut scan);
        }
        if scan.lit("Statistics") {
            return text.contains("Avg") && text.contains("Stdev");
        }
        if scan.lit("Reqs/sec") {
            let is_rate = keep(&mut self.rate, scan.finite());
            let _deviation = scan.finite();
            self.fastest = scan.finite();
            return is_rate;
        }
        if scan.lit("Latency Distribution") {
            return true;
        }
        if scan.lit("Latency") {
            let (Some(mean), Some(sd), Some(max)) = (scan.time(), scan.time(), scan.time()) else {
                return false;
            };
            // wrk has a share in a fourth column.
            if !scan.rest().is_empty() {
                return false;
            }
            (self.latency.mean, self.latency.sd, self.latency.max) =
                (Some(mean), Some(sd), Some(max));
            return true;
        }
        if scan.lit("1xx -") {
            return self.codes(text, line);
        }
        if scan.lit("others -") {
            return self.others(scan.finite());
        }
        if scan.lit("Throughput:") {
            return self.rate.is_some();
        }
        let Some(number) = scan.finite().filter(|_| self.latency.mean.is_some()) else {
            return false;
        };
        let percent = number.range.map_or(-1.0, Range::mid);
        scan.lit("%") && self.latency.quantile(percent, scan.time())
    }

    fn is_one(&self) -> bool {
        self.latency.mean.is_some() && !self.responses.statuses.is_empty()
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let all = self.responses.all();
        // The latency has every request, with or without a response.
        self.latency.check(sheet, Slack::of(all.lo));
        self.samples(all, sheet);
        self.law(all, sheet);
        self.responses.check(sheet, Failed::Timed);
        let mut title: Vec<String> = self.url.iter().cloned().collect();
        title.push(format!("{} requests", digits(all.lo)));
        title.extend(
            self.connections
                .iter()
                .map(|c| format!("{} connections", c.text)),
        );
        finding::Report {
            endpoint: self.url.as_deref().map(path),
            ..finding::Report::new("bombardier", span, title.join(", "))
        }
    }
}

impl Report {
    /// `http://a/b for 2s using 20 connection(s)`, `http://a/b with 700 request(s) using 7 connection(s)`.
    fn heading(&mut self, scan: &mut Scan<'_>) -> bool {
        let url = scan.rest().split_whitespace().next().map(str::to_owned);
        let mut time = scan.clone();
        if time.find(" for ") {
            // An exact length, as it was asked for.
            self.seconds = time
                .go_duration()
                .and_then(|t| Some(t.range?.mid()).map(|ms| (t, ms)))
                .map(|(t, ms)| Figure {
                    range: Some(Range::exact(ms / 1000.0)),
                    ..t
                });
        }
        self.url = url;
        scan.find(" using ") && keep(&mut self.connections, scan.finite())
    }

    fn codes(&mut self, text: &str, line: usize) -> bool {
        for status in ["1xx", "2xx", "3xx", "4xx", "5xx"] {
            let mut scan = Scan::new(text, line);
            let count = scan.find(&format!("{status} -")).then(|| scan.finite());
            match count.flatten() {
                Some(count) => self.responses.status(status, count),
                None => return false,
            }
        }
        true
    }

    fn others(&mut self, count: Option<Figure>) -> bool {
        let some = count.is_some();
        if let Some(count) = count {
            self.responses.lost("others", count);
        }
        some
    }

    /// The longest request in seconds.
    fn longest(&self) -> f64 {
        let longest = self.latency.max.as_ref().and_then(|m| m.range);
        longest.map_or(0.0, |m| m.hi / 1000.0)
    }

    /// Seconds by which a run by time may be longer than it was asked to be: what is under way is waited for.
    fn beyond(&self) -> f64 {
        if self.taken { 0.0 } else { self.longest() }
    }

    /// The samples' mean is not above their maximum, and about the whole.
    fn samples(&self, all: Range, sheet: &mut Sheet) {
        const FEW: f64 = 100.0;
        let Some(rate) = &self.rate else { return };
        if let Some(fastest) = &self.fastest {
            rules::ascending(
                sheet,
                &[
                    ("the mean of Reqs/sec".into(), rate),
                    ("its maximum".into(), fastest),
                ],
            );
        }
        let Some((seconds, t)) = self.seconds.as_ref().and_then(|s| Some((s, s.range?))) else {
            return;
        };
        // A short run is a handful of samples.
        if t.lo < 1.0 || all.lo < FEW {
            return;
        }
        // While the last requests are awaited there is one sample for all of that time.
        let sampled = t.lo - if self.taken { self.longest() } else { 0.0 };
        let most = Range::exact(all.hi).over(Range::exact(sampled)).hi;
        let whole = Range::new(all.lo / (t.hi + self.beyond()), most);
        let says = format!(
            "{} requests / {}; mean of the samples {}",
            digits(all.lo),
            seconds.text,
            rate.text
        );
        let mut figures = vec![seconds];
        figures.extend(self.responses.figures());
        rules::sampled_rate(sheet, rate, whole, &figures, says);
    }

    fn law(&self, all: Range, sheet: &mut Sheet) {
        let (Some(mean), Some(connections)) = (&self.latency.mean, &self.connections) else {
            let figures: Vec<&Figure> = self.latency.mean.iter().collect();
            return rules::law_not_checked(
                sheet,
                &figures,
                "the line with the connections ('Bombarding …') is missing",
                "Ask for the whole output.",
            );
        };
        let Some((seconds, t)) = self.seconds.as_ref().and_then(|s| Some((s, s.range?))) else {
            return rules::law_not_checked(
                sheet,
                &[mean],
                "bombardier does not print how long a run by number of requests took, and its Reqs/sec is a mean of samples",
                "Ask for '-o json', which has the time.",
            );
        };
        let mut figures = vec![seconds];
        figures.extend(self.responses.figures());
        rules::closed_loop(
            sheet,
            &Busy {
                connections,
                depth: 1.0,
                mean,
                rate: all.over(t),
                from: format!("{} requests / {}", digits(all.lo), seconds.text),
                figures,
                ends: self.beyond() / t.lo.max(1e-9),
                extra: None,
                idle: "Either a rate was set (-r), which the report does not say, or bombardier itself was busy (see its CPU).",
            },
        );
    }
}

/// The report in a document, if it is bombardier's.
fn read(root: &Node) -> Option<Report> {
    let connections = root.number("spec/numberOfConnections")?;
    let us = |path: &str| root.number(path).map(|f| f.in_unit(" us", 1e-3));
    let mut report = Report {
        url: root.text("spec/url").map(str::to_owned),
        connections: Some(connections),
        seconds: root
            .number("result/timeTakenSeconds")
            .map(|t| t.in_unit(" s", 1.0)),
        taken: true,
        rate: root.number("result/rps/mean"),
        fastest: root.number("result/rps/max"),
        ..Report::default()
    };
    report.latency.mean = us("result/latency/mean");
    report.latency.sd = us("result/latency/stddev");
    report.latency.max = us("result/latency/max");
    for (percent, value) in root.numbers("result/latency/percentiles") {
        let percent = percent.trim().parse().unwrap_or(-1.0);
        report
            .latency
            .quantile(percent, Some(value.in_unit(" us", 1e-3)));
    }
    for status in ["1xx", "2xx", "3xx", "4xx", "5xx"] {
        if let Some(count) = root.number(&format!("result/req{status}")) {
            report.responses.status(status, count);
        }
    }
    report.others(root.number("result/others"));
    report.is_one().then_some(report)
}
