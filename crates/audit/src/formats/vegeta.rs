//! vegeta's report, as text and as JSON.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule, Severity};
use crate::gather::{Block, keep};
use crate::json::{Document, Node};
use crate::responses::Responses;
use crate::rules::{self, Failed, Latency, Slack};
use crate::sheet::Sheet;

/// What one report says. Times in milliseconds.
#[derive(Debug, Default)]
pub struct Report {
    requests: Option<Figure>,
    rate: Option<Figure>,
    throughput: Option<Figure>,
    /// From the first request to the last response; to the last request; the difference.
    total: Option<Figure>,
    attack: Option<Figure>,
    wait: Option<Figure>,
    latency: Latency,
    bytes: Option<Figure>,
    bytes_mean: Option<Figure>,
    /// A share of 1.
    success: Option<Figure>,
    responses: Responses,
}

/// Error of the share of values below a quantile: vegeta keeps a t-digest with compression 100.
const SKETCH: f64 = 0.03;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        self.requests.is_some() && text.starts_with("Requests") && text.contains("[total")
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let Some((head, values)) = text.split_once(']') else {
            return false;
        };
        let Some((label, columns)) = head.split_once('[') else {
            return false;
        };
        let mut scan = Scan::new(values, line);
        match label.trim() {
            "Requests" => {
                let mut next = || {
                    let number = scan.finite();
                    scan.lit(",");
                    number
                };
                let (requests, rate, throughput) = (next(), next(), next());
                self.throughput = throughput;
                keep(&mut self.requests, requests) && keep(&mut self.rate, rate)
            }
            "Duration" => {
                let durations = durations(&mut scan);
                let mut durations = durations.into_iter();
                (self.total, self.attack, self.wait) =
                    (durations.next(), durations.next(), durations.next());
                self.wait.is_some()
            }
            "Latencies" => self.latencies(columns, durations(&mut scan)),
            "Bytes In" => {
                self.bytes = scan.finite();
                scan.lit(",");
                keep(&mut self.bytes_mean, scan.finite())
            }
            "Bytes Out" => self.requests.is_some(),
            "Success" => {
                let share = scan.finite().filter(|_| scan.lit("%"));
                keep(&mut self.success, share.map(|s| s.in_unit("%", 0.01)))
            }
            "Status Codes" => {
                for pair in values.split_whitespace() {
                    if let Some((status, count)) = pair.split_once(':')
                        && let Some(count) = Scan::new(count, line).finite()
                    {
                        self.count(status, count);
                    }
                }
                true
            }
            _ => false,
        }
    }

    fn is_one(&self) -> bool {
        self.requests.is_some() && (self.latency.mean.is_some() || self.total.is_some())
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let requests = self.requests.as_ref().and_then(|n| n.range);
        let slack = Slack {
            values: requests.map_or(2.0, |n| n.lo),
            sketch: SKETCH,
        };
        self.latency.check(sheet, slack);
        self.times(sheet);
        self.rates(sheet);
        self.bytes(sheet);
        self.counts(sheet);
        self.responses.check(sheet, Failed::Timed);
        let figures: Vec<&Figure> = self.latency.mean.iter().chain(&self.rate).collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "vegeta sends by a schedule, on as many connections as that needs",
            "With a rate below the server's limit this is right; above it, and with -max-workers, the latency is that of what could be sent.",
        );
        let mut title: Vec<String> = self
            .requests
            .iter()
            .map(|n| format!("{} requests", n.text))
            .collect();
        title.extend(self.total.iter().map(|t| t.text.clone()));
        finding::Report::new("vegeta", span, title.join(", "))
    }
}

/// Durations, separated by commas.
fn durations(scan: &mut Scan<'_>) -> Vec<Figure> {
    let mut found = Vec::new();
    while let Some(duration) = scan.go_duration() {
        found.push(duration);
        if !scan.lit(",") || found.len() > 20 {
            break;
        }
    }
    found
}

impl Report {
    /// `min, mean, 50, 90, 95, 99, max`, or without `min` in older versions.
    fn latencies(&mut self, columns: &str, values: Vec<Figure>) -> bool {
        let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
        if columns.len() != values.len() {
            return false;
        }
        for (column, value) in columns.into_iter().zip(values) {
            match column {
                "min" => self.latency.min = Some(value),
                "mean" => self.latency.mean = Some(value),
                "max" => self.latency.max = Some(value),
                percent => {
                    let percent = percent.parse().unwrap_or(-1.0);
                    self.latency.quantile(percent, Some(value));
                }
            }
        }
        true
    }

    /// Status 0 stands for no response.
    fn count(&mut self, status: &str, count: Figure) {
        if status == "0" {
            self.responses.lost("status 0", count);
        } else {
            self.responses.status(status, count);
        }
    }

    fn times(&self, sheet: &mut Sheet) {
        if let (Some(total), Some(attack), Some(wait)) = (&self.total, &self.attack, &self.wait) {
            rules::sum(
                sheet,
                total,
                &[attack, wait],
                "attack + wait, in ms",
                "The total is the time of the attack and the wait for its last responses.",
            );
        }
    }

