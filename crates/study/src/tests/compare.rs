//! `photofinish compare`: a plan made from commands.

use std::path::Path;
use std::time::Duration;

use photofinish_model::samples::{assert_contains, assert_starts};
use photofinish_model::settings::{Group, RaceLayer, ReadySettings, RequestSettings, Set};
use photofinish_model::{
    Address, Exchange, Load, Message, Payload, Request, Template, Tls, Trust, Version,
};
use photofinish_proto::Schema;

use super::render;
use crate::plan::{Draft, Image, Listen};
use crate::{Compare, Error, Parameter, RequestFlags, RunFlags, compare_plan, resolve};

fn compare(a: &str, b: &str, url: &str) -> Compare {
    Compare::new(vec![a.to_owned(), b.to_owned()], url)
}

/// Two commands at one level.
pub(super) fn two_commands() -> Draft {
    compare_plan(&compare("./a {port}", "./b {port}", URL)).unwrap()
}

/// The flags of a request.
fn sent(request: Request) -> RequestFlags {
    RequestFlags {
        request,
        ..RequestFlags::default()
    }
}

const URL: &str = "http://127.0.0.1:{port}/x?y=1";

/// Two commands, with what runs around them.
fn around(prepare: &[&str], cleanup: &[&str]) -> Compare {
    let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
    Compare {
        prepare: lines(prepare),
        cleanup: lines(cleanup),
        ..compare("./a {port} -t {threads}", "./b {port}", URL)
    }
}

#[test]
fn what_runs_around_a_server_is_given_once_or_for_each() {
    let threads = Parameter {
        name: "threads".to_owned(),
        values: vec!["1".to_owned(), "2".to_owned()],
    };
    let asked = Compare {
        parameters: vec![threads],
        ..around(&["./fill {threads}", ""], &["./drop {port}"])
    };
    let plan = compare_plan(&asked).unwrap();
    let each: Vec<_> = (plan.targets.iter())
        .map(|target| (&*target.start.prepare, &*target.stop.cleanup))
        .collect();
    let shell = |line: &str| ["sh", "-c", line].map(str::to_owned);
    let drop = shell("./drop {port}");
    let fill = [shell("./fill 1"), shell("./fill 2")];
    assert_eq!(
        each,
        [(&fill[0][..], &drop[..]), (&fill[1], &drop), (&[], &drop)]
    );
    assert!(
        plan.text
            .contains("# a-threads-2, prepare: ./fill 2\n# a-threads-2, cleanup: ./drop {port}\n"),
        "{}",
        plan.text
    );
    let bare = compare_plan(&Compare {
        shell: false,
        commands: vec!["./a {port}".to_owned(), "./b {port}".to_owned()],
        ..around(&["./fill 'a b'"], &[])
    });
    assert_eq!(bare.unwrap().targets[0].start.prepare, ["./fill", "a b"]);
}

/// Rounds are added until it is decided, unless a flag says how many there are, or how long they take.
#[test]
fn a_comparison_ends_once_it_is_decided() {
    const MINUTE: Duration = Duration::from_secs(60);
    let settings = |settings: RaceLayer| {
        let flags = RunFlags {
            settings,
            ..RunFlags::default()
        };
        let settings = resolve(two_commands(), &flags).unwrap().settings;
        let within = settings.within.map(|time| time.as_secs());
        (settings.max_rounds, settings.rounds, within)
    };
    let none = RaceLayer::default;
    assert_eq!(settings(none()), (Some(12), 12, Some(85)));
    let until = RaceLayer {
        until_decided: Set::flag(true),
        ..none()
    };
    assert_eq!(settings(until), (Some(20), 20, None));
    let narrow = RaceLayer {
        half_width: Set::flag(Some(0.01)),
        ..none()
    };
    assert_eq!(settings(narrow), (Some(20), 20, None));
    let rounds = RaceLayer {
        rounds: Set::flag(7),
        ..none()
    };
    assert_eq!(settings(rounds), (None, 7, None));
    let within = RaceLayer {
        within: Set::flag(Some(MINUTE)),
        ..none()
    };
    assert_eq!(settings(within), (None, 12, Some(60)));
    let aa = RaceLayer {
        aa: Set::flag(true),
        ..none()
    };
    assert_eq!(settings(aa), (None, 12, None));
    let smoke = RunFlags {
        smoke: true,
        ..RunFlags::default()
    };
    let smoke = resolve(two_commands(), &smoke).unwrap().settings;
    assert_eq!((smoke.max_rounds, smoke.rounds), (None, 1));
}

