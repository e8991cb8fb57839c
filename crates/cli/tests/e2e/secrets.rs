//! No secret is stored or printed: a canary is planted in every place where one can be given, and every output is searched for it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::support::{Ended, GOOD, Server, Yard, wait_until};

/// Every place where a canary is planted.
const PLACES: [&str; 60] = [
    "-H Authorization",
    "-H Cookie",
    "-H X-Own",
    "--header=X-Own",
    "-H @file",
    "-H @file, another line",
    "-H without a colon",
    "-H @file without a colon",
    "--metadata of gRPC",
    "--message of gRPC",
    "--body",
    "--body @file",
    "message of a WebSocket",
    "path of a WebSocket",
    "--env TOKEN",
    "--env with a plain name",
    "--env without =",
    "--env-file TOKEN",
    "--env-file with a plain name",
    "--env-file without =",
    "PGPASSWORD=… in a command",
    "quoted variable in a command",
    "--password WORD in a command",
    "--api-key=WORD in a command",
    "user info of a URL in a command",
    "header in a command",
    "--prepare",
    "--cleanup",
    "--url, query of a started server",
    "--url, query of a server that runs already",
    "--url, user info",
    "load, user info of the URL",
    "load, user info with a slash",
    "load, query",
    "--requests-from, header",
    "--requests-from, body",
    "--requests-from, query",
    "--requests-from, broken line",
    "HAR, cookie",
    "HAR, query",
    "--csv-data",
    "--login, body",
    "--login, broken file",
    "login's response, JSON",
    "login's response, Set-Cookie",
    "login refused, JSON",
    "response, Set-Cookie",
    "response, X-Auth-Token",
    "response, query of Location",
    "response refused, JSON",
    "response refused, the request's header",
    "study, header",
    "study, ${VAR}",
    "study, body of the login",
    "study, URL of a service",
    "study with a mistake, env and headers",
    "study that is not TOML",
    "target, env",
    "target, word of the command",
    "--key, broken PEM",
];

/// The canaries that were planted so far.
#[derive(Default)]
struct Canaries(BTreeMap<&'static str, String>);

impl Canaries {
    /// A new one for a place.
    fn plant(&mut self, place: &'static str) -> String {
        let number = PLACES.iter().position(|known| *known == place);
        let number = number.unwrap_or_else(|| panic!("{place} is not listed"));
        let canary = format!("kanarie{number:02}Qx7");
        assert!(self.0.insert(place, canary.clone()).is_none(), "{place}");
        canary
    }

    #[track_caller]
    fn search(&self, what: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        for (place, canary) in &self.0 {
            if let Some(at) = text.find(canary.as_str()) {
                let from = text[..at]
                    .char_indices()
                    .rev()
                    .nth(60)
                    .map_or(0, |(at, _)| at);
                panic!(
                    "{place}: its canary is in {what}: …{}…",
                    &text[from..at + canary.len()]
                );
            }
        }
        // Bytes of a key as a list of numbers.
        assert!(!text.contains("107, 97, 110, 97, 114, 105, 101"), "{what}");
    }

    #[track_caller]
    fn search_ended(&self, ended: &Ended) {
        self.search("the output", ended.out.as_bytes());
        self.search("the messages", ended.err.as_bytes());
    }

    /// Searches all files of a folder, and checks that only their owner may read them.
    #[track_caller]
    fn search_folder(&self, folder: &Path) {
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                self.search_folder(&path);
                continue;
            }
            assert_eq!(mode(&path), 0o600, "{}", path.display());
            let bytes = fs::read(&path).expect("a file");
            self.search(&path.display().to_string(), &bytes);
        }
    }

    /// Searches what all runs of a yard have left, and what is drawn of it in every format.
    #[track_caller]
    fn search_results(&self, yard: &Yard, study: &str) {
        for folder in yard.results(study) {
            self.search_folder(&folder);
            let dir = folder.display().to_string();
            for format in ["--json", "--csv", "--markdown", "--html", "--junit"] {
                let ended = yard.run(&["report", &dir, format, "-"]);
                self.search_ended(&ended);
            }
            self.search_ended(&yard.run(&["report", &dir, "-v"]));
        }
        self.search_ended(&yard.run(&["history", &format!("results/{study}")]));
    }

    /// Searches the command lines of all processes.
    fn search_processes(&self, yard: &Yard, except: &str) {
        for process in yard.processes() {
            if !process.contains(except) {
                self.search("a command line", process.as_bytes());
            }
        }
    }
}

