//! What goes wrong with TLS.

use photofinish_model::finding::complaint::TlsFailure;

use super::span;
use crate::typeset::quote;

pub(super) fn failure(failure: &TlsFailure) -> String {
    match failure {
        TlsFailure::PlainHttp {} => {
            "服务器在该端口上使用不加密的 HTTP：请写 `http://`，或给出其 TLS 的端口".to_owned()
        }
        TlsFailure::NotSpoken { says } => format!(
            "服务器发来的不是 TLS（{}）：它在该端口上支持 TLS 吗？",
            quote(says)
        ),
        TlsFailure::ClosedAtOnce {} => "服务器收到 TLS 的第一条消息就关闭了连接：它在该端口上可能使用不加密的 HTTP（那就写 `http://`），或没有该主机的证书".to_owned(),
        TlsFailure::ClosedInHandshake {} => {
            "服务器在 TLS 握手当中关闭了连接；其日志可能说明原因".to_owned()
        }
        TlsFailure::NoCloseNotify {} => {
            "服务器关闭连接时没有发送 TLS 的 `close_notify`：它正在发送的内容可能被截断".to_owned()
        }
        TlsFailure::Late { within_s } => format!(
            "{} 内没有完成 TLS 握手；服务器在该端口上支持 TLS 吗？",
            span(*within_s)
        ),
        TlsFailure::Handshake { says } => format!("TLS 握手失败：{}", quote(says)),
        TlsFailure::Interrupted { says } => format!("TLS 握手时出错：{}", quote(says)),
        TlsFailure::Broken { says } => format!("TLS 出错：{}", quote(says)),
        TlsFailure::LongMessage {} => "TLS 出错：一条消息超过允许的长度".to_owned(),
        TlsFailure::NothingInCommon { says } => format!(
            "服务器和负载发生器没有共同的 TLS 版本或加密套件（{}）：见 `--tls-max` 和 `--ciphers`；需要带 ECDHE 的 TLS 1.2 或更新的版本",
            quote(says)
        ),
        TlsFailure::NoHttp2 {} => "服务器不选择 HTTP/2（ALPN h2）：请去掉 `--http2`（在研究中为 `http2`），或在服务器中打开它".to_owned(),
        TlsFailure::NoHttp1 {} => {
            "服务器拒绝 HTTP/1.1（ALPN http/1.1）：请试用 `--http2`".to_owned()
        }
        TlsFailure::Versions {} => "服务器拒绝客户端提供的 TLS 版本：见 `--tls-max`".to_owned(),
        TlsFailure::Offer {} => "服务器拒绝客户端提供的参数：见 `--ciphers` 和 `--tls-max`；它也可能要求客户端证书（`--cert`、`--key`）".to_owned(),
        TlsFailure::ClientCertificate { alert } => format!(
            "服务器不接受客户端的证书（{}）：请用 `--cert` 和 `--key` 给出它所信任的证书",
            quote(alert)
        ),
        TlsFailure::UnknownHost {} => {
            "服务器没有该主机的证书：请用它所知道的名称访问它".to_owned()
        }
        TlsFailure::Alert { alert } => {
            format!("服务器结束了 TLS（{}）；其日志可能说明原因", quote(alert))
        }
        TlsFailure::UnknownIssuer {} => "证书的颁发者不受信任（证书可能是自签名的）：请用 `--cacert FILE` 给出颁发者的证书，或用 `--insecure` 接受任何证书".to_owned(),
        TlsFailure::WrongHost { host, valid_for } => {
            let valid = match valid_for.as_deref() {
                None => String::new(),
                Some([]) => "不属于任何主机，也".to_owned(),
                Some(names) => format!("属于 {}，", quote(&names.join(", "))),
            };
            format!(
                "证书{valid}不属于 {}：请用证书上的名称访问服务器，或用 `--insecure` 接受任何证书",
                quote(host)
            )
        }
        TlsFailure::Expired { on } => format!(
            "证书已于 {}过期：请更新证书，或用 `--insecure` 接受任何证书",
            day(on.as_deref())
        ),
        TlsFailure::NotYetValid { from } => format!(
            "证书从 {}起才有效：本机的时钟对吗？",
            day(from.as_deref())
        ),
        TlsFailure::NotValidNow {} => {
            "证书在此时无效：请更新证书，或用 `--insecure` 接受任何证书".to_owned()
        }
        TlsFailure::Certificate { says } => format!(
            "证书无法接受（{}）：请更换证书，或用 `--insecure` 接受任何证书",
            quote(says)
        ),
    }
}

fn day(day: Option<&str>) -> &str {
    day.unwrap_or("历法之外的某一天")
}
