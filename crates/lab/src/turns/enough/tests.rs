use super::*;

const CUT: Cut = Cut {
    counted: Duration::from_millis(50),
    lead_in: Duration::from_millis(20),
    turns: 100,
    stall: Duration::from_millis(2),
};
const TURN_TIME: Duration = Duration::from_millis(150);
const PLANNED_TIME: Duration = Duration::from_secs(10);
const PLENTY: Duration = Duration::from_secs(1_000);

const USUAL: Placement = Placement::at(0);
const OTHER: Placement = Placement::at(1);

/// Turns with the cores as usual: so many undisturbed ones, and so many disturbed ones of each grade.
fn tally(usual: u32, disturbed: [u32; Grade::ALL]) -> Tally {
    let disturbed = disturbed.into_iter().enumerate();
    let disturbed =
        disturbed.map(|(grade, turns)| (at(USUAL, Disturbed::OtherProcesses, grade), turns));
    let tally = Tally::default().and(TurnState::new(Ok(USUAL), None), usual);
    disturbed.fold(tally, |tally, (seen, turns)| tally.and(seen, turns))
}

fn at(placement: Placement, what: Disturbed, grade: usize) -> TurnState {
    TurnState::new(Ok(placement), Some((what, Grade::at(grade))))
}

impl Tally {
    fn and(mut self, seen: TurnState, turns: u32) -> Tally {
        (0..turns).for_each(|_| self.add(seen));
        self
    }

    /// And so many that nothing disturbed but that the cores lay elsewhere.
    fn and_elsewhere(self, turns: u32) -> Tally {
        self.and(TurnState::new(Ok(OTHER), None), turns)
    }
}

/// Of a run whose cores usually lay in one placement, and in the level before it in that one.
fn lately(placement: Placement) -> Placements {
    let mut placements = Placements::default();
    for (latency, turns) in [(40.0, 2), (200.0, 1)] {
        for _ in 0..turns {
            placements.add([latency].into_iter()).expect("a placement");
        }
    }
    placements.level_ends(placement);
    placements
}

#[test]
fn turns_are_made_until_enough_are_undisturbed() {
    let goes_on = |undisturbed, disturbed| {
        let tally = tally(undisturbed, [disturbed, 0, 0, 0, 0, 0]);
        tally.goes_on(&CUT, TURN_TIME, PLANNED_TIME, PLENTY, &lately(USUAL))
    };
    assert!(goes_on(99, 0));
    assert!(!goes_on(100, 0));
    assert!(!goes_on(50, 50));
    assert!(goes_on(49, 51));
    assert!(goes_on(49, 240));
    assert!(!goes_on(49, 251));
    // A sixth would be enough in three times as many; less is not, once 6 s have passed.
    assert!(goes_on(17, 83));
    assert!(!goes_on(16, 84));
    let short = Duration::from_millis(30);
    let all_disturbed = |made, asked| {
        tally(0, [made, 0, 0, 0, 0, 0]).goes_on(&CUT, short, asked, PLENTY, &lately(USUAL))
    };
    assert!(all_disturbed(100, PLANNED_TIME));
    assert!(!all_disturbed(200, PLANNED_TIME));
    // What other levels have used up is not there for this one: 10 turns more are 1.5 s.
    let left = |made: u32, left| {
        let left = Duration::from_millis(left);
        let tally = tally(49, [made - 49, 0, 0, 0, 0, 0]);
        tally.goes_on(&CUT, TURN_TIME, PLANNED_TIME, left, &lately(USUAL))
    };
    assert!(left(99, 0) && left(109, 1_500));
    assert!(!left(100, 0) && !left(110, 1_500));
    // Uneven ones are as good as others here.
    let with_uneven = |uneven| {
        let tally = tally(20, [80 - uneven, 0, 0, 0, 0, 0]);
        let tally = tally.and(at(USUAL, Disturbed::UnevenCores, 0), uneven);
        tally.goes_on(&CUT, TURN_TIME, PLANNED_TIME, PLENTY, &lately(USUAL))
    };
    assert!(with_uneven(29) && !with_uneven(30));
    // Cores that were moved stay there for longer.
    let moved = |made, moved| {
        let tally = tally(0, [made - moved, 0, 0, 0, 0, 0]);
        let tally = tally.and(TurnState::new(Err(Grade::at(0)), None), moved);
        tally.goes_on(&CUT, TURN_TIME, PLANNED_TIME, PLENTY, &lately(USUAL))
    };
    assert!(moved(133, 67));
    assert!(!moved(133, 66));
    // 20 s of 150 ms each.
    assert!(!moved(134, 134));
    let elsewhere = |elsewhere, have_settled| {
        let lately = lately(if have_settled { OTHER } else { USUAL });
        let tally = Tally::default().and_elsewhere(elsewhere);
        tally.goes_on(&CUT, TURN_TIME, PLANNED_TIME, PLENTY, &lately)
    };
    assert!(elsewhere(133, false));
    assert!(!elsewhere(134, false));
    // Where they lie there since an earlier level nobody waits for them.
    assert!(elsewhere(99, true));
    assert!(!elsewhere(100, true));
    // Of a level of 1.1 s, no more than 3.3 s.
    let little = Duration::from_millis(1_100);
    assert!(all_disturbed(109, little));
    assert!(!all_disturbed(110, little));
}