/// A server whose responses are full of secrets: `/login` gives a token, `/denied` refuses and gives one all the same, `/no` refuses and
/// repeats what came; all set a cookie.
fn leaky(tokens: BTreeMap<&'static str, String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address = listener.local_addr().expect("address").to_string();
    let tokens: &'static _ = Box::leak(Box::new(tokens));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream, tokens));
        }
    });
    address
}

fn serve(stream: TcpStream, tokens: &BTreeMap<&'static str, String>) -> Option<()> {
    static LAST: Mutex<()> = Mutex::new(());
    let mut out = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream);
    loop {
        let (mut first, mut length, mut authorization) = (String::new(), 0, String::new());
        lines.read_line(&mut first).ok().filter(|read| *read > 0)?;
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "authorization" => value.clone_into(&mut authorization),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        lines.read_exact(&mut body).ok()?;
        let path = first.split(' ').nth(1)?;
        let of = |place: &str| tokens.get(place).map_or("none", String::as_str);
        let (status, cookie, body) = match path.split('?').next()? {
            "/login" => (
                200,
                of("login's response, Set-Cookie"),
                format!("{{\"access_token\": \"{}\"}}", of("login's response, JSON")),
            ),
            "/denied" => (
                403,
                "none",
                format!("{{\"data\": \"{}\"}}", of("login refused, JSON")),
            ),
            "/no" => (
                401,
                "none",
                format!(
                    "{{\"refresh_token\": \"{}\", \"says\": \"bad {authorization}\"}}",
                    of("response refused, JSON")
                ),
            ),
            _ => (200, of("response, Set-Cookie"), "ok".to_owned()),
        };
        let response = format!(
            "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nSet-Cookie: s={cookie}; Path=/\r\nX-Auth-Token: {}\r\nLocation: /next?code={}\r\n\r\n{body}",
            body.len(),
            of("response, X-Auth-Token"),
            of("response, query of Location"),
        );
        let _one_at_a_time = LAST.lock().ok()?;
        out.write_all(response.as_bytes()).ok()?;
    }
}

#[test]
fn no_canary_is_stored_or_printed() {
    let yard = Yard::new();
    let mut canaries = Canaries::default();
    started(&yard, &mut canaries);
    already(&yard, &mut canaries);
    protocols(&yard, &mut canaries);
    study(&yard, &mut canaries);
    mistakes(&yard, &mut canaries);
    for name in ["compare", "secret"] {
        canaries.search_results(&yard, name);
    }
    let missing: Vec<&&str> = PLACES
        .iter()
        .filter(|place| !canaries.0.contains_key(**place))
        .collect();
    assert!(missing.is_empty(), "never planted: {missing:?}");
}

