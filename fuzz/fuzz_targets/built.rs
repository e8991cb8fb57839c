//! Responses built by the rules (RFC 9112) are all understood, wherever they are cut: as many responses as were built, each
//! with its status, and no byte left or taken from the next.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{Event, Setting, conversation, cut};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

#[derive(Arbitrary, Debug)]
struct Built {
    status: u8,
    framing: Framing,
    interim: bool,
    header: Option<(u8, u8)>,
}

#[derive(Arbitrary, Debug)]
enum Framing {
    Length(Vec<u8>),
    /// Chunks, and whether a trailer follows.
    Chunked(Vec<Vec<u8>>, bool),
    /// 204 or 304: no body, whatever the head says.
    None(bool),
}

impl Built {
    fn write(&self, out: &mut Vec<u8>) -> u16 {
        if self.interim {
            out.extend_from_slice(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
        }
        let status = match self.framing {
            Framing::None(true) => 204,
            Framing::None(false) => 304,
            _ => 200 + u16::from(self.status % 4),
        };
        out.extend_from_slice(format!("HTTP/1.1 {status} Fine\r\n").as_bytes());
        if let Some((letter, length)) = self.header {
            let value = char::from(b'a' + letter % 26)
                .to_string()
                .repeat(length.into());
            out.extend_from_slice(format!("X-Filler: {value}\r\n").as_bytes());
        }
        match &self.framing {
            Framing::Length(body) => {
                out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                out.extend_from_slice(body);
            }
            Framing::Chunked(chunks, trailer) => {
                out.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
                    out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                    out.extend_from_slice(chunk);
                    out.extend_from_slice(b"\r\n");
                }
                let end = if *trailer {
                    "0\r\nX-After: 1\r\n\r\n"
                } else {
                    "0\r\n\r\n"
                };
                out.extend_from_slice(end.as_bytes());
            }
            Framing::None(_) => out.extend_from_slice(b"Content-Length: 7\r\n\r\n"),
        }
        status
    }
}

fuzz_target!(|input: (Vec<Built>, Vec<u8>)| {
    let (answers, cuts) = input;
    let setting = Setting {
        head: false,
        close: false,
        status: None,
        body: None,
        closes: false,
    };
    let mut bytes = Vec::new();
    let expected: Vec<(usize, u16)> = answers
        .iter()
        .map(|response| {
            let status = response.write(&mut bytes);
            (bytes.len(), status)
        })
        .collect();
    let pieces = cut(&bytes, &cuts);
    let got: Vec<(usize, u16)> = conversation(&setting, &pieces)
        .into_iter()
        .map(|event| match event {
            Event::Response(end, response) => {
                assert!(response.fault.is_none() && response.reuse, "{response:?}");
                (end, response.status)
            }
            Event::Broken(kind) => panic!("{kind:?}"),
        })
        .collect();
    assert_eq!(got, expected);
});
