//! The named quantities of a report, with the unit in which laws see them.

/// The unit of a quantity within laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of something.
    Count,
    /// Something a second.
    PerSecond,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// Hundredths.
    Percent,
}

/// Every quantity, its unit, and its noun after a number.
const QUANTITIES: [(&str, Unit, &str); 69] = [
    ("requests", Unit::Count, "requests"),
    ("total", Unit::Count, "requests in total"),
    ("started", Unit::Count, "started"),
    ("done", Unit::Count, "done"),
    ("ok", Unit::Count, "succeeded"),
    ("failed", Unit::Count, "failed"),
    ("errors", Unit::Count, "errors"),
    ("timeouts", Unit::Count, "timeouts"),
    ("connect_errors", Unit::Count, "connect errors"),
    ("read_errors", Unit::Count, "read errors"),
    ("write_errors", Unit::Count, "write errors"),
    ("http_errors", Unit::Count, "error statuses"),
    ("deadline", Unit::Count, "given up at the end"),
    ("failed_apart", Unit::Count, "failed"),
    ("failed_connect", Unit::Count, "failed to connect"),
    ("failed_receive", Unit::Count, "failed to receive"),
    ("failed_length", Unit::Count, "of another length"),
    ("failed_exceptions", Unit::Count, "exceptions"),
    ("responses", Unit::Count, "responses"),
    ("lost", Unit::Count, "without a response"),
    ("kept", Unit::Count, "kept alive"),
    ("users_created", Unit::Count, "users created"),
    ("users_done", Unit::Count, "users completed"),
    ("users_failed", Unit::Count, "users failed"),
    ("count", Unit::Count, "values"),
    ("of", Unit::Count, "in all"),
    ("samples", Unit::Count, "samples"),
    ("calls", Unit::Count, "calls"),
    ("mark", Unit::Count, ""),
    ("connections", Unit::Count, "connections"),
    ("threads", Unit::Count, "threads"),
    ("active", Unit::Count, "threads active"),
    ("depth", Unit::Count, "requests deep"),
    ("concurrency", Unit::Count, "at a time"),
    ("rate", Unit::PerSecond, "per second"),
    ("rate_ok", Unit::PerSecond, "good ones per second"),
    ("rate_failed", Unit::PerSecond, "failed ones per second"),
    ("goodput", Unit::PerSecond, "good ones per second"),
    ("sampled", Unit::PerSecond, "per second in the samples"),
    ("sampled_max", Unit::PerSecond, "per second at most"),
    ("asked_rate", Unit::PerSecond, "per second asked for"),
    ("mean", Unit::Milliseconds, ""),
    ("sd", Unit::Milliseconds, ""),
    ("min", Unit::Milliseconds, ""),
    ("max", Unit::Milliseconds, ""),
    ("derived", Unit::Milliseconds, ""),
    ("across", Unit::Milliseconds, ""),
    ("sum", Unit::Milliseconds, ""),
    ("value", Unit::Milliseconds, ""),
    ("duration", Unit::Seconds, ""),
    ("asked", Unit::Seconds, ""),
    ("sending", Unit::Seconds, ""),
    ("wait", Unit::Seconds, ""),
    ("bytes", Unit::Bytes, "bytes"),
    ("bodies", Unit::Bytes, "bytes of bodies"),
    ("size", Unit::Bytes, "bytes each"),
    ("byte_rate", Unit::BytesPerSecond, "per second"),
    ("percent", Unit::Percent, ""),
    ("responses_counted", Unit::Count, "responses"),
    ("successful", Unit::Count, "called successful"),
    ("unanswered", Unit::Count, "without a response"),
    ("good", Unit::Count, "with status 2xx or 3xx"),
    ("part", Unit::Count, "of them"),
    ("rest", Unit::Count, "others"),
    ("warm_up", Unit::Seconds, ""),
    ("elapsed", Unit::Seconds, ""),
    ("timeout", Unit::Seconds, ""),
    ("bytes_short", Unit::Bytes, "bytes"),
    ("bytes_exact", Unit::Bytes, "bytes"),
];

