//! A host whose servers are threads of this process.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use photofinish_model::Address;
use photofinish_model::finding::failure::PortHolder;
use photofinish_model::version::VersionReq;
use photofinish_profile::{SampleClock, Sampled, Stacks};

use photofinish_host::{
    CoreTimes, Error, Files, Host, Machine, MachineSample, Process, ProcessSpec, ThisMachine,
    Tools, Usage,
};

/// What is known of a fake server from outside.
#[derive(Debug, Default)]
pub(crate) struct FakeServer {
    /// How it ended, if it has.
    pub(crate) exited: Mutex<Option<String>>,
    pub(crate) stopped: AtomicBool,
    /// Whether it is stopped for a while.
    pub(crate) frozen: AtomicBool,
    /// What its clock shows.
    pub(crate) cpu: Mutex<Duration>,
    /// At how many looks at its clock it still works.
    pub(crate) works: AtomicU32,
    /// Whether its response to `/stuck` is an error.
    pub(crate) stuck: AtomicBool,
    /// Whether its stacks may not be sampled.
    pub(crate) forbidden: Mutex<bool>,
    /// The cores that its compilers were to use, one after another.
    pub(crate) placed: Mutex<Vec<Vec<usize>>>,
    /// The stacks in which it was found.
    stacks: Mutex<Stacks>,
    port: AtomicU32,
    samples: AtomicU32,
}

impl FakeServer {
    /// Ends the server as if it had crashed.
    pub(crate) fn crash(&self) {
        *self.exited.lock().expect("lock") = Some("signal 11 (SIGSEGV)".to_owned());
        self.close();
    }

    /// Lets the server respond to nobody any more, without ending.
    pub(crate) fn close(&self) {
        if !self.stopped.swap(true, Ordering::SeqCst) {
            // Wakes the server from its waiting.
            let port = self.port.load(Ordering::SeqCst) as u16;
            let _ = TcpStream::connect(("127.0.0.1", port));
        }
    }
}

/// A host whose commands are `serve BODY PORT`, `crash TEXT`, `end HOW` and `mute`.
#[derive(Debug, Default)]
pub(crate) struct FakeHost {
    /// Every server that was started, the last one last.
    pub(crate) lives: Mutex<Vec<Arc<FakeServer>>>,
    /// Every spec that was started.
    pub(crate) started: Mutex<Vec<ProcessSpec>>,
    /// How far apart its cores are; `None`: that is not known.
    pub(crate) core_to_core: Mutex<Option<Duration>>,
    /// What its only core has run so far; `None`: not known.
    pub(crate) core_times: Mutex<Option<Duration>>,
    /// The memory that is left, in bytes; `None`: not known.
    pub(crate) memory: Mutex<Option<u64>>,
    /// The port that was given out last, held so that nobody else gets it before the server.
    held: Mutex<Option<TcpListener>>,
}

impl FakeHost {
    /// The server that was started last.
    pub(crate) fn last(&self) -> Arc<FakeServer> {
        self.lives
            .lock()
            .expect("lock")
            .last()
            .expect("one was started")
            .clone()
    }

    /// The place of the server at this port among all that were started.
    pub(crate) fn place(&self, address: &Address) -> usize {
        let Address::Tcp(address) = address else {
            panic!("it listens on ports alone")
        };
        let port = address.port();
        let lives = self.lives.lock().expect("lock");
        let at = |life: &Arc<FakeServer>| life.port.load(Ordering::SeqCst) == u32::from(port);
        lives.iter().rposition(at).expect("a server")
    }

    /// The server in this place.
    pub(crate) fn life(&self, place: usize) -> Arc<FakeServer> {
        Arc::clone(&self.lives.lock().expect("lock")[place])
    }

    /// Whether every server was stopped.
    pub(crate) fn all_stopped(&self) -> bool {
        self.lives
            .lock()
            .expect("lock")
            .iter()
            .all(|life| life.stopped.load(Ordering::SeqCst))
    }
}

impl Host for FakeHost {
    fn machine(&self) -> &dyn Machine {
        &ThisMachine
    }

    fn files(&self) -> &dyn Files {
        &ThisMachine
    }

    fn photofinish(&self) -> &Path {
        Path::new("/bin/photofinish")
    }

    fn free_port(&self) -> Result<u16, Error> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::NoPort)?;
        let port = listener.local_addr().map_err(Error::NoPort)?.port();
        *self.held.lock().expect("lock") = Some(listener);
        Ok(port)
    }

    fn address(&self) -> IpAddr {
        Ipv4Addr::LOCALHOST.into()
    }

    fn holder(&self, address: &Address) -> Option<PortHolder> {
        matches!(address, Address::Tcp(address) if address.port() == 1).then(|| PortHolder {
            pid: 4711,
            command: "nginx -g daemon".to_owned(),
        })
    }

    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error> {
        self.started.lock().expect("lock").push(spec.clone());
        let life = Arc::new(FakeServer::default());
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&spec.log)
            .expect("log");
        writeln!(log, "started {}", spec.command.join(" ")).expect("log");
        let mut thread = None;
        match spec.command[0].as_str() {
            "serve" => {
                let listener = self.held.lock().expect("lock").take();
                thread = Some(serve(&life, spec, listener.expect("a port was asked for")));
            }
            "crash" => *life.exited.lock().expect("lock") = Some("exit status 1".to_owned()),
            "end" => *life.exited.lock().expect("lock") = Some(spec.command[1].clone()),
            "mute" => {}
            program => {
                let says = format!("no such program: {program}");
                let command = spec.command.join(" ");
                return Err(Error::Start { command, says });
            }
        }
        let mut lives = self.lives.lock().expect("lock");
        lives.push(life.clone());
        let compiles = (spec.env.get(COMPILES)).and_then(|looks| looks.expose().parse().ok());
        Ok(Box::new(FakeProcess {
            pid: 4711 + lives.len() as u32,
            life,
            thread,
            compiles: compiles.unwrap_or_default(),
        }))
    }

    fn machine_sample(&self) -> Option<MachineSample> {
        None
    }

    fn core_times(&self) -> Option<CoreTimes> {
        let times = (*self.core_times.lock().expect("lock"))?;
        Some(CoreTimes::Cores(vec![times]))
    }

    fn core_to_core(&self, _: usize, _: usize) -> Option<Duration> {
        *self.core_to_core.lock().expect("lock")
    }

    fn memory_available(&self) -> Option<u64> {
        *self.memory.lock().expect("lock")
    }

    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
        match needs.iter().next() {
            None => Ok(Tools::default()),
            Some((tool, wanted)) => Err(Error::Tool {
                tool: tool.clone(),
                wanted: wanted.text.clone(),
                found: "none".to_owned(),
                remedy: format!("install {tool}"),
            }),
        }
    }
}

