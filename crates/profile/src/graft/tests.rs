use photofinish_model::Layer;

use super::*;
use crate::fold::tests::stacks;
use crate::layers;

/// All of one kind of thread.
fn one(stacks: Stacks) -> OfKinds {
    [("http".to_owned(), stacks)].into()
}

const WRITE: &str = "kernel`do_syscall_64;kernel`__x64_sys_write;kernel`ksys_write";
const FAULT: &str = "kernel`asm_exc_page_fault;kernel`exc_page_fault";

/// 60 samples of the program and 40 of the kernel: 30 in two paths of a write, 10 in page faults.
fn of_cores() -> Stacks {
    stacks(&[
        ("[JVM, no symbols]", 60),
        (&format!("[JVM, no symbols];{WRITE};kernel`tcp_sendmsg"), 20),
        (&format!("[JVM, no symbols];{WRITE};kernel`aa_sk_perm"), 10),
        (&format!("[JVM, no symbols];{FAULT}"), 10),
    ])
}

#[test]
fn callers_are_found_whichever_of_the_kernel_s_functions_have_a_frame() {
    let agent = || {
        stacks(&[
            ("java`a.Hot.run;libc.so.6`__GI___write", 20),
            ("java`a.Hot.run", 60),
        ])
    };
    for write in [
        "kernel`__x64_sys_write;kernel`ksys_write",
        "kernel`ksys_write",
    ] {
        let cores = stacks(&[
            ("[JVM, no symbols]", 60),
            (
                &format!("libc.so.6`__write;kernel`do_syscall_64;{write}"),
                40,
            ),
        ]);
        let both = graft(one(cores), one(agent()));
        // Nothing of a write is the program's own time.
        assert_eq!(with(&both, &["java`a.Hot.run", "kernel`ksys_write"]), 40);
        assert_eq!(both.samples(), 100);
        let ends = both
            .seen
            .iter()
            .filter(|(frames, _)| frames.ends_with(&["libc.so.6`__GI___write".to_owned()]));
        assert_eq!(ends.count(), 0, "{both:?}");
    }
}

/// Samples of stacks that hold all of these frames.
fn with(stacks: &Stacks, frames: &[&str]) -> u64 {
    let all = stacks.seen.iter().filter(|(stack, _)| {
        let mut wanted = frames.iter();
        wanted.all(|frame| stack.iter().any(|own| own == frame))
    });
    all.map(|(_, count)| count).sum()
}

#[test]
fn the_kernel_s_share_is_that_of_the_cores_and_its_callers_are_the_agent_s() {
    // It saw the program half as often as the cores did.
    let agent = stacks(&[
        ("java`a.Hot.run;libc.so.6`__GI___write", 15),
        ("java`a.Cold.run;libc.so.6`write", 5),
        ("java`a.Hot.run;java`a.Hot.planted", 20),
        ("java`a.Cold.run", 10),
    ]);
    let both = graft(one(of_cores()), one(agent));
    // Everything at half.
    assert_eq!(both.samples(), 50);
    let counted = layers::count(&both);
    assert_eq!(counted[&Layer::KernelSend], 15);
    assert_eq!(counted[&Layer::Memory], 5);
    assert_eq!(counted[&Layer::Application], 30);
    assert_eq!(with(&both, &["java`a.Hot.planted"]), 20);
    // Three quarters of the writes are of the one caller, and two thirds in each go one way.
    let hot = with(&both, &["java`a.Hot.run", "kernel`ksys_write"]);
    assert!((11..=12).contains(&hot), "{hot}");
    let sends = with(&both, &["java`a.Hot.run", "kernel`tcp_sendmsg"]);
    assert!((7..=8).contains(&sends), "{sends}");
    // Nobody has called a page fault.
    assert_eq!(with(&both, &["kernel`exc_page_fault", "java`a.Hot.run"]), 0);
    let text = both.text().0;
    let frames = "libc.so.6`__GI___write;kernel`do_syscall_64;kernel`__x64_sys_write;kernel`ksys_write;kernel`tcp_sendmsg";
    assert!(text.contains(frames), "{text}");
}

