//! What a mistake in a study file is reported as: file, line, what is wrong, what is allowed.

use photofinish_model::samples::assert_contains;

use super::{mistakes_in, read_study, render, study};

fn heads(heads: &[&str]) -> String {
    mistakes_in(heads, |head| read_study(&study(head, "", "")))
}

fn workloads(workloads: &[&str]) -> String {
    mistakes_in(workloads, |workload| read_study(&study("", workload, "")))
}

#[test]
fn not_toml() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "title = a race\n",
            "title = \"a\"\ntitle = \"b\"\n",
            "[[workload"
        ],
        read_study
    ));
}

#[test]
fn missing_parts() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "",
            "title = \"t\"\ntargets = []\nworkload = []\n",
            "title = \"t\"\n[[workload]]\ntargets = [\"event-loop\"]\n",
            "title = \" \"\ntargets = \"event-loop\"\n[workload]\nname = \"w\"\n",
        ],
        read_study
    ));
}

#[test]
fn unknown_keys() {
    insta::assert_snapshot!(heads(&["round = 3", "zzz = 3", "warmup = { mn = \"3s\" }"]));
}

/// A key that is written wrong is not missing, too.
#[test]
fn a_misspelt_key_is_reported_once() {
    let whole = study("", "", "");
    for (right, wrong) in [
        ("connections = [16", "conections = [16"),
        ("[[workload]]", "[[workloads]]"),
        ("title =", "titel ="),
    ] {
        let Err(error) = read_study(&whole.replacen(right, wrong, 1)) else {
            panic!("{wrong} is accepted")
        };
        let says = render(&error);
        assert!(says.contains("did you mean"), "{says}");
        assert_eq!(says.matches('×').count(), 1, "{says}");
    }
}

#[test]
fn two_tables_of_a_list_are_told_to_have_two_brackets() {
    let twice = format!("{0}\n{0}", "[workload]\nname = \"w\"");
    let Err(error) = read_study(&twice) else {
        panic!("it is accepted")
    };
    assert_contains(&render(&error), "write [[workload]] with two brackets");
}

#[test]
fn figures() {
    insta::assert_snapshot!(heads(&[
        "rounds = 0",
        "rounds = \"3\"",
        "rounds = 2.5",
        "duration = 5",
        "duration = \"5\"",
        "duration = \"0s\"",
        "duration = \"5h\"",
        "warmup = \"60s\"",
        "warmup = { min = \"9s\", max = \"3s\" }",
        "margin = 1",
        "margin = -0.1",
        "margin = nan",
    ]));
}

#[test]
fn lanes() {
    insta::assert_snapshot!(heads(&[
        "lanes = \"halves\"",
        "lanes = { server = [0] }",
        "lanes = { server = [0], generator = [0] }",
        "lanes = { server = [], generator = [0] }",
    ]));
}

#[test]
fn targets() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "\"quarkos\"",
            "\"xyz\"",
            "\"quarkus@virtual-thread\"",
            "\"event-loop@fast\"",
            "\"event-loop\", \"event-loop\"",
            "{ target = \"event-loop\", as = \"event/loop\" }",
            "\"broken\", \"event-loop\"",
            "7",
        ],
        |targets| {
            read_study(&format!(
                "title = \"t\"\ntargets = [{targets}]\n\
                 [[workload]]\nname = \"w\"\npath = \"/\"\nconnections = 1\n"
            ))
        }
    ));
}

#[test]
fn lists_without_bounds() {
    let many = |item: &dyn Fn(usize) -> String, count| {
        let items: Vec<String> = (0..count).map(item).collect();
        items.join(", ")
    };
    let says = |text: &str| match read_study(text) {
        Ok(plan) => format!("{} targets", plan.targets.len()),
        Err(error) => render(&error),
    };
    let race = |targets: &str, workload: &str| {
        format!(
            "title = \"t\"\ntargets = [{targets}]\n[[workload]]\nname = \"w\"\npath = \"/\"\n{workload}\n"
        )
    };
    let named = |n| format!("{{ target = \"event-loop\", as = \"e{n}\" }}");
    let unknown = |n| format!("\"x{n}\"");
    let begun = std::time::Instant::now();
    // Each is compared with the others before it.
    let all = says(&race(&many(&named, 1_001), "connections = 1"));
    assert!(all.contains("`targets` has 1001 items"), "{all}");
    assert!(all.contains("allowed: at most 1000"), "{all}");
    let all = says(&race(&many(&unknown, 100_000), "connections = 1"));
    assert!(all.contains("`targets` has 100000 items"), "{all}");
    let levels = format!("connections = [{}]", many(&|n| n.to_string(), 100_000));
    let all = says(&race("\"event-loop\"", &levels));
    assert!(all.contains("`connections` has 100000 items"), "{all}");
    let fields = format!(
        "connections = 1\nheaders = {{ {} }}",
        many(&|n| format!("h{n} = \"x\""), 2_000)
    );
    let all = says(&race("\"event-loop\"", &fields));
    assert!(all.contains("`headers` has 2000 items"), "{all}");
    let all = says(&race(&many(&named, 26), "connections = 1"));
    assert_eq!(all, "26 targets");
    let all = says(&race(&many(&named, 27), "connections = 1"));
    assert_contains(&all, "27 targets are listed, and at most 26 can be raced");
    let levels =
        |from: usize| format!("connections = [{}]", many(&|n| (from + n).to_string(), 501));
    let two = format!(
        "{}\n[[workload]]\nname = \"v\"\npath = \"/\"\n{}",
        levels(1),
        levels(1)
    );
    let all = says(&race("\"event-loop\"", &two));
    assert_contains(
        &all,
        "the workloads have 1002 load levels, and at most 1000 can be measured",
    );
    // Minutes before.
    assert!(begun.elapsed() < std::time::Duration::from_secs(30));
}

