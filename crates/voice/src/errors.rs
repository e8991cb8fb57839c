//! Kinds of errors, as they are counted.

use std::collections::BTreeMap;

use photofinish_model::message::Row;

use photofinish_model::finding::complaint::grpc_status as grpc;

/// The kinds; the name of a row is the kind's with underscores.
pub mod kinds {
    photofinish_model::messages! { "error";
        connect_refused() "connection refused", "连接被拒绝";
        connect_timeout() "connect timed out", "连接超时";
        connect() "connect failed", "连接失败";
        no_local_port() "no free local port", "没有空闲的本地端口";
        tls_unknown_issuer() "certificate of an unknown issuer", "证书的颁发者不受信任";
        tls_wrong_host() "certificate for another host", "证书属于其他主机";
        tls_expired() "certificate expired or not yet valid", "证书已过期或尚未生效";
        tls_certificate() "unacceptable certificate", "证书不可接受";
        tls_not_spoken() "no TLS on this port", "该端口不使用 TLS";
        tls_refused() "TLS handshake refused", "TLS 握手被拒绝";
        tls_timeout() "TLS handshake timed out", "TLS 握手超时";
        tls_handshake() "TLS handshake failed", "TLS 握手失败";
        reset() "connection reset", "连接被重置";
        closed_early() "closed early", "连接提前关闭";
        closed_without_notify() "closed without TLS close_notify", "未发 close_notify 即关闭";
        broken_tls() "TLS broken off", "TLS 中断";
        timeout() "timed out", "超时";
        status() "wrong status", "状态码错误";
        body() "wrong body", "正文错误";
        malformed() "malformed response", "响应格式错误";
        unasked_bytes() "unsolicited bytes", "未请求的字节";
        io() "I/O error", "I/O 错误";
        censored() "no response by the end", "结束时仍无响应";
        grpc_no_status() "no grpc-status", "没有 grpc-status";
        grpc_not_spoken() "no gRPC on this port", "该端口不使用 gRPC";
        grpc_framing() "broken gRPC messages", "gRPC 消息不完整";
        grpc_compressed() "compressed gRPC messages", "gRPC 消息被压缩";
        grpc_messages() "wrong number of gRPC messages", "gRPC 消息的个数错误";
        websocket_close_none() "WebSocket closed without a code", "WebSocket 关闭，无关闭码";
        websocket_close_1000() "WebSocket closed, 1000 (normal)", "WebSocket 关闭，1000（正常）";
        websocket_close_1001() "WebSocket closed, 1001 (going away)", "WebSocket 关闭，1001（服务器离开）";
        websocket_close_1002() "WebSocket closed, 1002 (protocol error)", "WebSocket 关闭，1002（协议错误）";
        websocket_close_1003() "WebSocket closed, 1003 (unsupported data)", "WebSocket 关闭，1003（不支持的数据）";
        websocket_close_1007() "WebSocket closed, 1007 (invalid message)", "WebSocket 关闭，1007（消息内容无效）";
        websocket_close_1008() "WebSocket closed, 1008 (policy violation)", "WebSocket 关闭，1008（违反策略）";
        websocket_close_1009() "WebSocket closed, 1009 (message too big)", "WebSocket 关闭，1009（消息过大）";
        websocket_close_1010() "WebSocket closed, 1010 (extension needed)", "WebSocket 关闭，1010（需要扩展）";
        websocket_close_1011() "WebSocket closed, 1011 (internal error)", "WebSocket 关闭，1011（内部错误）";
        websocket_close_1012() "WebSocket closed, 1012 (restart)", "WebSocket 关闭，1012（重启）";
        websocket_close_1013() "WebSocket closed, 1013 (try again later)", "WebSocket 关闭，1013（稍后重试）";
        websocket_close_1014() "WebSocket closed, 1014 (bad gateway)", "WebSocket 关闭，1014（网关错误）";
        websocket_close_3xxx() "WebSocket closed, 3000 to 3999 (a library's code)", "WebSocket 关闭，3000 至 3999（库自定义的关闭码）";
        websocket_close_4xxx() "WebSocket closed, 4000 to 4999 (the application's code)", "WebSocket 关闭，4000 至 4999（应用自定义的关闭码）";
        websocket_close_invalid() "WebSocket closed, invalid code", "WebSocket 关闭，关闭码无效";
    }
}

photofinish_model::messages! { "errors";
    /// A kind that has no sentence: its own name.
    other(kind: Quoted) "{kind}", "{kind}";
    status(status: Name) "{status}", "{status}";
    count(kind: Message, count: Count) "{count} {kind}", "{kind} {count} 个";
}

/// Returns the name of a kind of errors.
pub fn kind(name: &str) -> Message {
    let known = Row::find(kinds::ALL, name);
    let status = || grpc::status(name).map(status);
    known.or_else(status).unwrap_or_else(|| other(name))
}

/// Returns how many errors of each kind there were.
pub fn counted(kinds: &BTreeMap<String, u64>) -> Vec<Message> {
    let each = kinds.iter();
    each.map(|(name, n)| count(kind(name), *n)).collect()
}
