//! The formats that are text.

use std::fmt::Write as _;

use super::super::run::{End, Request, Run, Values};
use super::spectrum::{bucket, spectrum};
use super::{general, go_rounded, ten};

/// A number with the largest unit that keeps it at 1 or more.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let (by, unit) = units
        .iter()
        .rev()
        .find(|(by, _)| value >= *by)
        .unwrap_or(&units[0]);
    format!("{:.2}{unit}", value / by)
}

/// Microseconds.
fn time(us: f64) -> String {
    scaled(us, &[(1.0, "us"), (1e3, "ms"), (1e6, "s")])
}

/// Bytes with a binary prefix.
fn bytes(b: f64) -> String {
    scaled(b, &[(1.0, "B"), (1024.0, "KB"), (1_048_576.0, "MB")])
}

/// Samples that wrk may invent here: runs with more take too long to print.
const INVENTED: usize = 20_000;

pub fn wrk(run: &Run) -> Option<String> {
    // Latency is kept in whole microseconds up to the timeout; later responses are counted as timeouts.
    let us = run.responses().map(|ms| (ms * 1e3).floor());
    let late = us.0.iter().filter(|v| **v > 2e6).count();
    let mut kept: Vec<f64> = us.0.iter().copied().filter(|v| *v <= 2e6).collect();
    let n = us.n();
    let secs = run.ms / 1e3;
    // What wrk invents after each latency above twice the expected interval.
    let expected = (secs * 1e6 / n as f64 * run.connections as f64).floor();
    for value in kept.clone() {
        let mut m = value - expected;
        if expected >= 1.0 && value > expected * 2.0 {
            while m > expected {
                if kept.len() > INVENTED {
                    return None;
                }
                kept.push(m);
                m -= expected;
            }
        }
    }
    if kept.is_empty() {
        kept.push(1.0);
    }
    let v = Values::of(kept.into_iter());
    let rate = n as f64 / secs;
    let each = scaled(rate, &[(1.0, ""), (1e3, "k"), (1e6, "M")]);
    let mut out = format!(
        "Running test @ http://127.0.0.1/x\n  1 threads and {} connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   {}   {}   {}   70.00%\n    Req/Sec   {each}   {each}   {each}   60.00%\n  Latency Distribution\n",
        run.connections,
        time(v.mean()),
        time(v.sd()),
        time(v.max())
    );
    for p in [50.0, 75.0, 90.0, 99.0] {
        let rank = (p / 100.0 * v.n() as f64 + 0.5).round();
        let _ = writeln!(out, "     {p}%   {}", time(v.at(rank - 1.0)));
    }
    let read = n as f64 * 100.0;
    let _ = writeln!(
        out,
        "  {n} requests in {}, {} read",
        time(run.ms * 1e3),
        bytes(read)
    );
    if late > 0 {
        let _ = writeln!(
            out,
            "  Socket errors: connect 0, read 0, write 0, timeout {late}"
        );
    }
    if run.count(End::Bad) > 0 {
        let _ = writeln!(out, "  Non-2xx or 3xx responses: {}", run.count(End::Bad));
    }
    let _ = writeln!(
        out,
        "Requests/sec:  {rate:9.2}\nTransfer/sec:  {}",
        bytes(read / secs)
    );
    Some(out)
}

/// wrk2, whose histogram has three digits and reports the upper end of a value's bucket.
pub fn wrk2(run: &Run) -> String {
    let upper = |us: f64| bucket(us).1;
    let v = run.responses().map(|ms| (ms * 1e3).floor().max(1.0));
    let n = v.n();
    let mut out = format!(
        "Running test @ http://127.0.0.1/x\n  1 threads and 10 connections\n  Thread calibration: mean lat.: 9999.000ms, rate sampling interval: 10ms\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   {}   {}   {}   70.00%\n    Req/Sec   0.00   0.00   0.00   60.00%\n  Latency Distribution (HdrHistogram - Recorded Latency)\n",
        time(v.mean()),
        time(v.sd()),
        time(bucket(v.max()).0)
    );
    for (q, name) in [
        (0.5, " 50.000"),
        (0.9, " 90.000"),
        (0.99, " 99.000"),
        (1.0, "100.000"),
    ] {
        // The nearest rank, where the spectrum has the next one.
        let value = v.at((q * n as f64 + 0.5).floor() - 1.0);
        let _ = writeln!(out, " {name}%   {}", time(upper(value)));
    }
    out += &spectrum(&v);
    if n.is_multiple_of(2) {
        // With -U.
        out += "\n  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))\n";
        let shorter = v.map(|us| (us / 3.0).floor().max(1.0));
        for (q, name) in [(0.5, " 50.000"), (1.0, "100.000")] {
            let value = shorter.at((q * n as f64 + 0.5).floor() - 1.0);
            let _ = writeln!(out, " {name}%   {}", time(upper(value)));
        }
        out += &spectrum(&shorter);
    }
    let rate = n as f64 / run.ms * 1e3;
    let _ = writeln!(
        out,
        "  {n} requests in {}, 1.00MB read\nRequests/sec:  {rate:9.2}",
        time(run.ms * 1e3)
    );
    out
}

