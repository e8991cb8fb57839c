//! `[slurm]` in a file of hosts: every machine is a node of one job.

use std::net::IpAddr;

use photofinish_model::slurm::{Job, Node};

use super::{Hosts, Place, Scheduler, read_address};
use crate::keys::hosts as keys;
use crate::reader::{Node as Value, Section};

/// What is part of how photofinish asks for its job, and reads what it was given.
const OURS: [&str; 8] = [
    "--nodes",
    "--time",
    "--wrap",
    "--parsable",
    "--array",
    "--requeue",
    "--nodelist",
    "--chdir",
];

pub(super) fn read(file: &Section<'_>, slurm: &Value<'_>) -> Option<Hosts> {
    let shared = slurm.section()?;
    let text = |key: &str| {
        let text = shared.get(key).and_then(|node| name(&node));
        text.map(str::to_owned)
    };
    let options = shared.get("options");
    let options = options.and_then(|node| node.list());
    let options = options.unwrap_or_default();
    let job = Job {
        partition: text("partition"),
        account: text("account"),
        time_limit: shared.value_or_default("time-limit"),
        options: options.iter().filter_map(option).collect(),
        wait: shared.value_or_default("wait"),
    };
    let server = file.get("server");
    let (server, address) = match &server {
        None => (node(&shared, &shared), None),
        Some(value) => {
            let section = value.section_of("[server]", keys::SLURM_SERVER)?;
            let address: Option<IpAddr> =
                section.get("address").and_then(|node| read_address(&node));
            (node(&section, &shared), address)
        }
    };
    let generators = file.get("generator").map(|node| node.one_or_more());
    let mut places = Vec::new();
    let mut names: Vec<Option<String>> = vec![server.name.clone()];
    for value in generators.iter().flatten() {
        let section = value.section_of("[[generator]]", keys::SLURM_GENERATOR)?;
        let node = node(&section, &shared);
        if node.name.is_some() && names.contains(&node.name) {
            section.note(
                "this node is named already",
                "name each node once: servers and each generator have one of their own",
            );
        }
        names.push(node.name.clone());
        places.push(Place::Node(node));
    }
    if places.is_empty() {
        places.push(Place::Node(node(&shared, &shared)));
    }
    Some(Hosts {
        server: Place::Node(server),
        address,
        generators: places,
        scheduler: Some(Scheduler::Slurm(job)),
    })
}

/// What is asked for of one node: by itself, else of all.
fn node(own: &Section<'_>, shared: &Section<'_>) -> Node {
    let cpus = own.get("cpus").or_else(|| shared.get("cpus"));
    Node {
        name: own
            .get("node")
            .and_then(|node| name(&node))
            .map(str::to_owned),
        cpus: cpus.and_then(|node| node.value()),
    }
}

/// A name that Slurm's commands would take neither for an option nor for a list.
fn name<'d>(node: &Value<'d>) -> Option<&'d str> {
    let odd = |c: char| c.is_whitespace() || ",[]".contains(c);
    let fits = |text: &str| !text.starts_with('-') && !text.contains(odd);
    node.text_that(fits, "one name as Slurm has it, without spaces and commas")
}

/// An option of `sbatch`, in one piece.
fn option(node: &Value<'_>) -> Option<String> {
    let allowed = "an option of `sbatch` in one piece, such as \"--qos=high\"";
    let text = node.text_that(|text| text.starts_with('-'), allowed)?;
    let key = text.split('=').next().unwrap_or(text);
    if OURS.contains(&key) {
        node.note(
            format!("an item of `options` cannot be {text:?}: photofinish sets {key} itself"),
            "see docs/machines.md for the keys of [slurm], [server] and [[generator]]",
        );
        return None;
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::tests::{read_hosts, says};
    use super::*;

    #[test]
    fn an_empty_section_is_enough() {
        let hosts = read_hosts("hosts.toml", "[slurm]\n").expect("hosts");
        let any = Place::Node(Node::default());
        assert_eq!((&hosts.server, hosts.address), (&any, None));
        assert_eq!(hosts.generators, [any]);
        let job = Job {
            partition: None,
            account: None,
            time_limit: Duration::from_secs(4 * 3600),
            options: Vec::new(),
            wait: Duration::from_secs(600),
        };
        assert_eq!(hosts.scheduler, Some(Scheduler::Slurm(job)));
    }

    #[test]
    fn each_node_may_be_asked_for_by_name() {
        let text = "[slurm]\npartition = \"race\"\naccount = \"lab\"\ntime-limit = \"30m\"\noptions = [\"--qos=high\", \"--mem=0\"]\n\
                    wait = \"2h\"\ncpus = 4\n[server]\nnode = \"n1\"\naddress = \"10.0.0.1\"\n\
                    [[generator]]\nnode = \"n2\"\ncpus = 2\n[[generator]]\n";
        let hosts = read_hosts("hosts.toml", text).expect("hosts");
        let job = Job {
            partition: Some("race".to_owned()),
            account: Some("lab".to_owned()),
            time_limit: Duration::from_secs(1800),
            options: vec!["--qos=high".to_owned(), "--mem=0".to_owned()],
            wait: Duration::from_secs(7200),
        };
        assert_eq!(hosts.scheduler, Some(Scheduler::Slurm(job)));
        let node = |name: Option<&str>, cpus| {
            let name = name.map(str::to_owned);
            Place::Node(Node {
                name,
                cpus: Some(cpus),
            })
        };
        assert_eq!(hosts.server, node(Some("n1"), 4));
        assert_eq!(hosts.address, "10.0.0.1".parse().ok());
        assert_eq!(hosts.generators, [node(Some("n2"), 2), node(None, 4)]);
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        let list = says("[slurm]\npartition = \"a,b\"\n");
        assert!(list.contains("`partition` cannot be"), "{list}");
        let option = says("[slurm]\noptions = [\"qos=high\"]\n");
        assert!(option.contains("`options` cannot be"), "{option}");
        let ours = says("[slurm]\noptions = [\"--nodes=3\"]\n");
        assert!(ours.contains("photofinish sets --nodes itself"), "{ours}");
        let twice = says("[slurm]\n[server]\nnode = \"n1\"\n[[generator]]\nnode = \"n1\"\n");
        assert!(twice.contains("named already"), "{twice}");
        let ssh = says("[slurm]\n[server]\nssh = \"me@a\"\n");
        assert!(ssh.contains("unknown key `ssh`"), "{ssh}");
        let short = says("[slurm]\ntime-limit = \"5s\"\n");
        assert!(short.contains("`time-limit`"), "{short}");
        let both = says("[slurm]\n[kubernetes]\nimage = \"a\"\ncpus = 1\nmemory = \"1Gi\"\n");
        assert!(both.contains("[kubernetes] and [slurm]"), "{both}");
    }
}
