//! Flags over a study, and `compare`.

use photofinish_voice::{Language, Say};
use std::path::Path;
use std::time::Duration;

use super::{read_study, render, study};
use crate::plan::{Listen, Plan};
use crate::{Compare, Error, Overrides, Parameter, RequestFlags, Scale, apply, compare_plan};
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::{Exchange, Load, Message, Payload, Request, Template, Tls, Trust, Version};
use photofinish_proto::Schema;

const CLAIM: &str = "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"mean\"\nof = \"event-loop\"\n\
                     over = \"quarkus\"\nratio = 1.1\nconnections = 100\nsource = \"x\"\n";

fn plan() -> Plan {
    let second =
        "[[workload]]\nname = \"v\"\npath = \"/v\"\nconnections = 7\ntargets = [\"quarkus\"]";
    let claim = CLAIM.replace("connections", "workload = \"w\"\nconnections");
    read_study(&study("", second, &claim)).unwrap()
}

fn applied(overrides: Overrides) -> Plan {
    apply(plan(), &overrides).unwrap()
}

#[test]
fn nothing_asked_for_changes_nothing() {
    assert_eq!(applied(Overrides::default()), plan());
}

#[test]
fn smoke_is_short_and_keeps_every_level() {
    let smoke = applied(Overrides {
        smoke: true,
        ..Overrides::default()
    });
    assert!(smoke.smoke);
    assert_eq!(smoke.rounds, 1);
    assert_eq!(smoke.duration, Duration::from_secs(1));
    assert_eq!(smoke.lead_in, Duration::ZERO);
    assert_eq!(smoke.warmup.max, Duration::ZERO);
    assert_eq!(smoke.workloads, plan().workloads);
}

#[test]
fn flags_count_over_study_and_smoke() {
    let plan = applied(Overrides {
        smoke: true,
        rounds: Some(2),
        duration: Some(Duration::from_secs(3)),
        warmup_max: Some(Duration::from_millis(500)),
        ..Overrides::default()
    });
    assert_eq!(plan.rounds, 2);
    assert_eq!(plan.duration, Duration::from_secs(3));
    assert_eq!(plan.warmup.max, Duration::from_millis(500));
}

#[test]
fn only_takes_out_what_cannot_run_and_says_so() {
    let plan = applied(Overrides {
        only: vec!["event-loop".to_owned()],
        ..Overrides::default()
    });
    assert_eq!(plan.targets.len(), 1);
    assert_eq!(plan.workloads.len(), 1);
    assert!(plan.claims.is_empty());
    let target = "quarkus".to_owned();
    assert_eq!(
        plan.left_out,
        [
            LeftOut::Target {
                target: target.clone()
            },
            LeftOut::Workload {
                workload: "v".to_owned()
            },
            untested(Untested::Target { target }),
        ]
    );
}

/// The claim `a`, which is not tested.
fn untested(why: Untested) -> LeftOut {
    let id = "a".to_owned();
    LeftOut::Claim { id, why }
}

/// A study whose claims are about levels that do not all run by themselves.
fn scaled(claim: &str, scale: Option<Scale>) -> Plan {
    let claim = CLAIM.replace("connections = 100", &format!("connections = 5000\n{claim}"));
    let text = study("", "published-connections = [300, 5000]", &claim);
    let overrides = Overrides {
        scale,
        ..Overrides::default()
    };
    apply(read_study(&text).unwrap(), &overrides).unwrap()
}

#[test]
fn scales_choose_among_the_levels_of_the_file() {
    let closed = |connections| Load::Closed { connections };
    let loads = |scale| scaled("", scale).workloads.remove(0).loads;
    assert_eq!(loads(None), [closed(16), closed(100)]);
    assert_eq!(loads(Some(Scale::Published)), [closed(300), closed(5_000)]);
    assert_eq!(loads(Some(Scale::Small)), [closed(16)]);
}

