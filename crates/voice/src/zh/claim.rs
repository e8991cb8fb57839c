//! Published claims.

use photofinish_model::finding::claim::{ClaimFinding, ClaimVerdict, Range, Stated};
use photofinish_model::units::{self, Unit, ratio};

use super::load::{level, place};
use super::metric;
use super::verdict::{ratios, void};

pub(crate) fn verdict(verdict: &ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Holds => "成立",
        ClaimVerdict::DirectionHolds => "方向成立，幅度无法判定",
        ClaimVerdict::SameDirection => "方向一致，幅度不同",
        ClaimVerdict::DoesNotHold => "在这里不成立",
        ClaimVerdict::Undecided => "无法判定",
        ClaimVerdict::Shown => "只列出，不判定",
        ClaimVerdict::NotMeasured => "未测量",
        ClaimVerdict::Void => "无效",
    }
}

pub(crate) fn stated(stated: &Stated) -> String {
    match stated {
        Stated::Ratio {
            ratio: published,
            margin,
            decimals,
        } => {
            let exactly = margin.map_or_else(String::new, |m| format!(" ± {}", units::margin(m)));
            format!("{}{exactly}", units::published(*published, *decimals))
        }
        Stated::Less {} => "更少（未给出数值）".to_owned(),
        Stated::More {} => "更多（未给出数值）".to_owned(),
    }
}

pub(crate) fn claim(claim: &ClaimFinding) -> String {
    match claim {
        ClaimFinding::Judged {
            stated: published,
            zone,
            ratio: measured,
            interval,
            at,
        } => {
            let measured = match measured {
                Some(measured) => format!("实测 {}{}", ratio(*measured), ratios(*interval)),
                None => "测不出比值".to_owned(),
            };
            let at = at
                .as_ref()
                .map_or_else(String::new, |load| format!("（在{}时）", level(load)));
            let agrees = zone.map_or_else(String::new, |zone| {
                format!("（{} 到 {} 为成立）", ratio(zone.low), ratio(zone.high))
            });
            format!("发表值 {}{agrees}，{measured}{at}", stated(published))
        }
        ClaimFinding::Void { reason } => void(reason),
        ClaimFinding::Shown { of, over } => format!("{}；{}", range(of), range(over)),
        ClaimFinding::NoSuchLevel { place: at } => format!("这次运行没有这个负载：{}", place(at)),
        ClaimFinding::NoProfile {} => {
            "这次运行的性能剖析没有给出该项；请加上 --profile 再运行".to_owned()
        }
        ClaimFinding::NoFigure { target } => format!("这次运行中 {target} 没有这项数值"),
    }
}

fn range(range: &Range) -> String {
    let time = |low: f64, high: f64| match low == high {
        true => Unit::Microseconds.text(high),
        false => Unit::Microseconds.range(low, high),
    };
    let p999 = range.p999.map_or_else(String::new, |p999| {
        format!("（p99.9 {}）", time(p999.low, p999.high))
    });
    format!(
        "{} 的{} {}{p999}",
        range.target,
        metric::name(&range.metric),
        time(range.range.low, range.range.high)
    )
}
