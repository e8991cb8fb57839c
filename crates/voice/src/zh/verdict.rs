//! Verdicts on pairs.

use photofinish_model::finding::verdict::{
    Amount, Groups, Needed, Note, Outcome, VerdictFinding, Void,
};
use photofinish_model::units::{self, number, percent, ratio, thousands};
use photofinish_model::{Disturbed, DisturbedTurns, OnePiece};
use photofinish_stats::Interval;

use super::{check, metric, network};

/// What disturbed turns, each with how many.
fn disturbances(why: &[DisturbedTurns]) -> String {
    let each = why.iter().map(|DisturbedTurns { what, turns }| {
        let what = match what {
            Disturbed::OtherProcesses => "其他进程",
            Disturbed::Bystanders => "其他对象的服务器",
            Disturbed::StoppedCore => "核停顿",
            Disturbed::MovedCores => "核间延迟变化",
            Disturbed::UnevenCores => "核的速度变化",
        };
        format!("{what} {turns} 次")
    });
    each.collect::<Vec<_>>().join("，")
}

pub(crate) fn void(void: &Void) -> String {
    match void {
        Void::Smoke => "冒烟运行不能得出任何关于速度的结论".to_owned(),
        Void::NoCommonRound { of, over } => format!("没有一轮同时测到 {of} 和 {over}"),
        Void::OneRound => "只有一轮".to_owned(),
        Void::Zero { target } => format!("{target} 的数值为零"),
        Void::NoInterval => "各轮相差太大，得不出区间".to_owned(),
        Void::NotTheSameJob { of, over } => {
            format!("{of} 与 {over} 的响应不同，所做的不是同一项工作")
        }
        Void::NotMeasured { target } => format!("没有测到 {target}"),
        Void::OtherResponse { target } => {
            format!("{target} 在两次运行中的响应不同，所做的不是同一项工作")
        }
        Void::ChangedSince { target, rounds } => format!(
            "{target} 在{}所做的已不是验证时的那项工作：超过 1% 的响应状态或正文不同",
            in_rounds(rounds)
        ),
        Void::Overloaded { target, rounds } => format!(
            "{target} 在{}过载：给定的请求多于它能处理的请求，响应时间只反映越排越长的队列",
            in_rounds(rounds)
        ),
        Void::FewBeyond {
            metric,
            target,
            requests,
            needed,
        } => format!(
            "{target} 有一轮只有 {} 个请求：判定 {} 需要 {} 个",
            thousands(*requests as f64),
            metric::name(metric),
            thousands(*needed as f64)
        ),
        Void::UnevenPair { target, times } => format!(
            "只有两轮，而 {target} 的两轮相差 {} 倍：请增加轮数",
            number(*times)
        ),
        Void::NoRateHeld { target, rounds } => {
            format!("{target} 在{}没有任何速率满足目标", in_rounds(rounds))
        }
        Void::LowerBound { target, rounds } => {
            format!("{target} 的速率在{}只是下限", in_rounds(rounds))
        }
        Void::Generators { trouble, rounds } => {
            format!("{}（{}）", check::trouble(trouble), in_rounds(rounds))
        }
        Void::GeneratorsDisagree {
            one,
            one_ratio,
            other,
            other_ratio,
        } => format!(
            "负载发生器互相矛盾：{one} 测得的比值为 {} 至 {}，{other} 测得的为 {} 至 {}",
            number(one_ratio.low),
            number(one_ratio.high),
            number(other_ratio.low),
            number(other_ratio.high)
        ),
        Void::TurnsDiffer {
            metric,
            turns,
            blocks,
            rounds,
        } => format!(
            "同一批进程的轮换测量与连续测量互相矛盾：{} 的比值在轮换中为 {}，在连续测量中为 {}（{rounds} 轮）；请用 `--sequential` 测量",
            metric::name(metric),
            ratio(*turns),
            ratio(*blocks)
        ),
        Void::FullLink {
            link,
            target,
            rounds,
        } => format!(
            "{}，限制了 {target}（{}）",
            network::full_link(link),
            in_rounds(rounds)
        ),
        Void::RatesOfTheirOwn => "各对象的响应时间是在各自不同的速率下测得的".to_owned(),
    }
}

pub(crate) fn needed(needed: &Needed) -> String {
    match needed {
        Needed::About { rounds } => format!("约需 {} 轮才能判定", thousands(f64::from(*rounds))),
        Needed::Impractical => "需要的轮数多得不切实际".to_owned(),
        Needed::Unknown => String::new(),
    }
}

/// The needed rounds behind a separator, or nothing.
pub(crate) fn and_needed(needed: &Needed) -> String {
    match self::needed(needed) {
        text if text.is_empty() => text,
        text => format!("；{text}"),
    }
}

/// The needed rounds in brackets, or nothing.
pub(crate) fn in_brackets(needed: &Needed) -> String {
    match self::needed(needed) {
        text if text.is_empty() => text,
        text => format!("（{text}）"),
    }
}

