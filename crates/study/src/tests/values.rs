//! What right files come to.

use std::time::Duration;

use super::{read_study, read_target, render, study};
use crate::copy::same_as;
use crate::plan::{Image, Listen, Workload};
use photofinish_model::settings::{CpuSets, Group};
use photofinish_model::{
    Arrivals, Exchange, Expect, Grpc, Load, Message, Payload, Recall, Request, Same, Template, Tls,
    TlsVersion, Trust, WebSocket,
};

#[test]
fn a_container_runs_from_an_image_or_from_what_a_file_builds() {
    let text = r#"
        title = "t"
        [start]
        image = "docker.io/library/app:1"
        env = { PORT = "{port}" }
        [variant.new]
        image = "app@sha256:12"
        start-command = ["--threads", "{cpus}"]
        [variant.own]
        containerfile = "image/Containerfile"
    "#;
    let targets = read_target("t", text).unwrap();
    let images = targets.iter().map(|target| target.start.image.clone());
    let named = |name: &str| Some(Image::Named(name.to_owned()));
    assert_eq!(
        images.collect::<Vec<_>>(),
        [
            named("docker.io/library/app:1"),
            named("app@sha256:12"),
            Some(Image::File("image/Containerfile".into()))
        ]
    );
    assert!(targets.iter().all(|target| {
        target
            .needs
            .contains_key(photofinish_model::version::CONTAINERS)
    }));
    assert_eq!(targets[0].start.command, [""; 0]);
    assert_eq!(targets[1].start.command, ["--threads", "{cpus}"]);
}

#[test]
fn defaults_of_a_study() {
    let plan = read_study(&study("", "", "")).unwrap();
    let settings = plan.settings.complete();
    assert_eq!(settings.rounds, 5);
    assert_eq!(settings.duration, Duration::from_secs(5));
    assert_eq!(settings.lead_in, Duration::from_secs(1));
    assert_eq!(settings.warmup_min, Duration::from_secs(3));
    assert_eq!(settings.warmup_max, Duration::from_secs(60));
    assert_eq!(settings.lanes, CpuSets::Split);
    assert_eq!(settings.margin, 0.02);
    let workload = &plan.workloads[0];
    let (request, expect) = http(workload);
    assert_eq!(request.method, "GET");
    assert_eq!(workload.timeout, Duration::from_secs(10));
    assert_eq!(*expect, Expect::default());
}

fn http(workload: &Workload) -> (&Request, &Expect) {
    match &workload.exchange {
        Exchange::Http {
            request, expect, ..
        } => (request, expect),
        _ => panic!("not HTTP"),
    }
}

#[test]
fn everything_in_a_study() {
    let text = r#"
        title = "t"
        source = "s"
        notes = "n"
        rounds = 7
        duration = "2s"
        lead-in = "0s"
        warmup = { max = "1s" }
        margin = 0.05
        lanes = { server = [2, 0], generator = [1] }
        targets = ["quarkus@virtual-threads", "event-loop", { target = "event-loop", as = "event loop (again)" }]
        [[workload]]
        name = "w"
        path = "/w?x=1"
        method = "POST"
        headers = { X-B = "1", Accept = "text/plain" }
        body = "hi"
        expect = { status = 201, body = "" }
        timeout = "3s"
        connections = 8
        rates = ["1k", 0.5]
        arrivals = "constant"
        rate-connections = 20
        targets = ["event-loop", "event loop (again)"]
        [[claim]]
        id = "a"
        says = "x"
        metric = "p99"
        of = "event-loop"
        over = "event loop (again)"
        ratio = 1
        rate = 1000
        figures = "1 against 1"
    "#;
    let plan = read_study(text).unwrap();
    let labels: Vec<&str> = plan.targets.iter().map(|t| &*t.label).collect();
    assert_eq!(
        labels,
        [
            "quarkus@virtual-threads",
            "event-loop",
            "event loop (again)"
        ]
    );
    assert_eq!(plan.targets[2].name, "event-loop");
    assert_eq!(plan.targets[0].variant.as_deref(), Some("virtual-threads"));
    let lanes = CpuSets::Explicit {
        server: vec![0, 2],
        generator: vec![1],
    };
    assert_eq!(plan.settings.complete().lanes, lanes);
    let workload = &plan.workloads[0];
    let (request, expect) = http(workload);
    let names: Vec<&str> = request.headers.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["X-B", "Accept"]);
    assert_eq!(expect.body.as_deref(), Some(&b""[..]));
    let open = |rate| Load::Open {
        rate,
        arrivals: Arrivals::Constant,
        connections: 20,
    };
    assert_eq!(
        workload.loads,
        [Load::Closed { connections: 8 }, open(1000.0), open(0.5)]
    );
    let claim = &plan.claims[0];
    assert_eq!((&claim.load, &*claim.workload), (&open(1000.0), "w"));
    assert_eq!(claim.source, "s");
}

