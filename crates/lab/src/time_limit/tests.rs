use super::*;

const S: Duration = Duration::from_secs(1);
const ROUND: RoundTime = RoundTime {
    before: Duration::from_secs(40),
    along: Duration::from_secs(20),
    turns: Duration::from_secs(20),
};

/// That of the first workload in this place.
const fn level(load: usize) -> Level {
    Level { workload: 0, load }
}

/// After so many rounds of one level, each of which took that long.
fn after(ended: u32, round: RoundTime, (time, fewest): (Duration, u32)) -> TimeLimit {
    TimeLimit {
        all: RoundTime {
            before: round.before * ended,
            along: round.along * ended,
            turns: round.turns * ended,
        },
        shortest: round,
        longest: round,
        ended,
        levels: vec![(level(0), round.turns * ended, ended)],
        ..TimeLimit::new(time, fewest)
    }
}

fn rounded(stretch: f64) -> f64 {
    (stretch * 1e3).round() / 1e3
}

#[test]
fn time_that_is_left_goes_into_turns() {
    // 35 of 95 s are for turns.
    assert_eq!(ROUND.stretch(95 * S), 1.75);
    assert_eq!(ROUND.stretch(76 * S), 0.8);
    assert_eq!(ROUND.stretch(61 * S), MIN_TURNS_FACTOR);
    assert_eq!(ROUND.stretch(1800 * S), MAX_TURNS_FACTOR);
    for (time, rounds) in [(400, 5), (399, 4), (79, 0), (0, 0)] {
        assert_eq!(ROUND.fit(time * S, 1.0), rounds);
    }
    assert_eq!(ROUND.fit(400 * S, 2.0), 4);
    let sequential = RoundTime {
        turns: Duration::ZERO,
        ..ROUND
    };
    assert_eq!(sequential.stretch(100 * S), 1.0);
    assert_eq!(sequential.stretch(60 * S), 1.0);
}

#[test]
fn rounds_count_by_the_mean_of_their_parts_and_turns_as_if_they_were_as_planned() {
    let mut limit = TimeLimit::new(3600 * S, 1);
    assert!(limit.begin_round(0, 9));
    assert_eq!((limit.stretch(), limit.turns_begin(level(0))), (1.0, None));
    // 90 s of three times as many turns, begun after 40 s.
    let round = Round {
        before: Some(40 * S),
        turns: vec![(level(0), 60 * S), (level(1), 30 * S)],
        stretch: 3.0,
        ..Round::begin()
    };
    let took = round.took(136 * S);
    let expected = RoundTime {
        before: 40 * S,
        along: 6 * S,
        turns: 30 * S,
    };
    assert_eq!(took, expected);
    let in_one_piece = Round::begin().took(70 * S);
    assert_eq!(
        (in_one_piece.before, in_one_piece.beside()),
        (70 * S, 70 * S)
    );
    let limit = TimeLimit {
        all: ROUND.and(took),
        shortest: ROUND.least(took),
        longest: ROUND.most(took),
        ended: 2,
        ..limit
    };
    let mean = RoundTime {
        before: 40 * S,
        along: 13 * S,
        turns: 25 * S,
    };
    assert_eq!(limit.usual(), Some(mean));
    assert_eq!((limit.shortest.along, limit.longest.along), (6 * S, 20 * S));
}

#[test]
fn another_round_is_worth_half_of_the_turns() {
    let begins = |left, done, ahead| {
        let mut limit = after(done as u32, ROUND, (left * S, 1));
        let begins = limit.begin_round(done, ahead);
        begins.then(|| (rounded(limit.stretch()), limit.round.is_last))
    };
    // Two more of 60 s and 20 s of turns: 160 s; with half of the turns 140 s, and 95% of what there is counts.
    for (left, done, ahead, expected) in [
        (161, 1, 4, Some((0.824, false))),
        (152, 1, 4, Some((0.61, false))),
        (141, 1, 4, Some((0.5, false))),
        // No more than a second one: that has the time.
        (138, 1, 4, Some((3.555, true))),
        (76, 2, 4, Some((0.61, true))),
        (69, 2, 4, None),
        // Three are there, so that one with all of its turns is made, not two with half of them; or one alone is asked for.
        (141, 3, 4, Some((3.697, true))),
        (76, 3, 4, Some((0.61, true))),
        (69, 3, 4, None),
        (100, 1, 1, Some((1.75, true))),
    ] {
        assert_eq!(begins(left, done, ahead), expected, "{left} {done} {ahead}");
    }
}

