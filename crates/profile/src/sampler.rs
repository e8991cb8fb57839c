//! Samples of a process tree.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::sync::Arc;

use crate::family::Family;
use crate::fold::Stacks;
use crate::perf::{Core, Refused};
use crate::ring::{Records, Sample};
use crate::symbols::{self, Names};

/// How often a process's thread was seen with these addresses of the kernel's and the process's own.
type Seen = HashMap<(Arc<Owner>, u32, Vec<u64>, Vec<u64>), u64>;

/// Whose samples these are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Owner {
    /// `None` for processes that had ended when that was looked at, which are not distinguished.
    pid: Option<u32>,
    /// The processes by whose mappings addresses have names; the first that is still there is asked.
    named_by: Vec<Named>,
}

impl Owner {
    /// The process by whose mappings its addresses have names, while one is there.
    fn asked(&self) -> Option<u32> {
        let mut named_by = self.named_by.iter();
        Some(named_by.find(|process| process.is_there())?.pid)
    }
}

/// A process, and when it was started: its number may be another's by the time that it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Named {
    pid: u32,
    started: u64,
}

impl Named {
    fn now(pid: u32) -> Option<Named> {
        let started = started(pid)?;
        Some(Named { pid, started })
    }

    fn is_there(self) -> bool {
        started(self.pid) == Some(self.started)
    }
}

/// When a process was started, in ticks since boot.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // Behind the name, which may hold anything, is the third field; this is the 22nd.
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(22 - 3)?.parse().ok()
}

/// Samples what some cores run, and keeps what belongs to the processes that are asked for.
pub struct Sampler {
    cores: Vec<Core>,
    seen: Seen,
    /// Processes that are asked for, as far as they are known since it began to sample.
    known: BTreeSet<u32>,
    lost: u64,
}

impl Sampler {
    /// Of these cores. Nothing is sampled yet.
    ///
    /// # Errors
    /// If the kernel forbids it or cannot.
    pub fn open(cpus: &[usize]) -> Result<Sampler, Refused> {
        Ok(Sampler {
            cores: cpus
                .iter()
                .map(|&cpu| Core::open(cpu))
                .collect::<Result<_, _>>()?,
            seen: HashMap::new(),
            known: BTreeSet::new(),
            lost: 0,
        })
    }

    /// Begins to sample, or continues.
    ///
    /// # Errors
    /// If the kernel does not let it.
    pub fn begin(&mut self) -> Result<(), Refused> {
        self.known.clear();
        self.cores.iter().try_for_each(Core::begin)
    }

    /// The processes that are asked for, looked for after it has [begun](Self::begin): some of them may have ended by its
    /// [end](Self::end). Those that they make from now on need not be named.
    pub fn know(&mut self, pids: &BTreeSet<u32>) {
        self.known.extend(pids);
    }

    /// Ends for now, and keeps what was seen of these processes, of those [known](Self::know) at first, and of all that descend from them,
    /// whether they still live or not.
    pub fn end(&mut self, pids: &BTreeSet<u32>) {
        let mut records = Records::default();
        // Of all cores before any of it is judged: a process need not run where it was forked.
        for core in &mut self.cores {
            core.end();
            records.read(&core.take());
        }
        self.lost += records.lost;
        let first = std::mem::take(&mut self.known);
        let family = Family::new(&records.forks, &records.execs, &first, pids);
        let mut owners = HashMap::new();
        let mut there = HashMap::new();
        for sample in records.samples {
            let Sample {
                at,
                pid,
                tid,
                kernel,
                user,
            } = sample;
            let Some(member) = family.member(pid, at) else {
                continue;
            };
            let (pid, tid) = match member.lives {
                true => (Some(pid), tid),
                false => (None, 0),
            };
            let owner = owners.entry((pid, member.named_by));
            let owner = owner.or_insert_with_key(|(pid, named_by)| {
                let mut now = |pid: &u32| *there.entry(*pid).or_insert_with(|| Named::now(*pid));
                let named_by = named_by.iter().filter_map(&mut now).collect();
                let pid = *pid;
                Arc::new(Owner { pid, named_by })
            });
            let key = (Arc::clone(owner), tid, kernel, user);
            *self.seen.entry(key).or_default() += 1;
        }
    }

    /// How many samples a process has.
    pub fn samples(&self, pid: u32) -> u64 {
        let own = self.seen.iter().filter(|((of, ..), _)| of.pid == Some(pid));
        own.map(|(_, count)| count).sum()
    }

    /// The executables of the processes that have samples. They should still be there.
    pub fn programs(&self) -> BTreeSet<String> {
        // A process has many stacks, and is looked for once.
        let owners: HashSet<&Owner> = self.seen.keys().map(|(owner, ..)| &**owner).collect();
        let pids: BTreeSet<u32> = owners.into_iter().filter_map(Owner::asked).collect();
        pids.into_iter().filter_map(symbols::program).collect()
    }

    /// What was seen of one process, which is forgotten here, by [kind](kind_of_thread) of thread; else as [`Self::fold`].
    pub fn fold_of(&mut self, pid: u32) -> BTreeMap<String, Stacks> {
        let seen = std::mem::take(&mut self.seen);
        let is_own = |((of, ..), _): &((Arc<Owner>, _, _, _), _)| of.pid == Some(pid);
        let (own, others) = seen.into_iter().partition(is_own);
        self.seen = others;
        let mut kinds = BTreeMap::new();
        named(own, |tid| {
            let kind = kinds.entry(tid).or_insert_with(|| kind_of_thread(pid, tid));
            kind.clone()
        })
    }

    /// What was seen since it was opened, or since the last time, by name. The processes should still be there: what one ran that has ended
    /// has the names of the one that it was forked from, or none.
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
    let mut asked: HashMap<Arc<Owner>, Option<u32>> = HashMap::new();
    for (owner, _, in_kernel, in_user) in seen.keys() {
        kernel.extend(callers(in_kernel));
        let pid = *asked
            .entry(Arc::clone(owner))
            .or_insert_with(|| owner.asked());
        if let Some(pid) = pid {
            user.entry(pid).or_default().extend(callers(in_user));
        }
    }
    let kernel = symbols::kernel(&kernel);
    let user: BTreeMap<u32, Names> = (user.into_iter())
        .map(|(pid, addresses)| (pid, symbols::process(pid, &addresses)))
        .collect();
    let mut folded: BTreeMap<K, BTreeMap<Vec<String>, u64>> = BTreeMap::new();
    let none = Names::new();
    for ((owner, tid, in_kernel, in_user), count) in seen {
        let user = asked[&owner].map_or(&none, |pid| &user[&pid]);
        let name = |names: &Names, address: u64| {
            let unknown = || symbols::UNKNOWN.to_owned();
            names.get(&address).cloned().unwrap_or_else(unknown)
        };
        let mut frames: Vec<String> = callers(&in_kernel)
            .map(|address| name(&kernel, address))
            .collect();
        frames.extend(callers(&in_user).map(|address| name(user, address)));
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
