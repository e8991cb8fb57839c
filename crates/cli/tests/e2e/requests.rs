//! Requests from files: what a server gets of them, with a token of its own login, and what is said of files that cannot be.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::support::{GOOD, Yard, all_good, measurements};

/// A shop: `POST /login` gives a token, and everything else wants it. What came is kept: method, path and body.
struct Shop {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Shop {
    fn open(token: &str) -> Shop {
        let token: Arc<str> = token.into();
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let url = format!("http://{}", listener.local_addr().expect("address"));
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let record = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (token, record) = (Arc::clone(&token), Arc::clone(&record));
                thread::spawn(move || serve(stream, &token, &record));
            }
        });
        Shop { url, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("seen").clone()
    }
}

fn serve(stream: TcpStream, token: &str, record: &Mutex<Vec<String>>) -> Option<()> {
    let mut out = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream);
    loop {
        let (mut first, mut length, mut may) = (String::new(), 0, false);
        lines.read_line(&mut first).ok().filter(|read| *read > 0)?;
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "authorization" => may = value == format!("Bearer {token}"),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        lines.read_exact(&mut body).ok()?;
        let body = String::from_utf8(body).ok()?;
        let mut words = first.split(' ');
        let (method, path) = (words.next()?, words.next()?);
        record
            .lock()
            .ok()?
            .push(format!("{method} {path} {body}").trim().to_owned());
        let (status, text) = match (method, path) {
            ("POST", "/login") => ("200 OK", format!("{{\"access_token\": \"{token}\"}}")),
            _ if !may => ("401 Unauthorized", String::new()),
            ("POST", _) => ("201 Created", body),
            _ => ("200 OK", path.to_owned()),
        };
        let length = text.len();
        let response = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{text}");
        out.write_all(response.as_bytes()).ok()?;
    }
}

/// Requests, data and a login, in a folder.
fn files(yard: &Yard) {
    let lines = concat!(
        "{\"path\": \"/items/{csv.user}\", \"expect\": {\"status\": 200, \"body\": \"/items/{csv.user}\"}}\n",
        "{\"method\": \"POST\", \"path\": \"/cart\", \"body\": {\"user\": \"{csv.name}\"}, ",
        "\"expect\": {\"status\": 201, \"contains\": \"{csv.name}\"}}\n",
    );
    let login = "{\"request\": {\"method\": \"POST\", \"path\": \"/login\", \"body\": \"me\"}, \"take\": {\"token\": \"json:/access_token\"}}";
    for (name, text) in [
        ("shop.jsonl", lines),
        ("users.csv", "user,name\n7,\"Smith, Ann\"\n8,Li\n"),
        ("login.json", login),
    ] {
        fs::write(yard.path(name), text).expect(name);
    }
}

const FLAGS: [&str; 8] = [
    "--requests-from",
    "shop.jsonl",
    "--csv-data",
    "users.csv",
    "--login",
    "login.json",
    "-H",
    "Authorization: Bearer {login.token}",
];

#[test]
fn a_server_gets_the_requests_in_order_with_data_and_a_token() {
    let yard = Yard::new();
    files(&yard);
    let shop = Shop::open("s3cret");
    let measured = yard.load(
        &shop.url,
        8,
        &[&["-c", "1", "-t", "1"][..], &FLAGS].concat(),
    );
    assert_eq!(measured["status"], serde_json::json!({"200": 4, "201": 4}));
    let pass = [
        "GET /items/7",
        "POST /cart {\"user\": \"Smith, Ann\"}",
        "GET /items/8",
        "POST /cart {\"user\": \"Li\"}",
    ];
    let expected = [&["POST /login me"], &pass[..], &pass[..]].concat();
    assert_eq!(shop.seen(), expected);
}

#[test]
fn servers_that_race_get_the_same_requests_each_with_its_own_token() {
    let yard = Yard::new();
    files(&yard);
    let (one, other) = (Shop::open("one"), Shop::open("other"));
    let urls = [
        "--url", &one.url, "--url", &other.url, "-n", "one", "-n", "other", "-c", "4",
    ];
    yard.compare(&[&urls[..], &FLAGS].concat()).code(0);
    all_good(&measurements(&yard.result("compare")));
    for shop in [one, other] {
        let seen = shop.seen();
        // Once for each of the two rounds.
        let logins = seen
            .iter()
            .filter(|line| line.starts_with("POST /login"))
            .count();
        assert_eq!(logins, 2);
        assert!(
            seen.iter()
                .any(|line| line == "POST /cart {\"user\": \"Li\"}")
        );
    }
}

