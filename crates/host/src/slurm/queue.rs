//! What the queue says of a job, and what that means for whoever waits for it.

use crate::Error;
use crate::launcher::Progress;

/// How `squeue` is to say it: state, reason, nodes, whether they may be shared, partition.
pub(super) const FORMAT: &str = "--format=%T|%r|%N|%h|%P";

/// A job as the queue has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Queued {
    state: String,
    reason: String,
    /// Its nodes, as Slurm writes a list.
    pub(super) nodes: String,
    /// Whether no other job may run on them.
    pub(super) exclusive: bool,
    pub(super) partition: String,
}

/// Reasons for which a job waits until somebody changes it or the cluster.
const PERMANENT_REASONS: [&str; 5] = [
    "PartitionTimeLimit",
    "PartitionNodeLimit",
    "BadConstraints",
    "InvalidAccount",
    "InvalidQOS",
];

impl Queued {
    /// Reads what `squeue` prints of one job.
    pub(super) fn read(text: &str) -> Option<Queued> {
        let mut fields = text.lines().next()?.trim().split('|').map(str::to_owned);
        Some(Queued {
            state: fields.next().filter(|state| !state.is_empty())?,
            reason: fields.next()?,
            nodes: fields.next()?,
            exclusive: fields.next()? == "NO",
            partition: fields.next()?,
        })
    }

    pub(super) fn state(&self) -> Progress<()> {
        let Queued { state, reason, .. } = self;
        match state.as_str() {
            "RUNNING" => Progress::Up(()),
            "PENDING" if PERMANENT_REASONS.contains(&reason.as_str()) => Progress::Failed(format!(
                "will not run ({reason}): ask for what its partition may give ([slurm] `partition`, `account`, `time-limit`, fewer [[generator]])"
            )),
            "PENDING" | "CONFIGURING" | "REQUEUED" | "RESIZING" | "SUSPENDED" | "STOPPED" => {
                Progress::Pending(match reason.as_str() {
                    "None" | "" => state.clone(),
                    reason => format!("{state} ({reason})"),
                })
            }
            _ => Progress::Failed(match reason.as_str() {
                "None" | "" => format!("has ended: {state}"),
                reason => format!("has ended: {state} ({reason})"),
            }),
        }
    }
}

/// Whether the queue knows nothing of a job any more.
pub(super) fn is_gone(error: &Error) -> bool {
    error.to_string().contains("Invalid job id")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(line: &str) -> Progress<()> {
        Queued::read(line).expect("a job").state()
    }

    #[test]
    fn a_job_that_waits_says_why() {
        assert_eq!(state("RUNNING|None|n[1-2]|NO|race\n"), Progress::Up(()));
        assert_eq!(
            state("PENDING|Resources||NO|race\n"),
            Progress::Pending("PENDING (Resources)".to_owned())
        );
        assert_eq!(
            state("CONFIGURING|None|n1|NO|race\n"),
            Progress::Pending("CONFIGURING".to_owned())
        );
        let Progress::Failed(never) = state("PENDING|PartitionTimeLimit||NO|race\n") else {
            panic!("it would wait for ever")
        };
        assert!(
            never.starts_with("will not run (PartitionTimeLimit)"),
            "{never}"
        );
        assert_eq!(
            state("CANCELLED|None||NO|race\n"),
            Progress::Failed("has ended: CANCELLED".to_owned())
        );
        assert_eq!(
            state("TIMEOUT|TimeLimit|n1|NO|race\n"),
            Progress::Failed("has ended: TIMEOUT (TimeLimit)".to_owned())
        );
    }

    #[test]
    fn what_is_given_is_read() {
        let queued = Queued::read("RUNNING|None|n[1-2]|NO|race\n").expect("a job");
        assert_eq!((queued.nodes.as_str(), queued.exclusive), ("n[1-2]", true));
        assert_eq!(queued.partition, "race");
        let shared = Queued::read("RUNNING|None|n1|OK|race\n").expect("a job");
        assert!(!shared.exclusive);
        assert_eq!(Queued::read(""), None);
        assert_eq!(Queued::read("\n"), None);
    }
}