/// Names of texts that a report may have.
pub const TEXTS: [&str; 5] = ["url", "path", "protocol", "name", "sign"];

/// Scope and quantity of a name such as `total.q99.9`; `None` if it has no scope.
pub fn split(name: &str) -> Option<(&str, &str)> {
    if quantile(name).is_some() {
        return None;
    }
    match name.find(".q") {
        Some(at) if quantile(&name[at + 1..]).is_some() => Some((&name[..at], &name[at + 1..])),
        _ => name.split_once('.'),
    }
}

/// The unit of a quantity (of `total.mean`, that of `mean`); `None` if there is no such quantity.
pub fn unit(name: &str) -> Option<Unit> {
    let last = split(name).map_or(name, |(_, last)| last);
    if last == "within" {
        return Some(Unit::Percent);
    }
    if quantile(last).is_some() {
        return Some(Unit::Milliseconds);
    }
    // What begins with `_` a layout computes for itself.
    let is_counted = ["status", "lost", "mark"].contains(&name.split('.').next().unwrap_or(""));
    if is_counted || name.len() > 1 && name.starts_with('_') {
        return Some(Unit::Count);
    }
    let found = QUANTITIES.iter().find(|(known, ..)| *known == last);
    found.map(|(_, unit, _)| *unit)
}

/// What stands after a number of this quantity.
pub fn noun(name: &str) -> &'static str {
    let found = QUANTITIES.iter().find(|(known, ..)| *known == name);
    found.map_or("", |(.., noun)| noun)
}

/// The percentage of a quantile's name: `q99.9`.
pub fn quantile(name: &str) -> Option<f64> {
    let percent = name.strip_prefix('q')?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}

/// The quantity of what tools call a statistic: `Avg`, `p(99.9)`, `99%`, `p97_5`, `99th`, `median`.
pub fn statistic(word: &str) -> Option<String> {
    let word = word.trim().trim_matches('"').to_lowercase();
    let word = word.strip_suffix(" (ms)").unwrap_or(&word);
    let named = match word {
        "avg" | "mean" | "average" => "mean",
        "sd" | "stdev" | "std" | "stddev" | "std dev" | "deviation" => "sd",
        "min" | "minimum" | "fastest" | "shortest" => "min",
        "max" | "maximum" | "slowest" | "longest" => "max",
        "med" | "median" => "q50",
        "+/- sd" | "within" => "within",
        _ => "",
    };
    if !named.is_empty() {
        return Some(named.to_owned());
    }
    let inner = word.strip_prefix("p(").and_then(|w| w.strip_suffix(')'));
    let bare = word.strip_prefix('p');
    let share = word.strip_suffix('%').or(word.strip_suffix("th"));
    let plain = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    // p999 is the 99.9th.
    let is_digits = |text: &&str| text.bytes().all(|b| b.is_ascii_digit());
    let many = bare.filter(|bare| bare.len() > 2 && *bare != "100");
    let number = match many.filter(is_digits) {
        Some(digits) => format!("{}.{}", &digits[..2], &digits[2..]),
        None => {
            let number = inner.or(bare).or(share).or(plain.then_some(word))?;
            number.replace('_', ".")
        }
    };
    let percent: f64 = number.parse().ok()?;
    let is_one = (0.0..=100.0).contains(&percent);
    is_one.then(|| format!("q{percent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_have_many_names() {
        for (word, name) in [
            ("Avg", "mean"),
            ("97.5%", "q97.5"),
            ("p(99.9)", "q99.9"),
            ("p97_5", "q97.5"),
            ("p999", "q99.9"),
            ("p99.99", "q99.99"),
            ("99th", "q99"),
            ("50", "q50"),
            ("med", "q50"),
        ] {
            assert_eq!(statistic(word).as_deref(), Some(name), "{word}");
        }
        for word in ["", "p", "count", "250%", "path"] {
            assert_eq!(statistic(word), None, "{word}");
        }
        assert_eq!(unit("connect.mean"), Some(Unit::Milliseconds));
        assert_eq!(unit("nonsense"), None);
    }
}
