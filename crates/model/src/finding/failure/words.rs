//! The sentences of failures.

use std::fmt;

use crate::finding::failure::{
    Around, AroundFate, Difference, FailureFinding, Fate, LoadTrouble, NoResponse, NotReady,
    PortHolder, Printed, RequestFault, ServiceTrouble, Silence, StartedDatabase, Unanswered, When,
    Wrong,
};

use crate::finding::complaint::words::{complaint, on_redirect, redirect, span};

mod sending;
mod service;

use sending::{fault, no_load};
use service::{database, trouble};

fn finding(finding: &FailureFinding) -> String {
    match finding {
        FailureFinding::NoReason {} => "no reason was recorded".to_owned(),
        FailureFinding::Tool {
            tool,
            wanted,
            found,
            remedy,
        } => format!("failed to find {tool} {wanted}: {found}; {remedy}"),
        FailureFinding::Build {
            target,
            says,
            command,
            log,
            last,
        } => format!(
            "failed to build {target}: {says}\n  command: {command}\n  log: {log}{}",
            tail(last)
        ),
        FailureFinding::Image {
            target,
            image,
            says,
            log,
            last,
        } => format!(
            "failed to pull {image}, the image of {target}: {says}; see that its name is right and begins with its registry, such as docker.io/library/, and that the servers' machine reaches it; or pull or build it there before the run\n  log: {log}{}",
            tail(last)
        ),
        FailureFinding::Start { command, says } => format!("failed to start {command}: {says}"),
        FailureFinding::Around {
            around,
            command,
            fate,
            printed,
        } => format!(
            "{}{}",
            around_failed(*around, command, fate),
            self::printed(printed)
        ),
        FailureFinding::Machine { says } | FailureFinding::Service { says } => {
            format!("failed to {says}")
        }
        FailureFinding::Unreachable { machine, says } => {
            format!("failed to reach {machine}: {says}")
        }
        FailureFinding::Elsewhere { machine, says } => format!("failed to {says} (on {machine})"),
        FailureFinding::NoPort { says } => format!("failed to find a free TCP port: {says}"),
        FailureFinding::NoTemporaryFolder { says } => {
            format!("failed to make a folder for temporary files: {says}")
        }
        FailureFinding::Unkillable { processes, seconds } => format!(
            "failed to end {processes}: still there {seconds} s after SIGKILL; end them by hand before the next run"
        ),
        FailureFinding::NotServed { why } => format!("failed to {}", trouble(why)),
        FailureFinding::NoService { service } => format!("there is no service {service}"),
        FailureFinding::Port {
            port,
            target,
            holder,
        } => format!(
            "port {port}, which {target} needs, is taken by {}; end that, or give the target another port",
            self::holder(holder)
        ),
        FailureFinding::Socket {
            path,
            target,
            holder,
        } => format!(
            "the Unix socket {path}, on which {target} listens, is taken by {}; end that, or give the target another path",
            self::holder(holder)
        ),
        FailureFinding::Server { fate, printed } => {
            format!("the server {}{}", self::fate(fate), self::printed(printed))
        }
        FailureFinding::Response { wrong } => self::wrong(wrong),
        FailureFinding::Load { why } => format!("failed to send load: {}", no_load(why)),
        FailureFinding::Silent { silence } => self::silence(silence),
        FailureFinding::Gone { silence, then } => {
            format!("{}; then {}", self::silence(silence), self::finding(then))
        }
        FailureFinding::NoContest {
            different_jobs: true,
        } => "not measured: the servers' responses differ, so they cannot be compared; if they may, state in what they must be alike: --same json, --same \
             status or --expect-contains TEXT".to_owned(),
        FailureFinding::NoContest {
            different_jobs: false,
        } => "not measured: no other server is up to compare it with".to_owned(),
        FailureFinding::GivenUp { rounds: [a, b] } => format!(
            "not started again: it failed to start in rounds {a} and {b}; once that is fixed, --resume measures what is missing"
        ),
        FailureFinding::NoStep {} => "the search had no time for a single step".to_owned(),
    }
}

/// Writes errors as their sentences.
macro_rules! display {
    ($($what:ty: $function:path;)+) => {$(
        impl fmt::Display for $what {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(&$function(self))
            }
        }
    )+};
}

display! {
    FailureFinding: finding;
    LoadTrouble: no_load;
    NoResponse: no_response;
    PortHolder: holder;
    Printed: printed;
    RequestFault: fault;
    ServiceTrouble: trouble;
    StartedDatabase: database;
    Wrong: wrong;
}

impl FailureFinding {
    /// Returns its sentence where there is room for one line.
    pub fn in_a_line(&self) -> String {
        in_a_line(self)
    }
}

/// The same where there is room for one line, without what a program printed and where that stands.
fn in_a_line(finding: &FailureFinding) -> String {
    match finding {
        FailureFinding::Server { fate, printed } if !printed.lines.is_empty() => {
            format!("the server {}", self::fate(fate))
        }
        FailureFinding::Around {
            around,
            command,
            fate,
            printed,
        } if !printed.lines.is_empty() => around_failed(*around, command, fate),
        FailureFinding::Gone { silence, then } => {
            format!("{}; then {}", self::silence(silence), in_a_line(then))
        }
        other => {
            let says = self::finding(other);
            says.lines().next().unwrap_or_default().to_owned()
        }
    }
}

