//! Requests from files: what a server gets of them, with a token of its own login, and what is said of files that cannot be.

use std::fs;
use std::sync::{Arc, Mutex};

use crate::stand_in::{self, Asked};
use crate::support::{GOOD, Yard, all_good, measurements};

/// A shop: `POST /login` gives a token, and everything else wants it. What came is kept: method, path and body.
struct Shop {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Shop {
    fn open(token: &str) -> Shop {
        let token = token.to_owned();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let record = Arc::clone(&seen);
        let address = stand_in::serve(0, move |asked| {
            let Asked {
                method, path, body, ..
            } = &asked;
            let line = format!("{method} {path} {body}");
            record.lock().expect("seen").push(line.trim().to_owned());
            let may = asked.header("authorization") == format!("Bearer {token}");
            let (status, text) = match (&**method, &**path) {
                ("POST", "/login") => ("200 OK", format!("{{\"access_token\": \"{token}\"}}")),
                _ if !may => ("401 Unauthorized", String::new()),
                ("POST", _) => ("201 Created", body.clone()),
                _ => ("200 OK", path.clone()),
            };
            stand_in::response(status, "", &text)
        });
        let url = format!("http://{address}");
        Shop { url, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("seen").clone()
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

const LOGIN: &str = "--login login.json -H 'Authorization: Bearer {login.token}'";
const FILES: &str = "--requests-from shop.jsonl --csv-data users.csv";

#[test]
fn a_server_gets_the_requests_in_order_with_data_and_a_token() {
    let yard = Yard::new();
    files(&yard);
    let shop = Shop::open("s3cret");
    let measured = yard.load(&shop.url, 8, &format!("-c 1 -t 1 {FILES} {LOGIN}"));
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
    let urls = format!("--url {} --url {} -n one -n other -c 4", one.url, other.url);
    yard.compare(&format!("{urls} {FILES} {LOGIN}")).code(0);
    all_good(&measurements(&yard.result("compare")));
    for shop in [one, other] {
        let seen = shop.seen();
        // Once for each of the two rounds.
        let logins = seen
            .iter()
            .filter(|line| line.starts_with("POST /login"))
            .count();
        assert_eq!(logins, 2);
        assert!(seen.contains(&"POST /cart {\"user\": \"Li\"}".to_owned()));
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
    let load = || yard.run(&format!("load {} -n 8 {FILES} {LOGIN}", shop.url));
    let none = load().code(3).says(&[
        "failed to log in: POST /login: the response has nothing at json:/token, from which {login.token} is taken",
        // What there is, without what may be secret.
        "{\\\"access_token\\\":\\\"***\\\"}",
    ]);
    none.never_says("s3cret");
    assert_eq!(shop.seen(), ["POST /login"]);
    login(&format!(
        "{{\"request\": {{\"path\": \"/account\"}}, {take}}}"
    ));
    let refused =
        "log in: GET /account: expected a status from 200 to 299, got 401 with the body nothing";
    load().code(3).says(&[refused]);
    assert_eq!(shop.seen(), ["POST /login", "GET /account"]);
    let other = Shop::open("other");
    let urls = format!("--url {} --url {} -c 1", shop.url, other.url);
    yard.compare(&format!("{urls} {FILES} {LOGIN}"))
        .code(3)
        .says(&["GET /account: expected a status from 200 to 299, got 401"]);
    // A login that cannot be is told with its line.
    login("{\"request\": {\"path\": \"/login\"},\n \"take\": {\"token\": \"token\"}}");
    load().code(2).says(&[
        "login.json:2:11: `token` does not say where `token` is taken from",
        "json:/access_token",
    ]);
    login("{\"request\": {\"path\": \"/login\"},\n \"takes\": {}}");
    let says = ["login.json:2:8: unknown field `takes`"];
    load().code(2).says(&says);
}

#[test]
fn a_token_that_is_too_long_is_refused_before_it_fills_memory() {
    let yard = Yard::new();
    files(&yard);
    let lines = "{\"path\": \"/account\"}\n".repeat(3_000);
    yard.write("many.jsonl", lines);
    let refused = |token: &str, says: &str| {
        let shop = Shop::open(token);
        let url = &shop.url;
        yard.run(&format!(
            "load {url} -n 8 --requests-from many.jsonl {LOGIN}"
        ))
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
    let flags = "--requests-from session.har -H 'Authorization: Bearer s3cret'";
    yard.run(&format!("load {} -n 4 -c 1 -t 1 {flags}", shop.url))
        .code(0)
        .says(&["session.har: 50 requests to other servers than shop.example left out"]);
    let pass = ["GET /items/1?a=b", "GET /items/2"];
    assert_eq!(shop.seen(), [pass, pass].concat());
}

#[test]
fn what_cannot_be_is_told_with_its_place() {
    let yard = Yard::new();
    files(&yard);
    let lines = "{\"path\": \"/\"}\n{\"path\": \"/\", \"bdy\": 1}\n";
    yard.write("bad.jsonl", lines);
    let made = std::process::Command::new("mkfifo")
        .arg(yard.path("pipe"))
        .status();
    assert!(made.expect("mkfifo").success());
    for (args, says) in [
        (
            "--requests-from bad.jsonl",
            "bad.jsonl:2:19: unknown field `bdy`",
        ),
        ("--requests-from bad.jsonl", "one JSON object a line"),
        ("--order random", "--order: there is only one request"),
        ("--order weigthed", "in-order, random, weighted"),
        ("--requests-from bad.jsonl --body x", "--body"),
        ("-H 'X: {login.token}'", "`{login.token}` needs a login"),
        ("--login login.json", "no request uses what the login takes"),
        (
            "--requests-from pipe",
            "cannot read pipe: it is not a regular file",
        ),
    ] {
        yard.refuses(&format!("load http://127.0.0.1:9 {args}"), &[says]);
    }
    let says = [
        "--requests-from: its requests have paths of their own",
        "/a",
    ];
    yard.refuses("load http://127.0.0.1:9/a --requests-from bad.jsonl", &says);
    let data = "--csv-data users.csv -H 'X: {csv.user}' --body x";
    let says = ["--requests-from and --csv-data are for HTTP"];
    yard.refuses(&format!("load ws://127.0.0.1:9/ {data}"), &says);
}
