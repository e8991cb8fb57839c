//! oha's summary, as text and as JSON.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule, Severity};
use crate::gather::{Block, keep};
use crate::json::{Document, Node};
use crate::responses::Responses;
use crate::rules::{self, Failed, Histogram, Latency, Slack};
use crate::sheet::Sheet;

/// What one summary says.
#[derive(Debug, Default)]
pub struct Report {
    latency: Latency,
    /// In milliseconds.
    total: Option<Figure>,
    rate: Option<Figure>,
    /// A share of 1.
    success: Option<Figure>,
    responses: Responses,
    histogram: Histogram,
}

/// What oha calls requests that it gave up at the end of a timed run: no failure of the server's.
const DEADLINE: &str = "aborted due to deadline";

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.starts_with("Summary:")
            || text.starts_with("Success rate:") && self.success.is_some()
            || text.starts_with("Requests/sec:") && self.rate.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        if text.starts_with('[') {
            return self.success.is_some() && self.responses.bracketed(text, line);
        }
        if let Some((label, value)) = text.split_once(':') {
            let mut scan = Scan::new(value, line);
            let slot = match label {
                "Success rate" => {
                    let share = scan.number();
                    // Older versions print a share of 1.
                    let is_percentage = scan.lit("%");
                    let share = share.map(|share| match is_percentage {
                        true => share.in_unit("%", 0.01),
                        false => share,
                    });
                    return keep(&mut self.success, share);
                }
                "Total" if self.success.is_some() => &mut self.total,
                "Slowest" => &mut self.latency.max,
                "Fastest" => &mut self.latency.min,
                "Average" => &mut self.latency.mean,
                "Requests/sec" => return keep(&mut self.rate, scan.finite()),
                _ => return false,
            };
            return keep(slot, scan.time());
        }
        let mut scan = Scan::new(text, line);
        let (Some(number), true) = (scan.number(), self.success.is_some()) else {
            return false;
        };
        if scan.lit("%") {
            let percent = number.range.map_or(-1.0, Range::mid);
            return scan.lit("in") && self.latency.quantile(percent, scan.time());
        }
        let mut again = Scan::new(text, line);
        let upper = again.time();
        let count = again.lit("[").then(|| again.finite()).flatten();
        upper
            .zip(count)
            .is_some_and(|(upper, count)| self.histogram.up_to(upper, count))
    }

    fn is_one(&self) -> bool {
        self.success.is_some() && self.rate.is_some() && self.latency.mean.is_some()
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let responses = self.responses.responses();
        self.latency.check(sheet, Slack::of(responses.lo));
        // Without what comes after it the text may end within the histogram.
        if let Some(mean) = &self.latency.mean
            && !self.responses.statuses.is_empty()
        {
            self.histogram.check(sheet, mean, responses);
        }
        self.rate(sheet);
        self.success(sheet);
        self.failures(sheet);
        let figures: Vec<&Figure> = self.latency.mean.iter().chain(&self.rate).collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "oha does not print its number of connections (-c), nor whether it sent by a schedule (-q)",
            "Ask for the command line: in a closed loop connections / rate is what a request took on average.",
        );
        let title = format!("{} responses", digits(responses.lo));
        finding::Report::new("oha", span, title)
    }
}

impl Report {
    /// oha divides all requests, those given up at the deadline included, by the time.
    fn rate(&self, sheet: &mut Sheet) {
        let (Some(total), Some(rate)) = (&self.total, &self.rate) else {
            return;
        };
        let all = self.responses.all();
        let Some(ms) = total.range.filter(|_| all.lo > 0.0) else {
            return;
        };
        // Older versions leave out those that were given up at the deadline.
        let least = Range::new(all.lo - self.given_up(), all.hi);
        let mut figures = vec![total];
        figures.extend(self.responses.figures());
        let expected = least.over(ms.scaled(1e-3));
        if (self.responses).errors_may_be_cut(rate, expected, &figures, sheet) {
            return;
        }
        rules::quotient(
            sheet,
            Rule::Rate,
            rate,
            expected,
            &figures,
            &format!("{} responses and errors / {}", digits(all.lo), total.text),
            "oha's rate is its requests over the time, and nothing else.",
        );
    }

    fn given_up(&self) -> f64 {
        let given_up = self
            .responses
            .lost
            .iter()
            .filter(|(why, _)| why == DEADLINE);
        Range::total(given_up.map(|(_, n)| n)).hi
    }

    fn success(&self, sheet: &mut Sheet) {
        let Some(success) = self.success.as_ref().filter(|s| s.range.is_some()) else {
            return;
        };
        let responses = self.responses.responses();
        let all = self.responses.all();
        let counted = Range::exact(all.lo - self.given_up());
        if counted.lo <= 0.0 {
            return;
        }
        let figures: Vec<&Figure> = self.responses.figures().collect();
        rules::quotient(
            sheet,
            Rule::Rate,
            success,
            responses.over(counted),
            &figures,
            &format!(
                "{} responses / {} requests",
                digits(responses.lo),
                digits(counted.lo)
            ),
            "The success rate is the responses, of any status, over the requests that were not given up at the deadline.",
        );
    }

    fn failures(&self, sheet: &mut Sheet) {
        let mut counted = Responses::default();
        for (status, n) in &self.responses.statuses {
            counted.status(status, n.clone());
        }
        for (why, n) in &self.responses.lost {
            if why == DEADLINE {
                sheet.add(
                    Severity::Note,
                    Rule::Errors,
                    &[n],
                    format!("{} requests were under way when the time was up", n.text),
                    "oha counts them in its rate and leaves them out of the latency: where responses take long, the slowest are missing.",
                );
            } else {
                counted.lost(why, n.clone());
            }
        }
        counted.check(sheet, Failed::Lost);
    }
}

/// The summary in a document, if it is oha's.
fn read(root: &Node) -> Option<Report> {
    let ms = |path: &str| root.number(path).map(|f| f.in_unit(" s", 1000.0));
    let mut report = Report {
        total: ms("summary/total"),
        rate: Some(root.number("summary/requestsPerSec")?),
        success: Some(root.number("summary/successRate")?),
        ..Report::default()
    };
    report.latency.mean = ms("summary/average");
    report.latency.min = ms("summary/fastest");
    report.latency.max = ms("summary/slowest");
    for (name, value) in root.numbers("latencyPercentiles") {
        let percent = name.strip_prefix('p').and_then(|p| p.parse().ok());
        report
            .latency
            .quantile(percent.unwrap_or(-1.0), Some(value.in_unit(" s", 1000.0)));
    }
    for (status, count) in root.numbers("statusCodeDistribution") {
        report.responses.status(status, count);
    }
    for (why, count) in root.numbers("errorDistribution") {
        report.responses.lost(why, count);
    }
    let mut buckets: Vec<(f64, Figure)> = root
        .numbers("responseTimeHistogram")
        .filter_map(|(upper, count)| Some((upper.parse().ok()?, count)))
        .collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (upper, count) in buckets {
        let upper = Figure {
            text: format!("{upper} s"),
            line: count.line,
            range: Some(Range::exact(upper * 1000.0)),
        };
        report.histogram.up_to(upper, count);
    }
    Some(report)
}
