//! What flags leave out of a study.

use photofinish_model::Load;

photofinish_model::messages! { "left_out";
    server(server: Name)
        "target {server}: --only leaves it out",
        "被测服务器 {server}：`--only` 没有选它";
    reference(server: Name)
        "limit {server}: --no-limit leaves it out",
        "参照服务器 {server}：`--no-limit` 去掉了它";
    workload(workload: Name)
        "workload {workload}: none of its targets is run",
        "工作负载 {workload}：它的被测服务器都没有运行";
    claim_server(id: Name, server: Name)
        "claim {id}: its target {server} is not run",
        "说法 {id}：它的被测服务器 {server} 没有运行";
    claim_workload(id: Name, workload: Name)
        "claim {id}: its workload {workload} is not run",
        "说法 {id}：它的工作负载 {workload} 没有运行";
    claim_level(id: Name, load: Load)
        "claim {id}: its load level ({load}) is not run",
        "说法 {id}：它的负载（{load}）没有运行";
    claim_published_level(id: Name, load: Load)
        "claim {id}: its load level ({load}) is not run (--scale published runs it)",
        "说法 {id}：它的负载（{load}）没有运行（用 `--scale published` 即可运行）";
    claim_revisions(id: Name)
        "claim {id}: with --rev, revisions of its targets race",
        "说法 {id}：`--rev` 让它的被测服务器的不同版本参赛";
}

use photofinish_model::finding::left_out::{LeftOut, Untested};

/// Returns what was left out, and why.
pub fn says(left_out: &LeftOut) -> Message {
    match left_out {
        LeftOut::Target { target } => server(target),
        LeftOut::Limit { target } => reference(target),
        LeftOut::Workload { workload: name } => workload(name),
        LeftOut::Claim { id, why } => match why {
            Untested::Target { target } => claim_server(id, target),
            Untested::Workload { workload } => claim_workload(id, workload),
            Untested::Level {
                load,
                published: false,
            } => claim_level(id, load),
            Untested::Level {
                load,
                published: true,
            } => claim_published_level(id, load),
            Untested::Revisions {} => claim_revisions(id),
        },
    }
}