#[test]
fn a_claim_is_tested_at_its_level_or_at_the_one_in_its_stead() {
    assert_eq!(
        scaled("", None).left_out,
        [untested(Untested::Level {
            load: Load::Closed { connections: 5_000 },
            published: true,
        })]
    );
    assert_eq!(scaled("", Some(Scale::Published)).claims.len(), 1);
    let stand_in = "measured-at = { connections = 100 }";
    let plan = scaled(stand_in, None);
    assert_eq!(plan.claims[0].load, Load::Closed { connections: 5_000 });
    assert_eq!(
        plan.claims[0].measured_at,
        Some(Load::Closed { connections: 100 })
    );
    // Neither runs.
    assert!(scaled(stand_in, Some(Scale::Small)).claims.is_empty());
    // Side B's level does not run.
    assert!(scaled("over-connections = 300", None).claims.is_empty());
    assert_eq!(
        scaled("over-connections = 300", Some(Scale::Published))
            .claims
            .len(),
        1
    );
}

#[test]
fn a_second_copy_of_the_first_target_races_along() {
    let with = |overrides| {
        let plan = applied(overrides);
        let labels = plan.targets.iter().map(|target| target.label.clone());
        labels.collect::<Vec<_>>()
    };
    let aa = || Overrides {
        aa: true,
        ..Overrides::default()
    };
    let labels = with(aa());
    assert_eq!(labels, ["event-loop", "quarkus", "event-loop-again"]);
    // Asking twice adds none, and a smoke run has none.
    let twice = apply(applied(aa()), &aa()).unwrap();
    assert_eq!(twice.targets.len(), 3);
    assert_eq!(
        crate::same_as(&twice.targets[2], &twice.targets[..2]),
        Some("event-loop")
    );
    assert_eq!(crate::same_as(&twice.targets[1], &twice.targets[..1]), None);
    let smoke = Overrides {
        smoke: true,
        ..aa()
    };
    assert_eq!(with(smoke).len(), 2);
    // It takes the workloads that the first one takes.
    let only = Overrides {
        only: vec!["quarkus".to_owned()],
        ..aa()
    };
    let plan = applied(only);
    assert_eq!(plan.workloads[1].targets, ["quarkus", "quarkus-again"]);
    assert_eq!(plan.workloads[0].targets, [""; 0]);
    let asked = apply(
        read_study(&study("aa = true", "", "")).unwrap(),
        &Overrides::default(),
    );
    assert_eq!(asked.unwrap().targets.len(), 3);
}

#[test]
fn targets_take_turns_unless_a_flag_or_the_study_says_otherwise() {
    let asked = |turns| Overrides {
        turns: Some(turns),
        ..Overrides::default()
    };
    assert!(plan().turns);
    assert!(!applied(asked(false)).turns);
    let study = || read_study(&study("turns = false\n", "", "")).unwrap();
    assert!(!apply(study(), &Overrides::default()).unwrap().turns);
    assert!(apply(study(), &asked(true)).unwrap().turns);
}

#[test]
fn rounds_are_added_up_to_a_cap() {
    let until = |max_rounds| Overrides {
        until_decided: true,
        max_rounds,
        ..Overrides::default()
    };
    let plan = applied(until(None));
    assert_eq!((plan.until_decided, plan.rounds), (true, 20));
    assert_eq!(applied(until(Some(12))).rounds, 12);
    let mut mistakes = String::new();
    for wrong in [
        Overrides {
            rounds: Some(5),
            ..until(None)
        },
        Overrides {
            smoke: true,
            ..until(None)
        },
        until(Some(1)),
        Overrides {
            max_rounds: Some(9),
            ..Overrides::default()
        },
    ] {
        mistakes += &(render(&apply(super::arguments::plan(), &wrong).unwrap_err()) + "\n");
    }
    insta::assert_snapshot!(mistakes);
}

