//! fortio's result, as text and as JSON.

use crate::figure::{Figure, Range, Scan};
use crate::finding::{self, Rule};
use crate::gather::{Block, keep};
use crate::json::{Document, Node};
use crate::responses::Responses;
use crate::rules::{self, Busy, Failed, Histogram, Latency, Slack, path};
use crate::sheet::{Sheet, both};

/// What one result says.
#[derive(Debug, Default)]
pub struct Report {
    url: Option<String>,
    threads: Option<Figure>,
    /// In milliseconds.
    elapsed: Option<Figure>,
    calls: Option<Figure>,
    rate: Option<Figure>,
    count: Option<Figure>,
    /// In milliseconds, as is the sum.
    latency: Latency,
    sum: Option<Figure>,
    /// Calls, mean and rate of the last line, which says them again.
    last: Option<[Figure; 3]>,
    histogram: Histogram,
    responses: Responses,
    /// Which histogram the lines belong to.
    part: Part,
}

/// A part of the text: several histograms look alike.
#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Other,
    Latency,
}

impl Block for Report {
    /// Each failure is a line of its log.
    const GAP: usize = 1000;

    fn ends_before(&self, text: &str) -> bool {
        let begins = text.starts_with("Fortio ") && text.contains(" running at ");
        begins || text.starts_with("Ended after ") && self.elapsed.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let mut scan = Scan::new(text, line);
        if scan.lit("Fortio ") {
            self.url = text
                .split_whitespace()
                .find(|w| w.contains("://"))
                .map(str::to_owned);
            return scan.find(" running at ");
        }
        if scan.lit("Starting at ") {
            return scan.find(" with ") && keep(&mut self.threads, scan.finite());
        }
        if scan.lit("Ended after ") {
            self.elapsed = scan.go_duration();
            scan.lit(":");
            self.calls = scan.finite();
            return scan.find("qps=")
                && keep(&mut self.rate, scan.finite().map(|r| r.significant(5)));
        }
        if scan.lit("All done ") {
            return self.all_done(&mut scan);
        }
        if scan.lit("Aggregated Function Time : count ") {
            self.part = Part::Latency;
            return self.stats(&mut scan);
        }
        if text.contains(" : count ") || scan.lit("Error cases") {
            self.part = Part::Other;
            return self.count.is_some();
        }
        if scan.lit("Code ") {
            let status = scan
                .rest()
                .split_whitespace()
                .next()
                .unwrap_or("")
                .to_owned();
            let count = scan.find(":").then(|| scan.finite()).flatten();
            return count.is_some_and(|count| self.code(&status, count));
        }
        if self.part != Part::Latency {
            return false;
        }
        if scan.lit("# target ") {
            let percent = scan.finite().and_then(|p| p.range).map_or(-1.0, Range::mid);
            let value = scan.lit("%").then(|| scan.finite()).flatten();
            return self.latency.quantile(percent, value.map(|v| seconds(v, 6)));
        }
        if scan.lit("# range") {
            return true;
        }
        // `> 0.001 <= 0.002 , 0.0015 , 99.44, 465`
        if !scan.lit(">=") && !scan.lit(">") {
            return false;
        }
        let lower = scan.finite();
        let upper = scan.lit("<=").then(|| scan.finite()).flatten();
        let count = text
            .rsplit(',')
            .next()
            .and_then(|n| Scan::new(n, line).finite());
        let end = |f: Option<Figure>| f.and_then(|f| seconds(f, 6).range);
        match (end(lower), end(upper), count) {
            (Some(lower), Some(upper), Some(count)) => self.histogram.between(lower, upper, count),
            _ => false,
        }
    }