/// Servers that `compare` starts.
fn started(yard: &Yard, canaries: &mut Canaries) {
    let header = canaries.plant("-H @file");
    let another = canaries.plant("-H @file, another line");
    let lines = format!("# two of them\nX-Token: {header}\n\nX-Other: {another}\n");
    yard.write("headers.txt", lines);
    let token = canaries.plant("--env-file TOKEN");
    let plain = canaries.plant("--env-file with a plain name");
    yard.write("a.env", format!("TOKEN2={token}\nGREETING2={plain}\n"));
    let body = canaries.plant("--body @file");
    yard.write("body.txt", body);
    let server = format!(
        "{} server event-loop --threads 1 --port {{port}}",
        env!("CARGO_BIN_EXE_photofinish")
    );
    // What the shell does not pass on is in its own command line all the same.
    let first = format!(
        "PGPASSWORD={} {server} # '{}' --password {} --api-key={}",
        canaries.plant("PGPASSWORD=… in a command"),
        format_args!(
            "DB_PASSWORD=\"{}\"",
            canaries.plant("quoted variable in a command")
        ),
        canaries.plant("--password WORD in a command"),
        canaries.plant("--api-key=WORD in a command"),
    );
    let second = format!(
        "{server} # postgres://u:{}@h/d -H 'Authorization: Bearer {}'",
        canaries.plant("user info of a URL in a command"),
        canaries.plant("header in a command"),
    );
    let url = format!(
        "http://127.0.0.1:{{port}}/plaintext?token={}",
        canaries.plant("--url, query of a started server")
    );
    let options = [
        ("--url", url),
        (
            "-H",
            format!(
                "Authorization: Bearer {}",
                canaries.plant("-H Authorization")
            ),
        ),
        ("-H", format!("Cookie: s={}", canaries.plant("-H Cookie"))),
        ("-H", format!("X-Own: {}", canaries.plant("-H X-Own"))),
        ("-H", "@headers.txt".to_owned()),
        ("--env", format!("TOKEN={}", canaries.plant("--env TOKEN"))),
        (
            "--env",
            format!("GREETING={}", canaries.plant("--env with a plain name")),
        ),
        ("--env-file", "a.env".to_owned()),
        (
            "--prepare",
            format!("TOKEN={} true", canaries.plant("--prepare")),
        ),
        (
            "--cleanup",
            format!("true --token {}", canaries.plant("--cleanup")),
        ),
    ];
    let given = format!("--header=X-Own2: {}", canaries.plant("--header=X-Own"));
    // The query makes it a path that the built-in server does not know.
    let mut args = vec![
        &*first,
        &second,
        "-c",
        "2",
        &given,
        "--expect-status",
        "404",
    ];
    args.extend(
        options
            .iter()
            .flat_map(|(flag, value)| [*flag, value.as_str()]),
    );
    let files = [
        "--json",
        "a.json",
        "--csv",
        "a.csv",
        "--markdown",
        "a.md",
        "--junit",
        "a.xml",
    ];
    let ended = yard.compare(&[&args[..], &files].concat()).code(0);
    canaries.search_ended(&ended);
    for file in files.iter().filter(|word| !word.starts_with('-')) {
        canaries.search(file, &fs::read(yard.path(file)).expect(file));
    }
    // A run that is interrupted says how it is resumed, and has what came from files in no list of processes.
    let only_files = [
        "-H",
        "@headers.txt",
        "--env-file",
        "a.env",
        "--body",
        "@body.txt",
    ];
    let slow = [
        &server,
        &server,
        "-m",
        "POST",
        "--url",
        "http://127.0.0.1:{port}/plaintext",
        "-d",
        "60s",
    ];
    let running = yard.start(&[&["compare"], &slow[..], &only_files].concat());
    running.wait_for(": warming up on");
    wait_until("a server runs", || {
        let all = yard.processes();
        match all.iter().any(|one| one.contains("event-loop")) {
            true => Ok(()),
            false => Err(format!("{all:?}")),
        }
    });
    canaries.search_processes(yard, "nothing");
    running.signal("INT");
    let ended = running.end();
    canaries.search_ended(&ended);
    yard.wait_empty();
    // One with the values on the command line.
    let own = canaries.plant("--body");
    let header = format!("X-Own: {}", canaries.0["-H X-Own"]);
    let running = yard.start(&[&["compare"], &slow[..], &["--body", &own, "-H", &header]].concat());
    running.wait_for(": warming up on");
    running.signal("INT");
    let ended = running.end();
    canaries.search_ended(&ended);
    assert!(
        ended.err.contains("with the values in place of ***"),
        "{}",
        ended.err
    );
    yard.wait_empty();
}