#[test]
fn turns_for_a_time_go_on_for_longer_where_hardly_any_is_undisturbed() {
    let s = Duration::from_secs;
    let time = TurnTime {
        usual: s(10),
        most: s(15),
    };
    let goes_on = |tally: &Tally, passed| tally.goes_on_for(&CUT, time, passed);
    let ms = Duration::from_millis(1);
    // However many there are, and were to be. A fifth of the planned 100 is enough.
    let enough = tally(20, [400, 0, 0, 0, 0, 0]);
    assert!(goes_on(&enough, s(10) - ms) && !goes_on(&enough, s(10)));
    let few = tally(19, [40, 0, 0, 0, 0, 0]);
    assert!(goes_on(&few, s(10)) && goes_on(&few, s(15) - ms) && !goes_on(&few, s(15)));
    let elsewhere = few.clone().and_elsewhere(20);
    assert!(!goes_on(&elsewhere, s(10)));
    let uneven = few.and(at(USUAL, Disturbed::UnevenCores, 0), 1);
    assert!(!goes_on(&uneven, s(10)));
    // No level has fewer turns than the fewest.
    assert!(goes_on(&tally(3, [0; 6]), s(100)) && !goes_on(&tally(4, [0; 6]), s(100)));
}

#[test]
fn where_hardly_any_is_undisturbed_the_least_disturbed_count() {
    let kept_grades = |usual, disturbed| {
        let counted = tally(usual, disturbed).counted(&CUT, USUAL);
        assert_eq!(counted.placement, USUAL);
        counted.kept_grades
    };
    assert_eq!(kept_grades(100, [0; 6]), 0);
    assert_eq!(kept_grades(10, [90, 0, 0, 0, 0, 0]), 0);
    assert_eq!(kept_grades(9, [41, 50, 0, 0, 0, 0]), 1);
    assert_eq!(kept_grades(9, [40, 50, 1, 0, 0, 0]), 2);
    // A fifth of 20.
    let short = Cut { turns: 20, ..CUT };
    let few = |usual| tally(usual, [20, 0, 0, 0, 0, 0]).counted(&short, USUAL);
    let kept_of_few = |usual| few(usual).kept_grades;
    assert_eq!((kept_of_few(4), kept_of_few(3)), (0, 1));
    assert_eq!(kept_grades(0, [0, 0, 0, 0, 0, 100]), 6);
    // Targets that fail end a level before its time.
    assert_eq!(kept_grades(0, [3, 0, 0, 0, 0, 0]), 6);
}

#[test]
fn turns_with_the_cores_here_and_there_do_not_count_together() {
    let counted = |usual, elsewhere, disturbed| {
        let tally = tally(usual, [disturbed, 0, 0, 0, 0, 0]).and_elsewhere(elsewhere);
        let counted = tally.counted(&CUT, USUAL);
        (counted.placement == OTHER, counted.kept_grades)
    };
    assert_eq!(counted(10, 90, 0), (false, 0));
    assert_eq!(counted(9, 91, 0), (true, 0));
    assert_eq!(counted(9, 10, 81), (true, 0));
    assert_eq!(counted(9, 9, 82), (false, 1));
    // Too few, and where they lay nothing else disturbed them.
    assert_eq!(counted(3, 9, 88), (true, Grade::ALL));
    // All are disturbed: those of the placement with more turns count.
    let others = |placement| at(placement, Disturbed::OtherProcesses, 0);
    let disturbed = |usual, elsewhere| {
        let tally = Tally::default().and(others(USUAL), usual);
        tally.and(others(OTHER), elsewhere).counted(&CUT, USUAL)
    };
    let of = |placement, kept_grades| Counted {
        placement,
        kept_grades,
    };
    assert_eq!(disturbed(0, 60), of(OTHER, 1));
    assert_eq!(disturbed(50, 60), of(OTHER, 1));
    assert_eq!(disturbed(60, 50), of(USUAL, 1));
    let moved = |grade| TurnState::new(Err(Grade::at(grade)), None);
    let tally = Tally::default().and(moved(2), 3);
    assert_eq!(tally.counted(&CUT, USUAL), of(USUAL, Grade::ALL));
    let counts = |seen: TurnState| of(OTHER, 1).counts(seen.kind());
    assert!(counts(TurnState::new(Ok(OTHER), None)) && counts(others(OTHER)));
    assert!(!counts(TurnState::new(Ok(USUAL), None)) && !counts(others(USUAL)));
    assert!(counts(moved(0)) && !counts(moved(1)));
    assert!(!counts(at(OTHER, Disturbed::StoppedCore, 1)));
}
