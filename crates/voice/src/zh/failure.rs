//! Why something was not measured.

use photofinish_model::finding::failure::{
    Around, AroundFate, FailureFinding, Fate, NoResponse, NotReady, PortHolder, Printed, Silence,
    Unanswered, When, Wrong,
};

use super::asked::asked;
use super::complaint::{complaint, difference, span};
use super::load;
use crate::typeset::quote;

mod sending;
mod service;

pub(crate) use sending::{fault, no_load};
pub(crate) use service::{database, trouble};

pub(crate) fn finding(finding: &FailureFinding) -> String {
    match finding {
        FailureFinding::Recorded { says } => quote(says),
        FailureFinding::NoReason {} => "没有记录原因".to_owned(),
        FailureFinding::Tool {
            tool,
            wanted,
            found,
            remedy,
        } => format!(
            "找不到 {}：{}；{}",
            quote(&format!("{tool} {wanted}")),
            quote(found),
            quote(remedy)
        ),
        FailureFinding::Build {
            target,
            says,
            command,
            log,
            last,
        } => format!(
            "构建 {target} 失败：{}；命令：{}；日志 {}{}",
            quote(says),
            quote(command),
            quote(log),
            tail(last)
        ),
        FailureFinding::Image {
            target,
            image,
            says,
            log,
            last,
        } => format!(
            "无法拉取 {target} 的镜像 {}：{}；请检查镜像名是否正确、是否以仓库地址开头（例如 {}），以及服务器所在的机器能否访问该仓库；也可以在运行之前先在那台机器上拉取或构建它；日志 {}{}",
            quote(image),
            quote(says),
            quote("docker.io/library/"),
            quote(log),
            tail(last)
        ),
        FailureFinding::Start { command, says } => {
            format!("无法启动 {}：{}", quote(command), quote(says))
        }
        FailureFinding::Around {
            around,
            command,
            fate,
            printed,
        } => format!(
            "{}{}",
            around_failed(*around, command, fate),
            self::printed(printed)
        ),
        FailureFinding::Machine { says } => format!("机器出错：{}", quote(says)),
        FailureFinding::Service { says } => format!("所需的服务出错：{}", quote(says)),
        FailureFinding::Unreachable { machine, says } => {
            format!("无法连到机器 {}：{}", quote(machine), quote(says))
        }
        FailureFinding::Elsewhere { machine, says } => {
            format!("机器 {} 上出错：{}", quote(machine), quote(says))
        }
        FailureFinding::NoPort { says } => format!("找不到空闲的 TCP 端口：{}", quote(says)),
        FailureFinding::NoTemporaryFolder { says } => {
            format!("无法建立存放临时文件的目录：{}", quote(says))
        }
        FailureFinding::Unkillable { processes, seconds } => format!(
            "无法结束 {}：发出 SIGKILL {seconds} 秒后仍在运行；请在下次运行之前手动结束",
            quote(processes)
        ),
        FailureFinding::NotServed { why } => trouble(why),
        FailureFinding::NoService { service } => format!("没有名为 {service} 的服务"),
        FailureFinding::Port {
            port,
            target,
            holder,
        } => format!(
            "{target} 需要的端口 {port} 已被{}占用；请结束该进程，或给该对象另一个端口",
            self::holder(holder)
        ),
        FailureFinding::Socket {
            path,
            target,
            holder,
        } => format!(
            "{target} 监听的 Unix 套接字 {} 已被{}占用；请结束该进程，或给该对象另一个路径",
            quote(path),
            self::holder(holder)
        ),
        FailureFinding::Server { fate, printed } => {
            format!("服务器{}{}", self::fate(fate), self::printed(printed))
        }
        FailureFinding::Response { wrong } => self::wrong(wrong),
        FailureFinding::Load { why } => format!("无法发送负载：{}", no_load(why)),
        FailureFinding::Silent { silence } => self::silence(silence),
        FailureFinding::Gone { silence, then } => {
            format!("{}；随后{}", self::silence(silence), self::finding(then))
        }
        FailureFinding::GivenUp { rounds: [a, b] } => format!(
            "没有再启动：第 {a} 轮和第 {b} 轮都启动失败；修好之后，`--resume` 会补上缺少的测量"
        ),
        FailureFinding::NoStep {} => "搜索没有时间完成哪怕一步".to_owned(),
    }
}

