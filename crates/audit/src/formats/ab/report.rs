//! What an ab report says, line by line.

use crate::figure::{Figure, Scan};

/// What one ab report says. Times in milliseconds except `seconds`.
#[derive(Debug, Default)]
pub struct Report {
    /// A line of it was there.
    pub begun: bool,
    pub path: Option<String>,
    pub document: Option<Figure>,
    pub concurrency: Option<Figure>,
    pub seconds: Option<Figure>,
    pub complete: Option<Figure>,
    pub failed: Option<Figure>,
    /// Connect, receive, length, exceptions.
    pub kinds: Option<[Figure; 4]>,
    pub write_errors: Option<Figure>,
    pub not_2xx: Option<Figure>,
    pub kept_alive: Option<Figure>,
    pub total: Option<Figure>,
    pub html: Option<Figure>,
    pub rate: Option<Figure>,
    pub mean: Option<Figure>,
    pub mean_across: Option<Figure>,
    pub transfer: Option<Figure>,
    pub times: Vec<Times>,
    /// Share of 1 and the whole milliseconds.
    pub percentiles: Vec<(f64, Figure)>,
}

/// A row of the table `Connection Times (ms)`.
#[derive(Debug)]
pub struct Times {
    pub name: &'static str,
    pub min: Figure,
    pub mean: Figure,
    pub sd: Figure,
    pub median: Figure,
    pub max: Figure,
}

impl Report {
    /// Takes one line; whether it belongs to a report.
    pub fn take(&mut self, text: &str, line: usize) -> bool {
        if let Some((label, value)) = text.split_once(':') {
            return self.label(label.trim_end(), value, line);
        }
        let mut scan = Scan::new(text, line);
        let Some(share) = scan.finite().and_then(|f| f.range).map(|r| r.lo) else {
            return false;
        };
        if !self.begun || !scan.lit("%") || !(0.0..=100.0).contains(&share) {
            return false;
        }
        let Some(ms) = scan.number() else {
            return false;
        };
        let rest = scan.rest();
        // `50%  1.2ms` is wrk's.
        if !(rest.is_empty() || rest.starts_with('(')) || self.percentiles.len() > 100 {
            return false;
        }
        self.percentiles.push((share / 100.0, ms.rounded()));
        true
    }

    fn label(&mut self, label: &str, value: &str, line: usize) -> bool {
        let mut scan = Scan::new(value, line);
        let slot = match label {
            "Document Path" => {
                self.path = Some(value.trim().to_owned());
                return true;
            }
            "Document Length" => &mut self.document,
            "Concurrency Level" => &mut self.concurrency,
            "Time taken for tests" => &mut self.seconds,
            "Complete requests" => &mut self.complete,
            "Failed requests" => &mut self.failed,
            "Write errors" => &mut self.write_errors,
            "Non-2xx responses" => &mut self.not_2xx,
            "Keep-Alive requests" => &mut self.kept_alive,
            "Total transferred" => &mut self.total,
            "HTML transferred" => &mut self.html,
            "Requests per second" => &mut self.rate,
            "Time per request" if value.contains("across") => &mut self.mean_across,
            "Time per request" => &mut self.mean,
            "Transfer rate" => &mut self.transfer,
            "(Connect" => return self.failure_kinds(value, line),
            "Connect" => return self.read_row("Connect", scan),
            "Processing" => return self.read_row("Processing", scan),
            "Waiting" => return self.read_row("Waiting", scan),
            "Total" => return self.read_row("Total", scan),
            _ => return false,
        };
        match scan.number() {
            Some(figure) => {
                *slot = Some(figure);
                true
            }
            None => false,
        }
    }

    /// A row of the table of times.
    pub fn row(&self, name: &str) -> Option<&Times> {
        self.times.iter().find(|row| row.name == name)
    }

    fn read_row(&mut self, name: &'static str, mut scan: Scan<'_>) -> bool {
        if !self.begun || self.times.iter().any(|t| t.name == name) {
            return false;
        }
        let mut next = || scan.number();
        let (Some(min), Some(mean), Some(sd), Some(median), Some(max)) =
            (next(), next(), next(), next(), next())
        else {
            return false;
        };
        self.times.push(Times {
            name,
            min: min.rounded(),
            mean: mean.rounded(),
            sd,
            median: median.rounded(),
            max: max.rounded(),
        });
        true
    }

    /// `(Connect: 0, Receive: 0, Length: 2910, Exceptions: 0)`, from behind the first colon.
    fn failure_kinds(&mut self, value: &str, line: usize) -> bool {
        let mut scan = Scan::new(value, line);
        let mut next = |label: &str| {
            if label.is_empty() || scan.find(label) {
                scan.finite()
            } else {
                None
            }
        };
        let (Some(connect), Some(receive), Some(length), Some(exceptions)) = (
            next(""),
            next("Receive:"),
            next("Length:"),
            next("Exceptions:"),
        ) else {
            return false;
        };
        self.kinds = Some([connect, receive, length, exceptions]);
        true
    }
}
