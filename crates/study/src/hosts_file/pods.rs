//! `[kubernetes]` in a file of hosts: every machine is a pod, of one pair or of several that are alike.

use std::collections::BTreeMap;

use photofinish_model::kubernetes::{Cluster, Pod, Toleration};

use super::{Hosts, MachinePair, Place, Scheduler};
use crate::keys::hosts as keys;
use crate::reader::{Node, Section};

pub(super) fn read(file: &Section<'_>, kubernetes: &Node<'_>) -> Option<Vec<MachinePair>> {
    let shared = kubernetes.section()?;
    let text = |key: &str| {
        let text = shared.get(key).and_then(|node| name(&node));
        text.map(str::to_owned)
    };
    let secrets = shared.get("image-pull-secrets");
    let secrets = secrets.and_then(|node| node.list());
    let secrets = secrets.unwrap_or_default();
    let cluster = Cluster {
        context: text("context"),
        namespace: text("namespace"),
        image_pull_secrets: secrets.iter().filter_map(name).map(str::to_owned).collect(),
        service_account: text("service-account"),
        host_network: shared.value_or_default("host-network"),
        wait: shared.value_or_default("wait"),
    };
    let server = file.get("server");
    let server = match &server {
        Some(node) => pod(&node.section_of("[server]", keys::POD)?, &shared),
        None => pod(&shared, &shared),
    };
    let generators = file.get("generator").map(|node| node.one_or_more());
    let generators: Option<Vec<Place>> = match generators.as_deref() {
        None | Some([]) => Some(vec![Place::Pod(pod(&shared, &shared)?)]),
        Some(several) => {
            let pods = several.iter().map(|node| {
                let section = node.section_of("[[generator]]", keys::POD)?;
                Some(Place::Pod(pod(&section, &shared)?))
            });
            // Each mistake is noted, not only the first.
            pods.collect::<Vec<_>>().into_iter().collect()
        }
    };
    let hosts = Hosts {
        server: Place::Pod(server?),
        address: None,
        generators: generators?,
        scheduler: Some(Scheduler::Kubernetes(cluster)),
    };
    let pairs: u32 = shared.value_or_default("pairs");
    let name = |number: u32| match pairs {
        1 => String::new(),
        _ => format!("pair-{number}"),
    };
    let pair = |number| MachinePair {
        name: name(number),
        hosts: hosts.clone(),
    };
    Some((1..=pairs).map(pair).collect())
}

/// What one pod asks for: by itself, else for all.
fn pod(own: &Section<'_>, shared: &Section<'_>) -> Option<Pod> {
    let get = |key: &str| own.get(key).or_else(|| shared.get(key));
    let need = |key: &str| get(key).or_else(|| own.need(key));
    let image = need("image").and_then(|node| name(&node));
    let cpus = need("cpus").and_then(|node| node.value());
    let memory = need("memory").and_then(|node| memory(&node));
    let selector = get("node-selector");
    let selector = selector.map(|node| node.entries());
    let mut labels = BTreeMap::new();
    for entry in selector.unwrap_or_default() {
        let value = entry.node.any_text()?;
        labels.insert(entry.node.name().to_owned(), value.to_owned());
    }
    let tolerations = get("tolerations");
    let tolerations = tolerations.and_then(|node| node.list());
    let tolerations = tolerations.unwrap_or_default();
    Some(Pod {
        image: image?.to_owned(),
        cpus: cpus?,
        memory: memory?.to_owned(),
        node_selector: labels,
        tolerations: tolerations.iter().filter_map(toleration).collect(),
    })
}

/// A name that `kubectl` would not take for an option.
fn name<'d>(node: &Node<'d>) -> Option<&'d str> {
    let fits = |text: &str| !text.starts_with('-') && !text.contains(char::is_whitespace);
    node.text_that(fits, "a name as `kubectl` takes it, without spaces")
}

/// An amount of memory as Kubernetes writes it.
fn memory<'d>(node: &Node<'d>) -> Option<&'d str> {
    let fits = |text: &str| {
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let units = ["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"];
        number.bytes().any(|digit| digit != b'0') && units.contains(&unit)
    };
    let allowed = "an amount as Kubernetes writes it, such as \"512Mi\" or \"2Gi\"";
    node.text_that(fits, allowed)
}