/// The same where there is room for one line, without what a program printed and where that stands.
pub(crate) fn in_a_line(finding: &FailureFinding) -> String {
    match finding {
        FailureFinding::Server { fate, printed } if !printed.lines.is_empty() => {
            format!("服务器{}", self::fate(fate))
        }
        FailureFinding::Around {
            around,
            command,
            fate,
            printed,
        } if !printed.lines.is_empty() => around_failed(*around, command, fate),
        FailureFinding::Gone { silence, then } => {
            format!("{}；随后{}", self::silence(silence), in_a_line(then))
        }
        other => {
            let says = self::finding(other);
            says.lines().next().unwrap_or_default().to_owned()
        }
    }
}

pub(crate) fn holder(holder: &PortHolder) -> String {
    match (holder.pid, holder.command.as_str()) {
        (0, _) => "其他用户或容器的进程".to_owned(),
        (pid, "") => format!("进程 {pid}"),
        (pid, command) => format!("进程 {pid}（{}）", quote(command)),
    }
}

/// What was run around a server, and how that failed.
fn around_failed(around: Around, command: &str, fate: &AroundFate) -> String {
    let which = match around {
        Around::Prepare => "启动之前",
        Around::Cleanup => "停止之后",
    };
    let fate = match fate {
        AroundFate::Ended { how } => format!("失败（{}）", quote(how)),
        AroundFate::TooLong { within_s } => format!("在 {} 内没有结束", span(*within_s)),
    };
    let (name, command) = (quote(around.name()), quote(command));
    format!("{which}运行的 {name} 命令{fate}：{command}")
}

fn fate(fate: &Fate) -> String {
    match fate {
        Fate::NotReady { within_s, why } => {
            format!("在 {} 内没有就绪：{}", span(*within_s), not_ready(why))
        }
        Fate::Ended { when, how, well } => {
            let but = match well {
                true => "，而其命令在服务期间必须留在前台",
                false => "",
            };
            format!("{}退出（{}）{but}", self::when(*when), quote(how))
        }
        Fate::Lost { when, why } => {
            format!("{}失去联系：{}", self::when(*when), finding(why))
        }
        Fate::Silent { wrong } => format!("没有响应：{}", self::wrong(wrong)),
    }
}

fn when(when: When) -> &'static str {
    match when {
        When::BeforeReady => "在就绪之前",
        When::Verified => "在验证时",
        When::Loaded => "在发送负载期间",
        When::AfterLoad => "在发送负载之后",
    }
}

fn not_ready(why: &NotReady) -> String {
    match why {
        NotReady::Connect { address, says } => format!("连接 {}：{}", quote(address), quote(says)),
        NotReady::Status { url, status } => {
            format!("{}：状态码 {status}", quote(&format!("GET {url}")))
        }
        NotReady::NoResponse { url, met } => {
            format!("{}：{}", quote(&format!("GET {url}")), no_response(met))
        }
    }
}

/// Why a server was not verified: it begins with the request.
pub(crate) fn wrong(wrong: &Wrong) -> String {
    let (Wrong::Silent { request, .. }
    | Wrong::Request { request, .. }
    | Wrong::Status { request, .. }
    | Wrong::Body { request, .. }
    | Wrong::Login { request, .. }
    | Wrong::LoginSize { request, .. }
    | Wrong::Shape { request, .. }) = wrong;
    let request = asked(request);
    match wrong {
        Wrong::Silent { met, .. } => format!("{}：{}", quote(&request), no_response(met)),
        Wrong::Request { why, .. } => format!("{}：{}", quote(&request), fault(why)),
        Wrong::Shape { why, .. } => format!("{}：{}", quote(&request), complaint(why)),
        Wrong::Status {
            expected,
            got,
            body,
            more,
            ..
        } => {
            let expected = expected.map_or_else(
                || "200 到 399 的状态码".to_owned(),
                |status| format!("状态码 {status}"),
            );
            let body = match body.as_str() {
                "" => "为空".to_owned(),
                body => format!("为 {}{}", quote(body), if *more { "…" } else { "" }),
            };
            format!(
                "{}：应为{expected}，实为 {got}，正文{body}",
                quote(&request)
            )
        }
        Wrong::Login {
            name,
            from,
            body,
            more,
            ..
        } => {
            let more = if *more { "…" } else { "" };
            let body = match body.is_empty() {
                true => "响应没有正文".to_owned(),
                false => format!("正文开头为 {}{more}", quote(body)),
            };
            format!(
                "{}：响应中没有 {}，无法从中取得 {}；{body}",
                quote(&request),
                quote(from),
                quote(&format!("{{login.{name}}}"))
            )
        }
        Wrong::LoginSize {
            name: Some(name),
            bytes,
            most,
            ..
        } => format!(
            "{}：{} 长 {bytes} 字节，最多可发送 {most} 字节",
            quote(&request),
            quote(&format!("{{login.{name}}}"))
        ),
        Wrong::LoginSize {
            name: None,
            bytes,
            most,
            ..
        } => format!(
            "{}：填入从其响应中取得的值后，全部请求共 {bytes} 字节，最多可发送 {most} 字节",
            quote(&request)
        ),
        Wrong::Body {
            expected_bytes,
            got_bytes,
            difference,
            ..
        } => format!(
            "{}：正文不符：应为 {expected_bytes} 字节，实为 {got_bytes} 字节；{}",
            quote(&request),
            self::difference(difference)
        ),
    }
}

