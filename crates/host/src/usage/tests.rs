use super::*;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn the_exact_total_is_split_as_the_ticks_are() {
    assert_eq!(split(ms(300), ms(100), Some(ms(408))), (ms(306), ms(102)));
    assert_eq!(split(ms(300), ms(100), None), (ms(300), ms(100)));
    assert_eq!(split(ms(0), ms(0), Some(ms(7))), (ms(7), ms(0)));
}

#[test]
fn what_ended_threads_have_done_stays() {
    let done = |voluntary, forced, compiling| Done {
        voluntary,
        forced,
        compiling: ms(compiling),
        ready: ms(2 * voluntary),
    };
    let mut threads = Threads {
        look: 1,
        ..Threads::default()
    };
    threads.see((1, 1), done(10, 1, 0));
    threads.see((1, 2), done(5, 2, 70));
    threads.forget_ended();
    assert_eq!(threads.total(), done(15, 3, 70));
    threads.look = 2; // thread 2 has ended
    threads.see((1, 1), done(12, 1, 0));
    threads.forget_ended();
    assert_eq!(threads.total(), done(17, 3, 70));
    threads.look = 3; // thread 1 has ended, and a new one has its id
    threads.see((1, 1), done(4, 0, 5));
    threads.forget_ended();
    assert_eq!(threads.total(), done(21, 3, 75));
}

fn nice_of(tid: u32) -> Option<i32> {
    let tid = rustix::process::Pid::from_raw(i32::try_from(tid).ok()?)?;
    rustix::process::getpriority_process(Some(tid)).ok()
}

#[test]
fn compilers_are_placed_and_nobody_else() {
    let cores = sys::affinity().expect("cores");
    let here = |name: &str| {
        let (tid, told) = std::sync::mpsc::channel();
        let (until, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let lives = thread.spawn(move || {
            let own = rustix::thread::gettid().as_raw_nonzero().get();
            tid.send(own.unsigned_abs()).expect("who asks");
            let _ = ended.recv();
        });
        drop(lives.expect("a thread"));
        (told.recv().expect("its number"), until)
    };
    let (compiler, _until) = here("C2 CompilerThread0");
    let (worker, _until_too) = here("worker");
    let mut meter = Meter::of(std::process::id());
    meter.usage();
    for wanted in [&cores[..1], &cores] {
        assert!(meter.place_compilers(wanted, None));
        assert_eq!(sys::affinity_of(compiler).as_deref(), Some(wanted));
        assert_eq!(sys::affinity_of(worker), Some(cores.clone()));
    }
    // Nobody may be kept from standing behind others.
    let usual = nice_of(worker).expect("it runs");
    assert!(meter.place_compilers(&cores, Some(usual + 1)));
    assert_eq!(
        [compiler, worker].map(nice_of),
        [Some(usual + 1), Some(usual)]
    );
    // There is no such core: it stays where it was.
    assert!(!meter.place_compilers(&[1_000], None));
    assert_eq!(sys::affinity_of(compiler), Some(cores));
}

/// Two loops on one core: while the one runs the other waits, so both together wait for as long as they run.
#[test]
fn a_thread_that_is_ready_waits_while_another_has_its_core() {
    const BUSY_SCRIPT: &str = "while :; do :; done";
    let both = format!("({BUSY_SCRIPT}) & ({BUSY_SCRIPT}) & wait");
    let mut command = std::process::Command::new("taskset");
    let core = sys::affinity().expect("cores")[0].to_string();
    command.args(["-c", &core, "sh", "-c", &both]);
    let mut child = std::os::unix::process::CommandExt::process_group(&mut command, 0)
        .spawn()
        .expect("taskset");
    let mut meter = Meter::of(child.id());
    let begun = Instant::now();
    let seen = loop {
        let usage = meter.usage();
        let cpu = usage.cpu_user + usage.cpu_system;
        if cpu >= ms(200) || begun.elapsed() > ms(60_000) {
            break (cpu, usage.run_queue);
        }
        std::thread::sleep(ms(5));
    };
    let group = format!("-{}", child.id());
    let ended = std::process::Command::new("kill")
        .args(["-KILL", "--", &group])
        .status();
    assert!(ended.is_ok_and(|ended| ended.success()) && child.wait().is_ok());
    // Others on this core make them wait longer; before the second one begins nobody waits.
    let (cpu, waited) = seen;
    assert!(cpu >= ms(200) && waited >= cpu / 2, "{seen:?}");
}
