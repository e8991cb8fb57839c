use super::*;

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as i32 + 4).to_be_bytes();
    [&[kind][..], &length, body].concat()
}

fn row(fields: &[Option<&str>]) -> Vec<u8> {
    let mut body = (fields.len() as i16).to_be_bytes().to_vec();
    for field in fields {
        match field {
            Some(text) => {
                body.extend((text.len() as i32).to_be_bytes());
                body.extend(text.as_bytes());
            }
            None => body.extend((-1i32).to_be_bytes()),
        }
    }
    message(b'D', &body)
}

fn connected() -> Postgres {
    let mut postgres = Postgres::new(&Config {
        address: ([127, 0, 0, 1], 5432).into(),
        name: "menus".to_owned(),
        user: "me".to_owned(),
        password: "secret".to_owned(),
    });
    let greetings = [
        message(b'R', &[0, 0, 0, 0]),
        message(b'S', b"TimeZone\0UTC\0"),
        message(b'Z', b"I"),
        message(b'1', b""),
        message(b'Z', b"I"),
    ];
    let (steps, out, _) = talk(&mut postgres, &greetings.concat());
    assert_eq!(steps.last(), Some(&Step::Ready));
    assert_eq!(out.first(), Some(&b'P'));
    postgres
}

/// Takes all that is whole.
fn talk(postgres: &mut Postgres, mut bytes: &[u8]) -> (Vec<Step>, Vec<u8>, String) {
    let (mut steps, mut out, mut body) = (Vec::new(), Vec::new(), Vec::new());
    while let Some((length, step)) = postgres
        .take(bytes, &mut out, &mut body)
        .expect("the protocol")
    {
        bytes = &bytes[length..];
        steps.push(step);
    }
    (steps, out, String::from_utf8_lossy(&body).into_owned())
}

#[test]
fn two_rows_are_the_published_answer() {
    let mut postgres = connected();
    let mut out = Vec::new();
    postgres.ask(&Query::Menu, &mut out).expect("a query");
    assert_eq!(out.first(), Some(&b'B'));
    assert!(postgres.ask(&Query::Key(1), &mut out).is_err());
    let answer = [
        message(b'2', b""),
        row(&[
            Some("1"),
            Some("System"),
            Some("1"),
            Some("2022-03-01 09:00:00"),
            Some("01"),
            None,
        ]),
        row(&[
            Some("123456789012345678901234"),
            Some("\"U\""),
            Some("0"),
            Some("2022-03-01 09:00:01.25"),
            Some("0101"),
            Some("01"),
        ]),
        message(b'C', b"SELECT 2\0"),
        message(b'Z', b"I"),
    ];
    let (steps, _, body) = talk(&mut postgres, &answer.concat());
    assert_eq!(steps.last(), Some(&Step::Answered(200)));
    assert_eq!(
        body,
        concat!(
            r#"{"status":1,"msg":"two rows of a menu out of a database...","data":["#,
            r#"{"id":"1","name":"System","show_flag":1,"create_date":"2022-03-01 09:00:00","code":"01","parent_code":null},"#,
            r#"{"id":"123456789012345678901234","name":"\"U\"","show_flag":0,"create_date":"2022-03-01 09:00:01","code":"0101","parent_code":"01"}"#,
            "]}"
        )
    );
    postgres.ask(&Query::Menu, &mut out).expect("a query");
    let (_, _, body) = talk(&mut postgres, &message(b'Z', b"I"));
    assert!(body.ends_with(r#""data":[]}"#), "{body}");
}

#[test]
fn a_message_may_be_split_anywhere() {
    let mut postgres = connected();
    let whole = row(&[Some("1"), Some("a"), Some("1"), Some("2022"), None, None]);
    let (mut out, mut body) = (Vec::new(), Vec::new());
    for end in 0..whole.len() {
        let taken = postgres.take(&whole[..end], &mut out, &mut body);
        assert_eq!(taken, Ok(None), "at {end}");
    }
    assert!(body.is_empty());
    let taken = postgres.take(&whole, &mut out, &mut body);
    assert_eq!(taken, Ok(Some((whole.len(), Step::More))));
}

#[test]
fn errors_are_told_in_the_databases_words() {
    let mut postgres = connected();
    let error = message(b'E', b"SERROR\0C42P01\0Mno such table\0\0");
    let answer = [&error[..], &message(b'Z', b"I")].concat();
    let (steps, _, _) = talk(&mut postgres, &answer);
    let words = "PostgreSQL: no such table (SQLSTATE 42P01)";
    assert_eq!(steps, [Step::More, Step::Refused(words.to_owned())]);
    // While greeting, it is the end of the connection.
    postgres.stage = Stage::Greeting;
    let refused = postgres.take(&error, &mut Vec::new(), &mut Vec::new());
    assert_eq!(refused, Err(words.to_owned()));
    for wrong in [
        message(b'D', &[0, 6, 0]),
        message(b'D', &[0, 1]),
        vec![b'Z', 0, 0, 0, 0],
    ] {
        assert!(
            postgres
                .take(&wrong, &mut Vec::new(), &mut Vec::new())
                .is_err()
        );
    }
}
