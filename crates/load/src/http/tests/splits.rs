//! Any pieces of any bytes mean what the whole means.

use proptest::prelude::*;

use super::*;

/// A valid response, and what follows it on the connection.
fn responses() -> impl Strategy<Value = (Vec<u8>, usize)> {
    let body = proptest::collection::vec(any::<u8>(), 0..200);
    let chunks = proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..6);
    let framed = prop_oneof![
        body.prop_map(|body| {
            let head = format!(
                "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        }),
        (chunks, any::<bool>()).prop_map(|(chunks, trailer)| {
            let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            for chunk in chunks {
                bytes.extend(
                    format!("{:x};e=1\r\n", chunk.len())
                        .bytes()
                        .chain(chunk)
                        .chain(*b"\r\n"),
                );
            }
            bytes.extend_from_slice(if trailer {
                b"0\r\nX: y\r\n\r\n"
            } else {
                b"0\r\n\r\n"
            });
            bytes
        }),
    ];
    (
        framed,
        any::<bool>(),
        proptest::collection::vec(any::<u8>(), 0..20),
    )
        .prop_map(|(response, interim, after)| {
            let before: &[u8] = if interim {
                b"HTTP/1.1 100 Continue\r\n\r\n"
            } else {
                b""
            };
            let length = before.len() + response.len();
            ([before, &response, &after].concat(), length)
        })
}

proptest! {
    #[test]
    fn any_split_means_the_same((bytes, length) in responses(), cuts in proptest::collection::vec(0usize..400, 0..12)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        let got = feed(&mut http("GET", Expect::default()), pieces, false);
        prop_assert_eq!(got, (good(200, true), length));
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300), size in 1usize..50, start in 0usize..3) {
        let start: &[u8] = [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"][start];
        let bytes = [start, &bytes].concat();
        let whole = feed(&mut http("GET", Expect::default()), [&bytes[..]], true);
        let split = feed(&mut http("GET", Expect::default()), bytes.chunks(size), true);
        prop_assert_eq!(whole, split);
    }
}
