//! `[[pair]]` in a file of hosts: several pairs of machines.

use super::{Hosts, MachinePair, Place, read_one};
use crate::keys::hosts as keys;
use crate::reader::{Node, Section};

/// The longest name of a pair, in characters.
const LONGEST_NAME: usize = 64;

/// Reads several pairs of machines; no machine is in two of them.
pub(super) fn read(file: &Section<'_>, pairs: &Node<'_>) -> Option<Vec<MachinePair>> {
    let others = ["server", "generator", "kubernetes", "slurm"];
    let mut others = others.into_iter().filter_map(|key| file.get(key));
    if let Some(other) = others.next() {
        other.note(
            format!("[[pair]] and `{}` are two answers to where servers and load run", other.name()),
            "state the machines of each pair in its [[pair]]: server = { ssh = \"user@a\" } and generator = { ssh = \"user@b\" }",
        );
        return None;
    }
    let mut all: Vec<MachinePair> = Vec::new();
    for node in pairs.one_or_more() {
        let section = node.section_of("[[pair]]", keys::PAIR)?;
        let hosts = read_one(&section)?;
        let name = match section.get("name") {
            Some(node) => pair_name(&node)?,
            None => name_of(&hosts.server),
        };
        let known = |place: &Place| all.iter().any(|pair| pair.hosts.has(place));
        if known(&hosts.server) || hosts.generators.iter().any(known) {
            section.note(
                "a machine of this [[pair]] is in another [[pair]] already",
                "give each pair machines of its own: rounds of both run at once",
            );
        }
        if all.iter().any(|pair| pair.name == name) {
            section.note(
                format!("there is a [[pair]] called {name:?} already"),
                "give each pair a name of its own: name = \"rack-2\"",
            );
        }
        all.push(MachinePair { name, hosts });
    }
    if all.is_empty() {
        pairs.note("there is no [[pair]]", "name the machines of one at least");
    }
    Some(all)
}

/// The name of a pair: it is a folder's name too.
fn pair_name(node: &Node<'_>) -> Option<String> {
    let fits = |name: &str| {
        name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(fits_a_folder)
    };
    let allowed = "letters, digits and @ . _ -, such as \"rack-1\"";
    node.text_that(fits, allowed).map(str::to_owned)
}

/// The name of a pair that states none: what the user calls its servers' machine.
fn name_of(server: &Place) -> String {
    let name = match server {
        Place::Ssh { name, .. } => name.as_str(),
        Place::Here | Place::Pod(_) | Place::Node(_) => "this-machine",
    };
    let name = name.trim_start_matches('.').chars().take(LONGEST_NAME);
    name.map(|c| if fits_a_folder(c) { c } else { '_' })
        .collect()
}

fn fits_a_folder(c: char) -> bool {
    c.is_ascii_alphanumeric() || "@._-".contains(c)
}

impl Hosts {
    /// Whether a machine is one of these.
    fn has(&self, place: &Place) -> bool {
        self.server == *place || self.generators.contains(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_pairs;
    use super::super::tests::says;
    use super::*;

    #[test]
    fn there_may_be_several_pairs() {
        let text = "[[pair]]\nserver = { ssh = \"me@a\" }\ngenerator = { ssh = \"b\" }\n\
             [[pair]]\nname = \"rack-2\"\nserver = { ssh = \"c\", address = \"10.0.0.3\" }\n\
             generator = [{ ssh = \"d\" }, { local = true }]\n";
        let pairs = read_pairs("hosts.toml", text).expect("pairs");
        let ssh = |name: &str| Place::Ssh {
            name: name.to_owned(),
            options: Vec::new(),
        };
        let names: Vec<&str> = pairs.iter().map(|pair| pair.name.as_str()).collect();
        assert_eq!(names, ["me@a", "rack-2"]);
        assert_eq!(pairs[0].hosts.server, ssh("me@a"));
        assert_eq!(pairs[0].hosts.generators, [ssh("b")]);
        assert_eq!(pairs[1].hosts.address, "10.0.0.3".parse().ok());
        assert_eq!(pairs[1].hosts.generators, [ssh("d"), Place::Here]);
    }

    #[test]
    fn mistakes_in_pairs_are_named() {
        let pair = |name: &str, server: &str, generator: &str| {
            let place = |key: &str, name: &str| format!("{key} = {{ ssh = \"{name}\" }}\n");
            let (server, generator) = (place("server", server), place("generator", generator));
            format!("[[pair]]\n{name}{server}{generator}")
        };
        let both = says(&(pair("", "a", "b") + &pair("", "c", "a")));
        assert!(both.contains("is in another [[pair]] already"), "{both}");
        let twice = pair("name = \"x\"\n", "a", "b") + &pair("name = \"x\"\n", "c", "d");
        assert!(says(&twice).contains("a [[pair]] called \"x\" already"));
        let folder = says(&pair("name = \"../x\"\n", "a", "b"));
        assert!(folder.contains("`name` cannot be \"../x\""), "{folder}");
        let other = says(&format!(
            "server = {{ local = true }}\n{}",
            pair("", "a", "b")
        ));
        assert!(other.contains("two answers"), "{other}");
        let none = says("[[pair]]\nserver = { ssh = \"a\" }\n");
        assert!(none.contains("`generator`"), "{none}");
        assert!(says("pair = []\n").contains("there is no [[pair]]"));
    }
}