/// Servers that run already, and requests from files.
fn already(yard: &Yard, canaries: &mut Canaries) {
    let places = [
        "login's response, JSON",
        "login's response, Set-Cookie",
        "login refused, JSON",
        "response, Set-Cookie",
        "response, X-Auth-Token",
        "response, query of Location",
        "response refused, JSON",
    ];
    let tokens: BTreeMap<&str, String> = places
        .iter()
        .map(|place| (*place, canaries.plant(place)))
        .collect();
    let [a, b] = [leaky(tokens.clone()), leaky(tokens)];
    let login = |path: &str, body: &str| {
        format!(
            "{{\"request\": {{\"method\": \"POST\", \"path\": \"{path}\", \"body\": {{\"user\": \"{body}\"}}}}, \
             \"take\": {{\"token\": \"json:/access_token\"}}}}"
        )
    };
    let body = canaries.plant("--login, body");
    yard.write("login.json", login("/login", &body));
    yard.write("denied.json", login("/denied", &body));
    yard.write(
        "wrong.json",
        login("/login", &body).replace("access_token", "other"),
    );
    let broken = canaries.plant("--login, broken file");
    yard.write(
        "broken.json",
        format!("{{\"request\": {{\"body\": \"{broken}\"}}}}"),
    );
    let query = canaries.plant("--url, query of a server that runs already");
    let urls = [&a, &b].map(|address| format!("http://{address}/x?api_key={query}"));
    let both = ["--url", &urls[0], "--url", &urls[1], "-c", "2"];
    let token = ["-H", "Authorization: Bearer {login.token}"];
    let logged_in = [&both[..], &token, &["--login", "login.json"]].concat();
    canaries.search_ended(&yard.compare(&logged_in).code(0));
    for file in ["denied.json", "wrong.json", "broken.json"] {
        let args = [&both[..], &token, &["--login", file]].concat();
        let ended = yard.compare(&args);
        assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
        canaries.search_ended(&ended);
        let load = format!("http://{a}/x");
        let ended =
            yard.run(&[&["load", &load, "-n", "4"], &token[..], &["--login", file]].concat());
        assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
        canaries.search_ended(&ended);
    }
    // A refusal that repeats what came.
    let header = format!(
        "Authorization: Bearer {}",
        canaries.plant("response refused, the request's header")
    );
    let urls = [&a, &b].map(|address| format!("http://{address}/no"));
    let ended = yard.compare(&[
        "--url", &urls[0], "--url", &urls[1], "-c", "2", "-H", &header,
    ]);
    assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
    canaries.search_ended(&ended);
    // Requests from files.
    let line = format!(
        "{{\"method\": \"POST\", \"path\": \"/x?token={}\", \"headers\": {{\"X-Own\": \"{}\"}}, \"body\": \"{} {{csv.user}}\"}}\n",
        canaries.plant("--requests-from, query"),
        canaries.plant("--requests-from, header"),
        canaries.plant("--requests-from, body"),
    );
    yard.write("shop.jsonl", line);
    yard.write(
        "users.csv",
        format!("user\n{}\n", canaries.plant("--csv-data")),
    );
    let har = format!(
        "{{\"log\": {{\"entries\": [{{\"request\": {{\"method\": \"GET\", \"url\": \"http://{a}/x?sid={}\", \
         \"headers\": [{{\"name\": \"Cookie\", \"value\": \"s={}\"}}]}}}}]}}}}",
        canaries.plant("HAR, query"),
        canaries.plant("HAR, cookie"),
    );
    yard.write("shop.har", har);
    let urls = [&a, &b].map(|address| format!("http://{address}"));
    let both = ["--url", &urls[0], "--url", &urls[1], "-c", "2"];
    let files: [&[&str]; 2] = [
        &["--requests-from", "shop.jsonl", "--csv-data", "users.csv"],
        &["--requests-from", "shop.har"],
    ];
    for files in files {
        canaries.search_ended(&yard.compare(&[&both[..], files].concat()).code(0));
    }
    let broken = canaries.plant("--requests-from, broken line");
    yard.write(
        "broken.jsonl",
        format!("{{\"path\": \"/x\", \"body\": \"{broken}\"\n"),
    );
    canaries.search_ended(
        &yard
            .compare(&[&both[..], &["--requests-from", "broken.jsonl"]].concat())
            .code(2),
    );
}

