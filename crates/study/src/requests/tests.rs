use std::fs;
use std::path::PathBuf;

use miette::Diagnostic;
use photofinish_model::samples::assert_starts;
use photofinish_model::{Exchange, Login, Part, Recall, Same};
use tempfile::TempDir;

use super::*;

/// A folder with files of these names and texts.
fn files(texts: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in texts {
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn asked(requests: Option<&Path>, csv: Option<&Path>) -> Result<RequestsRead, Error> {
    ordered(requests, csv, None)
}

fn ordered(
    requests: Option<&Path>,
    csv: Option<&Path>,
    order: Option<Order>,
) -> Result<RequestsRead, Error> {
    let mut request = Request::get("/only/{csv.id}");
    let header = |name: &str, value: &str| (name.to_owned(), Template::parse(value).into());
    request.headers = vec![header("X-All", "{counter}"), header("accept", "text/plain")];
    read_requests(RequestFiles {
        requests,
        csv,
        order,
        per_connection: true,
        request: &request,
        expect: &Expect {
            status: Some(200),
            ..Expect::default()
        },
        version: Version::Http1,
    })
}

/// What is said of lines, without the folder, and what is offered.
fn told(lines: &str, csv: Option<&str>) -> String {
    let dir = files(&[("r.jsonl", lines), ("d.csv", csv.unwrap_or_default())]);
    let data = dir.path().join("d.csv");
    let error = asked(
        Some(&dir.path().join("r.jsonl")),
        csv.is_some().then_some(&*data),
    );
    say(&dir, &error.expect_err(lines))
}

fn say(dir: &TempDir, error: &Error) -> String {
    let help = error
        .help()
        .map_or(String::new(), |help| format!(" | {help}"));
    let folder = format!("{}/", dir.path().display());
    format!("{error}{help}").replace(&folder, "")
}

#[test]
fn lines_are_requests_and_what_must_come_back() {
    let dir = files(&[(
        "r.jsonl",
        concat!(
            "\u{feff}{\"path\": \"/a?n={random:1..9}\", \"expect\": {\"contains\": \"<{random}>\", \"rows\": 2}}\r\n",
            "\n",
            "{\"method\": \"POST\", \"path\": \"/b\", \"headers\": {\"Accept\": \"*/*\", \"X\": \"1\", \"x\": \"2\"}, ",
            "\"body\": {\"z\": 1.50, \"a\": [\"{counter}\"]}, \"weight\": 3}\n",
            "{\"method\":\"DELETE\",\"path\":\"/c\",\"body\":\"plain \\\"text\\\"\",\"expect\":{\"status\":204,\"body\":\"\"}}",
        ),
    )]);
    let read = asked(Some(&dir.path().join("r.jsonl")), None).unwrap();
    assert!(read.left_out.is_none());
    let Requests {
        list,
        order,
        per_connection,
        ..
    } = read.requests;
    assert_eq!(
        (list.len(), order, per_connection),
        (3, Order::Weighted, true)
    );
    let [a, b, c] = &list[..] else {
        panic!("three")
    };
    assert_eq!(a.request.path.text(), "/a?n={random:1..9}");
    assert!(matches!(a.expect.contains[1], Recall::Random));
    assert_eq!(
        (a.expect.status, a.expect.rows, a.weight),
        (None, Some(2), 1)
    );
    let headers: Vec<String> = (b.request.headers.iter())
        .map(|(name, value)| format!("{name}: {}", value.expose().text()))
        .collect();
    // Its own stand first, and take the place of what is said of all.
    assert_eq!(headers, ["Accept: */*", "X: 1", "x: 2", "X-All: {counter}"]);
    // JSON is sent as it is written.
    assert_eq!(
        b.request.body.expose().text(),
        "{\"z\": 1.50, \"a\": [\"{counter}\"]}"
    );
    assert!(b.request.body.expose().0.contains(&Part::Counter));
    assert_eq!((b.expect.status, b.weight), (Some(200), 3));
    assert_eq!(c.request.body.expose().text(), "plain \"text\"");
    assert_eq!(c.expect.body.as_deref(), Some(&b""[..]));
}

#[test]
fn each_row_of_data_makes_all_requests_once_in_order() {
    let dir = files(&[
        (
            "r.jsonl",
            concat!(
                "{\"path\": \"/users/{csv.user id}\", \"expect\": {\"body\": \"{csv.name}\"}}\n",
                "{\"path\": \"/fixed\"}\n",
            ),
        ),
        (
            "d.csv",
            "\u{feff}user id;name\r\n7;\"A; \"\"B\"\"\"\r\nä #/x?;{counter}\r\n",
        ),
    ]);
    let read = asked(
        Some(&dir.path().join("r.jsonl")),
        Some(&dir.path().join("d.csv")),
    );
    let list = read.unwrap().requests.list;
    let paths: Vec<String> = list.iter().map(|one| one.request.path.text()).collect();
    assert_eq!(
        paths,
        ["/users/7", "/fixed", "/users/%C3%A4%20%23/x?", "/fixed"]
    );
    let body = |at: usize| list[at].expect.body.clone();
    assert_eq!(body(0).as_deref(), Some(&b"A; \"B\""[..]));
    assert_eq!(body(2).as_deref(), Some(&b"{counter}"[..]));
    // Without a file of requests it is the only one that is filled in.
    let dir = files(&[("d.csv", "id\n1\n2\n")]);
    let read = asked(None, Some(&dir.path().join("d.csv")))
        .unwrap()
        .requests;
    let paths: Vec<String> = (read.list.iter())
        .map(|one| one.request.path.text())
        .collect();
    assert_eq!(
        (paths, read.order),
        (vec!["/only/1".into(), "/only/2".into()], Order::InOrder)
    );
}

#[test]
fn a_mistake_is_told_with_line_and_column() {
    let good = "{\"path\": \"/\"}\n";
    let use_a = "{\"path\": \"/{csv.a}\"}";
    let lines = [
        &format!("{good}{{\"path\": 7}}"),
        &format!("{good}\n{{\"path\": \"/\""),
        r#"{"path": "/", "methd": "GET"}"#,
        r#"{"method": "GET"}"#,
        "[1]",
        "GET /a",
        r#"{"path": "/", "method": "GETT"}"#,
        r#"{"path": "a"}"#,
        r#"{"path": "/a b"}"#,
        r#"{"path": "/{random:9..1}"}"#,
        r#"{"path": "/", "headers": {"A b": ""}}"#,
        r#"{"path": "/", "weight": 0}"#,
        r#"{"path": "/", "weight": -1}"#,
        r#"{"path": "/", "expect": {"status": 99}}"#,
        r#"{"path": "/", "expect": {"contains": "{counter}"}}"#,
        r#"{"path": "/", "expect": {"body": "", "rows": 1}}"#,
        "",
        " \n\n",
        use_a,
    ];
    let mut said: Vec<String> = lines.iter().map(|lines| told(lines, None)).collect();
    let other = format!("{good}{}", use_a.replace(".a", ".b"));
    let header = "{\"path\": \"/\", \"headers\": {\"X\": \"{csv.a}\"}}";
    let with_data = [
        (&*other, "a,c\n1,2\n"),
        (good, "a\n1\n"),
        (use_a, "a\n"),
        (use_a, ""),
        (use_a, "a,b\n1,2\n3\n"),
        (use_a, "a\n1\n\"x\n3\n4\n"),
        (use_a, "a\n1\n\"x\n3\n4"),
        (use_a, "a,b,a\n1,2,3\n"),
        (header, "a\nfine\n\"two\nlines\"\n"),
    ];
    said.extend(with_data.map(|(lines, data)| told(lines, Some(data))));
    let dir = files(&[("d.csv", "a\n1\n\"two\nlines\"\n")]);
    let data = dir.path().join("d.csv");
    let only = |csv| say(&dir, &asked(None, csv).expect_err("refused"));
    said.extend([only(Some(&*data)), only(None)]);
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn too_much_is_refused_with_the_bound_and_only_regular_files_are_read() {
    let rows: String = (0..50_001).map(|n| format!("{n}\n")).collect();
    let line = "{\"path\": \"/{csv.a}\"}\n";
    assert!(
        told(&line.repeat(2), Some(&format!("a\n{rows}")))
            .starts_with("r.jsonl: 2 requests with 50001 rows of data are 100002, of which at most 100000 can be sent")
    );
    let long = format!(
        "{{\"path\": \"/\", \"body\": \"{}\"}}\n",
        "x".repeat(1 << 20)
    );
    assert!(
        told(&long.repeat(17), None)
            .starts_with("r.jsonl: its requests have more than 16777216 bytes together")
    );
    let dir = files(&[]);
    let sparse = dir.path().join("sparse");
    fs::File::create(&sparse).unwrap().set_len(2 << 30).unwrap();
    let says = |file: &PathBuf| say(&dir, &asked(Some(file), None).expect_err("refused"));
    assert_eq!(
        says(&sparse),
        "cannot read sparse: it is larger than 33554432 bytes"
    );
    assert!(says(&dir.path().join("none")).starts_with("cannot read none: No such file"));
    assert_eq!(
        says(&PathBuf::from("/dev/zero")),
        "cannot read /dev/zero: it is not a regular file"
    );
}

#[test]
fn weights_and_order_must_fit() {
    let dir = files(&[
        (
            "w.jsonl",
            "{\"path\": \"/\"}\n{\"path\": \"/\", \"weight\": 2}",
        ),
        ("n.jsonl", "{\"path\": \"/\"}"),
    ]);
    let read = |name: &str, order| ordered(Some(&dir.path().join(name)), None, order);
    let says = |name, order| say(&dir, &read(name, Some(order)).expect_err(name));
    assert!(
        says("w.jsonl", Order::Random)
            .starts_with("w.jsonl:2:15: a weight has no effect where the order is `random`")
    );
    assert!(says("n.jsonl", Order::Weighted).starts_with("n.jsonl: no request has a weight"));
    let order = read("n.jsonl", Some(Order::Random)).unwrap().requests.order;
    assert_eq!(order, Order::Random);
}

/// What looks like a place for data is what the browser sent; only headers that are given beside it have any.
#[test]
fn a_har_takes_no_data() {
    let body = r#"{"log": {"entries": [{"request": {"method": "POST", "url": "https://shop.example/{csv.x}", "headers":
        [{"name": "X-Seen", "value": "{csv.id}"}], "postData": {"text": "{csv.x}{csv.id}"}}}]}}"#;
    let dir = files(&[
        ("s.har", body),
        ("d.csv", "id\n7\n8\n"),
        ("none.har", "{\"log\": {\"entries\": []}}"),
    ]);
    let path = |name: &str| dir.path().join(name);
    let alone = asked(Some(&path("s.har")), None).unwrap().requests.list;
    assert_eq!(alone[0].request.body.expose().text(), "{csv.x}{csv.id}");
    let error = asked(Some(&path("s.har")), Some(&path("d.csv"))).unwrap_err();
    assert!(say(&dir, &error).contains("no request uses its columns"));
    let mut request = Request::get("/");
    request.headers = vec![("X-Id".to_owned(), Template::parse("{csv.id}").into())];
    let read = read_requests(RequestFiles {
        requests: Some(&path("s.har")),
        csv: Some(&path("d.csv")),
        order: None,
        per_connection: false,
        request: &request,
        expect: &Expect::default(),
        version: Version::Http1,
    });
    let sent: Vec<[String; 4]> = (read.unwrap().requests.list.iter())
        .map(|Listed { request, .. }| {
            let header = |at: usize| request.headers[at].1.expose().text();
            [
                request.path.text(),
                header(0),
                header(1),
                request.body.expose().text(),
            ]
        })
        .collect();
    let with = |id: &str| ["/%7Bcsv.x%7D", "{csv.id}", id, "{csv.x}{csv.id}"].map(str::to_owned);
    assert_eq!(sent, [with("7"), with("8")]);
    let error = asked(Some(&path("none.har")), None).unwrap_err();
    let said = say(&dir, &error);
    assert_starts(
        &said,
        "none.har: it contains no requests | save it in a browser",
    );
}

