//! Nothing is ever left behind, and a server is started as it should be.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use libtest_mimic::Trial;
use photofinish_host::{Error, Facts, Process};
use photofinish_model::Address;
use photofinish_model::samples::assert_contains;

use super::support::{
    self, Case, Outcome, host, marked, new_mark, stat, status, until, until_ready,
};
use super::trials::trials;

pub fn tests() -> Vec<Trial> {
    trials![
        a_careless_starter_changes_nothing,
        stop_and_drop_end_the_whole_family,
        stop_asks_first,
        a_server_that_is_frozen_rests,
        killed_photofinish_leaves_nothing,
        photofinish_killed_while_it_starts,
        killed_keeper_leaves_nothing,
        a_server_that_kills_its_keeper_leaves_nothing,
        a_server_that_stops_its_keeper_leaves_nothing,
        a_stopped_keeper_ends_with_photofinish,
        a_chain_of_processes_ends,
        no_server_speaks_for_its_keeper,
        an_end_is_reported,
        a_server_runs_on_its_cores,
        other_programs_wait_for_a_server_with_raised_priority,
        a_server_is_clean,
        output_is_appended,
        what_cannot_start_says_why,
        a_keeper_sleeps,
        the_server_of_another_target_is_foreign,
    ]
}

/// Longer than any response to SIGTERM here.
const LONG: Duration = Duration::from_secs(30);
/// Too short for what ignores SIGTERM.
const SHORT: Duration = Duration::from_millis(50);

fn stop_and_drop_end_the_whole_family() -> Outcome {
    for is_dropped in [false, true] {
        let case = Case::family();
        let mut server = case.start()?;
        until_ready(&case, 3)?;
        assert!(marked(&case.mark).len() >= 4, "the family is not complete");
        if !is_dropped {
            server.stop(SHORT)?;
            assert_eq!(marked(&case.mark), [0; 0]);
            server.stop(SHORT)?;
        }
        drop(server);
        assert_eq!(marked(&case.mark), [0; 0]);
    }
    Ok(())
}

/// One that is frozen continues for that.
fn stop_asks_first() -> Outcome {
    for frozen in [false, true] {
        let case =
            Case::shell("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done");
        let mut server = case.start()?;
        until_ready(&case, 1)?;
        server.freeze(frozen)?;
        server.stop(LONG)?;
        assert!(case.log().contains("bye"), "{}", case.log());
        assert_eq!(server.exited()?.as_deref(), Some("exit status 3"));
    }
    Ok(())
}

/// A server, and a child of it, that print a line again and again.
fn busy() -> Case {
    Case::shell(
        "(while :; do echo child; sleep 0.01; done) & while :; do echo ready; sleep 0.01; done",
    )
}

fn a_server_that_is_frozen_rests() -> Outcome {
    let (case, other) = (busy(), busy());
    let (mut server, _beside) = (case.start()?, other.start()?);
    let lines = |case: &Case| ["ready", "child"].map(|word| case.log().matches(word).count());
    // Both continue from here.
    let go_on = |case: &Case| {
        let before = lines(case);
        until("both go on", || {
            let now = lines(case);
            now[0] > before[0] + 5 && now[1] > before[1] + 5
        })
    };
    go_on(&case)?;
    server.freeze(true)?;
    server.freeze(true)?;
    let then = lines(&case);
    go_on(&other)?;
    assert!(lines(&case) == then, "it does not rest");
    assert!(server.exited()?.is_none(), "it has ended");
    server.freeze(false)?;
    go_on(&case)?;
    server.freeze(true)?;
    server.stop(SHORT)?;
    assert_eq!(marked(&case.mark), [0; 0]);
    Ok(server.freeze(true)?)
}

fn killed_photofinish_leaves_nothing() -> Outcome {
    let case = Case::family();
    let mut parent = start_parent(&case)?;
    until_ready(&case, 3)?;
    parent.kill()?; // SIGKILL
    parent.wait()?;
    until("the family is gone", || marked(&case.mark).is_empty())
}

fn photofinish_killed_while_it_starts() -> Outcome {
    for steps in 0..6_u32 {
        let case = Case::family();
        let mut parent = start_parent(&case)?;
        // Each time a little later; what is tested holds at every moment, so no time is wrong.
        for _ in 0..steps.pow(5) {
            std::thread::yield_now();
        }
        parent.kill()?;
        parent.wait()?;
        until("the family is gone", || marked(&case.mark).is_empty())?;
    }
    Ok(())
}

