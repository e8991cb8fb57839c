use super::*;
use crate::outcome::KINDS;

fn says(text: &str) -> Complaint {
    Complaint::said(text)
}

/// There and back as JSON, and as it travels between machines.
fn sent<T: Serialize + for<'d> Deserialize<'d> + PartialEq + std::fmt::Debug>(value: &T) -> T {
    let read = serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap();
    let bytes = postcard::to_extend(value, Vec::new()).unwrap();
    assert_eq!(postcard::from_bytes::<T>(&bytes).unwrap(), read);
    read
}

#[test]
fn what_came_of_a_run_survives_a_journey() {
    let times = [1, 999_999, 1_500_000, 90_000_000_000];
    let whole = took(&times, &[]);
    let window = Window {
        p50_us: Some(0.1),
        max_us: Some(1e6),
        ..whole.windows[0]
    };
    let outcome = Outcome {
        started: SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789),
        errors: KINDS.into_iter().zip(1..).collect(),
        unopened: KINDS.into_iter().zip(2..).collect(),
        idle_ends: KINDS.into_iter().zip(3..).collect(),
        late: Some(late(&[90_000_000_000], &[1_000])),
        offered: Some(6),
        sent_late: 7,
        status: BTreeMap::from([(200, 3), (503, 1)]),
        windows: vec![window],
        first_error: Some(says("closed")),
        first_error_at: Some(Duration::from_millis(20)),
        ..whole
    };
    let mut back = sent(&outcome);
    assert_eq!(back, outcome);
    // It grows as the first one did.
    histogram::note(&mut back.latency, 900_000_000_000);
    assert_eq!(back.latency.len(), 5);
    let without = Outcome {
        lag: None,
        ..outcome
    };
    assert_eq!(sent(&without), without);
}

fn of(values: &[u64]) -> Histogram<u64> {
    let mut histogram = histogram::histogram();
    values
        .iter()
        .for_each(|value| histogram::note(&mut histogram, *value));
    histogram
}

/// Connects that took so long, one of which had to shake hands in full and one by resumption.
fn opening(connects: &[u64]) -> Opening {
    Opening {
        connect: of(connects),
        full: of(&[2_000]),
        resumed: of(&[1_000]),
    }
}

/// Requests that took so long, and would have in time.
fn late(latency: &[u64], without: &[u64]) -> Late {
    let longest = latency
        .iter()
        .zip(without)
        .map(|(with, without)| with - without);
    Late {
        latency: of(latency),
        without: of(without),
        unsent: of(&[]),
        longest: Duration::from_nanos(longest.max().unwrap_or(0)),
    }
}

/// What came of a closed loop in which requests took so long, and others waited so long in vain.
fn took(times: &[u64], waited: &[u64]) -> Outcome {
    let count = (times.len() + waited.len()) as u64;
    let lost = (!waited.is_empty()).then(|| Lost {
        latency: of(times),
        service: None,
        waited: of(waited),
        waited_since_sent: of(waited),
    });
    let latency = lost
        .as_ref()
        .map_or_else(|| of(times), |lost| lost.completed().0);
    Outcome {
        started: SystemTime::UNIX_EPOCH,
        duration: Duration::from_millis(50),
        requests: count,
        responses_in_window: times.len() as u64,
        errors: BTreeMap::from([(ErrorKind::Closed, waited.len() as u64)]),
        unopened: BTreeMap::new(),
        idle_ends: BTreeMap::new(),
        service: latency.clone(),
        latency,
        lost,
        late: None,
        lag: Some(of(&[5])),
        turnaround: Some(Duration::from_nanos(100 * count)),
        turnarounds: count,
        first_response: Some(Duration::from_nanos(count)),
        all_responded: Some(Duration::from_nanos(2 * count)),
        drained: 1,
        mute: 1,
        idle: Duration::from_nanos(5),
        firsts: 6,
        carried: Duration::from_nanos(4),
        outlasted: Duration::from_nanos(5),
        draining: Duration::from_nanos(3),
        gaps: Vec::new(),
        lead_in: Duration::ZERO,
        censored: 0,
        lead_in_requests: 2,
        sent: count + 2,
        good: count,
        changed: 1,
        first_change: Some(says(&count.to_string())),
        first_change_at: Some(Duration::from_millis(40)),
        offered: None,
        sent_late: 0,
        status: BTreeMap::from([(200, count)]),
        bytes_in: 10 * count,
        bytes_out: count,
        connects: 4,
        reconnects: 3,
        opening: opening(times),
        thread_cpu: vec![Duration::from_millis(count); 2],
        windows: vec![Window {
            start_s: 0.0,
            duration_s: 0.05,
            responses: count,
            errors: 0,
            p50_us: None,
            p99_us: None,
            max_us: None,
        }],
        kernel_timestamps: true,
        first_error: (!waited.is_empty()).then(|| says("closed")),
        first_error_at: (!waited.is_empty()).then(|| Duration::from_millis(30)),
        clock_step: Duration::from_nanos(1),
        astray: 0,
        parts: Vec::new(),
    }
}

