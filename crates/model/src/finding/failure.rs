//! Why something was not measured: what became of a target that did not build, start, get ready or do its job, and of a
//! measurement that came to nothing.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::finding::check::Difference;
use crate::load::Load;

/// Why something was not measured. `says` is what others said of it: the system, a compiler, a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FailureFinding {
    /// As an older version recorded it: English sentences.
    Recorded {
        /// The sentences.
        says: String,
    },
    /// No reason was recorded.
    NoReason {},
    /// A tool that the target needs is not there in a version that fits.
    Tool {
        /// The tool.
        tool: String,
        /// The condition on its version.
        wanted: String,
        /// What was found where.
        found: String,
        /// What to install.
        remedy: String,
    },
    /// It did not build.
    Build {
        /// The target's label.
        target: String,
        /// How it failed.
        says: String,
        /// The command.
        command: String,
        /// The log.
        log: String,
        /// The log's last lines.
        last: Vec<String>,
    },
    /// Its server could not be started.
    Start {
        /// The command.
        command: String,
        /// Why.
        says: String,
    },
    /// Something failed between photofinish and the machine.
    Machine {
        /// What, as a fragment that follows 'failed to'.
        says: String,
    },
    /// A service that it needs failed.
    Service {
        /// What, as a fragment that follows 'failed to'.
        says: String,
    },
    /// A service that its workload names and that the study does not have.
    NoService {
        /// The service.
        service: String,
    },
    /// The port that it needs is taken.
    Port {
        /// The port.
        port: u16,
        /// The target's label.
        target: String,
        /// Who listens on it.
        holder: PortHolder,
    },
    /// Its server does not go as it should.
    Server {
        /// What became of it.
        fate: Fate,
        /// What it printed last.
        printed: Printed,
    },
    /// Its response is another one than was stated.
    Response {
        /// What is wrong with it.
        wrong: Wrong,
    },
    /// No load could be sent.
    Load {
        /// Why, as the load generator put it.
        says: String,
    },
    /// No good response came at a level.
    Silent {
        /// The level, and what is known.
        silence: Silence,
    },
    /// No good response came at a level, and then none to a single request either.
    Gone {
        /// The level, and what is known.
        silence: Silence,
        /// What the single request met.
        then: Box<FailureFinding>,
    },
    /// It failed to start in the two rounds before, and is not started again.
    GivenUp {
        /// The rounds in which it failed.
        rounds: [u32; 2],
    },
    /// A search for a capacity had no time for a single step.
    NoStep {},
}

impl FailureFinding {
    /// Reads what a result holds: an older version recorded sentences.
    ///
    /// # Errors
    /// Where it is neither text nor a finding.
    pub(crate) fn recorded<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<FailureFinding>, D::Error> {
        match Option::<Value>::deserialize(from)? {
            None => Ok(None),
            Some(Value::String(says)) => Ok(Some(FailureFinding::Recorded { says })),
            Some(finding) => serde_json::from_value(finding)
                .map(Some)
                .map_err(D::Error::custom),
        }
    }
}

/// Who listens on a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PortHolder {
    /// The process; 0 where this user may not see it.
    pub pid: u32,
    /// Its command line; empty where this user may not see it.
    pub command: String,
}

/// What a program printed last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Printed {
    /// The file that holds all of it.
    pub log: String,
    /// The last lines; none where it printed nothing.
    pub lines: Vec<String>,
}

/// What became of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// It took too long to be ready.
    NotReady {
        /// The target's bound in seconds.
        within_s: f64,
        /// What the last question met.
        why: NotReady,
    },
    /// It ended by itself.
    Ended {
        /// At which point of its life.
        when: When,
        /// Its exit status or signal.
        how: String,
        /// Whether it reported success: most likely it went into the background.
        well: bool,
    },
    /// Nobody can tell whether it lives.
    Lost {
        /// At which point of its life.
        when: When,
        /// Why, as a fragment that follows 'failed to'.
        says: String,
    },
    /// It gives no whole response.
    Silent {
        /// To what, and what came.
        wrong: Wrong,
    },
}

/// A point in the life of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// It was not ready yet.
    BeforeReady,
    /// It was being verified.
    Verified,
    /// Load was being sent.
    Loaded,
    /// Load had been sent.
    AfterLoad,
}

/// Why a server is not ready yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum NotReady {
    /// Nobody listens.
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        says: String,
    },
    /// It says that it cannot serve yet.
    Status {
        /// What was asked for.
        url: String,
        /// 500 or more.
        status: u16,
    },
    /// It gave no whole response.
    NoResponse {
        /// What was asked for.
        url: String,
        /// What came of it.
        met: NoResponse,
    },
}

