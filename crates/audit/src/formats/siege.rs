//! siege's statistics, as text and as JSON.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{self, Rule};
use crate::gather::{self, Block};
use crate::json::Document;
use crate::rules::{self, Busy, Failed, Latency, Slack};
use crate::sheet::{Sheet, both};

/// What one report says.
#[derive(Debug, Default)]
pub struct Report {
    users: Option<Figure>,
    transactions: Option<Figure>,
    /// In percent.
    availability: Option<Figure>,
    /// In seconds.
    seconds: Option<Figure>,
    /// In MiB.
    data: Option<Figure>,
    rate: Option<Figure>,
    /// In MiB/s.
    throughput: Option<Figure>,
    concurrency: Option<Figure>,
    successful: Option<Figure>,
    failed: Option<Figure>,
    latency: Latency,
}

/// siege counts time in ticks of so many milliseconds, and prints what it made of them with two digits of a second.
const TICK: f64 = 10.0;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        text.contains("SIEGE ") || text.starts_with("Transactions:") && self.transactions.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        if let Some(at) = text.find("Preparing ") {
            let mut scan = Scan::new(&text[at + "Preparing ".len()..], line);
            let users = scan.finite();
            return scan.lit("concurrent users") && keep(&mut self.users, users);
        }
        let Some((label, value)) = text.split_once(':') else {
            return false;
        };
        let mut scan = Scan::new(value, line);
        // The heading of the run may end in the same line.
        match label.rsplit("...").next().unwrap_or(label).trim() {
            "Transactions" => keep(&mut self.transactions, scan.finite()),
            "Availability" => keep(&mut self.availability, scan.finite()),
            "Elapsed time" => keep(&mut self.seconds, scan.finite()),
            "Data transferred" => keep(&mut self.data, scan.finite()),
            "Response time" => keep(&mut self.latency.mean, time(&mut scan)),
            "Transaction rate" => keep(&mut self.rate, scan.finite()),
            "Throughput" => keep(&mut self.throughput, scan.finite()),
            "Concurrency" => keep(&mut self.concurrency, scan.finite()),
            "Successful transactions" => keep(&mut self.successful, scan.finite()),
            "Failed transactions" => keep(&mut self.failed, scan.finite()),
            "Longest transaction" => keep(&mut self.latency.max, time(&mut scan)),
            "Shortest transaction" => keep(&mut self.latency.min, time(&mut scan)),
            _ => false,
        }
    }

    fn is_one(&self) -> bool {
        let rest = self.availability.is_some() && self.rate.is_some();
        self.transactions.is_some() && self.seconds.is_some() && rest
    }

    fn documents(document: &Document) -> Vec<Self> {
        let root = &document.root;
        let number = |key: &str| root.number(key).map(positive);
        // Newer versions write milliseconds, and neither says so: concurrency shows which it is.
        let in_ms = || {
            let [rate, mean, at_a_time] = ["transaction_rate", "response_time", "concurrency"]
                .map(|key| number(key).and_then(|figure| figure.range));
            let meets = |to_s: f64| Some(rate?.times(mean?.scaled(to_s)).meets(at_a_time?));
            meets(1.0) == Some(false) && meets(1e-3) == Some(true)
        };
        let (unit, to_ms) = if in_ms() {
            (" ms", 1.0)
        } else {
            (" s", 1000.0)
        };
        let time = |key: &str| number(key).map(|figure| figure.in_unit(unit, to_ms));
        let report = Report {
            users: None,
            transactions: number("transactions"),
            availability: number("availability"),
            seconds: number("elapsed_time"),
            data: number("data_transferred"),
            rate: number("transaction_rate"),
            throughput: number("throughput"),
            concurrency: number("concurrency"),
            successful: number("successful_transactions"),
            failed: number("failed_transactions"),
            latency: Latency {
                mean: time("response_time"),
                max: time("longest_transaction"),
                min: time("shortest_transaction"),
                ..Latency::default()
            },
        };
        Some(report).filter(Block::is_one).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        let count = self.transactions.as_ref();
        let all = count.and_then(|count| count.range);
        let some = all.filter(|all| all.lo >= 1.0);
        if let (Some(count), Some(all)) = (count, some) {
            self.latency.check(sheet, Slack::of(all.lo));
            self.quotients(count, sheet);
            self.law(count, all, sheet);
            self.other_statuses(count, all, sheet);
        }
        self.without_response(all.unwrap_or(Range::exact(0.0)), sheet);
        let mut title: Vec<String> = Vec::new();
        title.extend(count.map(|count| format!("{} transactions", count.text)));
        title.extend(
            self.users
                .iter()
                .map(|users| format!("{} users", users.text)),
        );
        finding::Report::new("siege", span, title.join(", "))
    }
}

