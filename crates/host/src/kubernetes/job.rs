//! The Job that makes a pod for an agent, and what runs in that.

use photofinish_model::kubernetes::{Cluster, Pod, Toleration};
use serde_json::{Value, json};

/// The label by which a cluster's users know what a pod belongs to, and its value.
const NAME: &str = "app.kubernetes.io/name";
const PROGRAM: &str = "photofinish";
/// The label of everything that belongs to the machines of one run, or of one pair of machines of it; its value is their id.
pub(super) const RUN: &str = "photofinish/run";
/// The label of what a pod is for.
pub(super) const ROLE: &str = "photofinish/role";
pub(super) const CONTAINER: &str = "agent";
/// Where the agent and all that it keeps is, in the pod: a volume that goes with it, and that any user may write to.
pub(super) const FOLDER: &str = "/photofinish";
/// No run takes longer, in seconds; where all else fails the cluster ends a pod then.
const MAX_RUN_SECONDS: u32 = 24 * 60 * 60;

/// A pod's first process. It waits for an agent, 5 minutes at most, and ends when that has: a pipe's other end is the agent's, and whatever the
/// agent starts has it too. Nothing wakes up while a race is run.
const FIRST_PROCESS: &str = "\
mkfifo /photofinish/life || exit 1
n=0
until test -e /photofinish/came; do
  n=$((n + 1))
  test $n -le 300 || { echo 'no agent came'; exit 1; }
  sleep 1
done
read -r line </photofinish/life
exit 0
";

/// The name of the Job, which its pod's begins with.
pub(super) fn name(run: &str, role: &str) -> String {
    format!("photofinish-{run}-{role}")
}

/// What a shell in the pod does before it becomes the agent.
pub(super) fn before_agent() -> String {
    format!(": >{FOLDER}/came && exec 9>{FOLDER}/life && ")
}

/// A Job with one pod, on a node that no other pod of `run` is on, with whole cores (Guaranteed quality of service). If there are enough nodes, no
/// pod of another run or pair of machines is there either.
pub(super) fn manifest(cluster: &Cluster, run: &str, role: &str, pod: &Pod) -> Value {
    let labels = json!({
        NAME: PROGRAM,
        RUN: run,
        ROLE: role,
    });
    let resources = json!({ "cpu": pod.cpus.to_string(), "memory": pod.memory });
    let secrets = cluster.image_pull_secrets.iter();
    let mut spec = json!({
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 5,
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "hostNetwork": cluster.host_network,
        "imagePullSecrets": secrets.map(|name| json!({ "name": name })).collect::<Vec<Value>>(),
        "nodeSelector": pod.node_selector,
        "tolerations": pod.tolerations.iter().map(toleration).collect::<Vec<Value>>(),
        "affinity": { "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [apart(json!({ RUN: run }))],
            "preferredDuringSchedulingIgnoredDuringExecution": [{
                "weight": 100,
                "podAffinityTerm": apart(json!({ NAME: PROGRAM })),
            }],
        } },
        "volumes": [{ "name": "photofinish", "emptyDir": {} }],
        "containers": [{
            "name": CONTAINER,
            "image": pod.image,
            "command": ["sh", "-c", FIRST_PROCESS],
            "env": [
                { "name": "XDG_CACHE_HOME", "value": format!("{FOLDER}/cache") },
                { "name": "TMPDIR", "value": FOLDER },
            ],
            "resources": { "requests": resources, "limits": resources },
            "volumeMounts": [{ "name": "photofinish", "mountPath": FOLDER }],
        }],
    });
    if let Some(account) = &cluster.service_account {
        spec["serviceAccountName"] = json!(account);
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name(run, role), "labels": labels },
        "spec": {
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": 0,
            "activeDeadlineSeconds": MAX_RUN_SECONDS,
            "template": { "metadata": { "labels": labels }, "spec": spec },
        },
    })
}

/// The nodes on which no pod has these labels.
fn apart(labels: Value) -> Value {
    json!({
        "labelSelector": { "matchLabels": labels },
        "topologyKey": "kubernetes.io/hostname",
    })
}

fn toleration(reported: &Toleration) -> Value {
    let mut toleration = match &reported.value {
        Some(value) => json!({ "key": reported.key, "operator": "Equal", "value": value }),
        None => json!({ "key": reported.key, "operator": "Exists" }),
    };
    if let Some(effect) = &reported.effect {
        toleration["effect"] = json!(effect);
    }
    toleration
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_pod_has_whole_cores_and_a_node_of_its_own() {
        let cluster = Cluster {
            context: None,
            namespace: None,
            image_pull_secrets: vec!["key".to_owned()],
            service_account: Some("racer".to_owned()),
            host_network: true,
            wait: Duration::from_secs(1),
        };
        let pod = Pod {
            image: "jdk:25".to_owned(),
            cpus: 4,
            memory: "2Gi".to_owned(),
            node_selector: [("disk".to_owned(), "ssd".to_owned())].into(),
            tolerations: Toleration::parse("dedicated=bench:NoSchedule")
                .into_iter()
                .chain(Toleration::parse("spot"))
                .collect(),
        };
        let job = manifest(&cluster, "1f", "generator-2", &pod);
        assert_eq!(job["metadata"]["name"], "photofinish-1f-generator-2");
        assert_eq!(job["spec"]["ttlSecondsAfterFinished"], 0);
        let spec = &job["spec"]["template"]["spec"];
        let container = &spec["containers"][0];
        // Guaranteed: what is asked for is the limit, in whole cores.
        let resources = &container["resources"];
        assert_eq!(resources["limits"], json!({ "cpu": "4", "memory": "2Gi" }));
        assert_eq!(resources["requests"], resources["limits"]);
        let affinity = &spec["affinity"]["podAntiAffinity"];
        let required = &affinity["requiredDuringSchedulingIgnoredDuringExecution"][0];
        assert_eq!(required["topologyKey"], "kubernetes.io/hostname");
        assert_eq!(required["labelSelector"]["matchLabels"][RUN], "1f");
        assert_eq!(job["spec"]["template"]["metadata"]["labels"][RUN], "1f");
        // Pods of other pairs of machines are elsewhere if there are enough nodes.
        let preferred = &affinity["preferredDuringSchedulingIgnoredDuringExecution"][0];
        let labels = &preferred["podAffinityTerm"]["labelSelector"]["matchLabels"];
        assert_eq!(labels, &json!({ NAME: PROGRAM }));
        assert_eq!(spec["serviceAccountName"], "racer");
        assert_eq!(spec["automountServiceAccountToken"], false);
        assert_eq!(spec["hostNetwork"], true);
        assert_eq!(spec["imagePullSecrets"], json!([{ "name": "key" }]));
        assert_eq!(spec["nodeSelector"], json!({ "disk": "ssd" }));
        let tolerations = json!([
            { "key": "dedicated", "operator": "Equal", "value": "bench", "effect": "NoSchedule" },
            { "key": "spot", "operator": "Exists" },
        ]);
        assert_eq!(spec["tolerations"], tolerations);
    }
}
