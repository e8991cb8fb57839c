//! The validity checks.

mod generator;
mod name;
mod noise;
mod steady;

use photofinish_model::finding::check::{CheckFinding, Law};
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::units::{Unit, measured_rate, number, percent, signed, thousands};

use generator::limit;
pub(super) use generator::trouble;
pub(crate) use name::{failed, meaning, title};
use noise::source;
use steady::change;

use super::complaint::{complaint, difference};
use super::{failure, figures};
use crate::check::against_limit;

/// The arithmetic of a check, or why it was not made.
pub(crate) fn finding(finding: &CheckFinding) -> String {
    match finding {
        CheckFinding::OneRunAlone {} => "仅凭一次负载运行无法检查".to_owned(),
        CheckFinding::LawOpenLoop {} => "开环没有固定的在途请求数".to_owned(),
        CheckFinding::LawNoRequest {} | CheckFinding::NoRequest { first: None } => {
            "没有请求完成".to_owned()
        }
        CheckFinding::LawLost { lost, requests } => format!(
            "{} 个请求中有 {} 个没有得到响应，其连接也随之丢失",
            count(*requests),
            count(*lost)
        ),
        CheckFinding::LawFewRequests { requests, room } => format!(
            "只有 {} 个请求，而可同时在途 {} 个：部分连接没有请求；请发送更多请求",
            count(*requests),
            count(*room)
        ),
        CheckFinding::LawHolds { law } => self::law(law),
        CheckFinding::LawCannotTell { law } => format!(
            "{}；除 5% 的误差外，仅窗口开启和关闭时在途的请求就可能造成 {} 的偏差：请延长测量时间",
            self::law(law),
            percent(law.edge)
        ),
        CheckFinding::LawBroken { law } => self::law(law),
        CheckFinding::Generator {
            limits,
            busiest,
            hands,
            achieved,
            overloaded,
            lag_p50_us,
        } => {
            let mut parts: Vec<String> = limits.iter().map(limit).collect();
            parts.extend(overloaded.map(|overloaded| {
                let cause = match limits.is_empty() {
                    true => "瓶颈是服务器或连接数；",
                    false => "",
                };
                format!(
                    "过载：给定 {}/s，实际 {}/s：{cause}给定速率下的响应时间未知",
                    thousands(overloaded.offered_rps.round()),
                    thousands(overloaded.achieved_rps.round())
                )
            }));
            parts.push(format!(
                "其最忙的线程占用一个核的 {}",
                whole_percent(*busiest)
            ));
            parts.extend(hands.map(|hands| {
                format!(
                    "每个连接的周期有 {} 花在负载发生器中（{:.1} / {:.1} µs），平均有 {} 个请求在服务器处",
                    whole_percent(hands.turnaround_us / hands.cycle_us),
                    hands.turnaround_us,
                    hands.cycle_us,
                    number(hands.at_server)
                )
            }));
            parts.extend(
                achieved.map(|achieved| format!("实现了给定速率的 {:.1}%", achieved * 100.0)),
            );
            parts.extend(
                lag_p50_us.map(|lag| format!("响应等待读取 {lag:.1} µs（中位数），不计入任何数字")),
            );
            parts.join("；")
        }
        CheckFinding::NoRequest { first: Some(first) } => {
            format!("没有请求完成：{}", complaint(first))
        }
        CheckFinding::NoErrors { requests } => {
            format!("{} 个响应全部符合预期", count(*requests))
        }
        CheckFinding::Errors {
            failed,
            attempts,
            connects,
            kinds,
            first,
        } => {
            let noun = match connects {
                true => "次请求和连接",
                false => "个请求",
            };
            format!(
                "{} {noun}中有 {} 个失败：{}{}",
                count(*attempts),
                count(*failed),
                figures::errors(kinds),
                the_first(first.as_ref())
            )
        }
        CheckFinding::TooFewWindows { windows, needed } => {
            format!("{windows} 个窗口看不出突变，需要 {needed} 个：请延长测量时间")
        }
        CheckFinding::NoFigures {} => "各窗口没有数值".to_owned(),
        CheckFinding::Flat { series, windows } => {
            let series: Vec<&str> = series.iter().copied().map(steady::series).collect();
            format!("平稳：{windows} 个窗口内的{}", series.join("和"))
        }
        CheckFinding::Unsteady { compiling, changes } => {
            let compiling = compiling
                .map(|share| format!("预热：其即时编译器仍占其 CPU 时间的 {}", percent(share)));
            let parts: Vec<String> = compiling
                .into_iter()
                .chain(changes.iter().map(change))
                .collect();
            parts.join("；")
        }
        CheckFinding::NoOtherTarget {} => "还没有其他对象作出响应".to_owned(),
        CheckFinding::OtherStatus {
            workload,
            target,
            status,
            other,
            other_status,
        } => format!("{workload}：{target} 的状态码是 {status}，{other} 的是 {other_status}"),
        CheckFinding::OtherBody {
            workload,
            target,
            other,
            expected_bytes,
            got_bytes,
            difference,
        } => {
            let at = difference
                .as_ref()
                .map_or_else(String::new, |at| format!("；{}", self::difference(at)));
            format!(
                "{workload}：{target} 的正文与 {other} 的不同：{} 字节对 {} 字节{at}",
                count(*got_bytes),
                count(*expected_bytes)
            )
        }
        CheckFinding::SameShape { status, others } => format!(
            "与 {} 一样：状态码 {status}，正文符合规定的形式",
            others.join("、")
        ),
        CheckFinding::SameResponse {
            status: 0,
            bytes,
            others,
        } => format!("与 {} 相同的 {} 字节", others.join("、"), count(*bytes)),
        CheckFinding::SameResponse {
            status,
            bytes,
            others,
        } => format!(
            "与 {} 一样：状态码 {status}，相同的 {} 字节正文",
            others.join("、"),
            count(*bytes)
        ),
        CheckFinding::NotSampled {} => "没有对机器采样".to_owned(),
        CheckFinding::Machine { sources } => {
            let sources: Vec<String> = sources.iter().map(source).collect();
            sources.join("，")
        }
        CheckFinding::Generators {
            of,
            troubles,
            apart_us,
        } => {
            let apart = Unit::Microseconds.text(*apart_us);
            match troubles.as_slice() {
                [] => format!("{of} 台负载发生器，其测量窗口最多相差 {apart}"),
                troubles => troubles.iter().map(trouble).collect::<Vec<_>>().join("；"),
            }
        }
        CheckFinding::Bystanders { cores, limit } => {
            let (used, most) = against_limit(*cores, *limit);
            let used = format!("其他对象的服务器在此期间使用了一个核的 {used}");
            match cores <= limit {
                true => used,
                false => format!(
                    "{used}（上限 {most}）：请在此期间暂停它们（`--freeze`），或逐个测量各对象（`--sequential`）"
                ),
            }
        }
        CheckFinding::BytesOfFailed {} => "有请求失败，其字节数未知".to_owned(),
        CheckFinding::BytesNotStated {} => "负载没有规定响应的正文".to_owned(),
        CheckFinding::ResponsesVary {} => "响应彼此不同，无法与验证时的响应比较".to_owned(),
        CheckFinding::AsStated { responses, wrong } => match wrong {
            0 => format!("全部 {} 个响应都与声明相符", count(*responses)),
            wrong => format!(
                "{} 个响应中有 {} 个的状态或正文与声明不符",
                count(*responses),
                count(*wrong)
            ),
        },
        CheckFinding::AsVerified {
            responses,
            changed: 0,
            ..
        } => format!("全部 {} 个响应都与验证时相同", count(*responses)),
        CheckFinding::AsVerified {
            responses,
            changed,
            first,
        } => format!(
            "{} 个响应中有 {} 个与验证时不同{}",
            count(*responses),
            count(*changed),
            the_first(first.as_ref())
        ),
        CheckFinding::EchoBytes {
            requests,
            size,
            came,
            went,
        } => format!(
            "{} 次回显 × {size} 字节 = {} 字节；收到 {}，发出 {}",
            count(*requests),
            count(requests * size),
            count(*came),
            count(*went)
        ),
        CheckFinding::BodyBytes {
            requests,
            body,
            head,
            came,
        } => format!(
            "{} 个响应 ×（{body} 字节正文，至少 {head} 字节头部）= 至少 {} 字节；收到 {}",
            count(*requests),
            count(requests * (body + head)),
            count(*came)
        ),
        CheckFinding::RowsNotCounted { why } => format!("没有数行数：{}", failure::finding(why)),
        CheckFinding::Rows {
            table,
            found,
            good,
            unknown,
        } => rows(table, *found, *good, *unknown),
    }
}

