use photofinish_model::{Expect, Listed, Order, Request, Version, samples};

use super::*;
use crate::fake;

/// The record of a plan.
fn study_of(plan: &Plan) -> StudyRecord {
    let key = Key::of_test();
    study(plan, 1, String::new(), &[], Vec::new(), Some(&key), None)
}

#[test]
fn what_differs_is_named_with_both_values() {
    let environment = samples::environment();
    let plan = fake::plan(&["a", "b"], 3);
    let there = study_of(&plan);
    let same = |now: &StudyRecord| differences((&there, &environment), (now, &environment));
    let mut later = there.clone();
    later.started = "2026-01-02T00:00:00Z".to_owned();
    later.targets[0]
        .tools
        .insert("jdk".to_owned(), "21".to_owned());
    assert_eq!(same(&later), [""; 0]);
    let mut now = plan.clone();
    now.settings.rounds = 5;
    fake::http(&mut now.workloads[0]).0.path = photofinish_model::Template::fixed("/x");
    assert_eq!(
        same(&study_of(&now)),
        [
            "rounds was 3, is now 5",
            "workloads[0].request.path was \"/plaintext\", is now \"/x\""
        ]
    );
    let mut other = environment.clone();
    other.server_cpus = vec![7];
    let found = differences((&there, &environment), (&there, &other));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("lanes were server ["), "{found:?}");
}

#[test]
fn another_request_at_the_same_path_is_noticed_and_its_part_named() {
    let environment = samples::environment();
    let record = |change: &dyn Fn(&mut Request, &mut Expect)| {
        let mut plan = fake::plan(&["a"], 3);
        let (request, expect) = fake::http(&mut plan.workloads[0]);
        change(request, expect);
        study_of(&plan)
    };
    let there = record(&|_, _| {});
    let found = |there: &StudyRecord, change: &dyn Fn(&mut Request, &mut Expect)| {
        differences((there, &environment), (&record(change), &environment))
    };
    let body = |request: &mut Request, _: &mut Expect| {
        request.body = photofinish_model::Template::fixed("x").into();
    };
    let others = |request: &mut Request, expect: &mut Expect| {
        let value = photofinish_model::Template::fixed("b").into();
        request.headers.push(("A".to_owned(), value));
        request.method = "PUT".to_owned();
        expect.rows = Some(3);
    };
    assert_eq!(found(&there, &|_, _| {}), [""; 0]);
    assert_eq!(
        found(&there, &body),
        ["the body of its request was another one (workload plaintext)"]
    );
    assert_eq!(
        found(&there, &others),
        [
            "header A of workload plaintext was not given",
            "what must come back for it was something else (workload plaintext)",
            "workloads[0].request.method was \"GET\", is now \"PUT\"",
        ]
    );
    let mut without_key = there;
    without_key.workloads[0].digests = None;
    without_key.fingerprint_key = None;
    assert_eq!(found(&without_key, &body), [""; 0]);
}

#[test]
fn other_requests_of_the_same_file_are_noticed() {
    let environment = samples::environment();
    let record = |paths: [&str; 2], order| {
        let mut plan = fake::plan(&["a"], 3);
        let list = paths.map(|path| Listed {
            request: Request::get(path),
            expect: Expect::default(),
            weight: 1,
        });
        plan.workloads[0].exchange = Exchange::Requests(Requests {
            source: "shop.jsonl".to_owned(),
            list: list.into(),
            order,
            per_connection: false,
            version: Version::Http1,
        });
        study_of(&plan)
    };
    let there = record(["/a", "/b"], Order::InOrder);
    let found = |paths, order| {
        let now = record(paths, order);
        differences((&there, &environment), (&now, &environment))
    };
    assert_eq!(found(["/a", "/b"], Order::InOrder), [""; 0]);
    for changed in [
        found(["/a", "/c"], Order::InOrder),
        found(["/a", "/b"], Order::Random),
    ] {
        let [says] = &changed[..] else {
            panic!("{changed:?}")
        };
        assert!(
            says.starts_with("the requests of shop.jsonl, their data, ")
                && says.contains("have changed (workload "),
            "{says}"
        );
    }
    // More of them are told by their number too.
    let Asked::Requests { digest, .. } = &there.workloads[0].request else {
        panic!("{:?}", there.workloads[0].request);
    };
    assert_eq!(digest.as_ref().map(String::len), Some(64));
}

#[test]
fn who_is_asked_over_http2_by_itself_is_recorded_with_the_request() {
    let mut plan = fake::plan(&["a", "b", "c"], 3);
    plan.targets[1].http2 = Some(10);
    plan.targets[2].http2 = Some(1);
    plan.workloads[0].targets = vec!["a".to_owned(), "b".to_owned()];
    let record = study_of(&plan);
    let Asked::Http { over_http2, .. } = &record.workloads[0].request else {
        panic!("{:?}", record.workloads[0].request);
    };
    let expected = OverHttp2 {
        target: "b".to_owned(),
        streams: 10,
    };
    assert_eq!(over_http2, &[expected]);
}
