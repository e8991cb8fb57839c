//! A failure of every kind.

use crate::finding::asked::Asked;
use crate::finding::complaint::{
    Complaint, GrpcComplaint, Http1Violation, Http2Complaint, TlsFailure,
};
use crate::finding::failure::Difference;
use crate::finding::failure::*;
use crate::*;

/// A failure of every kind, each with arguments that no other has.
pub fn failures() -> Vec<FailureFinding> {
    let text = str::to_owned;
    let printed = || Printed {
        log: text("logs/b-round-1.log"),
        lines: vec![
            text("java.net.BindException"),
            text("\tat Main.main(Main.java)"),
        ],
    };
    let silence = |why| Silence {
        window_s: 5.0,
        workload: text(samples::WORKLOAD),
        load: samples::CLOSED_100,
        why,
    };
    let request = || Box::new(Asked::get("/plaintext"));
    let silent = |met| Wrong::Silent {
        request: request(),
        met,
    };
    let mets = [
        NoResponse::connect("Connection refused (os error 111)"),
        NoResponse::send("Broken pipe (os error 32)"),
        NoResponse::send_message("Broken pipe (os error 32)"),
        NoResponse::http2(Http2Complaint::Reset { error: 6 }),
        NoResponse::websocket(Complaint::said("HTTP error: 404 Not Found")),
        NoResponse::grpc(GrpcComplaint::NoStatus {}),
        NoResponse::tls(TlsFailure::Versions {}),
        NoResponse::Late {
            within_s: 1.5,
            bytes: 12,
        },
        NoResponse::TooLarge { mib: 64 },
        NoResponse::Interrupted {},
        NoResponse::Read {
            bytes: 40,
            says: text("Connection reset by peer (os error 104)"),
        },
        NoResponse::Closed { bytes: 41 },
        NoResponse::Extra {
            bytes: 3,
            echo: false,
        },
        NoResponse::Extra {
            bytes: 4,
            echo: true,
        },
        NoResponse::NotHttp {
            line: text("SSH-2.0-OpenSSH"),
        },
        NoResponse::http1(Http1Violation::LongChunk),
    ];
    let unbuilt = |why| Wrong::Request {
        request: request(),
        why,
    };
    let wrongs = [
        unbuilt(RequestFault::Word {
            part: RequestPart::Method,
            value: text("GE T"),
        }),
        unbuilt(RequestFault::Word {
            part: RequestPart::Path,
            value: text("/a b"),
        }),
        unbuilt(RequestFault::Word {
            part: RequestPart::HeaderName,
            value: text("x y"),
        }),
        unbuilt(RequestFault::Length {
            stated: text("3"),
            body: Some(5),
        }),
        unbuilt(RequestFault::Length {
            stated: text("3"),
            body: None,
        }),
        unbuilt(RequestFault::TwoLengths {}),
        unbuilt(RequestFault::Coding {}),
        unbuilt(RequestFault::Value {
            name: text("x-a"),
            value: text("a\nb"),
        }),
        Wrong::Status {
            request: request(),
            expected: None,
            got: 404,
            body: text("<html>"),
            more: true,
        },
        Wrong::Status {
            request: request(),
            expected: Some(201),
            got: 200,
            body: String::new(),
            more: false,
        },
        Wrong::Login {
            request: request(),
            name: text("token"),
            from: text("json:/access_token"),
            body: text("{\\\"error\\\":"),
            more: true,
        },
        Wrong::LoginSize {
            request: request(),
            name: Some(text("token")),
            bytes: 20_000,
            most: 16_384,
        },
        Wrong::LoginSize {
            request: request(),
            name: None,
            bytes: 123_456_789,
            most: 16_777_216,
        },
        Wrong::Body {
            request: request(),
            expected_bytes: 13,
            got_bytes: 12,
            difference: Difference {
                offset: 7,
                expected: text("World!"),
                got: text("world"),
            },
        },
        Wrong::Redirect {
            request: request(),
            why: Unfollowed::Elsewhere {
                to: text("https://other.example/x"),
            },
        },
        Wrong::Redirect {
            request: request(),
            why: Unfollowed::Nowhere { status: 302 },
        },
        Wrong::Redirect {
            request: request(),
            why: Unfollowed::TooMany { most: 20 },
        },
        Wrong::Shape {
            request: request(),
            why: Complaint::said("expected 2 rows, got 1"),
        },
    ];
    let url = || text("http://127.0.0.1:8080/");
    let fates = [
        Fate::NotReady {
            within_s: 20.0,
            why: NotReady::Connect {
                address: text("127.0.0.1:8080"),
                says: text("Connection refused (os error 111)"),
            },
        },
        Fate::NotReady {
            within_s: 0.03,
            why: NotReady::Status {
                url: url(),
                status: 503,
            },
        },
        Fate::NotReady {
            within_s: 30.0,
            why: NotReady::NoResponse {
                url: url(),
                met: NoResponse::Closed { bytes: 0 },
            },
        },
        Fate::Ended {
            when: When::BeforeReady,
            how: text("exit status 0"),
            well: true,
        },
        Fate::Ended {
            when: When::Loaded,
            how: text("signal 9 (SIGKILL)"),
            well: false,
        },
        Fate::Lost {
            when: When::Verified,
            why: Box::new(FailureFinding::Unreachable {
                machine: text("the server's machine"),
                says: text("its agent is gone"),
            }),
        },
        Fate::Lost {
            when: When::AfterLoad,
            why: Box::new(FailureFinding::Machine {
                says: text("read /proc/4711/stat: no such process"),
            }),
        },
    ];
    let holder = |pid, command| FailureFinding::Port {
        port: 8080,
        target: text("b"),
        holder: PortHolder {
            pid,
            command: text(command),
        },
    };
    let socket = FailureFinding::Socket {
        path: text("/run/app.sock"),
        target: text("b"),
        holder: PortHolder {
            pid: 4711,
            command: text("nginx -g daemon"),
        },
    };
    let others = [
        socket,
        FailureFinding::NoReason {},
        FailureFinding::Tool {
            tool: text("a JDK"),
            wanted: text(">=21"),
            found: text("/usr/bin/java is 17"),
            remedy: text("install one that fits"),
        },
        FailureFinding::Build {
            target: text("b"),
            says: text("exit status 2"),
            command: text("make all"),
            log: text("logs/b-build.log"),
            last: vec![text("main.c: error: expected ';'")],
        },
        FailureFinding::Image {
            target: text("b"),
            image: text("docker.io/library/nonesuch:1"),
            says: text("exit status 125"),
            log: text("logs/b-image.log"),
            last: vec![text("Error: manifest unknown")],
        },
        FailureFinding::Start {
            command: text("nonesuch --port"),
            says: text("no such program: nonesuch"),
        },
        FailureFinding::Around {
            around: Around::Prepare,
            command: text("sh -c './fill-database'"),
            fate: AroundFate::Ended {
                how: text("exit status 3"),
            },
            printed: printed(),
        },
        FailureFinding::Around {
            around: Around::Cleanup,
            command: text("sh -c './drop-database'"),
            fate: AroundFate::TooLong { within_s: 1200.0 },
            printed: printed(),
        },
        FailureFinding::Machine {
            says: text("make a folder for temporary files: no space left"),
        },
        FailureFinding::Service {
            says: text("connect to the service db: refused"),
        },
        FailureFinding::NoService {
            service: text("db"),
        },
        holder(0, ""),
        holder(4711, ""),
        holder(4711, "nginx -g daemon"),
        FailureFinding::Server {
            fate: Fate::Ended {
                when: When::Verified,
                how: text("exit status 3"),
                well: false,
            },
            printed: Printed {
                lines: Vec::new(),
                ..printed()
            },
        },
        FailureFinding::Silent {
            silence: silence(Unanswered::Error {
                first: Complaint::said("connection refused"),
            }),
        },
        FailureFinding::Silent {
            silence: silence(Unanswered::Later {}),
        },
        FailureFinding::Gone {
            silence: silence(Unanswered::Nothing {}),
            then: Box::new(FailureFinding::Server {
                fate: Fate::Silent {
                    wrong: silent(NoResponse::http1(Http1Violation::LongChunk)),
                },
                printed: printed(),
            }),
        },
        FailureFinding::NoContest {
            different_jobs: true,
        },
        FailureFinding::GivenUp { rounds: [1, 2] },
        FailureFinding::NoStep {},
    ];
    let server = |fate| FailureFinding::Server {
        fate,
        printed: printed(),
    };
    let response = |wrong| FailureFinding::Response { wrong };
    others
        .into_iter()
        .chain(machines())
        .chain(loads().map(|why| FailureFinding::Load { why }))
        .chain(services())
        .chain(fates.map(server))
        .chain(wrongs.map(response))
        .chain(mets.map(|met| server(Fate::Silent { wrong: silent(met) })))
        .collect()
}

