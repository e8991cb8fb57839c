//! A complaint of every kind.

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::finding::complaint::*;

/// A complaint of every kind, each with arguments that no other has.
pub fn complaints() -> Vec<Complaint> {
    let text = str::to_owned;
    let mut all = vec![
        Complaint::said("Connection refused (os error 111)"),
        Complaint::Connect {
            address: text("127.0.0.1:8080"),
            why: Box::new(Complaint::said("Network is unreachable")),
        },
        Complaint::Stopped {},
        Complaint::Pausing {},
        Complaint::Interrupted {
            says: text("Connection reset by peer (os error 104)"),
        },
        Complaint::Closed { begun: false },
        Complaint::Closed { begun: true },
        Complaint::Left {},
        Complaint::Late { within_s: 0.25 },
        Complaint::Unasked { bytes: 5 },
        Complaint::NoLocalPort {
            ports: Some(28_232),
            time_wait: Some(28_100),
        },
        Complaint::SpeaksFirst {
            bytes: 26,
            begins: text("220 mail.example ESMTP"),
        },
        Complaint::Surplus { bytes: 6 },
        Complaint::TooEarly {},
        Complaint::Status {
            got: 404,
            expected: None,
        },
        Complaint::Status {
            got: 200,
            expected: Some(201),
        },
        Complaint::Echo {
            at: 700,
            bytes: 1024,
            expected: text("0a 0b"),
            got: text("0a 0c"),
        },
        Complaint::EchoCut {
            received: 7,
            bytes: 8,
        },
        Complaint::Changed {
            status: 200,
            bytes: 12,
            verified_status: 200,
            verified_bytes: 13,
        },
    ];
    all.extend(bodies().into_iter().map(Complaint::from));
    all.extend(every().into_iter().map(|one: Http1Violation| one.into()));
    all.extend(every().into_iter().map(|one: Http2Violation| one.into()));
    all.extend(http2().into_iter().map(Complaint::from));
    all.extend(grpc().into_iter().map(Complaint::from));
    all.extend(every().into_iter().map(|one: FrameViolation| one.into()));
    all.extend(websocket().into_iter().map(Complaint::from));
    all.extend(tls().into_iter().map(Complaint::from));
    all
}

fn bodies() -> Vec<BodyMismatch> {
    let text = str::to_owned;
    let start = |more| Start {
        text: text("{\\\"id\\\":1"),
        more,
    };
    vec![
        BodyMismatch::Differs {
            at: 7,
            expected: text("World!"),
            got: text("world!"),
        },
        BodyMismatch::Longer {
            expected: 13,
            more: text(" Sir"),
        },
        BodyMismatch::Shorter {
            got: 12,
            expected: 13,
            missing: text("!"),
        },
        BodyMismatch::Lacks {
            expected: text("id"),
            start: start(true),
        },
        BodyMismatch::Rows {
            expected: 3,
            got: Some(2),
            start: start(false),
        },
        BodyMismatch::Rows {
            expected: 3,
            got: None,
            start: start(true),
        },
    ]
}

fn http2() -> Vec<Http2Complaint> {
    vec![
        Http2Complaint::Reset { error: 7 },
        Http2Complaint::Reset { error: 99 },
        Http2Complaint::GoneAway { error: 11 },
        Http2Complaint::GoneAway { error: 98 },
        Http2Complaint::Unseen {},
        Http2Complaint::Streams {
            allowed: 3,
            wanted: 10,
        },
        Http2Complaint::Length {
            promised: 13,
            got: 12,
        },
        Http2Complaint::Closed {},
        Http2Complaint::Streams {
            allowed: 0,
            wanted: 10,
        },
        Http2Complaint::Silent { within_s: 1.0 },
        Http2Complaint::Content {
            status: 204,
            got: 3,
        },
    ]
}

fn grpc() -> Vec<GrpcComplaint> {
    let failed = |status, message: &str| GrpcComplaint::Failed {
        status,
        message: message.to_owned(),
    };
    let mut all = vec![
        GrpcComplaint::HttpStatus { status: 404 },
        GrpcComplaint::NotSpoken {},
        GrpcComplaint::NoStatus {},
        GrpcComplaint::StatusNumber {
            text: "OK".to_owned(),
        },
        failed(5, "no such cat"),
        GrpcComplaint::Compressed {},
        GrpcComplaint::Flag { flag: 0x3c },
        GrpcComplaint::Long {
            promised: u32::MAX,
            most: 64 << 20,
        },
        GrpcComplaint::CutPrefix {
            got: 3,
            expected: 5,
        },
        GrpcComplaint::CutMessage {
            promised: 5,
            got: 3,
        },
        GrpcComplaint::Messages {
            got: 2,
            expected: 1,
        },
    ];
    all.extend((1..=17).map(|status| failed(status, "")));
    all
}

