//! Whether throughput has settled, from the windows of a load run.

use photofinish_stats::settle::{self, Settling};

use crate::model::Window;

/// What the windows tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// Whether throughput has settled.
    pub settled: bool,
    /// The windows at which it shifted, counted from 0.
    pub shifts: Vec<u32>,
}

/// Whether throughput has settled at the end of these windows; see [`settle::settled`]. A last
/// window that is shorter than the first is left out: its throughput says less than that of the others.
pub fn settled(windows: &[Window]) -> Steady {
    let full = windows.first().map_or(0.0, |window| window.duration_s) * 0.99;
    let throughput: Vec<f64> = windows
        .iter()
        .take_while(|window| window.duration_s > 0.0 && window.duration_s >= full)
        .map(|window| window.answers as f64 / window.duration_s)
        .collect();
    let told = settle::settled(&throughput, &Settling::default());
    Steady {
        settled: told.is_settled(),
        shifts: told.shifts.iter().map(|shift| *shift as u32).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(answers: &[u64]) -> Vec<Window> {
        answers
            .iter()
            .enumerate()
            .map(|(second, answers)| Window {
                start_s: second as f64,
                duration_s: 1.0,
                answers: *answers,
                errors: 0,
                p50_us: None,
                p99_us: None,
                max_us: None,
            })
            .collect()
    }

    #[test]
    fn windows_tell_when_throughput_has_settled() {
        assert!(!settled(&[]).settled);
        assert!(!settled(&windows(&[1_000; 3])).settled);
        let rising = windows(&[
            1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000,
        ]);
        assert!(!settled(&rising).settled);
        let mut steady = windows(&[40_000; 12]);
        assert!(settled(&steady).settled);
        // A last window that was cut short does not look like a fall.
        steady.push(Window {
            duration_s: 0.1,
            answers: 3_000,
            ..steady[0]
        });
        let told = settled(&steady);
        assert!(told.settled);
        assert_eq!(told.shifts, [] as [u32; 0]);
    }
}
