//! The headline: who, by how much, where.

use photofinish_model::finding::headline::{AheadAt, Among, Floor, Group, Headline, Place, Rate};
use photofinish_model::units::{self, Unit, percent, thousands};

use super::load::place;
use super::verdict::{and_needed, hedged, in_brackets, is_factor, parts, void};

/// With more places than this, they are summed up rather than named one by one.
const NAMED: usize = 4;

pub(crate) fn headline(headline: &Headline) -> String {
    match headline {
        Headline::Nothing { limit, failures } => {
            let what = match limit {
                true => "除了上限对象，什么也没有测到",
                false => "什么也没有测到",
            };
            match failures {
                0 => format!("没有结论：{what}。"),
                _ => format!(
                    "没有结论：{what}，记录了 {} 次失败。",
                    thousands(*failures as f64)
                ),
            }
        }
        Headline::Smoke { done, asked } => format!(
            "冒烟运行：{} 次测量中完成了 {} 次；不能由此得出任何关于速度的结论。",
            thousands(*asked as f64),
            thousands(*done as f64)
        ),
        Headline::NoiseFloor { floors } => {
            format!(
                "只有噪声下限，没有结论：{}。",
                listed(floors.iter().map(floor))
            )
        }
        Headline::Alone { figures } => {
            format!(
                "只有一个对象，没有结论：{}。",
                listed(figures.chunk_by(|a, b| a.place == b.place).map(shown))
            )
        }
        Headline::NoCommonRound => "没有结论：没有一轮同时测到两个对象。".to_owned(),
        Headline::OneRound { figures } => {
            format!(
                "只有一轮，没有结论：{}。",
                listed(figures.chunk_by(|a, b| a.place == b.place).map(shown))
            )
        }
        Headline::Verdict { groups, rounds } => {
            let alone = Group::is_single(groups);
            let parts: Vec<String> = groups.iter().map(|g| group(g, alone)).collect();
            format!(
                "{}；共 {} 轮。",
                parts.join("；"),
                thousands(*rounds as f64)
            )
        }
    }
}

/// Joins the first of many.
fn listed(all: impl Iterator<Item = String>) -> String {
    let mut text: Vec<String> = all.collect();
    let more = text.len().saturating_sub(NAMED);
    if more > 0 {
        text.truncate(NAMED);
        text.push(format!("另有 {more} 项"));
    }
    text.join("；")
}

fn floor(floor: &Floor) -> String {
    let at = place(&floor.place);
    let Floor { target, .. } = floor;
    match (&floor.void, floor.ratio) {
        (Some(reason), _) => format!("{at}时 {target} 与自身对照：{}", void(reason)),
        (None, None) => format!("{at}时 {target} 与自身没有可比的吞吐量"),
        (None, Some(_)) => format!("{at}时 {target} 与自身相差 {}", difference(floor)),
    }
}

/// The difference with its interval, whichever copy was ahead.
fn difference(floor: &Floor) -> String {
    let ratio = floor.ratio.unwrap_or(1.0);
    let turned = ratio < 1.0;
    let size = |value: f64| {
        let value = if turned { value.recip() } else { value };
        percent(value - 1.0)
    };
    let bounds = floor.interval.map_or_else(String::new, |interval| {
        let (low, high) = match turned {
            true => (interval.high, interval.low),
            false => (interval.low, interval.high),
        };
        format!(" [{} … {}]", size(low), size(high))
    });
    format!("{}{bounds}", size(ratio))
}

/// The throughput of each target at one place.
fn shown(figures: &[Rate]) -> String {
    let text: Vec<String> = figures
        .iter()
        .map(|rate| {
            let figure = Unit::RequestsPerSecond.with_interval(rate.rate, rate.interval);
            format!(
                "{} {}",
                rate.target,
                figure.replace("requests/s", "请求/秒")
            )
        })
        .collect();
    let at = figures
        .first()
        .map_or_else(String::new, |rate| place(&rate.place));
    format!("{at}时 {}", text.join("，"))
}