fn websocket() -> Vec<WebSocketComplaint> {
    let text = str::to_owned;
    let mut all = vec![
        WebSocketComplaint::LongHead {},
        WebSocketComplaint::NotHttp {
            says: text("invalid HTTP version"),
        },
        WebSocketComplaint::Refused { status: 404 },
        WebSocketComplaint::ClosedUnopened {},
        WebSocketComplaint::Silent { within_s: 0.3 },
        WebSocketComplaint::NoUpgrade {},
        WebSocketComplaint::Accept {},
        WebSocketComplaint::Extension {
            says: text("permessage-deflate"),
        },
        WebSocketComplaint::Subprotocol { says: text("chat") },
        WebSocketComplaint::Unasked {},
        WebSocketComplaint::Pings {},
        WebSocketComplaint::Dropped {},
        WebSocketComplaint::Closed {
            code: None,
            reason: String::new(),
        },
        WebSocketComplaint::LongReply { expected: 5 },
        WebSocketComplaint::ShortReply {
            got: 4,
            expected: 5,
        },
    ];
    let codes = [1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 1010, 1011];
    all.extend(
        codes
            .into_iter()
            .chain([1012, 1013, 1014, 3000, 4999])
            .map(|code| WebSocketComplaint::Closed {
                code: Some(code),
                reason: text("bye"),
            }),
    );
    all
}

fn tls() -> Vec<TlsFailure> {
    let text = str::to_owned;
    let says = || text("tls: as rustls puts it");
    vec![
        TlsFailure::PlainHttp {},
        TlsFailure::NotSpoken { says: says() },
        TlsFailure::ClosedAtOnce {},
        TlsFailure::ClosedInHandshake {},
        TlsFailure::NoCloseNotify {},
        TlsFailure::Late { within_s: 1.5 },
        TlsFailure::Handshake { says: says() },
        TlsFailure::Interrupted { says: says() },
        TlsFailure::Broken { says: says() },
        TlsFailure::LongMessage {},
        TlsFailure::NothingInCommon { says: says() },
        TlsFailure::NoHttp2 {},
        TlsFailure::NoHttp1 {},
        TlsFailure::Versions {},
        TlsFailure::Offer {},
        TlsFailure::ClientCertificate {
            alert: text("UnknownCA"),
        },
        TlsFailure::UnknownHost {},
        TlsFailure::Alert {
            alert: text("InternalError"),
        },
        TlsFailure::UnknownIssuer {},
        TlsFailure::WrongHost {
            host: text("localhost"),
            valid_for: None,
        },
        TlsFailure::WrongHost {
            host: text("localhost"),
            valid_for: Some(Vec::new()),
        },
        TlsFailure::WrongHost {
            host: text("localhost"),
            valid_for: Some(vec![text("example.org"), text("example.net")]),
        },
        TlsFailure::Expired {
            on: Some(text("2021-02-03")),
        },
        TlsFailure::Expired { on: None },
        TlsFailure::NotYetValid {
            from: Some(text("2190-01-01")),
        },
        TlsFailure::NotYetValid { from: None },
        TlsFailure::NotValidNow {},
        TlsFailure::Certificate { says: says() },
    ]
}

/// Every value of an enum without arguments, by its schema.
fn every<E: JsonSchema + DeserializeOwned>() -> Vec<E> {
    let schema = schema_for!(E);
    let values = schema.get("oneOf").and_then(Value::as_array);
    let names = values.into_iter().flatten().map(|one| one["const"].clone());
    names
        .map(|name| serde_json::from_value(name).expect("a value of the enum"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::Serialize;

    use super::*;

    /// One that is added to an enum and not here would not be looked at in Chinese.
    fn covers<E: JsonSchema + Serialize>(all: &[E], tag: &str) {
        let names = all.iter().map(|one| {
            let value = serde_json::to_value(one).expect("JSON");
            value[tag].as_str().expect("its name").to_owned()
        });
        let names: BTreeSet<String> = names.collect();
        let schema = schema_for!(E);
        let kinds = schema.get("oneOf").and_then(Value::as_array);
        assert_eq!(names.len(), kinds.expect("kinds").len(), "{names:?}");
    }

    #[test]
    fn every_complaint_is_there_once_and_survives_json() {
        let all = complaints();
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{one:?}");
            let text = serde_json::to_string(one).expect("JSON");
            let read: Complaint = serde_json::from_str(&text).expect("a complaint");
            assert_eq!(&read, one);
        }
        covers(&all, "code");
        covers(&bodies(), "mismatch");
        covers(&grpc(), "complaint");
        covers(&tls(), "failure");
        let violation = Http2Violation::Data;
        covers(
            &[http2(), vec![Http2Complaint::Violation { violation }]].concat(),
            "complaint",
        );
        let violation = FrameViolation::Masked;
        covers(
            &[
                websocket(),
                vec![WebSocketComplaint::Violation { violation }],
            ]
            .concat(),
            "complaint",
        );
        assert_eq!(every::<FrameViolation>().len(), 7);
    }
}