#[test]
fn a_round_that_does_not_fit_is_not_begun_unless_there_would_be_too_few() {
    let within = |fewest| (250 * S, fewest);
    // Three fit.
    for (done, ahead, stretch) in [(1, 9, 0.958), (4, 1, 8.875)] {
        let mut limit = after(1, ROUND, within(4));
        assert!(limit.begin_round(done, ahead));
        assert_eq!(rounded(limit.stretch()), stretch);
        assert!(limit.left() <= 250 * S);
    }
    let mut few = after(1, ROUND, within(5));
    assert!(few.at_most() <= 250 * S);
    assert!(few.begin_round(1, 9));
    // Four more of 80 s are made all the same, and no more.
    assert_eq!((few.stretch(), few.at_most()), (1.0, 320 * S));
    assert!(few.is_lifted());
    assert_eq!(few.turns_begin(level(0)), None);
    assert!(!few.begin_round(5, 9));
    // One is missing, and fits.
    assert!(few.begin_round(4, 9));
    assert!(few.at_most() <= 250 * S);
    // Later rounds took longer: the fewest are made all the same, and no more.
    let long = RoundTime {
        before: 400 * S,
        ..ROUND
    };
    let mut late = after(3, long, within(5));
    assert!(late.begin_round(4, 3));
    assert_eq!(late.stretch(), MIN_TURNS_FACTOR);
    assert!(!late.begin_round(5, 2));
    for (time, begins) in [(69, false), (71, true)] {
        let mut over = after(1, ROUND, (time * S, 1));
        assert_eq!(over.begin_round(1, 9), begins);
    }
    // One of the rounds took 15 s longer before its turns.
    for (time, begins) in [(84, false), (86, true)] {
        let mut over = TimeLimit {
            longest: RoundTime {
                before: 55 * S,
                ..ROUND
            },
            ..after(2, ROUND, (time * S, 1))
        };
        assert_eq!(over.begin_round(2, 9), begins);
    }
    let mut first = TimeLimit::new(Duration::ZERO, 1);
    assert!(first.begin_round(0, 9));
    assert_eq!(first.at_most(), Duration::ZERO);
    assert!(TimeLimit::new(250 * S, 2).at_most() <= 250 * S);
}

/// A run that ends once it is decided begins with short rounds; later ones take some 12 s, or what is left.
#[test]
fn rounds_until_a_decision_are_short_at_first() {
    let native = RoundTime {
        before: Duration::from_millis(1_500),
        along: Duration::from_millis(500),
        turns: 4 * S,
    };
    let stretch = |ended, round, time: Duration| {
        let mut limit = TimeLimit {
            ends_once_decided: true,
            ..after(ended, round, (time, 1))
        };
        let begins = limit.begin_round(ended as usize, 9);
        assert_eq!(limit.turns_begin(level(0)), None);
        begins.then(|| (rounded(limit.stretch()), limit.is_short()))
    };
    assert_eq!(stretch(0, native, 85 * S), Some((SHORT_SHARE, true)));
    assert_eq!(stretch(3, native, 60 * S), Some((SHORT_SHARE, true)));
    // 10 of 12 s are for turns, or 7.5 of the 9.5 s that are planned with.
    assert_eq!(stretch(4, native, 60 * S), Some((2.5, false)));
    assert_eq!(stretch(4, native, 10 * S), Some((1.875, false)));
    assert_eq!(stretch(4, native, 5 * S), None);
    // What takes a minute to start is not measured for less than planned.
    assert_eq!(stretch(1, ROUND, 1000 * S), Some((1.0, false)));
    assert_eq!(stretch(4, ROUND, 1000 * S), Some((1.0, false)));
    assert_eq!(stretch(3, ROUND, 75 * S), None);
}

/// Rounds of a run that continues for its time are long, so that processes are.
#[test]
fn rounds_for_a_time_are_fewer_and_longer() {
    let native = RoundTime {
        before: Duration::from_millis(1_500),
        along: Duration::from_millis(500),
        turns: 4 * S,
    };
    let mut limit = after(1, native, (78 * S, 1));
    assert!(limit.begin_round(1, 11));
    // Six of 12.3 s, not 13 of 6 s.
    assert_eq!(rounded(limit.stretch()), 2.587);
    // Without turns nothing can be longer: 12 of 6 s.
    let in_one_piece = RoundTime {
        along: 4_500 * Duration::from_millis(1),
        turns: Duration::ZERO,
        ..native
    };
    let mut limit = after(1, in_one_piece, (78 * S, 1));
    assert!(limit.begin_round(1, 20));
    let share = limit.round.time.expect("a time");
    assert_eq!(share.as_secs(), 6);
}