pub(crate) fn amount(amount: &Amount) -> String {
    let (size, bounds) = parts(amount);
    format!("{size}{bounds}")
}

/// By how much, such as `10.0%` or `2.09 倍`, and the interval with a space before it.
pub(crate) fn parts(amount: &Amount) -> (String, String) {
    let Amount {
        metric,
        ratio,
        interval,
    } = *amount;
    let turned = !metric.larger_is_better();
    let factor = if turned { ratio.recip() } else { ratio };
    let is_factor = factor >= 2.0;
    let size = |ratio: f64| match (is_factor, turned) {
        (true, true) => number(ratio.recip()),
        (true, false) => number(ratio),
        (false, true) => percent(1.0 - ratio),
        (false, false) => percent(ratio - 1.0),
    };
    let bounds = interval.map_or_else(String::new, |Interval { low, high }| {
        let (low, high) = if turned { (high, low) } else { (low, high) };
        format!(" [{} … {}]", size(low), size(high))
    });
    let unit = if is_factor { " 倍" } else { "" };
    (format!("{}{unit}", size(ratio)), bounds)
}

/// Whether an amount is shown as a factor.
pub(crate) fn is_factor(amount: &Amount) -> bool {
    parts(amount).0.ends_with('倍')
}

pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ahead { target } => format!("{target} 领先"),
        Outcome::Tie => "打平".to_owned(),
        Outcome::Undecided { needed } => format!("无法判定{}", and_needed(needed)),
        Outcome::Void { reason } => format!("无效：{}", void(reason)),
    }
}

pub(crate) fn verdict(verdict: &VerdictFinding) -> String {
    match verdict {
        VerdictFinding::Ahead {
            target,
            over,
            amount,
            sustained,
        } => {
            let (size, bounds) = parts(amount);
            let name = metric::name(&amount.metric);
            match (
                amount.metric.larger_is_better(),
                *sustained,
                is_factor(amount),
            ) {
                (true, false, false) => format!("{target} 比 {over} 快 {size}{bounds}"),
                (true, false, true) => format!("{target} 的速度是 {over} 的 {size}{bounds}"),
                (true, true, false) => format!("{target} 能承受的速率比 {over} 高 {size}{bounds}"),
                (true, true, true) => format!("{target} 能承受的速率是 {over} 的 {size}{bounds}"),
                (false, _, false) => format!("{target} 的{name}比 {over} 低 {size}{bounds}"),
                (false, _, true) => format!("{over} 的{name}是 {target} 的 {size}{bounds}"),
            }
        }
        VerdictFinding::Tie {
            metric,
            of,
            over,
            ratio,
            interval,
            margin,
        } => format!(
            "{of} 与 {over} 在 {} 之内打平：{}",
            units::margin(*margin),
            measured(metric::name(metric), of, over, *ratio, *interval)
        ),
        VerdictFinding::Undecided {
            metric,
            of,
            over,
            rounds,
            ratio,
            interval,
            wide,
            needed,
        } => {
            let name = metric::name(metric);
            let measured = match wide {
                true => format!(
                    "{}，区间太宽，说明不了什么",
                    measured(name, of, over, *ratio, None)
                ),
                false => measured(name, of, over, *ratio, *interval),
            };
            format!(
                "{} 轮之后无法判定：{measured}{}",
                thousands(*rounds as f64),
                and_needed(needed)
            )
        }
        VerdictFinding::Void { reason } => format!("没有结论：{}", void(reason)),
    }
}

pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::DecidedAfter { rounds } => format!("{} 轮后判定", thousands(f64::from(*rounds))),
        Note::TakenBack { rounds } => format!(
            "{} 轮后撤回了先前的判定：后来的轮次与之矛盾",
            thousands(f64::from(*rounds))
        ),
        Note::AtTheCap { rounds } => format!("已达 {} 轮的上限", thousands(f64::from(*rounds))),
        Note::Improbable { cap } => format!(
            "在 {} 轮的上限之内得出判定的机会不到 5%",
            thousands(f64::from(*cap))
        ),
        Note::WithinNoise { reach } => format!("不超过 {} 的噪声下限", percent(reach - 1.0)),
        Note::IfIndependent {
            rounds,
            correlation,
        } => format!(
            "仅当各轮相互独立时成立，而 {rounds} 轮看不出这一点：若噪声跨轮延续（相关系数 {correlation:.1}），则无法判定"
        ),
        Note::Correlated { correlation, times } => format!(
            "相邻各轮彼此相关（相关系数 {correlation:.1}），区间因此加宽到 {} 倍",
            number(*times)
        ),
        Note::TwoGroups { target, groups } => {
            format!("{}：比值取决于两组各有几轮", two_groups(target, groups))
        }
        Note::Coarse { gap } => format!(
            "搜索分辨不出小于 {} 的差别：增加轮数没有用，减小 `precision` 可能有用",
            percent(*gap)
        ),
        Note::SetAside {
            disturbed,
            made,
            kept,
            why,
            freeze: _,
            all,
        } if kept + disturbed <= *made => format!(
            "{made} 次轮换中有 {disturbed} 次受干扰（{}），不计入；若计入，比值为 {}",
            disturbances(why),
            ratio(*all)
        ),
        Note::SetAside {
            disturbed,
            made,
            kept,
            why,
            freeze,
            all,
        } => format!(
            "{made} 次轮换中有 {disturbed} 次受干扰（{}），多到其中干扰最小的也须计入，共计 {kept} 次：{}；若全部计入，比值为 {}",
            disturbances(why),
            match freeze {
                true => "请用 --freeze 暂停其他对象的服务器",
                false => "请在干扰更少的机器上测量",
            },
            ratio(*all)
        ),
        Note::MovedCores {
            rounds,
            latency_ns,
            usual_ns,
            set_aside,
            say_how_much_rounds_differ,
        } => {
            let consequence = match (set_aside, say_how_much_rounds_differ) {
                (true, false) => "这些轮不计入",
                (true, true) => "比值取自其余各轮，各轮之间的差异则由所有轮得出",
                (false, _) => "但若不计入则剩下的轮太少，所以仍然计入",
            };
            format!(
                "在{}，服务器与负载发生器之间的核间延迟为 {latency_ns:.0} ns（其余各轮为 {usual_ns:.0} ns），虚拟机的核被移动时会这样：{consequence}",
                in_rounds(rounds)
            )
        }
        Note::InTurns {
            made,
            kept,
            trimmed,
            blocks,
        } => {
            let sentence = |of: &Option<f64>, what| of.map(|of| format!("；{what} {}", ratio(of)));
            format!(
                "{} 次轮换中有 {} 次计入{}{}",
                thousands(*made as f64),
                thousands(*kept as f64),
                sentence(trimmed, "各次比值的截尾平均为").unwrap_or_default(),
                sentence(blocks, "整段测量的比值为").unwrap_or_default(),
            )
        }
        Note::MediansByTurn { pooled } => format!(
            "每轮的比值取其各次轮换比值的中位数；按全部请求的中位数计算，比值为 {}",
            ratio(*pooled)
        ),
        Note::AtEqualSpeed { measured, power } => format!(
            "各时间片中核的速度不同，核快 10% 时吞吐量高 {}：比值已校正到相同的核速；实测的比值为 {}",
            percent(1.1_f64.powf(*power) - 1.0),
            ratio(*measured)
        ),
        Note::InOnePiece { rounds, why } => {
            let why = match why {
                OnePiece::Search => "要搜索容量",
                OnePiece::Slow => {
                    "它太慢，不宜切成时间片：在两倍时长内的四个时间片里请求太少，或装不下足够多的最长响应时间"
                }
                OnePiece::Overloaded => "达不到给定的速率",
                OnePiece::Database => "每次测量都要准备数据库或清点行数",
            };
            format!("在{}是整段测量，而非轮换：{why}", in_rounds(rounds))
        }
        Note::TurnsDiffer {
            turns,
            blocks,
            rounds,
        } => format!(
            "轮换与整段测量不一致：在同样的 {rounds} 轮中，轮换为 {}，整段为 {}：请再用 `--sequential` 测量",
            ratio(*turns),
            ratio(*blocks),
        ),
        Note::GeneratorBound { target, rounds } => format!(
            "在{}，负载发生器是 {target} 的瓶颈：它可能还要更快",
            in_rounds(rounds)
        ),
    }
}

/// 如 `b 的 5 轮中有 1 轮是其余各轮的 0.772 倍`。
pub(crate) fn two_groups(target: &str, groups: &Groups) -> String {
    format!(
        "{target} 的 {} 轮中有 {} 轮是其余各轮的 {} 倍",
        groups.rounds,
        groups.few,
        ratio(groups.ratio)
    )
}

/// What a verdict is never shown without, in brackets; empty where there is nothing.
pub(crate) fn hedged(notes: &[Note]) -> String {
    let hedges: Vec<String> = notes.iter().filter_map(hedge).collect();
    match hedges.as_slice() {
        [] => String::new(),
        hedges => format!("（{}）", hedges.join("；")),
    }
}

fn hedge(note: &Note) -> Option<String> {
    match note {
        Note::WithinNoise { .. } => Some(self::note(note)),
        Note::IfIndependent { rounds, .. } => Some(format!("前提是这 {rounds} 轮相互独立")),
        Note::TwoGroups { target, .. } => Some(format!("{target} 的各轮分成两组")),
        _ => None,
    }
}

fn measured(name: &str, of: &str, over: &str, value: f64, interval: Option<Interval>) -> String {
    format!(
        "{of} 的{name}是 {over} 的 {} 倍{}",
        ratio(value),
        ratios(interval)
    )
}

/// ` [0.995 … 1.011]`, or nothing.
pub(crate) fn ratios(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |interval| {
        format!(" {}", units::ratios(interval))
    })
}

fn in_rounds(rounds: &[u32]) -> String {
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!("第 {} 轮", rounds.join("、"))
}