/// A process that starts a case's family as photofinish would; returns when it is about to.
fn start_parent(case: &Case) -> Result<std::process::Child, libtest_mimic::Failed> {
    let mut parent = Command::new(support::this_program())
        .arg("__parent")
        .arg(case.dir.path())
        .arg(&case.mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = parent.stdout.take().ok_or("it has a pipe")?;
    BufReader::new(out).read_line(&mut String::new())?;
    Ok(parent)
}

fn killed_keeper_leaves_nothing() -> Outcome {
    let case = Case::family();
    let mut server = case.start()?;
    until_ready(&case, 3)?;
    signal(keeper_of(&server)?, libc::SIGKILL);
    until("the end is reported", || {
        matches!(server.exited(), Ok(Some(_)))
    })?;
    assert_eq!(marked(&case.mark), [0; 0]);
    let exited = server.exited()?.unwrap_or_default();
    assert_contains(&exited, "keeper was ended by signal 9 (SIGKILL)");
    server.stop(LONG)?;
    Ok(())
}

/// Writes its process id to the file that it is given, from a process that has left everything by which it could be known:
/// its parents, its session, its environment.
fn hidden(case: &Case) -> String {
    let file = case.dir.path().join("hidden").display().to_string();
    let child =
        format!("trap '' TERM HUP; echo $$ > {file}.new; mv {file}.new {file}; exec sleep 1000");
    format!(
        "(setsid env -i sh -c \"{}\" > /dev/null 2>&1 &)",
        child.replace('$', "\\$")
    )
}

/// The hidden process, once it is there.
fn find_hidden(case: &Case) -> Result<u32, libtest_mimic::Failed> {
    let file = case.dir.path().join("hidden");
    until("it hides", || file.exists())?;
    Ok(fs::read_to_string(file)?.trim().parse()?)
}

fn is_gone(pid: u32) -> bool {
    stat(pid).first().is_none_or(|state| state == "Z")
}

fn a_server_that_kills_its_keeper_leaves_nothing() -> Outcome {
    let case = Case::shell("");
    let mut spec = case.spec.clone();
    spec.command[2] = format!(
        "{}; echo ready; sleep 0.1; kill -9 $PPID; exec sleep 1000",
        hidden(&case)
    );
    let mut server = host().start(&spec)?;
    let pid = find_hidden(&case)?;
    until("the end is reported", || {
        matches!(server.exited(), Ok(Some(_)))
    })?;
    let gone = is_gone(pid);
    signal(pid, libc::SIGKILL);
    server.stop(SHORT)?;
    assert!(gone, "left: {pid}");
    Ok(())
}

fn a_server_that_stops_its_keeper_leaves_nothing() -> Outcome {
    // Once, and whenever it continues.
    for (stops, limit) in [
        ("kill -STOP $PPID", 10),
        ("while kill -STOP $PPID; do :; done", 20),
    ] {
        let case = Case::shell("");
        let mut spec = case.spec.clone();
        let go = case.dir.path().join("go").display().to_string();
        spec.command[2] = format!(
            "{}; while [ ! -e {go} ]; do sleep 0.01; done; {stops}; exec sleep 1000",
            hidden(&case)
        );
        let mut server = host().start(&spec)?;
        let pid = find_hidden(&case)?;
        fs::write(case.dir.path().join("go"), "")?;
        until("the keeper was stopped", || {
            keeper_of(&server).is_ok_and(|keeper| stat(keeper).first().is_some_and(|s| s == "T"))
        })?;
        let begun = std::time::Instant::now();
        let stopped = server.stop(SHORT);
        let gone = is_gone(pid) && is_gone(pid_of(&server));
        signal(pid, libc::SIGKILL);
        if !gone && let Ok(keeper) = keeper_of(&server) {
            signal(keeper, libc::SIGKILL);
        }
        stopped?;
        assert!(gone, "left: {pid}");
        assert!(
            begun.elapsed() < Duration::from_secs(limit),
            "{stops}: took {:?}",
            begun.elapsed()
        );
    }
    Ok(())
}

fn a_stopped_keeper_ends_with_photofinish() -> Outcome {
    let case = Case::family();
    let mut parent = start_parent(&case)?;
    until_ready(&case, 3)?;
    let parent_id = parent.id().to_string();
    let keeper = fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .find(|&pid| stat(pid).get(1) == Some(&parent_id));
    let keeper = keeper.ok_or("it has a keeper")?;
    signal(keeper, libc::SIGSTOP);
    until("it is stopped", || {
        stat(keeper).first().is_some_and(|s| s == "T")
    })?;
    parent.kill()?;
    parent.wait()?;
    let gone = until("the family is gone", || marked(&case.mark).is_empty());
    signal(keeper, libc::SIGCONT);
    gone
}

fn a_chain_of_processes_ends() -> Outcome {
    // Some 40 s of them, so that nothing is left where this fails.
    let case = Case::fixture(&["chain", "40000"]);
    let mut server = case.start()?;
    until("there is a chain", || case.log().lines().count() > 20)?;
    let stopped = server.stop(SHORT);
    if !support::groups_are_to_be_had() {
        eprintln!("skipped: no cgroup can be made here");
        return Ok(());
    }
    stopped?;
    let links = || case.log().lines().count();
    let before = links();
    // As long as some hundred links take.
    std::thread::sleep(Duration::from_millis(300));
    assert!(links() == before, "{before} links, and more");
    Ok(())
}

fn no_server_speaks_for_its_keeper() -> Outcome {
    // As root it may; then what it says is not believed.
    let case = Case::shell("echo ready; echo gone > /proc/$PPID/fd/1; exec sleep 1000");
    let mut server = case.start()?;
    until_ready(&case, 1)?;
    let begun = std::time::Instant::now();
    let pid = pid_of(&server);
    until("it sleeps", || {
        status(pid, "Name").is_none_or(|name| name == "sleep")
    })?;
    server.exited()?;
    server.stop(SHORT)?;
    assert!(is_gone(pid), "it was believed");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "took {:?}",
        begun.elapsed()
    );
    Ok(())
}

