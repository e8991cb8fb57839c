//! `docs/machines.md`: its files of hosts are right, and every key is documented.

use std::path::Path;

use super::read_pairs;
use crate::keys::hosts as keys;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/machines.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_file_of_hosts_is_right() {
    let page = page();
    let blocks = page.split("```toml\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    let mut found = 0;
    for block in blocks {
        if let Err(error) = read_pairs("hosts.toml", block) {
            panic!("{}\n{block}", error.in_full());
        }
        found += 1;
    }
    assert!(found >= 3, "only {found} files were found");
}

#[test]
fn every_key_of_a_file_of_hosts_is_documented() {
    let page = page();
    for key in keys::HOSTS {
        let name = key.name;
        let table = [format!("`[{name}]`"), format!("`[[{name}]]`")];
        assert!(table.iter().any(|name| page.contains(name)), "{name}");
    }
    let tables = [
        keys::PAIR,
        keys::SSH_SERVER,
        keys::SSH_GENERATOR,
        keys::CLUSTER,
        keys::POD,
        keys::JOB,
        keys::SLURM_SERVER,
        keys::SLURM_GENERATOR,
    ];
    for key in tables.into_iter().flatten() {
        let name = key.name;
        let alone = [format!("`{name}`"), format!("`{name} = ")];
        assert!(alone.iter().any(|code| page.contains(code)), "{name}");
    }
}