#[test]
fn two_servers_at_one_level_have_a_limit_of_time() {
    let two = || compare("./a {port}", "./b {port}", URL);
    let settings = |asked: Compare| compare_plan(&asked).unwrap().settings.complete();
    let within = |asked: Compare| settings(asked).within;
    assert_eq!(within(two()), Some(Duration::from_secs(85)));
    assert_eq!(settings(two()).fewest_rounds, 5);
    let levels = [1, 2].map(|connections| Load::Closed { connections });
    let two_levels = Compare {
        loads: levels.into(),
        ..two()
    };
    assert_eq!(within(two_levels), None);
    let mut three = two();
    three.commands.push("./c {port}".to_owned());
    assert_eq!(within(three), None);
}

#[test]
fn what_runs_around_a_server_is_checked() {
    let says = |asked: Compare| {
        let asked = Compare {
            commands: vec!["./a {port}".to_owned(), "./b {port}".to_owned()],
            ..asked
        };
        compare_plan(&asked).unwrap_err().to_string()
    };
    assert_eq!(
        says(around(&["a", "b", "c"], &[])),
        "--prepare: it is given 3 times for 2 commands"
    );
    let no_quote = says(around(&[], &["echo 'a"]));
    assert_starts(&no_quote, "--cleanup: a quote in `echo 'a` is never closed");
    let unknown = says(around(&["./fill {prot}"], &[]));
    assert_contains(&unknown, "--prepare: unknown placeholder `{prot}`");
    let gone = says(around(&[], &["rm -r {temp}/data"]));
    assert_contains(&gone, "--cleanup: unknown placeholder `{temp}`");
}

#[test]
fn images_race_with_commands() {
    let images = |images: &[&str]| Compare {
        commands: vec!["./a {port}".to_owned()],
        images: images.iter().map(|&image| image.to_owned()).collect(),
        ..compare("", "", "http://127.0.0.1:{port}/")
    };
    let plan = compare_plan(&Compare {
        parameters: vec![Parameter {
            name: "threads".to_owned(),
            values: vec!["1".to_owned(), "2".to_owned()],
        }],
        ..images(&["app:1 -t {threads} --port '{port}'"])
    });
    let targets = plan.unwrap().targets;
    let labels: Vec<&str> = targets.iter().map(|target| &*target.label).collect();
    assert_eq!(labels, ["a", "app:1-threads-1", "app:1-threads-2"]);
    assert_eq!(targets[0].start.image, None);
    let start = &targets[2].start;
    assert_eq!(start.image, Some(Image::Named("app:1".to_owned())));
    assert_eq!(start.command, ["-t", "2", "--port", "{port}"]);
    assert!(
        targets[2]
            .needs
            .contains_key(photofinish_model::version::CONTAINERS)
    );
    assert!(targets[0].needs.is_empty());

    let error = |wanted: &Compare| render(&compare_plan(wanted).unwrap_err());
    for (image, says) in [
        ("app:1", "`app:1` has no {port}"),
        ("", "a name such as \"docker.io/library/nginx"),
        ("--rm app:1 {port}", "`--rm` is not the name of an image"),
        ("app:1 {temp} {port}", "unknown placeholder `{temp}`"),
    ] {
        assert_contains(&error(&images(&[image])), says);
    }
}

