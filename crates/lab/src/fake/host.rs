//! A host whose servers are threads of this process.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use photofinish_host::request::{
    Ask, CoreTimes, CoreToCore, Cpu, Exited, ForeignListener, FreePort, Freeze, FullUsage, Glance,
    HasBareJava, MachineSample, MemoryAvailable, PlaceCompilers, PortHolder, Programs, Request,
    Sample, Sampled, Start, Stop, Tools,
};
use photofinish_host::{
    self as host, About, AgentLink, Error, Host, LocalHost, ProcessSpec, Usage,
};
use photofinish_load::Control;
use photofinish_model::Address;
use photofinish_model::finding::failure::{self, FailureFinding};
use photofinish_model::version::VersionReq;
use photofinish_profile::{SampleClock, Stacks};
use socket2::Socket;

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
    /// What the last request called it.
    pub(crate) called: Mutex<String>,
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

/// A host whose commands are `serve BODY PORT`, `crash TEXT`, `end HOW` and `mute`. What it does not make up it asks of this machine.
#[derive(Default)]
pub(crate) struct FakeHost {
    this_machine: LocalHost,
    /// By the number of the request that started it.
    processes: Mutex<BTreeMap<u64, Arc<FakeProcess>>>,
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
    /// As the run sees it.
    pub(crate) fn host(self: &Arc<FakeHost>) -> Host {
        let about = About::this_machine("/bin/photofinish".into());
        Host::of_agent(about, Arc::<FakeHost>::clone(self))
    }

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

impl AgentLink for FakeHost {
    fn ask(
        &self,
        ask: Ask,
        control: &Control,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(u64, Vec<u8>), Error> {
        let number = self.this_machine.new_number();
        match self.made_up(number, &ask) {
            Some(reply) => Ok((number, reply?)),
            None => ask.answer(&self.this_machine, control, unwanted),
        }
    }

    fn release(&self, number: u64) {
        self.processes.lock().expect("lock").remove(&number);
        self.this_machine.release(number);
    }

    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        Host::this_machine().connect(address, within)
    }
}

impl FakeHost {
    /// The reply to a request, unless this machine is to give it.
    fn made_up(&self, number: u64, ask: &Ask) -> Option<Result<Vec<u8>, Error>> {
        let process = |number| self.processes.lock().expect("lock").get(number).cloned();
        Some(match ask {
            Ask::FreePort(_) => self.free_port().and_then(|port| FreePort::written(&port)),
            Ask::PortHolder(PortHolder { address }) => PortHolder::written(&holder(address)),
            Ask::Start(Start { spec }) => {
                (self.start(number, spec)).and_then(|pid| Start::written(&Some(pid)))
            }
            Ask::MachineSample(_) => MachineSample::written(&None),
            Ask::CoreTimes(_) => {
                let times = *self.core_times.lock().expect("lock");
                let cores = times.map(|times| host::CoreTimes::Cores(vec![times]));
                CoreTimes::written(&cores)
            }
            Ask::CoreToCore(_) => CoreToCore::written(&self.core_to_core.lock().expect("lock")),
            Ask::MemoryAvailable(_) => MemoryAvailable::written(&self.memory.lock().expect("lock")),
            Ask::Tools(Tools { needs }) => tools(needs).and_then(|tools| Tools::written(&tools)),
            Ask::Programs(_) => Programs::written(&Vec::new()),
            Ask::Exited(Exited { process: number }) => {
                Exited::written(&process(number)?.life.exited.lock().expect("lock"))
            }
            Ask::FullUsage(FullUsage { process: number })
            | Ask::Glance(Glance { process: number }) => Glance::written(&process(number)?.usage()),
            Ask::ForeignListener(_) => ForeignListener::written(&None),
            Ask::Cpu(Cpu { process: number }) => Cpu::written(&Some(process(number)?.cpu())),
            Ask::PlaceCompilers(PlaceCompilers {
                process: number,
                cores,
            }) => {
                let process = process(number)?;
                process
                    .life
                    .placed
                    .lock()
                    .expect("lock")
                    .push(cores.clone());
                PlaceCompilers::written(&true)
            }
            Ask::Freeze(Freeze {
                process: number,
                frozen,
            }) => {
                process(number)?
                    .life
                    .frozen
                    .store(*frozen, Ordering::SeqCst);
                Freeze::written(&())
            }
            Ask::HasBareJava(_) => HasBareJava::written(&false),
            Ask::Sample(Sample {
                process: number,
                clock,
                on,
            }) => (process(number)?.sample(*clock, *on)).and_then(|()| Sample::written(&())),
            Ask::Sampled(Sampled {
                process: number, ..
            }) => Sampled::written(&process(number)?.sampled()),
            Ask::Stop(Stop {
                process: number, ..
            }) => {
                process(number)?.stop();
                Stop::written(&())
            }
            _ => return None,
        })
    }