    fn is_one(&self) -> bool {
        self.count.is_some() && self.latency.mean.is_some()
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let values = self
            .count
            .as_ref()
            .and_then(|n| n.range)
            .unwrap_or(Range::exact(0.0));
        // Percentiles lie on a straight line within a bucket of the histogram: they are checked with it, not as values of requests.
        let ends = Latency {
            quantiles: Vec::new(),
            mean: self.latency.mean.clone(),
            sd: self.latency.sd.clone(),
            min: self.latency.min.clone(),
            max: self.latency.max.clone(),
        };
        let order = Latency {
            mean: None,
            quantiles: self.latency.quantiles.clone(),
            ..ends.clone()
        };
        ends.check(sheet, Slack::of(values.lo));
        order.check(sheet, Slack::of(values.lo));
        if let Some(mean) = &self.latency.mean {
            self.histogram.check(sheet, mean, values);
        }
        for (q, value) in &self.latency.quantiles {
            self.histogram.holds_quantile(sheet, *q, value);
        }
        self.rates(sheet);
        self.said_again(sheet);
        self.law(sheet);
        self.responses.check(sheet, Failed::Timed);
        let mut title: Vec<String> = self.url.iter().cloned().collect();
        title.extend(self.count.iter().map(|n| format!("{} calls", n.text)));
        title.extend(self.threads.iter().map(|c| format!("{} threads", c.text)));
        finding::Report {
            endpoint: self.url.as_deref().map(path),
            ..finding::Report::new("fortio", span, title.join(", "))
        }
    }
}

/// Seconds with so many significant digits, in milliseconds.
fn seconds(figure: Figure, precision: i32) -> Figure {
    figure.significant(precision).in_unit(" s", 1000.0)
}

impl Report {
    /// `309183 avg 5.1645268e-05 +/- 0.0004313 min 4.34e-06 max 0.040377199 sum 15.967839`
    fn stats(&mut self, scan: &mut Scan<'_>) -> bool {
        self.count = scan.finite();
        let mut next = |label: &str, precision| {
            let figure = scan.lit(label).then(|| scan.finite()).flatten();
            figure.map(|f| seconds(f, precision))
        };
        self.latency.mean = next("avg", 8);
        self.latency.sd = next("+/-", 4);
        self.latency.min = next("min", 9);
        self.latency.max = next("max", 9);
        self.sum = next("sum", 9);
        self.sum.is_some()
    }

    /// `All done 600 calls (plus 4 warmup) 6.470 ms avg, 199.6 qps`
    fn all_done(&mut self, scan: &mut Scan<'_>) -> bool {
        let calls = scan.finite().filter(|_| self.count.is_some());
        let mean = scan.find("warmup) ").then(|| scan.time()).flatten();
        let rate = scan.lit("avg,").then(|| scan.finite()).flatten();
        let (Some(calls), Some(mean), Some(rate)) = (calls, mean, rate) else {
            return false;
        };
        self.last = Some([calls, mean, rate]);
        scan.lit("qps")
    }

    /// The last line against those before.
    fn said_again(&self, sheet: &mut Sheet) {
        let Some([calls, mean, rate]) = &self.last else {
            return;
        };
        for (again, first, what) in [
            (calls, &self.count, "calls"),
            (mean, &self.latency.mean, "mean"),
            (rate, &self.rate, "qps"),
        ] {
            if let Some(first) = first
                && let Some((a, b)) = both(again, first)
            {
                sheet.must(
                    a.meets(b),
                    Rule::Sum,
                    &[again, first],
                    format!(
                        "{what}: {} in the last line, {} before",
                        again.text, first.text
                    ),
                    "The last line says the same figures again.",
                );
            }
        }
    }

    /// Codes below 100 stand for no response.
    fn code(&mut self, status: &str, count: Figure) -> bool {
        if status.len() == 3 && !status.starts_with('-') {
            self.responses.status(status, count);
        } else {
            self.responses.lost(&format!("code {status}"), count);
        }
        true
    }

