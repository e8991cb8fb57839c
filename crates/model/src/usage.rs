//! What the server and the machine did during a measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::times::Lag;

/// What the server's processes used during a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerUse {
    /// CPU time in user mode per request, in microseconds; `null`, as all CPU time and page faults here, where processes ended that nobody
    /// waits for, since their parent ignores SIGCHLD: theirs is in no counter.
    pub cpu_user_us_per_request: Option<f64>,
    /// CPU time in the kernel per request, in microseconds.
    pub cpu_system_us_per_request: Option<f64>,
    /// CPU used, in cores (1.5 = one and a half cores).
    pub cpu_cores: Option<f64>,
    /// The share of that CPU time that just-in-time compilers took: 0 for a server without one, and for one that is warm; `null`
    /// where none was used at all.
    pub compiling_share: Option<f64>,
    /// Context switches that the server asked for (it waited), per request.
    pub switches_voluntary_per_request: Option<f64>,
    /// Context switches that it was forced to, per request.
    pub switches_forced_per_request: Option<f64>,
    /// For how long its threads were ready to run and waited for a core, per request, in microseconds; not there where the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_queue_us_per_request: Option<f64>,
    /// Page faults served without I/O, per request.
    pub faults_minor_per_request: Option<f64>,
    /// Page faults that needed I/O, per request.
    pub faults_major_per_request: Option<f64>,
    /// For how long its Java virtual machines stood still in pauses of their garbage collectors, per request, in microseconds; `null` where
    /// no machine says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gc_pause_us_per_request: Option<f64>,
    /// The same at safepoints, for whatever reason: collections among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safepoint_us_per_request: Option<f64>,
    /// The largest resident memory seen, in bytes, over all of its processes.
    pub rss_max_bytes: u64,
    /// The largest number of threads seen.
    pub threads_max: u32,
    /// The largest number of processes seen.
    pub processes_max: u32,
}

impl ServerUse {
    /// CPU time per request, user and system, in microseconds.
    pub fn cpu_us_per_request(&self) -> Option<f64> {
        Some(self.cpu_user_us_per_request? + self.cpu_system_us_per_request?)
    }
}

/// A process, or several of one name, and the CPU that it used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusyProcess {
    /// Its name, cut to 15 bytes by the kernel.
    pub name: String,
    /// The cores that it used.
    pub cores: f64,
}

/// What the machine did during a measurement besides the race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineUse {
    /// The share of all cores' time that the hypervisor took away.
    pub steal_share: f64,
    /// CPU used by processes that belong neither to the server nor to photofinish, in cores; `null` where the server's is not known
    /// from theirs.
    pub other_cores: Option<f64>,
    /// The other process that used most CPU; not there if none used any, or in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest: Option<BusyProcess>,
    /// How late a thread that only sleeps woke up, in microseconds; `null` where it was not measured.
    pub hiccup_us: Option<Lag>,
    /// How many cores the machine has; `null` where it was not noted.
    pub cores: Option<u32>,
    /// The share of the time in which some process waited for memory (pressure stall information);
    /// `null` where the kernel does not say.
    pub memory_stall_share: Option<f64>,
    /// Pages that were swapped in or out, per second; `null` where the kernel does not say.
    pub swapped_pages_per_s: Option<f64>,
    /// For how long the kernel stopped the servers' container because it had used up its time, as a share of the time (of one core: two
    /// that were stopped all the time are 2); `null` where its time has no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_share: Option<f64>,
    /// The core-to-core latency between the server's cores and the generator's before and after a measurement in one piece, in nanoseconds; not
    /// there where it was not measured, and in turns, each of which has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_to_core_ns: Option<[f64; 2]>,
}