#[test]
fn requests() {
    insta::assert_snapshot!(workloads(&[
        "method = \"get\"",
        "headers = { \"X Y\" = \"1\" }",
        "headers = { Accept = \"a\\nb\" }",
        "headers = { Accept = \"a\", accept = \"b\" }",
        "headers = { Transfer-Encoding = \"chunked\" }",
        "headers = [\"Accept: a\"]",
        "expect = { status = 1000 }",
        "expect = { code = 200 }",
        "timeout = \"0s\"",
        "targets = [\"netty\"]",
        "targets = []",
        "[[workload]]\nname = \"w\"\npath = \"plain text\"\nconnections = 1",
        "[[workload]]\nname = \"W 1\"\npath = \"/plain text\"\nconnections = 1",
    ]));
}

#[test]
fn levels() {
    insta::assert_snapshot!(workloads(&[
        "arrivals = \"poisson\"",
        "rates = [0]",
        "rates = [1000]\narrivals = \"equal\"",
        "rates = [1000, 1000.0]",
        "rates = [1000, \"1k\"]",
        "rates = [\"1,5k\"]",
        "rates = [\"fast\"]",
        "rates = [\"20m\"]",
        "rates = [1]\nrate-connections = \"1.5\"",
        "rates = [1]\nrate-connections = \"1m\"",
        "[[workload]]\nname = \"v\"\npath = \"/\"",
        "[[workload]]\nname = \"v\"\npath = \"/\"\nconnections = [0, 100001, 5, 5]",
    ]));
}

#[test]
fn requests_that_vary() {
    insta::assert_snapshot!(workloads(&[
        "body = \"{random:5..1}\"",
        "headers = { X-N = \"{counter:1}\" }",
        "[[workload]]\nname = \"v\"\npath = \"/{id}\"\nconnections = 1",
        "expect = { contains = \"{random}\" }",
        "body = \"{random:1..5}\"\nexpect = { contains = \"{counter}\" }",
        "body = \"{random:1..5}\"\nexpect = { contains = \"{random:1..5}\" }",
        "body = \"{random:1..5} {random:1..5}\"\nexpect = { contains = \"{random}\" }",
        "expect = { body = \"x\", rows = 1 }",
        "expect = { rows = -1 }",
    ]));
}

#[test]
fn redirects_and_likeness_that_have_no_effect() {
    let says = workloads(&[
        "expect = { same = \"xml\" }",
        "method = \"POST\"\nexpect = { follow-redirects = true }",
        "body = \"{counter}\"\nexpect = { follow-redirects = true }",
        "login = { path = \"/in\", take = { a = \"body\" }, expect = { same = \"json\" } }",
    ]);
    for part in [
        "`same` cannot be `xml`",
        "redirects are followed of a GET that is the same each time",
        "`same` has no effect on a login",
    ] {
        assert!(says.contains(part), "{part}: {says}");
    }
    let each = "redirects are followed of a GET that is the same each time";
    assert_eq!(says.matches(each).count(), 2, "{says}");
}

#[test]
fn echoes() {
    insta::assert_snapshot!(workloads(&[
        "protocol = \"udp\"",
        "sizes = [\"1k\"]",
        "protocol = \"tcp-echo\"\nsizes = \"1k\"",
        "[[workload]]\nname = \"v\"\nprotocol = \"tcp-echo\"\nconnections = 1",
        "[[workload]]\nname = \"v\"\nprotocol = \"tcp-echo\"\nsizes = [\"1k\", \"1024\", \"0\", \"17m\"]\nconnections = 1",
        "[[workload]]\nname = \"v\"\nprotocol = \"tcp-echo\"\nsizes = [1024]\nconnections = 1",
    ]));
}