/// WebSocket and gRPC.
fn protocols(yard: &Yard, canaries: &mut Canaries) {
    let servers = [0, 1].map(|_| Server::start(yard, &["websocket-echo"]));
    let path = canaries.plant("path of a WebSocket");
    let urls = servers
        .each_ref()
        .map(|one| format!("ws://{}/chat?token={path}", one.address));
    let message = canaries.plant("message of a WebSocket");
    let ended = yard.compare(&[
        "--url", &urls[0], "--url", &urls[1], "-c", "2", "--body", &message,
    ]);
    canaries.search_ended(&ended.code(0));
    let servers = [0, 1].map(|_| Server::start(yard, &["grpc-echo"]));
    let urls = servers
        .each_ref()
        .map(|one| format!("grpc://{}/echo.Echo/Unary", one.address));
    let metadata = format!("x-own: {}", canaries.plant("--metadata of gRPC"));
    let message = canaries.plant("--message of gRPC");
    let args = [
        "--url",
        &urls[0],
        "--url",
        &urls[1],
        "-c",
        "2",
        "--metadata",
        &metadata,
        "--message",
        &message,
    ];
    canaries.search_ended(&yard.compare(&args).code(0));
}

/// A study with all that it can hold.
fn study(yard: &Yard, canaries: &mut Canaries) {
    let target = format!(
        "{}\n",
        GOOD.replace(
            "[ready]",
            &format!(
                "env = {{ GREETING = \"{}\" }}\n[ready]",
                canaries.plant("target, env")
            )
        )
    );
    let word = canaries.plant("target, word of the command");
    let target = target.replace(
        "[\"{photofinish}\", ",
        &format!("[\"sh\", \"-c\", 'exec \"$@\"', \"--token={word}\", \"{{photofinish}}\", "),
    );
    yard.target("leaks", &target).target("good", GOOD);
    let text = format!(
        "title = \"secrets\"\nrounds = 2\nduration = \"200ms\"\nlead-in = \"0ms\"\nwarmup = {{ min = \"0s\", max = \"0s\" }}\n\
         lanes = \"none\"\ntargets = [\"leaks\", \"good\"]\n[[workload]]\nname = \"w\"\npath = \"/plaintext\"\nconnections = [2]\n\
         headers = {{ X-Own = \"{}\", X-Variable = \"${{SECRET_OF_TEST}}\", Accept = \"text/plain\" }}\n",
        canaries.plant("study, header"),
    );
    yard.write("studies/secret.toml", &text);
    let variable = canaries.plant("study, ${VAR}");
    let mut command = yard.command(&["run", "secret"]);
    command.env("SECRET_OF_TEST", &variable);
    let ended = crate::support::Running::start(command).end().code(0);
    canaries.search_ended(&ended);
    let kept = fs::read_to_string(yard.result("secret").join("study.toml")).expect("the study");
    assert!(
        kept.contains("${SECRET_OF_TEST}") && kept.contains("text/plain"),
        "{kept}"
    );
    // A resume asks for the values again, and notices another one.
    let resumed = |value: Option<&str>| {
        let mut command = yard.command(&["run", "secret", "--resume"]);
        if let Some(value) = value {
            command.env("SECRET_OF_TEST", value);
        }
        crate::support::Running::start(command).end()
    };
    resumed(Some(&variable)).code(0);
    let other = resumed(Some("a-value-that-was-not-there")).code(2);
    let missing = resumed(None).code(2);
    other.says(&[
        "header X-Variable of workload w was another one",
        "${SECRET_OF_TEST}",
    ]);
    missing.says(&["the environment variable `SECRET_OF_TEST` is not"]);
    // A login that is refused, and a database that is not there.
    let login = format!(
        "login = {{ method = \"POST\", path = \"/denied\", body = \"{{\\\"user\\\": \\\"{}\\\"}}\", take = {{ t = \"json:/t\" }} }}\n",
        canaries.plant("study, body of the login"),
    );
    let service = format!(
        "[service.db]\nkind = \"postgresql\"\nversion = \"*\"\nurl = \"postgresql://u:{}@127.0.0.1:1/d\"\n",
        canaries.plant("study, URL of a service"),
    );
    let text = text.replace("${SECRET_OF_TEST}", "{login.t}");
    for (more, name) in [(login.clone(), "denied"), (login + &service, "database")] {
        yard.write(&format!("studies/{name}.toml"), format!("{text}{more}"));
        let ended = yard.run(&["run", name]);
        assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
        canaries.search_ended(&ended);
        canaries.search_results(yard, name);
    }
}

