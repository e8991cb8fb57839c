//! What a report of wrk or wrk2 says, line by line.

use crate::figure::{Figure, Scan, unit_bytes};
use crate::gather::keep;

use super::spectrum::Spectrum;

/// What one report says. Latencies in milliseconds, `seconds` in seconds, bytes in bytes.
#[derive(Debug, Default)]
pub struct Report {
    /// A line of it was there.
    pub begun: bool,
    pub url: Option<String>,
    pub threads: Option<Figure>,
    pub connections: Option<Figure>,
    /// Mean, standard deviation, maximum, share within one standard deviation in percent.
    pub latency: Option<[Figure; 4]>,
    /// The same for each thread's requests per second.
    pub per_thread: Option<[Figure; 4]>,
    /// Share of 1 and latency.
    pub percentiles: Vec<(f64, Figure)>,
    pub requests: Option<Figure>,
    pub seconds: Option<Figure>,
    pub read: Option<Figure>,
    /// Connect, read, write, timeout.
    pub errors: Option<[Figure; 4]>,
    pub not_2xx: Option<Figure>,
    pub rate: Option<Figure>,
    pub transfer: Option<Figure>,
    pub wrk2: bool,
    /// Of wrk2's `-U`, which prints a second distribution: times from when requests were sent.
    pub uncorrected: Vec<(f64, Figure)>,
    /// wrk2's detailed spectrum of each distribution.
    pub spectra: Vec<Spectrum>,
    /// How many distributions have begun, and whether the lines are rows of the last one's spectrum.
    distributions: usize,
    in_spectrum: bool,
}

impl Report {
    /// The number of timeouts, 0 if none are reported.
    pub fn timed_out(&self) -> f64 {
        self.errors
            .as_ref()
            .and_then(|e| e[3].range)
            .map_or(0.0, |t| t.lo)
    }

    /// No latency was kept.
    pub fn empty(&self) -> bool {
        self.latency
            .as_ref()
            .is_some_and(|l| l[2].range.is_none_or(|max| max.hi <= 1e-5))
    }

    /// Takes one line; whether it belongs to a report.
    pub fn take(&mut self, text: &str, line: usize) -> bool {
        let mut scan = Scan::new(text, line);
        if scan.lit("Running ") {
            if !scan.find(" test @ ") {
                return false;
            }
            self.url = scan.rest().split_whitespace().next().map(str::to_owned);
            return true;
        }
        if scan.lit("Thread Stats") {
            return true;
        }
        if scan.lit("Latency Distribution") {
            self.wrk2 |= text.contains("HdrHistogram");
            self.distributions += 1;
            self.in_spectrum = false;
            return true;
        }
        if self.wrk2 && scan.lit("Detailed Percentile spectrum") {
            self.in_spectrum = self.spectra.len() < self.distributions.min(2);
            if self.in_spectrum {
                self.spectra.push(Spectrum::default());
            }
            return true;
        }
        if self.in_spectrum
            && let Some(spectrum) = self.spectra.last_mut()
            && spectrum.take(text, line)
        {
            return true;
        }
        if scan.lit("Thread calibration:") {
            self.wrk2 = true;
            return true;
        }
        if scan.lit("Latency") {
            return four(&mut scan, latency)
                .map(|f| self.latency = Some(f))
                .is_some();
        }
        if scan.lit("Req/Sec") {
            return four(&mut scan, count)
                .map(|f| self.per_thread = Some(f))
                .is_some();
        }
        if scan.lit("Socket errors:") {
            return self.socket_errors(&mut scan);
        }
        if scan.lit("Non-2xx or 3xx responses:") {
            return keep(&mut self.not_2xx, scan.finite());
        }
        if scan.lit("Requests/sec:") {
            return keep(&mut self.rate, count(&mut scan));
        }
        if scan.lit("Transfer/sec:") {
            return keep(&mut self.transfer, bytes(&mut scan));
        }
        self.numbered(scan)
    }

    /// Lines that begin with a number: threads, requests, percentiles.
    fn numbered(&mut self, mut scan: Scan<'_>) -> bool {
        let Some(number) = scan.finite() else {
            return false;
        };
        if scan.lit("threads and") {
            let connections = scan.finite();
            return scan.lit("connections")
                && keep(&mut self.connections, connections)
                && keep(&mut self.threads, Some(number));
        }
        if scan.lit("requests in") {
            let Some(seconds) = latency(&mut scan) else {
                return false;
            };
            self.requests = Some(number);
            // `latency` gives milliseconds; a duration is kept in seconds.
            self.seconds = Some(Figure {
                range: seconds.range.map(|r| r.scaled(1e-3)),
                ..seconds
            });
            if scan.lit(",") {
                self.read = bytes(&mut scan);
            }
            return true;
        }
        let share = number.range.map_or(-1.0, |r| (r.lo + r.hi) / 2.0);
        if scan.lit("%") && (0.0..=100.0).contains(&share) && self.begun {
            // A percentile always has its unit; ab's, in another report, has none.
            let list = match self.distributions {
                0 | 1 => &mut self.percentiles,
                _ => &mut self.uncorrected,
            };
            if let Some(value) = latency(&mut scan)
                && list.len() < 100
            {
                list.push((share / 100.0, value));
                return true;
            }
        }
        false
    }

    fn socket_errors(&mut self, scan: &mut Scan<'_>) -> bool {
        let mut next = |label: &str| {
            if scan.find(label) {
                scan.finite()
            } else {
                None
            }
        };
        let (Some(connect), Some(read), Some(write), Some(timeout)) = (
            next("connect"),
            next("read"),
            next("write"),
            next("timeout"),
        ) else {
            return false;
        };
        self.errors = Some([connect, read, write, timeout]);
        true
    }
}

/// Three figures of a kind and a percentage.
fn four(scan: &mut Scan<'_>, kind: fn(&mut Scan<'_>) -> Option<Figure>) -> Option<[Figure; 4]> {
    let three = [kind(scan)?, kind(scan)?, kind(scan)?];
    let share = scan.number()?;
    if !scan.lit("%") {
        return None;
    }
    let [mean, sd, max] = three;
    Some([mean, sd, max, share.in_unit("%", 1.0)])
}

/// `10.82ms`, in milliseconds. Without a unit it is no latency of wrk's.
fn latency(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.number()?;
    let unit = scan.letters();
    let ms = match unit {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 6e4,
        "h" => 3.6e6,
        _ => return None,
    };
    Some(figure.in_unit(unit, ms))
}

/// `29.11k`: a count with a metric prefix.
fn count(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.number()?;
    let unit = scan.letters();
    let by = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return None,
    };
    Some(figure.in_unit(unit, by))
}

/// `23.33MB`: bytes with a binary prefix.
fn bytes(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.number()?;
    let unit = scan.letters();
    unit_bytes(unit).map(|by| figure.in_unit(unit, by))
}
