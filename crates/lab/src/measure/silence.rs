//! Load that no response comes for: what is known of it, and whether the server still responds to a single request.

use std::time::Duration;

use photofinish_load::{Config, Outcome};
use photofinish_model::Load;
use photofinish_model::finding::failure::{FailureFinding, Fate, Silence, Unanswered, When};
use photofinish_study::plan::Workload;

use super::{Measured, Measuring, Ran};
use crate::error::{Halt, failed};
use crate::observe::Observed;

/// A server is not silent for less than this: other processes may have its cores for some tenths of a second.
pub(crate) const SILENT_FOR: Duration = Duration::from_millis(600);

impl Measuring<'_, '_> {
    /// What is known where no response came; `None`: one did.
    ///
    /// # Errors
    /// If the server does not respond to a single request either: whoever does is not dead, and may still be measured.
    pub(crate) fn silence(&mut self, ran: &Ran) -> Result<Option<Silence>, Halt> {
        let outcome = &ran.seen.outcome;
        if outcome.responses_in_window + outcome.drained > 0 {
            return Ok(None);
        }
        let silence = unanswered(outcome, self.workload, &ran.load);
        match self.still_responds() {
            Ok(()) => Ok(Some(silence)),
            Err(halt) => Err(gone(silence, halt)),
        }
    }

    /// Asks the server for each of the trial's workloads until one gets a response, the silent one last: a server that has too
    /// much of one, such as a queue that takes minutes, may still be measured by the others.
    fn still_responds(&mut self) -> Result<(), Halt> {
        let mut others = self.trial.workloads();
        others.retain(|workload| *workload != self.step.workload);
        for other in others {
            match self.server.verify(&self.run.plan.workloads[other]) {
                Ok(_) => return Ok(()),
                Err(Halt::Failed(_)) => {}
                Err(halt) => return Err(halt),
            }
        }
        self.server.verify(self.workload).map(drop)
    }

    /// Records a server that has given no response to load over connections that are closed now.
    ///
    /// # Errors
    /// As [`Measuring::silence`].
    pub(crate) fn silent(&mut self, config: Config, outcome: Outcome) -> Result<Measured, Halt> {
        let ran = Ran::new(config, Observed::only(outcome));
        self.measured(ran)
    }
}

/// Whether no good response came for load, lead-in included, that waited as long as one may take.
pub(crate) fn is_in_vain(outcome: &Outcome, lead_in: Duration, timeout: Duration) -> bool {
    let waited = lead_in + outcome.duration + outcome.draining;
    outcome.good == 0 && waited >= least(timeout)
}

/// For how long nothing must come: for as long as a response may take.
pub(crate) fn least(timeout: Duration) -> Duration {
    timeout.max(SILENT_FOR)
}

/// What is known of load that no response came for.
pub(crate) fn unanswered(outcome: &Outcome, workload: &Workload, load: &Load) -> Silence {
    let why = match outcome.first_error.clone() {
        Some(first) => Unanswered::Error { first },
        None if outcome.good > 0 && outcome.good == outcome.sent => Unanswered::Later {},
        None => Unanswered::Nothing {},
    };
    Silence {
        window_s: outcome.duration.as_secs_f64(),
        workload: workload.name.clone(),
        load: load.clone(),
        why,
    }
}

/// What became of a server that gave no response to load, and then none to a single request: one that has ended did so under that
/// load, and all else follows from it. What halts the run does.
pub(crate) fn gone(silence: Silence, then: Halt) -> Halt {
    let Halt::Failed(then) = then else {
        return then;
    };
    let gone = match *then {
        FailureFinding::Server {
            fate: Fate::Ended { how, well, .. },
            printed,
        } => FailureFinding::Server {
            fate: Fate::Ended {
                when: When::Loaded,
                how,
                well,
            },
            printed,
        },
        _ => FailureFinding::Gone { silence, then },
    };
    failed(gone).into()
}
