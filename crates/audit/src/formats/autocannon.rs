//! autocannon's tables, and its JSON.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule};
use crate::gather::{Block, keep};
use crate::json::{Document, Node};
use crate::responses::Responses;
use crate::rules::{self, Busy, Failed, Latency, Slack, path};
use crate::sheet::{Sheet, both};

/// What one report says.
#[derive(Debug, Default)]
pub struct Report {
    url: Option<String>,
    connections: Option<Figure>,
    pipelining: Option<Figure>,
    /// Headings of the table that is being read.
    columns: Vec<String>,
    latency: Latency,
    /// Rounded to thousands as text.
    requests: Option<Figure>,
    seconds: Option<Figure>,
    /// Mean of the requests in each second.
    sampled: Option<Figure>,
    errors: Option<Figure>,
    timeouts: Option<Figure>,
    responses: Responses,
    /// Of the second table (`-l`).
    listing: bool,
}

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.starts_with("Running ") && text.contains(" test @ ")
            || text.starts_with("| Latency") && self.latency.mean.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let mut scan = Scan::new(text, line);
        if scan.lit("Running ") {
            self.url = text
                .split_once(" test @ ")
                .and_then(|(_, url)| url.split_whitespace().next())
                .map(str::to_owned);
            return self.url.is_some();
        }
        if text.starts_with('|') {
            let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
            return self.row(&cells, line);
        }
        let Some(number) = scan.finite() else {
            return scan.lit("# of samples:") && self.latency.mean.is_some();
        };
        let number = thousands(number, &mut scan);
        if scan.lit("connections") {
            self.pipelining = scan.lit("with").then(|| scan.finite()).flatten();
            return self.url.is_some() && keep(&mut self.connections, Some(number));
        }
        if scan.lit("requests in ") {
            self.seconds = scan.finite().filter(|_| scan.lit("s"));
            return self.seconds.is_some() && keep(&mut self.requests, Some(number));
        }
        if scan.lit("2xx responses,") {
            let bad = scan.finite();
            self.responses.status("2xx", number);
            self.responses
                .statuses
                .extend(bad.map(|n| ("non-2xx".to_owned(), n)));
            return true;
        }
        if scan.lit("errors (") {
            let timeouts = scan.finite().map(|n| thousands(n, &mut scan));
            self.timeouts = timeouts;
            return keep(&mut self.errors, Some(number));
        }
        false
    }

    fn is_one(&self) -> bool {
        self.latency.mean.is_some() && self.requests.is_some()
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let values = self.values();
        self.latency.check(
            sheet,
            Slack {
                values: values.lo,
                sketch: 0.0,
            },
        );
        self.rate(sheet);
        self.law(values, sheet);
        self.failures(sheet);
        let mut title: Vec<String> = self.url.iter().cloned().collect();
        title.extend(
            self.connections
                .iter()
                .map(|c| format!("{} connections", c.text)),
        );
        finding::Report {
            endpoint: self.url.as_deref().map(path),
            ..finding::Report::new("autocannon", span, title.join(", "))
        }
    }
}

/// A percentile of a histogram with three digits may be above the largest value.
fn coarse(figure: Figure) -> Figure {
    let size = figure.range.map_or(0.0, Range::mid);
    figure.no_finer(size * 1e-3)
}

/// `145k`: as text, numbers of a thousand and more are rounded to whole thousands.
fn thousands(figure: Figure, scan: &mut Scan<'_>) -> Figure {
    let mut next = scan.clone();
    let unit = next.letters();
    let by = match unit {
        "k" => 1e3,
        "M" => 1e6,
        "G" | "B" => 1e9,
        _ => return figure,
    };
    *scan = next;
    figure.no_finer(0.5).in_unit(unit, by)
}

impl Report {
    fn row(&mut self, cells: &[&str], line: usize) -> bool {
        let Some((&name, values)) = cells.split_first() else {
            return false;
        };
        match name {
            "Stat" => {
                self.columns = values.iter().take(20).map(|c| (*c).to_owned()).collect();
                true
            }
            "Percentile" => {
                self.listing = values.first().is_some_and(|v| v.starts_with("Latency"));
                self.listing
            }
            "Latency" if self.columns.len() == values.len() => {
                let columns = std::mem::take(&mut self.columns);
                for (column, value) in columns.iter().zip(values) {
                    self.value(column, Scan::new(value, line).time());
                }
                self.latency.mean.is_some()
            }
            "Req/Sec" if self.columns.len() == values.len() => {
                for (column, value) in self.columns.iter().zip(values) {
                    if column == "Avg" {
                        self.sampled = Scan::new(value, line).finite().map(|f| f.no_finer(0.5));
                    }
                }
                true
            }
            percent if self.listing => {
                let percent = percent.parse().unwrap_or(-1.0);
                let value = values.first().and_then(|v| Scan::new(v, line).finite());
                // The first table has some of them already.
                let known = self
                    .latency
                    .quantiles
                    .iter()
                    .any(|(q, _)| (q * 100.0 - percent).abs() < 1e-9);
                known
                    || self
                        .latency
                        .quantile(percent, value.map(|v| coarse(v.in_unit(" ms", 1.0))))
            }
            _ => false,
        }
    }