    fn rates(&self, sheet: &mut Sheet) {
        let Some((count, n)) = self.count.as_ref().and_then(|n| Some((n, n.range?))) else {
            return;
        };
        if let (Some(mean), Some(sum)) = (&self.latency.mean, &self.sum)
            && let Some(all) = sum.range.filter(|_| n.lo >= 1.0)
        {
            rules::quotient(
                sheet,
                Rule::Mean,
                mean,
                all.over(n),
                &[sum, count],
                &format!("{} / {} calls, in ms", sum.text, count.text),
                "The mean is the sum over the count.",
            );
        }
        if let (Some(rate), Some(elapsed)) = (&self.rate, &self.elapsed)
            && let Some(ms) = elapsed.range
        {
            let calls = self.calls.as_ref().unwrap_or(count);
            let n = calls.range.unwrap_or(n);
            rules::quotient(
                sheet,
                Rule::Rate,
                rate,
                n.over(ms.scaled(1e-3)),
                &[calls, elapsed],
                &format!("{} calls / {}", calls.text, elapsed.text),
                "The rate is not that count over that time: one of the three was changed, or they come from different runs.",
            );
        }
        let parts: Vec<&Figure> = self.responses.figures().collect();
        if !parts.is_empty() {
            rules::sum(
                sheet,
                count,
                &parts,
                "calls by code",
                "Every call has one code.",
            );
        }
    }

    fn law(&self, sheet: &mut Sheet) {
        let (Some(mean), Some(count)) = (&self.latency.mean, &self.count) else {
            return;
        };
        let (Some(threads), Some(elapsed)) = (&self.threads, &self.elapsed) else {
            return rules::law_not_checked(
                sheet,
                &[mean],
                "the lines with threads and time ('Starting at …', 'Ended after …') are missing",
                "Ask for the whole output.",
            );
        };
        let (Some(n), Some(ms)) = (count.range, elapsed.range) else {
            return;
        };
        rules::closed_loop(
            sheet,
            &Busy {
                connections: threads,
                depth: 1.0,
                mean,
                rate: n.over(ms.scaled(1e-3)),
                from: format!("{} calls / {}", count.text, elapsed.text),
                figures: vec![count, elapsed],
                ends: 0.0,
                extra: None,
                idle: "fortio sends at the rate that was asked for (-qps, 8 unless it was set), and its threads sleep in between.",
            },
        );
    }
}

/// The result in a document, if it is fortio's.
fn read(root: &Node) -> Option<Report> {
    let exact = |path: &str| root.number(path).map(|f| f.in_unit(" s", 1000.0));
    let mut report = Report {
        url: root.text("URL").map(str::to_owned),
        threads: root.number("NumThreads"),
        elapsed: root
            .number("ActualDuration")
            .map(|f| f.in_unit(" ns", 1e-6)),
        rate: root.number("ActualQPS"),
        count: Some(root.number("DurationHistogram/Count")?),
        sum: exact("DurationHistogram/Sum"),
        ..Report::default()
    };
    report.latency.mean = exact("DurationHistogram/Avg");
    report.latency.sd = exact("DurationHistogram/StdDev");
    report.latency.min = exact("DurationHistogram/Min");
    report.latency.max = exact("DurationHistogram/Max");
    for item in root.items("DurationHistogram/Percentiles") {
        let percent = item.number("Percentile").and_then(|p| p.range);
        let value = item.number("Value").map(|f| f.in_unit(" s", 1000.0));
        report
            .latency
            .quantile(percent.map_or(-1.0, Range::mid), value);
    }
    for bucket in root.items("DurationHistogram/Data") {
        let end = |key: &str| bucket.number(key).and_then(|f| f.scaled(1000.0).range);
        let count = bucket.number("Count");
        if let (Some(lower), Some(upper), Some(count)) = (end("Start"), end("End"), count) {
            report.histogram.between(lower, upper, count);
        }
    }
    for (status, count) in root.numbers("RetCodes") {
        report.code(status, count);
    }
    // Results of other kinds (gRPC, TCP) have other codes.
    let http = root.text("RunType").is_none_or(|kind| kind == "HTTP");
    if !http {
        report.responses = Responses::default();
    }
    report.latency.mean.is_some().then_some(report)
}