/// What is refused is refused without the secrets in it.
fn mistakes(yard: &Yard, canaries: &mut Canaries) {
    let key = canaries.plant("--key, broken PEM");
    yard.write("key.pem", format!("-----BEGIN {key}"));
    yard.write("key2.pem", format!("-----BEGIN PRIVATE KEY-----\n{key}\n"));
    let line = canaries.plant("-H @file without a colon");
    yard.write("bad-headers.txt", line);
    let line = canaries.plant("--env-file without =");
    yard.write("bad.env", line);
    let header = canaries.plant("-H without a colon");
    let env = canaries.plant("--env without =");
    let info = canaries.plant("load, user info of the URL");
    let slash = canaries.plant("load, user info with a slash");
    let query = canaries.plant("load, query");
    let two = canaries.plant("--url, user info");
    let urls = [
        format!("http://u:{info}@127.0.0.1:1/"),
        format!("http://u:{slash}/{slash}@127.0.0.1:1/"),
        format!("http://127.0.0.1:1/?token={query}"),
        format!("127.0.0.1/?token={query}"),
        format!("http://u:{two}@127.0.0.1:{{port}}/"),
    ];
    let here = "http://127.0.0.1:1/";
    let pem = ["--insecure", "--cert", "key.pem", "--key"];
    let https = "https://127.0.0.1:1/";
    let cases: [Vec<&str>; 13] = [
        vec!["load", here, "-H", &header],
        vec!["load", here, "-H", "@bad-headers.txt"],
        vec!["load", &urls[0]],
        vec!["load", &urls[1]],
        vec!["load", &urls[2]],
        vec!["load", &urls[3]],
        [&["load", https], &pem[..], &["key.pem"]].concat(),
        [&["load", https], &pem[..], &["key2.pem"]].concat(),
        vec!["compare", "a {port}", "b {port}", "--env", &env],
        vec!["compare", "a {port}", "b {port}", "--env-file", "bad.env"],
        vec!["compare", "a {port}", "b {port}", "--url", &urls[4]],
        vec!["compare", "--url", &urls[0], "--url", &urls[1]],
        vec!["capacity", &urls[0], "--slo", "p99 < 1ms"],
    ];
    for args in &cases {
        let ended = yard.run(args);
        assert_ne!(ended.status.code(), Some(0), "{args:?}: {}", ended.err);
        canaries.search_ended(&ended);
    }
    let mistake = canaries.plant("study with a mistake, env and headers");
    let broken = canaries.plant("study that is not TOML");
    for (name, text) in [
        (
            "m1",
            format!(
                "headers = {{ X-A = \"{mistake}\", X-A2 = 5 }}\nbody = \"{mistake}\"\nconections = [1]\n"
            ),
        ),
        (
            "m2",
            format!("headers = \"X-A: {mistake}\"\nbody = [\"{mistake}\"]\n"),
        ),
        (
            "m3",
            format!("headers = {{ X-A = \"{broken}\"\nbody = \"\"\"\n{broken}\n\"\"\n"),
        ),
        ("m4", format!("path = \"/x?token={mistake}\"\npath = 1\n")),
        (
            "m5",
            format!(
                "expect = {{ status = 9 }}\nmessage = \"{mistake}\"\nlogin = {{ body = \"{mistake}\", take = 1 }}\n"
            ),
        ),
    ] {
        let head = "title = \"x\"\ntargets = [\"good\"]\n[[workload]]\nname = \"w\"\n";
        yard.write(&format!("studies/{name}.toml"), format!("{head}{text}"));
        let ended = yard.run(&["run", name]).code(2);
        canaries.search_ended(&ended);
    }
    yard.target(
        "wrong",
        &format!(
            "title = \"x\"\n[start]\ncommand = \"./a --token {mistake}\"\nenv = \"A={mistake}\"\n"
        ),
    );
    let ended = yard.run(&["list"]);
    canaries.search_ended(&ended);
}
