//! Whether this machine's clock is good enough to measure microseconds.

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use super::Finding;
use photofinish_host::facts::read;

pub(super) fn examine() -> Vec<Finding> {
    let source = read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    vec![
        judge_stamps(&photofinish_load::await_stamps(STAMPS_BEGIN)),
        judge_clock(source.as_deref().unwrap_or("unknown"), clock_cost()),
    ]
}

/// How long the kernel may take until it stamps arrivals.
const STAMPS_BEGIN: Duration = Duration::from_secs(1);

fn judge_stamps(reported: &io::Result<Option<Duration>>) -> Finding {
    let name = "kernel timestamps";
    let without = "response times include the wait until the load generator reads the response";
    match reported {
        Ok(Some(ago)) if *ago < Duration::from_secs(1) => Finding::ok(
            name,
            "available: response times do not depend on how busy the load generator is",
        ),
        Ok(Some(ago)) => Finding::warn(
            name,
            format!("{} s off the clock: {without}", ago.as_secs()),
        ),
        Ok(None) => Finding::warn(name, format!("not available: {without}")),
        Err(e) => Finding::warn(name, format!("not available ({e}): {without}")),
    }
}

/// What one reading of the clock takes, on average.
fn clock_cost() -> Duration {
    const READINGS: u32 = 10_000;
    let begun = Instant::now();
    for _ in 0..READINGS {
        black_box(Instant::now());
    }
    begun.elapsed() / READINGS
}

/// A reading that stays in user mode takes some 20 to 60 ns; one that needs the kernel, or a slow device, far more.
const SLOW_CLOCK: Duration = Duration::from_nanos(300);

fn judge_clock(source: &str, cost: Duration) -> Finding {
    let says = |means: &str| format!("{source}, {} ns a reading: {means}", cost.as_nanos());
    if cost < SLOW_CLOCK {
        return Finding::ok("clock", says("cheap compared with a request"));
    }
    let means = "slows load generator and servers, most of all those that read it often";
    Finding::warn("clock", says(means))
        .with("see /sys/devices/system/clocksource/clocksource0/; `tsc` is fast where it is stable")
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use photofinish_model::samples::assert_starts;

    use super::*;

    #[test]
    fn arrivals_are_stamped_here() {
        let ago = photofinish_load::await_stamps(STAMPS_BEGIN)
            .expect("loopback works")
            .expect("Linux stamps arrivals");
        assert!(ago < Duration::from_secs(60), "{ago:?}");
    }

    #[test]
    fn stamps_are_judged() {
        let level = |reported| judge_stamps(&reported).level;
        assert_eq!(level(Ok(Some(Duration::from_micros(5)))), Level::Ok);
        assert_eq!(level(Ok(Some(Duration::from_secs(5)))), Level::Warn);
        assert_eq!(level(Ok(None)), Level::Warn);
        assert_eq!(level(Err(io::ErrorKind::Unsupported.into())), Level::Warn);
    }

    #[test]
    fn a_slow_clock_is_reported() {
        assert_eq!(
            judge_clock("tsc", Duration::from_nanos(25)).level,
            Level::Ok
        );
        let slow = judge_clock("acpi_pm", Duration::from_nanos(1_200));
        assert_eq!(slow.level, Level::Warn);
        assert_starts(&slow.says, "acpi_pm, 1200 ns a reading: ");
    }
}