#[test]
fn a_study_takes_requests_from_its_folder() {
    let yard = Yard::new();
    yard.write("studies/mix.jsonl", "{\"path\": \"/plaintext\", \"expect\": {\"body\": \"Hello, World!\"}, \"weight\": 3}\n{\"path\": \"/json\"}\n");
    let study = "title = \"mixed\"\nrounds = 2\nduration = \"200ms\"\nlead-in = \"0ms\"\nwarmup = { min = \"0s\", max = \"0s\" }\n\
         lanes = \"none\"\ntargets = [\"a\", \"b\"]\n[[workload]]\nname = \"mix\"\nrequests = \"mix.jsonl\"\nhttp2 = false\nconnections = [4]\n";
    yard.write("studies/mixed.toml", study);
    yard.target("a", GOOD).target("b", GOOD);
    yard.run(&["run", "mixed"]).code(0);
    all_good(&measurements(&yard.result("mixed")));
    let folder = yard.result("mixed");
    let folder = folder.to_str().expect("a path");
    let report = yard.run(&["report", folder, "--markdown", "-"]).code(0);
    assert!(report.out.contains("2 requests of"), "{}", report.out);
    // Another weight: requests that are not those of the first rounds. An empty line is nothing else.
    let mix = fs::read_to_string(yard.path("studies/mix.jsonl")).expect("requests");
    let rewrite = |text: String| yard.write("studies/mix.jsonl", text);
    rewrite(format!("\n{mix}"));
    yard.run(&["run", "mixed", "--resume", folder]).code(0);
    rewrite(mix.replace("\"weight\": 3", "\"weight\": 4"));
    yard.run(&["run", "mixed", "--resume", folder])
        .code(2)
        .says(&[
            "begun with another study: the requests of mix.jsonl, their data, their order or what must come back for them have changed \
             (workload mix); undo that",
        ]);
    let wrong = study.replace("mix.jsonl", "none.jsonl");
    yard.write("studies/mixed.toml", wrong);
    yard.run(&["run", "mixed"])
        .code(2)
        .says(&["mixed.toml:10: cannot read", "none.jsonl: No"]);
}

#[test]
fn a_login_that_gives_no_token_ends_before_any_load() {
    let yard = Yard::new();
    files(&yard);
    let shop = Shop::open("s3cret");
    let login = |text: &str| yard.write("login.json", text);
    let take = "\"take\": {\"token\": \"json:/token\"}";
    login(&format!(
        "{{\"request\": {{\"method\": \"POST\", \"path\": \"/login\"}}, {take}}}"
    ));
    let load = ["load", &shop.url, "-n", "8"];
    let none = yard.run(&[&load[..], &FLAGS].concat()).code(3).says(&[
        "failed to log in: POST /login: the response has nothing at json:/token, from which {login.token} is taken",
        // What there is, without what may be secret.
        "{\\\"access_token\\\":\\\"***\\\"}",
    ]);
    assert!(!none.err.contains("s3cret"), "{}", none.err);
    assert_eq!(shop.seen(), ["POST /login"]);
    login(&format!(
        "{{\"request\": {{\"path\": \"/account\"}}, {take}}}"
    ));
    let refused =
        "log in: GET /account: expected a status from 200 to 299, got 401 with the body nothing";
    yard.run(&[&load[..], &FLAGS].concat())
        .code(3)
        .says(&[refused]);
    assert_eq!(shop.seen(), ["POST /login", "GET /account"]);
    let other = Shop::open("other");
    let urls = ["--url", &shop.url, "--url", &other.url, "-c", "1"];
    yard.compare(&[&urls[..], &FLAGS].concat())
        .code(3)
        .says(&["GET /account: expected a status from 200 to 299, got 401"]);
    // A login that cannot be is told with its line.
    login("{\"request\": {\"path\": \"/login\"},\n \"take\": {\"token\": \"token\"}}");
    yard.run(&[&load[..], &FLAGS].concat()).code(2).says(&[
        "login.json:2:11: `token` does not say where `token` is taken from",
        "json:/access_token",
    ]);
    login("{\"request\": {\"path\": \"/login\"},\n \"takes\": {}}");
    yard.run(&[&load[..], &FLAGS].concat())
        .code(2)
        .says(&["login.json:2:8: unknown field `takes`"]);
}

