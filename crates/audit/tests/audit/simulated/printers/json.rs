//! The formats that are JSON.

use std::collections::BTreeMap;

use super::super::run::{End, Run, Values};
use super::ten;
use super::text::{fortio_buckets, fortio_percentile, one, sketch, two};

/// A JSON object of members that are already JSON.
fn object<K: AsRef<str>>(members: &[(K, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(k, v)| format!("{:?}: {v}", k.as_ref()))
        .collect();
    format!("{{\n{}\n}}", members.join(",\n"))
}

/// Those of the counts that are not 0.
fn counts(counts: &[(&str, usize)]) -> Vec<(String, String)> {
    let used = counts.iter().filter(|(_, n)| *n > 0);
    used.map(|(name, n)| ((*name).to_owned(), n.to_string()))
        .collect()
}

pub fn oha(run: &Run) -> String {
    let v = run.responses();
    let (n, lost, secs) = (v.n(), run.count(End::Lost), run.ms / 1e3);
    let s = |ms: f64| (ms / 1e3).to_string();
    let summary = object(&[
        ("successRate", (n as f64 / (n + lost) as f64).to_string()),
        ("total", secs.to_string()),
        ("slowest", s(v.max())),
        ("fastest", s(v.min())),
        ("average", s(v.mean())),
        ("requestsPerSec", ((n + lost) as f64 / secs).to_string()),
    ]);
    let mut buckets: BTreeMap<String, usize> = BTreeMap::new();
    for (upper, count) in ten(&v) {
        *buckets.entry((upper / 1e3).to_string()).or_default() += count;
    }
    let buckets: Vec<_> = buckets
        .into_iter()
        .map(|(k, n)| (k, n.to_string()))
        .collect();
    let percentiles = [("p10", 0.1), ("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];
    let percentiles = percentiles.map(|(name, q)| (name, s(v.at((q * n as f64).floor()))));
    let statuses = counts(&[("200", run.count(End::Good)), ("404", run.count(End::Bad))]);
    object(&[
        ("summary", summary),
        ("responseTimeHistogram", object(&buckets)),
        ("latencyPercentiles", object(&percentiles)),
        ("statusCodeDistribution", object(&statuses)),
        ("errorDistribution", object(&counts(&[("timeout", lost)]))),
    ])
}

pub fn bombardier(run: &Run) -> String {
    let v = run.all().map(|ms| (ms * 1e3).floor());
    let percentiles = [("50", 0.5), ("75", 0.75), ("90", 0.9), ("99", 0.99)];
    let percentiles =
        percentiles.map(|(name, q)| (name, v.at((q * v.n() as f64).floor()).to_string()));
    let latency = object(&[
        ("mean", v.mean().to_string()),
        ("stddev", v.sd().to_string()),
        ("max", format!("{:e}", v.max()).replace('e', "e+0")),
        ("percentiles", object(&percentiles)),
    ]);
    let result = object(&[
        ("timeTakenSeconds", (run.ms / 1e3).to_string()),
        ("req1xx", "0".into()),
        ("req2xx", run.count(End::Good).to_string()),
        ("req3xx", "0".into()),
        ("req4xx", run.count(End::Bad).to_string()),
        ("req5xx", "0".into()),
        ("others", run.count(End::Lost).to_string()),
        ("latency", latency),
    ]);
    let spec = object(&[
        ("numberOfConnections", run.connections.to_string()),
        ("url", "\"http://x/y\"".into()),
    ]);
    object(&[("spec", spec), ("result", result)])
}

pub fn vegeta(run: &Run) -> String {
    let v = run.all().map(|ms| (ms * 1e6).round());
    let n = v.n() as f64;
    let (attack, wait) = run.attack();
    let (attack, wait) = ((attack * 1e6).round(), (wait * 1e6).round());
    let good = run.count(End::Good) as f64;
    let q = |q: f64| v.between(q).floor().to_string();
    let latencies = object(&[
        ("total", v.0.iter().sum::<f64>().to_string()),
        ("mean", v.mean().floor().to_string()),
        ("50th", q(0.5)),
        ("90th", q(0.9)),
        ("95th", q(0.95)),
        ("99th", q(0.99)),
        ("max", v.max().to_string()),
        ("min", v.min().to_string()),
    ]);
    let codes = counts(&[
        ("0", run.count(End::Lost)),
        ("200", run.count(End::Good)),
        ("404", run.count(End::Bad)),
    ]);
    object(&[
        ("latencies", latencies),
        (
            "bytes_in",
            object(&[("total", (n * 13.0).to_string()), ("mean", "13".into())]),
        ),
        ("duration", attack.to_string()),
        ("wait", wait.to_string()),
        ("requests", n.to_string()),
        ("rate", (n / (attack / 1e9)).to_string()),
        ("throughput", (good / ((attack + wait) / 1e9)).to_string()),
        ("success", (good / n).to_string()),
        ("status_codes", object(&codes)),
        ("errors", "[]".into()),
    ])
}

pub fn fortio(run: &Run) -> String {
    let v = run.all();
    let s = v.map(|ms| ms / 1e3);
    let n = v.n();
    let buckets = fortio_buckets(&v).into_iter().map(|(from, to, count)| {
        object(&[
            ("Start", from.to_string()),
            ("End", to.to_string()),
            ("Percent", "50".into()),
            ("Count", count.to_string()),
        ])
    });
    let percentiles = [50.0, 75.0, 90.0, 99.0, 99.9].into_iter().map(|p| {
        object(&[
            ("Percentile", p.to_string()),
            ("Value", fortio_percentile(&v, p).to_string()),
        ])
    });
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let histogram = object(&[
        ("Count", n.to_string()),
        ("Min", s.min().to_string()),
        ("Max", s.max().to_string()),
        ("Sum", s.0.iter().sum::<f64>().to_string()),
        ("Avg", s.mean().to_string()),
        ("StdDev", s.sd().to_string()),
        ("Data", list(buckets.collect())),
        ("Percentiles", list(percentiles.collect())),
    ]);
    let codes = counts(&[
        ("-1", run.count(End::Lost)),
        ("200", run.count(End::Good)),
        ("404", run.count(End::Bad)),
    ]);
    let ns = (run.ms * 1e6).round();
    object(&[
        ("RunType", "\"HTTP\"".into()),
        ("ActualQPS", (n as f64 / (ns / 1e9)).to_string()),
        ("ActualDuration", ns.to_string()),
        ("NumThreads", run.connections.to_string()),
        ("DurationHistogram", histogram),
        ("RetCodes", object(&codes)),
        ("URL", "\"http://x/y\"".into()),
    ])
}

pub fn autocannon(run: &Run) -> String {
    let v = run.responses().map(f64::floor);
    let n = v.n();
    let p = |q: f64| v.at((q * n as f64).ceil() - 1.0).to_string();
    let latency = object(&[
        ("average", two(v.mean())),
        ("mean", two(v.mean())),
        ("stddev", two(v.sd())),
        ("min", v.min().max(1.0).to_string()),
        ("max", v.max().to_string()),
        ("p2_5", p(0.025)),
        ("p50", p(0.5)),
        ("p97_5", p(0.975)),
        ("p99_9", p(0.999)),
    ]);
    let lost = run.count(End::Lost).to_string();
    let rate = two(n as f64 / run.ms * 1e3);
    object(&[
        ("url", "\"http://x/y\"".into()),
        ("connections", run.connections.to_string()),
        ("pipelining", "1".into()),
        ("duration", two(run.ms / 1e3)),
        ("errors", lost.clone()),
        ("timeouts", lost),
        ("2xx", run.count(End::Good).to_string()),
        ("4xx", run.count(End::Bad).to_string()),
        ("latency", latency),
        (
            "requests",
            object(&[("average", rate), ("total", n.to_string())]),
        ),
    ])
}

fn k6_trend(v: &Values) -> String {
    object(&[
        ("avg", v.mean().to_string()),
        ("min", v.min().to_string()),
        ("med", v.between(0.5).to_string()),
        ("max", v.max().to_string()),
        ("p(90)", v.between(0.9).to_string()),
        ("p(95)", v.between(0.95).to_string()),
    ])
}

pub fn k6(run: &Run) -> String {
    let v = run.all();
    let n = v.n();
    let counter = || {
        let rate = n as f64 / run.ms * 1e3;
        object(&[("count", n.to_string()), ("rate", rate.to_string())])
    };
    let bad = n - run.count(End::Good);
    let failed = object(&[
        ("passes", bad.to_string()),
        ("fails", (n - bad).to_string()),
        ("value", (bad as f64 / n as f64).to_string()),
    ]);
    let users = run.connections.to_string();
    let users = object(&[
        ("value", users.clone()),
        ("min", users.clone()),
        ("max", users),
    ]);
    let metrics = object(&[
        ("http_req_duration", k6_trend(&v)),
        ("iteration_duration", k6_trend(&v)),
        ("http_reqs", counter()),
        ("iterations", counter()),
        ("http_req_failed", failed),
        ("vus_max", users),
    ]);
    object(&[("metrics", metrics)])
}

pub fn locust(run: &Run) -> String {
    let v = run.all();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for ms in &v.0 {
        *times.entry(ms.round().to_string()).or_default() += 1;
    }
    let times: Vec<_> = times.into_iter().map(|(k, n)| (k, n.to_string())).collect();
    let entry = object(&[
        ("name", "\"/x\"".into()),
        ("method", "\"GET\"".into()),
        ("num_requests", v.n().to_string()),
        ("num_none_requests", "0".into()),
        ("num_failures", (v.n() - run.count(End::Good)).to_string()),
        ("total_response_time", v.0.iter().sum::<f64>().to_string()),
        ("max_response_time", v.max().to_string()),
        ("min_response_time", v.min().to_string()),
        ("response_times", object(&times)),
    ]);
    format!("[\n{entry}\n]")
}

pub fn artillery(run: &Run) -> String {
    let v = run.responses();
    let (n, lost) = (v.n(), run.count(End::Lost));
    let mut counters = counts(&[
        ("http.codes.200", run.count(End::Good)),
        ("http.codes.404", run.count(End::Bad)),
        ("errors.ETIMEDOUT", lost),
        ("http.requests", n + lost),
        ("http.responses", n),
        ("vusers.created", n + lost),
        ("vusers.completed", n),
    ]);
    counters.push(("vusers.failed".to_owned(), lost.to_string()));
    let times = object(&[
        ("min", one(v.min())),
        ("max", one(v.max())),
        ("count", n.to_string()),
        ("mean", one(v.mean())),
        ("p50", one(sketch(&v, 0.5))),
        ("median", one(sketch(&v, 0.5))),
        ("p95", one(sketch(&v, 0.95))),
        ("p999", one(sketch(&v, 0.999))),
    ]);
    let aggregate = object(&[
        ("counters", object(&counters)),
        ("summaries", object(&[("http.response_time", times)])),
    ]);
    object(&[("aggregate", aggregate), ("intermediate", "[]".into())])
}

pub fn siege(run: &Run) -> String {
    let figures = super::text::siege_figures(run);
    let rows = figures.map(|(key, value, places)| format!("\t\"{key}\":\t\t{value:>12.places$}"));
    format!("\n{{{}\n}}\n", rows.join(",\n"))
}
