//! Waiting until a server has done what nobody waits for any more.
//!
//! A request that timed out, or was in flight when the load ended, may still be in the server's
//! queue: its insert would fall into a table that was emptied for somebody else's measurement.

use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::finding::failure::When;
use photofinish_study::plan::Workload;

use crate::error::Halt;
use crate::server::Server;

/// How often the CPU use of the server and of the services is sampled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Share of a core below which a server is idle: more than the timers of a JVM and of a database use, less
/// than any request would use over [`POLL_INTERVAL`].
const IDLE_SHARE: f64 = 0.05;
/// Number of consecutive samples below [`IDLE_SHARE`] after which a server is idle.
const IDLE_SAMPLES: u32 = 3;
/// Longest wait for an idle server. A longer queue shows as a finding.
const MAX_WAIT: Duration = Duration::from_secs(30);

impl Server<'_> {
    /// Prepares a workload's service for it, once the server is idle if it has requests left over.
    ///
    /// # Errors
    /// Fails if the SQL does, or the server has ended; halts for an interrupt.
    pub(crate) fn prepare_for(&mut self, workload: &Workload) -> Result<(), Halt> {
        if workload.before.is_none() {
            return Ok(());
        }
        if self.left_over {
            self.until_still((IDLE_SAMPLES, MAX_WAIT), Server::used)?;
            self.left_over = false;
        }
        Ok(self.run.services.before(self.run.host, workload)?)
    }

    /// Waits until what `used` reports of CPU time hardly grows for so many looks in a row, or until patience ends.
    ///
    /// # Errors
    /// Fails if the server has ended; halts for an interrupt.
    pub(crate) fn until_still(
        &mut self,
        (looks, patience): (u32, Duration),
        used: impl Fn(&mut Self) -> Duration,
    ) -> Result<(), Halt> {
        let begun = Instant::now();
        let mut quiet = 0;
        let mut before = used(self);
        let mut at = begun;
        while quiet < looks && begun.elapsed() < patience {
            self.run.go_on()?;
            self.require_alive(When::AfterLoad)?;
            thread::sleep(POLL_INTERVAL);
            let (now, used) = (Instant::now(), used(self));
            let busy = used.saturating_sub(before);
            quiet = match busy < (now - at).mul_f64(IDLE_SHARE) {
                true => quiet + 1,
                false => 0,
            };
            (before, at) = (used, now);
        }
        Ok(())
    }

    /// The CPU time that server and services have used so far.
    fn used(&mut self) -> Duration {
        let own = self.process.glance().ok();
        let both = [own, self.run.services.usage(&self.target.label)];
        let usages = both.into_iter().flatten();
        usages.map(|usage| usage.cpu_user + usage.cpu_system).sum()
    }
}