#[test]
fn a_har_gives_its_requests_to_one_server_as_they_were_sent() {
    let har = r#"{
  "log": {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": [
    {"request": {"method": "GET", "url": "https://shop.example/items?q=ä&n={counter}", "headers": [
       {"name": ":authority", "value": "shop.example"}, {"name": "Host", "value": "shop.example"},
       {"name": "Accept", "value": "*/*"}, {"name": "Content-Length", "value": "5"}]},
     "response": {"status": 200, "content": {"text": "…"}}},
    {"request": {"method": "GET", "url": "https://cdn.example/logo.png", "headers": []}},
    {"request": {"method": "GET", "url": "data:image/png;base64,AA", "headers": []}},
    {"request": {"method": "POST", "url": "https://shop.example/cart", "headers": [],
       "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "1&2"}]}}},
    {"request": {"method": "PUT", "url": "https://shop.example/cart", "headers": [],
       "postData": {"mimeType": "application/json", "text": "{\"n\":{random:1..2}}"}}}
  ]}
}"#;
    for name in ["session.har", "session.json"] {
        let dir = files(&[(name, har)]);
        let read = asked(Some(&dir.path().join(name)), None).unwrap();
        assert_eq!(read.left_out, Some((1, "shop.example".to_owned())));
        let list = &read.requests.list;
        let paths: Vec<String> = list.iter().map(|one| one.request.path.text()).collect();
        assert_eq!(paths, ["/items?q=%C3%A4&n={counter}", "/cart", "/cart"]);
        assert!(
            list.iter()
                .all(|one| one.request.path.is_fixed() && one.request.body.expose().is_fixed())
        );
        let names: Vec<&str> = list[0]
            .request
            .headers
            .iter()
            .map(|(name, _)| &**name)
            .collect();
        assert_eq!(names, ["Accept", "X-All"]);
        assert_eq!(list[1].request.body.expose().text(), "a+b=1%262");
        assert_eq!(
            list[2].request.body.expose().text(),
            "{\"n\":{random:1..2}}"
        );
    }
    let dir = files(&[(
        "x.har",
        "{\n \"log\": {\"entries\": [ {\"request\": {}} ]}}",
    )]);
    let error = asked(Some(&dir.path().join("x.har")), None).unwrap_err();
    assert_starts(&say(&dir, &error), "x.har:2:36: missing field `method`");
}