#[test]
fn an_agent_that_saw_more_is_thinned_and_one_that_saw_nothing_changes_nothing() {
    let much = stacks(&[
        ("java`a.A.a", 300),
        ("java`a.B.b", 100),
        ("java`a.C.c", 200),
    ]);
    let both = graft(one(of_cores()), one(much));
    assert_eq!(both.samples(), 100);
    let count = |frame| with(&both, &[frame]);
    assert_eq!(
        [
            count("java`a.A.a"),
            count("java`a.B.b"),
            count("java`a.C.c")
        ],
        [30, 10, 20]
    );
    // Nobody was seen on the way back from a write: it stays without a caller of Java's.
    assert_eq!(with(&both, &["kernel`ksys_write"]), 30);
    let mut none = graft(one(of_cores()), OfKinds::new());
    let mut as_it_was = of_cores();
    none.seen.sort();
    as_it_was.seen.sort();
    assert_eq!(none, as_it_was);
    // A machine that only the agent has seen, and did not see in the kernel.
    let only = graft(OfKinds::new(), one(stacks(&[("java`a.A.a", 3)])));
    assert_eq!(only.samples(), 0);
}

#[test]
fn threads_that_the_agent_does_not_find_keep_their_share() {
    // Compilers run all the time; the threads of requests begin with the tick, and are done before the next one.
    let cores: OfKinds = [
        ("http".to_owned(), of_cores()),
        ("compiler".to_owned(), stacks(&[("libjvm.so`Compile", 40)])),
    ]
    .into();
    let agent: OfKinds = [("compiler".to_owned(), stacks(&[("libjvm.so`Compile", 20)]))].into();
    let both = graft(cores, agent);
    assert_eq!(both.samples(), 70);
    assert_eq!(with(&both, &["libjvm.so`Compile"]), 20);
    let nameless = both.seen.iter().filter(|(frames, _)| frames.len() == 1);
    let nameless = nameless.filter(|(frames, _)| frames[0] == "[JVM, no symbols]");
    assert_eq!(nameless.map(|(_, count)| count).sum::<u64>(), 30);
    assert_eq!(with(&both, &["kernel`ksys_write"]), 15);
}

#[test]
fn calls_have_one_name_on_both_sides() {
    for (function, call) in [
        ("libc.so.6`___pthread_cond_signal", "futex"),
        ("libc.so.6`__futex_abstimed_wait_common", "futex"),
        ("libc.so.6`__lll_lock_wake", "futex"),
        ("libc.so.6`epoll_wait", "epoll_wait"),
        ("libc.so.6`__GI_read", "read"),
        ("libc.so.6`__libc_recv", "recv"),
        ("libc.so.6`__send", "send"),
        ("libc-2.31.so`__write_nocancel", "write"),
    ] {
        assert_eq!(caller_of(function).as_deref(), Some(call), "{function}");
    }
    assert_eq!(caller_of("java`a.B.write"), None);
    assert_eq!(caller_of("libjvm.so`os::write"), None);
    for (function, call) in [
        ("kernel`__x64_sys_epoll_pwait", "epoll_wait"),
        ("kernel`__x64_sys_sendto", "send"),
        ("kernel`__arm64_sys_recvfrom", "recv"),
        ("kernel`__x64_sys_futex", "futex"),
        // Of a kernel whose first functions end with a call of the next.
        ("kernel`ksys_write", "write"),
        ("kernel`ksys_read", "read"),
        ("kernel`__sys_sendto", "send"),
        ("kernel`__do_sys_accept4", "accept"),
        ("kernel`do_epoll_wait", "epoll_wait"),
        ("kernel`do_futex", "futex"),
        ("kernel`do_writev", "writev"),
    ] {
        let frames = ["kernel`do_syscall_64", function].map(str::to_owned);
        assert_eq!(call_of(&frames).as_deref(), Some(call), "{function}");
    }
    let arm = [
        "kernel`el0_svc",
        "kernel`invoke_syscall.constprop.0",
        "kernel`ksys_read",
    ];
    assert_eq!(call_of(&arm.map(str::to_owned)).as_deref(), Some("read"));
    let fault = ["kernel`asm_exc_page_fault", "kernel`do_user_addr_fault"];
    assert_eq!(call_of(&fault.map(str::to_owned)), None);
}
