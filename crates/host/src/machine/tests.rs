use std::io;

use procfs::FromBufReadSI;

use super::*;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn process(started: u64, parent: u32, own: u64, children: u64, ours: bool) -> ProcessTimes {
    ProcessTimes {
        name: format!("p{started}"),
        started,
        parent,
        own: ms(own),
        children: ms(children),
        ours,
    }
}

fn sample(
    at: Duration,
    [total, steal, busy]: [u64; 3],
    processes: impl IntoIterator<Item = (u32, ProcessTimes)>,
) -> MachineSample {
    MachineSample {
        at,
        total: ms(total),
        steal: ms(steal),
        busy: ms(busy),
        memory_stall: None,
        swapped_pages: None,
        throttled: None,
        processes: processes.into_iter().collect(),
        unseen: false,
    }
}

#[test]
fn shares_between_two_samples() {
    let at = Duration::from_secs(77);
    let before = sample(
        at,
        [10_000, 100, 5_000],
        [
            (10, process(1, 1, 700, 0, false)),
            (11, process(2, 10, 400, 0, false)), // ends; had used 400 ms
            (12, process(3, 1, 90, 0, false)),   // ends; its id is used again
            (20, process(4, 1, 1_000, 0, true)),
        ],
    );
    let after = sample(
        at + ms(1_000),
        [12_000, 150, 6_400],
        [
            (10, process(1, 1, 800, 450, false)), // 100 of its own, 50 of its ended child since
            (12, process(9, 1, 30, 0, false)),
            (20, process(4, 1, 1_900, 0, true)),
            (21, process(5, 20, 300, 0, true)),
        ],
    );
    let reported = after.since(&before).expect("time has passed");
    assert_eq!(reported.steal_share, 0.025); // 50 of 2,000
    // Seen: 100 + 50 + 30 = 180. Busy 1,400 less our own 900 + 300 = 200, which is more.
    let others = reported.other_cores.expect("all are known");
    assert!((others - 0.2).abs() < 1e-12, "{others}");
    // The first one, with its child: 150 ms of 1 s.
    let busiest = reported.busiest.expect("one");
    assert_eq!(busiest.name, "p1");
    assert!((busiest.cores - 0.15).abs() < 1e-12, "{busiest:?}");
    // The CPU time of a server that cannot be seen would pass for theirs.
    let unseen = MachineSample {
        unseen: true,
        ..after.clone()
    };
    let reported = unseen.since(&before).expect("time has passed");
    assert_eq!((reported.other_cores, reported.steal_share), (None, 0.025));
    assert_eq!(used(&before.processes, &after.processes, false), ms(180));
    assert!(after.since(&after).is_none());
}

#[test]
fn what_had_been_used_before_is_not_counted_however_many_ended() {
    // 10 lives; 11 (a build, say) and its children 12 and 13 end, which had used 9 s before.
    let before = BTreeMap::from([
        (10, process(1, 1, 700, 100, false)),
        (11, process(2, 10, 1_000, 2_000, false)),
        (12, process(3, 11, 4_000, 0, false)),
        (13, process(4, 12, 2_000, 0, false)),
    ]);
    // 10's children: 100 + 9,000 + 60 since.
    let after = BTreeMap::from([(10, process(1, 1, 750, 9_160, false))]);
    assert_eq!(used(&before, &after, false), ms(110));
    // A chain whose top is not known goes to the first process, which adopts.
    let mut orphans = before.clone();
    orphans.remove(&10);
    orphans.insert(1, process(0, 0, 5, 0, false));
    let adopted = BTreeMap::from([(1, process(0, 0, 5, 9_030, false))]);
    assert_eq!(used(&orphans, &adopted, false), ms(30));
}

#[test]
fn others_cannot_have_used_more_than_the_machine() {
    let at = Duration::from_secs(77);
    let before = sample(at, [10_000, 0, 5_000], [(10, process(1, 1, 0, 0, false))]);
    // Adopted from nobody knows where: 9 s of children within a second of two cores, busy for half of it.
    let grown = [(10, process(1, 1, 0, 9_000, false))];
    let after = sample(at + ms(1_000), [12_000, 0, 6_000], grown);
    let reported = after.since(&before).expect("time has passed");
    assert_eq!(reported.other_cores, Some(1.0));
}

#[test]
fn memory_is_read_as_the_kernel_reports_it() {
    let pressure = "some avg10=0.00 avg60=1.20 avg300=0.10 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
    assert_eq!(
        memory_stall(pressure.as_bytes()),
        Some(Duration::from_micros(123_456))
    );
    assert_eq!(memory_stall(io::empty()), None);
    let vmstat = "nr_free_pages 1\npswpin 30\npswpout 12\npgfault 9\n";
    assert_eq!(swapped_pages(vmstat), Some(42));
    assert_eq!(swapped_pages("pswpin 30\n"), None);
    let at = Duration::from_secs(77);
    let with = |at, stall, pages| MachineSample {
        memory_stall: Some(ms(stall)),
        swapped_pages: Some(pages),
        throttled: Some(ms(stall * 2)),
        ..sample(at, [at_total(stall), 0, 0], [])
    };
    let reported = with(at + ms(500), 60, 142)
        .since(&with(at, 10, 42))
        .expect("time has passed");
    assert_eq!(reported.memory_stall_share, Some(0.1));
    assert_eq!(reported.swapped_pages_per_s, Some(200.0));
    // From 20 to 120 ms within half a second.
    assert_eq!(reported.throttled_share, Some(0.2));
    assert_eq!(reported.cores, Some(2));
}

/// Two cores: 1,000 ms in all after half a second.
fn at_total(stall: u64) -> u64 {
    if stall > 10 { 11_000 } else { 10_000 }
}

#[test]
fn guests_are_not_counted_twice() {
    let text = "cpu  10 20 30 400 50 6 7 8 9 1\ncpu0 10 20 30 400 50 6 7 8 9 1\nctxt 1\nbtime 1\nprocesses 1\n";
    let info = procfs::LocalSystemInfo;
    let stats = KernelStats::from_buf_read(text.as_bytes(), &info).expect("it is whole");
    let cpu = Cpu {
        total: 531,
        busy: 60,
        steal: 8,
    };
    assert_eq!(Cpu::from(stats.total), cpu);
}

#[test]
fn this_machine_can_be_sampled() {
    let sample = MachineSample::take().expect("Linux has /proc");
    assert!(sample.total > sample.busy);
    assert!(sample.processes[&std::process::id()].ours);
    // Where there is no kthreadd to be seen, this is a container.
    let kthreadd = fs::read_to_string("/proc/2/comm").is_ok_and(|name| name == "kthreadd\n");
    assert!(!kthreadd || sample.processes[&2].ours);
}
