//! Samples of a process tree.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

use crate::fold::Stacks;
use crate::perf::{Core, Refused};
use crate::ring::{self, Sample};
use crate::symbols::{self, Names};

/// How often a process's thread was seen with these addresses of the kernel's and the process's own.
type Seen = HashMap<(u32, u32, Vec<u64>, Vec<u64>), u64>;

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
                let Sample {
                    pid,
                    tid,
                    kernel,
                    user,
                } = sample;
                if pids.contains(&pid) {
                    *self.seen.entry((pid, tid, kernel, user)).or_default() += 1;
                }
            });
        }
    }

    /// How many samples a process has.
    pub fn samples(&self, pid: u32) -> u64 {
        let own = self.seen.iter().filter(|((of, ..), _)| *of == pid);
        own.map(|(_, count)| count).sum()
    }

    /// The executables of the processes that have samples. They should still be there.
    pub fn programs(&self) -> BTreeSet<String> {
        let pids: BTreeSet<u32> = self.seen.keys().map(|(pid, ..)| *pid).collect();
        pids.into_iter().filter_map(symbols::program).collect()
    }

    /// What was seen of one process, which is forgotten here, by [kind](kind_of_thread) of thread; else as [`Self::fold`].
    pub fn fold_of(&mut self, pid: u32) -> BTreeMap<String, Stacks> {
        let seen = std::mem::take(&mut self.seen);
        let (own, others) = seen.into_iter().partition(|((of, ..), _)| *of == pid);
        self.seen = others;
        let mut kinds = BTreeMap::new();
        named(own, |tid| {
            let kind = kinds.entry(tid).or_insert_with(|| kind_of_thread(pid, tid));
            kind.clone()
        })
    }

    /// What was seen since it was opened, or since the last time, by name. The processes should still be there: of one that has ended no name is known.
    pub fn fold(&mut self) -> Stacks {
        let mut all = named(std::mem::take(&mut self.seen), |_| ());
        Stacks {
            lost: std::mem::take(&mut self.lost),
            ..all.remove(&()).unwrap_or_default()
        }
    }
}

/// What threads of one kind are called: those of a pool have a number each in their name. Empty for one that has ended.
pub fn kind_of_thread(pid: u32, tid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
    let letters = name.trim_end().chars().filter(|c| !c.is_ascii_digit());
    letters.collect()
}

/// What was seen, by name, for each kind of thread.
fn named<K: Ord>(seen: Seen, mut kind: impl FnMut(u32) -> K) -> BTreeMap<K, Stacks> {
    // To look for no names would read the kernel's all the same.
    if seen.is_empty() {
        return BTreeMap::new();
    }
    let mut kernel = BTreeSet::new();
    let mut user: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for (pid, _, in_kernel, in_user) in seen.keys() {
        kernel.extend(callers(in_kernel));
        user.entry(*pid).or_default().extend(callers(in_user));
    }
    let kernel = symbols::kernel(&kernel);
    let user: BTreeMap<u32, Names> = (user.into_iter())
        .map(|(pid, addresses)| (pid, symbols::process(pid, &addresses)))
        .collect();
    let mut folded: BTreeMap<K, BTreeMap<Vec<String>, u64>> = BTreeMap::new();
    for ((pid, tid, in_kernel, in_user), count) in seen {
        let name = |names: &Names, address: u64| {
            let unknown = || symbols::UNKNOWN.to_owned();
            names.get(&address).cloned().unwrap_or_else(unknown)
        };
        let mut frames: Vec<String> = callers(&in_kernel)
            .map(|address| name(&kernel, address))
            .collect();
        frames.extend(callers(&in_user).map(|address| name(&user[&pid], address)));
        frames.reverse();
        let folded = folded.entry(kind(tid)).or_default();
        *folded.entry(frames).or_default() += count;
    }
    let stacks = |seen: BTreeMap<Vec<String>, u64>| Stacks {
        seen: seen.into_iter().collect(),
        lost: 0,
    };
    let all = folded.into_iter();
    all.map(|(kind, seen)| (kind, stacks(seen))).collect()
}

/// The addresses of a chain that are looked up: of a caller the call, which lies before the address that it returns to.
fn callers(chain: &[u64]) -> impl Iterator<Item = u64> {
    let places = chain.iter().enumerate();
    places.map(|(place, address)| address.saturating_sub(u64::from(place > 0)))
}
