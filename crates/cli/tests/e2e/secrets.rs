//! No secret is stored or printed: a canary is planted in every place where one can be given, and every output is searched for it.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::stand_in;
use crate::support::{Ended, GOOD, Running, Server, Yard, wait_until};

/// The canaries that were planted so far.
#[derive(Default)]
struct Canaries(BTreeMap<&'static str, String>);

impl Canaries {
    /// A new one for a place.
    fn plant(&mut self, place: &'static str) -> String {
        let canary = format!("kanarie{:02}Qx7", self.0.len());
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
fn leaky(tokens: BTreeMap<&'static str, String>) -> SocketAddr {
    stand_in::serve(0, move |asked| {
        let of = |place: &str| tokens.get(place).map_or("none", String::as_str);
        let (status, cookie, body) = match asked.path.split('?').next() {
            Some("/login") => (
                "200 X",
                of("login's response, Set-Cookie"),
                format!("{{\"access_token\": \"{}\"}}", of("login's response, JSON")),
            ),
            Some("/denied") => {
                let body = format!("{{\"data\": \"{}\"}}", of("login refused, JSON"));
                ("403 X", "none", body)
            }
            Some("/no") => {
                let (token, came) = (of("response refused, JSON"), asked.header("authorization"));
                let body = format!("{{\"refresh_token\": \"{token}\", \"says\": \"bad {came}\"}}");
                ("401 X", "none", body)
            }
            Some("/moved") => ("302 X", "none", String::new()),
            _ => ("200 X", of("response, Set-Cookie"), "ok".to_owned()),
        };
        let (token, code) = (
            of("response, X-Auth-Token"),
            of("response, query of Location"),
        );
        let lines = format!(
            "Set-Cookie: s={cookie}; Path=/\r\nX-Auth-Token: {token}\r\nLocation: /next?code={code}\r\n"
        );
        stand_in::response(status, &lines, &body)
    })
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
    assert_eq!(canaries.0.len(), 62, "a place for each");
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
    let mut plant = |place| canaries.plant(place);
    // What the shell does not pass on is in its own command line all the same.
    let first = format!(
        "PGPASSWORD={} {server} # 'DB_PASSWORD=\"{}\"' --password {} --api-key={} --requirepass {}",
        plant("PGPASSWORD=… in a command"),
        plant("quoted variable in a command"),
        plant("--password WORD in a command"),
        plant("--api-key=WORD in a command"),
        plant("--requirepass WORD in a command"),
    );
    let second = format!(
        "{server} # postgres://u:{}@h/d -H 'Authorization: Bearer {}' -u ann:{}",
        plant("user info of a URL in a command"),
        plant("header in a command"),
        plant("-u USER:PASSWORD in a command"),
    );
    let [first, second] =
        [first, second].map(|line| shlex::try_quote(&line).expect("text").into_owned());
    let given = [
        format!(
            "--url 'http://127.0.0.1:{{port}}/plaintext?token={}'",
            plant("--url, query of a started server")
        ),
        format!("-H 'Authorization: Bearer {}'", plant("-H Authorization")),
        format!("-H 'Cookie: s={}'", plant("-H Cookie")),
        format!("-H 'X-Own: {}'", plant("-H X-Own")),
        format!("'--header=X-Own2: {}'", plant("--header=X-Own")),
        format!("--env TOKEN={}", plant("--env TOKEN")),
        format!("--env GREETING={}", plant("--env with a plain name")),
        format!("--prepare 'TOKEN={} true'", plant("--prepare")),
        format!("--cleanup 'true --token {}'", plant("--cleanup")),
    ];
    let from_files = "-H @headers.txt --env-file a.env";
    let written = "--json a.json --csv a.csv --markdown a.md --junit a.xml";
    // The query makes it a path that the built-in server does not know.
    let ended = yard.compare(&format!(
        "{first} {second} -c 2 {} {from_files} --expect-status 404 {written}",
        given.join(" ")
    ));
    let ended = ended.code(0);
    canaries.search_ended(&ended);
    for file in ["a.json", "a.csv", "a.md", "a.xml"] {
        canaries.search(file, &fs::read(yard.path(file)).expect(file));
    }
    // A run that is interrupted says how it is resumed, and has what came from files in no list of processes.
    let slow = format!(
        "compare '{server}' '{server}' -m POST --url http://127.0.0.1:{{port}}/plaintext -d 60s"
    );
    let running = yard.start(&format!("{slow} {from_files} --body @body.txt"));
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
    let header = format!("-H 'X-Own: {}'", canaries.0["-H X-Own"]);
    let running = yard.start(&format!("{slow} --body {own} {header}"));
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
    let both = |urls: [String; 2]| format!("--url '{}' --url '{}' -c 2", urls[0], urls[1]);
    let to_x = both(urls);
    let token = "-H 'Authorization: Bearer {login.token}' --login";
    let ended = yard.compare(&format!("{to_x} {token} login.json"));
    canaries.search_ended(&ended.code(0));
    for file in ["denied.json", "wrong.json", "broken.json"] {
        let compared = yard.compare(&format!("{to_x} {token} {file}"));
        let loaded = yard.run(&format!("load http://{a}/x -n 4 {token} {file}"));
        for ended in [compared, loaded] {
            assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
            canaries.search_ended(&ended);
        }
    }
    // A refusal that repeats what came.
    let header = canaries.plant("response refused, the request's header");
    let to_no = both([&a, &b].map(|address| format!("http://{address}/no")));
    let ended = yard.compare(&format!("{to_no} -H 'Authorization: Bearer {header}'"));
    assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
    canaries.search_ended(&ended);
    // Redirects with a code in their query.
    let to_moved = both([&a, &b].map(|address| format!("http://{address}/moved")));
    let ended = yard.compare(&format!("{to_moved} --follow-redirects"));
    canaries.search_ended(&ended.code(0));
    let loaded = yard.run(&format!("load http://{a}/moved -n 4 --follow-redirects"));
    canaries.search_ended(&loaded.code(0));
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
    let plain = both([&a, &b].map(|address| format!("http://{address}")));
    for files in ["shop.jsonl --csv-data users.csv", "shop.har"] {
        let ended = yard.compare(&format!("{plain} --requests-from {files}"));
        canaries.search_ended(&ended.code(0));
    }
    let broken = canaries.plant("--requests-from, broken line");
    let line = format!("{{\"path\": \"/x\", \"body\": \"{broken}\"\n");
    yard.write("broken.jsonl", line);
    let ended = yard.compare(&format!("{plain} --requests-from broken.jsonl"));
    canaries.search_ended(&ended.code(2));
}

/// WebSocket and gRPC.
fn protocols(yard: &Yard, canaries: &mut Canaries) {
    let path = canaries.plant("path of a WebSocket");
    let message = canaries.plant("message of a WebSocket");
    let metadata = canaries.plant("--metadata of gRPC");
    let call = canaries.plant("--message of gRPC");
    for (kind, scheme, path, flags) in [
        (
            "websocket-echo",
            "ws",
            format!("chat?token={path}"),
            format!("--body {message}"),
        ),
        (
            "grpc-echo",
            "grpc",
            "echo.Echo/Unary".to_owned(),
            format!("--metadata 'x-own: {metadata}' --message {call}"),
        ),
    ] {
        let servers = [0, 1].map(|_| Server::start(yard, &[kind]));
        let [one, other] = servers.each_ref().map(|it| it.address);
        let urls = format!("--url '{scheme}://{one}/{path}' --url '{scheme}://{other}/{path}'");
        let ended = yard.compare(&format!("{urls} -c 2 {flags}"));
        canaries.search_ended(&ended.code(0));
    }
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
    let ended = Running::start(command).end().code(0);
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
        Running::start(command).end()
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
    let [a, b, c, d, e] = &urls;
    let key = "load https://127.0.0.1:1/ --insecure --cert key.pem --key";
    let compare = "compare 'a {port}' 'b {port}'";
    for args in [
        format!("load http://127.0.0.1:1/ -H '{header}'"),
        "load http://127.0.0.1:1/ -H @bad-headers.txt".to_owned(),
        format!("load '{a}'"),
        format!("load '{b}'"),
        format!("load '{c}'"),
        format!("load '{d}'"),
        format!("{key} key.pem"),
        format!("{key} key2.pem"),
        format!("{compare} --env {env}"),
        format!("{compare} --env-file bad.env"),
        format!("{compare} --url '{e}'"),
        format!("compare --url '{a}' --url '{b}'"),
        format!("capacity '{a}' --slo 'p99 < 1ms'"),
    ] {
        let ended = yard.run(&args);
        assert_ne!(ended.status.code(), Some(0), "{args}: {}", ended.err);
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
