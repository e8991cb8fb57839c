//! `compare` of servers that run already.

use std::net::SocketAddr;

use super::render;
use crate::plan::{Draft, Endpoint, Listen};
use crate::{Compare, RequestFlags, Scheme, compare_plan};
use photofinish_model::settings::{CpuSets, Group};
use photofinish_model::{Exchange, Tls};

/// What `scheme://authority/path` leads to.
fn endpoint(url: &str) -> Endpoint {
    let (name, rest) = url.split_once("://").unwrap();
    let (scheme, tls) = Scheme::parse(name).unwrap();
    let at = rest.find('/').unwrap();
    Endpoint {
        url: url.to_owned(),
        address: SocketAddr::from(([127, 0, 0, 1], 80)).into(),
        authority: rest[..at].to_owned(),
        path: rest[at..].to_owned(),
        scheme,
        tls,
    }
}

fn compare(urls: &[&str]) -> Compare {
    Compare {
        already: urls.iter().map(|url| endpoint(url)).collect(),
        ..Compare::new(Vec::new(), "")
    }
}

fn labels(plan: &Draft) -> Vec<&str> {
    plan.targets.iter().map(|one| &*one.label).collect()
}

fn says(compare: &Compare) -> String {
    render(&compare_plan(compare).expect_err("refused"))
}

#[test]
fn each_is_a_target_that_is_not_started() {
    let plan = compare_plan(&compare(&["http://a:1/x", "https://[::1]:2/x"])).unwrap();
    assert_eq!(labels(&plan), ["a:1", "[::1]:2"]);
    assert_eq!(plan.title, "a:1 against [::1]:2 at /x");
    let settings = plan.settings.clone().complete();
    assert_eq!(
        (settings.lanes, settings.profile),
        (CpuSets::None, Some(false))
    );
    assert_eq!(
        plan.targets[1].already(),
        Some(&endpoint("https://[::1]:2/x"))
    );
    assert_eq!(plan.targets[0].tls, None);
    assert_eq!(plan.targets[1].tls, Some(Tls::default()));
    assert!(plan.text.contains("# a:1: http://a:1/x\n"), "{}", plan.text);
    assert!(!plan.text.contains("# url"), "{}", plan.text);
}

#[test]
fn each_takes_the_path_of_its_url() {
    let plan = compare_plan(&compare(&["http://a:1/x?n=1", "http://a:1/y"])).unwrap();
    assert_eq!(labels(&plan), ["a:1/x?n=1", "a:1/y"]);
    let workload = &plan.workloads[0];
    let paths = plan.targets.iter().map(|target| {
        let own = target.takes(workload);
        match &own.exchange {
            Exchange::Http { request, .. } => request.path.text(),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(paths.collect::<Vec<_>>(), ["/x?n=1", "/y"]);
    // What is said of all of them names all.
    assert_eq!(plan.title, "a:1/x?n=1 against a:1/y at /x?n=1 or /y");
    let mut started = plan.targets[0].clone();
    started.start.listen = Listen::FreePort;
    assert_eq!(*started.takes(workload), *workload);
}

#[test]
fn they_have_names_of_their_own_where_these_are_given() {
    let with = |names: &[&str], urls: &[&str]| Compare {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ..compare(urls)
    };
    let same = ["http://a:1/", "http://a:1/"];
    let plan = compare_plan(&with(&["one", "other"], &same)).unwrap();
    assert_eq!(labels(&plan), ["one", "other"]);
    assert_eq!(
        labels(&compare_plan(&compare(&["http://a:1/", "https://a:1/"])).unwrap()),
        ["http://a:1/", "https://a:1/"]
    );
    let twice = says(&compare(&same));
    assert!(
        twice.contains("listed twice") && twice.contains("-n one -n other"),
        "{twice}"
    );
    assert!(says(&with(&["x"], &same)).contains("allowed: 2"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let http = "http://a:1/";
    assert!(says(&compare(&[http])).contains("the number of URLs cannot be 1"));
    assert!(says(&compare(&[http, "tcp://a:1/"])).contains("a TCP echo"));
    assert!(says(&compare(&[http, "ws://a:1/"])).contains("another protocol"));
    let methods = says(&compare(&["grpc://a:1/p.S/A", "grpc://a:2/p.S/B"]));
    assert!(methods.contains("must call the same method"), "{methods}");
    let size = Compare {
        flags: RequestFlags {
            size: Some(1),
            ..RequestFlags::default()
        },
        ..compare(&[http, "http://a:2/"])
    };
    assert!(says(&size).contains("--size is for a WebSocket"));
    let tls = Compare {
        flags: RequestFlags {
            tls: Some(Tls::default()),
            ..RequestFlags::default()
        },
        ..compare(&["https://a:1/", http])
    };
    assert!(says(&tls).contains("the URL is http://"));
}
