//! What may be wrong with load generators.

use photofinish_model::finding::check::{GeneratorLimit, GeneratorTrouble, Trouble};
use photofinish_model::units::{Unit, number, thousands};

use super::{count, whole_percent};

/// Why the load generator was the bottleneck.
pub(super) fn limit(limit: &GeneratorLimit) -> String {
    match limit {
        GeneratorLimit::Busy {} => "其最忙的线程已饱和：请给它更多核".to_owned(),
        GeneratorLimit::BusyAtFailed { rate_rps } => format!(
            "在不满足目标的速率 {}/s 下，其最忙的线程已饱和：服务器也许能承受更多；请给负载发生器更多核",
            thousands(rate_rps.round())
        ),
        GeneratorLimit::Starved { at_server, more } => format!(
            "服务器处平均只有 {} 个请求，它常在等待负载发生器，最多还能多处理 {}；响应时间不受影响；请用更多连接",
            number(*at_server),
            whole_percent(*more)
        ),
        GeneratorLimit::Late {
            requests,
            of,
            longest_us,
            p99_us,
            in_time_us,
        } => format!(
            "{} 个请求（共 {} 个）虽有空闲连接，却最多迟发 {}，因为其线程没有运行：若按时发出，p99 会是 {}，而不是 {}",
            count(*requests),
            count(*of),
            Unit::Microseconds.text(*longest_us),
            Unit::Microseconds.text(*in_time_us),
            Unit::Microseconds.text(*p99_us)
        ),
        GeneratorLimit::ClockStepped { by_us } => format!(
            "期间系统时钟被调整了 {}，内核时间戳因此失效：请重新测量",
            Unit::Microseconds.text(*by_us)
        ),
    }
}

/// What is wrong with one of several load generators.
pub(in super::super) fn trouble(trouble: &GeneratorTrouble) -> String {
    let machine = &trouble.machine;
    match trouble.what {
        Trouble::Bottleneck => format!("负载发生器 {machine} 成了瓶颈"),
        Trouble::Unpinned => format!("负载发生器 {machine} 没有留在分配给它的核上"),
        Trouble::SharesServer => format!("负载发生器 {machine} 与服务器在同一台机器上"),
        Trouble::Clock => format!(
            "{machine} 的时钟偏差无法足够准确地得知，不能保证与其他负载发生器同时开始：到它的链路太慢或太忙"
        ),
    }
}