/// Those of the load generator.
fn loads() -> impl Iterator<Item = LoadTrouble> {
    let says = || "Too many open files (os error 24)".to_owned();
    let parts = [
        LoadPart::Connection,
        LoadPart::Poll,
        LoadPart::Timer,
        LoadPart::Thread,
        LoadPart::Files,
    ];
    [
        LoadTrouble::Connect {
            address: "127.0.0.1:8080".to_owned(),
            kind: "connect-refused".to_owned(),
            why: Complaint::said("Connection refused (os error 111)"),
        },
        LoadTrouble::Connect {
            address: "127.0.0.1:8080".to_owned(),
            kind: "tls-not-spoken".to_owned(),
            why: Complaint::from(TlsFailure::PlainHttp {}),
        },
        LoadTrouble::Files {
            needed: 300,
            allowed: 256,
        },
        LoadTrouble::Pin {
            cpu: 7,
            says: "Invalid argument (os error 22)".to_owned(),
        },
        LoadTrouble::Request {
            why: RequestFault::Bounds { low: 5, high: 1 },
        },
        LoadTrouble::NoIssuers {},
        LoadTrouble::Settings {
            says: "a rate of 0 sends nothing".to_owned(),
        },
        LoadTrouble::FewConnections {
            connections: 1,
            generators: 2,
        },
        LoadTrouble::FewRequests {
            requests: 1,
            generators: 3,
        },
        LoadTrouble::Apart { tries: 4 },
        LoadTrouble::Broken {},
    ]
    .into_iter()
    .chain(parts.map(|what| LoadTrouble::System { what, says: says() }))
}

