//! For how long Java virtual machines stalled, as they count it themselves.
//!
//! HotSpot keeps its counters in a file of some 32 kB that it maps, `/tmp/hsperfdata_USER/PID`, from its start on and without being asked
//! (`-XX:-UsePerfData` turns it off). So they can be read at the borders of slices without a word to the machine. The layout is that of
//! `PerfDataPrologue` and `PerfDataEntry` in OpenJDK's `perfMemory.hpp`; a server can write what it likes there, so nothing of it is
//! taken for granted.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::Duration;

use crate::StoodStill;

/// Largest file of HotSpot.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The first bytes of the file, in any byte order.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// Plausible ticks of a counter per second.
const TICKS_PER_SECOND: std::ops::RangeInclusive<i64> = 1_000..=10_000_000_000;

/// The machines of a process tree, those that have ended too.
#[derive(Default)]
pub(crate) struct Machines {
    living: HashMap<u32, Machine>,
    /// What those have that ended, as last seen.
    ended: Option<StoodStill>,
}

/// A process with a just-in-time compiler, and its counters where it is a machine of HotSpot's.
struct Machine {
    counters: Option<Counters>,
    last: StoodStill,
}

impl Machines {
    /// Looks for counters of these processes, each of which compiles while it runs, where that was not done yet.
    pub(crate) fn meet(&mut self, compiling: &BTreeSet<u32>) {
        for &pid in compiling {
            self.living.entry(pid).or_insert_with(|| Machine {
                counters: Counters::of(pid),
                last: StoodStill::default(),
            });
        }
    }

    /// For how long all of them have stalled; `None` if there was never one. `living`: the processes that run.
    pub(crate) fn stood(&mut self, living: &[u32]) -> Option<StoodStill> {
        let ended = &mut self.ended;
        self.living.retain(|pid, machine| {
            let stays = living.contains(pid);
            if !stays && machine.counters.is_some() {
                *ended = Some(ended.unwrap_or_default().plus(machine.last));
            }
            stays
        });
        let living = self.living.values_mut().filter_map(Machine::sample);
        living.fold(*ended, |sum, stood| {
            Some(sum.unwrap_or_default().plus(stood))
        })
    }
}

impl Machine {
    fn sample(&mut self) -> Option<StoodStill> {
        if let Ok(stood) = self.counters.as_ref()?.read() {
            self.last = stood;
        }
        Some(self.last)
    }
}

/// Where a machine's counters are.
struct Counters {
    file: File,
    ticks_per_s: i64,
    /// Where each collector counts its pauses.
    collectors: Vec<u64>,
    safepoints: u64,
}

impl Counters {
    /// Those of a process; `None` if it has none that can be read.
    fn of(pid: u32) -> Option<Counters> {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
        let path = maps.lines().find_map(mapped)?;
        // As the process sees it: it may have another root.
        let path = PathBuf::from(format!("/proc/{pid}/root{path}"));
        let file = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_CLOEXEC)
            .open(path)
            .ok()?;
        let about = file.metadata().ok()?;
        if !about.is_file() || about.size() > MAX_FILE_BYTES {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(about.size()).ok()?];
        file.read_exact_at(&mut bytes, 0).ok()?;
        Counters::found(&bytes, file)
    }

    /// Those of a file with this content.
    fn found(bytes: &[u8], file: File) -> Option<Counters> {
        let mut found = Counters {
            file,
            ticks_per_s: 0,
            collectors: Vec::new(),
            safepoints: 0,
        };
        let mut safepoints = None;
        for (name, at) in entries(bytes)? {
            let collector = name.strip_prefix("sun.gc.collector.");
            let of_collector = collector.and_then(|rest| rest.split_once('.'));
            match (name, of_collector) {
                ("sun.os.hrt.frequency", _) => found.ticks_per_s = long(bytes, at)?,
                ("sun.rt.safepointTime", _) => safepoints = Some(at as u64),
                (_, Some((number, "time"))) if number.parse::<u32>().is_ok() => {
                    found.collectors.push(at as u64);
                }
                _ => {}
            }
        }
        found.safepoints = safepoints?;
        TICKS_PER_SECOND
            .contains(&found.ticks_per_s)
            .then_some(found)
    }

    fn read(&self) -> io::Result<StoodStill> {
        let mut collecting = Duration::ZERO;
        for at in &self.collectors {
            collecting += self.time(*at)?;
        }
        Ok(StoodStill {
            collecting,
            safepoints: self.time(self.safepoints)?,
        })
    }

    fn time(&self, at: u64) -> io::Result<Duration> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, at)?;
        let ticks = i64::from_ne_bytes(bytes).max(0) as f64;
        let seconds = ticks / self.ticks_per_s as f64;
        // No machine runs for longer than a century.
        Ok(Duration::try_from_secs_f64(seconds.min(3e9)).unwrap_or_default())
    }
}