#[test]
fn a_token_that_is_too_long_is_refused_before_it_fills_memory() {
    let yard = Yard::new();
    files(&yard);
    let lines = "{\"path\": \"/account\"}\n".repeat(3_000);
    yard.write("many.jsonl", lines);
    let refused = |token: &str, says: &str| {
        let shop = Shop::open(token);
        let load = [
            "load",
            &shop.url,
            "-n",
            "8",
            "--requests-from",
            "many.jsonl",
        ];
        yard.run(&[&load[..], &FLAGS[4..]].concat())
            .code(3)
            .says(&["failed to log in: POST /login: ", says]);
        assert_eq!(shop.seen(), ["POST /login me"]);
    };
    refused(
        &"t".repeat(20_000),
        "{login.token} would be 20000 bytes long; at most 16384 can be sent",
    );
    refused(
        &"t".repeat(10_000),
        "with what is taken from its response all requests together are 30",
    );
}

#[test]
fn a_har_is_sent_to_the_server_that_is_named_without_what_went_elsewhere() {
    let yard = Yard::new();
    let entry = |url: &str| {
        format!("{{\"request\": {{\"method\": \"GET\", \"url\": \"{url}\", \"headers\": []}}}}")
    };
    let mut entries = vec![entry("https://shop.example/items/1?a=b")];
    entries.extend((0..50).map(|n| entry(&format!("https://cdn.example/{n}.png"))));
    entries.push(entry("https://shop.example/items/2"));
    let har = format!(
        "{{\"log\": {{\"version\": \"1.2\", \"entries\": [{}]}}}}",
        entries.join(",\n")
    );
    yard.write("session.har", har);
    let shop = Shop::open("s3cret");
    let load = ["load", &shop.url, "-n", "4", "-c", "1", "-t", "1"];
    let flags = [
        "--requests-from",
        "session.har",
        "-H",
        "Authorization: Bearer s3cret",
    ];
    yard.run(&[&load[..], &flags].concat())
        .code(0)
        .says(&["session.har: 50 requests to other servers than shop.example left out"]);
    let pass = ["GET /items/1?a=b", "GET /items/2"];
    assert_eq!(shop.seen(), [pass, pass].concat());
}

#[test]
fn what_cannot_be_is_told_with_its_place() {
    let yard = Yard::new();
    files(&yard);
    let url = "http://127.0.0.1:9";
    let refused = |args: &[&str], says: &[&str]| {
        yard.run(&[&["load"], args].concat()).code(2).says(says);
    };
    yard.write(
        "bad.jsonl",
        "{\"path\": \"/\"}\n{\"path\": \"/\", \"bdy\": 1}\n",
    );
    refused(
        &[url, "--requests-from", "bad.jsonl"],
        &[
            "bad.jsonl:2:19: unknown field `bdy`",
            "one JSON object a line",
        ],
    );
    refused(
        &["http://127.0.0.1:9/a", "--requests-from", "bad.jsonl"],
        &[
            "--requests-from: its requests have paths of their own",
            "/a",
        ],
    );
    refused(
        &[url, "--order", "random"],
        &["--order: there is only one request"],
    );
    refused(
        &[url, "--order", "weigthed"],
        &["in-order, random or weighted"],
    );
    refused(
        &[url, "--requests-from", "bad.jsonl", "--body", "x"],
        &["--body"],
    );
    refused(
        &[
            "ws://127.0.0.1:9/",
            "--csv-data",
            "users.csv",
            "-H",
            "X: {csv.user}",
            "--body",
            "x",
        ],
        &["--requests-from and --csv-data are for HTTP"],
    );
    refused(
        &[url, "-H", "X: {login.token}"],
        &["`{login.token}` needs a login"],
    );
    refused(
        &[url, "--login", "login.json"],
        &["no request uses what the login takes"],
    );
    let pipe = yard.path("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    refused(
        &[url, "--requests-from", "pipe"],
        &["cannot read pipe: it is not a regular file"],
    );
}
