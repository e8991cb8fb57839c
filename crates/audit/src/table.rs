//! Published tables, in Markdown or separated by commas, semicolons or tabs: connections, requests per second and mean latency, each in a
//! column of its own or together in a cell.
//!
//! A table does not say which tool made it, nor whether each connection was always busy, so that only Little's law is checked, and with mercy.

pub mod amount;
mod checks;
pub mod heading;
mod rows;

use crate::found::Found;
use crate::lines::Line;
use rows::Table;

pub use rows::{Separator, is_rule};

/// Picks tables out of lines.
#[derive(Default)]
pub struct Reader {
    heading: Option<(usize, String)>,
    table: Option<Table>,
}

impl Reader {
    /// Reads a line.
    pub fn line(&mut self, line: &Line<'_>, found: &mut Found) {
        let text = line.text.as_ref();
        if let Some(table) = &mut self.table
            && table.takes(text)
        {
            table.row(text, line.number);
            return;
        }
        self.end(found);
        if is_rule(text) {
            let heading = self.heading.take();
            self.table = heading.and_then(|(at, text)| Table::new(&text, Separator::Bars, at));
        } else if text.contains('|') {
            self.heading = Some((line.number, text.to_owned()));
        } else {
            self.heading = None;
            // Most lines are no heading: look for its cells and its words before anything that costs.
            let is_record = text.starts_with(['{', '[']);
            let several = |c: &char| !is_record && text.matches(*c).count() >= 2;
            let mut separators = [',', ';', '\t'].into_iter().filter(several).peekable();
            if separators.peek().is_some() && heading::may_be(text) {
                let table = |by| Table::new(text, Separator::of(by)?, line.number);
                self.table = separators.find_map(table);
            }
        }
    }

    /// The table that is under way has ended.
    pub fn end(&mut self, found: &mut Found) {
        let table = self.table.take();
        let table = table.filter(|t| !t.points.is_empty() || !t.rows.is_empty());
        found.check(table, checks::check);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Severity, audit};

    fn severities(text: &str) -> Vec<Severity> {
        audit(text).findings.iter().map(|f| f.severity).collect()
    }

    #[test]
    fn a_column_is_a_mean_only_if_it_says_so() {
        // 10 connections / 1,000 per second = 10 ms: as a mean 50 ms would be doubtful; as a percentile it says nothing of the law.
        for (heading, expected) in [
            ("mean ms", Severity::Doubtful),
            ("Avg latency (ms)", Severity::Doubtful),
            ("p95 (ms)", Severity::NotChecked),
            ("p99 latency ms", Severity::NotChecked),
            ("99th percentile ms", Severity::NotChecked),
            ("max ms", Severity::NotChecked),
            ("latency ms", Severity::NotChecked),
            ("average p99 ms", Severity::NotChecked),
        ] {
            let markdown = format!(
                "| connections | req/s | {heading} |\n|--:|--:|--:|\n| 10 | 1,000 | 50.0 |\n"
            );
            assert_eq!(severities(&markdown), [expected], "{heading}");
            let csv = format!("connections,req/s,{heading}\n10,1000,50.0\n");
            assert_eq!(severities(&csv), [expected], "{heading}");
        }
    }

    #[test]
    fn tables_are_separated_in_many_ways() {
        for (heading, row) in [
            (
                "server,connections,requests/s,mean ms",
                "\"a, b\",10,\"1,000\",9.9",
            ),
            ("server;connections;requests/s;mean ms", "a;10;1000;9.9"),
            (
                "server\tconnections\trequests/s\tmean ms",
                "a\t10\t1000\t9.9",
            ),
        ] {
            let found = audit(&format!("{heading}\n{row}\n{row}\n\nwords\n"));
            assert_eq!(found.count(Severity::Holds), 2, "{heading}");
            assert_eq!(found.reports[0].last_line, 3, "{heading}");
        }
    }

    #[test]
    fn tables_of_terminals_are_read() {
        let rows = "| 10 | 1000.0 | 9.93 |\n| 50 | 4871.2 | 10.26 |\n";
        for (above, rule, below) in [
            (
                "+----+-----+-----+\n",
                "+====+=====+=====+\n",
                "+----+-----+-----+\n",
            ),
            ("", "----+-----+-----\n", "(2 rows)\n"),
        ] {
            let heading = "| connections | rps | avg ms |\n";
            let found = audit(&format!("{above}{heading}{rule}{rows}{below}\nwords\n"));
            assert_eq!(found.count(Severity::Holds), 2, "{rule}");
        }
    }

    #[test]
    fn of_several_means_none_is_judged() {
        let text = "concurrency,rps,time per request (mean) ms,\"time per request (mean, across all) ms\"\n50,5000,10.0,0.2\n";
        assert_eq!(severities(text), [Severity::NotChecked]);
        let text = "connections,rps,mean ms,mean diff ms\n50,5000,10.0,0.2\n";
        assert_eq!(severities(text), [Severity::Holds]);
    }

