//! The kernel's stacks of a Java virtual machine and those of the agent in it, put together.
//!
//! What the cores ran is known without bias from their own clocks, with the kernel's frames; but code that the machine has compiled
//! has no names there. The agent knows names, and where its threads were when they came back from the kernel, but not what
//! the kernel did. A kernel's stack is therefore put on those of the agent's that called the kernel for the same: in proportion to how often each
//! was seen. What share of the samples the kernel has, and what it did, stay as the cores' clocks have them.

use std::collections::BTreeMap;

use crate::fold::Stacks;
use crate::symbols::KERNEL;

/// Frames, and how often they were seen.
type Seen = (Vec<String>, u64);

/// Stacks by kind of thread.
type OfKinds = BTreeMap<String, Stacks>;

/// Puts a machine's stacks together, by kind of thread: those that the cores saw of it, and the agent's, which end where the kernel is called.
///
/// How often each kind of thread ran is the cores' too: the agent looks when the kernel's tick does, and threads that the tick
/// wakes and that are done before the next one are not there then. What the agent saw nothing of stays without names.
///
/// No part has more samples than were seen of it: where the agent saw the program less often than the cores did, all are thinned
/// out to the same share, so that what is worked out from a number of samples is not surer than they are.
pub fn graft(cores: OfKinds, mut agent: OfKinds) -> Stacks {
    let lost = cores.values().map(|stacks| stacks.lost).sum();
    let kinds = cores.into_iter().map(|(kind, stacks)| {
        let agent = agent.remove(&kind).unwrap_or_default();
        Kind::of(stacks, agent)
    });
    let kinds: Vec<Kind> = kinds.collect();
    let both = kinds.iter().filter(|kind| kind.is_known());
    let (of_agent, of_cores) = both.fold((0, 0), |(agent, cores), kind| {
        (agent + sum(&kind.named), cores + sum(&kind.program))
    });
    let mut thin = match of_agent {
        0 => Thin::to(1, 1),
        _ => Thin::to(of_agent.min(of_cores), of_cores),
    };
    let mut all: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for (frames, count) in kinds.into_iter().flat_map(|kind| kind.together(&mut thin)) {
        *all.entry(frames).or_default() += count;
    }
    Stacks {
        seen: all.into_iter().filter(|(_, count)| *count > 0).collect(),
        lost,
    }
}

/// What was seen of one kind of thread.
#[derive(Default)]
struct Kind {
    /// By the cores, in the kernel, by what it was called for.
    kernel: BTreeMap<Option<String>, Vec<Seen>>,
    /// By the cores, in the program.
    program: Vec<Seen>,
    /// By the agent, on its way back from such a call.
    callers: BTreeMap<Option<String>, Vec<Seen>>,
    /// By the agent, all else.
    named: Vec<Seen>,
}

impl Kind {
    fn of(cores: Stacks, agent: Stacks) -> Kind {
        let mut kind = Kind::default();
        for (frames, count) in cores.seen {
            let place = match frames.last().is_some_and(|frame| is_kernels(frame)) {
                true => kind.kernel.entry(call_of(&frames)).or_default(),
                false => &mut kind.program,
            };
            place.push((frames, count));
        }
        for (frames, count) in agent.seen {
            let call = frames.last().and_then(|frame| caller_of(frame));
            let place = match call.is_some() && kind.kernel.contains_key(&call) {
                true => kind.callers.entry(call).or_default(),
                false => &mut kind.named,
            };
            place.push((frames, count));
        }
        kind
    }

    /// Whether both saw it in the program.
    fn is_known(&self) -> bool {
        sum(&self.named) > 0 && sum(&self.program) > 0
    }

    /// Its stacks.
    fn together(self, thin: &mut Thin) -> Vec<Seen> {
        let mut all = match self.is_known() {
            true => {
                let samples = thin.count(sum(&self.program));
                let mut scale = Thin::to(samples, sum(&self.named));
                scale.thinned(self.named)
            }
            false => thin.thinned(self.program),
        };
        for (call, stacks) in self.kernel {
            let callers = self.callers.get(&call).map_or(&[][..], Vec::as_slice);
            all.extend(put_on(callers, thin.thinned(stacks)));
        }
        all
    }
}

/// Takes a share of samples, evenly over all that it is given one after the other.
struct Thin {
    share: u128,
    of: u128,
    before: u128,
    kept: u128,
}

impl Thin {
    /// `share` of `of` samples.
    fn to(share: u64, of: u64) -> Thin {
        Thin {
            share: share.into(),
            of: of.max(1).into(),
            before: 0,
            kept: 0,
        }
    }

    /// How many of these are kept.
    fn count(&mut self, count: u64) -> u64 {
        self.before += u128::from(count);
        let by_now = (self.before * self.share + self.of / 2) / self.of;
        let kept = by_now - self.kept;
        self.kept = by_now;
        u64::try_from(kept).unwrap_or(count)
    }