#[test]
fn a_login_is_read_and_must_be_used() {
    let dir = files(&[
        (
            "l.json",
            "{\n \"request\": {\"method\": \"POST\", \"path\": \"/login\", \"body\": {\"user\": \"a\"}, \"expect\": {\"status\": 201}},\n \"take\": {\"token\": \"json:/t\"}\n}\n",
        ),
        (
            "none.json",
            "{\"request\": {\"path\": \"/\"}, \"take\": {}}",
        ),
        (
            "bad.json",
            "{\n \"request\": {\n  \"path\": \"/\"},\n \"take\": {\"token\": \"/t\"}}",
        ),
    ]);
    let read = |name: &str| read_login(&dir.path().join(name));
    let login: Login = read("l.json").unwrap();
    assert_eq!(login.request.body.expose().text(), "{\"user\": \"a\"}");
    assert_eq!(login.expect.status, Some(201));
    assert!(
        say(&dir, &read("none.json").unwrap_err())
            .starts_with("none.json:1:28: the login takes nothing")
    );
    assert!(
        say(&dir, &read("bad.json").unwrap_err())
            .starts_with("bad.json:4:11: `/t` does not say where `token` is taken from")
    );
    let exchange = |path: &str| Exchange::Http {
        request: Request::get(path),
        expect: Expect::default(),
        version: Version::Http1,
    };
    let check = |path, login| check_login(&exchange(path), login).map_err(|(problem, _)| problem);
    assert_eq!(check("/", None), Ok(()));
    assert_eq!(check("/{login.token}", Some(&login)), Ok(()));
    assert_eq!(
        check("/{login.token}", None),
        Err("`{login.token}` needs a login".to_owned())
    );
    assert_eq!(
        check("/{login.tokn}", Some(&login)),
        Err("the login takes no `tokn`".to_owned())
    );
    assert_eq!(
        check("/", Some(&login)),
        Err("no request uses what the login takes".to_owned())
    );
}