/// The path of the counters' file, if this line of `/proc/PID/maps` is that of one.
fn mapped(line: &str) -> Option<&str> {
    let path = &line[line.find('/')?..];
    let mut parts = path.rsplit('/');
    let is_number = parts.next()?.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && parts.next()?.starts_with("hsperfdata_")).then_some(path)
}

/// The names of the counters that are one 64-bit number, and where those are; `None` if the file is not one of HotSpot's second layout
/// in this machine's byte order.
fn entries(bytes: &[u8]) -> Option<Vec<(&str, usize)>> {
    let little = u8::from(cfg!(target_endian = "little"));
    let prologue = bytes.get(..32)?;
    if prologue[..4] != MAGIC || prologue[4] != little || prologue[5] != 2 {
        return None;
    }
    let (mut at, count) = (size(bytes, 24)?, size(bytes, 28)?);
    let mut entries = Vec::new();
    for _ in 0..count.min(bytes.len() / 20) {
        let length = size(bytes, at)?;
        let entry = bytes.get(at..at.checked_add(length)?)?;
        let (name, values, kind) = (size(entry, 4)?, size(entry, 8)?, *entry.get(12)?);
        let data = size(entry, 16)?;
        let name = entry.get(name..)?.split(|byte| *byte == 0).next()?;
        if kind == b'J' && values == 0 && entry.get(data..data.checked_add(8)?).is_some() {
            entries.push((std::str::from_utf8(name).ok()?, at + data));
        }
        at += length.max(20);
    }
    Some(entries)
}

/// A number of 32 bits that is not negative.
fn size(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(i32::from_ne_bytes(bytes.try_into().ok()?)).ok()
}

fn long(bytes: &[u8], at: usize) -> Option<i64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(i64::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use proptest::prelude::*;

    /// A file of these counters.
    fn file(counters: &[(&str, i64)]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([u8::from(cfg!(target_endian = "little")), 2, 0, 1]);
        bytes.extend([0; 16]);
        bytes.extend(32i32.to_ne_bytes());
        bytes.extend((counters.len() as i32).to_ne_bytes());
        for (name, value) in counters {
            let data = (20 + name.len() + 1).next_multiple_of(8);
            for number in [data as i32 + 8, 20, 0] {
                bytes.extend(number.to_ne_bytes());
            }
            bytes.extend([b'J', 0, 1, 2]);
            bytes.extend((data as i32).to_ne_bytes());
            bytes.extend(name.bytes());
            bytes.resize(bytes.len() + data - 20 - name.len(), 0);
            bytes.extend(value.to_ne_bytes());
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Option<StoodStill> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        Counters::found(bytes, file)?.read().ok()
    }

    const SOUND: [(&str, i64); 6] = [
        ("sun.os.hrt.frequency", 1_000_000),
        ("sun.gc.collector.0.invocations", 7),
        ("sun.gc.collector.0.time", 1_500_000),
        ("sun.gc.collector.1.time", 250_000),
        ("sun.gc.collector.x.time", 9),
        ("sun.rt.safepointTime", 2_000_000),
    ];

    #[test]
    fn pauses_are_those_of_all_collectors_in_their_own_ticks() {
        let stood = read(&file(&SOUND)).expect("counters");
        assert_eq!(stood.collecting, Duration::from_millis(1_750));
        assert_eq!(stood.safepoints, Duration::from_secs(2));
    }

    #[test]
    fn what_is_no_such_file_has_none() {
        assert_eq!(read(&[]), None);
        let mut other = file(&SOUND);
        other[5] = 3;
        assert_eq!(read(&other), None);
        let no_frequency = &SOUND[1..];
        assert_eq!(read(&file(no_frequency)), None);
        let mut still = SOUND;
        still[0].1 = 0;
        assert_eq!(read(&file(&still)), None);
    }

    #[test]
    fn its_mapping_is_known_by_its_name() {
        let line = |path| format!("7f00-7f08 rw-s 00000000 00:1f 42    {path}");
        let is = |path| mapped(&line(path)).is_some();
        assert!(is("/tmp/hsperfdata_root/4711"));
        assert!(!is("/tmp/hsperfdata_root/4711.so"));
        assert!(!is("/tmp/other/4711"));
        assert!(!is("/4711"));
        assert_eq!(mapped("7f00-7f08 rw-p 00000000 00:00 0"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_harm(at in 0usize..300, with in any::<[u8; 4]>(), length in 0usize..400) {
            let mut bytes = file(&SOUND);
            let end = (at + 4).min(bytes.len());
            let start = at.min(end);
            bytes[start..end].copy_from_slice(&with[..end - start]);
            bytes.truncate(length);
            let _ = read(&bytes);
        }
    }
}
