//! Meters on a machine's cores: each notes times until it is dropped.

use hdrhistogram::Histogram;
use photofinish_load::Control;

use super::request::{self, MeterKind, Request, Times};
use super::{Host, Kind, Made};

/// A meter, one on each of several machines.
pub struct Meter {
    /// `None`: there could be none.
    parts: Vec<Option<Made>>,
}

impl Host {
    /// Starts a meter on this core, if one is given. It was chosen on the first of several machines: another one that does not have it for
    /// its load takes its own first core.
    pub fn meter(&self, kind: MeterKind, cpu: Option<usize>) -> Meter {
        let parts = match &self.kind {
            Kind::Several(several) => several.with_own_cpu(cpu),
            _ => vec![(self, cpu)],
        };
        let parts = parts.into_iter().map(|(host, cpu)| {
            let start = request::StartMeter { kind, cpu };
            let made = host.make(start, &Control::default(), &|| false);
            made.ok().map(|(made, ())| made)
        });
        let parts = parts.collect();
        Meter { parts }
    }
}

impl Meter {
    /// What was noted since the last lap, in nanoseconds; `None` if nothing was, or nothing on one of several machines.
    pub fn lap(&self) -> Option<Histogram<u64>> {
        self.sum(|meter| request::Lap { meter })
    }

    /// Ends, and returns the rest.
    pub fn end(self) -> Option<Histogram<u64>> {
        self.sum(|meter| request::EndMeter { meter })
    }

    fn sum<R: Request<Reply = Option<Times>>>(
        &self,
        lap: impl Fn(u64) -> R,
    ) -> Option<Histogram<u64>> {
        let laps = self.parts.iter().map(|part| {
            let Made { host, number } = part.as_ref()?;
            Some(host.known(lap(*number))?.0)
        });
        // All of them, also if one has none.
        let laps: Vec<Option<Histogram<u64>>> = laps.collect();
        let laps: Option<Vec<Histogram<u64>>> = laps.into_iter().collect();
        laps?.into_iter().reduce(|mut sum, more| {
            // All were made with the same digits, and grow.
            let _ = sum.add(&more);
            sum
        })
    }
}
