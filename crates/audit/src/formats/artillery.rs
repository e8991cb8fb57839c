//! Artillery's reports, for a period and for the whole, as text and as JSON.

use std::collections::BTreeMap;

use crate::figure::{Figure, Range, Scan};
use crate::finding::{self, Rule};
use crate::gather::Block;
use crate::json::{Document, Node};
use crate::responses::Responses;
use crate::rules::{self, Failed, Latency, Slack};
use crate::sheet::{Sheet, both};

/// What one report says.
#[derive(Debug, Default)]
pub struct Report {
    /// Of the whole run, and not of a period.
    whole: bool,
    begun: bool,
    counters: BTreeMap<String, Figure>,
    latency: Latency,
    /// The metric whose figures follow.
    section: String,
}

/// Counters that are kept: plugins define their own.
const COUNTERS: usize = 1000;
/// The metric of response times.
const RESPONSE_TIME: &str = "http.response_time";

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.starts_with("Metrics for period to:") || text.starts_with("Summary report @")
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        if text.starts_with("Summary report @") || text.starts_with("Metrics for period to:") {
            self.whole = text.starts_with("Summary");
            self.begun = true;
            return true;
        }
        let dotted = text.split_once(": ..").or_else(|| text.split_once(": "));
        let Some((label, rest)) = dotted.filter(|_| self.begun) else {
            if self.begun
                && let Some(section) = text.strip_suffix(':')
            {
                section.clone_into(&mut self.section);
                return true;
            }
            return false;
        };
        let value = rest.trim_start_matches(['.', ' ']);
        match Scan::new(value, line).finite() {
            Some(figure) => self.value(label, figure),
            None => false,
        }
    }

    fn is_one(&self) -> bool {
        self.counters.contains_key("http.requests") || self.latency.mean.is_some()
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root)
            .into_iter()
            .filter(Block::is_one)
            .collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let responses = self.counters.get("http.responses");
        let n = responses.and_then(|n| n.range).map_or(1.0, |n| n.lo);
        self.latency.check(sheet, Slack::of(n));
        self.counts(sheet);
        let figures: Vec<&Figure> = self.latency.mean.iter().collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "users of Artillery arrive by a schedule and think between requests",
            "This is right for such a load: look at vusers.failed and at errors to see whether the server kept up.",
        );
        let mut title = vec![
            if self.whole {
                "whole run"
            } else {
                "one period"
            }
            .to_owned(),
        ];
        title.extend(
            self.counters
                .get("http.requests")
                .map(|n| format!("{} requests", n.text)),
        );
        finding::Report::new("Artillery", span, title.join(", "))
    }
}

impl Report {
    fn value(&mut self, label: &str, figure: Figure) -> bool {
        let short = ["min", "max", "mean", "median"].contains(&label)
            || label.starts_with('p')
                && label[1..].bytes().all(|b| b.is_ascii_digit())
                && label.len() > 1;
        if short {
            return self.section == RESPONSE_TIME && self.latency(label, figure);
        }
        if self.counters.len() < COUNTERS {
            self.counters.insert(label.to_owned(), figure);
        }
        true
    }

    /// Percentiles are those of a sketch with 1% error, all are rounded.
    fn latency(&mut self, label: &str, figure: Figure) -> bool {
        let size = figure.range.map_or(0.0, Range::mid);
        let figure = figure.in_unit(" ms", 1.0);
        match label {
            "min" => self.latency.min = Some(figure.no_finer(0.5)),
            "max" => self.latency.max = Some(figure.no_finer(0.5)),
            "mean" => self.latency.mean = Some(figure.no_finer(0.05)),
            _ => {
                // p999 is the 99.9th.
                let digits = label.trim_start_matches('p');
                let percent = match digits.len() {
                    0..=2 => digits.parse().unwrap_or(-1.0),
                    _ => format!("{}.{}", &digits[..2], &digits[2..])
                        .parse()
                        .unwrap_or(-1.0),
                };
                let percent = if label == "median" { 50.0 } else { percent };
                let known = self
                    .latency
                    .quantiles
                    .iter()
                    .any(|(q, _)| (q * 100.0 - percent).abs() < 1e-9);
                return known
                    || self
                        .latency
                        .quantile(percent, Some(figure.no_finer(0.5 + 0.02 * size)));
            }
        }
        true
    }

    fn counts(&self, sheet: &mut Sheet) {
        let mut responses = Responses::default();
        for (name, count) in &self.counters {
            if let Some(status) = name.strip_prefix("http.codes.") {
                responses.status(status, count.clone());
            } else if let Some(why) = name.strip_prefix("errors.") {
                responses.lost(why, count.clone());
            }
        }
        let counted = self.counters.get("http.responses");
        if let Some(total) = counted
            && !responses.statuses.is_empty()
        {
            let parts: Vec<&Figure> = responses.statuses.iter().map(|(_, n)| n).collect();
            rules::sum(
                sheet,
                total,
                &parts,
                "responses by status",
                "Every response has one status.",
            );
        }
        responses.check(sheet, Failed::Lost);
        let pairs = [
            (
                "http.responses",
                "http.requests",
                "A response belongs to a request.",
            ),
            (
                "vusers.completed",
                "vusers.created",
                "Users that are done were created before.",
            ),
        ];
        for (part, all, meaning) in pairs {
            // In a period, responses may be those of requests of the period before.
            if let (Some(part_n), Some(all_n), true) =
                (self.counters.get(part), self.counters.get(all), self.whole)
                && let Some((a, b)) = both(part_n, all_n)
            {
                sheet.must(
                    a.lo <= b.hi,
                    Rule::Sum,
                    &[part_n, all_n],
                    format!("{part} {}; {all} {}", part_n.text, all_n.text),
                    meaning,
                );
            }
        }
        if let (Some(created), Some(failed), true) = (
            self.counters.get("vusers.created"),
            self.counters.get("vusers.failed"),
            self.whole,
        ) {
            rules::failures(sheet, failed, created, "users that failed");
        }
    }
}

/// The whole in a document, if it is Artillery's.
fn read(root: &Node) -> Option<Report> {
    root.at("aggregate/counters")?;
    let mut report = Report {
        whole: true,
        begun: true,
        section: RESPONSE_TIME.to_owned(),
        ..Report::default()
    };
    for (name, count) in root.numbers("aggregate/counters").take(COUNTERS) {
        report.counters.insert(name.to_owned(), count);
    }
    for (name, value) in root.numbers("aggregate/summaries/http.response_time") {
        if name != "count" {
            report.latency(name, value);
        }
    }
    Some(report)
}
