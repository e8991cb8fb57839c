//! Samples of a process tree.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::fold::Stacks;
use crate::perf::{Core, Refused};
use crate::ring::{self, Sample};
use crate::symbols::{self, Names};

/// How often a process was seen with these addresses of the kernel's and its own.
type Seen = HashMap<(u32, Vec<u64>, Vec<u64>), u64>;

/// Samples what some cores run, and keeps what belongs to the processes that are asked for.
pub struct Sampler {
    cores: Vec<Core>,
    seen: Seen,
    lost: u64,
}

impl Sampler {
    /// Of these cores. Nothing is sampled yet.
    ///
    /// # Errors
    /// Where the kernel forbids it or cannot.
    pub fn open(cpus: &[usize]) -> Result<Sampler, Refused> {
        Ok(Sampler {
            cores: cpus
                .iter()
                .map(|&cpu| Core::open(cpu))
                .collect::<Result<_, _>>()?,
            seen: HashMap::new(),
            lost: 0,
        })
    }

    /// Begins to sample, or goes on.
    ///
    /// # Errors
    /// Where the kernel does not let it.
    pub fn begin(&mut self) -> Result<(), Refused> {
        self.cores.iter().try_for_each(Core::begin)
    }

    /// Ends for now, and keeps what was seen of these processes.
    pub fn end(&mut self, pids: &BTreeSet<u32>) {
        for core in &mut self.cores {
            core.end();
            let bytes = core.take();
            self.lost += ring::read(&bytes, |sample| {
                let Sample { pid, kernel, user } = sample;
                if pids.contains(&pid) {
                    *self.seen.entry((pid, kernel, user)).or_default() += 1;
                }
            });
        }
    }

    /// How many samples a process has.
    pub fn samples(&self, pid: u32) -> u64 {
        let own = self.seen.iter().filter(|((of, _, _), _)| *of == pid);
        own.map(|(_, count)| count).sum()
    }

    /// What was seen of one process, which is forgotten here; as [`Self::fold`].
    pub fn fold_of(&mut self, pid: u32) -> Stacks {
        let seen = std::mem::take(&mut self.seen);
        let (own, others) = seen.into_iter().partition(|((of, _, _), _)| *of == pid);
        self.seen = others;
        named(own)
    }

    /// What was seen since it was opened, or since the last time, by name. The processes should still be there: of one that has ended no name is known.
    pub fn fold(&mut self) -> Stacks {
        Stacks {
            lost: std::mem::take(&mut self.lost),
            ..named(std::mem::take(&mut self.seen))
        }
    }
}

/// What was seen, by name.
fn named(seen: Seen) -> Stacks {
    let mut kernel = BTreeSet::new();
    let mut user: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for (pid, in_kernel, in_user) in seen.keys() {
        kernel.extend(callers(in_kernel));
        user.entry(*pid).or_default().extend(callers(in_user));
    }
    let kernel = symbols::kernel(&kernel);
    let user: BTreeMap<u32, Names> = (user.into_iter())
        .map(|(pid, addresses)| (pid, symbols::process(pid, &addresses)))
        .collect();
    let mut folded: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for ((pid, in_kernel, in_user), count) in seen {
        let name = |names: &Names, address: u64| {
            let unknown = || symbols::UNKNOWN.to_owned();
            names.get(&address).cloned().unwrap_or_else(unknown)
        };
        let mut frames: Vec<String> = callers(&in_kernel)
            .map(|address| name(&kernel, address))
            .collect();
        frames.extend(callers(&in_user).map(|address| name(&user[&pid], address)));
        frames.reverse();
        *folded.entry(frames).or_default() += count;
    }
    Stacks {
        seen: folded.into_iter().collect(),
        lost: 0,
    }
}

/// The addresses of a chain that are looked up: of a caller the call, which lies before the address that it returns to.
fn callers(chain: &[u64]) -> impl Iterator<Item = u64> {
    let places = chain.iter().enumerate();
    places.map(|(place, address)| address.saturating_sub(u64::from(place > 0)))
}