/// What went wrong first among several.
fn the_first(first: Option<&Complaint>) -> String {
    first.map_or(String::new(), |first| {
        format!("；第一个：{}", complaint(first))
    })
}

/// `上升 6.2%`, `升至 3.4 倍`; from or to zero there is neither.
pub(crate) fn changed(from: f64, to: f64) -> String {
    let verb = if to < from { "下降" } else { "上升" };
    let times = to / from;
    if !times.is_finite() || times < 0.0 {
        return verb.to_owned();
    }
    if times >= 2.0 {
        return format!("升至 {} 倍", number(times));
    }
    format!("{verb} {}", percent((times - 1.0).abs()))
}

fn law(law: &Law) -> String {
    format!(
        "每秒发出 {} 个 ×（{:.1} + {:.1}）µs = {}中的 {:.1} 个（{}%）",
        measured_rate(law.rate_rps),
        law.latency_us,
        law.turnaround_us,
        match law.streams {
            1 => format!("{} 个连接", law.connections),
            streams => format!("{} × {streams} 个流", law.connections),
        },
        law.in_flight,
        signed(law.off() * 100.0, 1)
    )
}

fn rows(table: &str, found: u64, good: u64, unknown: u64) -> String {
    let but = match unknown {
        0 => String::new(),
        n => format!("，另有 {} 个未成功，各自可能留下一行", count(n)),
    };
    let sentence = format!(
        "{} 个请求成功{but}，{table} 有 {} 行",
        count(good),
        count(found)
    );
    if found < good {
        format!("缺 {} 行：{sentence}", count(good - found))
    } else if found > good + unknown {
        format!("多 {} 行：{sentence}", count(found - good - unknown))
    } else {
        sentence
    }
}

fn count(n: u64) -> String {
    thousands(n as f64)
}

/// A share without decimals: a gauge, no figure to compare.
fn whole_percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
