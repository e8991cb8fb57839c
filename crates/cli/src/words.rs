//! Figures as they are read in progress lines.

use std::time::Duration;

use photofinish_model::units::{Unit, thousands};

/// A time in microseconds, such as `1.25 ms`.
pub fn micros(us: f64) -> String {
    Unit::Microseconds.text(us)
}

/// Events per second, such as `12,345/s`.
pub fn rate(count: u64, seconds: f64) -> String {
    if seconds > 0.0 {
        format!("{}/s", thousands((count as f64 / seconds).round()))
    } else {
        "–/s".to_owned()
    }
}

/// How long something took or will take, such as `0.8s`, `45s` or `12m 5s`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 9.95 {
        return format!("{seconds:.1}s");
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, 0) => format!("{m}m"),
        (0, m, s) => format!("{m}m {s}s"),
        (h, 0, _) => format!("{h}h"),
        (h, m, _) => format!("{h}h {m}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_well() {
        let said = |ms| span(Duration::from_millis(ms));
        assert_eq!(said(840), "0.8s");
        assert_eq!(said(9_960), "10s");
        assert_eq!(said(59_600), "1m");
        assert_eq!(said(80_000), "1m 20s");
        assert_eq!(said(7_200_000), "2h");
        assert_eq!(said(7_380_000), "2h 3m");
    }

    #[test]
    fn rates_of_empty_windows_are_no_nan() {
        assert_eq!(rate(0, 0.0), "–/s");
        assert_eq!(rate(24_690, 2.0), "12,345/s");
    }
}