/// Who listens on a port.
fn holder(holder: &PortHolder) -> String {
    match (holder.pid, holder.command.as_str()) {
        (0, _) => "a process of another user or container".to_owned(),
        (pid, "") => format!("process {pid}"),
        (pid, command) => format!("process {pid} ({command})"),
    }
}

/// What was run around a server, and how that failed.
fn around_failed(around: Around, command: &str, fate: &AroundFate) -> String {
    let which = match around {
        Around::Prepare => "before its start",
        Around::Cleanup => "after its stop",
    };
    let fate = match fate {
        AroundFate::Ended { how } => format!("failed ({how})"),
        AroundFate::TooLong { within_s } => format!("did not end within {}", span(*within_s)),
    };
    format!("the `{}` command {which} {fate}: {command}", around.name())
}

/// Completes 'the server …'.
fn fate(fate: &Fate) -> String {
    match fate {
        Fate::NotReady { within_s, why } => {
            format!(
                "was not ready within {}: {}",
                span(*within_s),
                not_ready(why)
            )
        }
        Fate::Ended { when, how, well } => {
            let but = match well {
                true => ", though its command must stay in the foreground while it serves",
                false => "",
            };
            format!("ended {} ({how}){but}", self::when(*when))
        }
        Fate::Lost { when, why } => {
            format!("was lost {}: {}", self::when(*when), finding(why))
        }
        Fate::Silent { wrong } => format!("did not respond: {}", self::wrong(wrong)),
    }
}

fn when(when: When) -> &'static str {
    match when {
        When::BeforeReady => "before it was ready",
        When::Verified => "when it was verified",
        When::Loaded => "while load was sent",
        When::AfterLoad => "after load was sent",
    }
}

fn not_ready(why: &NotReady) -> String {
    match why {
        NotReady::Connect { address, says } => format!("connect to {address}: {says}"),
        NotReady::Status { url, status } => format!("GET {url}: status {status}"),
        NotReady::NoResponse { url, met } => format!("GET {url}: {}", no_response(met)),
    }
}

/// Why a server was not verified: it begins with the request.
fn wrong(wrong: &Wrong) -> String {
    let (Wrong::Silent { request, .. }
    | Wrong::Request { request, .. }
    | Wrong::Status { request, .. }
    | Wrong::Body { request, .. }
    | Wrong::Login { request, .. }
    | Wrong::LoginSize { request, .. }
    | Wrong::Shape { request, .. }) = wrong;
    let request = request.message().en;
    match wrong {
        Wrong::Silent { met, .. } => format!("{request}: {}", no_response(met)),
        Wrong::Request { why, .. } => format!("{request}: {}", fault(why)),
        Wrong::Shape { why, .. } => format!("{request}: {}", complaint(why)),
        Wrong::Status {
            expected: None,
            got: got @ 300..=399,
            ..
        } => format!(
            "{request}: got status {got}{}, {}",
            redirect(*got),
            on_redirect(*got)
        ),
        Wrong::Status {
            expected,
            got,
            body,
            more,
            ..
        } => {
            let expected = expected.map_or_else(
                || "a status from 200 to 299".to_owned(),
                |status| format!("status {status}"),
            );
            let body = match body.as_str() {
                "" => "nothing".to_owned(),
                body => format!("\"{body}\"{}", if *more { "…" } else { "" }),
            };
            format!("{request}: expected {expected}, got {got} with the body {body}")
        }
        Wrong::Login {
            name,
            from,
            body,
            more,
            ..
        } => {
            let more = if *more { "…" } else { "" };
            let body = match body.is_empty() {
                true => "it has no body".to_owned(),
                false => format!("its body begins with \"{body}\"{more}"),
            };
            format!(
                "{request}: the response has nothing at {from}, from which {{login.{name}}} is taken; {body}"
            )
        }
        Wrong::LoginSize {
            name: Some(name),
            bytes,
            most,
            ..
        } => format!(
            "{request}: {{login.{name}}} would be {bytes} bytes long; at most {most} can be sent"
        ),
        Wrong::LoginSize {
            name: None,
            bytes,
            most,
            ..
        } => format!(
            "{request}: with what is taken from its response all requests together are {bytes} bytes long; at most {most} can be sent"
        ),
        Wrong::Body {
            expected_bytes,
            got_bytes,
            difference,
            ..
        } => format!(
            "{request}: wrong body: expected {expected_bytes} bytes, got {got_bytes}; {}",
            self::difference(difference)
        ),
    }
}

