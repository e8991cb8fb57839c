//! Adds the threads' notes: window by window for whoever follows the run, and all together for the outcome.

use std::collections::VecDeque;
use std::mem::take;
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::Window;

use crate::clock::{self, NEVER, Nanos};
use crate::histogram::histogram;
use crate::outcome::{Lost, Outcome, common};
use crate::record::Tally;
use crate::worker::Findings;
use photofinish_model::finding::complaint::Complaint;

/// When load began, and when the window was to open and to close ([`NEVER`]: with the last response).
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub start: Nanos,
    pub opens: Nanos,
    pub closes: Nanos,
}

/// What is known so far.
#[derive(Debug)]
pub struct Gather {
    total: Tally,
    /// The windows that not all threads have left behind; the first is number `windows.len()`.
    open: VecDeque<Partial>,
    /// How many windows each thread has left behind; `u64::MAX` when it is done.
    left: Vec<u64>,
    windows: Vec<Window>,
    /// How long each is.
    length: Nanos,
}

#[derive(Debug)]
struct Partial {
    latency: Histogram<u64>,
    responses: u64,
    errors: u64,
}

impl Gather {
    /// Nothing yet.
    pub fn new(open_loop: bool, threads: usize, length: Nanos) -> Self {
        Gather {
            total: Tally::new(open_loop),
            open: VecDeque::new(),
            left: vec![0; threads],
            windows: Vec::new(),
            length,
        }
    }

    /// Adds a thread's window; the windows that are complete by it.
    pub fn add(&mut self, thread: usize, window: u64, tally: &Tally, last: bool) -> Vec<Window> {
        self.total.add(tally);
        let place = (window as usize).saturating_sub(self.windows.len());
        while self.open.len() <= place {
            self.open.push_back(Partial {
                latency: histogram(),
                responses: 0,
                errors: 0,
            });
        }
        let partial = &mut self.open[place];
        // Both have the same bounds and grow.
        let _ = partial.latency.add(&tally.latency);
        partial.responses += tally.counts.responses_in_window;
        partial.errors += tally.counts.all_errors();
        self.left[thread] = if last { u64::MAX } else { window + 1 };
        let complete = self.left.iter().copied().min().unwrap_or(0);
        let mut windows = Vec::new();
        // The run's last window is reported with the outcome: only then its length is known.
        while complete < u64::MAX && (self.windows.len() as u64) < complete {
            windows.extend(self.close_one(self.length));
        }
        windows
    }

    fn close_one(&mut self, length: Nanos) -> Option<Window> {
        let partial = self.open.pop_front()?;
        let us = |value: u64| (!partial.latency.is_empty()).then_some(value as f64 / 1e3);
        let window = Window {
            start_s: seconds(self.windows.len() as u64 * self.length),
            duration_s: seconds(length),
            responses: partial.responses,
            errors: partial.errors,
            p50_us: us(partial.latency.value_at_quantile(0.5)),
            p99_us: us(partial.latency.value_at_quantile(0.99)),
            max_us: us(partial.latency.max()),
        };
        self.windows.push(window);
        Some(window)
    }