impl Report {
    /// What siege divides.
    fn quotients(&self, count: &Figure, sheet: &mut Sheet) {
        // Within its first tick siege divides by nothing, and prints 0 or `inf`.
        let seconds = self.seconds.as_ref();
        let seconds = seconds.filter(|t| t.range.is_some_and(|t| t.hi > TICK / 1000.0));
        if let (Some(seconds), Some(rate)) = (seconds, &self.rate) {
            rules::rate(sheet, count, seconds, rate, "transactions");
        }
        if let (Some(data), Some(seconds), Some(throughput)) =
            (&self.data, seconds, &self.throughput)
        {
            rules::rate(sheet, data, seconds, throughput, "MB");
        }
        let share = self.availability.as_ref().zip(self.failed.as_ref());
        if let Some((availability, failed)) = share
            && let Some((n, f)) = both(count, failed)
        {
            rules::quotient(
                sheet,
                Rule::Sum,
                availability,
                n.over(n.plus(f)).scaled(100.0),
                &[count, failed],
                &format!("{} / ({} + {})", count.text, count.text, failed.text),
                "siege's availability is transactions over transactions and failures.",
            );
        }
        let (Some(concurrency), Some(mean), Some(rate)) =
            (&self.concurrency, &self.latency.mean, &self.rate)
        else {
            return;
        };
        if let Some((r, ms)) = both(rate, mean) {
            rules::quotient(
                sheet,
                Rule::LittlesLaw,
                concurrency,
                r.times(ms.scaled(1e-3)),
                &[rate, mean],
                &format!("{} per second × {}", rate.text, mean.text),
                "siege's concurrency is the time of all transactions over the elapsed time, which is rate × response time.",
            );
        }
    }

    /// A user has one request at a time. Ticks of its requests add up to no more than the run's.
    fn law(&self, count: &Figure, all: Range, sheet: &mut Sheet) {
        let figures: Vec<&Figure> = self.latency.mean.iter().chain(&self.rate).collect();
        let Some(users) = &self.users else {
            return rules::law_not_checked(
                sheet,
                &figures,
                "the line with the users ('Preparing … concurrent users for battle') is missing",
                "Ask for the whole output.",
            );
        };
        let (Some(mean), Some(seconds)) = (&self.latency.mean, &self.seconds) else {
            return;
        };
        let Some(t) = seconds.range else { return };
        let longest = self.latency.max.as_ref().and_then(|max| max.range);
        let over = longest.map_or(0.0, |longest| longest.hi) + 2.0 * TICK;
        rules::closed_loop(
            sheet,
            &Busy {
                connections: users,
                depth: 1.0,
                mean,
                rate: all.over(t),
                from: format!("{} transactions / {} s", count.text, seconds.text),
                figures: vec![seconds, count],
                ends: over / 1000.0 / t.lo.max(1e-9),
                extra: None,
                idle: "Users pause between requests where a delay was set (-d), which the report does not say.",
            },
        );
    }

    /// siege counts an error status as a transaction, but not as a successful one. Redirects that it follows are successful without being a
    /// transaction of their own.
    fn other_statuses(&self, count: &Figure, all: Range, sheet: &mut Sheet) {
        let good = self.successful.as_ref().and_then(|good| good.range);
        let Some(bad) = good.map(|good| all.lo - good.hi).filter(|bad| *bad > 0.0) else {
            return;
        };
        let bad = Figure {
            text: digits(bad),
            line: count.line,
            range: Some(Range::exact(bad)),
        };
        let what = "transactions that siege does not call successful";
        rules::failures_of(
            sheet,
            &bad,
            all,
            (&count.text, &[count]),
            what,
            Failed::Response,
        );
    }

    fn without_response(&self, transactions: Range, sheet: &mut Sheet) {
        let failed = self.failed.as_ref();
        let Some((failed, n)) = failed.and_then(|failed| Some((failed, failed.range?))) else {
            return;
        };
        let all = transactions.plus(n);
        if n.hi > 0.0 {
            let text = digits(all.mid());
            rules::failures_of(
                sheet,
                failed,
                all,
                (&text, &[]),
                "failed transactions",
                Failed::Lost,
            );
        }
    }
}

/// Keeps a figure if there is one, none of which is below zero; whether there was.
fn keep(slot: &mut Option<Figure>, figure: Option<Figure>) -> bool {
    gather::keep(slot, figure.map(positive))
}

/// `0.00` stands for 0 to 0.005.
fn positive(figure: Figure) -> Figure {
    let range = figure.range;
    Figure {
        range: range.map(|range| Range::new(range.lo.max(0.0), range.hi.max(0.0))),
        ..figure
    }
}

/// `0.03 secs`, `3.12 ms` of newer versions, or seconds without a unit; in milliseconds.
fn time(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.number()?;
    match scan.lit("ms") {
        true => Some(figure.in_unit(" ms", 1.0)),
        false => Some(figure.in_unit(" s", 1000.0)),
    }
}

#[cfg(test)]
mod tests {
    use crate::audit;

    /// 200 transactions in 0.51 s of 12.4 ms each.
    fn json(time: [&str; 3]) -> String {
        let [mean, longest, shortest] = time;
        format!(
            "{{\"transactions\": 200, \"availability\": 100.00, \"elapsed_time\": 0.51, \"data_transferred\": 0.00, \"response_time\": {mean}, \
             \"transaction_rate\": 392.16, \"throughput\": 0.00, \"concurrency\": 4.88, \"successful_transactions\": 200, \
             \"failed_transactions\": 0, \"longest_transaction\": {longest}, \"shortest_transaction\": {shortest}}}"
        )
    }

    #[test]
    fn concurrency_shows_which_unit_times_have() {
        for time in [["0.01", "0.03", "0.00"], ["12.44", "31.20", "10.05"]] {
            let found = audit(&json(time));
            assert_eq!(found.reports.len(), 1, "{time:?}");
            assert_eq!(found.impossible(), 0, "{time:?}: {:?}", found.findings);
        }
        // Neither fits.
        let found = audit(&json(["0.05", "0.07", "0.00"]));
        assert_eq!(found.impossible(), 1, "{:?}", found.findings);
    }
}