fn no_response(met: &NoResponse) -> String {
    match met {
        NoResponse::Connect { says } => format!("connect: {says}"),
        NoResponse::Send { says } => format!("send the request: {says}"),
        NoResponse::SendMessage { says } => format!("send the message: {says}"),
        NoResponse::Tls { why } => complaint(why),
        NoResponse::EchoOverTls {} => {
            "a TCP echo does not use TLS, but the target does: remove its [tls]".to_owned()
        }
        NoResponse::Http2 { why } => {
            let says = complaint(why);
            format!("HTTP/2: {says}; does the server speak HTTP/2 on this port?")
        }
        NoResponse::WebSocket { why } => {
            let says = complaint(why);
            format!("WebSocket: {says}; does the server open one at this path?")
        }
        NoResponse::Grpc { why } => format!("gRPC: {}", complaint(why)),
        NoResponse::Late { within_s, bytes } => format!(
            "no complete response within {}; {bytes} bytes had arrived",
            span(*within_s)
        ),
        NoResponse::TooLarge { mib } => format!("the response is larger than {mib} MiB"),
        NoResponse::Interrupted {} => "interrupted".to_owned(),
        NoResponse::Read { bytes, says } => {
            format!("read the response after {bytes} bytes: {says}")
        }
        NoResponse::Closed { bytes } => format!(
            "the server closed the connection after {bytes} bytes, before the response was complete"
        ),
        NoResponse::Extra { bytes, echo } => {
            let of = if *echo { "echo" } else { "response" };
            let what = if *bytes == 1 { "byte" } else { "bytes" };
            format!("{bytes} unsolicited {what} came after the complete {of}")
        }
        NoResponse::NotHttp { line } => {
            format!("the response is not HTTP/1: it begins with {line:?}")
        }
        NoResponse::Http1 { why } => complaint(why),
    }
}

fn silence(silence: &Silence) -> String {
    let why = match &silence.why {
        Unanswered::Error { first } => complaint(first),
        Unanswered::Later {} => {
            "responses arrived only after that; measure for longer than a response takes (`duration`)"
                .to_owned()
        }
        Unanswered::Nothing {} => "no response arrived".to_owned(),
    };
    format!(
        "no good response in {:.1} s of {} at {}: {why}",
        silence.window_s,
        silence.workload,
        silence.load.label()
    )
}

fn printed(Printed { log, lines }: &Printed) -> String {
    match lines.as_slice() {
        // What others have started prints elsewhere.
        [] if log.is_empty() => String::new(),
        [] => "; it printed nothing".to_owned(),
        lines => format!("; its last lines ({log}):{}", tail(lines)),
    }
}

/// A log's last lines, indented below a message.
fn tail(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n    | {line}")).collect()
}

/// Where two bodies differ first.
fn difference(difference: &Difference) -> String {
    let Difference {
        offset,
        expected,
        got,
    } = difference;
    let quoted = |text: &str| match text {
        "" => "nothing".to_owned(),
        text => text.to_owned(),
    };
    format!(
        "they differ first at offset {offset}: expected {}, got {}",
        quoted(expected),
        quoted(got)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_line_a_failure_is_without_what_was_printed() {
        let ended = |lines: &[&str]| FailureFinding::Server {
            fate: Fate::Ended {
                when: When::BeforeReady,
                how: "exit status 2".to_owned(),
                well: false,
            },
            printed: Printed {
                log: "logs/b-round-1.log".to_owned(),
                lines: lines.iter().map(|&line| line.to_owned()).collect(),
            },
        };
        assert_eq!(
            in_a_line(&ended(&["no such file", "bye"])),
            "the server ended before it was ready (exit status 2)"
        );
        assert_eq!(
            in_a_line(&ended(&[])),
            "the server ended before it was ready (exit status 2); it printed nothing"
        );
    }

    #[test]
    fn a_command_around_a_server_is_named_with_how_it_failed() {
        let failed = |around, fate, lines: &[&str]| FailureFinding::Around {
            around,
            command: "sh -c ./fill".to_owned(),
            fate,
            printed: Printed {
                log: "logs/b-round-1.log".to_owned(),
                lines: lines.iter().map(|&line| line.to_owned()).collect(),
            },
        };
        let ended = || AroundFate::Ended {
            how: "exit status 3".to_owned(),
        };
        assert_eq!(
            finding(&failed(Around::Prepare, ended(), &["no database"])),
            "the `prepare` command before its start failed (exit status 3): sh -c ./fill; its last lines (logs/b-round-1.log):\n    | no database"
        );
        assert_eq!(
            in_a_line(&failed(Around::Prepare, ended(), &["no database"])),
            "the `prepare` command before its start failed (exit status 3): sh -c ./fill"
        );
        let long = AroundFate::TooLong { within_s: 1200.0 };
        assert_eq!(
            finding(&failed(Around::Cleanup, long, &[])),
            "the `cleanup` command after its stop did not end within 1200s: sh -c ./fill; it printed nothing"
        );
    }

    #[test]
    fn a_holder_reads_as_a_phrase() {
        let says = |pid, command: &str| {
            holder(&PortHolder {
                pid,
                command: command.to_owned(),
            })
        };
        assert_eq!(says(12, "java -jar a.jar"), "process 12 (java -jar a.jar)");
        assert_eq!(says(12, ""), "process 12");
        assert_eq!(says(0, ""), "a process of another user or container");
    }
}