pub fn ab(run: &Run) -> String {
    // Microseconds, printed as whole milliseconds; a request without a response is a failure with its time.
    let v = run.all().map(|ms| (ms * 1e3).floor() / 1e3);
    let (n, c, secs) = (v.n(), run.connections as f64, run.ms / 1e3);
    let row = |name: &str| {
        let median = v.at((n / 2) as f64);
        format!(
            "{name:12}{:5.0} {:4.0} {:5.1} {median:6.0} {:7.0}\n",
            v.min(),
            v.mean(),
            v.sd(),
            v.max()
        )
    };
    let lost = run.count(End::Lost);
    let mut out = format!(
        "Document Path:          /x\nDocument Length:        13 bytes\n\nConcurrency Level:      {c}\nTime taken for tests:   {secs:.3} seconds\nComplete requests:      {n}\nFailed requests:        {lost}\n"
    );
    if lost > 0 {
        let _ = writeln!(
            out,
            "   (Connect: 0, Receive: 0, Length: {lost}, Exceptions: 0)"
        );
    }
    let (count, total) = (n as f64, n * 100);
    let _ = write!(
        out,
        "Total transferred:      {total} bytes\nHTML transferred:       {} bytes\nRequests per second:    {:.2} [#/sec] (mean)\nTime per request:       {:.3} [ms] (mean)\nTime per request:       {:.3} [ms] (mean, across all concurrent requests)\nTransfer rate:          {:.2} [Kbytes/sec] received\n\nConnection Times (ms)\n              min  mean[+/-sd] median   max\n",
        n * 13,
        count / secs,
        c * secs * 1e3 / count,
        secs * 1e3 / count,
        total as f64 / 1024.0 / secs
    );
    out += &row("Processing:");
    out += &row("Total:");
    out += "\nPercentage of the requests served within a certain time (ms)\n";
    for p in [50, 66, 75, 80, 90, 95, 98, 99] {
        let _ = writeln!(out, "  {p}%  {:5.0}", v.at((n * p / 100) as f64));
    }
    let _ = writeln!(out, " 100%  {:5.0} (longest request)", v.max());
    out
}

fn by_status(run: &Run) -> Vec<(u32, usize)> {
    let counts = [(200, run.count(End::Good)), (404, run.count(End::Bad))];
    counts.into_iter().filter(|(_, n)| *n > 0).collect()
}

pub fn hey(run: &Run) -> String {
    let v = run.responses();
    let (n, lost, secs) = (v.n(), run.count(End::Lost), run.ms / 1e3);
    let s = |ms: f64| format!("{:.4} secs", ms / 1e3);
    let data = n * 13 + 5;
    let mut out = format!(
        "\nSummary:\n  Total:\t{secs:.4} secs\n  Slowest:\t{}\n  Fastest:\t{}\n  Average:\t{}\n  Requests/sec:\t{:.4}\n  \n  Total data:\t{data} bytes\n  Size/request:\t{} bytes\n\nResponse time histogram:\n",
        s(v.max()),
        s(v.min()),
        s(v.mean()),
        (n + lost) as f64 / secs,
        data / n
    );
    for (upper, count) in ten(&v) {
        let _ = writeln!(out, "  {:4.3} [{count}]\t|", upper / 1e3);
    }
    out += "\n\nLatency distribution:\n";
    let names = [10, 25, 50, 75, 90, 95, 99];
    let mut next = 0;
    for i in 0..n {
        if next < names.len() && i * 100 / n >= names[next] {
            let _ = writeln!(out, "  {}%% in {}", names[next], s(v.0[i]));
            next += 1;
        }
    }
    out += "\nStatus code distribution:\n";
    for (status, count) in by_status(run) {
        let _ = writeln!(out, "  [{status}]\t{count} responses");
    }
    if lost > 0 {
        let _ = writeln!(
            out,
            "\nError distribution:\n  [{lost}]\tGet \"http://x/\": timeout"
        );
    }
    out
}

