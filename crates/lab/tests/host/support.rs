//! What the tests of the host share.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use photofinish_host::{Host, Process, ProcessSpec};

/// What a test gives back.
pub type Outcome = Result<(), Failed>;

/// The environment variable by which a test finds all that its server started.
pub const MARK: &str = "PHOTOFINISH_TEST";

/// This test program.
pub fn this_program() -> PathBuf {
    std::env::current_exe().expect("Linux reports it")
}

/// An agent over standard input and output.
pub fn agent() -> std::process::ExitCode {
    let served = std::io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map(|output| {
            let cache = std::env::temp_dir();
            photofinish_host::agent::serve(
                std::io::stdin(),
                fs::File::from(output),
                &this_program(),
                &cache,
            )
        });
    match served {
        Ok(Ok(())) => std::process::ExitCode::SUCCESS,
        _ => std::process::ExitCode::FAILURE,
    }
}

/// This machine, with this program as the keeper.
pub fn host() -> Host {
    Host::local(this_program())
}

/// A value that no other test uses.
pub fn new_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

/// A folder and a server's spec in it.
pub struct Case {
    pub dir: tempfile::TempDir,
    pub mark: String,
    pub spec: ProcessSpec,
}

impl Case {
    /// A server that is this program with the words of a fixture.
    pub fn fixture(words: &[&str]) -> Case {
        let mut command = vec![this_program().display().to_string(), "__fixture".to_owned()];
        command.extend(words.iter().map(|w| (*w).to_owned()));
        Case::new(command)
    }

    /// A server that is a shell script.
    pub fn shell(script: &str) -> Case {
        Case::new(["sh", "-c", script].map(str::to_owned).to_vec())
    }

    /// A server that starts others, see [`family`].
    pub fn family() -> Case {
        let mut case = Case::new(Vec::new());
        case.spec = family(case.dir.path(), &case.mark);
        case
    }

    fn new(command: Vec<String>) -> Case {
        let dir = tempfile::tempdir().expect("there is room");
        let mark = new_mark();
        let spec = ProcessSpec {
            command,
            env: BTreeMap::from([(MARK.to_owned(), mark.clone().into())]),
            log: dir.path().join("log"),
            ..ProcessSpec::default()
        };
        Case { dir, mark, spec }
    }

    pub fn start(&self) -> Result<Process, Failed> {
        Ok(host().start(&self.spec)?)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.spec.log).unwrap_or_default()
    }
}

/// A server whose descendants are hard to find: one in a session of its own that ignores SIGTERM, one double-forked
/// daemon, and one that ended. When all are there, the log says `ready` thrice.
pub fn family(dir: &Path, mark: &str) -> ProcessSpec {
    let script = r#"
        setsid sh -c 'trap "" TERM; echo ready; while :; do sleep 1000; done' &
        (sh -c 'echo ready; exec sleep 1000' &)
        true
        echo ready
        exec sleep 1000"#;
    ProcessSpec {
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        env: BTreeMap::from([(MARK.to_owned(), mark.into())]),
        log: dir.join("log"),
        ..ProcessSpec::default()
    }
}

/// The processes whose environment holds a mark.
pub fn marked(mark: &str) -> Vec<u32> {
    let entry = format!("{MARK}={mark}");
    let has = |pid: &u32| {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|e| e.split(|&b| b == 0).any(|v| v == entry.as_bytes()))
    };
    let all = fs::read_dir("/proc").expect("Linux has it");
    all.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .filter(has)
        .collect()
}

/// Waits until something holds, far longer than it can take.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        if Instant::now() > deadline {
            return Err(format!("waited for 60 s until {what}").into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Waits until a log says `ready` so often.
pub fn until_ready(case: &Case, times: usize) -> Outcome {
    until("the server is ready", || {
        case.log().matches("ready").count() >= times
    })
}

/// Fields of `/proc/PID/stat` after the name, the state first.
pub fn stat(pid: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().map(str::to_owned).collect()
}

/// The value of a line of `/proc/PID/status`.
pub fn status(pid: u32, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    text.lines()
        .find_map(|l| Some(l.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned()))
}

/// Whether this process may make a cgroup below its own one.
pub fn groups_are_to_be_had() -> bool {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let below = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let made = |mount: &&str| {
        let folder = Path::new(mount)
            .join(below.unwrap_or_default())
            .join(format!("photofinish-test-{}", std::process::id()));
        let made = fs::create_dir(&folder).is_ok() && folder.join("cgroup.kill").exists();
        let _ = fs::remove_dir(&folder);
        made
    };
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        .iter()
        .any(|mount| below.is_some() && made(mount))
}

/// Where downloads are kept; what is unpacked stays there for the next time.
pub fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Whether a test that cannot be held here fails: in CI, and in `make test`.
pub fn must_be_held() -> bool {
    ["CI", "PHOTOFINISH_TEST_NO_SKIP"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
}
