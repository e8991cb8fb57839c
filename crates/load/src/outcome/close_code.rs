//! With which code a server closes a WebSocket (RFC 6455, section 7.4).

use photofinish_model::finding::complaint::WebSocketComplaint;
use photofinish_model::secret::mask;
use serde::{Deserialize, Serialize};

named! {
    /// A close's code; those that mean the same to whoever reads a report are one.
    #[serde(rename_all = "kebab-case")]
    CloseCode, ALL:
    /// There is none, which is allowed.
    Absent "websocket-close-none";
    /// 1000.
    Normal "websocket-close-1000";
    /// 1001.
    GoingAway "websocket-close-1001";
    /// 1002.
    ProtocolError "websocket-close-1002";
    /// 1003.
    Unsupported "websocket-close-1003";
    /// 1007.
    InvalidMessage "websocket-close-1007";
    /// 1008.
    Policy "websocket-close-1008";
    /// 1009.
    TooLong "websocket-close-1009";
    /// 1010.
    Extension "websocket-close-1010";
    /// 1011.
    Internal "websocket-close-1011";
    /// 1012.
    Restart "websocket-close-1012";
    /// 1013.
    TryLater "websocket-close-1013";
    /// 1014.
    BadGateway "websocket-close-1014";
    /// 3000 to 3999: a library's or framework's own.
    Registered "websocket-close-3xxx";
    /// 4000 to 4999: the application's own.
    Private "websocket-close-4xxx";
    /// One that no server may send, or half of one.
    Invalid "websocket-close-invalid";
}

impl CloseCode {
    /// That of a close's payload: two bytes and a reason, or nothing.
    pub fn of(payload: &[u8]) -> CloseCode {
        let Some(code) = number(payload) else {
            return match payload {
                [] => CloseCode::Absent,
                _ => CloseCode::Invalid,
            };
        };
        match code {
            1000 => CloseCode::Normal,
            1001 => CloseCode::GoingAway,
            1002 => CloseCode::ProtocolError,
            1003 => CloseCode::Unsupported,
            1007 => CloseCode::InvalidMessage,
            1008 => CloseCode::Policy,
            1009 => CloseCode::TooLong,
            1010 => CloseCode::Extension,
            1011 => CloseCode::Internal,
            1012 => CloseCode::Restart,
            1013 => CloseCode::TryLater,
            1014 => CloseCode::BadGateway,
            3000..=3999 => CloseCode::Registered,
            4000..=4999 => CloseCode::Private,
            _ => CloseCode::Invalid,
        }
    }

    /// Whether a server may close so while nothing is asked of it.
    pub fn is_usual(self) -> bool {
        matches!(
            self,
            CloseCode::Absent | CloseCode::Normal | CloseCode::GoingAway
        )
    }
}

fn number(payload: &[u8]) -> Option<u16> {
    payload.first_chunk().map(|code| u16::from_be_bytes(*code))
}

/// What is to be said of a close with this payload.
pub fn complaint(payload: &[u8]) -> WebSocketComplaint {
    let reason = payload.get(2..).unwrap_or_default();
    WebSocketComplaint::Closed {
        code: number(payload),
        reason: mask(&String::from_utf8_lossy(reason)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_name() {
        let names = [
            (&b""[..], "websocket-close-none"),
            (b"\x03\xe8", "websocket-close-1000"),
            (b"\x03\xe9", "websocket-close-1001"),
            (b"\x03\xea", "websocket-close-1002"),
            (b"\x03\xf1too long", "websocket-close-1009"),
            (b"\x03\xf3", "websocket-close-1011"),
            (b"\x0f\x9f", "websocket-close-3xxx"),
            (b"\x0f\xa0", "websocket-close-4xxx"),
            // Those that are only ever said of a connection, what nobody has defined, and half of a code.
            (b"\x03\xed", "websocket-close-invalid"),
            (b"\x13\x88", "websocket-close-invalid"),
            (b"\x03", "websocket-close-invalid"),
        ];
        for (payload, name) in names {
            assert_eq!(CloseCode::of(payload).name(), name);
        }
        // A code that has a number of its own has it in its name.
        for code in 0..=u16::MAX {
            let name = CloseCode::of(&code.to_be_bytes()).name();
            let number = name.rsplit('-').next().and_then(|end| end.parse().ok());
            assert!(number.is_none_or(|number: u16| number == code), "{code}");
        }
    }
}