/// siege's figures, in its order: it counts time in ticks of 10 ms.
pub fn siege_figures(run: &Run) -> [(&'static str, f64, usize); 12] {
    let ticks = |ms: f64| (ms / 10.0).floor() / 100.0;
    let took = |q: &Request| ticks(q.start + q.latency) - ticks(q.start);
    let responses = || run.requests.iter().filter(|q| q.end != End::Lost);
    let times = Values::of(responses().map(took));
    let (n, failed) = (times.n() as f64, run.count(End::Lost) as f64);
    let (seconds, mib) = (ticks(run.ms), n * 13.0 / 1024.0 / 1024.0);
    let total: f64 = times.0.iter().sum();
    let over = |of: f64| if seconds > 0.0 { of / seconds } else { 0.0 };
    [
        ("transactions", n, 0),
        ("availability", 100.0 * n / (n + failed), 2),
        ("elapsed_time", seconds, 2),
        ("data_transferred", mib, 2),
        ("response_time", total / n, 2),
        ("transaction_rate", over(n), 2),
        ("throughput", over(mib), 2),
        ("concurrency", over(total), 2),
        ("successful_transactions", run.count(End::Good) as f64, 0),
        ("failed_transactions", failed, 0),
        ("longest_transaction", times.max(), 2),
        ("shortest_transaction", times.min(), 2),
    ]
}

pub fn siege(run: &Run) -> String {
    let mut out = format!(
        "** SIEGE 4.0.7\n** Preparing {} concurrent users for battle.\nThe server is now under siege...\n",
        run.connections
    );
    for (key, value, places) in siege_figures(run) {
        let unit = match key {
            "transactions" => " hits",
            "availability" => " %",
            "elapsed_time" | "response_time" => " secs",
            "data_transferred" => " MB",
            "transaction_rate" => " trans/sec",
            "throughput" => " MB/sec",
            _ => "",
        };
        let label = key.replace('_', " ");
        let (first, rest) = label.split_at(1);
        let label = format!("{}{rest}:", first.to_uppercase());
        let _ = writeln!(out, "{label:<24}{value:>12.places$}{unit}");
    }
    out
}

pub fn oha(run: &Run) -> String {
    let v = run.responses();
    let (n, lost) = (v.n(), run.count(End::Lost));
    let (by, unit) = match v.max() {
        ms if ms >= 1e3 => (1e3, "sec"),
        ms if ms >= 1.0 => (1.0, "ms"),
        _ => (1e-3, "us"),
    };
    let t = |ms: f64| format!("{:.4} {unit}", ms / by);
    let all = (n + lost) as f64;
    let mut out = format!(
        "Summary:\n  Success rate:\t{:.2}%\n  Total:\t{}\n  Slowest:\t{}\n  Fastest:\t{}\n  Average:\t{}\n  Requests/sec:\t{:.4}\n\nResponse time histogram:\n",
        n as f64 / all * 100.0,
        t(run.ms),
        t(v.max()),
        t(v.min()),
        t(v.mean()),
        all / run.ms * 1e3
    );
    for (upper, count) in ten(&v) {
        let _ = writeln!(out, "  {:.3} {unit} [{count}] |", upper / by);
    }
    out += "\nResponse time distribution:\n";
    for p in [10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99] {
        let _ = writeln!(
            out,
            "  {p:.2}% in {}",
            t(v.at((p / 100.0 * n as f64).floor()))
        );
    }
    out += "\n\nStatus code distribution:\n";
    for (status, count) in by_status(run) {
        let _ = writeln!(out, "  [{status}] {count} responses");
    }
    if lost > 0 {
        let _ = writeln!(out, "\nError distribution:\n  [{lost}] timeout");
    }
    out
}

pub fn bombardier(run: &Run) -> String {
    let v = run.all().map(|ms| (ms * 1e3).floor());
    let n = v.n();
    let how = match run.asked {
        Some(ms) => format!("for {}", super::go(ms)),
        None => format!("with {n} request(s)"),
    };
    let rate = n as f64 / run.ms * 1e3;
    let mut out = format!(
        "Bombarding http://127.0.0.1:80/x {how} using {} connection(s)\nDone!\nStatistics        Avg      Stdev        Max\n  Reqs/sec  {rate:10.2} {rate:10.2} {rate:10.2}\n  Latency  {:>10} {:>10} {:>10}\n  Latency Distribution\n",
        run.connections,
        time(v.mean()),
        time(v.sd()),
        time(v.max())
    );
    for p in [50, 75, 90, 95, 99] {
        let _ = writeln!(out, "     {p}% {:>10}", time(v.at((n * p / 100) as f64)));
    }
    let _ = writeln!(
        out,
        "  HTTP codes:\n    1xx - 0, 2xx - {}, 3xx - 0, 4xx - {}, 5xx - 0\n    others - {}\n  Throughput:   256.23KB/s",
        run.count(End::Good),
        run.count(End::Bad),
        run.count(End::Lost)
    );
    out
}

pub fn vegeta(run: &Run) -> String {
    let v = run.all();
    let n = v.n() as f64;
    let (attack, wait) = run.attack();
    let good = run.count(End::Good) as f64;
    let mut row = vec![go_rounded(v.min()), go_rounded(v.mean())];
    row.extend([0.5, 0.9, 0.95, 0.99].map(|q| go_rounded(v.between(q))));
    row.push(go_rounded(v.max()));
    let mut codes = String::new();
    for (code, count) in [(0, run.count(End::Lost))]
        .into_iter()
        .chain(by_status(run))
    {
        if count > 0 {
            let _ = write!(codes, "{code}:{count}  ");
        }
    }
    let data = n * 13.0 + 1.0;
    format!(
        "Requests      [total, rate, throughput]         {n}, {:.2}, {:.2}\nDuration      [total, attack, wait]             {}, {}, {}\nLatencies     [min, mean, 50, 90, 95, 99, max]  {}\nBytes In      [total, mean]                     {data}, {:.2}\nBytes Out     [total, mean]                     0, 0.00\nSuccess       [ratio]                           {:.2}%\nStatus Codes  [code:count]                      {codes}\nError Set:\n",
        n / attack * 1e3,
        good / (attack + wait) * 1e3,
        go_rounded(attack + wait),
        go_rounded(attack),
        go_rounded(wait),
        row.join(", "),
        data / n,
        good / n * 100.0
    )
}

/// fortio's buckets in seconds, and the values in each.
pub fn fortio_buckets(v: &Values) -> Vec<(f64, f64, usize)> {
    let ends = [
        1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 25.0,
        30.0, 40.0, 50.0, 75.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 100_000.0,
        1e7, 1e9,
    ];
    let mut found = Vec::new();
    let mut lower = f64::NEG_INFINITY;
    for upper in ends {
        let count =
            v.0.iter()
                .filter(|ms| **ms > lower && **ms <= upper)
                .count();
        if count > 0 {
            found.push((lower.max(v.min()) / 1e3, upper.min(v.max()) / 1e3, count));
        }
        lower = upper;
    }
    found
}

/// A percentile on a straight line within its bucket, in seconds.
pub fn fortio_percentile(v: &Values, percent: f64) -> f64 {
    let (mut seen, all) = (0.0, v.n() as f64);
    for (from, to, count) in fortio_buckets(v) {
        let share = (seen + count as f64) / all * 100.0;
        if share >= percent {
            let start = seen / all * 100.0;
            return from + (to - from) * (percent - start) / (share - start);
        }
        seen += count as f64;
    }
    v.max() / 1e3
}

pub fn fortio(run: &Run) -> String {
    let v = run.all();
    let (n, s) = (v.n(), v.map(|ms| ms / 1e3));
    let mut out = format!(
        "Fortio 1.63.0 running at 0 queries per second, 2->2 procs: http://127.0.0.1/x\nStarting at max qps with {} thread(s) [gomax 2] for exactly {n} calls\nEnded after {} : {n} calls. qps={}\nAggregated Function Time : count {n} avg {} +/- {} min {} max {} sum {}\n# range, mid point, percentile, count\n",
        run.connections,
        super::go((run.ms * 1e6).round() / 1e6),
        general(n as f64 / run.ms * 1e3, 5),
        general(s.mean(), 8),
        general(s.sd(), 4),
        general(s.min(), 9),
        general(s.max(), 9),
        general(s.0.iter().sum(), 9)
    );
    let mut sign = ">=";
    for (from, to, count) in fortio_buckets(&v) {
        let middle = general((from + to) / 2.0, 6);
        let _ = writeln!(
            out,
            "{sign} {} <= {} , {middle} , 50.00, {count}",
            general(from, 6),
            general(to, 6)
        );
        sign = ">";
    }
    for p in [50.0, 75.0, 90.0, 99.0, 99.9] {
        let _ = writeln!(
            out,
            "# target {p}% {}",
            general(fortio_percentile(&v, p), 6)
        );
    }
    out += "Error cases : no data\n";
    if run.count(End::Lost) > 0 {
        let _ = writeln!(out, "Code  -1 : {} (50.0 %)", run.count(End::Lost));
    }
    for (code, count) in by_status(run) {
        let _ = writeln!(out, "Code {code} : {count} (50.0 %)");
    }
    out
}

/// Two decimals as JavaScript prints them.
pub fn two(x: f64) -> String {
    ((x * 100.0).round() / 100.0).to_string()
}

pub fn autocannon(run: &Run) -> String {
    let v = run.responses().map(f64::floor);
    let n = v.n();
    let short = |n: usize| {
        if n >= 1000 {
            format!("{:.0}k", n as f64 / 1e3)
        } else {
            n.to_string()
        }
    };
    let p = |q: f64| v.at((q * n as f64).ceil() - 1.0);
    let rate = n as f64 / run.ms * 1e3;
    let mut out = format!(
        "Running test @ http://127.0.0.1/x\n{} connections\n\n│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%  │ Avg     │ Stdev   │ Max   │\n│ Latency │ {} ms │ {} ms │ {} ms  │ {} ms │ {} ms │ {} ms │ {} ms │\n│ Stat      │ 50%     │ Avg     │\n│ Req/Sec   │ {rate:.0}  │ {rate:.0}  │\n\n# of samples: 2\n\n{} requests in {}s, 13.4 MB read\n",
        run.connections,
        p(0.025),
        p(0.5),
        p(0.975),
        p(0.99),
        two(v.mean()),
        two(v.sd()),
        v.max(),
        short(n),
        two(run.ms / 1e3)
    );
    let lost = run.count(End::Lost);
    if lost > 0 {
        let _ = writeln!(out, "{} errors ({} timeouts)", short(lost), short(lost));
    }
    out
}

pub fn h2load(run: &Run) -> String {
    let (good, bad, lost) = (
        run.count(End::Good),
        run.count(End::Bad),
        run.count(End::Lost),
    );
    let done = good + bad;
    let traffic = done * 93 + 5;
    let us = run.responses().map(|ms| (ms * 1e3).floor());
    let t = |us: f64| {
        if us < 1e3 {
            format!("{}us", us.floor())
        } else {
            time(us)
        }
    };
    let row = if done > 0 {
        format!(
            "{}  {}  {}  {}  70.00%",
            t(us.min()),
            t(us.max()),
            t(us.mean()),
            t(us.sd())
        )
    } else {
        "0us  0us  0us  0us  0.00%".to_owned()
    };
    format!(
        "starting benchmark...\nspawning thread #0: {} total client(s). {done} total requests\nApplication protocol: h2c\n\nfinished in {}, {:.2} req/s, {}/s\nrequests: {} total, {} started, {done} done, {good} succeeded, {} failed, {lost} errored, {lost} timeout\nstatus codes: {good} 2xx, 0 3xx, {bad} 4xx, 0 5xx\ntraffic: {} ({traffic}) total\n                     min         max         mean         sd        +/- sd\ntime for request: {row}\n",
        run.connections,
        time(run.ms * 1e3),
        done as f64 / run.ms * 1e3,
        bytes((traffic as f64 / run.ms * 1e3).floor()),
        done + lost,
        done + lost,
        bad + lost,
        bytes(traffic as f64)
    )
}

fn k6_time(ms: f64) -> String {
    let trim = |v: f64| {
        format!("{v:.2}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    };
    match ms {
        _ if ms == 0.0 => "0s".to_owned(),
        _ if ms < 1e-3 => format!("{:.0}ns", ms * 1e6),
        _ if ms < 1.0 => format!("{}µs", trim(ms * 1e3)),
        _ if ms < 1e3 => format!("{}ms", trim(ms)),
        _ if ms < 6e4 => format!("{}s", trim(ms / 1e3)),
        _ => format!("{}m{}s", (ms / 6e4).floor(), (ms % 6e4 / 1e3).floor()),
    }
}

/// Bytes as k6 prints them: steps of 1000, one decimal below ten.
fn k6_bytes(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let power = (bytes.max(1.0).log10() / 3.0).floor().clamp(0.0, 4.0);
    let value = bytes / 1000f64.powf(power);
    let unit = units[power as usize];
    match (power > 0.0, value < 10.0) {
        (false, _) => format!("{bytes:.0} {unit}"),
        (true, true) => format!("{value:.1} {unit}"),
        (true, false) => format!("{value:.0} {unit}"),
    }
}

pub fn k6(run: &Run) -> String {
    let v = run.all();
    let n = v.n();
    let rate = n as f64 / run.ms * 1e3;
    let quantile = |q: f64| k6_time(v.between(q));
    let trend = format!(
        "avg={} min={} med={} max={} p(90)={} p(95)={} p(99.9)={}",
        k6_time(v.mean()),
        k6_time(v.min()),
        quantile(0.5),
        k6_time(v.max()),
        quantile(0.9),
        quantile(0.95),
        quantile(0.999)
    );
    let bad = n - run.count(End::Good);
    let percent = |k: usize| k as f64 / n as f64 * 100.0;
    format!(
        "  █ TOTAL RESULTS\n\n    checks_total.......: {n}    {rate:.6}/s\n    checks_succeeded...: {:.2}% {} out of {n}\n    checks_failed......: {:.2}% {bad} out of {n}\n\n    HTTP\n    http_req_duration..............: {trend}\n    http_req_failed................: {:.2}%  {bad} out of {n}\n    http_reqs......................: {n}  {rate:.6}/s\n\n    iteration_duration.............: {trend}\n    iterations.....................: {n}  {rate:.6}/s\n    vus_max........................: {c}     min={c}         max={c}\n    data_received..................: {} {}/s\n",
        percent(n - bad),
        n - bad,
        percent(bad),
        percent(bad),
        k6_bytes(n as f64 * 93.0),
        k6_bytes(rate * 93.0),
        c = run.connections
    )
}

/// As Locust keeps times: whole milliseconds below 100, two digits above.
fn locust_rounded(ms: f64) -> f64 {
    let step = match ms {
        _ if ms < 100.0 => 1.0,
        _ if ms < 1000.0 => 10.0,
        _ => 100.0,
    };
    (ms / step).round() * step
}

/// Requests of two names by turns (0 and 1), or all together.
fn named(run: &Run, which: Option<usize>) -> (Values, usize) {
    let of = |at: usize| which.is_none_or(|w| at % 3 / 2 == w);
    let mine: Vec<_> = (0..run.requests.len())
        .filter(|at| of(*at))
        .map(|at| run.requests[at])
        .collect();
    let failures = mine.iter().filter(|q| q.end != End::Good).count();
    (Values::of(mine.iter().map(|q| q.latency)), failures)
}

const NAMES: [(&str, &str, Option<usize>); 3] = [
    ("GET", "/a", Some(0)),
    ("GET", "/b", Some(1)),
    ("", "Aggregated", None),
];

pub fn locust(run: &Run) -> String {
    let mut out = "Type     Name   # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n--------|---|-------|\n".to_owned();
    let mut tail = "Response time percentiles (approximated)\nType     Name   50%    66%    75%    80%    90%    95%    98%    99%  99.9% 99.99%   100% # reqs\n".to_owned();
    for (method, name, which) in NAMES {
        let (v, failures) = named(run, which);
        let n = v.n();
        if n == 0 {
            continue;
        }
        let at = |q: f64| locust_rounded(v.at((q * n as f64).ceil() - 1.0));
        let _ = writeln!(
            out,
            "{method:8} {name}   {n}     {failures}({:.2}%) |      {}       {}      {}      {} |  {:.2}        {:.2}",
            failures as f64 / n as f64 * 100.0,
            v.mean().floor(),
            v.min().floor(),
            v.max().floor(),
            at(0.5),
            n as f64 / run.ms * 1e3,
            failures as f64 / run.ms * 1e3
        );
        let _ = write!(tail, "{method:8} {name} ");
        for q in [
            0.5, 0.66, 0.75, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 0.9999, 1.0,
        ] {
            let _ = write!(tail, "  {}", at(q));
        }
        let _ = writeln!(tail, "  {n}");
    }
    out + "\n" + &tail
}

pub fn locust_csv(run: &Run) -> String {
    let mut out = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,95%,100%\n".to_owned();
    for (method, name, which) in NAMES {
        let (v, failures) = named(run, which);
        let n = v.n();
        if n == 0 {
            continue;
        }
        let at = |q: f64| locust_rounded(v.at((q * n as f64).ceil() - 1.0));
        let _ = writeln!(
            out,
            "{method},{name},{n},{failures},{},{},{},{},13.0,{},{},{},{},{}",
            at(0.5),
            v.mean(),
            v.min(),
            v.max(),
            n as f64 / run.ms * 1e3,
            failures as f64 / run.ms * 1e3,
            at(0.5),
            at(0.95),
            at(1.0)
        );
    }
    out
}

pub fn gatling(run: &Run) -> String {
    // Whole milliseconds.
    let list = |wanted: fn(End) -> bool| {
        let mine = run.requests.iter().filter(|q| wanted(q.end));
        Values::of(mine.map(|q| q.latency.floor()))
    };
    let lists = [
        list(|_| true),
        list(|e| e == End::Good),
        list(|e| e != End::Good),
    ];
    let row = |label: &str, of: &dyn Fn(&Values) -> String| {
        let cell = |v: &Values| if v.n() == 0 { "-".to_owned() } else { of(v) };
        format!(
            "> {label:50} {} (OK={} KO={})\n",
            cell(&lists[0]),
            cell(&lists[1]),
            cell(&lists[2])
        )
    };
    let whole = |x: f64| x.round().to_string();
    let mut out = "---- Global Information ----\n".to_owned();
    let _ = writeln!(
        out,
        "> request count      {} (OK={} KO={})",
        lists[0].n(),
        lists[1].n(),
        lists[2].n()
    );
    out += &row("min response time", &|v| whole(v.min()));
    out += &row("max response time", &|v| whole(v.max()));
    out += &row("mean response time", &|v| whole(v.mean()));
    out += &row("std deviation", &|v| whole(v.sd()));
    for (p, q) in [
        ("50th", 0.5),
        ("75th", 0.75),
        ("95th", 0.95),
        ("99th", 0.99),
    ] {
        out += &row(&format!("response time {p} percentile"), &|v| {
            whole(v.between(q))
        });
    }
    out += &row("mean requests/sec", &|v| {
        format!("{:.3}", v.n() as f64 / run.ms * 1e3)
    });
    out += "---- Response Time Distribution ----\n";
    let n = lists[0].n() as f64;
    let good = |from: f64, to: f64| {
        lists[1]
            .0
            .iter()
            .filter(|v| **v >= from && **v < to)
            .count()
    };
    for (label, count) in [
        ("t < 800 ms", good(0.0, 800.0)),
        ("800 ms < t < 1200 ms", good(800.0, 1200.0)),
        ("t > 1200 ms", good(1200.0, f64::INFINITY)),
        ("failed", lists[2].n()),
    ] {
        let _ = writeln!(
            out,
            "> {label:40} {count} ({:3.0}%)",
            count as f64 / n * 100.0
        );
    }
    out
}

/// One decimal as JavaScript prints it.
pub fn one(x: f64) -> String {
    ((x * 10.0).round() / 10.0).to_string()
}

/// A quantile of a sketch with 1% error.
pub fn sketch(v: &Values, q: f64) -> f64 {
    let gamma: f64 = 1.01 / 0.99;
    let value = v.at((q * (v.n() - 1) as f64).floor());
    gamma.powf((value.ln() / gamma.ln()).ceil()) * 0.99
}

pub fn artillery(run: &Run) -> String {
    let v = run.responses();
    let (n, lost) = (v.n(), run.count(End::Lost));
    let mut out = "Summary report @ 09:40:33(+0000)\n\n".to_owned();
    let mut line = |label: &str, value: String| {
        let dots = ".".repeat(60_usize.saturating_sub(label.len()));
        let _ = writeln!(out, "{label}: {dots} {value}");
    };
    if lost > 0 {
        line("errors.ETIMEDOUT", lost.to_string());
    }
    for (code, count) in by_status(run) {
        line(&format!("http.codes.{code}"), count.to_string());
    }
    line("http.requests", (n + lost).to_string());
    out += "http.response_time:\n";
    for (label, value) in [
        ("min", v.min()),
        ("max", v.max()),
        ("mean", v.mean()),
        ("median", sketch(&v, 0.5)),
        ("p95", sketch(&v, 0.95)),
        ("p99", sketch(&v, 0.99)),
    ] {
        let _ = writeln!(
            out,
            "  {label}: ............................ {}",
            one(value)
        );
    }
    let _ = writeln!(out, "http.responses: .................... {n}");
    let _ = writeln!(
        out,
        "vusers.created: ................. {}\nvusers.failed: .............. {lost}",
        n + lost
    );
    out
}

pub fn jmeter(run: &Run) -> String {
    let v = run.all().map(f64::floor);
    let n = v.n();
    let secs = run.ms / 1e3;
    let whole = secs.round() as u64;
    let failed = n - run.count(End::Good);
    let line = |sign: char, tail: &str| {
        format!(
            "summary {sign} {n:6} in {:02}:{:02}:{:02} = {:6.1}/s Avg: {:5} Min: {:5} Max: {:5} Err: {failed:5} ({:.2}%){tail}\n",
            whole / 3600,
            whole / 60 % 60,
            whole % 60,
            n as f64 / secs,
            v.mean().floor(),
            v.min(),
            v.max(),
            failed as f64 / n as f64 * 100.0
        )
    };
    let threads = format!(" Active: {0} Started: {0} Finished: 0", run.connections);
    line('+', &threads) + &line('=', "")
}

pub fn jtl(run: &Run) -> String {
    let mut out = "timeStamp,elapsed,label,responseCode,threadName,success,bytes,grpThreads,allThreads,Latency,Connect\n".to_owned();
    for q in &run.requests {
        // Both ends are read from a clock of milliseconds.
        let (start, end) = (q.start.floor(), (q.start + q.latency).floor());
        let good = q.end == End::Good;
        let _ = writeln!(
            out,
            "{},{},x,{},t-{},{good},100,{c},{c},{},0",
            1_700_000_000_000.0 + start,
            end - start,
            if good { "200" } else { "404" },
            q.connection,
            ((end - start) / 2.0).floor(),
            c = run.connections
        );
    }
    out
}

/// go-stress-testing, whose rate is that of successes by their own time.
pub fn go_stress_testing(run: &Run) -> String {
    let good = Values::of(
        run.requests
            .iter()
            .filter(|q| q.end == End::Good)
            .map(|q| q.latency),
    );
    let (n, bad, c) = (good.n(), run.requests.len() - good.n(), run.connections);
    let secs = run.ms / 1e3;
    let mut codes = format!("200:{n}");
    if bad > 0 {
        let _ = write!(codes, ";404:{bad}");
    }
    // Elapsed seconds are those of the last tick.
    format!(
        " 耗时│ 并发数│ 成功数│ 失败数│   qps  │最长耗时│最短耗时│平均耗时│下载字节│字节每秒│ 状态码\n {:.0}s│ {c}│ {n}│ {bad}│ {:.2}│ {:.2}│ {:.2}│ {:.2}│ │ │{codes}\n\n处理协程数量: {c}\n请求总数（并发数*请求数 -c * -n）: {} 总请求时间: {secs:.3} 秒 successNum: {n} failureNum: {bad}\n",
        secs.max(1.0),
        c as f64 / (good.mean() / 1e3),
        good.max(),
        good.min(),
        good.mean(),
        n + bad
    )
}

pub fn table(run: &Run) -> String {
    let v = run.responses();
    format!(
        "connections,req/s,mean ms,p50 ms,p99 ms,max ms\n{},{:.1},{:.2},{:.2},{:.2},{:.2}\n",
        run.connections,
        v.n() as f64 / run.ms * 1e3,
        v.mean(),
        v.between(0.5),
        v.between(0.99),
        v.max()
    )
}
