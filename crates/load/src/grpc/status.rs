//! What a reply's header fields say: whether it is gRPC, and how the call ended.

use percent_encoding::percent_decode;
use photofinish_model::secret::mask;

use crate::http2::{self, Broken, Text, number, trailers};

/// The longest text that is read, in bytes.
const LONGEST: usize = 1 << 10;

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Not said.
    #[default]
    Missing,
    /// Status 0.
    Ok,
    /// Something that is no number.
    NoNumber(String),
    /// Another status.
    Failed {
        /// Which one.
        status: u64,
        /// The server's message; empty where there is none.
        message: String,
    },
}

/// The head of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Of HTTP.
    pub status: u16,
    /// The content is gRPC's.
    pub speaks: bool,
    /// How the call ended, where that is said here.
    pub ended: Status,
}

/// The fields that count, as they come.
#[derive(Debug, Default)]
struct Fields {
    speaks: bool,
    status: Option<Result<u64, String>>,
    message: String,
}

impl Fields {
    fn take(&mut self, name: &[u8], value: Text<'_>) {
        match name {
            b"content-type" => self.speaks = text(value).starts_with("application/grpc"),
            b"grpc-status" => self.status = Some(number(value).ok_or_else(|| text(value))),
            b"grpc-message" => {
                self.message = percent_decode(text(value).as_bytes())
                    .decode_utf8_lossy()
                    .into_owned();
            }
            _ => {}
        }
    }

    fn ended(self) -> Status {
        match self.status {
            None => Status::Missing,
            Some(Ok(0)) => Status::Ok,
            Some(Err(text)) => Status::NoNumber(text),
            Some(Ok(status)) => Status::Failed {
                status,
                message: self.message,
            },
        }
    }
}

impl Head {
    /// Reads a block of header fields.
    ///
    /// # Errors
    /// Where it is no head of a response.
    pub fn parse(block: &[u8]) -> Result<Head, Broken> {
        let mut fields = Fields::default();
        let head = http2::Head::parse(block, |name, value| fields.take(name, value))?;
        Ok(Head {
            status: head.status,
            speaks: fields.speaks,
            ended: fields.ended(),
        })
    }
}

impl Status {
    /// Reads the fields after the content.
    ///
    /// # Errors
    /// Where they are none.
    pub fn parse(block: &[u8]) -> Result<Status, Broken> {
        let mut fields = Fields::default();
        trailers(block, |name, value| fields.take(name, value))?;
        Ok(fields.ended())
    }
}

/// A field's value; nothing where it is longer than anything that is read.
fn text(value: Text<'_>) -> String {
    let mut room = Vec::new();
    let bytes = value.read(LONGEST, &mut room).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    mask(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http2::write_field;

    fn block(fields: &[(&str, &str)]) -> Vec<u8> {
        let mut block = Vec::new();
        for (name, value) in fields {
            write_field(name.as_bytes(), value.as_bytes(), &mut block);
        }
        block
    }

    fn failed(status: u64, message: &str) -> Status {
        let message = message.to_owned();
        Status::Failed { status, message }
    }

    #[test]
    fn trailers_say_how_a_call_ended() {
        let parse = |fields: &[(&str, &str)]| Status::parse(&block(fields)).expect("trailers");
        assert_eq!(parse(&[("grpc-status", "0")]), Status::Ok);
        assert_eq!(parse(&[("x", "0")]), Status::Missing);
        assert_eq!(parse(&[]), Status::Missing);
        for text in ["", "OK", "-1", "1 0", "99999999999999999999"] {
            assert_eq!(
                parse(&[("grpc-status", text)]),
                Status::NoNumber(text.to_owned())
            );
        }
        assert_eq!(
            parse(&[("grpc-status", "5"), ("grpc-message", "no%20such%0Acat%25")]),
            failed(5, "no such\ncat%")
        );
        assert_eq!(parse(&[("grpc-status", "99")]), failed(99, ""));
    }

    #[test]
    fn a_head_may_be_all_there_is() {
        let only = [
            (":status", "200"),
            ("content-type", "application/grpc+proto"),
            ("grpc-status", "0"),
        ];
        let head = Head::parse(&block(&only)).expect("a head");
        assert_eq!(
            head,
            Head {
                status: 200,
                speaks: true,
                ended: Status::Ok
            }
        );
        let html = [(":status", "200"), ("content-type", "text/html")];
        assert!(!Head::parse(&block(&html)).expect("a head").speaks);
    }
}
