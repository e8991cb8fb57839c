//! The study as it was run: `study.json`.

use std::collections::BTreeMap;

use photofinish_stats::ClaimDirection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::asked::Asked;
use crate::finding::claim::Stated;
use crate::finding::left_out::LeftOut;
use crate::load::Load;
use crate::metric::Metric;
use crate::secret::SecretRecord;
use crate::settings::RaceSettings;

/// `study.json`: the study as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyRecord {
    /// The version of this format.
    pub version: u32,
    /// The study's name.
    pub name: String,
    /// A line that says what is compared.
    pub title: String,
    /// Where it was published; `null` for one's own.
    pub source: Option<String>,
    /// What a reader should know beside the figures; `null` where there is nothing.
    pub notes: Option<String>,
    /// What flags have left out of the study.
    pub left_out: Vec<LeftOut>,
    /// When the run began: RFC 3339, UTC.
    pub started: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// The name of the pair of machines, if several pairs shared the rounds; not there otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// How it was measured.
    pub settings: RaceSettings,
    /// The targets: the contenders in the order of the file, and what races along with them.
    pub targets: Vec<TargetRecord>,
    /// What the contenders need beside them.
    pub services: Vec<ServiceRecord>,
    /// What is sent and what must come back.
    pub workloads: Vec<WorkloadRecord>,
    /// What others have published.
    pub claims: Vec<Claim>,
    /// What may be secret: names, where the values came from, and fingerprints in place of the values.
    pub secrets: Vec<SecretRecord>,
    /// What distinguishes the key of all fingerprints from others; `null` if there was none. The key itself is in the user's state directory.
    pub fingerprint_key: Option<String>,
}

/// A target as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRecord {
    /// The target with its variant.
    pub label: String,
    /// What it is, in a line.
    pub title: String,
    /// The label of the earlier contender that it is a second copy of (A/A); `null` where it is none.
    pub same_as: Option<String>,
    /// Whether it is the study's limit, which does each workload with the least work that the system allows: it races
    /// along, and the others are shown as a share of it.
    pub limit: bool,
    /// The command that starts it, with `{port}` and the like not yet filled in; of a container, what stands behind the image.
    pub command: Vec<String>,
    /// The image, or the file that it is built by, of one that runs in a container, as its target file says it; not there otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The command that is run before each start; not there where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepare: Vec<String>,
    /// The command that is run after each stop; not there where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cleanup: Vec<String>,
    /// The tools that it was built and run with, such as `jdk` → `25.0.1 (/usr/lib/jvm/…)`.
    pub tools: BTreeMap<String, String>,
    /// Whether it ran already: it was neither started nor stopped, and is the same process in every round.
    #[serde(default, skip_serializing_if = "is_false")]
    pub already: bool,
    /// The revision of its source, where revisions race; not there otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
}

/// A revision of a git repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Revision {
    /// As it was given, such as `main`; `working-tree` for the files as they lie there.
    pub given: String,
    /// The whole hash of its commit; of the working tree, that of the commit it is based on.
    pub commit: String,
}

/// What a target is in a race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// One that verdicts are given on. The others race along with them, for comparison.
    #[default]
    Contender,
    /// A second copy of another target (A/A): the noise floor.
    Copy,
    /// What the machine can do; see [`TargetRecord::limit`].
    Limit,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl TargetRecord {
    /// What it is in the race.
    pub fn role(&self) -> Role {
        match (&self.same_as, self.limit) {
            (_, true) => Role::Limit,
            (Some(_), false) => Role::Copy,
            (None, false) => Role::Contender,
        }
    }
}

/// A service as it was run: a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceRecord {
    /// Its name.
    pub name: String,
    /// What it is: `postgresql` or `mariadb`.
    pub kind: String,
    /// Its version; empty where it was not found.
    pub version: String,
    /// Where it came from: the server's program, the artifact that was fetched, or the address of a
    /// server that was there already; empty where it was not found.
    pub origin: String,
    /// What an instance of the run's own was set to; all else has its default.
    pub settings: BTreeMap<String, String>,
    /// The cores that an instance of the run's own could use, those of the server; empty = not pinned.
    pub cpus: Vec<u32>,
    /// The files that were run before the first trial.
    pub schema: Vec<String>,
    /// Tables and their rows, as counted before the first trial.
    pub rows: BTreeMap<String, u64>,
    /// The labels of the targets that need it; empty = all.
    pub targets: Vec<String>,
}

/// A workload as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRecord {
    /// Its name.
    pub name: String,
    /// What is asked for.
    pub request: Asked,
    /// The levels at which it was offered.
    pub loads: Vec<Load>,
    /// The labels of the targets that take it; empty = all.
    pub targets: Vec<String>,
    /// Whether responses may differ from target to target and only their shape is compared.
    pub responses_vary: bool,
    /// What tells its request from others beside what `request` says; not there for many requests, which have a digest of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<RequestDigests>,
    /// The sweep that it is a part of; `null` for a workload by itself.
    pub sweep: Option<Sweep>,
}

/// Fingerprints of a request's parts (HMAC-SHA-256 by the user's key, in hexadecimal), so that a run is not resumed with another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestDigests {
    /// Of its headers, or of a call's metadata.
    pub headers: String,
    /// Of its body or message.
    pub body: String,
    /// Of what must come back.
    pub expected: String,
}

/// Which of several workloads, that differ in one variable, a workload is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// The name that they share.
    pub name: String,
    /// What differs: `size`, in bytes.
    pub variable: String,
    /// What it is for this one.
    pub value: u64,
}

/// A published statement 'metric of A / metric of B = r', or that A has less or more of it than B.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// A short name, such as `a`.
    pub id: String,
    /// The statement in words.
    pub says: String,
    /// What is compared.
    pub metric: Metric,
    /// The label of target A.
    pub of: String,
    /// The label of target B.
    pub over: String,
    /// The ratio r; `null` where a direction alone was published.
    pub ratio: Option<f64>,
    /// The direction where that alone was published: A has less of it than B, or more.
    pub direction: Option<ClaimDirection>,
    /// How many decimals it was published with, such as 3 for 1.067; `null` where that is not known.
    pub decimals: Option<u32>,
    /// How exactly it was published, in place of the study's margin; `null`: as exactly as that.
    pub margin: Option<f64>,
    /// The workload that it is about.
    pub workload: String,
    /// The level at which it was published.
    pub load: Load,
    /// The level at which it is tested where that one was not run; `null`: at none.
    pub measured_at: Option<Load>,
    /// The workload of target B, where it is another.
    pub over_workload: Option<String>,
    /// The level of target B, where it is another.
    pub over_load: Option<Load>,
    /// The figures that were published, as they were.
    pub figures: String,
    /// Where they were published.
    pub source: String,
    /// Whether it can be judged; `false` for a maximum, which is only shown.
    pub judged: bool,
}

impl Claim {
    /// What it says of the ratio; `None` where it says nothing of it (no study file gives such a claim).
    pub fn stated(&self) -> Option<Stated> {
        let sized = self.ratio.map(|ratio| Stated::Ratio {
            ratio,
            margin: self.margin,
            decimals: self.decimals,
        });
        sized.or_else(|| {
            self.direction.map(|direction| match direction {
                ClaimDirection::Less => Stated::Less {},
                ClaimDirection::More => Stated::More {},
            })
        })
    }
}
