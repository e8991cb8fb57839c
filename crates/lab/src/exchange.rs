//! From what a study says of a workload to what the load generator sends and expects.

use std::net::SocketAddr;

use photofinish_load::config::{Exchange, Expect, Request};
use photofinish_load::template::{Part, Recall, Template};
use photofinish_study::plan::{Protocol, Workload};
use photofinish_study::template::{self, Part as Written};

/// What goes out to `address` for a workload, and what must come back.
pub(crate) fn exchange(workload: &Workload, address: SocketAddr) -> Exchange {
    match workload.protocol {
        Protocol::TcpEcho { size } => Exchange::Echo {
            // 16 MiB at most, as a checked plan's sizes are.
            size: size as usize,
        },
        Protocol::Http => Exchange::Http {
            request: Request {
                method: workload.method.clone(),
                path: filled_in(workload.path.as_bytes()),
                host: address.to_string(),
                headers: headers(&workload.headers),
                body: filled_in(&workload.body),
            },
            expect: Expect {
                status: workload.expect_status,
                body: workload.expect_body.clone(),
                contains: recalled(workload.expect_contains.as_deref().unwrap_or_default()),
                rows: workload.expect_rows,
            },
        },
    }
}

/// A text with its places to fill in.
pub(crate) fn filled_in(text: &[u8]) -> Template {
    let parts = template::parts(text).into_iter().map(|part| match part {
        Written::Bytes(bytes) => Part::Bytes(bytes.to_vec()),
        Written::Random { low, high } => Part::Random { low, high },
        Written::Counter => Part::Counter,
        // Nothing to recall in a request: a checked plan has none of these.
        Written::Recalled => Part::Bytes(b"{random}".to_vec()),
    });
    Template(parts.collect())
}

/// Headers with their places to fill in.
pub(crate) fn headers(headers: &[(String, String)]) -> Vec<(String, Template)> {
    headers
        .iter()
        .map(|(name, value)| (name.clone(), filled_in(value.as_bytes())))
        .collect()
}

/// What an answer must contain.
fn recalled(text: &str) -> Vec<Recall> {
    let parts = template::parts(text.as_bytes()).into_iter();
    parts
        .map(|part| match part {
            Written::Bytes(bytes) => Recall::Bytes(bytes.to_vec()),
            Written::Counter => Recall::Counter,
            Written::Recalled | Written::Random { .. } => Recall::Random,
        })
        .collect()
}

/// A workload's request in a line, such as `GET /plaintext` or `TCP echo of 1024 bytes`.
pub(crate) fn in_words(workload: &Workload) -> String {
    match workload.protocol {
        Protocol::Http => format!("{} {}", workload.method, workload.path),
        Protocol::TcpEcho { size: 1 } => "TCP echo of 1 byte".to_owned(),
        Protocol::TcpEcho { size } => format!("TCP echo of {size} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn what_varies_is_the_generator_s_to_fill_in() {
        let mut workload = fake::workload("w", &[1]);
        workload.path = "/a?id={random:1..9}".to_owned();
        workload.headers = vec![("X-N".to_owned(), "{counter}".to_owned())];
        workload.expect_contains = Some("\"id\":{random},".to_owned());
        workload.expect_rows = Some(11);
        let address = "127.0.0.1:80".parse().expect("address");
        let Exchange::Http { request, expect } = exchange(&workload, address) else {
            panic!("not HTTP")
        };
        let bytes = |text: &str| Part::Bytes(text.into());
        assert_eq!(
            request.path.0,
            [bytes("/a?id="), Part::Random { low: 1, high: 9 }]
        );
        assert_eq!(request.headers[0].1.0, [Part::Counter]);
        assert_eq!(request.host, "127.0.0.1:80");
        assert_eq!(
            expect.contains,
            [
                Recall::Bytes(b"\"id\":".to_vec()),
                Recall::Random,
                Recall::Bytes(b",".to_vec())
            ]
        );
        assert_eq!(expect.rows, Some(11));
        assert_eq!(in_words(&workload), "GET /a?id={random:1..9}");
    }

    #[test]
    fn an_echo_has_its_size() {
        let mut workload = fake::workload("w", &[1]);
        workload.protocol = Protocol::TcpEcho { size: 5_120 };
        let address = "127.0.0.1:80".parse().expect("address");
        assert_eq!(exchange(&workload, address), Exchange::Echo { size: 5_120 });
        assert_eq!(in_words(&workload), "TCP echo of 5120 bytes");
    }
}