#[test]
fn a_target_listens_where_its_file_says_or_always_does() {
    let listens = |start: &str| {
        let text = format!("title = \"t\"\n[start]\n{start}");
        Ok::<_, crate::Error>(read_target("t", &text)?[0].start.listen.clone())
    };
    for (start, expected) in [
        ("command = [\"x\", \"{port}\"]", Listen::FreePort),
        ("command = [\"x\"]\nport = 80", Listen::Port(80)),
        ("command = [\"x\", \"{socket}\"]", Listen::Socket),
        // The port is for something else then.
        (
            "command = [\"x\", \"{port}\"]\nenv = { AT = \"{socket}\" }",
            Listen::Socket,
        ),
        (
            "command = [\"x\"]\nsocket = \"/run/a.sock\"",
            Listen::SocketAt("/run/a.sock".into()),
        ),
    ] {
        assert_eq!(listens(start).unwrap(), expected, "{start}");
    }
    for (start, says) in [
        ("command = [\"x\"]", "does not know where to listen"),
        (
            "command = [\"x\"]\nsocket = \"a.sock\"",
            "not an absolute path",
        ),
        (
            "command = [\"x\"]\nsocket = \"/a\"\nport = 80",
            "here are both",
        ),
        (
            "command = [\"x\", \"{socket}\"]\nport = 80",
            "and has a port",
        ),
    ] {
        let error = render(&listens(start).unwrap_err());
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_variant_lies_over_its_base() {
    let text = r#"
        title = "base"
        needs = { jdk = ">=17", maven = "any" }
        [build]
        command = ["mvn", "package"]
        env = { A = "1", B = "1" }
        [start]
        command = ["{java}", "{jvm_flags}", "{port}"]
        env = { C = "1", D = "1" }
        jvm-flags = ["-Xmx1g"]
        [variant.v]
        needs = { jdk = ">=21" }
        env = { D = "2" }
        jvm-flags = ["-Xlog:gc"]
        build-env = { B = "2" }
        build-command = ["mvn", "-Pv", "package"]
        [variant."4.2-w"]
        title = "other"
        start-command = ["{java}", "{jvm_flags}", "-v", "{port}"]
    "#;
    let targets = read_target("t", text).unwrap();
    let labels: Vec<&str> = targets.iter().map(|t| &*t.label).collect();
    assert_eq!(labels, ["t", "t@v", "t@4.2-w"]);
    let (base, v, other) = (&targets[0], &targets[1], &targets[2]);
    assert_eq!((&*other.title, &*v.title), ("other", "base, v"));
    assert_eq!(
        (&*v.needs["jdk"].text, &*v.needs["maven"].text),
        (">=21", "any")
    );
    assert_eq!(
        (
            v.start.env["C"].expose().as_str(),
            v.start.env["D"].expose().as_str()
        ),
        ("1", "2")
    );
    assert_eq!(v.start.jvm_flags, ["-Xmx1g", "-Xlog:gc"]);
    assert_eq!(v.start.command, base.start.command);
    assert_eq!(other.start.command[2], "-v");
    let (build, built_base) = (v.build.as_ref().unwrap(), base.build.as_ref().unwrap());
    assert_eq!(build.command, ["mvn", "-Pv", "package"]);
    assert_eq!(
        (
            build.env["A"].expose().as_str(),
            build.env["B"].expose().as_str()
        ),
        ("1", "2")
    );
    assert_eq!(built_base.env["B"].expose(), "1");
    assert_eq!(built_base.timeout, Duration::from_secs(1200));
    assert_eq!(v.stop.grace, Duration::from_secs(5));
    assert!(v.start.prepare.is_empty() && v.stop.cleanup.is_empty());
}

#[test]
fn what_runs_around_a_server_is_for_its_variants_too() {
    let text = r#"
        title = "t"
        [start]
        command = ["./server", "{port}"]
        prepare = ["./fill", "{temp}/data"]
        [stop]
        cleanup = ["./drop", "{port}"]
        [variant.v]
    "#;
    for target in read_target("t", text).unwrap() {
        assert_eq!(target.start.prepare, ["./fill", "{temp}/data"]);
        assert_eq!(target.stop.cleanup, ["./drop", "{port}"]);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_panic(text in "\\PC*") {
        let _ = read_study(&text);
        let _ = read_target("t", &text);
    }

    #[test]
    fn no_toml_makes_a_panic(
        key in "title|rounds|duration|warmup|lanes|targets|workload|claim|start|needs|variant|build",
        value in "0|-1|1e9|0x10|inf|nan|\"\"|\"é\"|\"\\{port\\}\"|\\[\\]|\\[\\[1\\]\\]|\\{\\}|\\{ a = 1 \\}|true|1979-05-27|\\[\\{\\}\\]",
    ) {
        let _ = read_study(&format!("{key} = {value}\n"));
        let _ = read_target("t", &format!("{key} = {value}\n"));
    }
}

#[test]
fn a_sweep_is_a_workload_for_each_size() {
    let text = study(
        "",
        "[[workload]]\nname = \"echo\"\nprotocol = \"tcp-echo\"\nsizes = [\"1k\", \"5k\", \"300\"]\nconnections = 8\n\
         [[workload]]\nname = \"one\"\nprotocol = \"tcp-echo\"\nsizes = \"1m\"\nconnections = 8",
        "",
    );
    let plan = read_study(&text).unwrap();
    let seen: Vec<(&str, &Exchange, Option<u64>)> = plan.workloads[1..]
        .iter()
        .map(|w| (&*w.name, &w.exchange, w.sweep.as_ref().map(|s| s.value)))
        .collect();
    let echo = |size| Exchange::TcpEcho { size };
    assert_eq!(
        seen,
        [
            ("echo-1k", &echo(1_024), Some(1_024)),
            ("echo-5k", &echo(5_120), Some(5_120)),
            ("echo-300", &echo(300), Some(300)),
            ("one", &echo(1 << 20), None),
        ]
    );
    assert!(plan.workloads.iter().all(|w| !w.loads.is_empty()));
}

#[test]
fn a_websocket_has_a_message_or_sizes() {
    let text = study(
        "",
        "[[workload]]\nname = \"chat\"\nprotocol = \"websocket\"\npath = \"/chat\"\nmessage = \"n={counter}\"\nreply = \"ok\"\nstreams = 4\nconnections = 8\n\
         [[workload]]\nname = \"echo\"\nprotocol = \"websocket\"\npath = \"/echo\"\nsizes = [\"64\", \"1k\"]\nconnections = 8",
        "",
    );
    let plan = read_study(&text).unwrap();
    let socket = |path, message, reply: Option<&str>, streams| {
        Exchange::WebSocket(WebSocket {
            opening: Request::get(path),
            message,
            reply: reply.map(|reply| reply.as_bytes().to_vec()),
            streams,
        })
    };
    let seen: Vec<(&str, &Exchange)> = plan.workloads[1..]
        .iter()
        .map(|workload| (&*workload.name, &workload.exchange))
        .collect();
    let text = Message::Text(Template::parse("n={counter}").into());
    let random = |size| socket("/echo", Message::Random { size }, None, 1);
    assert_eq!(
        seen,
        [
            ("chat", &socket("/chat", text, Some("ok"), 4)),
            ("echo-64", &random(64)),
            ("echo-1k", &random(1_024)),
        ]
    );
}

#[test]
fn calls_have_a_schema_from_the_studys_folder_or_bytes() {
    let workload = |name: &str, more: &str| {
        format!("[[workload]]\nname = \"{name}\"\nprotocol = \"grpc\"\nconnections = 8\n{more}\n")
    };
    let with_schema = "path = \"/echo.Echo/Stream\"\nproto = \"protos/echo.proto\"\nimport-path = \"protos\"\n\
                       message = '{\"text\": \"hi\"}'\nheaders = { x-tenant = \"{random:1..9}\" }\nstreams = 4\n\
                       expect = { body = '[{\"text\": \"hi\"}, {\"number\": 5}]' }";
    let text = study(
        "",
        &[
            workload("json", with_schema),
            workload(
                "bytes",
                "path = \"/echo.Echo/Unary\"\nmessage = \"\\n\\u0002hi\"\nexpect = { contains = \"hi\" }",
            ),
        ]
        .concat(),
        "",
    );
    let plan = read_study(&text).unwrap();
    let calls: Vec<&Grpc> = (plan.workloads[1..].iter())
        .map(|workload| match &workload.exchange {
            Exchange::Grpc(call) => call,
            other => panic!("{other:?}"),
        })
        .collect();
    let body = |bytes: &[u8]| Expect {
        body: Some(bytes.to_vec()),
        ..Expect::default()
    };
    assert_eq!(
        calls[0],
        &Grpc {
            path: "/echo.Echo/Stream".to_owned(),
            headers: vec![(
                "x-tenant".to_owned(),
                Template::parse("{random:1..9}").into()
            )],
            message: Payload::fixed("\n\u{2}hi").into(),
            messages: Some(2),
            expect: body(b"\n\x02hi\x10\x05"),
            streams: 4,
        }
    );
    assert_eq!(calls[1].message, calls[0].message);
    assert_eq!((calls[1].messages, calls[1].streams), (None, 1));
    assert_eq!(calls[1].expect.contains, Recall::parse("hi"));
}

#[test]
fn responses_that_vary_are_told_from_those_that_do_not() {
    let text = study(
        "",
        "body = \"{random:1..5}\"\nexpect = { contains = \"<{random}>\", rows = 11 }",
        "",
    );
    let workload = read_study(&text).unwrap().workloads.remove(0);
    let (_, expect) = http(&workload);
    assert_eq!(expect.contains, Recall::parse("<{random}>"));
    assert_eq!(expect.rows, Some(11));
    assert!(workload.exchange.responses_vary());

    let text = study(
        "",
        "body = \"{random:1..5} {random:1..5}\"\nexpect = { contains = \"<{first-random}>\" }",
        "",
    );
    assert!(read_study(&text).is_ok());
}

#[test]
fn what_must_be_alike_and_whether_redirects_are_followed_is_stated() {
    let read = |expect: &str| {
        let text = study("", &format!("expect = {{ {expect} }}"), "");
        let workload = read_study(&text).unwrap().workloads.remove(0);
        let (_, expect) = http(&workload);
        (expect.same, expect.follow_redirects)
    };
    assert_eq!(read("status = 200"), (Same::Body, false));
    assert_eq!(read("same = \"json\""), (Same::Json, false));
    assert_eq!(
        read("same = \"status\", follow-redirects = true"),
        (Same::Status, true)
    );
}

#[test]
fn a_target_may_speak_tls_and_a_variant_otherwise() {
    let dir = tempfile::tempdir().unwrap();
    let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
    std::fs::write(dir.path().join("ca.pem"), pem).unwrap();
    let text = r#"
        title = "t"
        [start]
        command = ["./s", "{port}"]
        [tls]
        cacert = "ca.pem"
        name = "api.test"
        max = "1.2"
        ciphers = ["ECDHE-RSA-AES128-GCM-SHA256"]
        resume = false
        [variant.open]
        tls = { insecure = true }
        [variant.same]
        title = "t2"
    "#;
    let doc = crate::reader::Document::new("targets/t/target.toml", text);
    let targets = crate::target_file::read(&doc, "t", dir.path());
    let targets = crate::find::finish(doc, Some(targets)).unwrap();
    let wanted = Tls {
        name: Some("api.test".to_owned()),
        trust: Trust::Issuers(pem.as_bytes().to_vec()),
        newest: TlsVersion::Tls12,
        ciphers: vec!["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256".to_owned()],
        resume: false,
        ..Tls::default()
    };
    assert_eq!(targets[0].tls, Some(wanted.clone()));
    let open = Tls {
        trust: Trust::Anyone,
        ..Tls::default()
    };
    assert_eq!(targets[1].tls, Some(open));
    assert_eq!(targets[2].tls, Some(wanted));
}

#[test]
fn connections_may_end_after_a_number_of_requests() {
    let plan = read_study(&study("", "requests-per-connection = 7", "")).unwrap();
    assert_eq!(plan.workloads[0].requests_per_connection, Some(7));
    let http2 = study("", "requests-per-connection = 7\nhttp2 = true", "");
    assert!(read_study(&http2).is_err());
}

#[test]
fn a_target_may_be_asked_over_http2_where_the_others_are_not() {
    let with = |http2: &str, level: &str| {
        read_study(&format!(
            "title = \"t\"\ntargets = [\"event-loop\", {{ target = \"event-loop\", as = \"h2\"{http2} }}]\n\
             [[workload]]\nname = \"w\"\npath = \"/w\"\n{level}"
        ))
    };
    let plan = with(", http2 = true, streams = 4", "connections = [8]").unwrap();
    let workload = &plan.workloads[0];
    let taken = plan.targets.iter().map(|target| {
        let load = target.takes_load(workload, &workload.loads[0]);
        let streams = target.takes(workload).exchange.streams();
        (load.connections(), streams)
    });
    // As many requests are in flight.
    assert_eq!(taken.collect::<Vec<_>>(), [(8, 1), (2, 4)]);
    // It is no second run of the same.
    assert_eq!(same_as(&plan.targets[1], &plan.targets[..1]), None);
    let cases = [
        (
            ", http2 = true, streams = 3",
            "connections = [8]",
            "8 requests in flight of `w` are no",
        ),
        (
            ", streams = 4",
            "connections = [8]",
            "`streams` has no meaning over HTTP/1.1",
        ),
        (
            ", http2 = true",
            "connections = [8]\nrequests-per-connection = 1",
            "`h2` is asked over HTTP/2",
        ),
    ];
    for (http2, level, says) in cases {
        let told = render(&with(http2, level).expect_err("refused"));
        // However the lines are wrapped.
        let told = told.replace("\n  │ ", " ");
        assert!(told.contains(says), "{told}");
    }
}