    fn free_port(&self) -> Result<u16, Error> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::NoPort)?;
        let port = listener.local_addr().map_err(Error::NoPort)?.port();
        *self.held.lock().expect("lock") = Some(listener);
        Ok(port)
    }

    /// Starts a server; returns its process id.
    fn start(&self, number: u64, spec: &ProcessSpec) -> Result<u32, Error> {
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
                return Err(FailureFinding::Start { command, says }.into());
            }
        }
        let mut lives = self.lives.lock().expect("lock");
        lives.push(life.clone());
        let compiles = (spec.env.get(COMPILES)).and_then(|looks| looks.expose().parse().ok());
        let process = FakeProcess {
            life,
            thread: Mutex::new(thread),
            compiles: compiles.unwrap_or_default(),
        };
        let mut processes = self.processes.lock().expect("lock");
        processes.insert(number, Arc::new(process));
        Ok(4711 + lives.len() as u32)
    }
}

fn holder(address: &Address) -> Option<failure::PortHolder> {
    matches!(address, Address::Tcp(address) if address.port() == 1).then(|| failure::PortHolder {
        pid: 4711,
        command: "nginx -g daemon".to_owned(),
    })
}

fn tools(needs: &BTreeMap<String, VersionReq>) -> Result<host::Tools, Error> {
    match needs.iter().next() {
        None => Ok(host::Tools::default()),
        Some((tool, wanted)) => Err(FailureFinding::Tool {
            tool: tool.clone(),
            wanted: wanted.text.clone(),
            found: "none".to_owned(),
            remedy: format!("install {tool}"),
        }
        .into()),
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
            let text = String::from_utf8_lossy(&request);
            if let Some(host) = text.lines().find_map(|line| line.strip_prefix("Host: ")) {
                *life.called.lock().expect("lock") = host.to_owned();
            }
            let stuck = request.starts_with(b"GET /stuck") && life.stuck.load(Ordering::SeqCst);
            let is_old = request.starts_with(b"GET /old ");
            let status = match (stuck, is_old) {
                (true, _) => "503 Busy",
                (false, true) => "301 Moved Permanently\r\nLocation: /new",
                (false, false) => "200 OK",
            };
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
    life: Arc<FakeServer>,
    thread: Mutex<Option<JoinHandle<()>>>,
    compiles: u32,
}

impl FakeProcess {
    /// Each sample shows 1 s of CPU more than the one before.
    fn usage(&self) -> Usage {
        let looks = self.life.samples.fetch_add(1, Ordering::SeqCst);
        Usage {
            cpu_user: Duration::from_secs(looks.into()),
            // Compilers have been at work before the first sample.
            cpu_compiling: Duration::from_secs((looks + 1).min(self.compiles).into()),
            rss_bytes: 1 << 20,
            threads: 3,
            processes: 1,
            ..Usage::default()
        }
    }

    fn cpu(&self) -> Duration {
        let left = |works: u32| works.checked_sub(1);
        let works = (self.life.works).fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        let mut cpu = self.life.cpu.lock().expect("lock");
        *cpu += works.map_or(Duration::ZERO, |_| Duration::from_millis(10));
        *cpu
    }

    fn sample(&self, clock: SampleClock, on: bool) -> Result<(), Error> {
        if *self.life.forbidden.lock().expect("lock") {
            let paranoid = "4".to_owned();
            return Err(photofinish_profile::Refused::Forbidden { paranoid }.into());
        }
        let mut stacks = self.life.stacks.lock().expect("lock");
        let mut found = |frames: &[&str], times| {
            let frames = frames.iter().copied().map(str::to_owned).collect();
            stacks.seen.push((frames, times));
        };
        let run = "java`java.lang.Thread.run";
        match clock {
            _ if on => {}
            SampleClock::Cpu => {
                found(&["server`main", "server`hot"], 3);
                found(&["kernel`tcp_sendmsg"], 1);
            }
            SampleClock::Wall => {
                let park = "java`jdk.internal.misc.Unsafe.park";
                let lock = "java`java.util.concurrent.locks.ReentrantLock.lock";
                found(&[run, "java`shop.Orders.list", lock, park], 2);
                found(&[run, "java`shop.Orders.list"], 5);
            }
        }
        Ok(())
    }

    fn sampled(&self) -> photofinish_profile::Sampled {
        photofinish_profile::Sampled {
            stacks: std::mem::take(&mut *self.life.stacks.lock().expect("lock")),
            programs: ["server".to_owned()].into(),
        }
    }

    fn stop(&self) {
        self.life.close();
        if let Some(thread) = self.thread.lock().expect("lock").take() {
            thread.join().expect("the server's thread");
        }
    }
}
