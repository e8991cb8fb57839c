//! `--on hosts.toml`: which machines servers and load generators run on.

mod nodes;
mod pairs;
mod pods;

use std::net::IpAddr;
use std::path::Path;

use photofinish_model::kubernetes::{Cluster, Pod};
use photofinish_model::slurm;

use crate::error::Error;
use crate::find::{finish, read_text};
use crate::keys::hosts as keys;
use crate::reader::{Document, Node, Section};
use crate::shown::shown;

/// A pair of machines: one for the servers, one or more for the load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachinePair {
    /// Its name, which is a folder's name too; empty for the only pair.
    pub name: String,
    /// Its machines.
    pub hosts: Hosts,
}

/// Where servers and load generators run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// Where servers run.
    pub server: Place,
    /// The address at which the load generator reaches them; `None` = the one that SSH came to, or this machine's loopback.
    pub address: Option<IpAddr>,
    /// Where load comes from: one machine at least.
    pub generators: Vec<Place>,
    /// What gives them out; `None` = they are there already.
    pub scheduler: Option<Scheduler>,
}

/// What gives machines out, all of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// They are pods of this cluster.
    Kubernetes(Cluster),
    /// They are nodes of this job.
    Slurm(slurm::Job),
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// This one.
    Here,
    /// One that the user's OpenSSH reaches.
    Ssh {
        /// `user@host`, or a name of the user's configuration.
        name: String,
        /// Further arguments to `ssh`.
        options: Vec<String>,
    },
    /// A pod of its own in a Kubernetes cluster.
    Pod(Pod),
    /// A node of its own of a Slurm job.
    Node(slurm::Node),
}

/// Reads a file of hosts: its pairs of machines, which is one without `[[pair]]` and `pairs`.
///
/// # Errors
/// Where it cannot be read, and for every mistake in it.
pub fn load_hosts(path: &Path) -> Result<Vec<MachinePair>, Error> {
    let text = read_text(path)?;
    read_pairs(&shown(path), &text)
}

fn read_pairs(name: &str, text: &str) -> Result<Vec<MachinePair>, Error> {
    let doc = Document::new(name, text);
    let pairs = read(&doc);
    finish(doc, pairs)
}

fn read(doc: &Document) -> Option<Vec<MachinePair>> {
    let table = doc.parse()?;
    let file = Section::new(
        doc,
        table.get_ref(),
        0..0,
        "a file of hosts",
        (keys::HOSTS, &[]),
    );
    if let Some(pairs) = file.get("pair") {
        return pairs::read(&file, &pairs);
    }
    let hosts = match (file.get("kubernetes"), file.get("slurm")) {
        (Some(_), Some(slurm)) => {
            slurm.note(
                "[kubernetes] and [slurm] are two answers to where machines come from",
                "state one of them",
            );
            return None;
        }
        (Some(kubernetes), None) => return pods::read(&file, &kubernetes),
        (None, Some(slurm)) => nodes::read(&file, &slurm),
        (None, None) => read_one(&file),
    };
    let name = String::new();
    Some(vec![MachinePair {
        name,
        hosts: hosts?,
    }])
}

/// Reads the machines of one pair.
fn read_one(file: &Section<'_>) -> Option<Hosts> {
    let server = file.need("server")?;
    let server = server.section_of("[server]", keys::SSH_SERVER)?;
    let place = read_place(&server);
    let address = server.get("address").and_then(|node| read_address(&node));
    let generators = file.need("generator")?;
    let generators = generators.one_or_more();
    if generators.is_empty() {
        file.note(
            "there is no [[generator]]",
            "name one machine at least that load comes from",
        );
    }
    let mut places = Vec::new();
    for generator in &generators {
        let section = generator.section_of("[[generator]]", keys::SSH_GENERATOR)?;
        let place = read_place(&section)?;
        if places.contains(&place) {
            section.note(
                "this machine is a [[generator]] already",
                "name each machine once: a generator uses all of its machine's cores by itself",
            );
        }
        places.push(place);
    }
    let place = place?;
    let apart = places.iter().any(|generator| *generator != Place::Here);
    if place == Place::Here && apart && address.is_none() {
        server.note(
            "[server] is this machine and [[generator]] is another one, which must know where to send load",
            "state the address at which this machine is reached from there, such as address = \"10.0.0.1\"",
        );
    }
    Some(Hosts {
        server: place,
        address,
        generators: places,
        scheduler: None,
    })
}

