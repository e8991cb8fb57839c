//! A study's runs over time.

use photofinish_model::{Metric, Place};

photofinish_model::messages! { "history";
    /// A figure shifted from one run to the next, and stayed.
    shifted(place: Place, server: Name, metric: Metric, over: Brackets, change: Change, interval: ChangeBounds, since: Name, began: Tail, machine: Tail)
        "{place}: {server}, {metric}{over}: {change}{interval} since the run of {since}{began}{machine}",
        "{place}：{server} 的{metric}{over}：自 {since} 的运行起 {change}{interval}{began}{machine}";
    relative_to(baseline: Name)
        "relative to {baseline}",
        "相对于 {baseline}";
    began_between(earliest: Name, latest: Name)
        "it began between the runs of {earliest} and {latest}",
        "变化始于 {earliest} 与 {latest} 的运行之间";
    machine_changed()
        "the machine or photofinish changed there too, which may be the cause",
        "机器或 photofinish 也在此时改变，可能是其原因";
    stable(series: Series, runs: Runs)
        "no change point in {series} over {runs}",
        "{runs}的{series}中没有变化点";
    other_races(runs: Runs)
        "{runs} left out: they are of other commands, requests or levels than the last one",
        "另有{runs}未计入：其命令、请求或负载级别与最后一次运行不同";
    few_runs(runs: Runs, needed: Runs)
        "{runs}: finding change points takes {needed}",
        "只有{runs}：至少{needed}才能寻找变化点";
}
