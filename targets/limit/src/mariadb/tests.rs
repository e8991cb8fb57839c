use sha1::{Digest, Sha1};

use super::packets::length;
use super::*;
use crate::database::NewItem;

fn config() -> Config {
    Config {
        address: ([127, 0, 0, 1], 3306).into(),
        name: "items".to_owned(),
        user: "me".to_owned(),
        password: "secret".to_owned(),
    }
}

fn framed(sequence: u8, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    packet(&mut out, sequence, |out| out.extend(body));
    out
}

fn greeting(can: u32, can_more: u32) -> Vec<u8> {
    let [a, b, c, d] = can.to_le_bytes();
    let salt: Vec<u8> = (1..=20).collect();
    [
        &[10][..],
        b"11.4.5-MariaDB\0",
        &[9, 0, 0, 0],
        &salt[..8],
        &[0, a, b, UTF8MB4, 2, 0, c, d, 21],
        &[0; 6],
        &can_more.to_le_bytes(),
        &salt[8..],
        b"\0mysql_native_password\0",
    ]
    .concat()
}

const ABLE: u32 = PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH | DEPRECATE_EOF;

/// Takes all that is whole.
fn talk(maria: &mut MariaDb, mut bytes: &[u8]) -> (Vec<Step>, Vec<u8>, String) {
    let (mut steps, mut out, mut body) = (Vec::new(), Vec::new(), Vec::new());
    while let Some((length, step)) = maria
        .take(bytes, &mut out, &mut body)
        .expect("the protocol")
    {
        bytes = &bytes[length..];
        steps.push(step);
    }
    (steps, out, String::from_utf8_lossy(&body).into_owned())
}

/// A connection with three statements: numbers 1 to 3.
fn connected(can_more: u32) -> MariaDb {
    let mut maria = MariaDb::new(&config());
    let (_, out, _) = talk(&mut maria, &framed(0, &greeting(ABLE, can_more)));
    assert_eq!(out[3], 1);
    assert_eq!(
        &out[4..8],
        (ABLE | CONNECT_WITH_DB | TRANSACTIONS).to_le_bytes()
    );
    assert_eq!(&out[32..36], can_more.to_le_bytes());
    assert!(out[36..].starts_with(b"me\0\x14"));
    assert!(out.ends_with(b"items\0mysql_native_password\0"));
    let (steps, out, _) = talk(&mut maria, &framed(2, &[OK, 0, 0, 2, 0, 0, 0]));
    assert_eq!(steps, [Step::More]);
    assert!(out[4..].starts_with(b"\x16INSERT"));
    let definition = framed(0, b"\x03def");
    for (number, values, columns) in [(1, 3, 0), (2, 2, 5), (3, 1, 5)] {
        let ok = framed(1, &[OK, number, 0, 0, 0, columns, 0, values, 0, 0, 0, 0]);
        let all = [ok, definition.repeat(usize::from(values + columns))].concat();
        let (steps, _, _) = talk(&mut maria, &all);
        let ready = steps.last() == Some(&Step::Ready);
        assert_eq!(ready, number == 3);
    }
    maria
}

fn binary(id: u8, texts: [&str; 3], moment: &[u8]) -> Vec<u8> {
    let mut row = vec![0, 0, id, 0, 0, 0, 0, 0, 0, 0];
    for text in texts {
        length(&mut row, text.len());
        row.extend(text.as_bytes());
    }
    row.push(moment.len() as u8);
    row.extend(moment);
    framed(2, &row)
}

fn end() -> Vec<u8> {
    framed(9, &[EOF, 0, 0, 2, 0, 0, 0])
}

#[test]
fn the_password_is_proven_as_the_server_checks_it() {
    let salt: Vec<u8> = (1..=20).collect();
    let token = scrambled(b"secret", &salt);
    // The server knows SHA1(SHA1(password)): what it gets back by xor must hash to that.
    let twice = Sha1::digest(Sha1::digest(b"secret"));
    let salted = Sha1::new()
        .chain_update(&salt)
        .chain_update(twice)
        .finalize();
    let once: Vec<u8> = token.iter().zip(salted).map(|(a, b)| a ^ b).collect();
    assert_eq!(Sha1::digest(once), twice);
    assert!(scrambled(b"", &salt).is_empty());
}

