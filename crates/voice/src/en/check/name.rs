//! What the checks are called, and what it means when one fails.

use photofinish_model::check;

/// A check in a few words; its name where it is none that is known.
pub(crate) fn title(name: &str) -> &str {
    match name {
        check::LITTLES_LAW => "Little's law: connections = throughput × time of a cycle, within 5%",
        check::GENERATOR => "Load generator was not the bottleneck",
        check::ERRORS => "No errors, no timeouts",
        check::STEADY => "Steady: no shift within a measurement",
        check::SAME_JOB => "Same job: equal status and body from all targets",
        check::ROWS => "Rows in the table = requests that succeeded",
        check::QUIET => "Quiet machine",
        check::INTERLEAVED => "Fresh processes, targets interleaved in random order",
        check::NOISE_FLOOR => "Noise floor (A/A)",
        check::BYTES => "Bytes on the wire = responses × bytes of a response",
        check::AS_VERIFIED => "Same job to the end: responses match the verified one",
        check::BYSTANDERS => "The other targets' servers were idle meanwhile",
        check::GENERATORS => "Several load generators measured as one",
        check::OWN_CORES => "Each pod or Slurm node has whole cores of its own",
        check::LINK => "No network link was full",
        other => other,
    }
}

/// That a check failed, in a few words, for a list of what to doubt.
pub(crate) fn failed(name: &str) -> &str {
    match name {
        check::LITTLES_LAW => "Little's law does not hold",
        check::GENERATOR => "the load generator was the bottleneck",
        check::ERRORS => "errors or timeouts",
        check::STEADY => "throughput or response time shifted",
        check::SAME_JOB => "targets respond differently",
        check::ROWS => "rows in the table do not match requests",
        check::QUIET => "the machine was not quiet",
        check::INTERLEAVED => "processes not fresh, or targets not interleaved",
        check::NOISE_FLOOR => "a target differs from itself",
        check::BYTES => "bytes on the wire do not match responses",
        check::AS_VERIFIED => "responses changed after verification",
        check::BYSTANDERS => "the other targets' servers were not idle",
        check::GENERATORS => "several load generators did not agree",
        check::OWN_CORES => "a pod or Slurm node has no cores of its own",
        check::LINK => "a network link was full",
        other => other,
    }
}

/// What it means for the figures when a check fails.
pub(crate) fn meaning(name: &str) -> &'static str {
    match name {
        check::LITTLES_LAW => {
            "throughput and response times contradict each other: connections were idle or lost, or one of the figures is wrong"
        }
        check::GENERATOR => {
            "the figures may show the load generator rather than the server: give it more cores or connections, or lower the load"
        }
        check::ERRORS => {
            "throughput counts good responses only; a request that timed out is in the response times, with the time that it waited"
        }
        check::STEADY => {
            "the server was still changing while it was measured: the mean mixes two states"
        }
        check::SAME_JOB => "the targets do different work, so their speed cannot be compared",
        check::ROWS => {
            "the server reported success for work that it did not do, or did it twice: its figures are not those of the job"
        }
        check::QUIET => "something else used the machine and may have made the difference",
        check::INTERLEAVED => {
            "a slow change of the machine, or one server's history, may look like a difference between targets"
        }
        check::NOISE_FLOOR => {
            "on this machine a target differs from itself by more than chance: small differences mean nothing"
        }
        check::BYTES => {
            "requests were counted that did not carry the bytes of a whole response, or bytes that belong to no request"
        }
        check::AS_VERIFIED => {
            "the server did different work while it was measured than when it was verified: its figures are not those of the job; if its responses differ by design, state their shape (`contains`, `rows`)"
        }
        check::BYSTANDERS => {
            "another target's server took CPU from this one: stop them meanwhile (`--freeze`), or measure one target after the other (`--sequential`)"
        }
        check::GENERATORS => {
            "what several load generators measured cannot be added up: give each a machine of its own with cores of its own, and the same network path to the server"
        }
        check::OWN_CORES => {
            "threads are moved from core to core, meet those of others, and are stopped where a pod's time is used up: high percentiles may be the scheduler's; set kubelet's CPU manager policy to `static` on these nodes, or Slurm's TaskPlugin to task/affinity or task/cgroup"
        }
        check::LINK => {
            "the network bounded throughput and response times, not the server: use a faster link, smaller responses or a lower load"
        }
        _ => "see docs/methods.md",
    }
}