fn read_place(section: &Section<'_>) -> Option<Place> {
    let is_local: bool = section.value_or_default("local");
    let options = section.get("ssh-options");
    match (section.get("ssh"), is_local) {
        (Some(_), true) => {
            section.note(
                "`ssh` and `local = true` contradict each other",
                "state one of them",
            );
            None
        }
        (Some(node), false) => {
            // `ssh` would take it for an option.
            let fits = |name: &str| !name.starts_with('-') && !name.contains(char::is_whitespace);
            let name = node.text_that(fits, "user@host, or a name of your SSH configuration")?;
            let options = options.and_then(|node| node.list()).unwrap_or_default();
            let options = options.iter().filter_map(Node::any_text);
            Some(Place::Ssh {
                name: name.to_owned(),
                options: options.map(str::to_owned).collect(),
            })
        }
        (None, true) => Some(Place::Here),
        (None, false) => {
            section.note(
                "it names no machine",
                "ssh = \"user@host\", or local = true",
            );
            None
        }
    }
}

fn read_address(node: &Node<'_>) -> Option<IpAddr> {
    let text = node.text()?;
    let allowed = "an IP address of the servers' machine, such as \"10.0.0.1\"";
    let address = text.parse().ok();
    address.or_else(|| node.refuse(format_args!("{text:?}"), allowed))
}

#[cfg(test)]
mod docs;
#[cfg(test)]
mod tests {
    use photofinish_model::samples::assert_contains;

    use super::*;

    /// Reads a file with one pair.
    pub(super) fn read_hosts(name: &str, text: &str) -> Result<Hosts, Error> {
        let mut pairs = read_pairs(name, text)?;
        assert_eq!(pairs.len(), 1);
        Ok(pairs.remove(0).hosts)
    }

    pub(super) fn says(text: &str) -> String {
        let error = read_pairs("hosts.toml", text).expect_err("a mistake");
        error.in_full()
    }

    #[test]
    fn machines_are_read() {
        let text = "[server]\nssh = \"me@a\"\nssh-options = [\"-p\", \"2222\"]\naddress = \"10.0.0.1\"\n[[generator]]\nlocal = true\n";
        let hosts = Hosts {
            server: Place::Ssh {
                name: "me@a".to_owned(),
                options: vec!["-p".to_owned(), "2222".to_owned()],
            },
            address: "10.0.0.1".parse().ok(),
            generators: vec![Place::Here],
            scheduler: None,
        };
        assert_eq!(read_hosts("hosts.toml", text).expect("hosts"), hosts);
    }

    #[test]
    fn there_may_be_several_generators() {
        let text = "[server]\nssh = \"a\"\n[[generator]]\nssh = \"b\"\n[[generator]]\nssh = \"c\"\n[[generator]]\nlocal = true\n";
        let ssh = |name: &str| Place::Ssh {
            name: name.to_owned(),
            options: Vec::new(),
        };
        let hosts = read_hosts("hosts.toml", text).expect("hosts");
        assert_eq!(hosts.generators, [ssh("b"), ssh("c"), Place::Here]);
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        let generator = "[[generator]]\nlocal = true\n";
        assert!(says("[server]\nlocal = true").contains("`generator`"));
        assert!(says(&format!("[server]\n{generator}")).contains("names no machine"));
        let both = says(&format!("[server]\nssh = \"a\"\nlocal = true\n{generator}"));
        assert!(both.contains("contradict"), "{both}");
        let option = says(&format!(
            "[server]\nssh = \"-oProxyCommand=x\"\n{generator}"
        ));
        assert!(option.contains("`ssh` cannot be"), "{option}");
        let address = says(&format!(
            "[server]\nssh = \"a\"\naddress = \"b\"\n{generator}"
        ));
        assert!(address.contains("`address` cannot be"), "{address}");
        let twice = says(&format!("[server]\nssh = \"a\"\n{generator}{generator}"));
        assert!(twice.contains("a [[generator]] already"), "{twice}");
        let none = says("generator = []\n[server]\nssh = \"a\"\n");
        assert!(none.contains("generator"), "{none}");
        let unknown = says("[server]\nlocal = true\n[[generator]]\nssh = \"a\"\n");
        assert_contains(&unknown, "must know where to send load");
        assert!(
            says(&format!("[service]\n[server]\nssh = \"a\"\n{generator}")).contains("`service`")
        );
    }
}
