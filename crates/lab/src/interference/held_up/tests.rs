use hdrhistogram::Histogram;
use photofinish_host::Usage;

use super::*;
use crate::fake;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn around(stood: u64, others: u64) -> Around {
    Around {
        took: ms(220),
        others: Some(ms(others)),
        idle_servers: None,
        latencies: None,
        late: Some(Histogram::new(3).expect("digits")),
        reference: [None; 2],
        wake: [None; 2],
        stood: ms(stood),
    }
}

/// What a server used in a slice: how long its threads waited for a core, and CPU time.
fn span(queued: u64, used: u64) -> Span {
    let earlier = Usage {
        cpu_user: ms(5_000),
        run_queue: ms(300),
        ..Usage::default()
    };
    let later = Usage {
        cpu_user: ms(5_000 + used),
        run_queue: ms(300 + queued),
        ..earlier
    };
    (earlier, later)
}

/// 200 ms without a response in a slice in which load flowed for 20 ms.
#[test]
fn a_stall_is_the_machines_if_that_kept_the_server_from_its_core() {
    let machines = |around: &Around, server: Option<&Span>| {
        is_the_machines(ms(200), ms(20), around, server, 1)
    };
    // A server that sleeps waits for no core, whoever uses that meanwhile.
    assert!(!machines(&around(0, 150), Some(&span(1, 15))));
    assert!(!machines(&around(0, 150), None));
    // Nor does one whose collector works, though its other threads wait.
    assert!(!machines(&around(0, 150), Some(&span(190, 200))));
    assert!(!machines(&around(0, 10), Some(&span(190, 15))));
    // Others had the core; or nobody had.
    assert!(machines(&around(0, 150), Some(&span(190, 15))));
    assert!(machines(&around(190, 0), Some(&span(0, 15))));
    assert!(!machines(&around(90, 0), Some(&span(0, 15))));
    let nothing = is_the_machines(Duration::ZERO, ms(20), &around(0, 0), None, 1);
    assert!(!nothing);
}

#[test]
fn single_responses_hold_a_slice_up_as_stalls_do() {
    let mut outcome = fake::outcome(16, ms(15), 1_000, ms(1));
    outcome.draining = ms(90);
    assert_eq!(held_up(&outcome, &SliceStalls::default()), ms(90));
    let stalls = SliceStalls {
        loaded_stalled: ms(60),
        under_way: ms(50),
        ..SliceStalls::default()
    };
    assert_eq!(held_up(&outcome, &stalls), ms(110));
}
