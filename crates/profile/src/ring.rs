//! What the kernel writes to a core's buffer: records, of which samples, forks, programs that are run, and losses matter here.

/// A record's kind, from the kernel's `linux/perf_event.h`.
const LOST: u32 = 2;
const COMM: u32 = 3;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
/// Of a new name: it is that of a program that the process runs from now on.
const BY_EXEC: u32 = 1 << 13;
/// Words of a call chain that are no addresses but say what follows: the kernel's frames, or the program's.
const CONTEXTS: u64 = (-4095_i64) as u64;
const KERNEL: u64 = (-128_i64) as u64;
const USER: u64 = (-512_i64) as u64;

/// What a core ran at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// When, by the clock of all records, in nanoseconds.
    pub(crate) at: u64,
    pub(crate) pid: u32,
    pub(crate) tid: u32,
    /// Where it was in the kernel, the innermost call first; empty if it was not.
    pub(crate) kernel: Vec<u64>,
    /// Where it was in the program, the innermost call first.
    pub(crate) user: Vec<u64>,
}

/// A process that another one has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub(crate) at: u64,
    pub(crate) pid: u32,
    pub(crate) parent: u32,
}

/// Another program that a process runs from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exec {
    pub(crate) at: u64,
    pub(crate) pid: u32,
}

/// What the kernel has recorded, in no order but each core's.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Records {
    pub(crate) samples: Vec<Sample>,
    pub(crate) forks: Vec<Fork>,
    pub(crate) execs: Vec<Exec>,
    /// How many records the kernel had no room for.
    pub(crate) lost: u64,
}

impl Records {
    /// Adds those of a core.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) {
        while let Some((kind, misc, body, rest)) = record(bytes) {
            match kind {
                SAMPLE => self.samples.extend(sample(body)),
                FORK => self.forks.extend(fork(body)),
                COMM if misc & BY_EXEC != 0 => self.execs.extend(exec(body)),
                // Its event's number, and how many.
                LOST => self.lost += word(body, 1).unwrap_or(0),
                _ => {}
            }
            bytes = rest;
        }
    }
}

/// A record's kind, what is said of it, its body, and what follows it.
fn record(bytes: &[u8]) -> Option<(u32, u32, &[u8], &[u8])> {
    let head = word(bytes, 0)?;
    let (kind, misc, size) = (head as u32, (head >> 32) as u16, (head >> 48) as usize);
    // One that has no room for its own head would be read forever.
    let body = bytes.get(8..size.max(8))?;
    Some((kind, misc.into(), body, &bytes[size.max(8)..]))
}

/// Process and parent, thread and parent, the time. That of a thread is none.
fn fork(body: &[u8]) -> Option<Fork> {
    let (pid, parent) = halves(body, 0)?;
    let at = word(body, 2)?;
    (pid != parent).then_some(Fork { at, pid, parent })
}

/// Process and thread, the name; at the end process and thread again, the time.
fn exec(body: &[u8]) -> Option<Exec> {
    let (pid, _) = halves(body, 0)?;
    let at = word(body, (body.len() / 8).checked_sub(1)?)?;
    Some(Exec { at, pid })
}

/// Process and thread, the time, the number of frames, the frames.
fn sample(body: &[u8]) -> Option<Sample> {
    let (pid, tid) = halves(body, 0)?;
    let at = word(body, 1)?;
    let frames = usize::try_from(word(body, 2)?).ok()?;
    let mut sample = Sample {
        at,
        pid,
        tid,
        kernel: Vec::new(),
        user: Vec::new(),
    };
    let mut side = None;
    for place in 0..frames.min(body.len() / 8) {
        match word(body, 3 + place)? {
            context if context >= CONTEXTS => side = Some(context),
            address => match side {
                Some(KERNEL) => sample.kernel.push(address),
                Some(USER) => sample.user.push(address),
                // A guest's, or a hypervisor's.
                _ => {}
            },
        }
    }
    Some(sample)
}

fn halves(bytes: &[u8], place: usize) -> Option<(u32, u32)> {
    word(bytes, place).map(|both| (both as u32, (both >> 32) as u32))
}

fn word(bytes: &[u8], place: usize) -> Option<u64> {
    let bytes = bytes.get(place * 8..place * 8 + 8)?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, misc: u32, body: &[u64]) -> Vec<u8> {
        let size = 8 + 8 * body.len() as u64;
        let head = u64::from(kind) | u64::from(misc) << 32 | size << 48;
        let words = [head].into_iter().chain(body.iter().copied());
        words.flat_map(u64::to_ne_bytes).collect()
    }

    fn read(bytes: &[u8]) -> Records {
        let mut records = Records::default();
        records.read(bytes);
        records
    }

    const TIDS: u64 = 7 | 8 << 32;

    #[test]
    fn samples_are_dealt_by_side_and_losses_are_counted() {
        let mut bytes = record(SAMPLE, 0, &[TIDS, 90, 5, KERNEL, 0x10, 0x11, USER, 0x20]);
        bytes.extend(record(14, 0, &[1, 2, 3]));
        bytes.extend(record(LOST, 0, &[1, 4, TIDS, 95]));
        bytes.extend(record(SAMPLE, 0, &[TIDS, 91, 2, USER, 0x21]));
        let expected = |at, kernel: &[u64], user: &[u64]| Sample {
            at,
            pid: 7,
            tid: 8,
            kernel: kernel.to_vec(),
            user: user.to_vec(),
        };
        let records = read(&bytes);
        assert_eq!(
            records.samples,
            [
                expected(90, &[0x10, 0x11], &[0x20]),
                expected(91, &[], &[0x21])
            ]
        );
        assert_eq!(records.lost, 4);
    }

    #[test]
    fn new_processes_and_programs_are_told_from_threads_and_names() {
        let name = u64::from_ne_bytes(*b"cat\0\0\0\0\0");
        let mut bytes = record(FORK, 0, &[9 | 7 << 32, 9 | 8 << 32, 50, TIDS, 50]);
        // A thread, a name that a thread gave itself, and a process that ended.
        bytes.extend(record(FORK, 0, &[7 | 7 << 32, 11 | 8 << 32, 51, TIDS, 51]));
        bytes.extend(record(COMM, 0, &[TIDS, name, 0, TIDS, 52]));
        bytes.extend(record(4, 0, &[9 | 7 << 32, 9 | 8 << 32, 53, TIDS, 53]));
        bytes.extend(record(COMM, BY_EXEC, &[TIDS, name, 0, TIDS, 54]));
        let expected = Records {
            forks: vec![Fork {
                at: 50,
                pid: 9,
                parent: 7,
            }],
            execs: vec![Exec { at: 54, pid: 7 }],
            ..Records::default()
        };
        assert_eq!(read(&bytes), expected);
    }

    #[test]
    fn what_is_cut_off_or_makes_no_sense_ends_the_reading() {
        let whole = record(SAMPLE, 0, &[7, 90, 2, USER, 0x20]);
        for cut in 0..whole.len() {
            assert_eq!(read(&whole[..cut]), Records::default(), "cut at {cut}");
        }
        // More frames than the record has, a record of no size, and one of a size that is not there.
        let short = record(SAMPLE, 0, &[7, 90, 9, USER, 0x20]);
        for bytes in [&short[..], &[0; 64], &[0xff; 64]] {
            assert_eq!(read(bytes), Records::default());
        }
        for kind in [FORK, COMM] {
            assert_eq!(read(&record(kind, BY_EXEC, &[])), Records::default());
        }
    }
}
