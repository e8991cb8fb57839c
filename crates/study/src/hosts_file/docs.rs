//! `docs/machines.md`: its files of hosts are right, and every key is documented.

use std::path::Path;

use super::{GENERATOR_KEYS, HOSTS_KEYS, SERVER_KEYS, nodes, pods, read_hosts};

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
        if let Err(error) = read_hosts("hosts.toml", block) {
            panic!("{}\n{block}", error.in_full());
        }
        found += 1;
    }
    assert!(found >= 3, "only {found} files were found");
}

#[test]
fn every_key_of_a_file_of_hosts_is_documented() {
    let page = page();
    for key in HOSTS_KEYS {
        let table = [format!("`[{key}]`"), format!("`[[{key}]]`")];
        assert!(table.iter().any(|name| page.contains(name)), "{key}");
    }
    let keys = SERVER_KEYS
        .iter()
        .chain(GENERATOR_KEYS)
        .chain(pods::CLUSTER_KEYS)
        .chain(pods::POD_KEYS)
        .chain(nodes::JOB_KEYS)
        .chain(nodes::SERVER_KEYS)
        .chain(nodes::GENERATOR_KEYS);
    for key in keys {
        let alone = [format!("`{key}`"), format!("`{key} = ")];
        assert!(alone.iter().any(|code| page.contains(code)), "{key}");
    }
}