#[test]
fn outcomes_add_up() {
    let mut all = took(&[1_000, 2_000], &[]);
    all.add(&took(&[3_000, 3_000, 4_000], &[]));
    assert_eq!((all.requests, all.sent, all.good), (5, 9, 5));
    assert_eq!(all.duration, Duration::from_millis(100));
    assert_eq!((all.latency.len(), all.service.len()), (5, 5));
    assert_eq!(all.latency.count_between(2_500, 3_500), 2);
    // (2 × 200 ns + 3 × 300 ns) / 5.
    assert_eq!(all.turnaround, Some(Duration::from_nanos(260)));
    assert_eq!(all.turnarounds, 5);
    assert_eq!(all.first_response, Some(Duration::from_nanos(3)));
    assert_eq!(all.all_responded, Some(Duration::from_nanos(6)));
    assert_eq!(all.thread_cpu, [Duration::from_millis(5); 2]);
    assert_eq!(all.windows[1].start_s, 0.05);
    assert_eq!((all.connects, all.reconnects, all.drained), (8, 6, 2));
    let edges = (all.carried, all.outlasted);
    assert_eq!(edges, (Duration::from_nanos(8), Duration::from_nanos(10)));
    assert_eq!(
        all.opening.connect,
        of(&[1_000, 2_000, 3_000, 3_000, 4_000])
    );
    assert_eq!(all.opening.full, of(&[2_000, 2_000]));
    assert_eq!(all.opening.resumed, of(&[1_000, 1_000]));
    assert_eq!(all.lag.as_ref().map(Histogram::len), Some(2));
    assert_eq!(all.status, BTreeMap::from([(200, 5)]));
    assert_eq!((all.changed, all.first_change), (2, Some(says("2"))));
    assert_eq!((all.first_error, all.offered), (None, None));
    let mut without = took(&[1], &[]);
    without.kernel_timestamps = false;
    without.lag = None;
    without.all_responded = None;
    without.add(&took(&[1], &[]));
    assert_eq!((without.lag, without.all_responded), (None, None));
    assert!(!without.kernel_timestamps);
}

#[test]
fn late_ones_add_up_where_there_are_any() {
    let mut all = took(&[1_000], &[]);
    all.add(&took(&[1_000], &[]));
    assert_eq!(all.late, None);
    let stopped = Outcome {
        late: Some(late(&[5_000, 3_000], &[1_000, 2_000])),
        ..took(&[5_000, 3_000], &[])
    };
    all.add(&stopped);
    all.add(&took(&[1_000], &[]));
    all.add(&stopped);
    let late = all.late.expect("some were late");
    assert_eq!((late.requests(), late.without.len()), (4, 4));
    assert_eq!(late.longest, Duration::from_nanos(4_000));
}