fn an_end_is_reported() -> Outcome {
    for (script, how) in [
        ("exit 7", "exit status 7"),
        ("kill -9 $$", "signal 9 (SIGKILL)"),
        ("true", "exit status 0"),
    ] {
        let case = Case::shell(script);
        let mut server = case.start()?;
        until("it has ended", || matches!(server.exited(), Ok(Some(_))))?;
        let exited = server.exited()?;
        assert!(exited.as_deref() == Some(how), "{script}: {exited:?}");
    }
    let case = Case::shell("exec sleep 1000");
    let mut server = case.start()?;
    let exited = server.exited()?;
    assert!(exited.is_none(), "{exited:?}");
    Ok(())
}

fn a_server_runs_on_its_cores() -> Outcome {
    let allowed = photofinish_lab::cpu_sets::cores(photofinish_host::Host::this_machine())?;
    let own = *allowed.last().ok_or("there are cores")?;
    let mut case = Case::shell("echo ready; exec sleep 1000");
    case.spec.cpus = vec![own];
    let server = case.start()?;
    until_ready(&case, 1)?;
    let reported = status(pid_of(&server), "Cpus_allowed_list");
    assert!(reported == Some(own.to_string()), "{reported:?}");
    let keeper = status(keeper_of(&server)?, "Cpus_allowed_list");
    let own = status(std::process::id(), "Cpus_allowed_list");
    assert!(keeper == own, "the keeper's cores are {keeper:?}");
    Ok(())
}

/// The nice values of a process and of its session; the latter `None` if sessions have none.
fn nice_of(pid: u32) -> Result<(i32, Option<i32>), libtest_mimic::Failed> {
    let own = stat(pid).get(16).ok_or("it runs")?.parse()?;
    let session = fs::read_to_string(format!("/proc/{pid}/autogroup"));
    let session = session.ok().and_then(|text| {
        let (_, nice) = text.trim().rsplit_once(' ')?;
        nice.parse().ok()
    });
    Ok((own, session))
}

