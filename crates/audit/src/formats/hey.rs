//! hey's summary.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule, Severity};
use crate::gather::{Block, keep};
use crate::responses::Responses;
use crate::rules::{self, Failed, Histogram, Latency, Slack};
use crate::sheet::{Sheet, both};

/// What one summary says.
#[derive(Debug, Default)]
pub struct Report {
    latency: Latency,
    /// In seconds.
    seconds: Option<Figure>,
    rate: Option<Figure>,
    data: Option<Figure>,
    size: Option<Figure>,
    responses: Responses,
    histogram: Histogram,
    /// It is oha's: the two look alike where oha prints seconds, as its older versions do.
    ohas: bool,
}

/// Marks of hey's histogram.
const MARKS: usize = 11;

/// hey keeps so many latencies, but adds up the time of all requests.
const KEPT: f64 = 1e6;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.starts_with("Summary:")
            || text.starts_with("Success rate:")
            || text.starts_with("Total:") && self.seconds.is_some()
            || text.starts_with("Requests/sec:") && self.rate.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        if text.starts_with('[') {
            return self.seconds.is_some() && self.responses.bracketed(text, line);
        }
        if let Some((label, value)) = text.split_once(':') {
            let mut scan = Scan::new(value, line);
            let slot = match label {
                "Success rate" => {
                    self.ohas = true;
                    return true;
                }
                "Total" => {
                    let total = scan.finite().filter(|_| scan.lit("secs"));
                    return keep(&mut self.seconds, total);
                }
                "Slowest" => &mut self.latency.max,
                "Fastest" => &mut self.latency.min,
                "Average" => &mut self.latency.mean,
                "Requests/sec" => return keep(&mut self.rate, scan.finite()),
                "Total data" => {
                    let data = scan.finite();
                    // oha prints 1.50 MiB.
                    self.ohas |= !scan.lit("bytes");
                    return keep(&mut self.data, data);
                }
                "Size/request" => return keep(&mut self.size, scan.finite()),
                _ => return false,
            };
            return keep(slot, secs(&mut scan));
        }
        let mut scan = Scan::new(text, line);
        let (Some(number), true) = (scan.finite(), self.seconds.is_some()) else {
            return false;
        };
        if scan.lit("%") {
            // Some versions print `50%% in`.
            scan.lit("%");
            let percent = number.range.map_or(-1.0, Range::mid);
            // `0%% in 0.0000 secs` stands where there were too few responses for a percentile: it is no quantile.
            if percent <= 0.0 {
                return scan.lit("in");
            }
            return scan.lit("in") && self.latency.quantile(percent, secs(&mut scan));
        }
        scan.lit("[")
            && scan
                .finite()
                .is_some_and(|count| self.histogram.up_to(number.scaled(1000.0), count))
    }

    fn is_one(&self) -> bool {
        !self.ohas && self.seconds.is_some() && self.rate.is_some() && self.latency.mean.is_some()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let responses = self.responses.responses();
        if responses.hi >= KEPT {
            self.too_many(sheet);
        } else {
            self.latency.check(sheet, Slack::of(responses.lo));
            // Without what comes after it the text may end within the histogram.
            if let Some(mean) = &self.latency.mean
                && !self.responses.statuses.is_empty()
            {
                self.histogram.check(sheet, mean, responses);
            }
            self.marks(sheet);
            self.rate(sheet);
            self.size(responses, sheet);
        }
        self.responses.check(sheet, Failed::Lost);
        let figures: Vec<&Figure> = self.latency.mean.iter().chain(&self.rate).collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "hey does not print its number of connections (-c)",
            "Ask for the command line: connections / rate is what a request took on average, if hey was not slowed down by -q.",
        );
        let mut title = vec![format!("{} responses", digits(responses.lo))];
        title.extend(self.seconds.iter().map(|t| format!("{} s", t.text)));
        finding::Report::new("hey", span, title.join(", "))
    }
}

impl Report {
    fn too_many(&self, sheet: &mut Sheet) {
        if let Some(mean) = &self.latency.mean {
            sheet.add(
                Severity::Doubtful,
                Rule::Mean,
                &[mean],
                format!("Average {} of {} responses or more", mean.text, digits(KEPT)),
                "hey keeps 1,000,000 latencies but divides the time of all requests by that number: with more responses its average is too large, and its percentiles are those of the first million.",
            );
        }
    }

    /// hey's eleven marks reach in equal steps from the fastest response to the slowest.
    fn marks(&self, sheet: &mut Sheet) {
        let marks = self.histogram.marks();
        let (Some(fastest), Some(slowest)) = (&self.latency.min, &self.latency.max) else {
            return;
        };
        let Some((low, high)) = both(fastest, slowest).filter(|_| marks.len() == MARKS) else {
            return;
        };
        let says = |at: usize, mark: Range, expected: Range| {
            format!(
                "mark {} of {MARKS} from Fastest {} to Slowest {} is {expected} ms; printed {mark}",
                at + 1,
                fastest.text,
                slowest.text
            )
        };
        let figures = [slowest, fastest];
        let mut last = None;
        for (at, mark) in marks.into_iter().enumerate() {
            let share = at as f64 / (MARKS - 1) as f64;
            let expected = low.scaled(1.0 - share).plus(high.scaled(share));
            if !mark.meets(expected) {
                let meaning = "hey's histogram reaches in equal steps from its fastest response to its slowest one.";
                sheet.must(
                    false,
                    Rule::Order,
                    &figures,
                    says(at, mark, expected),
                    meaning,
                );
                return;
            }
            last = Some(says(at, mark, expected));
        }
        if let Some(says) = last {
            sheet.holds(Rule::Order, &figures, says);
        }
    }

    /// hey divides responses and errors by the time.
    fn rate(&self, sheet: &mut Sheet) {
        let (Some(seconds), Some(rate)) = (&self.seconds, &self.rate) else {
            return;
        };
        let (all, Some(t)) = (self.responses.all(), seconds.range) else {
            return;
        };
        if all.hi <= 0.0 {
            return;
        }
        let mut figures = vec![seconds];
        figures.extend(self.responses.figures());
        if self
            .responses
            .errors_may_be_cut(rate, all.over(t), &figures, sheet)
        {
            return;
        }
        rules::quotient(
            sheet,
            Rule::Rate,
            rate,
            all.over(t),
            &figures,
            &format!(
                "{} responses and errors / {} s",
                digits(all.lo),
                seconds.text
            ),
            "hey's rate is responses and errors over the time, and nothing else.",
        );
    }

    fn size(&self, responses: Range, sheet: &mut Sheet) {
        let (Some(data), Some(size)) = (&self.data, &self.size) else {
            return;
        };
        let Some(all) = data.range.filter(|_| responses.lo >= 1.0) else {
            return;
        };
        // Cut off to whole bytes.
        let each = all.over(responses);
        rules::quotient(
            sheet,
            Rule::Bytes,
            size,
            Range::new((each.lo - 1.0).max(0.0), each.hi),
            &[data],
            &format!("{} bytes / {} responses", data.text, digits(responses.lo)),
            "Size/request is the bytes over the responses.",
        );
    }
}

/// `0.0003 secs`, in milliseconds.
fn secs(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.number()?;
    scan.lit("secs").then(|| figure.in_unit(" s", 1000.0))
}