#[test]
fn response_times_in_time_are_those_without_the_stop() {
    assert_eq!(took(&[1_000], &[]).latency_in_time(), None);
    let stopped = |waited: &[u64], unsent: &[u64]| Outcome {
        late: Some(Late {
            unsent: of(unsent),
            ..late(&[90_000, 80_000], &[2_000, 1_000])
        }),
        ..took(&[1_000, 90_000, 80_000, 3_000], waited)
    };
    let in_time = |outcome: Outcome| outcome.latency_in_time().expect("some were late");
    let sent = in_time(stopped(&[], &[]));
    assert_eq!(sent, of(&[1_000, 2_000, 1_000, 3_000]));
    // Two were not sent for the same reason, and a third was lost after 1.5 µs by the server's doing.
    let unsent = in_time(stopped(&[70_000, 60_000, 1_500], &[70_000, 60_000]));
    let expected = took(&[1_000, 2_000, 1_000, 3_000], &[1_500]).latency;
    assert_eq!(unsent, expected);
}

#[test]
fn requests_that_were_lost_are_given_to_the_times_of_all_slices() {
    // The order of adding is nothing to the sum, which is that of one run of them all.
    let slices = [
        took(&[1_000, 2_000], &[]),
        took(&[4_000], &[1_500]),
        took(&[3_000, 5_000], &[2_500, 9_000]),
    ];
    let whole = took(&[1_000, 2_000, 3_000, 4_000, 5_000], &[1_500, 2_500, 9_000]);
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut all = slices[order[0]].clone();
        order[1..].iter().for_each(|&other| all.add(&slices[other]));
        assert_eq!(all.latency, whole.latency);
        assert_eq!(all.service, whole.service);
        assert_eq!((all.latency.len(), all.requests), (8, 8));
        assert_eq!(all.errors.get(&ErrorKind::Closed), Some(&3));
        assert_eq!(all.first_error, Some(says("closed")));
    }
}

#[test]
fn what_generators_measured_is_put_together() {
    let part = |machine: &str, outcome: Outcome| Part {
        machine: machine.to_owned(),
        connections: 3,
        clock: Ahead::default(),
        outcome: Compact::from(outcome),
    };
    let (one, other) = (
        took(&[1_000, 2_000], &[]),
        took(&[3_000, 3_000, 4_000], &[]),
    );
    let all = Outcome::together(vec![part("a", one.clone()), part("b", other.clone())]);
    let all = all.expect("there are two");
    // The same time, not one after the other.
    assert_eq!(all.duration, Duration::from_millis(50));
    assert_eq!(all.latency, of(&[1_000, 2_000, 3_000, 3_000, 4_000]));
    assert_eq!((all.requests, all.responses_in_window, all.sent), (5, 5, 9));
    assert_eq!(all.thread_cpu.len(), 4);
    assert_eq!(all.windows.len(), 1);
    assert_eq!((all.windows[0].responses, all.windows[0].p50_us), (5, None));
    assert_eq!(all.first_response, Some(Duration::from_nanos(2)));
    assert_eq!(all.all_responded, Some(Duration::from_nanos(6)));
    assert_eq!(all.draining, Duration::from_nanos(3));
    assert_eq!(all.parts.len(), 2);
    assert_eq!(all.parts[1].outcome.outcome(), other);
    // Slices of both add up part by part.
    let mut slices = all.clone();
    slices.add(&all);
    assert_eq!(slices.duration, Duration::from_millis(100));
    assert_eq!(slices.parts[0].outcome.rest().requests, 4);
    assert_eq!(slices.parts[1].outcome.outcome().latency.len(), 6);
    // One that heard of the end later counts by its own rate: 2 in 50 ms and 3 in 100 ms are 70 per second.
    let longer = Outcome {
        duration: Duration::from_millis(100),
        ..other
    };
    let all = Outcome::together(vec![part("a", one), part("b", longer)]).expect("there are two");
    let rate = all.responses_in_window as f64 / all.duration.as_secs_f64();
    assert!((rate - 70.0).abs() < 1e-3, "{rate}");
    assert_eq!(Outcome::together(Vec::new()), None);
}

