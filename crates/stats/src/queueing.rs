//! Little's law.

/// What Little's law says of a closed loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LittlesLaw {
    /// Connections that the figures account for: throughput × time of a cycle.
    pub in_flight: f64,
    /// `in_flight` over the connections that there were. 1 where the figures agree; under 1 where some time is
    /// missing (requests that timed out and were left out), over 1 where some was counted twice.
    pub ratio: f64,
}

/// Little's law, L = λ W (Little, *A proof for the queuing formula L = λW*, Operations Research 9, 1961), for a closed
/// loop: `connections` = `throughput_per_s` × `cycle_s`, where a cycle is the mean response time and the time from
/// a response to the next request. `None` unless connections are above zero and all figures finite and
/// not negative.
pub fn littles_law(connections: f64, throughput_per_s: f64, cycle_s: f64) -> Option<LittlesLaw> {
    let in_flight = throughput_per_s * cycle_s;
    let ratio = in_flight / connections;
    let usable = connections > 0.0 && throughput_per_s >= 0.0 && cycle_s >= 0.0;
    (usable && in_flight.is_finite() && ratio.is_finite())
        .then_some(LittlesLaw { in_flight, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sound_figure_accounts_for_its_connections() {
        // ab of study 1: 210,393.61 requests/s at 0.475 ms over 100 connections.
        let law = littles_law(100.0, 210_393.61, 0.000_475).expect("figures");
        assert!((law.in_flight - 99.94).abs() < 0.01);
        assert!((law.ratio - 0.9994).abs() < 1e-4);
    }

    #[test]
    fn timeouts_left_out_show() {
        // Study 5: 5,000 connections, 1,989 requests/s, 665.93 ms: only 1,325 connections accounted for.
        let law = littles_law(5000.0, 1989.0, 0.665_93).expect("figures");
        assert!((law.ratio - 0.265).abs() < 1e-3);
    }

    #[test]
    fn figures_that_say_nothing_give_nothing() {
        for (n, x, r) in [
            (0.0, 1.0, 1.0),
            (1.0, f64::NAN, 1.0),
            (1.0, 1.0, f64::INFINITY),
            (1.0, -1.0, 1.0),
            (f64::NAN, 1.0, 1.0),
            (1.0, 1e300, 1e300),
        ] {
            assert_eq!(littles_law(n, x, r), None);
        }
        assert_eq!(littles_law(1.0, 0.0, 1.0).map(|law| law.ratio), Some(0.0));
    }
}
