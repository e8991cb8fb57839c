//! Pods as machines: what a file of hosts asks for, and what was had.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Kubernetes cluster, and what all pods of a run have in common there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The context of the user's configuration; `None` = the current one.
    pub context: Option<String>,
    /// The namespace; `None` = that of the context.
    pub namespace: Option<String>,
    /// The names of secrets to pull images with.
    pub image_pull_secrets: Vec<String>,
    /// The account that the pods have; `None` = the namespace's default. They are given no token of it.
    pub service_account: Option<String>,
    /// Whether the pods use their node's network as it is.
    pub host_network: bool,
    /// How long the pods may take until they run.
    pub wait: Duration,
}

/// A pod as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// Its image.
    pub image: String,
    /// How many whole cores it is to have.
    pub cpus: u32,
    /// Its memory, as Kubernetes writes it: `2Gi`.
    pub memory: String,
    /// The labels that its node must have.
    pub node_selector: BTreeMap<String, String>,
    /// The taints of a node that it may run on all the same.
    pub tolerations: Vec<Toleration>,
}

/// A taint that a pod tolerates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toleration {
    /// Its key.
    pub key: String,
    /// Its value; `None` = any.
    pub value: Option<String>,
    /// Its effect; `None` = any.
    pub effect: Option<String>,
}

impl Toleration {
    /// Reads `key=value:Effect`, as `kubectl taint` writes taints; `=value` and `:Effect` may be left out. `None` where it is something else.
    pub fn parse(text: &str) -> Option<Toleration> {
        let (taint, effect) = match text.split_once(':') {
            Some((taint, effect)) => (taint, Some(effect)),
            None => (text, None),
        };
        let (key, value) = match taint.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (taint, None),
        };
        let is_effect = |effect| ["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect);
        let fits = !key.is_empty() && !key.contains(char::is_whitespace);
        (fits && effect.is_none_or(is_effect)).then(|| Toleration {
            key: key.to_owned(),
            value: value.map(str::to_owned),
            effect: effect.map(str::to_owned),
        })
    }
}

/// A pod that servers or a load generator ran in, and what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PodRecord {
    /// Its node.
    pub machine: String,
    /// Its name.
    pub pod: String,
    /// Its image.
    pub image: String,
    /// How many whole cores it asked for.
    pub cpus_asked: u32,
    /// The cores that it may run on, as the kernel says: as many as it asked for where kubelet's static CPU manager gave it some of its own.
    pub cpus: Vec<u32>,
    /// Whether it used its node's network as it is.
    pub host_network: bool,
}

impl PodRecord {
    /// Whether it has whole cores of its own. Where its bound is time on any core, its threads are moved about, and stopped when the time is used up.
    pub fn has_own_cores(&self) -> bool {
        self.cpus.len() == self.cpus_asked as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taints_are_read_as_kubectl_writes_them() {
        let reported = |key: &str, value: Option<&str>, effect: Option<&str>| Toleration {
            key: key.to_owned(),
            value: value.map(str::to_owned),
            effect: effect.map(str::to_owned),
        };
        let parse = Toleration::parse;
        assert_eq!(
            parse("dedicated=bench:NoSchedule"),
            Some(reported("dedicated", Some("bench"), Some("NoSchedule")))
        );
        assert_eq!(
            parse("example.com/gpu:NoExecute"),
            Some(reported("example.com/gpu", None, Some("NoExecute")))
        );
        assert_eq!(parse("spot"), Some(reported("spot", None, None)));
        assert_eq!(
            parse("spot=:NoSchedule"),
            Some(reported("spot", Some(""), Some("NoSchedule")))
        );
        assert_eq!(parse("=bench:NoSchedule"), None);
        assert_eq!(parse("dedicated:Never"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn cores_of_its_own_are_as_many_as_it_asked_for() {
        let mut pod = PodRecord {
            machine: "node".to_owned(),
            pod: "pod".to_owned(),
            image: "image".to_owned(),
            cpus_asked: 2,
            cpus: vec![2, 3],
            host_network: false,
        };
        assert!(pod.has_own_cores());
        pod.cpus = vec![0, 1, 2, 3];
        assert!(!pod.has_own_cores());
    }
}
