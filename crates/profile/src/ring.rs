//! What the kernel writes to a core's buffer: records, of which samples and losses matter here.

/// A record's kind, from the kernel's `linux/perf_event.h`.
const LOST: u32 = 2;
const SAMPLE: u32 = 9;
/// Words of a call chain that are no addresses but say what follows: the kernel's frames, or the program's.
const CONTEXTS: u64 = (-4095_i64) as u64;
const KERNEL: u64 = (-128_i64) as u64;
const USER: u64 = (-512_i64) as u64;

/// What a core ran at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) pid: u32,
    pub(crate) tid: u32,
    /// Where it was in the kernel, the innermost call first; empty where it was not.
    pub(crate) kernel: Vec<u64>,
    /// Where it was in the program, the innermost call first.
    pub(crate) user: Vec<u64>,
}

/// Reads records; returns how many samples the kernel had no room for.
pub(crate) fn read(mut bytes: &[u8], mut take: impl FnMut(Sample)) -> u64 {
    let mut lost = 0;
    while let Some((kind, body, rest)) = record(bytes) {
        match kind {
            SAMPLE => sample(body).into_iter().for_each(&mut take),
            // Its event's number, and how many.
            LOST => lost += word(body, 1).unwrap_or(0),
            _ => {}
        }
        bytes = rest;
    }
    lost
}

/// A record's kind and body, and what follows it.
fn record(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let head = word(bytes, 0)?;
    let (kind, size) = (head as u32, (head >> 48) as usize);
    // One that has no room for its own head would be read forever.
    let body = bytes.get(8..size.max(8))?;
    Some((kind, body, &bytes[size.max(8)..]))
}

/// Process and thread, the number of frames, the frames.
fn sample(body: &[u8]) -> Option<Sample> {
    let (pid, tid) = word(body, 0).map(|both| (both as u32, (both >> 32) as u32))?;
    let frames = usize::try_from(word(body, 1)?).ok()?;
    let mut sample = Sample {
        pid,
        tid,
        kernel: Vec::new(),
        user: Vec::new(),
    };
    let mut side = None;
    for place in 0..frames.min(body.len() / 8) {
        match word(body, 2 + place)? {
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

fn word(bytes: &[u8], place: usize) -> Option<u64> {
    let bytes = bytes.get(place * 8..place * 8 + 8)?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, body: &[u64]) -> Vec<u8> {
        let size = 8 + 8 * body.len() as u64;
        let head = u64::from(kind) | size << 48;
        let words = [head].into_iter().chain(body.iter().copied());
        words.flat_map(u64::to_ne_bytes).collect()
    }

    #[test]
    fn samples_are_dealt_by_side_and_losses_are_counted() {
        let tids = 7 | 8 << 32;
        let mut bytes = record(SAMPLE, &[tids, 5, KERNEL, 0x10, 0x11, USER, 0x20]);
        bytes.extend(record(14, &[1, 2, 3]));
        bytes.extend(record(LOST, &[1, 4]));
        bytes.extend(record(SAMPLE, &[tids, 2, USER, 0x21]));
        let mut seen = Vec::new();
        assert_eq!(read(&bytes, |sample| seen.push(sample)), 4);
        let expected = |kernel: &[u64], user: &[u64]| Sample {
            pid: 7,
            tid: 8,
            kernel: kernel.to_vec(),
            user: user.to_vec(),
        };
        assert_eq!(
            seen,
            [expected(&[0x10, 0x11], &[0x20]), expected(&[], &[0x21])]
        );
    }

    #[test]
    fn what_is_cut_off_or_makes_no_sense_ends_the_reading() {
        let whole = record(SAMPLE, &[7, 2, USER, 0x20]);
        for cut in 0..whole.len() {
            assert_eq!(read(&whole[..cut], |_| panic!("cut at {cut}")), 0);
        }
        // More frames than the record has, a record of no size, and one of a size that is not there.
        assert_eq!(
            read(&record(SAMPLE, &[7, 9, USER, 0x20]), |_| panic!("short")),
            0
        );
        assert_eq!(read(&[0; 64], |_| panic!("nothing")), 0);
        assert_eq!(read(&[0xff; 64], |_| panic!("too long")), 0);
    }
}
