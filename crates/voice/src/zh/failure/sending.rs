//! Why no load could be sent, or a request not be built.

use photofinish_model::finding::failure::{LoadPart, LoadTrouble, RequestFault, RequestPart};

use super::complaint;
use crate::typeset::quote;
use crate::zh::figures;

pub(crate) fn no_load(trouble: &LoadTrouble) -> String {
    match trouble {
        LoadTrouble::Recorded { says } => quote(says),
        LoadTrouble::Connect { address, kind, why } => {
            // What to look at first, where the sentence does not say so itself.
            let question = match kind.starts_with("connect") {
                true => "；服务器是否在运行？",
                false => "",
            };
            format!(
                "无法连接 {}：{}（{}）{question}",
                quote(address),
                complaint(why),
                figures::error(kind)
            )
        }
        LoadTrouble::Files { needed, allowed } => format!(
            "需要打开 {needed} 个文件，而本进程最多可打开 {allowed} 个；请提高硬上限（`ulimit -Hn`），或减少连接"
        ),
        LoadTrouble::Pin { cpu, says } => format!(
            "无法在 CPU {cpu} 上运行：{}；请选择本进程可用的 CPU",
            quote(says)
        ),
        LoadTrouble::Request { why } => fault(why),
        LoadTrouble::NoIssuers {} => {
            "本机没有颁发者的证书（Debian：请安装 `ca-certificates`）；请给出 `--cacert FILE` 或 `--insecure`".to_owned()
        }
        LoadTrouble::Settings { says } => format!("负载的设置无法使用：{}", quote(says)),
        LoadTrouble::System { what, says } => format!("{}：{}", part(*what), quote(says)),
        LoadTrouble::FewConnections {
            connections,
            generators,
        } => format!(
            "{generators} 个负载发生器只有 {connections} 个连接，而每个至少要有一个；请增加连接，或减少 `[[generator]]`"
        ),
        LoadTrouble::FewRequests {
            requests,
            generators,
        } => format!(
            "{generators} 个负载发生器只有 {requests} 个请求，而每个至少要发送一个；请增加请求，或减少 `[[generator]]`"
        ),
        LoadTrouble::Apart { tries } => format!(
            "试了 {tries} 次，各负载发生器都没有同时开始：每次都有一个开始得太晚；请检查是什么拖慢了它，或通向它的链路"
        ),
        LoadTrouble::Broken {} => "负载发生器的一个线程崩溃了".to_owned(),
    }
}

fn part(part: LoadPart) -> &'static str {
    match part {
        LoadPart::Connection => "无法监视连接",
        LoadPart::Poll => "无法等待事件",
        LoadPart::Timer => "无法设置定时器",
        LoadPart::Thread => "无法启动线程（其数量可能受 `ulimit -u` 限制）",
        LoadPart::Files => "无法提高可打开文件数的上限",
    }
}

pub(crate) fn fault(fault: &RequestFault) -> String {
    match fault {
        RequestFault::Recorded { says } => quote(says),
        RequestFault::Word { part, value } => {
            let part = match part {
                RequestPart::Method => "方法",
                RequestPart::Path => "路径",
                RequestPart::HeaderName => "头部字段名",
            };
            format!(
                "请求的{part} {} 含有空格、换行或其他不能在此发送的字符",
                quote(&value.escape_debug().to_string())
            )
        }
        RequestFault::Value { name, value } => format!(
            "头部字段 {} 的值 {} 含有换行或控制字符",
            quote(name),
            quote(&value.escape_debug().to_string())
        ),
        RequestFault::Bounds { low, high } => {
            format!("从 {low} 到 {high} 没有整数；请把较小的写在前面")
        }
    }
}
