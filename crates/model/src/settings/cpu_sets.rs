//! Which cores servers and load generator run on: `split`, `none` or `server=0-1,generator=2-3`.

use std::fmt;
use std::ops::RangeInclusive;

use thiserror::Error;

/// Which cores servers and load generator run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CpuSets {
    /// Disjoint halves of the cores that there are.
    Split,
    /// No pinning.
    None,
    /// These.
    Explicit {
        /// The servers' cores.
        server: Vec<usize>,
        /// The load generator's cores.
        generator: Vec<usize>,
    },
}

/// Why there are no CPU sets.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CpuSetsError {
    /// Not CPU sets.
    #[error(
        "`{0}` names no lanes; write split, none, or the cores of both: server=0-1,generator=2-3"
    )]
    Malformed(String),
    /// A core in both.
    #[error(
        "core {0} is in both lanes; server and generator need cores of their own (or write none)"
    )]
    Shared(usize),
    /// A set without a core.
    #[error("a lane without cores")]
    Empty,
}

/// The largest number that a core may have (the size of Linux' `cpu_set_t`).
pub const MAX_CORE: usize = 1023;

impl CpuSets {
    /// Reads `split`, `none` or `server=0-1,generator=2-3`.
    ///
    /// # Errors
    /// Anything else; a set without cores; a core in both.
    pub fn parse(text: &str) -> Result<CpuSets, CpuSetsError> {
        let malformed = || CpuSetsError::Malformed(text.trim().to_owned());
        match CpuSets::recorded(text)? {
            CpuSets::Explicit { server, generator } => CpuSets::of(server, generator),
            other => Ok(other),
        }
        .map_err(|error| match error {
            CpuSetsError::Empty => malformed(),
            other => other,
        })
    }

    /// Reads the same from a record, which is not checked again.
    ///
    /// # Errors
    /// Anything else.
    pub(super) fn recorded(text: &str) -> Result<CpuSets, CpuSetsError> {
        match text.trim() {
            "split" => return Ok(CpuSets::Split),
            "none" => return Ok(CpuSets::None),
            _ => {}
        }
        let malformed = || CpuSetsError::Malformed(text.trim().to_owned());
        let (mut server, mut generator) = (Vec::new(), Vec::new());
        let mut set = None;
        for part in text.split(',') {
            let cores = match part.split_once('=') {
                Some((name, cores)) => {
                    set = Some(match name.trim() {
                        "server" => &mut server,
                        "generator" => &mut generator,
                        _ => return Err(malformed()),
                    });
                    cores
                }
                None => part,
            };
            let range = cores_of(cores).ok_or_else(malformed)?;
            set.as_mut().ok_or_else(malformed)?.extend(range);
        }
        Ok(CpuSets::Explicit { server, generator })
    }

    /// Sets of these cores.
    ///
    /// # Errors
    /// A set without cores; a core in both.
    pub fn of(mut server: Vec<usize>, mut generator: Vec<usize>) -> Result<CpuSets, CpuSetsError> {
        for set in [&mut server, &mut generator] {
            set.sort_unstable();
            set.dedup();
        }
        if let Some(core) = server.iter().find(|core| generator.contains(core)) {
            return Err(CpuSetsError::Shared(*core));
        }
        match server.is_empty() || generator.is_empty() {
            true => Err(CpuSetsError::Empty),
            false => Ok(CpuSets::Explicit { server, generator }),
        }
    }
}

fn cores_of(text: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = text.trim().split_once('-').unwrap_or((text, text));
    let first = first.trim().parse().ok()?;
    let last = last.trim().parse().ok()?;
    (first <= last && last <= MAX_CORE).then_some(first..=last)
}

impl fmt::Display for CpuSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, generator) = match self {
            CpuSets::Split => return f.write_str("split"),
            CpuSets::None => return f.write_str("none"),
            CpuSets::Explicit { server, generator } => (server, generator),
        };
        let list = |cores: &[usize]| {
            let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
            cores.join(",")
        };
        write!(f, "server={},generator={}", list(server), list(generator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_read_as_they_are_written() {
        let explicit = |server: &[usize], generator: &[usize]| CpuSets::Explicit {
            server: server.to_vec(),
            generator: generator.to_vec(),
        };
        for (text, sets) in [
            ("split", CpuSets::Split),
            ("none", CpuSets::None),
            ("server=0-1,generator=2-3", explicit(&[0, 1], &[2, 3])),
            ("server=0,2,generator=1", explicit(&[0, 2], &[1])),
        ] {
            assert_eq!(CpuSets::parse(text), Ok(sets.clone()), "{text}");
            assert_eq!(CpuSets::parse(&sets.to_string()), Ok(sets), "{text}");
        }
        for wrong in [
            "",
            "left",
            "server=0",
            "server=0,generator=0",
            "server=1-0,generator=2",
        ] {
            assert!(CpuSets::parse(wrong).is_err(), "{wrong}");
        }
    }
}