fn other_programs_wait_for_a_server_with_raised_priority() -> Outcome {
    // Our own session tells nothing of the server's: who never began one, as what the kernel starts itself, has none.
    let (own, _) = nice_of(std::process::id())?;
    let mut case = Case::shell("sleep 1000 & echo ready; exec sleep 1000");
    let server = case.start()?;
    until_ready(&case, 1)?;
    let usual = nice_of(pid_of(&server))?;
    let session = usual.1;
    assert!(
        usual.0 == own && session.is_none_or(|nice| nice == 0),
        "{usual:?}"
    );
    drop(server);
    // Only root may, and nobody in most containers: then it starts all the same, as any other does.
    let (first, back) = match Facts::take(&[]).gives_priority {
        true => ((-20, session.and(Some(-20))), (-20, session)),
        false => (usual, usual),
    };
    let all = photofinish_lab::cpu_sets::cores(photofinish_host::Host::this_machine())?;
    let own = all[..1].to_vec();
    case.spec.raised_priority = true;
    case.spec.cpus.clone_from(&own);
    let mut server = case.start()?;
    until_ready(&case, 2)?;
    for pid in marked(&case.mark) {
        let nice = nice_of(pid)?;
        assert!(nice == first, "{nice:?}");
    }
    // Compilers on other cores come before nobody there, which their session would.
    for cores in [&all, &own] {
        server.place_compilers(cores.clone())?;
        let expected = if *cores == own { first } else { back };
        let nice = nice_of(pid_of(&server))?;
        assert!(nice == expected, "on cores {cores:?}: {nice:?}");
    }
    Ok(())
}

fn a_server_is_clean() -> Outcome {
    // A descriptor that is not closed on exec, as a careless parent of photofinish would leave.
    // SAFETY: takes no pointers.
    let stray = unsafe { libc::dup(1) };
    let case = Case::shell("echo ready; exec sleep 1000");
    let server = case.start();
    // SAFETY: it was opened above and is used nowhere else.
    unsafe { libc::close(stray) };
    let server = server?;
    until_ready(&case, 1)?;
    until("sleep runs", || {
        status(pid_of(&server), "Name").as_deref() == Some("sleep")
    })?;
    // Its loader opens libraries at first, and closes them again.
    let open = format!("/proc/{}/fd", pid_of(&server));
    until("nothing but 0, 1 and 2 is open", || {
        let files = fs::read_dir(&open).into_iter().flatten().flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
        names.sort();
        names == ["0", "1", "2"]
    })?;
    // No signal is blocked, and those that Rust and the keeper treat as their own are as usual.
    let ours = [libc::SIGPIPE, libc::SIGCHLD, libc::SIGTERM].map(|signal| 1_u64 << (signal - 1));
    for (name, mask) in [("SigBlk", u64::MAX), ("SigIgn", ours.iter().sum())] {
        let reported = status(pid_of(&server), name).unwrap_or_default();
        assert!(
            u64::from_str_radix(&reported, 16)? & mask == 0,
            "{name} {reported}"
        );
    }
    // Neither in our process group nor in our session: a terminal's Ctrl-C does not reach it.
    let (server, own) = (stat(pid_of(&server)), stat(std::process::id()));
    assert!(
        server[2] != own[2] && server[3] != own[3],
        "it shares our group or session"
    );
    Ok(())
}

fn output_is_appended() -> Outcome {
    let case = Case::shell("echo out; echo err >&2; pwd; echo $GREETING");
    fs::write(&case.spec.log, "before\n")?;
    let mut spec = case.spec.clone();
    let dir = case.dir.path().join("a folder");
    fs::create_dir(&dir)?;
    // By another name, as `pwd` in a folder that is reached by a link.
    symlink(&dir, case.dir.path().join("link"))?;
    spec.dir = Some(case.dir.path().join("link"));
    spec.env
        .insert("GREETING".to_owned(), "hello, 'world'".into());
    let mut server = host().start(&spec)?;
    until("it has ended", || matches!(server.exited(), Ok(Some(_))))?;
    let expected = format!(
        "before\nout\nerr\n{}\nhello, 'world'\n",
        dir.canonicalize()?.display()
    );
    assert!(case.log() == expected, "{}", case.log());
    Ok(())
}

