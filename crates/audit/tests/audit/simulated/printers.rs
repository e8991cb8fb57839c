//! A run as each tool prints it: what it counts, divides and rounds, from its source or its output.

mod json;
mod spectrum;
mod text;

use super::run::{End, Run};

/// The run in every format, with the name of the tool. `open` is a run by a schedule.
pub fn all(run: &Run, open: &Run) -> Vec<(&'static str, String)> {
    let cut = run.cut();
    let mut all = Vec::new();
    if run.responses().n() > 0 {
        all.extend([
            ("ab", text::ab(run)),
            ("hey", text::hey(run)),
            ("oha", text::oha(run)),
            ("oha", json::oha(run)),
            ("h2load", text::h2load(&cut)),
            ("siege", text::siege(run)),
            ("siege", json::siege(run)),
            ("Locust", text::locust(run)),
            ("Locust", text::locust_csv(run)),
            ("Locust", json::locust(run)),
            ("Gatling", text::gatling(run)),
            ("JMeter summary", text::jmeter(run)),
            ("JMeter CSV", text::jtl(run)),
            ("table", text::table(run)),
        ]);
    }
    if run.count(End::Good) > 0 {
        all.push(("go-stress-testing", text::go_stress_testing(run)));
    }
    if cut.responses().n() > 0 {
        all.extend(text::wrk(&cut).map(|text| ("wrk", text)));
        all.extend([
            ("autocannon", text::autocannon(&cut)),
            ("autocannon", json::autocannon(&cut)),
        ]);
    }
    if open.responses().n() > 0 {
        all.extend([
            ("vegeta", text::vegeta(open)),
            ("vegeta", json::vegeta(open)),
            ("Artillery", text::artillery(open)),
            ("Artillery", json::artillery(open)),
            ("wrk2", text::wrk2(open)),
            ("oha", text::oha(open)),
            ("k6", text::k6(open)),
            ("Gatling", text::gatling(open)),
        ]);
    }
    all.extend([
        ("bombardier", text::bombardier(run)),
        ("bombardier", json::bombardier(run)),
        ("fortio", text::fortio(run)),
        ("fortio", json::fortio(run)),
        ("k6", text::k6(run)),
        ("k6", json::k6(run)),
    ]);
    all
}

/// `%g` with so many significant digits.
pub fn general(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let places = (digits as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{value:.places$}"))
}

/// A duration as Go prints it, from milliseconds.
pub fn go(ms: f64) -> String {
    let trim = |value: f64, places: usize| {
        let text = format!("{value:.places$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    };
    match ms {
        _ if ms == 0.0 => "0s".to_owned(),
        _ if ms < 1e-3 => format!("{}ns", trim(ms * 1e6, 0)),
        _ if ms < 1.0 => format!("{}µs", trim(ms * 1e3, 3)),
        _ if ms < 1e3 => format!("{}ms", trim(ms, 6)),
        _ if ms < 6e4 => format!("{}s", trim(ms / 1e3, 9)),
        _ => format!("{}m{}s", (ms / 6e4).floor(), trim(ms % 6e4 / 1e3, 9)),
    }
}

/// The same, rounded to a thousandth of its largest unit.
pub fn go_rounded(ms: f64) -> String {
    let unit = [6e4, 1e3, 1.0, 1e-3]
        .into_iter()
        .find(|u| ms >= *u)
        .unwrap_or(1e-3);
    let step = unit / 1e3;
    go((ms / step).round() * step)
}

/// Responses by share of values that are not larger, as a histogram of ten equal parts from the smallest to the largest: upper
/// ends and counts. The first has the smallest value alone.
pub fn ten(values: &super::run::Values) -> Vec<(f64, usize)> {
    let step = (values.max() - values.min()) / 10.0;
    let mut from = 0;
    (0..=10)
        .map(|at| {
            let upper = if at == 10 {
                values.max()
            } else {
                values.min() + step * f64::from(at)
            };
            let to = values.0.partition_point(|v| *v <= upper);
            let count = to.saturating_sub(from);
            from = to.max(from);
            (upper, count)
        })
        .collect()
}