#[test]
fn compares_two_commands() {
    let plan = compare_plan(&Compare {
        flags: sent(Request {
            headers: vec![("Accept".to_owned(), Template::fixed("text/plain").into())],
            ..Request::get("")
        }),
        ..compare("./a --port={port}", "env 'X=1 2' ./b {port}", URL)
    })
    .unwrap();
    assert_eq!(plan.title, "a against b at /x?y=1");
    assert_eq!(
        plan.targets[1].start.command,
        ["sh", "-c", "env 'X=1 2' ./b {port}"]
    );
    assert_eq!(plan.targets[0].start.listen, Listen::FreePort);
    assert_eq!(
        plan.workloads[0].exchange.asked().message().en,
        "GET /x?y=1"
    );
    assert_eq!(plan.workloads[0].loads, [Load::Closed { connections: 100 }]);
    insta::assert_snapshot!(plan.text, @"
    # Made by `photofinish compare`; there was no study file.
    # a: ./a --port={port}
    # b: env 'X=1 2' ./b {port}
    # url: http://127.0.0.1:{port}/x?y=1
    # request: GET /x?y=1
    # header: Accept: text/plain
    # level: connections = 100
    ");
}

#[test]
fn commands_are_named_by_their_first_words() {
    for (a, b, names) in [
        ("./old -p {port}", "./new -p {port}", ["old", "new"]),
        (
            "{java} -jar a.jar --port={port}",
            "java -jar b.jar --port={port}",
            ["java -jar a.jar", "java -jar b.jar"],
        ),
        (
            "./server --port {port} --threads 1",
            "./server --port {port} --threads 4",
            ["server --threads 1", "server --threads 4"],
        ),
        (
            "/src/old/target/server {port}",
            "/src/new/target/server {port}",
            ["old target server", "new target server"],
        ),
        ("PORT={port} ./a", "exec ./b {port}", ["a", "b"]),
        (
            "/opt/photofinish server event-loop --threads 1 -p {port}",
            "/opt/photofinish server event-loop --threads 2 -p {port}",
            ["photofinish --threads 1", "photofinish --threads 2"],
        ),
        (
            "java -cp target/classes:lib/all.jar com.example.shop.Old {port}",
            "java -cp target/classes:lib/all.jar com.example.shop.New {port}",
            ["java com.example.shop.Old", "java com.example.shop.New"],
        ),
        // What is the same or secret distinguishes nothing.
        ("./a {port}", "./a {port}", ["A", "B"]),
        ("./a --token=x {port}", "./a --token=y {port}", ["A", "B"]),
    ] {
        let compared = Compare {
            env: vec![("PORT".to_owned(), "{port}".into())],
            ..compare(a, b, URL)
        };
        let targets = compare_plan(&compared).unwrap().targets;
        let labels: Vec<&str> = targets.iter().map(|target| &*target.label).collect();
        assert_eq!(labels, names, "{a}, {b}");
    }
}

#[test]
fn a_placeholder_and_a_fixed_port_contradict_each_other() {
    let fixed = compare("./a {port}", "./b {port}", "http://127.0.0.1:8080/");
    let says = render(&compare_plan(&fixed).unwrap_err());
    assert!(says.contains("the URL has the port 8080"), "{says}");
    let reverse = compare("./a", "./b", "http://127.0.0.1:{port}/");
    let says = render(&compare_plan(&reverse).unwrap_err());
    assert!(says.contains("`./a` has no {port}"), "{says}");
}

#[test]
fn without_a_shell_a_command_is_split_into_words() {
    let plan = compare_plan(&Compare {
        shell: false,
        ..compare("./a {port}", "env 'X=1 2' ./b {port} > log", URL)
    });
    assert_eq!(
        plan.unwrap().targets[1].start.command,
        ["env", "X=1 2", "./b", "{port}", ">", "log"]
    );
}

fn parameter(name: &str, values: &[&str]) -> Parameter {
    Parameter {
        name: name.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    }
}

/// The labels, and the lines that the shell gets.
fn raced(compare: Compare) -> Vec<(String, String)> {
    let targets = compare_plan(&compare).unwrap().targets;
    let each = targets.into_iter();
    each.map(|target| (target.label, target.start.command[2].clone()))
        .collect()
}

#[test]
fn a_command_races_with_each_of_its_parameters_values() {
    let pair = |label: &str, line: &str| (label.to_owned(), line.to_owned());
    let one = Compare {
        parameters: vec![
            parameter("threads", &["1", "16"]),
            parameter("gc", &["-XX:+UseZGC", "-XX:+UseG1GC"]),
            parameter("unused_here", &["1", "2"]),
        ],
        ..compare(
            "./a {gc} -t {threads} {port}",
            "./b {unused_here} {port}",
            URL,
        )
    };
    assert_eq!(
        raced(one),
        [
            pair("a-threads-1-gc-XX--UseZGC", "./a -XX:+UseZGC -t 1 {port}"),
            pair("a-threads-1-gc-XX--UseG1GC", "./a -XX:+UseG1GC -t 1 {port}"),
            pair("a-threads-16-gc-XX--UseZGC", "./a -XX:+UseZGC -t 16 {port}"),
            pair(
                "a-threads-16-gc-XX--UseG1GC",
                "./a -XX:+UseG1GC -t 16 {port}"
            ),
            pair("b-unused_here-1", "./b 1 {port}"),
            pair("b-unused_here-2", "./b 2 {port}"),
        ]
    );
    let alone = |names: &[&str]| Compare {
        parameters: vec![parameter("threads", &["1", "2"])],
        names: names.iter().map(|&name| name.to_owned()).collect(),
        ..Compare::new(vec!["./a -t {threads} {port}".to_owned()], URL)
    };
    let labels = |names: &[&str]| -> Vec<String> {
        let raced = raced(alone(names)).into_iter();
        raced.map(|(label, _)| label).collect()
    };
    assert_eq!(labels(&[]), ["threads-1", "threads-2"]);
    assert_eq!(labels(&["srv"]), ["srv-threads-1", "srv-threads-2"]);
    assert_eq!(labels(&["one", "two"]), ["one", "two"]);
}

#[test]
fn secret_values_of_parameters_stand_in_no_name() {
    let asked = Compare {
        parameters: vec![
            parameter("token", &["canary-a", "canary-b"]),
            parameter("threads", &["4"]),
        ],
        ..Compare::new(vec!["./a -t {threads} -x {token} {port}".to_owned()], URL)
    };
    let labels: Vec<String> = raced(asked).into_iter().map(|(label, _)| label).collect();
    assert_eq!(labels, ["token 1-threads-4", "token 2-threads-4"]);
    let twice = Compare {
        parameters: vec![parameter("api_key", &["canary-a", "canary-a"])],
        ..Compare::new(vec!["./a -x {api_key} {port}".to_owned()], URL)
    };
    let says = compare_plan(&twice).unwrap_err().to_string();
    assert!(
        says.contains("listed twice") && !says.contains("canary"),
        "{says}"
    );
}

#[test]
fn wrong_parameters_are_named() {
    let says = |parameters: Vec<Parameter>| {
        let wrong = Compare {
            parameters,
            ..compare("./a {threads} {port}", "./b {port}", URL)
        };
        compare_plan(&wrong).unwrap_err().to_string()
    };
    let values = ["1", "2"];
    for (parameters, expected) in [
        (
            vec![parameter("thread", &values)],
            "-L thread: no command has {thread}",
        ),
        (
            vec![parameter("port", &values)],
            "-L port: {port} has a meaning of its own",
        ),
        (
            vec![parameter("a b", &values)],
            "`a b` is not a parameter's name",
        ),
        (
            vec![parameter("threads", &["1", "1"])],
            "the value `1` is listed twice",
        ),
        (
            vec![parameter("threads", &values); 2],
            "-L threads: it is listed twice",
        ),
        (
            vec![parameter("threads", &["+", "-"])],
            "`a-threads` is listed twice",
        ),
    ] {
        assert_contains(&says(parameters), expected);
    }
}

fn three_streams() -> RequestSettings {
    RequestSettings {
        streams: 3,
        ..RequestSettings::default()
    }
}

/// One request on each connection.
fn one_request() -> RequestSettings {
    RequestSettings {
        requests_per_connection: Some(1),
        ..RequestSettings::default()
    }
}

fn ready(path: &str) -> ReadySettings {
    ReadySettings {
        ready_path: Some(path.to_owned()),
        ..ReadySettings::default()
    }
}

#[test]
fn servers_are_started_as_the_flags_say() {
    let wanted = Compare {
        env: vec![("PORT".to_owned(), "{port}".into())],
        ready: ReadySettings {
            ready_path: Some("/health".to_owned()),
            start_timeout: Duration::from_secs(120),
        },
        ..compare("./a", "./b", URL)
    };
    let plan = compare_plan(&wanted).unwrap();
    for target in &plan.targets {
        assert_eq!(target.start.env["PORT"].expose(), "{port}");
        assert_eq!(target.ready.path.as_deref(), Some("/health"));
        assert_eq!(target.ready.timeout, Duration::from_secs(120));
    }
    assert!(plan.text.contains("# env: PORT=***\n"), "{}", plan.text);
    let env = |name: &str, value: &str| Compare {
        env: vec![(name.to_owned(), value.into())],
        ..wanted.clone()
    };
    for (wrong, expected) in [
        (env("PORT", "{prot}"), "unknown placeholder `{prot}`"),
        (
            env("", "{port}"),
            "cannot be the name of an environment variable",
        ),
        (env("A", "b"), "the server does not know its port"),
        (
            Compare {
                ready: ready("health"),
                ..wanted.clone()
            },
            "--ready-path: the path `health` does not begin with `/`",
        ),
    ] {
        assert_contains(&compare_plan(&wrong).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_fixed_port_needs_no_placeholder() {
    let plan = compare_plan(&Compare {
        names: vec!["old".to_owned(), "new".to_owned()],
        ..compare("./a", "{java} -jar b.jar", "http://localhost:8080")
    })
    .unwrap();
    assert_eq!(plan.targets[0].label, "old");
    assert_eq!(plan.targets[1].start.listen, Listen::Port(8080));
    assert_eq!(plan.targets[1].needs["jdk"].text, "any");
    assert_eq!(plan.workloads[0].exchange.asked().message().en, "GET /");
}

#[test]
fn calls_are_compared() {
    let url = "grpcs://localhost:{port}/echo.Echo/Unary";
    let folder = Path::new("../../studies/protos");
    let wanted = Compare {
        flags: RequestFlags {
            schema: Some(Schema::compile(&folder.join("echo.proto"), &[]).unwrap()),
            settings: three_streams(),
            ..sent(Request {
                body: Template::parse("{\"text\": \"hi\"}").into(),
                ..Request::get("")
            })
        },
        ..compare("./a {port}", "./b {port}", url)
    };
    let plan = compare_plan(&wanted).unwrap();
    assert_eq!(plan.title, "a against b at /echo.Echo/Unary");
    let Exchange::Grpc(call) = &plan.workloads[0].exchange else {
        panic!("{:?}", plan.workloads[0].exchange)
    };
    assert_eq!(call.message, Payload::fixed("\n\u{2}hi").into());
    assert_eq!((call.messages, call.streams), (Some(1), 3));
    let tls = plan.targets[1].tls.as_ref().unwrap();
    assert_eq!(tls.name.as_deref(), Some("localhost"));
    let at = |url: &str| Compare {
        url: url.to_owned(),
        ..wanted.clone()
    };
    for (wrong, says) in [
        (
            at(URL),
            "--proto and --descriptor-set are for gRPC, but the URL is http://",
        ),
        (
            Compare {
                ready: ready("/health"),
                ..wanted.clone()
            },
            "--ready-path: a path is asked for over HTTP/1.1, which a server of gRPC does not speak",
        ),
        (
            at("grpc://127.0.0.1:{port}/echo.Echo/Gone"),
            "there is no method `/echo.Echo/Gone`",
        ),
        (
            Compare {
                flags: RequestFlags {
                    version: Version::Http2 { streams: 1 },
                    ..wanted.flags.clone()
                },
                ..wanted.clone()
            },
            "leave --http2 out",
        ),
    ] {
        assert_contains(&compare_plan(&wrong).unwrap_err().to_string(), says);
    }
}

#[test]
fn messages_over_websocket_are_compared() {
    let sized = Compare {
        flags: RequestFlags {
            size: Some(64),
            settings: three_streams(),
            ..RequestFlags::default()
        },
        ready: ready("/health"),
        ..compare("./a {port}", "./b {port}", "wss://localhost:{port}/chat")
    };
    let plan = compare_plan(&sized).unwrap();
    assert_eq!(plan.title, "a against b at /chat");
    let Exchange::WebSocket(socket) = &plan.workloads[0].exchange else {
        panic!("{:?}", plan.workloads[0].exchange)
    };
    assert_eq!(socket.message, Message::Random { size: 64 });
    assert_eq!(socket.opening.path, Template::fixed("/chat"));
    assert_eq!(socket.streams, 3);
    assert!(plan.targets[0].tls.is_some());
    let says = |wrong: Compare| compare_plan(&wrong).unwrap_err().to_string();
    let http = says(Compare {
        url: URL.to_owned(),
        ..sized.clone()
    });
    assert_eq!(
        http,
        "--url: --size is for a WebSocket here, but the URL is http://"
    );
    let nothing = says(Compare {
        flags: RequestFlags::default(),
        ..sized.clone()
    });
    assert!(nothing.contains("say what to send"), "{nothing}");
    let closing = says(Compare {
        flags: RequestFlags {
            settings: one_request(),
            ..sized.flags.clone()
        },
        ..sized
    });
    assert!(closing.contains("leave --no-keepalive"), "{closing}");
}

#[test]
fn servers_listen_on_unix_sockets_where_that_is_said() {
    let at = |path: &str, command: &str, url: &str| {
        compare_plan(&Compare {
            unix_socket: Some(path.to_owned()),
            ..compare(command, command, url)
        })
    };
    let url = "http://localhost/x";
    let plan = at("{socket}", "./a {socket}", url).unwrap();
    assert_eq!(plan.targets[1].start.listen, Listen::Socket);
    assert_contains(&plan.text, "# unix socket: {socket}\n");
    let plan = at("/run/a.sock", "./a", url).unwrap();
    let fixed = Listen::SocketAt("/run/a.sock".into());
    assert_eq!(plan.targets[0].start.listen, fixed);
    let long = "x".repeat(108);
    for (path, command, url, says) in [
        ("{socket}", "./a", url, "has no {socket}"),
        (
            "{socket}",
            "./a {socket}",
            URL,
            "has a port, and --unix-socket is given",
        ),
        (
            "/run/{port}",
            "./a",
            url,
            "`{port}` cannot be used in a path",
        ),
        (&long, "./a", url, "107 bytes at most"),
    ] {
        assert_contains(&at(path, command, url).unwrap_err().to_string(), says);
    }
}

#[test]
fn wrong_comparisons() {
    let good = || compare("a {port}", "b {port}", URL);
    let wrong: Vec<Result<Draft, Error>> = [
        Compare::new(vec!["a {port}".to_owned()], URL),
        compare("a", "b {port}", URL),
        compare("a {port}", "b 'x {port}", URL),
        compare("a {port}", "  ", URL),
        compare("a {port}", "b {prot}", URL),
        compare("a {port}", "b {dir} {port}", URL),
        compare("a {port}", "b {port}", "ftp://127.0.0.1:{port}/"),
        compare("a {port}", "b {port}", "http://example.org:{port}/"),
        compare("a {port}", "b {port}", "http://127.0.0.1/x"),
        compare("a {port}", "b {port}", "http://127.0.0.1:{prot}/x"),
        compare("a {port}", "b {port}", "http://127.0.0.1:{port}/x#y"),
        Compare {
            names: vec!["a".to_owned()],
            ..good()
        },
        Compare {
            names: vec!["a".to_owned(), "a".to_owned()],
            ..good()
        },
        Compare {
            flags: sent(Request {
                method: "FETCH".to_owned(),
                ..Request::get("")
            }),
            ..good()
        },
        Compare {
            flags: sent(Request {
                headers: vec![("A b".to_owned(), Template::fixed("c").into())],
                ..Request::get("")
            }),
            ..good()
        },
        Compare {
            loads: vec![Load::Closed { connections: 0 }],
            ..good()
        },
        Compare {
            loads: vec![Load::Closed { connections: 9 }; 2],
            ..good()
        },
    ]
    .iter()
    .map(compare_plan)
    .collect();
    let mistakes: Vec<String> = wrong
        .into_iter()
        .map(|plan| render(&plan.unwrap_err()))
        .collect();
    insta::assert_snapshot!(mistakes.join("\n"));
}

#[test]
fn servers_are_called_as_the_url_calls_them() {
    let at = Address::from(std::net::SocketAddr::from(([127, 0, 0, 1], 8081)));
    let called = |url: &str, at: &Address| {
        let plan = compare_plan(&compare("./a {port}", "./b {port}", url)).expect("a plan");
        plan.targets[1].called(at)
    };
    for (url, expected) in [
        ("http://localhost:{port}/", "localhost:8081"),
        ("http://127.0.0.1:{port}/", "127.0.0.1:8081"),
        ("https://localhost:{port}/", "localhost:8081"),
    ] {
        assert_eq!(called(url, &at).as_deref(), Some(expected), "{url}");
    }
    // A target of a study by the name for which its certificate is.
    let mut target = compare_plan(&compare(
        "./a {port}",
        "./b {port}",
        "http://localhost:{port}/",
    ))
    .expect("a plan")
    .targets
    .remove(0);
    target.host = None;
    assert_eq!(target.called(&at), None);
    target.tls = Some(Tls {
        name: Some("api.test".to_owned()),
        ..Tls::default()
    });
    assert_eq!(target.called(&at).as_deref(), Some("api.test:8081"));
}

#[test]
fn an_https_url_is_loaded_over_tls_by_its_host() {
    let wanted = compare("./a {port}", "./b {port}", "https://localhost:{port}/x");
    let plan = compare_plan(&Compare {
        flags: RequestFlags {
            settings: one_request(),
            ..RequestFlags::default()
        },
        ..wanted.clone()
    });
    let plan = plan.expect("a plan");
    for target in &plan.targets {
        let tls = target.tls.as_ref().expect("TLS");
        assert_eq!(tls.name.as_deref(), Some("localhost"));
        assert_eq!(tls.trust, Trust::System);
    }
    assert_eq!(plan.workloads[0].requests_per_connection, Some(1));
    let insecure = Tls {
        trust: Trust::Anyone,
        ..Tls::default()
    };
    let over = |tls: &Tls| RequestFlags {
        tls: Some(tls.clone()),
        ..RequestFlags::default()
    };
    let plan = compare_plan(&Compare {
        flags: over(&insecure),
        ..wanted
    });
    let tls = plan.expect("a plan").targets[0].tls.clone().expect("TLS");
    assert_eq!(tls.trust, Trust::Anyone);
    let plain = Compare {
        flags: over(&insecure),
        ..compare("./a {port}", "./b {port}", "http://localhost:{port}/x")
    };
    let says = compare_plan(&plain).expect_err("refused").to_string();
    assert!(says.contains("http://"), "{says}");
}
