use super::*;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

const FAST: Pilot = Pilot {
    rps: 60_000.0,
    usual: Duration::from_micros(200),
    p90: Duration::from_micros(400),
    mean: Duration::from_micros(200),
    first: Some(Duration::from_micros(100)),
    full_after: Some(Duration::from_millis(1)),
    achieved: None,
    compiles: false,
    between: ms(2),
    longest: ms(2),
    outlasting: [0.0; 16],
    stalled: false,
};

#[test]
fn best_turns_are_no_fewer_than_planned_and_at_most_three_times_as_many() {
    let cut = cut(&[FAST; 2], Duration::from_secs(2)).expect("turns");
    assert_eq!(cut.turns, 100);
    for (best, turns) in [
        (f64::NAN, 100),
        (0.0, 100),
        (99.9, 100),
        (141.7, 141),
        (300.5, 300),
        (f64::INFINITY, 300),
    ] {
        assert_eq!(cut.with_best(best), Cut { turns, ..cut });
    }
}

#[test]
fn a_stretched_level_has_some_turns() {
    let cut = cut(&[FAST; 2], Duration::from_secs(2)).expect("turns");
    for (times, turns) in [(1.0, 100), (2.5, 250), (0.5, 50), (0.01, MIN_TURNS)] {
        assert_eq!(cut.stretched(times), Cut { turns, ..cut });
    }
}

#[test]
fn slices_are_as_short_as_the_slowest_target_allows() {
    let of = |pilots: &[Pilot]| cut(pilots, Duration::from_secs(5));
    let expected = |counted, lead_in, turns| {
        Ok(Cut {
            counted: ms(counted),
            lead_in: ms(lead_in),
            turns,
            stall: ms(5),
        })
    };
    assert_eq!(of(&[FAST; 2]), expected(15, 5, 250));
    // 300 requests at 2,000/s are 150 ms.
    let slower = Pilot {
        rps: 2_000.0,
        ..FAST
    };
    assert_eq!(of(&[FAST, slower]), expected(150, 5, 33));
    // 20 times 4.2 ms is 84 ms, in steps of 5.
    let longer = Pilot {
        p90: Duration::from_micros(4_200),
        ..FAST
    };
    assert_eq!(of(&[longer, FAST]), expected(85, 5, 56));
    // What comes between slices takes as long as they do, at most.
    let far = |between| Pilot {
        between: ms(between),
        ..FAST
    };
    assert_eq!(of(&[far(41), far(60)]), expected(45, 5, 100));
    assert_eq!(of(&[far(300)]), expected(100, 5, 48));
    let compiles = Pilot {
        compiles: true,
        ..FAST
    };
    assert_eq!(of(&[FAST, compiles]), expected(100, 50, 34));
    // Until the flow is full, but at most a third of the slice.
    let late = |after| Pilot {
        full_after: after,
        ..FAST
    };
    assert_eq!(of(&[late(Some(ms(6)))]), expected(15, 6, 239));
    let half = Ok(Cut {
        counted: ms(15),
        lead_in: Duration::from_micros(7_500),
        turns: 223,
        stall: ms(5),
    });
    assert_eq!(of(&[late(Some(ms(70)))]), half);
    assert_eq!(of(&[late(None)]), half);
    let open = Pilot {
        achieved: Some(0.999),
        ..FAST
    };
    assert_eq!(of(&[open; 2]), expected(20, 10, 167));
    // Eight at least, where they take no more than twice the duration; four in any case.
    assert_eq!(cut(&[slower], ms(700)), expected(150, 5, 8));
    assert_eq!(cut(&[slower], ms(500)), expected(150, 5, 7));
    assert_eq!(cut(&[slower], ms(100)), expected(150, 5, 4));
}

#[test]
fn a_piece_beside_turns_is_a_fifth_of_the_duration() {
    let usual = |duration| block(ms(duration));
    assert_eq!(usual(2_500), Some(ms(500)));
    assert_eq!(usual(60_000), Some(ms(2_000)));
    assert_eq!(usual(1_000), None);
    // It is twice as long as the turns if servers stalled in them.
    let stalled = |duration| stalled_block(ms(duration));
    assert_eq!(stalled(2_500), ms(5_000));
    assert_eq!(stalled(60_000), ms(10_000));
    assert_eq!(stalled(100), ms(300));
}