#[test]
fn a_range_is_a_list_and_a_key_an_object_or_nothing() {
    let moment = [0xe8, 0x07, 1, 2, 3, 4, 5];
    let rows = [
        binary(1, ["a", "b", "c \"d\""], &moment),
        binary(2, ["e", "f", "g"], &moment[..4]),
    ];
    let first =
        r#"{"id":1,"name":"a","code":"b","note":"c \"d\"","created":"2024-01-02 03:04:05"}"#;
    let second = r#"{"id":2,"name":"e","code":"f","note":"g","created":"2024-01-02 00:00:00"}"#;
    // Described columns, with and without the byte that says so, and columns known already.
    let columns = framed(2, b"\x03def").repeat(5);
    for (can_more, begin) in [
        (0, [framed(1, &[5]), columns.clone()].concat()),
        (CACHE_METADATA, [framed(1, &[5, 1]), columns].concat()),
        (CACHE_METADATA, framed(1, &[5, 0])),
    ] {
        let mut maria = connected(can_more);
        let mut ask = |query, answer: &[&[u8]]| {
            let mut out = Vec::new();
            maria.ask(&query, &mut out).expect("a query");
            let (mut steps, _, body) = talk(&mut maria, &answer.concat());
            (steps.pop(), body, out)
        };
        let (step, body, out) = ask(Query::Range(7), &[&begin, &rows[0], &rows[1], &end()]);
        assert_eq!(step, Some(Step::Answered(200)));
        assert_eq!(body, format!("[{first},{second}]"));
        assert_eq!(
            out,
            [
                &[
                    32, 0, 0, 0, 0x17, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 8, 0, 8, 0
                ][..],
                &7i64.to_le_bytes(),
                &7i64.to_le_bytes(),
            ]
            .concat()
        );
        let (step, body, _) = ask(Query::Range(7), &[&begin, &end()]);
        assert_eq!((step, &*body), (Some(Step::Answered(200)), "[]"));
        let (step, body, _) = ask(Query::Key(1), &[&begin, &rows[0], &end()]);
        assert_eq!((step, &*body), (Some(Step::Answered(200)), first));
        let (step, body, _) = ask(Query::Key(0), &[&begin, &end()]);
        assert_eq!((step, &*body), (Some(Step::Answered(404)), ""));
    }
}

#[test]
fn an_insert_is_counted_or_refused() {
    let mut maria = connected(CACHE_METADATA);
    let item = NewItem {
        name: Some("n".to_owned()),
        code: None,
        note: Some("x".repeat(300)),
    };
    let mut out = Vec::new();
    maria.ask(&Query::Insert(item), &mut out).expect("a query");
    let values = &out[14..];
    // The second is null; then three types, and the texts with their lengths.
    let begin = [
        2, 1, 0xfd, 0, 0xfd, 0, 0xfd, 0, 1, b'n', 0xfc, 0x2c, 0x01, b'x',
    ];
    assert!(values.starts_with(&begin), "{values:?}");
    let refused = framed(1, b"\xff\x18\x04#23000Column 'code' cannot be null");
    let (steps, _, _) = talk(&mut maria, &refused);
    let words = "MariaDB: Column 'code' cannot be null (error 1048)";
    assert_eq!(steps, [Step::Refused(words.to_owned())]);
    let (steps, _, body) = talk(&mut maria, &framed(1, &[OK, 1, 5, 2, 0, 0, 0]));
    assert_eq!(
        (steps, &*body),
        (vec![Step::Answered(200)], r#"{"inserted":1}"#)
    );
    assert!(maria.ask(&Query::Menu, &mut out).is_err());
}

#[test]
fn a_packet_may_be_split_anywhere() {
    let mut maria = connected(CACHE_METADATA);
    maria.ask(&Query::Key(1), &mut Vec::new()).expect("a query");
    let row = binary(1, ["a", "b", "c"], &[0xe8, 0x07, 1, 2]);
    let whole = [framed(1, &[5, 0]), row, end()].concat();
    for end in 0..whole.len() {
        let mut maria_now = MariaDb {
            statements: maria.statements.clone(),
            ..MariaDb::new(&config())
        };
        (maria_now.stage, maria_now.asked) = (Stage::Answer, KEY);
        maria_now.caches_metadata = true;
        let (before, _, first) = talk(&mut maria_now, &whole[..end]);
        assert!(!before.contains(&Step::Answered(200)), "at {end}");
        assert!(
            first.is_empty() || first.ends_with("00\"}"),
            "at {end}: {first}"
        );
    }
    let (steps, _, _) = talk(&mut maria, &whole);
    assert_eq!(steps.last(), Some(&Step::Answered(200)));
}

#[test]
fn what_is_not_understood_ends_the_connection() {
    let refused = |maria: &mut MariaDb, bytes: &[u8]| {
        let taken = maria.take(bytes, &mut Vec::new(), &mut Vec::new());
        taken.expect_err("no protocol")
    };
    let mut maria = MariaDb::new(&config());
    let says = refused(&mut maria, &framed(0, b"\xff\x10\x04Too many connections"));
    assert_eq!(says, "MariaDB: Too many connections (error 1040)");
    let says = refused(&mut maria, &framed(0, &greeting(PROTOCOL_41, 0)));
    assert!(says.contains("10.2 or later"), "{says}");
    assert!(refused(&mut maria, &framed(0, b"\x0911")).contains("does not greet"));
    assert!(refused(&mut maria, &framed(0, b"\x0a11\0\x01")).contains("shorter"));
    maria.stage = Stage::LoggingIn;
    let says = refused(&mut maria, &framed(2, b"\xfeclient_ed25519\0salt"));
    assert!(says.contains("client_ed25519"), "{says}");
    maria.stage = Stage::Rows;
    assert!(refused(&mut maria, &framed(2, &[0, 4, 1])).contains("null"));
    assert!(refused(&mut maria, &framed(2, &[0, 0, 1])).contains("shorter"));
}
