//! Two runs of a study.

use photofinish_model::finding::days::{Changed, Differs, Had, HadWorkload, Thing, Unmeasured};
use photofinish_model::units::{Unit, thousands};

use super::load::place;
use super::verdict::void;
use super::{asked, check, load};

pub(crate) fn differs(differs: &Differs) -> String {
    match differs {
        Differs::Smoke => "其中有冒烟运行，不能得出任何结论".to_owned(),
        Differs::Backwards => "第二次运行早于第一次".to_owned(),
        Differs::OtherResponse { target, workload } => {
            format!("{workload}：{target} 的响应与前一次运行不同")
        }
        Differs::NotMeasured(found) => unmeasured(found),
        Differs::Thing {
            what,
            before,
            after,
        } => {
            let text = |was: &Option<Had>| was.as_ref().map_or_else(|| "无".to_owned(), had);
            format!(
                "{}：之前 {}；之后 {}",
                thing(what),
                text(before),
                text(after)
            )
        }
    }
}

pub(crate) fn unmeasured(
    Unmeasured {
        place: at,
        target,
        later,
    }: &Unmeasured,
) -> String {
    match later {
        true => format!("{}：后一次运行没有测到 {target}", place(at)),
        false => format!("{}：前一次运行没有测到 {target}", place(at)),
    }
}

fn had(had: &Had) -> String {
    match had {
        Had::Name { name } => name.clone(),
        Had::Names { names } => names.join("、"),
        Had::Checks { names } => {
            let titles: Vec<&str> = names.iter().map(|name| check::title(name)).collect();
            titles.join("、")
        }
        Had::Count { count } => thousands(*count as f64),
        Had::Bytes { bytes } => Unit::Bytes.text(*bytes as f64),
        Had::Seconds { seconds } => format!("{seconds} s"),
        Had::Workloads { workloads } => {
            let all: Vec<String> = workloads.iter().map(workload).collect();
            all.join("；")
        }
    }
}

fn workload(HadWorkload { name, asked, loads }: &HadWorkload) -> String {
    let levels: Vec<String> = loads.iter().map(load::level).collect();
    let asked = asked::asked(asked);
    format!("{name}（{asked}），{}", levels.join("、"))
}

fn thing(thing: &Thing) -> String {
    match thing {
        Thing::Study => "研究".to_owned(),
        Thing::Processor => "处理器".to_owned(),
        Thing::Cores => "核数".to_owned(),
        Thing::ServerCores => "服务器使用的核".to_owned(),
        Thing::GeneratorCores => "负载发生器使用的核".to_owned(),
        Thing::Memory => "内存".to_owned(),
        Thing::Kernel => "内核".to_owned(),
        Thing::OperatingSystem => "操作系统".to_owned(),
        Thing::Governor => "CPU 调频策略".to_owned(),
        Thing::ServerPriority => "服务器更高的 CPU 优先级".to_owned(),
        Thing::Hypervisor => "虚拟机管理程序".to_owned(),
        Thing::Photofinish => "photofinish".to_owned(),
        Thing::Commit => "提交".to_owned(),
        Thing::Duration => "每次测量的时长".to_owned(),
        Thing::Command { target } => format!("{target} 的命令"),
        Thing::Tool { target, tool } => format!("{target} 的 {tool}"),
        Thing::Targets => "对象".to_owned(),
        Thing::Loads => "负载".to_owned(),
        Thing::FailedChecks => "未通过的检查".to_owned(),
    }
}

pub(crate) fn changed(changed: &Changed) -> String {
    match changed {
        Changed::Faster => "更快".to_owned(),
        Changed::Slower => "更慢".to_owned(),
        Changed::Higher => "更高".to_owned(),
        Changed::Lower => "更低".to_owned(),
        Changed::Tie => "打平".to_owned(),
        Changed::Undecided => "无法判定".to_owned(),
        Changed::Void { reason } => format!("无效：{}", void(reason)),
    }
}
