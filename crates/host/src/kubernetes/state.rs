//! What the cluster says of a pod, and what that means for whoever waits for it.

use std::net::IpAddr;

use serde_json::Value;

use crate::launcher::Progress;

/// A pod that runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RunningPod {
    pub(super) pod: String,
    pub(super) node: String,
    pub(super) address: IpAddr,
}

/// Reads what `kubectl get pod -o json` prints of a pod.
pub(super) fn of(pod: &Value) -> Progress<RunningPod> {
    let status = &pod["status"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let container = &status["containerStatuses"][0]["state"];
    let image = text(&pod["spec"]["containers"][0]["image"]);
    let (ended, waiting) = (&container["terminated"], &container["waiting"]);
    if ended.is_object() {
        let message = match &ended["message"] {
            Value::String(message) => message.trim().to_owned(),
            _ => format!("exit code {}", ended["exitCode"]),
        };
        return Progress::Failed(match ended["reason"].as_str() {
            // The runtime's word for a program that it cannot start.
            Some("StartError" | "ContainerCannotRun") => no_shell(&image, &message),
            reason => format!(
                "its first process ended: {} ({message})",
                reason.unwrap_or("Error")
            ),
        });
    }
    let message = text(&waiting["message"]);
    match waiting["reason"].as_str() {
        // Not at the first try, which may be a passing fault of the registry.
        Some("ImagePullBackOff" | "ErrImageNeverPull" | "InvalidImageName") => {
            return Progress::Failed(format!(
                "its image {image} cannot be pulled: {message}; see that the name is right and that the node may pull it (`image-pull-secrets`)"
            ));
        }
        Some("CreateContainerError" | "RunContainerError") => {
            return Progress::Failed(no_shell(&image, &message));
        }
        Some("CreateContainerConfigError") => {
            return Progress::Failed(format!("its container cannot be made: {message}"));
        }
        _ => {}
    }
    if status["phase"] == "Failed" {
        let (reason, message) = (text(&status["reason"]), text(&status["message"]));
        return Progress::Failed(format!("it ended: {reason} ({message})"));
    }
    let address = status["podIP"].as_str().and_then(|ip| ip.parse().ok());
    if let (true, Some(address)) = (container["running"].is_object(), address) {
        return Progress::Up(RunningPod {
            pod: text(&pod["metadata"]["name"]),
            node: text(&pod["spec"]["nodeName"]),
            address,
        });
    }
    let conditions = status["conditions"].as_array();
    let unscheduled = conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == "PodScheduled" && condition["status"] == "False");
    Progress::Pending(match (unscheduled, waiting["reason"].as_str()) {
        (Some(condition), _) => format!("no node takes it ({})", text(&condition["message"])),
        (None, Some(reason)) if message.is_empty() => {
            format!("{reason}, with the image {image}")
        }
        (None, Some(reason)) => format!("{reason}, with the image {image} ({message})"),
        (None, None) => format!("it is {}", status["phase"].as_str().unwrap_or("unknown")),
    })
}

fn no_shell(image: &str, message: &str) -> String {
    format!(
        "its image {image} cannot be started with `sh`, which photofinish needs there, and the C library: {message}"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(status: &Value) -> Value {
        json!({
            "metadata": { "name": "photofinish-1f-server-x7k2p" },
            "spec": { "nodeName": "node-7", "containers": [{ "image": "jdk:25" }] },
            "status": status,
        })
    }

    fn failed(state: &Value) -> String {
        let status = json!({ "phase": "Pending", "containerStatuses": [{ "state": state }] });
        match of(&pod(&status)) {
            Progress::Failed(says) => says,
            state => panic!("{state:?}"),
        }
    }

    #[test]
    fn a_pod_runs_when_its_container_does() {
        let mut status = json!({
            "phase": "Running", "podIP": "10.1.2.3",
            "containerStatuses": [{ "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } } }],
        });
        let up = RunningPod {
            pod: "photofinish-1f-server-x7k2p".to_owned(),
            node: "node-7".to_owned(),
            address: "10.1.2.3".parse().expect("an address"),
        };
        assert_eq!(of(&pod(&status)), Progress::Up(up));
        status["podIP"] = Value::Null;
        assert_eq!(
            of(&pod(&status)),
            Progress::Pending("it is Running".to_owned())
        );
    }

    #[test]
    fn why_it_waits_is_the_schedulers_own_reason() {
        let why = "0/2 nodes are available: 2 Insufficient cpu.";
        let status = json!({
            "phase": "Pending",
            "conditions": [{ "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": why }],
        });
        let says = format!("no node takes it ({why})");
        assert_eq!(of(&pod(&status)), Progress::Pending(says));
        let status = json!({
            "phase": "Pending",
            "containerStatuses": [{ "state": { "waiting": { "reason": "ErrImagePull", "message": "reset" } } }],
        });
        let says = "ErrImagePull, with the image jdk:25 (reset)".to_owned();
        assert_eq!(of(&pod(&status)), Progress::Pending(says));
    }

    #[test]
    fn what_will_not_come_is_not_waited_for() {
        let says = failed(
            &json!({ "waiting": { "reason": "ImagePullBackOff", "message": "Back-off pulling image" } }),
        );
        assert!(
            says.starts_with("its image jdk:25 cannot be pulled: Back-off"),
            "{says}"
        );
        let says = failed(
            &json!({ "terminated": { "reason": "StartError", "exitCode": 128, "message": "exec: \"sh\": not found" } }),
        );
        assert!(says.contains("cannot be started with `sh`"), "{says}");
        let says = failed(&json!({ "terminated": { "reason": "OOMKilled", "exitCode": 137 } }));
        assert_eq!(says, "its first process ended: OOMKilled (exit code 137)");
        let evicted = json!({ "phase": "Failed", "reason": "Evicted", "message": "low on memory" });
        let says = "it ended: Evicted (low on memory)".to_owned();
        assert_eq!(of(&pod(&evicted)), Progress::Failed(says));
    }
}