    /// What came of the run. `step`: how far the wall clock was set, in ns.
    pub fn outcome(mut self, span: Span, mut findings: Vec<Findings>, step: u64) -> Outcome {
        let last_end = findings
            .iter()
            .map(|found| found.last_end)
            .max()
            .unwrap_or(0);
        let closes = if span.closes == NEVER {
            last_end
        } else {
            span.closes
        };
        // A run that was stopped before its window opened has an empty one.
        let length = closes.saturating_sub(span.opens);
        let silences = findings.iter_mut().map(|found| take(&mut found.silences));
        let gaps = common(silences, span.start, span.opens);
        while !self.open.is_empty() {
            let begun = self.windows.len() as u64 * self.length;
            self.close_one(length.saturating_sub(begun).min(self.length));
        }
        let Tally {
            latency,
            service,
            lost,
            late,
            lag,
            opening,
            status,
            counts,
        } = self.total;
        let open_loop = service.is_some();
        let lost = (!lost.latency.is_empty()).then(|| Lost {
            latency: latency.clone(),
            service: service.clone(),
            waited: lost.latency,
            waited_since_sent: lost.service,
        });
        let late = (!late.longest.is_zero()).then_some(late);
        let (latency, service) = match &lost {
            Some(lost) => lost.completed(),
            None => (latency, service),
        };
        let stamped = counts.unstamped == 0;
        let (first_error_at, first_error) =
            earliest(&findings, |found| found.complaint.as_ref()).unzip();
        let changes = !findings.iter().any(|found| found.lengths_vary);
        let first_change = earliest(&findings, |found| found.change.as_ref().filter(|_| changes));
        let (first_change_at, first_change) = first_change.unzip();
        let turnaround = (counts.turnarounds > 0 && !open_loop)
            .then(|| Duration::from_nanos(counts.turnaround / counts.turnarounds.max(1)));
        let since_start = |at: Nanos| Duration::from_nanos(at.saturating_sub(span.start));
        let first = findings.iter().filter_map(|found| found.first_response);
        let all: Option<Vec<Nanos>> = findings.iter().map(|found| found.all_responded).collect();
        let errors = counts.errors.by_kind();
        let idle = findings.iter().map(|found| {
            let (places, since) = found.free;
            (u128::from(places) * u128::from(closes)).saturating_sub(since)
        });
        let idle = idle.sum::<u128>() + u128::from(counts.idle);
        Outcome {
            started: clock::system_time(span.opens),
            duration: Duration::from_nanos(length),
            requests: counts.requests,
            responses_in_window: counts.responses_in_window,
            censored: errors
                .get(&crate::outcome::ErrorKind::Censored)
                .copied()
                .unwrap_or(0),
            errors,
            unopened: counts.unopened.by_kind(),
            idle_ends: counts.idle_ends.by_kind(),
            service: service.unwrap_or_else(|| latency.clone()),
            latency,
            lost,
            late,
            lag: stamped.then_some(lag),
            turnaround,
            turnarounds: if open_loop { 0 } else { counts.turnarounds },
            first_response: first.min().map(since_start),
            all_responded: all.and_then(|all| all.into_iter().max()).map(since_start),
            mute: findings.iter().map(|found| found.mute as u64).sum(),
            drained: counts.drained,
            idle: Duration::from_nanos(u64::try_from(idle).unwrap_or(u64::MAX)),
            firsts: counts.firsts,
            carried: Duration::from_nanos(counts.carried),
            outlasted: Duration::from_nanos(counts.outlasted),
            draining: Duration::from_nanos(last_end.saturating_sub(closes)),
            gaps,
            lead_in: Duration::from_nanos(span.opens.saturating_sub(span.start)),
            lead_in_requests: counts.lead_in_requests,
            sent: counts.sent,
            good: counts.good,
            changed: if changes { counts.changed } else { 0 },
            first_change_at: first_change_at.map(since_start),
            first_change,
            offered: open_loop.then_some(counts.offered),
            sent_late: counts.sent_late,
            status: (0..)
                .zip(status.iter().copied())
                // 0 where the protocol has no status.
                .filter(|(status, count)| *status > 0 && *count > 0)
                .collect(),
            bytes_in: counts.bytes_in,
            bytes_out: counts.bytes_out,
            connects: counts.connects,
            reconnects: counts.reconnects,
            opening,
            thread_cpu: findings.iter().map(|found| found.cpu).collect(),
            astray: findings.iter().filter(|found| found.astray).count() as u32,
            windows: self.windows,
            kernel_timestamps: stamped,
            first_error_at: first_error_at.map(since_start),
            first_error,
            clock_step: Duration::from_nanos(if step > STEP { step } else { 0 }),
            parts: Vec::new(),
        }
    }
}

/// What was noted first, of all threads, and when.
fn earliest(
    findings: &[Findings],
    of: impl Fn(&Findings) -> Option<&(Nanos, Complaint)>,
) -> Option<(Nanos, Complaint)> {
    let first = findings.iter().filter_map(of).min_by_key(|(at, _)| *at);
    first.cloned()
}

/// On the run's clock, for the record.
fn seconds(nanos: Nanos) -> f64 {
    Duration::from_nanos(nanos).as_secs_f64()
}

/// Two readings of two clocks differ by this much without a step: the thread may lose the CPU in between.
const STEP: u64 = 20_000;
