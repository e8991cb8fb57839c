//! Whether the servers that were up beside the one that was measured had rested.

use photofinish_voice::checks as found;

use super::Outcome;

/// What servers that rest may use all together, in cores: about what the timers of two virtual machines take.
pub const RESTING_CORES: f64 = 0.02;

/// The check, from the CPU that they used during this one's slices.
pub(super) fn bystanders(cores: f64) -> Outcome {
    let (used, most) = against_limit(cores, RESTING_CORES);
    match cores <= RESTING_CORES {
        true => Outcome::new(true, found::idle_servers(&used)),
        false => Outcome::new(false, found::busy_servers(&used, &most)),
    }
}

/// Returns a share and its limit as percentages, with as few decimals as distinguish them (one at least): 2.003% and 2.000%, because
/// "2.0% (at most 2.0%)" contradicts itself.
fn against_limit(share: f64, limit: f64) -> (String, String) {
    let texts =
        |decimals: usize| [share, limit].map(|share| format!("{:.decimals$}%", share * 100.0));
    let apart = (1..=6).find(|&decimals| texts(decimals)[0] != texts(decimals)[1]);
    let [share, limit] = texts(apart.unwrap_or(1));
    (share, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_beyond_its_limit_reads_as_such() {
        for (share, said, limit) in [
            (0.0464, "4.6%", "2.0%"),
            (0.02003, "2.003%", "2.000%"),
            (0.01996, "1.996%", "2.000%"),
            (0.0, "0.0%", "2.0%"),
            (0.02, "2.0%", "2.0%"),
        ] {
            let texts = (said.to_owned(), limit.to_owned());
            assert_eq!(against_limit(share, 0.02), texts);
        }
    }

    #[test]
    fn idle_servers_may_use_a_fiftieth_of_a_core() {
        let idle = bystanders(0.0);
        assert_eq!(idle, Outcome::new(true, found::idle_servers("0.0%")));
        let busy = bystanders(0.0464);
        let says = found::busy_servers("4.6%", "2.0%");
        assert_eq!(busy, Outcome::new(false, says));
    }
}