#[test]
fn percentiles_of_several_are_those_of_all_their_raw_times() {
    let mut random = photofinish_stats::Random::stream(7, 1);
    let mut raw: Vec<Vec<u64>> = (0..5_u64)
        .map(|generator| {
            // Each has a distribution of its own: averaged percentiles would be wrong by far.
            let mean = 50_000.0 * (generator * generator + 1) as f64;
            let count = 2_000 + 3_000 * generator;
            (0..count)
                .map(|_| (random.exponential() * mean) as u64 + 1_000)
                .collect()
        })
        .collect();
    let parts = raw.iter().map(|raw| Part {
        machine: String::new(),
        connections: 1,
        clock: Ahead::default(),
        outcome: Compact::from(took(raw, &[])),
    });
    let all = Outcome::together(parts.collect()).expect("there are five");
    let mut pooled: Vec<u64> = raw.drain(..).flatten().collect();
    pooled.sort_unstable();
    assert_eq!(all.latency.len(), pooled.len() as u64);
    for quantile in [0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0] {
        let rank = (quantile * pooled.len() as f64).ceil().max(1.0) as usize;
        let raw = pooled[rank - 1];
        let reported = all.latency.value_at_quantile(quantile);
        assert!(
            all.latency.equivalent(reported, raw),
            "{quantile}: {reported} and {raw}"
        );
    }
}

#[test]
fn what_takes_little_memory_is_the_same() {
    let plain = || took(&[1_000, 2_000, 2_000, 90_000_000_000], &[]);
    let lossy = || took(&[3_000], &[1_500, 4_000]);
    let without_lag = || Outcome {
        lag: None,
        ..took(&[5_000], &[])
    };
    let late = || Outcome {
        late: Some(late(&[3_000], &[2_000])),
        ..took(&[3_000], &[])
    };
    let all: [&dyn Fn() -> Outcome; 4] = [&plain, &lossy, &without_lag, &late];
    for one in all {
        let compact = Compact::from(one());
        assert_eq!(compact.outcome(), one());
        assert_eq!(compact.rest().requests, one().requests);
        assert!(compact.rest().latency.is_empty());
        // It travels as it is.
        assert_eq!(sent(&compact), compact);
        for other in all {
            let mut sum = compact.clone();
            sum.add(&Compact::from(other()));
            let mut whole = one();
            whole.add(&other());
            assert_eq!(sum.outcome(), whole);
        }
    }
}

/// A window of 50 ms after a lead-in of 20: stalls begin in the lead-in, within the window, towards its end, and after it.
#[test]
fn a_stall_counts_whole_in_the_slice_in_which_it_began() {
    let gap = |began: i64, lasted: u64| Gap {
        began: began * 1_000_000,
        lasted: Duration::from_millis(lasted),
        under_way: false,
    };
    let ms = Duration::from_millis;
    let outcome = Outcome {
        lead_in: ms(20),
        gaps: vec![
            gap(-10, 20),
            gap(15, 5),
            gap(22, 2),
            gap(40, 200),
            gap(60, 90),
        ],
        ..took(&[1_000], &[])
    };
    let expected = SliceStalls {
        // 50 less 10, 5 and 10.
        flow: ms(25),
        stalled: ms(205),
        // 70 less 20, 5 and 10.
        loaded_flow: ms(35),
        loaded_stalled: ms(225),
        count: 3,
        under_way: Duration::ZERO,
        longest: Some(gap(40, 200)),
    };
    assert_eq!(outcome.stalls(ms(4)), expected);
    assert_eq!(outcome.stalls(ms(1_000)).flow, ms(50));
    // One that lasts for the whole window leaves no flow, and is the longest all the same.
    let longest = Gap {
        under_way: true,
        ..gap(-20, 4_990)
    };
    let under_way = Outcome {
        lead_in: ms(20),
        gaps: vec![longest],
        ..took(&[1_000], &[])
    };
    let expected = SliceStalls {
        under_way: ms(4_990),
        longest: Some(longest),
        ..SliceStalls::default()
    };
    assert_eq!(under_way.stalls(ms(4)), expected);
    // Those of a later slice lie behind the first one's window.
    let mut all = outcome.clone();
    all.add(&under_way);
    assert_eq!(all.gaps.last().map(|gap| gap.began), Some(30_000_000));
    assert_eq!(all.lead_in, ms(40));
}