#[test]
fn wrong_flags() {
    let wrong = |overrides| render(&apply(plan(), &overrides).unwrap_err()) + "\n";
    let mut mistakes = wrong(Overrides {
        rounds: Some(0),
        ..Overrides::default()
    });
    mistakes += &wrong(Overrides {
        duration: Some(Duration::ZERO),
        ..Overrides::default()
    });
    mistakes += &wrong(Overrides {
        only: vec!["quarkos".to_owned()],
        ..Overrides::default()
    });
    insta::assert_snapshot!(mistakes);
}

fn compare(a: &str, b: &str, url: &str) -> Compare {
    Compare::new(vec![a.to_owned(), b.to_owned()], url)
}

/// The flags of a request.
fn sent(request: Request) -> RequestFlags {
    RequestFlags {
        request,
        ..RequestFlags::default()
    }
}

const URL: &str = "http://127.0.0.1:{port}/x?y=1";

#[test]
fn compares_two_commands() {
    let plan = compare_plan(&Compare {
        flags: sent(Request {
            headers: vec![("Accept".to_owned(), Template::fixed("text/plain"))],
            ..Request::get("")
        }),
        ..compare("./a --port={port}", "env 'X=1 2' ./b {port}", URL)
    })
    .unwrap();
    assert_eq!(plan.title, "A against B at /x?y=1");
    assert_eq!(
        plan.targets[1].start.command,
        ["sh", "-c", "env 'X=1 2' ./b {port}"]
    );
    assert_eq!(plan.targets[0].start.listen, Listen::FreePort);
    assert_eq!(
        plan.workloads[0].exchange.asked().say(Language::En),
        "GET /x?y=1"
    );
    assert_eq!(plan.workloads[0].loads, [Load::Closed { connections: 100 }]);
    insta::assert_snapshot!(plan.text, @"
    # Made by `photofinish compare`; there was no study file.
    # A: ./a --port={port}
    # B: env 'X=1 2' ./b {port}
    # url: http://127.0.0.1:{port}/x?y=1
    # request: GET /x?y=1
    # header: Accept: text/plain
    # level: connections = 100
    ");
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
            pair("A-threads-1-gc-XX--UseZGC", "./a -XX:+UseZGC -t 1 {port}"),
            pair("A-threads-1-gc-XX--UseG1GC", "./a -XX:+UseG1GC -t 1 {port}"),
            pair("A-threads-16-gc-XX--UseZGC", "./a -XX:+UseZGC -t 16 {port}"),
            pair(
                "A-threads-16-gc-XX--UseG1GC",
                "./a -XX:+UseG1GC -t 16 {port}"
            ),
            pair("B-unused_here-1", "./b 1 {port}"),
            pair("B-unused_here-2", "./b 2 {port}"),
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
            "`a b` is no parameter's name",
        ),
        (vec![parameter("threads", &["1", ""])], "a value is empty"),
        (
            vec![parameter("threads", &["1", "1"])],
            "the value `1` is there twice",
        ),
        (
            vec![parameter("threads", &values); 2],
            "-L threads: it is there twice",
        ),
        (
            vec![parameter("threads", &["+", "-"])],
            "`A-threads-` is there twice",
        ),
    ] {
        let says = says(parameters);
        assert!(says.contains(expected), "{says}");
    }
}

