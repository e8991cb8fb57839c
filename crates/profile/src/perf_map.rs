//! Names of code that was compiled at run time, from the file that its process writes: `/tmp/perf-PID.map`, a line for each function,
//! `START SIZE NAME`, both numbers hexadecimal.
//!
//! Anybody may leave something else by that name in `/tmp`: a pipe, which to open would wait for a writer, a link, a file without end.
//! So it is read here, and only if it is a file of the process's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// A larger one is not read.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// No more of a line is read at once.
const MAX_NAME_BYTES: u64 = 64 << 10;

/// The names that a process's map has for addresses; none where there is no map that may be read.
pub(crate) fn names(pid: u32, addresses: &BTreeSet<u64>) -> BTreeMap<u64, String> {
    let map = (!addresses.is_empty()).then(|| open(pid)).flatten();
    map.map_or_else(BTreeMap::new, |map| {
        read(BufReader::new(map.take(MAX_FILE_BYTES)), addresses)
    })
}

/// A process's map, where it is a file of the user whom the process runs as, or of root's.
fn open(pid: u32) -> Option<File> {
    let status = fs::read(format!("/proc/{pid}/status")).ok()?;
    let (own, users) = identity(&String::from_utf8_lossy(&status))?;
    // By its own number and in its own `/tmp`, which in a container are others.
    let path = format!("/proc/{pid}/root/tmp/perf-{own}.map");
    let may = |found: &Metadata| {
        let owner = found.uid();
        found.is_file() && found.len() <= MAX_FILE_BYTES && (owner == 0 || users.contains(&owner))
    };
    // Before: to open a device may do something.
    fs::symlink_metadata(&path).ok().filter(may)?;
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let mut options = OpenOptions::new();
    let map = options.read(true).custom_flags(flags).open(path).ok()?;
    // After: it may have become something else.
    map.metadata().ok().filter(may)?;
    Some(map)
}

/// From `/proc/PID/status`: the number that the process knows itself by, and the users whom it runs as.
fn identity(status: &str) -> Option<(u32, Vec<u32>)> {
    let numbers = |name: &str| -> Option<Vec<u32>> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let numbers = line.split_ascii_whitespace();
        numbers.map(|number| number.parse().ok()).collect()
    };
    // A kernel without namespaces does not say the first.
    let own = numbers("NStgid:").or_else(|| numbers("Tgid:"))?;
    Some((*own.last()?, numbers("Uid:")?))
}

/// Of code that lay where other code had lain the last line counts.
fn read(mut map: impl BufRead, addresses: &BTreeSet<u64>) -> BTreeMap<u64, String> {
    let mut names = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut map).take(MAX_NAME_BYTES).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return names,
        }
        let text = String::from_utf8_lossy(&line);
        let Some((from, to, name)) = function(text.trim_end()) else {
            continue;
        };
        for address in addresses.range(from..to) {
            names.insert(*address, name.to_owned());
        }
    }
}

fn function(line: &str) -> Option<(u64, u64, &str)> {
    let (from, rest) = line.split_once(' ')?;
    let (size, name) = rest.split_once(' ')?;
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let from = number(from)?;
    Some((from, from.checked_add(number(size)?)?, name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_function_has_its_addresses_and_the_last_line_counts() {
        let map = "\
7000 10 LazyCompile:~old one /srv/app.js:1
no line at all
ffffffffffffffff ff beyond
0x7010 0x8 next
7000 8 new";
        let asked = BTreeSet::from([0x6fff, 0x7000, 0x7007, 0x7008, 0x7017, 0x7018]);
        let names = read(map.as_bytes(), &asked);
        let found: Vec<(u64, &str)> = names.iter().map(|(at, name)| (*at, &**name)).collect();
        let old = "LazyCompile:~old one /srv/app.js:1";
        let expected = [
            (0x7000, "new"),
            (0x7007, "new"),
            (0x7008, old),
            (0x7017, "next"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_process_is_known_by_its_innermost_number() {
        let status = "Name:\tcat\nTgid:\t1337\nUid:\t5\t6\t7\t8\nNStgid:\t1337\t12\t1\n";
        assert_eq!(identity(status), Some((1, vec![5, 6, 7, 8])));
        let old = status.replace("NStgid", "X");
        assert_eq!(identity(&old).map(|(own, _)| own), Some(1337));
        assert_eq!(identity("Name:\tcat\n"), None);
    }

    /// A process that waits for its input to end, with whatever is planted as its map.
    struct Planted {
        process: Child,
        path: PathBuf,
    }

    impl Planted {
        fn new(plant: impl FnOnce(&Path)) -> Planted {
            let mut cat = Command::new("cat");
            let process = cat.stdin(Stdio::piped()).spawn().expect("cat");
            let path = PathBuf::from(format!("/tmp/perf-{}.map", process.id()));
            let _ = fs::remove_file(&path);
            plant(&path);
            Planted { process, path }
        }

        /// The name of the planted function, looked up beside: it must not wait for anything.
        fn name(&self) -> Option<String> {
            let (pid, (found, name)) = (self.process.id(), mpsc::channel());
            std::thread::spawn(move || {
                let _ = found.send(names(pid, &BTreeSet::from([0x7004])));
            });
            let looked_up = name.recv_timeout(Duration::from_secs(60));
            looked_up.expect("it does not hang").remove(&0x7004)
        }
    }

    impl Drop for Planted {
        fn drop(&mut self) {
            let _ = self.process.kill();
            let _ = self.process.wait();
            let _ = fs::remove_file(&self.path);
        }
    }

    const MAP: &str = "7000 10 planted\n";

    #[test]
    fn a_file_of_the_process_s_own_is_read() {
        let planted = Planted::new(|path| fs::write(path, MAP).expect("a map"));
        assert_eq!(planted.name().as_deref(), Some("planted"));
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let planted = Planted::new(|path| {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        });
        assert_eq!(planted.name(), None);
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = folder.path().join("map");
        fs::write(&elsewhere, MAP).expect("a map");
        let planted = Planted::new(|path| symlink(&elsewhere, path).expect("a link"));
        assert_eq!(planted.name(), None);
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let planted = Planted::new(|path| {
            fs::write(path, MAP).expect("a map");
            let file = OpenOptions::new().write(true).open(path);
            // A hole, which takes no room.
            file.and_then(|file| file.set_len(MAX_FILE_BYTES + 1))
                .expect("it grows");
        });
        assert_eq!(planted.name(), None);
    }
}
