use std::time::Duration;

use super::*;
use crate::clock::SECOND;
use crate::histogram::note;
use crate::outcome::KINDS;

#[test]
fn kinds_stand_at_their_index() {
    for (index, kind) in KINDS.into_iter().enumerate() {
        assert_eq!(kind.index(), index);
    }
}

const MILLIS: Duration = Duration::from_millis(1);

#[test]
fn tallies_add_up() {
    let mut one = Tally::new(true);
    let mut other = Tally::new(true);
    for value in [1_000, 2_000] {
        note(&mut one.latency, value);
    }
    note(&mut other.latency, 100 * SECOND);
    other.error(ErrorKind::Timeout);
    other.status(404);
    other.counts.requests = 3;
    one.counts.requests = 4;
    one.late.note(5_000_000, 4_000_000);
    other.late.note(3_000_000, 1_000_000);
    other.late.left(7_000_000);
    one.add(&other);
    assert_eq!(one.latency.len(), 3);
    // Beyond the first bound it has grown, and says the value to 3 digits.
    assert!(one.latency.max().abs_diff(100 * SECOND) < SECOND / 10);
    assert_eq!(
        (
            one.counts.requests,
            one.counts.all_errors(),
            one.status[404]
        ),
        (7, 1, 1)
    );
    // 1 and 2 ms are left.
    assert_eq!((one.late.latency.len(), one.late.longest), (2, 7 * MILLIS));
    assert_eq!(one.late.unsent.len(), 1);
    assert_eq!(one.late.without.count_between(900_000, 2_100_000), 2);
    one.clear();
    assert_eq!(
        (one.latency.len(), one.counts.requests, one.status[404]),
        (0, 0, 0)
    );
    assert_eq!(
        (one.late.latency.len(), one.late.longest),
        (0, Duration::ZERO)
    );
    assert!(one.late.without.is_empty() && one.late.unsent.is_empty());
}