fn what_cannot_start_says_why() -> Outcome {
    let mut case = Case::shell("");
    case.spec.command = vec!["/nowhere/at-all".to_owned(), "x".to_owned()];
    let says = case
        .start()
        .err()
        .map(|e| format!("{e:?}"))
        .unwrap_or_default();
    assert_contains(&says, "start /nowhere/at-all x: No such file");
    case.spec.command.clear();
    assert!(
        matches!(host().start(&case.spec), Err(Error::EmptyCommand)),
        "no error"
    );
    case.spec.command = vec!["true".to_owned()];
    case.spec.dir = Some(case.dir.path().join(new_mark()));
    assert!(
        matches!(host().start(&case.spec), Err(Error::File { .. })),
        "no error"
    );
    Ok(())
}

/// Two that begin at once may be given the same port: the one that was started first is not taken for the other, though that is younger.
fn the_server_of_another_target_is_foreign() -> Outcome {
    let port = host().free_port()?;
    let at = Address::from(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let slow = Case::shell("echo ready; exec sleep 1000");
    let mut slow = (slow.start()?, slow);
    until_ready(&slow.1, 1)?;
    assert!(
        slow.0.foreign_listener(at.clone()).is_none(),
        "nobody listens"
    );
    let fast = Case::fixture(&["listen", &port.to_string()]);
    let mut fast = (fast.start()?, fast);
    until_ready(&fast.1, 1)?;
    let found = slow.0.foreign_listener(at.clone());
    assert!(
        found.as_ref().map(|holder| holder.pid) == Some(pid_of(&fast.0)),
        "{found:?}"
    );
    assert!(
        fast.0.foreign_listener(at.clone()).is_none(),
        "it is its own"
    );
    Ok(())
}

fn a_keeper_sleeps() -> Outcome {
    let case = Case::shell(
        "echo ready; i=0; while [ $i -lt 300 ]; do i=$((i+1)); (:); done; echo ready; exec sleep 1000",
    );
    let mut server = case.start()?;
    until_ready(&case, 1)?;
    let keeper = keeper_of(&server)?;
    let switches = || status(keeper, "voluntary_ctxt_switches").and_then(|s| s.parse::<u64>().ok());
    until("the keeper waits", || {
        stat(keeper).first().is_some_and(|s| s == "S")
    })?;
    let before = switches().ok_or("it runs")?;
    until_ready(&case, 2)?;
    server.usage()?;
    let after = switches().ok_or("it runs")?;
    // A server's children are the server's business: neither they nor being sampled wakes the keeper.
    assert!(after - before <= 1, "it woke {} times", after - before);
    Ok(())
}

fn a_careless_starter_changes_nothing() -> Outcome {
    let mut keeper = Command::new(support::this_program());
    keeper.args([
        "__keep",
        "{}",
        "",
        "sh",
        "-c",
        "grep SigIgn /proc/$$/status >&2; exit 7",
    ]);
    keeper
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let ignore = || {
        // SAFETY: async-signal-safe, takes no pointers.
        unsafe {
            libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            libc::signal(libc::SIGTERM, libc::SIG_IGN);
        }
        Ok(())
    };
    // SAFETY: the closure only makes system calls.
    let mut keeper = unsafe { keeper.pre_exec(ignore) }.spawn()?;
    let mut reported = BufReader::new(keeper.stdout.take().ok_or("it has a pipe")?).lines();
    let mut next = || {
        reported
            .next()
            .ok_or("it says nothing more")?
            .map_err(libtest_mimic::Failed::from)
    };
    let started = next()?;
    assert!(started.starts_with("started "), "{started}");
    let exited = next()?;
    assert!(exited == "exited exit status 7", "{exited}");
    signal(keeper.id(), libc::SIGTERM);
    let gone = next()?;
    assert!(gone == "gone", "{gone}");
    let ended = keeper.wait_with_output()?;
    assert!(ended.status.success(), "it failed");
    let ignored = String::from_utf8(ended.stderr)?;
    let mask = u64::from_str_radix(ignored.rsplit('\t').next().unwrap_or_default().trim(), 16)?;
    let both = 1 << (libc::SIGCHLD - 1) | 1 << (libc::SIGTERM - 1);
    assert!(mask & both == 0, "{ignored}");
    Ok(())
}

fn pid_of(server: &Process) -> u32 {
    server.pid().expect("it was started")
}

fn keeper_of(server: &Process) -> Result<u32, libtest_mimic::Failed> {
    Ok(stat(pid_of(server)).get(1).ok_or("it runs")?.parse()?)
}

fn signal(pid: u32, signal: libc::c_int) {
    // SAFETY: takes no pointers; the process is one that this test started.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}