    fn thinned(&mut self, mut stacks: Vec<Seen>) -> Vec<Seen> {
        for (_, count) in &mut stacks {
            *count = self.count(*count);
        }
        stacks
    }
}

fn sum(stacks: &[Seen]) -> u64 {
    stacks.iter().map(|(_, count)| count).sum()
}

fn is_kernels(frame: &str) -> bool {
    frame
        .strip_prefix(KERNEL)
        .is_some_and(|rest| rest.starts_with('`'))
}

/// The kernel's stacks on those of their callers, each as often as its share; without callers as they are.
fn put_on(callers: &[Seen], stacks: Vec<Seen>) -> Vec<Seen> {
    /// The golden ratio's fractional part: its multiples fall evenly between 0 and 1, however many there are.
    const STEP: f64 = 0.618_033_988_749_894_9;
    let weight = sum(callers);
    if weight == 0 {
        return stacks;
    }
    let mut seen: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let mut place = 0.5;
    for (frames, count) in stacks {
        let in_kernel = frames.iter().skip_while(|frame| !is_kernels(frame));
        let in_kernel: Vec<String> = in_kernel.cloned().collect();
        for _ in 0..count {
            let at = (place * weight as f64) as u64;
            place = (place + STEP).fract();
            let mut before = 0;
            let caller = callers.iter().find(|(_, count)| {
                before += count;
                before > at
            });
            let mut frames = caller.map_or_else(Vec::new, |(frames, _)| frames.clone());
            frames.extend(in_kernel.iter().cloned());
            *seen.entry(frames).or_default() += 1;
        }
    }
    seen.into_iter().collect()
}

/// What the kernel was called for, in a stack of its frames; `None` if it was not called, as by an interrupt or a page fault.
///
/// Which of its functions have a frame depends on how it was compiled: one that ends with a call of the next may have none. So the first behind
/// the entry counts, whatever its prefix.
fn call_of(frames: &[String]) -> Option<String> {
    const ENTRIES: [&str; 8] = [
        "entry_SYSCALL_64_after_hwframe",
        "do_syscall_64",
        "do_syscall_x64",
        "x64_sys_call",
        "el0_svc",
        "do_el0_svc",
        "el0_svc_common",
        "invoke_syscall",
    ];
    let kernels = frames.iter().filter(|frame| is_kernels(frame));
    let functions = kernels.filter_map(|frame| Some(frame.split_once('`')?.1));
    let mut entered = false;
    for function in functions {
        // `el0_svc_common.constprop.0`
        let name = function.split('.').next().unwrap_or(function);
        if ENTRIES.contains(&name) {
            entered = true;
            continue;
        }
        // `__x64_sys_write`, `__arm64_sys_futex`, `ksys_write`, `__sys_sendto`; `do_epoll_wait`, which a page fault's functions may be called too.
        let bare = name.trim_start_matches('_');
        let call = ["x64_", "ia32_", "arm64_", "se_", "do_", "k"]
            .iter()
            .find_map(|prefix| bare.strip_prefix(prefix)?.strip_prefix("sys_"))
            .or_else(|| bare.strip_prefix("sys_"));
        let behind = || bare.strip_prefix("do_").unwrap_or(bare);
        if let Some(call) = call.or_else(|| entered.then(behind)) {
            return Some(family(call).to_owned());
        }
    }
    None
}

/// What a function of the C library calls the kernel for, where it may have come back from there; `None` for any other function.
fn caller_of(frame: &str) -> Option<String> {
    let (module, function) = frame.split_once('`')?;
    let of_c = ["libc.", "libc-", "libpthread", "ld-musl"];
    if !of_c.iter().any(|name| module.starts_with(name)) {
        return None;
    }
    let function = function.split('@').next()?.trim_start_matches('_');
    let function = function.strip_prefix("GI_").unwrap_or(function);
    let function = function.trim_start_matches('_');
    let function = function.strip_prefix("libc_").unwrap_or(function);
    let function = function.strip_suffix("_nocancel").unwrap_or(function);
    let waits_or_wakes = ["pthread_", "futex_", "lll_", "sem_"];
    match waits_or_wakes
        .iter()
        .any(|begins| function.starts_with(begins))
    {
        true => Some("futex".to_owned()),
        false => Some(family(function).to_owned()),
    }
}

/// One name for what the kernel and the C library call differently.
fn family(call: &str) -> &str {
    let call = call.strip_suffix("64").unwrap_or(call);
    match call {
        "sendto" => "send",
        "recvfrom" => "recv",
        "accept4" => "accept",
        "ppoll" => "poll",
        "epoll_pwait" | "epoll_pwait2" => "epoll_wait",
        "openat" => "open",
        call => call,
    }
}

#[cfg(test)]
mod tests;
