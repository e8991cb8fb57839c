//! How figures change within a measurement.

use photofinish_model::finding::check::{Change, SteadySeries};
use photofinish_model::units::Unit;
use photofinish_stats::shape::Class;

use super::changed;

pub(super) fn series(series: SteadySeries) -> &'static str {
    match series {
        SteadySeries::Throughput => "吞吐量",
        SteadySeries::MedianResponseTime => "响应时间中位数",
    }
}

fn unit(series: SteadySeries) -> Unit {
    match series {
        SteadySeries::Throughput => Unit::RequestsPerSecond,
        SteadySeries::MedianResponseTime => Unit::Microseconds,
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Flat => "平稳",
        Class::WarmUp => "预热",
        Class::SlowDown => "变慢",
        Class::NoSteadyState => "无稳态",
    }
}

pub(super) fn change(change: &Change) -> String {
    let what = format!("{}：{}", class(change.class), series(change.series));
    let unit = unit(change.series);
    match (change.shift, change.drift) {
        (Some(shift), _) => {
            let shifts = match shift.of {
                1 => String::new(),
                n => format!("，是 {n} 次突变中最大的一次"),
            };
            format!(
                "{what}在第 {:.1} 秒（共 {:.1} 秒）从 {} {}，变为 {}{shifts}",
                shift.at_s,
                change.length_s,
                unit.text(shift.from),
                changed(shift.from, shift.to),
                unit.text(shift.to)
            )
        }
        (None, Some(drift)) => format!(
            "{what}在 {:.1} 秒内从 {} {}，变为 {}（线性拟合）",
            change.length_s,
            unit.text(drift.from),
            changed(drift.from, drift.to),
            unit.text(drift.to)
        ),
        (None, None) => what,
    }
}