/// Why a server was not verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "wrong", rename_all = "kebab-case")]
pub enum Wrong {
    /// No whole response came.
    Silent {
        /// What was asked for.
        request: String,
        /// What came of it.
        met: NoResponse,
    },
    /// The request cannot be built.
    Request {
        /// What should be asked for.
        request: String,
        /// Why, as the load generator put it.
        says: String,
    },
    /// Another status came than the one that was stated.
    Status {
        /// What was asked for.
        request: String,
        /// `null` = any from 200 to 399.
        expected: Option<u16>,
        /// What came.
        got: u16,
        /// The beginning of the body, escaped; empty where there was none.
        body: String,
        /// Whether more of the body followed.
        more: bool,
    },
    /// Another body came than the one that was stated.
    Body {
        /// What was asked for.
        request: String,
        /// The bytes that were stated.
        expected_bytes: u64,
        /// The bytes that came.
        got_bytes: u64,
        /// Where the two differ first.
        difference: Difference,
    },
    /// A body came that has not the stated shape, or an echo that differs.
    Shape {
        /// What was asked for.
        request: String,
        /// What is wrong with it, as the load generator put it.
        says: String,
    },
}

/// Why a single request met no whole response. `says` is what the system or a library said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "met", rename_all = "kebab-case")]
pub enum NoResponse {
    /// Nobody listens.
    Connect {
        /// What was said.
        says: String,
    },
    /// The request could not be sent.
    Send {
        /// What was said.
        says: String,
    },
    /// An echo's message could not be sent.
    SendMessage {
        /// What was said.
        says: String,
    },
    /// No TLS with the server.
    Tls {
        /// What was said, with what to do.
        says: String,
    },
    /// A TCP echo goes without TLS, but the target speaks TLS.
    EchoOverTls {},
    /// The server speaks no HTTP/2, or not as it should.
    Http2 {
        /// What was said.
        says: String,
    },
    /// No WebSocket was opened, or it broke.
    #[serde(rename = "websocket")]
    WebSocket {
        /// What was said.
        says: String,
    },
    /// It took too long.
    Late {
        /// The bound in seconds.
        within_s: f64,
        /// The bytes that had come by then.
        bytes: u64,
    },
    /// It is larger than anything that is compared.
    TooLarge {
        /// The bound in MiB.
        mib: u64,
    },
    /// The user interrupted.
    Interrupted {},
    /// The connection broke.
    Read {
        /// The bytes that had come by then.
        bytes: u64,
        /// What was said.
        says: String,
    },
    /// The server closed the connection.
    Closed {
        /// The bytes that had come by then.
        bytes: u64,
    },
    /// More came than the response.
    Extra {
        /// Bytes beyond it.
        bytes: u64,
        /// Whether it was an echo.
        echo: bool,
    },
    /// It is no HTTP.
    NotHttp {
        /// Its first line.
        line: String,
    },
    /// Its `Content-Length` is no length, or a very large one.
    ContentLength {
        /// What it says.
        says: String,
    },
    /// A chunk's length is no length, or a very large one.
    ChunkLength {
        /// What it says.
        says: String,
    },
    /// A chunk does not end where it should.
    LongChunk {},
}

/// A level at which not one good response came in the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Silence {
    /// How long the window was, in seconds.
    pub window_s: f64,
    /// The workload.
    pub workload: String,
    /// The level.
    pub load: Load,
    /// What else is known.
    pub why: Unanswered,
}

/// What is known of requests to which no good response came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Unanswered {
    /// What went wrong first.
    Error {
        /// As the load generator put it.
        says: String,
    },
    /// Every request was sent before the window, and its response came after it.
    Later {},
    /// Nothing.
    Nothing {},
}

impl NoResponse {
    /// Nobody listens, or no way leads there.
    pub fn connect(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::Connect { says }
    }

    /// The request could not be sent.
    pub fn send(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::Send { says }
    }

    /// An echo's message could not be sent.
    pub fn send_message(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::SendMessage { says }
    }

    /// The server speaks no HTTP/2, or not as it should.
    pub fn http2(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::Http2 { says }
    }

    /// No TLS with the server.
    pub fn tls(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::Tls { says }
    }

    /// No WebSocket was opened, or it broke.
    pub fn websocket(error: impl ToString) -> NoResponse {
        let says = error.to_string();
        NoResponse::WebSocket { says }
    }
}