    #[test]
    fn numbers_are_read_as_they_are_meant_or_not_at_all() {
        let markdown = |heading: &str, row: &str| {
            severities(&format!(
                "| connections | {heading} |\n|--:|--:|--:|\n| 50 | {row} |\n"
            ))
        };
        // 50 / 4,871 per second = 10.27 ms.
        for (heading, row) in [
            ("req/s | mean ms", "4.87k | 10.27"),
            ("req/s | mean ms", "4 871 | 10.27"),
            ("req/s | mean ms", "4'871 | 10.27"),
            ("req/s | mean ms", "**4,871** | ~10.27"),
            ("k req/s | mean ms", "4.87 | 10.27"),
            ("Mreq/s | mean µs", "0.004871 | 10270"),
            ("吞吐量 (万 req/s) | 平均延迟 (ms)", "0.4871 | 10.27"),
            ("avg req/s | avg ms", "4871 | 10.27"),
            (
                "req/s | mean ms | mean TTFB (ms) | avg CPU (ms)",
                "4871 | 10.27 | 3.1 | 0.2",
            ),
            (
                "req/s | req/s per core | peak req/s | mean ms",
                "4871 | 1218 | 9000 | 10.27",
            ),
        ] {
            assert_eq!(
                markdown(heading, row),
                [Severity::Holds],
                "{heading}: {row}"
            );
        }
        // Whose mean or percentile it is cannot be told, nor what a point parts.
        for (heading, row) in [
            (
                "A req/s | B req/s | A mean ms | B mean ms",
                "4871 | 14613 | 10.27 | 3.42",
            ),
            (
                "rps | A p50 ms | A p99 ms | B p50 ms | B p99 ms",
                "4871 | 9 | 60 | 3 | 20",
            ),
            ("rps | mean ms", "4.871,12 | 10,27"),
        ] {
            let found = markdown(heading, row);
            let sound = |severity: &Severity| *severity < Severity::Doubtful;
            assert!(found.iter().all(sound), "{heading}: {found:?}");
        }
        let csv =
            "server;connections;requests/s;mean ms\na;50;4871,3;10,27\nb;50;4871,312;10,270\n";
        assert!(severities(csv).is_empty());
    }

    #[test]
    fn schedules_and_pauses_are_not_judged() {
        for word in ["target rate", "users", "streams", "think time s"] {
            let text = format!(
                "| {word} | connections | rps | avg ms |\n|---|---|---|---|\n| 5 | 10 | 100 | 1.0 |\n"
            );
            assert_eq!(severities(&text), [Severity::NotChecked], "{word}");
        }
    }

    #[test]
    fn seconds_are_known_by_many_names() {
        // 64 connections / 640 per second = 0.1 s.
        for heading in [
            "Mean (s)",
            "mean s",
            "avg latency [s]",
            "Average time (seconds)",
            "latency_avg_s",
        ] {
            let table = |mean: &str| {
                severities(&format!(
                    "| connections | req/s | {heading} |\n|---|---|---|\n| 64 | 640 | {mean} |\n"
                ))
            };
            assert_eq!(table("0.1"), [Severity::Holds], "{heading}");
            assert_eq!(table("0.001"), [Severity::Doubtful], "{heading}");
        }
        // What is counted in each second is no time.
        for heading in ["avg errors/s", "mean lookups per second", "max connects/s"] {
            let text = format!(
                "| connections | req/s | mean ms | {heading} |\n|---|---|---|---|\n| 64 | 640 | 100 | 3 |\n"
            );
            assert_eq!(severities(&text), [Severity::Holds], "{heading}");
        }
    }

    #[test]
    fn connections_of_something_else_are_not_judged() {
        for heading in [
            "DB connections",
            "Connection pool size",
            "Concurrent connections per node (4 nodes)",
            "max connections",
            "Batch size | connections",
        ] {
            let cells = heading.matches('|').count() + 1;
            let (rule, row) = ("---|".repeat(cells), "10 | ".repeat(cells));
            let text = format!(
                "| {heading} | req/s | avg latency ms |\n|{rule}---|---|\n| {row} 5000 | 200 |\n"
            );
            assert_eq!(severities(&text), [Severity::NotChecked], "{heading}");
        }
    }

    #[test]
    fn a_comma_that_may_be_a_decimal_one_accuses_nobody() {
        let table = |rate: &str, mean: &str| {
            severities(&format!(
                "| connections | req/s | mean ms |\n|---|---|---|\n| 50 | {rate} | {mean} |\n"
            ))
        };
        // 50 / 4,871 per second = 10.27 ms, of which a thousandth is meant where the comma is a decimal one.
        assert_eq!(table("4871", "10,265"), [Severity::NotChecked]);
        assert_eq!(table("4,871", "10.27"), [Severity::Holds]);
        assert_eq!(table("4,871", "90.27"), [Severity::Doubtful]);
        assert!(
            table("4871", "0,104")
                .iter()
                .all(|s| *s < Severity::Doubtful)
        );
        let row = "connections,rps,p50 ms,p99 ms,max ms\n10,1000,\"9,250\",20,30\n";
        assert!(severities(row).iter().all(|s| *s < Severity::Doubtful));
    }

    #[test]
    fn percentiles_of_a_row_ascend() {
        let table = |p50: &str, p99: &str| {
            severities(&format!(
                "connections,rps,p50 ms,p99 ms,max ms\n10,1000,{p50},{p99},30\n"
            ))
        };
        assert_eq!(table("9", "20"), [Severity::Holds, Severity::NotChecked]);
        assert_eq!(
            table("22", "20"),
            [Severity::Doubtful, Severity::NotChecked]
        );
    }
}