    fn value(&mut self, column: &str, value: Option<Figure>) {
        let hundredths = |f: Figure| f.no_finer(0.005);
        match column {
            "Avg" => self.latency.mean = value.map(hundredths),
            "Stdev" => self.latency.sd = value.map(hundredths),
            "Max" => self.latency.max = value,
            percent => {
                let percent = percent.strip_suffix('%').and_then(|p| p.parse().ok());
                self.latency
                    .quantile(percent.unwrap_or(-1.0), value.map(coarse));
            }
        }
    }

    /// Latencies that were kept: those of responses.
    fn values(&self) -> Range {
        let requests = self
            .requests
            .as_ref()
            .and_then(|n| n.range)
            .unwrap_or(Range::exact(0.0));
        let errors = self
            .errors
            .as_ref()
            .and_then(|n| n.range)
            .map_or(0.0, |n| n.hi);
        // Some versions count errors as requests.
        Range::new((requests.lo - errors).max(0.0), requests.hi)
    }

    /// The mean of the samples, each of a second, against the whole.
    fn rate(&self, sheet: &mut Sheet) {
        let (Some(mean), Some(requests), Some(seconds)) =
            (&self.sampled, &self.requests, &self.seconds)
        else {
            return;
        };
        let Some((n, t)) = both(requests, seconds) else {
            return;
        };
        if t.lo <= 0.0 || n.lo < 100.0 {
            return;
        }
        // A run of T seconds has T or T − 1 samples, the last of which may have been cut short.
        let errors = self
            .errors
            .as_ref()
            .and_then(|e| e.range)
            .map_or(0.0, |e| e.hi);
        let whole = Range::new((n.lo - errors) / (t.hi + 1.0), n.hi / (t.lo - 1.0).max(0.5));
        let says = format!(
            "{} requests / {} s; mean of the samples {}",
            requests.text, seconds.text, mean.text
        );
        rules::sampled_rate(sheet, mean, whole, &[requests, seconds], says);
    }

    fn law(&self, values: Range, sheet: &mut Sheet) {
        let Some(mean) = &self.latency.mean else {
            return;
        };
        let (Some(connections), Some(seconds)) = (&self.connections, &self.seconds) else {
            return rules::law_not_checked(
                sheet,
                &[mean],
                "the line with the connections is missing",
                "Ask for the whole output.",
            );
        };
        let Some(t) = seconds.range.filter(|t| t.lo > 0.0) else {
            return;
        };
        let depth = self
            .pipelining
            .as_ref()
            .and_then(|p| p.range)
            .map_or(1.0, |p| p.hi.max(1.0));
        let busy = Busy {
            connections,
            depth,
            mean,
            rate: values.over(t),
            from: format!("{} requests / {} s", digits(values.mid()), seconds.text),
            figures: vec![seconds],
            ends: 0.0,
            extra: Some(
                "autocannon adds latencies that it never measured when a rate is set (-R), and does not say so. Without a rate this cannot be.",
            ),
            idle: "Latencies are cut off to whole milliseconds: below one they are all zero. Or a rate was set (-R), or autocannon itself was busy (see its CPU).",
        };
        rules::closed_loop(sheet, &busy);
    }

    fn failures(&self, sheet: &mut Sheet) {
        let n = self
            .requests
            .as_ref()
            .and_then(|n| n.range)
            .unwrap_or(Range::exact(0.0));
        let text = digits(n.mid());
        if let (Some(errors), Some(timeouts)) = (&self.errors, &self.timeouts)
            && let (Some(e), Some(t)) = (errors.range, timeouts.range)
        {
            sheet.must(
                t.lo <= e.hi,
                Rule::Sum,
                &[errors, timeouts],
                format!("{} timeouts among {} errors", timeouts.text, errors.text),
                "Timeouts are errors.",
            );
        }
        self.responses.check(sheet, Failed::Lost);
        match &self.errors {
            Some(errors) => rules::failures_of(
                sheet,
                errors,
                n,
                (&text, &[]),
                "errors and timeouts",
                Failed::Lost,
            ),
            None => {
                if let Some(requests) = &self.requests {
                    sheet.holds(Rule::Errors, &[requests], "no errors printed");
                }
            }
        }
    }
}

/// The report in a document, if it is autocannon's.
fn read(root: &Node) -> Option<Report> {
    let hundredths = |path: &str| root.number(path).map(|f| f.no_finer(0.005));
    let ms = |path: &str| hundredths(path).map(|f| f.in_unit(" ms", 1.0));
    root.number("pipelining")?;
    let mut report = Report {
        url: root.text("url").map(str::to_owned),
        connections: Some(root.number("connections")?),
        pipelining: root.number("pipelining"),
        requests: Some(root.number("requests/total")?),
        seconds: hundredths("duration"),
        errors: root.number("errors"),
        timeouts: root.number("timeouts"),
        ..Report::default()
    };
    report.sampled = hundredths("requests/average");
    report.latency.mean = ms("latency/average");
    report.latency.sd = ms("latency/stddev");
    // `latency.min` is the smallest that is not 0: no minimum.
    report.latency.max = root.number("latency/max");
    for (name, value) in root.numbers("latency") {
        // `p97_5`
        let percent = name
            .strip_prefix('p')
            .and_then(|p| p.replace('_', ".").parse().ok());
        report.latency.quantile(
            percent.unwrap_or(-1.0),
            Some(coarse(value.in_unit(" ms", 1.0))),
        );
    }
    for status in ["1xx", "2xx", "3xx", "4xx", "5xx"] {
        if let Some(count) = root.number(status) {
            report.responses.status(status, count);
        }
    }
    Some(report)
}
