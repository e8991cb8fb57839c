//! How a Java virtual machine is asked for something: over the socket that it opens when it is asked to.
//!
//! It opens `/tmp/.java_pidN` once it gets SIGQUIT while there is a file `/tmp/.attach_pidN`; a question is the protocol's version and four
//! words, each ended by a zero byte, and the response a line with a code and the rest. `jcmd` does the same, and is no part of a JRE.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::folded::frame as plain;
use rustix::process::{Pid, Signal, kill_process};

use super::{NoJava, TMP, file};

/// How long a machine may take to open its socket: it does so at once, unless it is stopped or starved.
const OPEN_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the socket is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long a response may take: the agent reads the symbols of all libraries when it first begins.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
/// The most bytes of a response that are read.
const MAX_RESPONSE_BYTES: u64 = 64 << 10;
const VERSION: &str = "1";

/// Fails if a machine was started so that it cannot be asked. To find that out by asking would have it print all its threads' stacks.
pub(super) fn allowed(pid: u32) -> Result<(), NoJava> {
    const DISABLE_FLAG: &str = "-XX:+DisableAttachMechanism";
    const FLAG_VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS=", "_JAVA_OPTIONS=", "JDK_JAVA_OPTIONS="];
    let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let (command, variables) = (read("cmdline"), read("environ"));
    let command = String::from_utf8_lossy(&command);
    let variables = String::from_utf8_lossy(&variables);
    let of_java = |word: &&str| FLAG_VARIABLES.iter().any(|name| word.starts_with(name));
    let mut options = variables.split('\0').filter(of_java);
    match command.split('\0').any(|word| word == DISABLE_FLAG)
        || options.any(|words| words.contains(DISABLE_FLAG))
    {
        true => Err(NoJava::Forbidden { pid }),
        false => Ok(()),
    }
}

/// Asks, and returns what stands behind the code.
pub(super) fn ask(pid: u32, words: [&str; 4]) -> Result<String, NoJava> {
    let path = socket(pid)?;
    let failed = |verb| file(pid, verb, &path);
    let mut socket = UnixStream::connect(&path).map_err(failed("connect to"))?;
    (socket.set_read_timeout(Some(RESPONSE_TIMEOUT)))
        .and_then(|()| socket.set_write_timeout(Some(RESPONSE_TIMEOUT)))
        .map_err(failed("use"))?;
    let mut question = Vec::new();
    for word in [VERSION].iter().chain(&words) {
        question.extend(word.bytes());
        question.push(0);
    }
    socket.write_all(&question).map_err(failed("write to"))?;
    let mut bytes = Vec::new();
    let read = socket.take(MAX_RESPONSE_BYTES).read_to_end(&mut bytes);
    read.map_err(failed("read"))?;
    let response = String::from_utf8_lossy(&bytes);
    match response.split_once('\n') {
        Some(("0", rest)) => Ok(rest.to_owned()),
        _ => {
            let why = response.lines().nth(1).unwrap_or("it gives no reason");
            Err(refused(pid, &plain(why)))
        }
    }
}

/// The socket of a machine, which opens it if there is none yet.
fn socket(pid: u32) -> Result<PathBuf, NoJava> {
    let status = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&status).map_err(file(pid, "read", Path::new(&status)))?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let own = |kind: &str| fs::read_link(format!("/proc/{kind}/ns/mnt")).ok();
    if own("self") != own(&pid.to_string()) {
        return Err(refused(pid, "it has another file system (a container's)"));
    }
    // By the number that it has for itself, which is the last one.
    let number = field("NSpid:").and_then(|all| all.split_whitespace().last());
    let number = number.map_or_else(|| pid.to_string(), str::to_owned);
    let path = Path::new(TMP).join(format!(".java_pid{number}"));
    if opened(pid, &path) {
        return Ok(path);
    }
    let caught = field("SigCgt:").and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let handles = caught.is_some_and(|mask| mask >> (Signal::QUIT.as_raw() - 1) & 1 == 1);
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let (true, Some(process)) = (handles, process) else {
        // One that does not handle the signal would be ended by it.
        return Err(refused(
            pid,
            "it does not handle SIGQUIT, by which it is asked to",
        ));
    };
    let wish = Path::new(TMP).join(format!(".attach_pid{number}"));
    File::create(&wish).map_err(file(pid, "write", &wish))?;
    let asked = kill_process(process, Signal::QUIT);
    let deadline = Instant::now() + OPEN_TIMEOUT;
    while asked.is_ok() && !opened(pid, &path) && Instant::now() < deadline {
        thread::sleep(POLL_INTERVAL);
    }
    let _ = fs::remove_file(&wish);
    asked.map_err(|error| file(pid, "signal", Path::new("SIGQUIT"))(error.into()))?;
    match opened(pid, &path) {
        true => Ok(path),
        false => Err(refused(pid, "it opens no socket")),
    }
}

/// Whether there is a socket that the process itself has opened, and nobody else in its name.
fn opened(pid: u32, path: &Path) -> bool {
    let owner = |path: &Path| fs::symlink_metadata(path).ok().map(|about| about.uid());
    let process = owner(Path::new(&format!("/proc/{pid}")));
    process.is_some() && owner(path) == process
}

fn refused(pid: u32, says: &str) -> NoJava {
    NoJava::Refused {
        pid,
        says: says.to_owned(),
    }
}
