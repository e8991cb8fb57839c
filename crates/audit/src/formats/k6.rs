//! k6's end-of-test summary: as text of any mode, and as JSON of `--summary-export` and `handleSummary`.

use std::collections::BTreeMap;

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule};
use crate::gather::Block;
use crate::json::{Document, Node};
use crate::rules::{self, Busy, Latency, Slack};
use crate::sheet::{Sheet, both};

/// What one summary says, by metric.
#[derive(Debug, Default)]
pub struct Report {
    trends: BTreeMap<String, Latency>,
    /// Count and rate.
    counters: BTreeMap<String, (Figure, Figure)>,
    /// Share in percent, count and all.
    shares: BTreeMap<String, Share>,
    users: Option<Figure>,
}

/// `0.00%  0 out of 63823`
#[derive(Debug)]
struct Share {
    percent: Option<Figure>,
    count: Figure,
    of: Figure,
}

/// Metrics that are kept: scripts may define their own.
const METRICS: usize = 1000;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.contains("TOTAL RESULTS")
            || text.contains("scenarios: (100.00%)")
            || metric(text).is_some_and(|(name, _)| {
                name == "http_req_duration" && self.trends.contains_key(name)
            })
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let Some((name, rest)) = metric(text) else {
            return false;
        };
        if self.trends.len() + self.counters.len() + self.shares.len() > METRICS {
            return false;
        }
        let mut scan = Scan::new(rest, line);
        if rest.contains("avg=") || rest.contains("med=") {
            return trend(rest, line)
                .map(|t| self.trends.insert(name.to_owned(), t))
                .is_some();
        }
        let Some(first) = scan.finite() else {
            return false;
        };
        if name == "vus_max" {
            let most = scan.find("max=").then(|| scan.finite()).flatten();
            self.users = most.or(Some(first));
            return true;
        }
        if scan.lit("%") {
            let percent = Some(first.in_unit("%", 1.0));
            let share = share(percent, &mut scan, rest, line);
            return share
                .map(|s| self.shares.insert(name.to_owned(), s))
                .is_some();
        }
        let rate = scan.finite().filter(|_| scan.lit("/s"));
        rate.map(|rate| self.counters.insert(name.to_owned(), (first, rate)))
            .is_some()
    }

    fn is_one(&self) -> bool {
        let known = [
            "http_req_duration",
            "iteration_duration",
            "grpc_req_duration",
            "ws_session_duration",
        ];
        known.iter().any(|name| self.trends.contains_key(*name)) && !self.counters.is_empty()
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root)
            .into_iter()
            .filter(Block::is_one)
            .collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        for (name, trend) in &self.trends {
            trend.check(sheet, Slack::of(self.values(name)));
        }
        self.durations(sheet);
        self.parts(sheet);
        self.law(sheet);
        let mut title = Vec::new();
        title.extend(
            self.counters
                .get("http_reqs")
                .map(|(n, _)| format!("{} requests", n.text)),
        );
        title.extend(self.users.iter().map(|n| format!("{} users", n.text)));
        finding::Report::new("k6", span, title.join(", "))
    }
}

/// Name and values of a line `http_reqs......: 63823  21268.034975/s`.
fn metric(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once("..:")?;
    let name = name.trim_end_matches('.').trim();
    (!name.is_empty()).then_some((name, rest))
}

/// `avg=445.59µs min=8.8µs med=… max=… p(90)=…`; metrics that are no times have no unit and are left out.
fn trend(text: &str, line: usize) -> Option<Latency> {
    let mut trend = Latency::default();
    for word in text.split_whitespace() {
        let (key, value) = word.split_once('=')?;
        let value = duration(value, line);
        match key {
            "avg" => trend.mean = Some(value?),
            "min" => trend.min = value,
            "max" => trend.max = value,
            "med" => drop(trend.quantile(50.0, value)),
            // `count` has no unit.
            _ => drop(trend.quantile(named(key), value)),
        }
    }
    Some(trend)
}