#[test]
fn slices_are_shorter_where_few_would_fit_and_responses_flow() {
    let of = |pilot| cut(&[FAST, pilot], ms(2_400)).map(|cut| (cut.counted, cut.turns));
    // Eight slices of 400 ms and their lead-ins of half of that fit into twice the duration: 20 times 60 ms would leave no eight.
    let flows = Pilot {
        p90: ms(60),
        mean: ms(40),
        full_after: Some(ms(900)),
        ..FAST
    };
    assert_eq!(of(flows), Ok((ms(400), 8)));
    // 20 times 19 ms fits; five times 90 ms is 450.
    assert_eq!(
        of(Pilot {
            p90: ms(19),
            ..flows
        }),
        Ok((ms(380), 8))
    );
    assert_eq!(
        of(Pilot {
            mean: ms(90),
            ..flows
        }),
        Ok((ms(450), 8))
    );
    // Waves of 40 ms: 20 of them are 800 ms, and 20 of 60 ms more than four slices could have.
    let waves = |first| {
        of(Pilot {
            first: Some(ms(first)),
            ..flows
        })
    };
    assert_eq!(waves(40), Ok((ms(800), 4)));
    assert_eq!(waves(60), Err(OnePiece::Slow));
    // No longer than what is wished.
    assert_eq!(
        of(Pilot {
            p90: ms(30),
            mean: ms(200),
            ..flows
        }),
        Ok((ms(600), 6))
    );
    // An open loop's queue is what it is at its rate.
    let open = Pilot {
        achieved: Some(1.0),
        ..flows
    };
    assert_eq!(of(open), Err(OnePiece::Slow));
}

/// Each 500th of 100,000 responses per second takes 0.2 s: half of the connections' time.
#[test]
fn slices_are_long_beside_responses_that_keep_many_connections() {
    let mut latency = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds");
    latency.record_n(400_000, 24_950).expect("in bounds");
    latency.record_n(200_000_000, 50).expect("in bounds");
    let (longest, outlasting) = outlasting(&latency);
    assert!(longest >= ms(200) && longest < ms(201), "{longest:?}");
    // 10 s of 19.98 s.
    assert!((outlasting[0] - 0.5005).abs() < 1e-3, "{outlasting:?}");
    assert!(
        outlasting[6] > 0.5 && outlasting[7] == 0.0,
        "{outlasting:?}"
    );
    let waits = Pilot {
        longest: ms(200),
        outlasting,
        ..FAST
    };
    let of = |duration| cut(&[FAST, waits], ms(duration));
    let found = of(8_000).expect("slices");
    assert_eq!((found.counted, found.lead_in), (ms(2_000), ms(600)));
    assert_eq!(of(2_500), Err(OnePiece::Slow));
    // Those of a fifth of the time are left to the slices that there are.
    let rare = Pilot {
        outlasting: [MAX_OUTLASTING_SHARE; 16],
        ..waits
    };
    assert_eq!(cut(&[rare], ms(2_500)).map(|cut| cut.counted), Ok(ms(15)));
}

#[test]
fn a_stall_within_a_pilot_is_none_of_its_response_times() {
    use photofinish_load::Gap;
    let second = Duration::from_secs(1);
    let mut outcome = crate::fake::outcome(16, PILOT_TIME, 20_000, Duration::from_micros(160));
    outcome.first_response = Some(ms(120));
    outcome.all_responded = Some(ms(122));
    outcome.gaps = vec![Gap {
        began: -50_000_000,
        lasted: ms(119),
        under_way: true,
    }];
    outcome.lead_in = ms(50);
    let pilot = Pilot::of(&outcome, false, ms(2));
    // 20,000 in 200 ms less 69.
    assert!((pilot.rps - 20_000.0 / 0.131).abs() < 1.0, "{}", pilot.rps);
    assert_eq!((pilot.first, pilot.full_after), (Some(ms(1)), Some(ms(3))));
    assert!(!pilot.is_stalled());
    outcome.gaps[0].lasted = second;
    assert!(Pilot::of(&outcome, false, ms(2)).is_stalled());
}

#[test]
fn what_is_too_slow_for_slices_is_measured_in_one_piece() {
    let of = |pilot| cut(&[FAST, pilot], ms(800));
    assert_eq!(of(Pilot { rps: 700.0, ..FAST }), Err(OnePiece::Slow));
    // 300 requests at 700/s are 429 ms, which four slices have within 2 s with their lead-ins, and not within 1.6 s.
    let slow = Pilot { rps: 700.0, ..FAST };
    let slices = cut(&[FAST, slow], ms(1_000)).expect("slices");
    assert_eq!((slices.counted, slices.turns), (ms(430), 5));
    assert_eq!(of(Pilot { rps: 0.0, ..FAST }), Err(OnePiece::Slow));
    assert_eq!(
        of(Pilot {
            p90: ms(21),
            first: None,
            ..FAST
        }),
        Err(OnePiece::Slow)
    );
    assert_eq!(
        of(Pilot {
            p90: Duration::MAX,
            first: None,
            ..FAST
        }),
        Err(OnePiece::Slow)
    );
    let overloaded = Pilot {
        achieved: Some(0.9),
        ..FAST
    };
    assert_eq!(of(overloaded), Err(OnePiece::Overloaded));
}
