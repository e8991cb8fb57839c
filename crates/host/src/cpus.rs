//! The cores that this process may use, and which of them are hardware threads of one core.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{Error, sys};

/// A hardware thread that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// Its number.
    pub number: usize,
    /// The lowest of the hardware threads of its core; itself where the kernel does not report it.
    pub core: usize,
}

/// Those that this process may use, in order.
pub(super) fn take() -> Result<Vec<Cpu>, Error> {
    let numbers = sys::affinity().map_err(Error::Cores)?;
    let cpu = |number| Cpu {
        number,
        core: core(number),
    };
    Ok(numbers.into_iter().map(cpu).collect())
}

/// The hardware threads of a core, named by the lowest; the thread itself where the kernel does not report it.
fn core(cpu: usize) -> usize {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let list = fs::read_to_string(file).ok();
    list.and_then(|list| parse_list(&list))
        .and_then(|cpus| cpus.into_iter().min())
        .unwrap_or(cpu)
}

/// Parses the kernel's lists of cores, such as `0-3,8,10-11`.
fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(from.trim().parse::<usize>().ok()?..=to.trim().parse().ok()?);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lists_are_read() {
        assert_eq!(
            parse_list("0-3,8,10-11\n"),
            Some(vec![0, 1, 2, 3, 8, 10, 11])
        );
        assert_eq!(parse_list("\n"), Some(vec![]));
        assert_eq!(parse_list("a-b"), None);
    }
}