/// The percentage in `p(99.9)`.
fn named(key: &str) -> f64 {
    let percent = key.strip_prefix("p(").and_then(|k| k.strip_suffix(')'));
    percent.and_then(|p| p.parse().ok()).unwrap_or(-1.0)
}

/// Two decimals, zeros cut off; from a minute on whole seconds at times.
fn duration(text: &str, line: usize) -> Option<Figure> {
    let figure = Scan::new(text, line).go_duration()?;
    let minutes = text
        .bytes()
        .zip(text.bytes().skip(1))
        .any(|(a, b)| a == b'm' && b.is_ascii_digit());
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let half = if minutes || text.contains('h') {
        1000.0
    } else {
        0.01 * crate::figure::unit_ms(unit).unwrap_or(1000.0)
    };
    Some(figure.no_finer(half))
}

/// `0 out of 63823`, or `✓ 63823 ✗ 0` in older versions.
fn share(percent: Option<Figure>, scan: &mut Scan<'_>, text: &str, line: usize) -> Option<Share> {
    if let Some(count) = scan.finite() {
        scan.lit("out of");
        let of = scan.finite()?;
        return Some(Share { percent, count, of });
    }
    let after = |mark: &str| Scan::new(text.split_once(mark)?.1, line).finite();
    let (count, rest) = (after("✓")?, after("✗")?);
    Some(Share {
        percent,
        of: Figure {
            text: format!("{} + {}", count.text, rest.text),
            line,
            range: Some(count.range?.plus(rest.range?)),
        },
        count,
    })
}

impl Report {
    /// How many values a trend has at the least; 1 where that is unknown.
    fn values(&self, trend: &str) -> f64 {
        let counter = match trend.split(['{', ' ']).next() {
            Some("iteration_duration") if !trend.contains('{') => "iterations",
            Some(name) if name.starts_with("http_req_") && !trend.contains('{') => "http_reqs",
            _ => return 1.0,
        };
        let count = self.counters.get(counter).and_then(|(n, _)| n.range);
        count.map_or(1.0, |n| n.lo)
    }

    /// k6 divides every counter by the same time.
    fn durations(&self, sheet: &mut Sheet) {
        let counted = |name: &str| {
            let (count, rate) = self.counters.get(name)?;
            let (n, x) = both(count, rate)?;
            (n.lo >= 1.0 && x.lo > 0.0).then_some((count, rate, n, x))
        };
        let first = ["iterations", "http_reqs"]
            .into_iter()
            .find_map(|n| Some((n, counted(n)?)));
        let Some((name, (count, rate, n, x))) = first else {
            return;
        };
        let time = n.over(x);
        for other in self
            .counters
            .keys()
            .filter(|other| *other != name && !other.starts_with("data_"))
        {
            let Some((count2, rate2, n, x)) = counted(other) else {
                continue;
            };
            let seconds = n.over(x);
            sheet.must(
                seconds.widened(1e-6).meets(time),
                Rule::Rate,
                &[rate2, count2, rate, count],
                format!(
                    "{name}: {} / {} = {time} s; {other}: {} / {} = {seconds} s",
                    count.text, rate.text, count2.text, rate2.text
                ),
                "k6 divides every count by the same length of the run: one of these was changed.",
            );
        }
    }