fn toleration(node: &Node<'_>) -> Option<Toleration> {
    let text = node.text()?;
    let allowed = "a taint as `kubectl taint` writes it, such as \"dedicated=bench:NoSchedule\"";
    Toleration::parse(text).or_else(|| node.refuse(format_args!("{text:?}"), allowed))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use photofinish_model::samples::assert_contains;

    use super::super::read_pairs;
    use super::super::tests::{read_hosts, says};
    use super::*;

    const SHARED: &str = "[kubernetes]\nimage = \"a:1\"\ncpus = 2\nmemory = \"2Gi\"\n";

    fn common() -> Pod {
        Pod {
            image: "a:1".to_owned(),
            cpus: 2,
            memory: "2Gi".to_owned(),
            node_selector: BTreeMap::new(),
            tolerations: Vec::new(),
        }
    }

    #[test]
    fn one_section_is_enough() {
        let hosts = read_hosts("hosts.toml", SHARED).expect("hosts");
        assert_eq!(hosts.server, Place::Pod(common()));
        assert_eq!(hosts.generators, [Place::Pod(common())]);
        let cluster = Cluster {
            context: None,
            namespace: None,
            image_pull_secrets: Vec::new(),
            service_account: None,
            host_network: false,
            wait: Duration::from_secs(120),
        };
        assert_eq!(hosts.scheduler, Some(Scheduler::Kubernetes(cluster)));
    }

    #[test]
    fn there_may_be_several_pairs_of_pods() {
        let text = format!("{SHARED}pairs = 3\n[[generator]]\n[[generator]]\n");
        let pairs = read_pairs("hosts.toml", &text).expect("pairs");
        let names: Vec<&str> = pairs.iter().map(|pair| pair.name.as_str()).collect();
        assert_eq!(names, ["pair-1", "pair-2", "pair-3"]);
        for pair in &pairs {
            assert_eq!(pair.hosts, pairs[0].hosts);
            assert_eq!(pair.hosts.generators.len(), 2);
        }
        assert_contains(&says(&format!("{SHARED}pairs = 0\n")), "`pairs` cannot be");
        assert_contains(&says(&format!("{SHARED}pairs = 33\n")), "`pairs` cannot be");
    }

    #[test]
    fn each_pod_may_ask_for_something_else() {
        let text = format!(
            "{SHARED}context = \"lab\"\nnamespace = \"race\"\nimage-pull-secrets = [\"key\"]\nservice-account = \"racer\"\nhost-network = true\n\
             wait = \"5s\"\ntolerations = [\"dedicated=bench:NoSchedule\"]\n[server]\nimage = \"jdk:25\"\ncpus = 8\n\
             node-selector = {{ \"kubernetes.io/arch\" = \"amd64\" }}\n[[generator]]\n[[generator]]\nmemory = \"512Mi\"\ntolerations = []\n"
        );
        let hosts = read_hosts("hosts.toml", &text).expect("hosts");
        let Some(Scheduler::Kubernetes(cluster)) = hosts.scheduler else {
            panic!("{:?}", hosts.scheduler)
        };
        assert_eq!(cluster.context.as_deref(), Some("lab"));
        assert_eq!(cluster.namespace.as_deref(), Some("race"));
        assert_eq!(cluster.image_pull_secrets, ["key"]);
        assert_eq!(cluster.service_account.as_deref(), Some("racer"));
        assert!(cluster.host_network);
        assert_eq!(cluster.wait, Duration::from_secs(5));
        let tolerations: Vec<Toleration> = Toleration::parse("dedicated=bench:NoSchedule")
            .into_iter()
            .collect();
        let server = Pod {
            image: "jdk:25".to_owned(),
            cpus: 8,
            node_selector: [("kubernetes.io/arch".to_owned(), "amd64".to_owned())].into(),
            tolerations: tolerations.clone(),
            ..common()
        };
        assert_eq!(hosts.server, Place::Pod(server));
        let first = Pod {
            tolerations,
            ..common()
        };
        let second = Pod {
            memory: "512Mi".to_owned(),
            ..common()
        };
        // Two that are alike are two pods all the same.
        assert_eq!(hosts.generators, [Place::Pod(first), Place::Pod(second)]);
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        let no_image = says("[kubernetes]\ncpus = 1\nmemory = \"1Gi\"\n");
        assert!(no_image.contains("has no `image`"), "{no_image}");
        let ssh = says(&format!("{SHARED}[server]\nssh = \"me@a\"\n"));
        assert!(ssh.contains("unknown key `ssh`"), "{ssh}");
        let memory = says(&SHARED.replace("2Gi", "2 GB"));
        assert!(memory.contains("`memory` cannot be"), "{memory}");
        assert_contains(&says(&SHARED.replace("2Gi", "0")), "`memory` cannot be");
        assert_contains(&says(&SHARED.replace("cpus = 2", "cpus = 1.5")), "`cpus`");
        let option = says(&format!("{SHARED}context = \"--kubeconfig=x\"\n"));
        assert!(option.contains("`context` cannot be"), "{option}");
        let taint = says(&format!("{SHARED}tolerations = [\"a:Sometimes\"]\n"));
        assert!(taint.contains("`tolerations` cannot be"), "{taint}");
    }
}