/// Responds to every request on a connection of its own.
fn serve(life: &Arc<FakeServer>, spec: &ProcessSpec, listener: TcpListener) -> JoinHandle<()> {
    let body = spec.command[1].clone();
    let port: u16 = spec.command[2].parse().expect("a port");
    life.port.store(port.into(), Ordering::SeqCst);
    let life = life.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            if life.stopped.load(Ordering::SeqCst) {
                break;
            }
            let Ok(mut stream) = stream else { continue };
            let mut request = Vec::new();
            let mut bytes = [0; 1_024];
            while !request.ends_with(b"\r\n\r\n") {
                match stream.read(&mut bytes) {
                    Ok(n) if n > 0 => request.extend_from_slice(&bytes[..n]),
                    _ => break,
                }
            }
            let stuck = request.starts_with(b"GET /stuck") && life.stuck.load(Ordering::SeqCst);
            let status = if stuck { "503 Busy" } else { "200 OK" };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            // A client that is gone needs no response.
            let _ = stream.write_all((head + &body).as_bytes());
        }
    })
}

/// The variable that says at how many looks, the first ones, a fake process has compiled all the time.
pub(crate) const COMPILES: &str = "COMPILES";

struct FakeProcess {
    pid: u32,
    life: Arc<FakeServer>,
    thread: Option<JoinHandle<()>>,
    compiles: u32,
}

impl Process for FakeProcess {
    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn exited(&mut self) -> Result<Option<String>, Error> {
        Ok(self.life.exited.lock().expect("lock").clone())
    }

    /// Each look shows 1 s of CPU more than the one before.
    fn usage(&mut self) -> Result<Usage, Error> {
        let looks = self.life.samples.fetch_add(1, Ordering::SeqCst);
        Ok(Usage {
            cpu_user: Duration::from_secs(looks.into()),
            // Compilers have been at work before the first look.
            cpu_compiling: Duration::from_secs((looks + 1).min(self.compiles).into()),
            rss_bytes: 1 << 20,
            threads: 3,
            processes: 1,
            ..Usage::default()
        })
    }

    fn foreign_listener(&mut self, _: &Address) -> Option<PortHolder> {
        None
    }

    fn cpu(&mut self) -> Option<Duration> {
        let left = |works: u32| works.checked_sub(1);
        let works = (self.life.works).fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        let mut cpu = self.life.cpu.lock().expect("lock");
        *cpu += works.map_or(Duration::ZERO, |_| Duration::from_millis(10));
        Some(*cpu)
    }

    fn place_compilers(&mut self, cores: &[usize]) -> Result<bool, Error> {
        self.life.placed.lock().expect("lock").push(cores.to_vec());
        Ok(true)
    }

    fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        self.life.frozen.store(frozen, Ordering::SeqCst);
        Ok(())
    }

    fn has_bare_java(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    fn load_java_agent(&mut self, _: &Path) -> Result<(), Error> {
        Ok(())
    }

    fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), Error> {
        if *self.life.forbidden.lock().expect("lock") {
            let paranoid = "4".to_owned();
            return Err(photofinish_profile::Refused::Forbidden { paranoid }.into());
        }
        let mut stacks = self.life.stacks.lock().expect("lock");
        let mut found = |frames: &[&str], times| {
            let frames = frames.iter().copied().map(str::to_owned).collect();
            stacks.seen.push((frames, times));
        };
        match clock {
            _ if on => {}
            SampleClock::Cpu => {
                found(&["server`main", "server`hot"], 3);
                found(&["kernel`tcp_sendmsg"], 1);
            }
            SampleClock::Wall => {
                let park = "java`jdk.internal.misc.Unsafe.park";
                let lock = "java`java.util.concurrent.locks.ReentrantLock.lock";
                found(
                    &[
                        "java`java.lang.Thread.run",
                        "java`shop.Orders.list",
                        lock,
                        park,
                    ],
                    2,
                );
                found(&["java`java.lang.Thread.run", "java`shop.Orders.list"], 5);
            }
        }
        Ok(())
    }

    fn sampled(&mut self, _: SampleClock) -> Result<Sampled, Error> {
        Ok(Sampled {
            stacks: std::mem::take(&mut *self.life.stacks.lock().expect("lock")),
            programs: ["server".to_owned()].into(),
        })
    }

    fn fetch_log(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn stop(&mut self, _: Duration) -> Result<(), Error> {
        self.life.close();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server's thread");
        }
        Ok(())
    }
}

impl Drop for FakeProcess {
    fn drop(&mut self) {
        let _ = self.stop(Duration::ZERO);
    }
}