pub(crate) fn no_response(met: &NoResponse) -> String {
    match met {
        NoResponse::Connect { says } => format!("无法连接：{}", quote(says)),
        NoResponse::Send { says } => format!("无法发送请求：{}", quote(says)),
        NoResponse::SendMessage { says } => format!("无法发送消息：{}", quote(says)),
        NoResponse::Tls { why } => format!("TLS 未能建立：{}", complaint(why)),
        NoResponse::EchoOverTls {} => {
            "TCP 回显不经 TLS，而该对象使用 TLS：请去掉其 [tls]".to_owned()
        }
        NoResponse::Http2 { why } => format!(
            "HTTP/2 出错：{}；服务器在该端口上支持 HTTP/2 吗？",
            complaint(why)
        ),
        NoResponse::WebSocket { why } => {
            format!(
                "WebSocket 出错：{}；服务器在该路径上支持 WebSocket 吗？",
                complaint(why)
            )
        }
        NoResponse::Grpc { why } => format!("gRPC 出错：{}", complaint(why)),
        NoResponse::Late { within_s, bytes } => {
            format!("{} 内没有完整的响应，只到了 {bytes} 字节", span(*within_s))
        }
        NoResponse::TooLarge { mib } => format!("响应大于 {mib} MiB"),
        NoResponse::Interrupted {} => "被中断".to_owned(),
        NoResponse::Read { bytes, says } => {
            format!("在 {bytes} 字节之后无法继续读取响应：{}", quote(says))
        }
        NoResponse::Closed { bytes } => {
            format!("服务器在 {bytes} 字节之后关闭了连接，响应还不完整")
        }
        NoResponse::Extra { bytes, echo } => {
            let of = if *echo { "回显" } else { "响应" };
            format!("完整的{of}之后又收到 {bytes} 字节未请求的数据")
        }
        NoResponse::NotHttp { line } => format!("响应不是 HTTP/1：其开头是 {}", quote(line)),
        NoResponse::Http1 { why } => complaint(why),
    }
}

fn silence(silence: &Silence) -> String {
    let why = match &silence.why {
        Unanswered::Error { first } => complaint(first),
        Unanswered::Later {} => {
            "响应在此之后才到；测量时间须长于一个响应所需的时间（`duration`）".to_owned()
        }
        Unanswered::Nothing {} => "没有任何响应".to_owned(),
    };
    format!(
        "{}（{}）在 {:.1} s 内没有一个符合预期的响应：{why}",
        silence.workload,
        load::level(&silence.load),
        silence.window_s
    )
}

pub(crate) fn printed(Printed { log, lines }: &Printed) -> String {
    match lines.as_slice() {
        [] if log.is_empty() => String::new(),
        [] => "；它没有任何输出".to_owned(),
        lines => format!("；其最后的输出（{}）{}", quote(log), tail(lines)),
    }
}

/// A log's last lines below a message, quoted as a whole.
fn tail(lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        lines => format!("：{}", quote(&lines.join("\n"))),
    }
}
