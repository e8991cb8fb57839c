//! Servers for the tests: `threads N` blocks in N threads; `burn` burns 60 ms of CPU in a thread that ends and 60 ms
//! in a child that ends; `forget HOW` burns that in one child after the other and waits for none, so that the kernel forgets them: HOW is
//! `ignore` (it ignores SIGCHLD) or `flag` (`SA_NOCLDWAIT`). `listen PORT` listens. They then say `ready` and wait. `chain N` starts `chain N-1` and ends.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, ExitCode};
use std::time::Duration;

pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<String> = args.filter_map(|a| a.into_string().ok()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["threads", count] => {
            for _ in 0..count.parse().unwrap_or(0) {
                std::thread::spawn(wait);
            }
        }
        ["burn"] => {
            let _ = std::thread::spawn(burn).join();
            let child = Command::new(super::support::this_program())
                .args(["__fixture", "burn-once"])
                .status();
            if !child.is_ok_and(|c| c.success()) {
                return ExitCode::FAILURE;
            }
        }
        ["forget", how] => {
            // SAFETY: zeroes are a valid action: the default, without a mask.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            match how {
                "ignore" => action.sa_sigaction = libc::SIG_IGN,
                _ => action.sa_flags = libc::SA_NOCLDWAIT,
            }
            // SAFETY: the pointer is to a local, and nothing is asked back.
            unsafe { libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut()) };
            println!("ready");
            loop {
                let mut child = Command::new(super::support::this_program());
                let child = child.args(["__fixture", "burn-once"]).spawn();
                // Fails, but not before it has ended.
                let _ = child.map(|mut child| child.wait());
            }
        }
        ["chain", links] => {
            // Starts the next and ends, faster than anybody can find and signal it.
            let left = links.parse::<u32>().unwrap_or(0);
            if left > 0 {
                println!("link");
                let mut next = Command::new(super::support::this_program());
                next.args(["__fixture", "chain", &(left - 1).to_string()]);
                let _ = next.spawn();
            }
            return ExitCode::SUCCESS;
        }
        ["listen", port] => {
            let port: u16 = port.parse().unwrap_or(0);
            let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) else {
                return ExitCode::FAILURE;
            };
            println!("ready");
            for _ in listener.incoming() {}
        }
        ["burn-once"] => {
            burn();
            return ExitCode::SUCCESS;
        }
        _ => return ExitCode::FAILURE,
    }
    println!("ready");
    wait();
    ExitCode::SUCCESS
}

fn wait() {
    loop {
        std::thread::park();
    }
}

/// Burns 60 ms of this thread's CPU time.
fn burn() {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    while Duration::new(time.tv_sec as u64, time.tv_nsec as u32) < Duration::from_millis(60) {
        // Mostly in user mode: reading this clock is a system call.
        (0..100_000).for_each(|i| {
            std::hint::black_box(i);
        });
        // SAFETY: the pointer is to a local.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    }
}