/// What is alike at some places; `alone` where there is nothing else to say.
fn group(group: &Group, alone: bool) -> String {
    match group {
        Group::Ahead {
            leaders,
            over,
            others_behind,
            among,
            beside,
            sustained,
            at,
        } => {
            let next = match (over, others_behind) {
                (Some(over), false) => format!(" {over} "),
                (Some(over), true) => format!("第二名 {over} "),
                (None, _) => "第二名".to_owned(),
            };
            let names = together(leaders);
            let several = leaders.len() > 1;
            let (at_least, at) = match several {
                true => ("都至少", at.iter().map(AheadAt::at_least).collect()),
                false => ("", at.clone()),
            };
            let points = points(&at, &next, *sustained, alone && !several);
            let mut text = format!("{names} {at_least}{points}");
            if let Some(among) = among {
                text += &format!("（{}）", between(among, leaders.len()));
            }
            if !beside.is_empty() {
                text += &format!("（{} 与 {names} 难分先后）", together(beside));
            }
            text
        }
        Group::Tie {
            targets,
            margin,
            at,
        } => format!(
            "{}时 {} 在 {} 之内打平",
            places(at),
            together(targets),
            units::margin(*margin)
        ),
        Group::NoOrder { targets, at } => {
            format!(
                "{}时 {} 之间分不出明确的先后",
                places(at),
                together(targets)
            )
        }
        Group::Undecided {
            targets,
            needed,
            at,
        } => match alone {
            true => format!(
                "{}时 {} 无法判定{}",
                places(at),
                together(targets),
                in_brackets(needed)
            ),
            false => format!("{}时无法判定", places(at)),
        },
        Group::Void {
            targets,
            reason,
            at,
        } => {
            let on = match targets.as_slice() {
                [] => String::new(),
                targets => format!("对 {} ", together(targets)),
            };
            format!("{}时{on}没有结论：{}", places(at), void(reason))
        }
    }
}

/// `在 256 个连接时是 b 的 2.50 倍，在 1,000 个连接时 5.10 倍`.
fn points(at: &[AheadAt], next: &str, sustained: bool, alone: bool) -> String {
    let what = if sustained {
        "能承受的速率"
    } else {
        "速度"
    };
    let size = |point: &AheadAt| match is_factor(&point.amount) {
        true => format!("是{next}的 {}", parts(&point.amount).0),
        false if sustained => format!("比{next}高 {}", parts(&point.amount).0),
        false => format!("比{next}快 {}", parts(&point.amount).0),
    };
    let [first, rest @ ..] = at else {
        return String::new();
    };
    if at.len() > NAMED {
        let by_size = |a: &&AheadAt, b: &&AheadAt| a.amount.ratio.total_cmp(&b.amount.ratio);
        let ends = at.iter().min_by(by_size).zip(at.iter().max_by(by_size));
        let (least, most) = ends.unwrap_or((first, first));
        return format!(
            "在 {} 个负载下{what}{}，最多{}{}",
            at.len(),
            size(least),
            size(most),
            in_doubt(at)
        );
    }
    let (_, bounds) = parts(&first.amount);
    let bounds = if alone { bounds } else { String::new() };
    let text = |point: &AheadAt, what: &str, bounds: &str| {
        let hedged = hedged(&point.hedges);
        format!(
            "在{}时{what}{}{bounds}{hedged}",
            place(&point.place),
            size(point)
        )
    };
    let mut all = text(first, what, &bounds);
    for point in rest {
        all += &format!("，{}", text(point, "", ""));
    }
    all
}

/// How many of many places are hedged.
fn in_doubt(at: &[AheadAt]) -> String {
    match at.iter().filter(|point| !point.hedges.is_empty()).count() {
        0 => String::new(),
        hedged => format!("（其中 {hedged} 个存疑）"),
    }
}

fn between(among: &Among, leaders: usize) -> String {
    let them = match leaders {
        2 => "两者".to_owned(),
        several => format!("这 {several} 个"),
    };
    match among {
        Among::Tie { margin } => format!("{them}之间在 {} 之内打平", units::margin(*margin)),
        Among::Undecided { needed } => format!("{them}之间无法判定{}", and_needed(needed)),
        Among::NoOrder => format!("{them}之间分不出明确的先后"),
    }
}

/// Places in a row.
fn places(at: &[Place]) -> String {
    if at.len() > NAMED {
        return format!("{} 个负载下", at.len());
    }
    at.iter().map(place).collect::<Vec<_>>().join("、")
}

/// Names in one breath.
fn together(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} 和 {last}", most.join("、")),
    }
}
