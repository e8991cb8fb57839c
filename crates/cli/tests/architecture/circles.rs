//! Within a crate, no files use one another in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::modules::{Edge, Modules};

/// Which files each file uses.
struct Uses<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> Uses<'a> {
    fn of(edges: &'a BTreeMap<Edge, String>) -> Self {
        let mut uses: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for [user, used] in edges.keys() {
            uses.entry(user).or_default().push(used);
        }
        Uses(uses)
    }

    /// Whether a file uses another, directly or through others.
    fn reaches(&self, from: &str, to: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            for used in self.0.get(at).into_iter().flatten() {
                if *used == to {
                    return true;
                }
                if seen.insert(*used) {
                    open.push(used);
                }
            }
        }
        false
    }
}

/// The edges that are part of a circle.
fn in_circles(edges: &BTreeMap<Edge, String>) -> Vec<String> {
    let uses = Uses::of(edges);
    let closing = edges
        .iter()
        .filter(|([user, used], _)| uses.reaches(used, user));
    let lines = closing.map(|([user, used], path)| format!("{user} uses {used} ({path})"));
    lines.collect()
}

#[test]
fn no_files_of_a_crate_use_one_another_in_a_circle() {
    let mut mistakes = Vec::new();
    for folder in fs::read_dir(super::root().join("crates")).expect("a folder") {
        let folder = folder.expect("a folder").path();
        let name = folder.file_name().expect("a name").to_string_lossy();
        let edges = Modules::read(&folder.join("src")).edges();
        let circles = in_circles(&edges);
        mistakes.extend(
            circles
                .into_iter()
                .map(|edge| format!("{name}: in a circle, {edge}")),
        );
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// The edges of a crate with these files.
fn edges_of(files: &[(&str, &str)]) -> BTreeMap<Edge, String> {
    let source = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let file = source.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(Path::new(""))).expect("a folder");
        fs::write(file, text).expect("a file");
    }
    Modules::read(source.path()).edges()
}

#[test]
fn a_circle_is_found_through_names_that_are_passed_on_and_in_macros() {
    let edges = edges_of(&[
        (
            "lib.rs",
            "mod a; mod b; mod c; pub use b::B; pub use c::make;",
        ),
        (
            "a.rs",
            "use crate::{B, make}; fn f(b: B) { vec![make(b)]; }",
        ),
        (
            "b.rs",
            "pub struct B; pub fn f() { println!(\"{}\", crate::c::NUMBER) }",
        ),
        (
            "c.rs",
            "pub const NUMBER: u8 = 1; pub fn make(_: u8) { use crate::{a::f}; f() }",
        ),
    ]);
    assert_eq!(
        in_circles(&edges),
        [
            "a.rs uses b.rs (crate::B)",
            "a.rs uses c.rs (crate::make)",
            "b.rs uses c.rs (crate::c::NUMBER)",
            "c.rs uses a.rs (crate::a::f)",
        ]
    );
}

#[test]
fn a_file_and_those_in_its_folder_are_no_circle_and_neither_are_tests() {
    let edges = edges_of(&[
        ("lib.rs", "mod a; mod b; fn f() { a::f() }"),
        (
            "a.rs",
            "mod part; pub struct A; pub fn f() { part::f(A) } #[cfg(test)] mod tests;",
        ),
        (
            "a/part.rs",
            "use super::A; pub fn f(_: A) { crate::b::f() }",
        ),
        ("a/tests.rs", "use crate::b::f;"),
        (
            "b.rs",
            "pub fn f() {} #[cfg(test)] mod tests { use crate::a::f; }",
        ),
    ]);
    assert_eq!(in_circles(&edges), [] as [String; 0]);
    let edge = ["a/part.rs", "b.rs"].map(str::to_owned);
    assert!(edges.contains_key(&edge), "{edges:?}");
}
