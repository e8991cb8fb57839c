//! Whether the rounds of a target fall into two groups: a fast and a slow kind of process.
//!
//! A server may settle in another state from start to start: another choice of a just-in-time compiler, of memory or of cores. The
//! ratio to another server then depends on how many processes of each kind the rounds happened to have, and no interval says
//! that of a few rounds. Where no slow process was seen nothing shows that there are any: after R rounds without one as many as
//! 1 − 0.05^(1/R) of all processes may be slow, 45% after 5 rounds and 22% after 12.

/// Fewer rounds than these do not fall into groups.
pub const FEWEST: usize = 5;

/// The gap is at least so wide, as a logarithm: smaller ones are noise of the day.
const LEAST: f64 = 0.05;

/// And so many times the standard deviation within the groups.
const TIMES: f64 = 10.0;

/// The largest share of a server's processes that may be of a kind that `rounds` rounds did not show, with 95% confidence: 1 − 0.05^(1/R). That is
/// 63% after three rounds.
pub fn unseen_share(rounds: usize) -> f64 {
    1.0 - 0.05_f64.powf((rounds.max(1) as f64).recip())
}

/// Two groups of rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The rounds (by their place) of the lower group.
    pub low: Vec<usize>,
    /// Those of the upper one.
    pub high: Vec<usize>,
    /// The mean logarithm of the upper group less that of the lower.
    pub apart: f64,
}

/// The two groups into which the logarithms of a target's figures fall: apart at the widest gap, which is at least 5% and 10 times the
/// standard deviation within the groups. `None` where there is no such gap, and with fewer than [`FEWEST`] rounds.
pub fn two_groups(logs: &[f64]) -> Option<Groups> {
    if logs.len() < FEWEST || !logs.iter().all(|x| x.is_finite()) {
        return None;
    }
    let mut order: Vec<usize> = (0..logs.len()).collect();
    order.sort_by(|a, b| logs[*a].total_cmp(&logs[*b]));
    let gap = |at: usize| logs[order[at]] - logs[order[at - 1]];
    let at = (1..order.len()).max_by(|a, b| gap(*a).total_cmp(&gap(*b)))?;
    let (low, high) = order.split_at(at);
    let mean = |group: &[usize]| group.iter().map(|i| logs[*i]).sum::<f64>() / group.len() as f64;
    let squares = |group: &[usize]| {
        let mean = mean(group);
        group.iter().map(|i| (logs[*i] - mean).powi(2)).sum::<f64>()
    };
    let within = ((squares(low) + squares(high)) / (logs.len() - 2) as f64).sqrt();
    (gap(at) >= LEAST.max(TIMES * within)).then(|| Groups {
        apart: mean(high) - mean(low),
        low: sorted(low),
        high: sorted(high),
    })
}

fn sorted(group: &[usize]) -> Vec<usize> {
    let mut group = group.to_vec();
    group.sort_unstable();
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rounds_may_show_one_kind_of_process_alone() {
        for (rounds, share) in [(1, 0.95), (2, 0.776), (3, 0.632), (5, 0.451), (12, 0.221)] {
            assert!((unseen_share(rounds) - share).abs() < 1e-3, "{rounds}");
        }
    }
    use crate::random::Simulated;

    #[test]
    fn by_hand() {
        let slow_third = [4.61, 4.60, 4.34, 4.605, 4.602];
        let groups = two_groups(&slow_third).expect("two groups");
        assert_eq!((groups.low, groups.high), (vec![2], vec![0, 1, 3, 4]));
        assert!((groups.apart - (4.604_25 - 4.34)).abs() < 1e-9);
        // A gap of 4% is none, nor is one of a few standard deviations.
        assert_eq!(two_groups(&[0.0, 0.04, 0.04, 0.0, 0.04]), None);
        assert_eq!(two_groups(&[0.0, 0.05, 0.3, 0.08, 0.35]), None);
        assert!(two_groups(&[0.0, 0.06, 0.06, 0.0, 0.06]).is_some());
        assert_eq!(two_groups(&[0.0, 0.06, 0.06, 0.0]), None);
        assert_eq!(two_groups(&[0.0, f64::NAN, 0.0, 0.0, 1.0]), None);
        assert_eq!(two_groups(&[1.0; 6]), None);
    }

    fn share(rounds: usize, draw: impl Fn(&mut Simulated) -> f64) -> f64 {
        let mut random = Simulated::new(4);
        let seen = (0..4000).filter(|_| {
            let logs: Vec<f64> = (0..rounds).map(|_| draw(&mut random)).collect();
            two_groups(&logs).is_some()
        });
        seen.count() as f64 / 4000.0
    }

    #[test]
    fn one_kind_of_process_is_seldom_taken_for_two_and_two_kinds_are_seen() {
        for rounds in [5, 8, 12] {
            for noise in [0.01, 0.03, 0.2] {
                let one = share(rounds, |r| noise * r.normal());
                println!("{rounds} rounds, noise {noise}: two groups in {one}");
                assert!(one < 0.03, "{rounds} rounds, noise {noise}: {one}");
            }
            let tail = share(rounds, |r| (1.0 + 0.05 * r.exponential()).ln());
            println!("{rounds} rounds, exponential tail: {tail}");
            // 3 of 10 processes are 25% slower: both kinds are there in 1 − 0.7^5 − 0.3^5 = 83% of 5 rounds.
            let two = share(rounds, |r| {
                (if r.uniform() < 0.3 { -0.29 } else { 0.0 }) + 0.01 * r.normal()
            });
            println!("{rounds} rounds, two kinds: {two}");
            assert!(two > 0.8, "{rounds} rounds: {two}");
        }
    }
}
