//! The reference meter: how long a fixed piece of arithmetic takes on a core, again and again.
//!
//! Two hardware threads of one core share its units, and a virtual machine's core is often one of them: while the host runs another
//! machine on the other, everything takes up to twice as long. The host's clock speed changes too. Nothing else shows either: no steal, no
//! other process, no late wake-up.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use crate::meter::MeterThread;
use crate::sys;

/// Pause between two samples: a slice of 20 ms has ten, which cost half a hundredth of a core.
const SLEEP: Duration = Duration::from_millis(2);
/// Number of batches of a sample, of which the shortest counts: an interrupt hits one of them.
const BATCHES: u32 = 2;
/// Steps of a batch, which take some 4 µs.
const BATCH_STEPS: u64 = 6_000;

/// Starts to measure on this core. Each look is the time of one batch, in nanoseconds.
pub fn reference(cpu: Option<usize>) -> MeterThread {
    // A server may come before all that has normal priority, and looks would be few. Whoever may not ask for it measures as well as can be.
    let ready = || {
        let _ = sys::take_precedence();
        Ok(())
    };
    MeterThread::start("reference", cpu, ready, || {
        thread::sleep(SLEEP);
        sample()
    })
}

fn sample() -> u64 {
    let all = (0..BATCHES).map(|_| took(BATCH_STEPS).as_nanos() as u64);
    all.min().unwrap_or_default()
}

/// How long so many steps took.
fn took(steps: u64) -> Duration {
    let began = Instant::now();
    black_box(batch(black_box(steps)));
    began.elapsed()
}

/// Eight chains of operations that do not wait for one another: four or more run at once, as many as a core can begin. A single chain would
/// leave most of the core's units to its other hardware thread, and be as fast beside it as alone.
#[inline(never)]
fn batch(steps: u64) -> u64 {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    for step in 0..steps {
        a = opaque(a.wrapping_add(step));
        b = opaque(b ^ step);
        c = opaque(c.wrapping_add(step));
        d = opaque(d ^ step);
        e = opaque(e.wrapping_add(step));
        f = opaque(f ^ step);
        g = opaque(g.wrapping_add(step));
        h = opaque(h ^ step);
    }
    a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
}

/// The value itself, of which the compiler knows nothing, in a register: [`black_box`] would write it to memory.
fn opaque(mut value: u64) -> u64 {
    // SAFETY: there is no instruction in it; the register is read and written as one that keeps its value.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_twice_as_long_takes_twice_as_long() {
        // By turns, since a core is faster at one moment than at another.
        let ratios = (0..20).map(|_| {
            let both = (0..200).map(|_| (took(2 * BATCH_STEPS), took(BATCH_STEPS)));
            let least = both.reduce(|least, one| (least.0.min(one.0), least.1.min(one.1)));
            let (double, single) = least.expect("some");
            double.as_secs_f64() / single.as_secs_f64()
        });
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        assert!((1.7..2.3).contains(&ratios[10]), "{ratios:?}");
    }

    #[test]
    fn looks_are_noted() {
        let core = sys::affinity().expect("cores")[0];
        let meter = reference(Some(core));
        let noted = meter.wait_for(|_| true);
        // An addition takes a third of a nanosecond or less.
        assert!(noted.min() > BATCH_STEPS / 10, "{noted:?}");
        assert_eq!(reference(Some(1_000)).end(), None);
    }
}
