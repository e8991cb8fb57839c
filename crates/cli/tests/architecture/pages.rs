//! Links between pages lead to files and headings that exist, so do names of pages in code, and the pages are short.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the files of a folder with this extension, those below it included.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, extension, found),
            false if path.extension().is_some_and(|it| it == extension) => found.push(path),
            false => {}
        }
    }
}

/// Returns the pages in the repository's folder, `docs` and `notes`.
fn pages() -> Vec<PathBuf> {
    let root = crate::root();
    let mut found = Vec::new();
    for folder in ["docs", "notes"] {
        files(&root.join(folder), "md", &mut found);
    }
    let top = fs::read_dir(&root).expect("a folder").flatten();
    let is_page = |path: &PathBuf| path.extension().is_some_and(|it| it == "md");
    found.extend(top.map(|entry| entry.path()).filter(is_page));
    found
}

/// Returns the lines of a page outside its blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Returns the anchor of a heading, by GitHub's rule.
fn anchor(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading.trim();
    // Of a link, its text.
    while let Some((before, link)) = rest.split_once("](") {
        text += before;
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    text += rest;
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// Returns where the links of a page lead.
fn links(text: &str) -> Vec<String> {
    let prose: Vec<&str> = prose(text).collect();
    let prose = prose.join("\n");
    let links = prose.split("](").skip(1);
    links
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// Returns a path without its `..`, relative to the repository.
fn within(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if whole.file_name().is_some() => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut found = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("text");
        let folder = page.parent().expect("a folder");
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let file = match file {
                "" => page.clone(),
                file => within(&folder.join(file)),
            };
            assert!(file.exists(), "{}: {link} leads to no file", page.display());
            if !heading.is_empty() {
                let to = fs::read_to_string(&file).expect("text");
                assert!(
                    anchors(&to).contains(heading),
                    "{}: {link} leads to no heading",
                    page.display()
                );
            }
            found += 1;
        }
    }
    assert!(found > 150, "only {found} links were found");
}

#[test]
fn every_page_that_code_names_exists() {
    let root = crate::root();
    let mut sources = Vec::new();
    files(&root.join("crates"), "rs", &mut sources);
    let mut found = 0;
    for source in sources {
        let text = fs::read_to_string(&source).expect("text");
        for folder in ["docs/", "notes/"] {
            for (at, _) in text.match_indices(folder) {
                let name = text[at..].split(".md").next().unwrap_or_default();
                let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-');
                if name.len() == text[at..].len() || !name.chars().all(is_name) {
                    continue;
                }
                let page = root.join(format!("{name}.md"));
                assert!(page.exists(), "{}: {name}.md", source.display());
                found += 1;
            }
        }
    }
    assert!(found > 15, "only {found} pages were found");
}

/// Pages that are made from code or from stored results, and pages for contributors.
const NOT_FOR_USERS: [&str; 6] = [
    "architecture.md",
    "commands.md",
    "releasing.md",
    "studies.md",
    "study-files.md",
    "target-files.md",
];

#[test]
fn users_need_not_read_more_than_this() {
    let words = |page: &Path| {
        let text = fs::read_to_string(page).expect("text");
        text.split_whitespace().count()
    };
    let root = crate::root();
    let readme = words(&root.join("README.md"));
    assert!(readme <= 900, "README.md has {readme} words");
    let changes = fs::read_to_string(root.join("CHANGELOG.md")).expect("text");
    for entry in changes.split("\n## ").skip(1) {
        let count = entry.split_whitespace().count();
        assert!(count <= 400, "an entry of CHANGELOG.md has {count} words");
    }
    let mut docs = Vec::new();
    files(&root.join("docs"), "md", &mut docs);
    let is_for_users = |page: &&PathBuf| {
        let name = page.file_name().expect("a name").to_string_lossy();
        !NOT_FOR_USERS.contains(&&*name)
    };
    let all: usize = docs
        .iter()
        .filter(is_for_users)
        .map(|page| words(page))
        .sum();
    assert!(all <= 30_000, "the pages for users have {all} words");
}

/// The first block of a README: a run with its ending.
fn example(page: &str) -> String {
    let text = fs::read_to_string(crate::root().join(page)).expect("text");
    let (_, rest) = text.split_once("```console\n").expect("a block");
    let (block, _) = rest.split_once("```").expect("the end of the block");
    block.to_owned()
}

#[test]
fn the_readme_s_example_can_be_quoted_and_is_the_same_in_both_languages() {
    let block = example("README.md");
    let trust = block.lines().find(|line| line.starts_with("  trust "));
    let trust = trust.expect("a grade of trust");
    assert!(
        trust.contains("quotable: ") && !trust.contains("not quotable"),
        "{trust}"
    );
    assert_eq!(example("README.zh-CN.md"), block);
}

#[test]
fn anchors_are_made_as_github_makes_them() {
    assert_eq!(anchor(" `[service.NAME]`"), "servicename");
    assert_eq!(anchor(" Little's law: a = b × c"), "littles-law-a--b--c");
    assert_eq!(anchor(" See [the rules](rules.md#first)"), "see-the-rules");
}