/// Those of machines.
fn machines() -> Vec<FailureFinding> {
    let text = str::to_owned;
    vec![
        FailureFinding::Unreachable {
            machine: text("b"),
            says: text("ssh: connect to host b port 22: Connection refused"),
        },
        FailureFinding::Elsewhere {
            machine: text("b"),
            says: text("write /tmp/x: No space left on device"),
        },
        FailureFinding::NoPort {
            says: text("Address already in use (os error 98)"),
        },
        FailureFinding::NoTemporaryFolder {
            says: text("No space left on device (os error 28)"),
        },
        FailureFinding::Unkillable {
            processes: text("process 12 (java)"),
            seconds: 5,
        },
    ]
}

/// Those of services.
fn services() -> Vec<FailureFinding> {
    let text = str::to_owned;
    let start = |fate| ServiceTrouble::Start {
        database: StartedDatabase {
            title: text("PostgreSQL"),
            version: text("17.5"),
            origin: text("/usr/bin/postgres"),
            service: text("db"),
        },
        fate,
        printed: Printed {
            log: text("logs/service-db.log"),
            lines: vec![text("FATAL: out of memory")],
        },
    };
    let all = [
        ServiceTrouble::Programs {
            service: text("db"),
            title: text("PostgreSQL"),
            wanted: text(">=17"),
            found: text("/usr/bin/postgres is 15.14"),
            remedy: text("install one that fits"),
        },
        ServiceTrouble::Fetch {
            service: text("db"),
            artifact: text("io.zonky.test.postgres:binaries:17.5"),
            says: text("status 404"),
        },
        start(DatabaseFate::SetUp {
            how: text("exit status 1"),
        }),
        start(DatabaseFate::SetUpTooLong { within_s: 60.0 }),
        start(DatabaseFate::NotReady {
            within_s: 60.0,
            says: text("connection refused"),
        }),
        start(DatabaseFate::Ended {
            how: text("signal 9 (SIGKILL)"),
        }),
        start(DatabaseFate::Refused {
            says: text("permission denied to create database"),
        }),
        ServiceTrouble::Connect {
            service: text("db"),
            place: text("user@127.0.0.1:5432/db"),
            says: text("password authentication failed"),
        },
        ServiceTrouble::Sql {
            service: text("db"),
            file: text("schema.sql"),
            line: 3,
            says: text("syntax error at or near"),
        },
        ServiceTrouble::Rows {
            service: text("db"),
            table: text("b"),
            expected: 12,
            found: 11,
        },
    ];
    let failure = |why| FailureFinding::NotServed { why };
    all.into_iter().map(failure).collect()
}
