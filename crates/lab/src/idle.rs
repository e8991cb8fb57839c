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

/// The CPU of server and services is looked at so often.
const LOOK: Duration = Duration::from_millis(100);
/// Less than this share of a core, so many looks in a row, is idle: more than the timers of a JVM
/// and of a database use, less than any request would over such a time.
const SHARE: f64 = 0.05;
const LOOKS: u32 = 3;
/// A queue that is longer than this is not waited for; what it does then shows as a finding.
const PATIENCE: Duration = Duration::from_secs(30);

impl Server<'_> {
    /// Prepares a workload's service for it, once the server is idle if it has requests left over.
    ///
    /// # Errors
    /// Fails where the SQL does, or the server has ended; halts where the user wishes so.
    pub(crate) fn prepare_for(&mut self, workload: &Workload) -> Result<(), Halt> {
        if workload.before.is_none() {
            return Ok(());
        }
        if self.left_over {
            self.until_still((LOOKS, PATIENCE), Server::used)?;
            self.left_over = false;
        }
        Ok(self.run.services.before(self.run.host, workload)?)
    }

    /// Waits until what `used` reports of CPU time hardly grows for so many looks in a row, or until patience ends.
    ///
    /// # Errors
    /// Fails where the server has ended; halts where the user wishes so.
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
            thread::sleep(LOOK);
            let (now, used) = (Instant::now(), used(self));
            let busy = used.saturating_sub(before);
            quiet = match busy < (now - at).mul_f64(SHARE) {
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
