//! Gatling's summary at the end of a run, as text: the older one with `(OK=… KO=…)` and the newer with columns.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule};
use crate::gather::Block;
use crate::rules::{self, Latency, Slack};
use crate::sheet::{Sheet, both};

/// Total, successes, failures; `None` for `-`.
type Three = [Option<Figure>; 3];

/// What one summary says.
#[derive(Debug, Default)]
pub struct Report {
    count: Three,
    min: Three,
    max: Three,
    mean: Three,
    sd: Three,
    rate: Three,
    /// Of the total.
    quantiles: Vec<(f64, Figure)>,
    /// Requests by response time, those that failed last, with their printed share in percent.
    ranges: Vec<(Figure, Option<Figure>)>,
}

/// Error of the share of values below a percentile: Gatling keeps a t-digest with compression 100.
const SKETCH: f64 = 0.03;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        self.count[0].is_some()
            && (text.contains("---- Global Information") || text.starts_with("request count"))
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        if text.contains("---- Global Information")
            || text.contains("---- Response Time Distribution")
        {
            return true;
        }
        let text = text
            .strip_prefix("response time std")
            .map_or(text, |_| &text["response time ".len()..]);
        for (labels, slot) in [
            (&["request count"][..], &mut self.count),
            (&["min response time"], &mut self.min),
            (&["max response time"], &mut self.max),
            (&["mean response time"], &mut self.mean),
            (&["std deviation"], &mut self.sd),
            (&["mean requests/sec", "mean throughput"], &mut self.rate),
        ] {
            if let Some(rest) = labels.iter().find_map(|l| text.strip_prefix(l)) {
                let found = three(rest, line);
                let some = found[0].is_some();
                if some {
                    *slot = found;
                }
                return some;
            }
        }
        if self.count[0].is_none() {
            return false;
        }
        if let Some(rest) = text.strip_prefix("response time ") {
            let mut scan = Scan::new(rest, line);
            let percent = scan.finite().and_then(|p| p.range).map_or(-1.0, Range::mid);
            let value = rest
                .split_once("percentile")
                .and_then(|(_, rest)| three(rest, line)[0].clone());
            return match value {
                Some(value) if (0.0..=100.0).contains(&percent) && self.quantiles.len() < 100 => {
                    self.quantiles.push((percent / 100.0, value.rounded()));
                    true
                }
                _ => false,
            };
        }
        self.range(text, line)
    }

    fn is_one(&self) -> bool {
        self.count[0].is_some() && self.mean[0].is_some()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let values = self.count[0]
            .as_ref()
            .and_then(|n| n.range)
            .map_or(2.0, |n| n.lo);
        let rounded = |f: &Three, at: usize| f[at].clone().map(Figure::rounded);
        let latency = Latency {
            mean: rounded(&self.mean, 0),
            sd: rounded(&self.sd, 0),
            min: rounded(&self.min, 0),
            max: rounded(&self.max, 0),
            quantiles: self.quantiles.clone(),
        };
        let slack = Slack {
            values,
            sketch: SKETCH,
        };
        latency.check(sheet, slack);
        self.parts(sheet);
        self.shares(sheet);
        if let (Some(bad), Some(all)) = (&self.count[2], &self.count[0]) {
            rules::failures(sheet, bad, all, "failed requests (KO)");
        }
        let figures: Vec<&Figure> = self.mean[0].iter().chain(&self.rate[0]).collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "Gatling does not print how users were injected, and users pause between requests",
            "Ask for the injection profile: users per second, or a number of concurrent users.",
        );
        let title = self.count[0]
            .iter()
            .map(|n| format!("{} requests", n.text))
            .collect();
        finding::Report::new("Gatling", span, title)
    }
}

