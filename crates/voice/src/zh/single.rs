//! What one measurement of one target says.

use photofinish_model::finding::single::SingleFinding;
use photofinish_model::units::{Unit, measured_rate, number, percent, thousands};
use photofinish_model::{Generator, Load, Opened, Opening};

use super::{check, figures, load};
use crate::en::single::{by_status, count, late, times};

const TIME: Unit = Unit::Microseconds;

pub(crate) fn finding(finding: &SingleFinding) -> String {
    match finding {
        SingleFinding::Measured {
            rps,
            requests,
            duration_us,
            load,
            errors,
            failed_connects,
        } => format!(
            "{} 请求/秒：{}下 {} 内完成 {} 个请求，{}。",
            measured_rate(*rps),
            level(load),
            TIME.text(*duration_us),
            count(*requests),
            failed(*errors, *requests, *failed_connects)
        ),
        SingleFinding::Overloaded(overloaded) => format!(
            "实际 {}/s，给定 {}/s；给定速率下的响应时间未知",
            thousands(overloaded.achieved_rps),
            thousands(overloaded.offered_rps)
        ),
        SingleFinding::Times(latency) => times(latency),
        SingleFinding::NoTimes {} => "无：没有请求完成".to_owned(),
        SingleFinding::ShortWindow { responses } => format!(
            "测量窗口只有响应时间的 {} 倍，窗口之后才结束的请求不计入请求/秒：请用更长的 -d，或给定请求数（-n）",
            number(*responses)
        ),
        SingleFinding::Errors { kinds, status } => {
            let kinds = kinds.iter().map(|(kind, n)| match kind.as_str() {
                "status" => format!(
                    "{} 个意外状态码（全部响应：{}）",
                    count(*n),
                    by_status(status)
                ),
                "body" => format!("{} 个意外正文", count(*n)),
                "censored" => format!("{} 个在负载结束时仍无响应", count(*n)),
                "timeout" => format!("{} 次超时", count(*n)),
                "reset" => format!("{} 次连接被重置", count(*n)),
                other if other.starts_with("grpc-") => {
                    format!("{} 次 {}", count(*n), figures::error(other))
                }
                other => format!("{} 次 {other}", count(*n)),
            });
            kinds.collect::<Vec<String>>().join("，")
        }
        SingleFinding::Generator(generator) => self::generator(generator),
        SingleFinding::Checks { made, failed } => {
            let names: Vec<&str> = failed.iter().map(|name| check::failed(name)).collect();
            match names.as_slice() {
                [] => format!("无：{made} 项有效性检查全部通过"),
                names => format!(
                    "{made} 项有效性检查中 {} 项未通过：{}",
                    names.len(),
                    names.join("；")
                ),
            }
        }
        SingleFinding::Status { status } => format!("各状态码的响应数：{}", by_status(status)),
        SingleFinding::Bytes { inwards, outwards } => format!(
            "线路上的字节：收 {}，发 {}",
            Unit::Bytes.text(*inwards as f64),
            Unit::Bytes.text(*outwards as f64)
        ),
        SingleFinding::Connections { opened, replaced } => {
            let opened = format!("建立的连接：{}", count(*opened));
            match replaced {
                0 => opened,
                lost => format!("{opened}，其中 {} 个替换了被关闭或丢失的连接", count(*lost)),
            }
        }
        SingleFinding::Opening(opening) => self::opening(opening),
        SingleFinding::InFlight { drained, censored } => {
            let then = match censored {
                0 => "随后都得到了响应".to_owned(),
                never => format!(
                    "{} 个随后得到响应，{} 个始终没有",
                    count(*drained),
                    count(*never)
                ),
            };
            format!(
                "窗口结束时在途：{} 个请求；{then}",
                count(drained + censored)
            )
        }
        SingleFinding::TimedByKernel { lag } => {
            let waited = lag.map_or_else(String::new, |lag| {
                format!("；此后等待读取的时间（不计入任何数字）：{}", late(&lag))
            });
            format!("响应由内核计时{waited}")
        }
        SingleFinding::TimedWhenRead {} => {
            "没有内核时间戳，响应在读取时计时：响应时间含有负载发生器自身的延迟".to_owned()
        }
    }
}

fn opening(opening: &Opening) -> String {
    let kinds = [
        ("TCP 连接", opening.connect),
        ("完整 TLS 握手", opening.tls_full),
        ("恢复会话的 TLS 握手", opening.tls_resumed),
    ];
    let parts = kinds.into_iter().filter_map(|(name, opened)| {
        let Opened { count: n, us } = opened?;
        Some(format!(
            "{name} {} 次（p50 {}，p99 {}，最大 {}）",
            count(n),
            TIME.text(us.p50),
            TIME.text(us.p99),
            TIME.text(us.max)
        ))
    });
    parts.collect::<Vec<String>>().join("；")
}

fn level(load: &Load) -> String {
    match load {
        Load::Closed { .. } | Load::Capacity { .. } => load::level(load),
        Load::Open { connections, .. } => format!(
            "给定 {}、{} 个连接",
            load::level(load),
            thousands(f64::from(*connections))
        ),
    }
}

fn failed(errors: u64, requests: u64, failed_connects: u64) -> String {
    let noun = match (errors, failed_connects) {
        (0, _) => return "无错误".to_owned(),
        (_, 0) => "请求",
        _ => "请求和连接",
    };
    let share = errors as f64 / (requests + failed_connects).max(1) as f64;
    format!("{} 个错误（占{noun}的 {}）", count(errors), percent(share))
}

fn generator(generator: &Generator) -> String {
    let mut parts = vec![
        format!("{} 个线程", generator.threads),
        format!("最忙的占用一个核的 {}", percent(generator.cpu_utilisation)),
    ];
    let cpu = generator.cpu_us_per_request;
    parts.extend(cpu.map(|cpu| format!("每个请求 {} CPU", TIME.text(cpu))));
    let turnaround = generator.turnaround_us;
    parts.extend(turnaround.map(|mean| format!("从响应到下一个请求 {}", TIME.text(mean))));
    if generator.achieved_ratio != 1.0 {
        parts.push(format!(
            "达到给定速率的 {}",
            percent(generator.achieved_ratio)
        ));
    }
    parts.join("，")
}
