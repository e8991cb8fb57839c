//! Other photofinishes that measure on this machine: each takes cores from what the other measures.

use std::collections::BTreeSet;
use std::path::Path;

use super::processes::{Stat, processes};

/// The program's name.
const PROGRAM: &str = "photofinish";

/// The commands that measure.
const MEASURING_COMMANDS: [&str; 4] = ["run", "compare", "load", "capacity"];

/// A photofinish that measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    /// The process.
    pub pid: u32,
    /// Its command, such as `compare`.
    pub command: String,
}

/// Returns the other photofinishes that measure on this machine, without those that this process descends from.
pub fn rivals() -> Vec<Rival> {
    find(&processes(), std::process::id(), |pid| {
        std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()
    })
}

fn find(all: &[Stat], own: u32, words: impl Fn(u32) -> Vec<u8>) -> Vec<Rival> {
    let mut related = BTreeSet::from([own]);
    let mut next = Some(own);
    while let Some(pid) = next {
        let process = all.iter().find(|process| process.pid == pid);
        next = process.map(|process| process.parent);
        // A circle ends it: a number may have been used again meanwhile.
        next = next.filter(|parent| related.insert(*parent));
    }
    let rival = |process: &Stat| {
        let words = words(process.pid);
        let mut words = words.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let program = words.next()?;
        let is_photofinish = Path::new(&*program).file_name()?.to_str()? == PROGRAM;
        let command = words.find(|word| !word.starts_with('-'))?;
        (is_photofinish && MEASURING_COMMANDS.contains(&&*command)).then(|| Rival {
            pid: process.pid,
            command: command.into_owned(),
        })
    };
    let others = all
        .iter()
        .filter(|process| process.name == PROGRAM && !process.ended());
    let others = others.filter(|process| !related.contains(&process.pid));
    let found: Vec<(u32, Rival)> = others
        .filter_map(|process| Some((process.parent, rival(process)?)))
        .collect();
    // Its keepers and guards have its words.
    let pids: BTreeSet<u32> = found.iter().map(|(_, rival)| rival.pid).collect();
    let first = found
        .into_iter()
        .filter(|(parent, _)| !pids.contains(parent));
    first.map(|(_, rival)| rival).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::stat;

    #[test]
    fn who_measures_and_is_no_relative_is_a_rival() {
        let like = stat(std::process::id()).expect("this process");
        let process = |pid: u32, parent: u32, name: &str| Stat {
            pid,
            parent,
            name: name.to_owned(),
            ..like.clone()
        };
        let all = [
            process(10, 1, "photofinish"),
            process(11, 10, "photofinish"),
            process(20, 1, "photofinish"),
            process(21, 20, "photofinish"),
            process(30, 1, "photofinish"),
            process(40, 1, "vim"),
        ];
        let words = |pid: u32| match pid {
            30 => b"photofinish\0report\0latest\0".to_vec(),
            40 => b"photofinish\0run\0".to_vec(),
            _ => b"/usr/bin/photofinish\0compare\0./a\0".to_vec(),
        };
        let rivals = find(&all, 11, words);
        let expected = Rival {
            pid: 20,
            command: "compare".to_owned(),
        };
        assert_eq!(rivals, [expected]);
    }
}
