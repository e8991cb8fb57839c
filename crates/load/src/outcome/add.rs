//! The outcomes of several slices as one, and what of it is the same for several generators.

use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::Window;

use super::{Gap, Lost, Outcome};
use crate::clock;
use crate::histogram;

impl Outcome {
    /// Adds what came of another slice of the same session: histograms and counts are added, windows appended as if it had
    /// followed at once. What was the first stays the first.
    pub fn add(&mut self, other: &Outcome) {
        self.add_counts(other);
        let begun = self.duration.as_secs_f64();
        let windows = other.windows.iter().map(|window| Window {
            start_s: begun + window.start_s,
            ..*window
        });
        self.windows.extend(windows);
        // Each slice has its own beginning of load.
        self.first_error_at = None;
        self.first_change_at = None;
        let begun = clock::nanos(self.duration) as i64;
        let gaps = other.gaps.iter().map(|gap| Gap {
            began: begun + gap.began,
            ..*gap
        });
        self.gaps.extend(gaps);
        self.started = self.started.min(other.started);
        self.duration += other.duration;
        self.lead_in += other.lead_in;
        self.first_response = self.first_response.max(other.first_response);
        for (mine, theirs) in self.thread_cpu.iter_mut().zip(&other.thread_cpu) {
            *mine += *theirs;
        }
        self.draining += other.draining;
        self.mute = self.mute.max(other.mute);
        self.clock_step += other.clock_step;
        self.astray = self.astray.max(other.astray);
        for (mine, theirs) in self.parts.iter_mut().zip(&other.parts) {
            mine.add(theirs);
        }
    }

    /// Adds what is added whether it was measured later or at the same time: histograms and counts.
    pub(super) fn add_counts(&mut self, other: &Outcome) {
        // Taken apart in full, so that a new field cannot be forgotten here.
        let Outcome {
            started: _,
            duration: _,
            lead_in: _,
            requests,
            responses_in_window,
            errors,
            unopened,
            idle_ends,
            latency,
            service,
            lost,
            late,
            lag,
            turnaround,
            turnarounds,
            first_response: _,
            all_responded,
            mute: _,
            drained,
            idle,
            firsts,
            carried,
            outlasted,
            draining: _,
            gaps: _,
            censored,
            lead_in_requests,
            sent,
            good,
            changed,
            first_change,
            first_change_at,
            offered,
            sent_late,
            status,
            bytes_in,
            bytes_out,
            connects,
            reconnects,
            opening,
            thread_cpu: _,
            astray: _,
            windows: _,
            kernel_timestamps,
            first_error,
            first_error_at,
            clock_step: _,
            parts: _,
        } = other;
        self.opening.add(opening);
        self.add_times(latency, service, lost.as_ref());
        match (&mut self.late, late) {
            (Some(mine), Some(theirs)) => mine.add(theirs),
            (mine @ None, theirs) => mine.clone_from(theirs),
            (Some(_), None) => {}
        }
        self.lag = match (self.lag.take(), lag) {
            (Some(mut mine), Some(theirs)) => {
                histogram::add(&mut mine, theirs);
                Some(mine)
            }
            _ => None,
        };
        self.idle += *idle;
        self.carried += *carried;
        self.outlasted += *outlasted;
        self.kernel_timestamps &= kernel_timestamps;
        let mine = (self.turnaround, self.turnarounds);
        self.turnaround = mean(mine, (*turnaround, *turnarounds));
        // A slice in which a connection had no response leaves nothing to say of all.
        let all = self.all_responded.zip(*all_responded);
        self.all_responded = all.map(|(mine, theirs)| mine.max(theirs));
        self.offered = self
            .offered
            .zip(*offered)
            .map(|(mine, theirs)| mine + theirs);
        for (mine, theirs) in [
            (&mut self.errors, errors),
            (&mut self.unopened, unopened),
            (&mut self.idle_ends, idle_ends),
        ] {
            for (kind, count) in theirs {
                *mine.entry(*kind).or_default() += count;
            }
        }
        for (status, count) in status {
            *self.status.entry(*status).or_default() += count;
        }
        if self.first_error.is_none() {
            self.first_error.clone_from(first_error);
            self.first_error_at = *first_error_at;
        }
        if self.first_change.is_none() {
            self.first_change.clone_from(first_change);
            self.first_change_at = *first_change_at;
        }
        for (mine, theirs) in [
            (&mut self.requests, requests),
            (&mut self.responses_in_window, responses_in_window),
            (&mut self.turnarounds, turnarounds),
            (&mut self.drained, drained),
            (&mut self.firsts, firsts),
            (&mut self.censored, censored),
            (&mut self.lead_in_requests, lead_in_requests),
            (&mut self.sent, sent),
            (&mut self.good, good),
            (&mut self.changed, changed),
            (&mut self.sent_late, sent_late),
            (&mut self.bytes_in, bytes_in),
            (&mut self.bytes_out, bytes_out),
            (&mut self.connects, connects),
            (&mut self.reconnects, reconnects),
        ] {
            *mine += theirs;
        }
    }

    /// Adds response and service times. Where requests were lost, they are given to the times of all slices together.
    fn add_times(
        &mut self,
        latency: &Histogram<u64>,
        service: &Histogram<u64>,
        lost: Option<&Lost>,
    ) {
        if self.lost.is_none() && lost.is_none() {
            histogram::add(&mut self.latency, latency);
            histogram::add(&mut self.service, service);
            return;
        }
        let open_loop = self.offered.is_some();
        let none = |latency: &Histogram<u64>, service: &Histogram<u64>| Lost {
            latency: latency.clone(),
            service: open_loop.then(|| service.clone()),
            waited: histogram::histogram(),
            waited_since_sent: histogram::histogram(),
        };
        let mut all = match self.lost.take() {
            Some(lost) => lost,
            None => none(&self.latency, &self.service),
        };
        let theirs = lost.cloned().unwrap_or_else(|| none(latency, service));
        histogram::add(&mut all.latency, &theirs.latency);
        histogram::add(&mut all.waited, &theirs.waited);
        histogram::add(&mut all.waited_since_sent, &theirs.waited_since_sent);
        if let (Some(mine), Some(theirs)) = (&mut all.service, &theirs.service) {
            histogram::add(mine, theirs);
        }
        let (latency, service) = all.completed();
        self.service = service.unwrap_or_else(|| latency.clone());
        self.latency = latency;
        self.lost = Some(all);
    }
}

/// The mean of two groups of so many, from theirs.
fn mean(one: (Option<Duration>, u64), other: (Option<Duration>, u64)) -> Option<Duration> {
    let total = |(mean, count): (Option<Duration>, u64)| {
        mean.unwrap_or_default().as_nanos() * u128::from(count)
    };
    let count = u128::from(one.1 + other.1);
    let mean = (total(one) + total(other)).checked_div(count)?;
    Some(Duration::from_nanos(
        u64::try_from(mean).unwrap_or(u64::MAX),
    ))
}