/// `10 (OK=10     KO=0     )`, or `| 4,000 | 3,990 | 10`.
fn three(text: &str, line: usize) -> Three {
    // A unit in the label: `(ms) | 12 | …`.
    let columns: Vec<&str> = text.split('|').collect();
    if columns.len() >= 4 {
        let number = |at: usize| Scan::new(columns[at], line).finite();
        return [number(1), number(2), number(3)];
    }
    let after = |label: &str| Scan::new(text.split_once(label)?.1, line).finite();
    [Scan::new(text, line).finite(), after("OK="), after("KO=")]
}

impl Report {
    /// `800 ms < t < 1200 ms    5 ( 50%)`, `failed  0 (  0%)`, and the same in columns.
    fn range(&mut self, text: &str, line: usize) -> bool {
        let range = text.starts_with("failed")
            || text.starts_with("KO ")
            || text.contains("t <")
            || text.contains("t >");
        if !range || self.ranges.len() > 10 {
            return false;
        }
        let (head, tail) = match text.rsplit_once('(') {
            Some(found) => found,
            None => return false,
        };
        let last = head.trim_end().trim_end_matches('|').trim_end();
        let count = last
            .rsplit([' ', '|'])
            .next()
            .and_then(|n| Scan::new(n, line).finite());
        let percent = Scan::new(tail, line).finite();
        match count {
            Some(count) => {
                self.ranges.push((count, percent));
                true
            }
            None => false,
        }
    }

    /// Successes and failures make up the total.
    fn parts(&self, sheet: &mut Sheet) {
        if let [Some(all), Some(good), Some(bad)] = &self.count {
            rules::sum(
                sheet,
                all,
                &[good, bad],
                "OK + KO",
                "Every request is a success or a failure.",
            );
        }
        if let [Some(all), Some(good), Some(bad)] = &self.rate {
            // Some versions print whole numbers.
            let of = |f: &Figure| f.clone().rounded().no_finer(0.005);
            let (all, good, bad) = (of(all), of(good), of(bad));
            rules::sum(
                sheet,
                &all,
                &[&good, &bad],
                "OK + KO for each second",
                "All three are over the same time.",
            );
        }
        let (Some(all), Some(good), Some(bad)) = (&self.mean[0], &self.mean[1], &self.mean[2])
        else {
            return;
        };
        let rounded = |f: &Figure| f.clone().rounded().range;
        let count = |at: usize| self.count[at].as_ref().and_then(|n| n.range);
        if let (Some(mean), Some(g), Some(b), Some(n), Some(ng), Some(nb)) = (
            rounded(all),
            rounded(good),
            rounded(bad),
            count(0),
            count(1),
            count(2),
        ) {
            let expected = g.times(ng).plus(b.times(nb)).over(n);
            sheet.must(
                mean.meets(expected),
                Rule::Mean,
                &[all, good, bad],
                format!("the means of OK and KO, weighted by their counts, give {expected} ms; printed {}", all.text),
                "The mean of all is the weighted mean of its parts.",
            );
        }
    }

    /// The ranges of response times hold every request.
    fn shares(&self, sheet: &mut Sheet) {
        let Some((all, n)) = self.count[0].as_ref().and_then(|n| Some((n, n.range?))) else {
            return;
        };
        if self.ranges.len() == 4 {
            let parts: Vec<&Figure> = self.ranges.iter().map(|(n, _)| n).collect();
            rules::sum(
                sheet,
                all,
                &parts,
                "requests by response time",
                "Every request is in one of the ranges.",
            );
        }
        for (count, percent) in &self.ranges {
            let Some((percent, (c, p))) = percent.as_ref().and_then(|p| Some((p, both(count, p)?)))
            else {
                continue;
            };
            if n.lo < 1.0 {
                continue;
            }
            let expected = c.over(n).scaled(100.0);
            let printed = Range::new(p.lo - 1.0, p.hi + 1.0);
            sheet.must(
                printed.meets(expected),
                Rule::Rate,
                &[percent, count, all],
                format!(
                    "{} / {} = {}%; printed {}%",
                    count.text,
                    all.text,
                    digits(expected.mid()),
                    percent.text
                ),
                "The share is not that count over all requests.",
            );
        }
    }
}