/// To compare each column with those before it, and to look where in a text each place stands, would take minutes.
#[test]
fn a_million_columns_take_no_longer_than_reading_them() {
    let names: Vec<String> = (0..1_000_000).map(|n| format!("c{n}")).collect();
    let values = vec!["x"; names.len()];
    let csv = format!("{}\n{}\n", names.join(","), values.join(","));
    let places: Vec<String> = (0..100_000).map(|n| format!("{{csv.c{n}}}")).collect();
    let line = format!("{{\"path\": \"/\", \"body\": \"{}\"}}\n", places.join(" "));
    let dir = files(&[("r.jsonl", &line), ("d.csv", &csv)]);
    let (requests, data) = (dir.path().join("r.jsonl"), dir.path().join("d.csv"));
    let read = asked(Some(&requests), Some(&data)).expect("it can be sent");
    assert_eq!(read.requests.list.len(), 1);
    // Nor is what is wrong told with all names.
    let says = told("{\"path\": \"/{csv.nope}\"}\n", Some(&csv));
    assert!(says.contains("has no such column"), "{}", &says[..200]);
    assert!(
        says.ends_with("c99, … (1000000 in all)"),
        "{}",
        &says[says.len() - 200..]
    );
    let twice = format!("{},c7\n", names.join(","));
    let says = told("{\"path\": \"/{csv.c1}\"}\n", Some(&twice));
    assert!(
        says.contains("the column `c7` is listed twice"),
        "{}",
        &says[..200]
    );
}

#[test]
fn in_what_servers_must_be_alike_is_stated_for_all_requests() {
    let dir = files(&[(
        "r.jsonl",
        "{\"path\": \"/a\"}\n{\"path\": \"/b\", \"expect\": {\"status\": 201}}\n",
    )]);
    let read = read_requests(RequestFiles {
        requests: Some(&dir.path().join("r.jsonl")),
        csv: None,
        order: None,
        per_connection: false,
        request: &Request::get("/"),
        expect: &Expect {
            same: Same::Json,
            ..Expect::default()
        },
        version: Version::Http1,
    });
    let list = read.expect("requests").requests.list;
    let same: Vec<Same> = list.iter().map(|one| one.expect.same).collect();
    assert_eq!(same, [Same::Json; 2]);
    assert_eq!(list[1].expect.status, Some(201));
}
