//! What may disturb a measurement.

use photofinish_model::STANDSTILL_US;
use photofinish_model::finding::check::{Noise, NoiseSource};
use photofinish_model::units::{Unit, number};

/// How much of it there was.
pub(super) fn source(source: &NoiseSource) -> String {
    let NoiseSource { what, value, limit } = *source;
    let share = |share: f64| format!("{:.1}%", share * 100.0);
    let (text, at_most) = match what {
        Noise::Steal => (
            format!("被宿主机占去的 CPU 时间 {}", share(value)),
            share(limit),
        ),
        Noise::OtherProcesses => (format!("其他进程占用 {value:.2} 核"), format!("{limit:.2}")),
        Noise::Hiccups => (
            format!("停顿 p99 {:.2} ms", value / 1e3),
            format!("{} ms", limit / 1e3),
        ),
        Noise::StoodStill => (
            match value {
                0.0 => format!("负载发生器所在的核没有停顿达到 {} ms", STANDSTILL_US / 1e3),
                longest => format!(
                    "负载发生器所在的核一次停顿 {}",
                    Unit::Microseconds.text(longest)
                ),
            },
            Unit::Microseconds.text(limit),
        ),
        Noise::MemoryStall => (format!("等待内存 {}", share(value)), share(limit)),
        Noise::Swap => (format!("换页 {value:.0} 页/s"), format!("{limit:.0}")),
        Noise::Throttled => (
            format!("服务器所在容器因 CPU 限额被暂停 {}", share(value)),
            share(limit),
        ),
        Noise::MovedCores => (
            format!("核间延迟前后相差 {} 倍", number(value)),
            format!("{} 倍", number(limit)),
        ),
    };
    match source.is_noisy() {
        true => format!("{text}（至多 {at_most}）"),
        false => text,
    }
}