    /// The rate is that of sending, the throughput that of successes.
    fn rates(&self, sheet: &mut Sheet) {
        let Some((requests, n)) = self.requests.as_ref().and_then(|n| Some((n, n.range?))) else {
            return;
        };
        if let (Some(attack), Some(rate)) = (&self.attack, &self.rate)
            && let Some(ms) = attack.range.filter(|t| t.lo > 0.0)
        {
            rules::quotient(
                sheet,
                Rule::Rate,
                rate,
                n.over(ms.scaled(1e-3)),
                &[requests, attack],
                &format!("{} requests / {}", requests.text, attack.text),
                "The rate is that of sending: requests over the time from the first to the last.",
            );
        }
        if let (Some(total), Some(throughput), Some(success)) =
            (&self.total, &self.throughput, &self.success)
            && let (Some(ms), Some(share)) = (total.range.filter(|t| t.lo > 0.0), success.range)
            && self
                .attack
                .as_ref()
                .and_then(|a| a.range)
                .is_some_and(|a| a.lo > 0.0)
        {
            rules::quotient(
                sheet,
                Rule::Rate,
                throughput,
                n.times(share).over(ms.scaled(1e-3)),
                &[requests, success, total],
                &format!(
                    "{} requests × {} / {}",
                    requests.text, success.text, total.text
                ),
                "The throughput is the successful requests over the whole time.",
            );
        }
    }

    fn bytes(&self, sheet: &mut Sheet) {
        if let (Some(total), Some(mean), Some(requests)) =
            (&self.bytes, &self.bytes_mean, &self.requests)
            && let (Some(all), Some(n)) = (total.range, requests.range.filter(|n| n.lo >= 1.0))
        {
            rules::quotient(
                sheet,
                Rule::Bytes,
                mean,
                all.over(n),
                &[total, requests],
                &format!("{} bytes / {} requests", total.text, requests.text),
                "The mean is the bytes over the requests.",
            );
        }
    }

    fn counts(&self, sheet: &mut Sheet) {
        let Some((requests, n)) = self.requests.as_ref().and_then(|n| Some((n, n.range?))) else {
            return;
        };
        let parts: Vec<&Figure> = self.responses.figures().collect();
        if parts.is_empty() {
            return;
        }
        rules::sum(
            sheet,
            requests,
            &parts,
            "requests by status",
            "Every request has one status, 0 for no response.",
        );
        let good = self
            .responses
            .statuses
            .iter()
            .filter(|(s, _)| s.starts_with(['2', '3']));
        let good = Range::total(good.map(|(_, n)| n));
        if let Some(success) = &self.success
            && n.lo >= 1.0
        {
            rules::quotient(
                sheet,
                Rule::Rate,
                success,
                good.over(n),
                &parts,
                &format!(
                    "{} responses with status 2xx and 3xx / {}",
                    digits(good.lo),
                    requests.text
                ),
                "The share of successes is not those statuses over the requests.",
            );
        }
        let smallest = self.latency.min.as_ref().and_then(|m| m.range);
        if smallest.is_some_and(|m| m.hi <= 0.0) && n.lo >= 1.0 {
            let min: Vec<&Figure> = self.latency.min.iter().collect();
            sheet.add(
                Severity::Doubtful,
                Rule::Mean,
                &min,
                "a minimum of 0",
                "No response comes in no time: requests failed before they were sent, or the file is empty.",
            );
        }
    }
}

/// The report in a document, if it is vegeta's.
fn read(root: &Node) -> Option<Report> {
    let ms = |path: &str| root.number(path).map(|f| f.in_unit(" ns", 1e-6));
    let mut report = Report {
        requests: Some(root.number("requests")?),
        rate: Some(root.number("rate")?),
        throughput: Some(root.number("throughput")?),
        attack: Some(ms("duration")?),
        wait: Some(ms("wait")?),
        success: root.number("success"),
        bytes: root.number("bytes_in/total"),
        bytes_mean: root.number("bytes_in/mean"),
        ..Report::default()
    };
    let whole = |f: &Option<Figure>| f.as_ref().and_then(|f| f.range);
    report.total = whole(&report.attack)
        .zip(whole(&report.wait))
        .map(|(a, w)| Figure {
            text: format!("{} ns", digits((a.lo + w.lo) * 1e6)),
            line: report.attack.as_ref().map_or(0, |a| a.line),
            range: Some(a.plus(w)),
        });
    // Cut off to whole nanoseconds.
    report.latency.mean = ms("latencies/mean").map(|m| m.no_finer(1e-6));
    report.latency.min = ms("latencies/min");
    report.latency.max = ms("latencies/max");
    for (name, value) in root.numbers("latencies") {
        let percent = name.strip_suffix("th").and_then(|p| p.parse().ok());
        report
            .latency
            .quantile(percent.unwrap_or(-1.0), Some(value.in_unit(" ns", 1e-6)));
    }
    for (status, count) in root.numbers("status_codes") {
        report.count(status, count);
    }
    Some(report)
}
