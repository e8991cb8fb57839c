//! What a target's own commands do around its server: `prepare` before each start, `cleanup` after each stop.

use std::cell::Cell;
use std::time::{Duration, Instant};

use photofinish_host::ProcessSpec;
use photofinish_host::task::{self, Ended};
use photofinish_model::finding::failure::{Around, AroundFate, FailureFinding, Printed};
use photofinish_model::secret::mask_words;

use super::printed;
use crate::error::{Halt, failed};
use crate::events::{Event, Warning};
use crate::run_context::RunContext;

/// How long a command may take: a database is filled in it.
const TIMEOUT: Duration = Duration::from_secs(20 * 60);
/// How long a command that cleans up may continue after an interrupt. A second Ctrl-C ends everything at
/// once.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(30);

/// A command that is to come to its end before a server's start, or after its stop.
pub(crate) struct Command<'s> {
    pub(super) run: &'s RunContext<'s>,
    /// The target's label.
    pub(super) target: &'s str,
    pub(super) around: Around,
    pub(super) spec: ProcessSpec,
}

impl Command<'_> {
    /// Runs it to its end. What it prints goes to the target's log, below a line that shows the command.
    ///
    /// # Errors
    /// If it cannot be started, ends badly or takes too long; halts for an interrupt, though one that cleans up has some
    /// time to end well.
    pub(crate) fn run(&self) -> Result<(), Halt> {
        let command = mask_words(&self.spec.command).join(" ");
        let head = format!("$ {}", command.replace('\n', " "));
        // The log is for the reader alone: what cannot be written shows when the command is started.
        let _ = task::show(&head, &self.spec.log);
        let asked = Cell::new(None);
        let unwanted = || match (self.run.interrupted(), self.around) {
            (false, _) => false,
            (true, Around::Prepare) => true,
            (true, Around::Cleanup) => {
                let since = asked.get().unwrap_or_else(Instant::now);
                asked.set(Some(since));
                since.elapsed() > CLEANUP_TIMEOUT
            }
        };
        let ended = task::run(self.run.host, &self.spec, TIMEOUT, &unwanted);
        let fate = match ended.map_err(failed)? {
            Ended::Well => return Ok(()),
            Ended::Badly(how) => AroundFate::Ended { how },
            Ended::Interrupted => return Err(Halt::Interrupted),
            Ended::TooLong => AroundFate::TooLong {
                within_s: TIMEOUT.as_secs_f64(),
            },
        };
        Err(Halt::Failed(failed(FailureFinding::Around {
            around: self.around,
            command,
            fate,
            printed: self.printed(&head),
        })))
    }

    /// Cleans up after a trial that was halted. What halted it is what counts: where this fails too, that is reported and no more.
    pub(super) fn after(cleanup: Option<&Command>, halt: Halt) -> Halt {
        if let Some(cleanup) = cleanup
            && let Err(Halt::Failed(why)) = cleanup.run()
        {
            let target = cleanup.target.to_owned();
            let warning = Warning::Cleanup { target, why };
            cleanup.run.report(Event::Warning(warning));
        }
        halt
    }

    /// The last lines that it has printed itself: its server, and what ran before that, has the same log.
    fn printed(&self, head: &str) -> Printed {
        let mut all = printed(&self.spec.log);
        if let Some(at) = all.lines.iter().rposition(|line| line == head) {
            all.lines.drain(..=at);
        }
        all
    }
}
