//! Why a service that a target needs is not there.

use photofinish_model::finding::failure::{DatabaseFate, ServiceTrouble, StartedDatabase};

use super::{printed, span};
use crate::typeset::quote;

pub(crate) fn trouble(trouble: &ServiceTrouble) -> String {
    match trouble {
        ServiceTrouble::Programs {
            service,
            title,
            wanted,
            found,
            remedy,
        } => format!(
            "找不到服务 {} 所需的 {}：{}；{}",
            quote(service),
            quote(&format!("{title} {wanted}")),
            quote(found),
            quote(remedy)
        ),
        ServiceTrouble::Fetch {
            service,
            artifact,
            says,
        } => format!(
            "无法为服务 {} 下载 {}：{}",
            quote(service),
            quote(artifact),
            quote(says)
        ),
        ServiceTrouble::Start {
            database: started,
            fate: became,
            printed: last,
        } => format!(
            "无法启动{}：{}{}",
            database(started),
            fate(became),
            printed(last)
        ),
        ServiceTrouble::Connect {
            service,
            place,
            says,
        } => format!(
            "无法连接服务 {}（{}）：{}",
            quote(service),
            quote(place),
            quote(says)
        ),
        ServiceTrouble::Sql {
            service,
            file,
            line,
            says,
        } => format!(
            "无法在服务 {} 上执行 {}：{}",
            quote(service),
            quote(&format!("{file}:{line}")),
            quote(says)
        ),
        ServiceTrouble::Rows {
            service,
            table,
            expected,
            found,
        } => format!(
            "服务 {} 的表 {} 起始应有 {expected} 行，实有 {found} 行；请更正建表文件或 `rows`",
            quote(service),
            quote(table)
        ),
    }
}

pub(crate) fn database(database: &StartedDatabase) -> String {
    let StartedDatabase {
        title,
        version,
        origin,
        service,
    } = database;
    format!(
        "服务 {} 的 {}（{}）",
        quote(service),
        quote(&format!("{title} {version}")),
        quote(origin)
    )
}

fn fate(fate: &DatabaseFate) -> String {
    match fate {
        DatabaseFate::SetUp { how } => format!("初始化以 {} 结束", quote(how)),
        DatabaseFate::SetUpTooLong { within_s } => {
            format!("初始化超过了 {}", span(*within_s))
        }
        DatabaseFate::NotReady { within_s, says } => {
            format!("在 {} 内没有就绪：{}", span(*within_s), quote(says))
        }
        DatabaseFate::Ended { how } => format!("中途退出（{}）", quote(how)),
        DatabaseFate::Refused { says } => quote(says),
    }
}
