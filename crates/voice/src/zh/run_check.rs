//! The validity checks of a whole run.

use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::finding::run_check::{Counted, Responded, RunCheckFinding};
use photofinish_model::network::{Interface, InterfaceKind};
use photofinish_model::units::{Unit, thousands};

use super::{check, load, metric, network, noise};
use crate::en::noise::size;
use crate::typeset::quote;

pub(crate) fn finding(finding: &RunCheckFinding) -> String {
    match finding {
        RunCheckFinding::Title { check } => check::title(check).to_owned(),
        RunCheckFinding::Passed { checked, counted } => {
            format!("通过：检查了 {}", count(*checked, *counted))
        }
        RunCheckFinding::Failed {
            check,
            failing,
            checked,
            counted,
        } => format!(
            "{}中有 {} 个未通过：{}",
            count(*checked, *counted),
            thousands(*failing as f64),
            check::meaning(check)
        ),
        RunCheckFinding::Partly {
            checked,
            of,
            counted,
            why,
        } => {
            let why = why
                .as_ref()
                .map_or_else(String::new, |why| format!("；其余：{}", self::finding(why)));
            format!(
                "在检查过的地方通过：{}中检查了 {} 个{why}",
                count(*of, *counted),
                thousands(*checked as f64)
            )
        }
        RunCheckFinding::NotChecked { why: None } => "未检查".to_owned(),
        RunCheckFinding::NotChecked { why: Some(why) } => {
            format!("未检查：{}", self::finding(why))
        }
        RunCheckFinding::Measured { finding } => check::finding(finding),
        RunCheckFinding::Recorded { says } => quote(says),
        RunCheckFinding::NoPair {} => "本研究没有 A/A 对照：运行时请加 --aa".to_owned(),
        RunCheckFinding::SmokeRun {} => "冒烟运行没有噪声下限".to_owned(),
        RunCheckFinding::PairNeedsRounds {} => {
            "A/A 对照至少需要两轮，且两份副本都有数值".to_owned()
        }
        RunCheckFinding::NoiseFloor {
            workload,
            load,
            floor,
        } => format!(
            "{workload}，{}：{}",
            load::level(load),
            noise::finding(floor)
        ),
        RunCheckFinding::DiffersFromItself { floor } => match floor {
            NoiseFinding::Void { .. } | NoiseFinding::NothingToCompare { .. } => {
                noise::finding(floor)
            }
            NoiseFinding::Differed {
                metric,
                by,
                interval,
                ..
            } => {
                let name = metric::name(metric);
                format!(
                    "其{name}与自身相差 {}：在这台机器上，比这更小的{name}差异不可信",
                    size(*by, *interval)
                )
            }
        },
        RunCheckFinding::SharedProcess { pid, target, round } => {
            format!("其服务器进程 {pid} 就是第 {round} 轮中 {target} 的进程")
        }
        RunCheckFinding::RanAlready {} => "服务器事先已在运行，没有为各轮启动进程".to_owned(),
        RunCheckFinding::NoOwnCores {
            machine,
            pod,
            asked,
            may,
        } => format!(
            "Pod {pod} 请求 {asked} 个核，却可在 {machine} 的 {may} 个核上运行：限制它的是 CPU 时间，它没有独占的核"
        ),
        RunCheckFinding::NotBound {
            machine,
            job,
            asked,
            may,
        } => format!(
            "作业 {job} 请求 {machine} 的 {asked} 个核，却可在其中 {may} 个核上运行：Slurm 没有把它绑定到分给它的核"
        ),
        RunCheckFinding::FullLink { link } => network::full_link(link),
        RunCheckFinding::NoLinkSpeed { machine, interface } => match interface {
            None => format!("{machine} 的网络接口未知"),
            Some(Interface { name, kind, .. }) => {
                let what = match kind {
                    InterfaceKind::Loopback => "环回接口，没有速率",
                    InterfaceKind::Virtual => "虚拟链路，自身没有速率",
                    InterfaceKind::Device => "未报告速率的设备",
                };
                format!("{machine} 的 {name} 是{what}")
            }
        },
        RunCheckFinding::Grouped {} => "各对象没有轮流：一个的全部试验做完才轮到下一个".to_owned(),
        RunCheckFinding::Seed { seed } => format!("随机种子 {seed}"),
        RunCheckFinding::OtherResponse {
            got,
            other,
            expected,
        } => format!(
            "响应是{}，而 {other} 的响应是{}",
            response(got),
            response(expected)
        ),
        RunCheckFinding::WireBytes { workload, bytes } => {
            let each: Vec<String> = bytes
                .iter()
                .map(|(target, bytes)| format!("{target} {}", thousands(*bytes as f64)))
                .collect();
            format!(
                "{workload}：每个响应在线路上的字节数不同：{}",
                each.join("，")
            )
        }
        RunCheckFinding::OwnHeaders { workload, headers } => {
            let own: Vec<String> = headers
                .iter()
                .map(|(target, own)| format!("{target} 发送 {}", own.join("、")))
                .collect();
            format!(
                "{workload}：并非所有对象都发送的头部字段：{}",
                own.join("；")
            )
        }
        RunCheckFinding::NeverSettled {
            target,
            duration_s,
            workload,
            load,
            round,
        } => format!(
            "始终没有稳定：第 {round} 轮中，{target} 在 {workload}（{}）上预热 {} 后仍未稳定",
            load::level(load),
            Unit::Microseconds.text(duration_s * 1e6)
        ),
    }
}

fn count(n: usize, counted: Counted) -> String {
    let n = thousands(n as f64);
    match counted {
        Counted::Measurements => format!("{n} 次测量"),
        Counted::Trials => format!("{n} 次试验"),
        Counted::Pods => format!("{n} 个 Pod"),
        Counted::Nodes => format!("{n} 个节点"),
        Counted::TargetsAndWorkloads => format!("{n} 组对象与负载"),
        Counted::AaComparisons => format!("{n} 次 A/A 对照"),
    }
}

fn response(response: &Responded) -> String {
    let hash: String = response.sha256.chars().take(8).collect();
    let status = match response.status {
        0 => String::new(),
        status => format!("状态码 {status}，"),
    };
    format!(
        "{status}正文 {} 字节（SHA-256 {hash}…）",
        thousands(response.bytes as f64)
    )
}