#[test]
fn websockets() {
    insta::assert_snapshot!(workloads(&[
        "[[workload]]\nname = \"v\"\nprotocol = \"websocket\"\nconnections = 1",
        "message = \"m\"",
        "[[workload]]\nname = \"v\"\nprotocol = \"websocket\"\npath = \"/\"\nsizes = \"64\"\nmessage = \"m\"\nmethod = \"POST\"\nbody = \"b\"\nhttp2 = true\nconnections = 1",
        "[[workload]]\nname = \"v\"\nprotocol = \"websocket\"\npath = \"/\"\nmessage = \"m\"\nstreams = 0\nconnections = 1",
    ]));
}

#[test]
fn calls() {
    let call = |more: &str| {
        format!("[[workload]]\nname = \"v\"\nprotocol = \"grpc\"\nconnections = 1\n{more}")
    };
    let unary = |more: &str| {
        call(&format!(
            "path = \"/echo.Echo/Unary\"\nproto = \"protos/echo.proto\"\n{more}"
        ))
    };
    let texts = [
        call(""),
        call("path = \"/echo.Echo/Unary\"\nproto = \"none.proto\""),
        call("path = \"/echo.Echo/Unary\"\ndescriptor-set = \"protos/echo.proto\""),
        call("path = \"/echo.Echo/Unary\"\nmessage = \"{counter}\""),
        call("path = \"/echo.Echo/Unry\"\nproto = \"protos/echo.proto\""),
        unary("message = '{\"tex\": 1}'"),
        unary("message = '{\"text\": \"{random}\"}'"),
        unary("expect = { body = '{\"number\": \"x\"}' }"),
        unary("expect = { status = 200 }"),
        unary("descriptor-set = \"echo.bin\""),
        unary("method = \"POST\"\nbody = \"b\"\nhttp2 = true\nreply = \"r\"\nsizes = \"64\""),
        call("path = \"/echo.Echo/Unary\"\nimport-path = \"protos\""),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(workloads(&texts));
}

#[test]
fn claims() {
    let claim = |replace: &str, with: &str| {
        let text = "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"throughput\"\nof = \"event-loop\"\n\
                    over = \"quarkus\"\nratio = 1.1\nworkload = \"w\"\nconnections = 100\nsource = \"x\"\n";
        assert!(text.contains(replace), "{replace}");
        text.replace(replace, with)
    };
    let only = "targets = [\"event-loop\"]\n";
    // All metrics are named, and no snapshot has to change for a further one.
    let unknown = claim("\"throughput\"", "\"p99.9\"");
    let says = mistakes_in(&[unknown.as_str()], |text| read_study(&study("", "", text)));
    assert_contains(
        &says,
        "did you mean `p999` or `p99`? allowed: throughput, mean, p50, ",
    );
    let texts = [
        claim("\"quarkus\"", "\"quarkus@virtual-threads\""),
        claim("\"quarkus\"", "\"event-loop\""),
        claim("ratio = 1.1", "ratio = 0"),
        claim("ratio = 1.1", "ratio = inf"),
        claim("ratio = 1.1\n", ""),
        claim("ratio = 1.1", "ratio = 1.1\nless = true"),
        claim("ratio = 1.1", "less = true\nmargin = 0.1"),
        claim("ratio = 1.1", "less = 1"),
        claim("workload = \"w\"", "workload = \"v\""),
        claim("connections = 100", "connections = 99"),
        claim("connections = 100", "rate = 100"),
        claim("connections = 100", "rate = 100\nconnections = 100"),
        claim("connections = 100\n", ""),
        claim("ratio", "measured-at = { connections = 99 }\nratio"),
        claim("ratio", "measured-at = 16\nratio"),
        claim(
            "ratio",
            "measured-at = { connections = 16 }\nover-connections = 16\nratio",
        ),
        claim("ratio", "over-workload = \"v\"\nratio"),
        claim("ratio", "over-connections = 17\nratio"),
        claim("source = \"x\"\n", ""),
        claim("id = \"a\"\n", ""),
        format!("{0}{0}", claim("source = \"x\"", "source = \"x\"")),
        format!("{only}{}", claim("source = \"x\"", "source = \"y\"")),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(mistakes_in(&texts, |text| read_study(&study("", "", text))));
}

#[test]
fn several_mistakes_are_reported_at_once() {
    let text = study("rounds = 0\nfoo = 1", "method = \"GETS\"", "");
    insta::assert_snapshot!(mistakes_in(&[&text], read_study));
}