#[test]
fn servers_are_started_as_the_flags_say() {
    let wanted = Compare {
        env: vec![("PORT".to_owned(), "{port}".to_owned())],
        ready_path: Some("/health".to_owned()),
        start_timeout: Duration::from_secs(120),
        ..compare("./a", "./b", URL)
    };
    let plan = compare_plan(&wanted).unwrap();
    for target in &plan.targets {
        assert_eq!(target.start.env["PORT"], "{port}");
        assert_eq!(target.ready.path.as_deref(), Some("/health"));
        assert_eq!(target.ready.timeout, Duration::from_secs(120));
    }
    assert!(plan.text.contains("# env: PORT={port}\n"), "{}", plan.text);
    let env = |name: &str, value: &str| Compare {
        env: vec![(name.to_owned(), value.to_owned())],
        ..wanted.clone()
    };
    for (wrong, expected) in [
        (env("PORT", "{prot}"), "unknown placeholder `{prot}`"),
        (
            env("", "{port}"),
            "cannot be the name of an environment variable",
        ),
        (env("A", "b"), "the server is not told its port"),
        (
            Compare {
                ready_path: Some("health".to_owned()),
                ..wanted.clone()
            },
            "--ready-path: the path `health` does not begin with `/`",
        ),
        (
            Compare {
                start_timeout: Duration::ZERO,
                ..wanted.clone()
            },
            "--start-timeout",
        ),
    ] {
        let says = compare_plan(&wrong).unwrap_err().to_string();
        assert!(says.contains(expected), "{says}");
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
    assert_eq!(
        plan.workloads[0].exchange.asked().say(Language::En),
        "GET /"
    );
}

#[test]
fn calls_are_compared() {
    let url = "grpcs://localhost:{port}/echo.Echo/Unary";
    let folder = Path::new("../../studies/protos");
    let wanted = Compare {
        flags: RequestFlags {
            schema: Some(Schema::compile(&folder.join("echo.proto"), &[]).unwrap()),
            streams: 3,
            ..sent(Request {
                body: Template::parse("{\"text\": \"hi\"}"),
                ..Request::get("")
            })
        },
        ..compare("./a {port}", "./b {port}", url)
    };
    let plan = compare_plan(&wanted).unwrap();
    assert_eq!(plan.title, "A against B at /echo.Echo/Unary");
    let Exchange::Grpc(call) = &plan.workloads[0].exchange else {
        panic!("{:?}", plan.workloads[0].exchange)
    };
    assert_eq!(call.message, Payload::fixed("\n\u{2}hi"));
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
                ready_path: Some("/health".to_owned()),
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
        let error = compare_plan(&wrong).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn messages_over_websocket_are_compared() {
    let sized = Compare {
        flags: RequestFlags {
            size: Some(64),
            streams: 3,
            ..RequestFlags::default()
        },
        ready_path: Some("/health".to_owned()),
        ..compare("./a {port}", "./b {port}", "wss://localhost:{port}/chat")
    };
    let plan = compare_plan(&sized).unwrap();
    assert_eq!(plan.title, "A against B at /chat");
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
            requests_per_connection: Some(1),
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
    assert!(
        plan.text.contains("# unix socket: {socket}\n"),
        "{}",
        plan.text
    );
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
        ("/run/{port}", "./a", url, "`{port}` cannot stand in a path"),
        (&long, "./a", url, "107 bytes at most"),
    ] {
        let error = at(path, command, url).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn wrong_comparisons() {
    let good = || compare("a {port}", "b {port}", URL);
    let wrong: Vec<Result<Plan, Error>> = [
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
                headers: vec![("A b".to_owned(), Template::fixed("c"))],
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
        Compare {
            flags: RequestFlags {
                timeout: Duration::ZERO,
                ..RequestFlags::default()
            },
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
fn servers_are_stopped_beside_others_only_in_turns() {
    let freeze = |turns| Overrides {
        freeze: true,
        turns,
        ..Overrides::default()
    };
    assert!(!plan().freeze);
    assert!(applied(freeze(None)).freeze);
    let error = apply(plan(), &freeze(Some(false))).unwrap_err().to_string();
    assert!(error.contains("--freeze"), "{error}");
}

#[test]
fn an_https_url_is_loaded_over_tls_by_its_host() {
    let wanted = compare("./a {port}", "./b {port}", "https://localhost:{port}/x");
    let plan = compare_plan(&Compare {
        flags: RequestFlags {
            requests_per_connection: Some(1),
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