    fn parts(&self, sheet: &mut Sheet) {
        for (name, share) in &self.shares {
            let Some((n, all)) = both(&share.count, &share.of) else {
                continue;
            };
            if all.lo < 1.0 {
                continue;
            }
            if let Some(percent) = &share.percent {
                // Some versions cut off after two decimals instead of rounding.
                let expected = n.over(all).scaled(100.0);
                rules::quotient(
                    sheet,
                    Rule::Rate,
                    percent,
                    Range::new(expected.lo - 0.01, expected.hi),
                    &[&share.count, &share.of],
                    &format!(
                        "{name}: {} / {} in percent",
                        share.count.text, share.of.text
                    ),
                    "The share is not that count over the whole.",
                );
            }
            let requests = self.counters.get("http_reqs");
            if name == "http_req_failed" {
                if let Some((requests, _)) = requests {
                    rules::sum(
                        sheet,
                        requests,
                        &[&share.of],
                        "requests of which some failed",
                        "Every request has failed or not.",
                    );
                }
                rules::failures(sheet, &share.count, &share.of, "failed requests");
            } else if name == "checks_failed" {
                if let (Some((total, _)), Some(succeeded)) = (
                    self.counters.get("checks_total"),
                    self.shares.get("checks_succeeded"),
                ) {
                    rules::sum(
                        sheet,
                        total,
                        &[&succeeded.count, &share.count],
                        "checks that succeeded and failed",
                        "Every check has failed or not.",
                    );
                }
                rules::failures(sheet, &share.count, &share.of, "failed checks");
            } else if name == "checks" && n.lo < all.lo {
                let failed = Figure {
                    text: digits(all.lo - n.lo),
                    line: share.count.line,
                    range: Some(Range::exact(all.lo - n.lo)),
                };
                rules::failures(sheet, &failed, &share.of, "failed checks");
            }
        }
    }

    /// A user sleeps and sends requests in batches: only its iterations come one after the other.
    fn law(&self, sheet: &mut Sheet) {
        let figures: Vec<&Figure> = self
            .trends
            .get("http_req_duration")
            .and_then(|t| t.mean.as_ref())
            .into_iter()
            .collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "users of k6 sleep between requests, send several at a time, or start by a schedule",
            "Iterations of one user come one after the other: they are checked below where they are printed.",
        );
        let (Some(mean), Some((count, rate)), Some(users)) = (
            self.trends
                .get("iteration_duration")
                .and_then(|t| t.mean.as_ref()),
            self.counters.get("iterations"),
            &self.users,
        ) else {
            return;
        };
        let Some(x) = rate.range else { return };
        rules::closed_loop(
            sheet,
            &Busy {
                connections: users,
                depth: 1.0,
                mean,
                rate: x,
                from: format!("{} iterations per second", rate.text),
                figures: vec![rate, count],
                ends: 0.0,
                extra: Some(
                    "A user's iterations come one after the other. setup() and teardown() count as iterations in the mean alone: if they took long, this is why.",
                ),
                idle: "Users were started and stopped during the run, or iterations were cut off at its end.",
            },
        );
    }
}

/// The summary in a document, if it is k6's.
fn read(root: &Node) -> Option<Report> {
    root.at("metrics/http_reqs")
        .or_else(|| root.at("metrics/iterations"))?;
    let mut report = Report::default();
    for (name, metric) in root.members("metrics").take(METRICS) {
        // `handleSummary` has the values one level further down.
        let number = |key: &str| {
            metric
                .number(key)
                .or_else(|| metric.number(&format!("values/{key}")))
        };
        if name == "vus_max" {
            report.users = number("max").or_else(|| number("value"));
            continue;
        }
        if let (Some(count), Some(rate)) = (number("count"), number("rate")) {
            report.counters.insert(name.to_owned(), (count, rate));
        } else if let (Some(passes), Some(fails)) = (number("passes"), number("fails")) {
            let all = passes.range.zip(fails.range).map(|(a, b)| a.plus(b));
            let share = number("value").or_else(|| number("rate"));
            report.shares.insert(
                name.to_owned(),
                Share {
                    percent: share.map(|s| s.no_finer(1e-6).scaled(100.0)),
                    of: Figure {
                        text: format!("{} + {}", passes.text, fails.text),
                        line: fails.line,
                        range: all,
                    },
                    count: passes,
                },
            );
        } else if let Some(mean) = number("avg") {
            let ms = |f: Option<Figure>| f.map(|f| f.in_unit(" ms", 1.0));
            let mut trend = Latency {
                mean: ms(Some(mean)),
                min: ms(number("min")),
                max: ms(number("max")),
                ..Latency::default()
            };
            trend.quantile(50.0, ms(number("med")));
            let values = metric.numbers("").chain(metric.numbers("values"));
            for (key, value) in values {
                trend.quantile(named(key), ms(Some(value)));
            }
            report.trends.insert(name.to_owned(), trend);
        }
    }
    Some(report)
}
