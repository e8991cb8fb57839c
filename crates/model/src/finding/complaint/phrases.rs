//! Phrases that complaints and failures share.

use std::time::Duration;

pub(super) fn no_local_port(ports: Option<u64>, time_wait: Option<u64>) -> String {
    let of = ports.map_or(String::new(), |ports| format!(" of {ports}"));
    let held = time_wait.map_or(String::new(), |count| {
        format!("; {count} connections that were closed hold theirs for a minute (TIME_WAIT)")
    });
    format!(
        "this machine has no free local port{of}{held}: keep connections open, send fewer requests, or widen net.ipv4.ip_local_port_range"
    )
}

pub(super) fn status(got: u16, expected: Option<u16>) -> String {
    let redirects = redirect(got);
    match (got, expected) {
        (_, Some(expected)) => format!("status {got}{redirects}, expected {expected}"),
        (_, None) if !redirects.is_empty() => {
            format!("status {got}{redirects}, {}", on_redirect(got))
        }
        (_, None) => format!("status {got}, expected one from 200 to 299"),
    }
}

/// Returns what to add to the status of a redirect.
pub(crate) fn redirect(status: u16) -> &'static str {
    match status {
        301 | 302 | 303 | 307 | 308 => " (a redirect)",
        _ => "",
    }
}

pub(crate) fn on_redirect(status: u16) -> String {
    format!(
        "and redirects are not followed: give the URL that it leads to (or --follow-redirects), or state the status (--expect-status {status}) to measure this response"
    )
}

/// Returns a time such as `250ms`.
pub(crate) fn span(seconds: f64) -> String {
    let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    format!("{time:?}")
}