#[test]
fn a_first_round_that_takes_long_for_once_does_not_lift_the_limit_for_good() {
    let long = RoundTime {
        before: 110 * S,
        ..ROUND
    };
    let within = (400 * S, 4);
    let mut limit = after(1, long, within);
    // Two more of 150 s would fit, or of 140 s with half of the turns, but three are missing.
    assert!(limit.begin_round(1, 6));
    assert!(limit.is_lifted());
    assert_eq!(limit.stretch(), 1.0);
    limit.turns_took(level(0), 20 * S);
    limit.round_ended();
    // The second took hardly anything but its turns, so the others fit: four of 65 s and 20 s of turns. Each has 95 s.
    assert!(limit.begin_round(2, 5));
    assert!(limit.at_most() <= 400 * S);
    assert_eq!(rounded(limit.stretch()), 1.5);
    limit.time = 100 * S;
    assert!(limit.begin_round(3, 4));
    limit.time = 74 * S;
    assert!(!limit.begin_round(4, 3));
}

#[test]
fn levels_share_what_is_left_of_their_round_as_their_turns_took_before() {
    // After two rounds in which the turns of one level took 15 s and those of the other 5 s.
    let limit = |time: Option<u32>, done: &[usize]| TimeLimit {
        levels: vec![(level(0), 30 * S, 2), (level(1), 10 * S, 2)],
        round: Round {
            turns: done.iter().map(|load| (level(*load), 20 * S)).collect(),
            time: time.map(|time| time * S),
            ..Round::begin()
        },
        ..after(2, ROUND, (3600 * S, 1))
    };
    let times = |time, done: &[usize], load, passed: u32| {
        let limit = limit(Some(time), done);
        let times = limit.time_for_turns(level(load), passed * S);
        times.map(|times| (times.usual.as_secs_f64(), times.most.as_secs_f64()))
    };
    // After 40 of 200 s both are ahead, with 10 s beside their turns each: 140 s for both.
    assert_eq!(times(200, &[], 0, 40), Some((105.0, 157.5)));
    assert_eq!(times(200, &[], 1, 40), Some((35.0, 52.5)));
    assert_eq!(times(200, &[0], 1, 155), Some((35.0, 52.5)));
    // What took longer before them is theirs no longer, but for half of what is planned; nor have they more than ten times as much.
    assert_eq!(times(200, &[], 0, 100), Some((60.0, 90.0)));
    assert_eq!(times(200, &[1], 0, 250), Some((7.5, 11.25)));
    assert_eq!(times(3600, &[], 1, 40), Some((50.0, 75.0)));
    // Another level, and one that comes again.
    assert_eq!(times(200, &[], 2, 40), None);
    assert_eq!(times(200, &[0], 0, 40), None);
    let mut last = limit(Some(200), &[0]);
    last.round.is_last = true;
    let time = last.time_for_turns(level(1), 155 * S).expect("a time");
    assert_eq!((time.usual, time.most), (35 * S, 35 * S));
    assert_eq!(limit(None, &[]).time_for_turns(level(0), 40 * S), None);
    let without = TimeLimit {
        levels: vec![(level(0), Duration::ZERO, 2)],
        ..limit(Some(200), &[])
    };
    assert_eq!(without.time_for_turns(level(0), 40 * S), None);
}

#[test]
fn what_a_levels_turns_took_is_added_up_as_if_they_were_as_planned() {
    let mut limit = TimeLimit::new(3600 * S, 1);
    for (stretch, times) in [(1.0, [(0, 8), (1, 3)]), (2.0, [(1, 10), (2, 4)])] {
        limit.round = Round {
            stretch,
            ..Round::begin()
        };
        for (load, took) in times {
            limit.turns_took(level(load), took * S);
        }
        limit.round_ended();
    }
    let expected = [(0, 8, 1), (1, 8, 2), (2, 2, 1)];
    let expected = expected.map(|(load, all, rounds)| (level(load), all * S, rounds));
    assert_eq!(limit.levels, expected);
}
