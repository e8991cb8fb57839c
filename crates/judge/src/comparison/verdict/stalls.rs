//! Servers that stand still.

use photofinish_model::Stalls;
use photofinish_model::message::Message;
use photofinish_stats::Paired;
use photofinish_voice::measurement::ending as found;
use photofinish_voice::place as places_said;

use crate::comparison::Cell;
use crate::comparison::figures::TargetFigures;
use crate::comparison::verdict::headline::place;

/// A server stands still for a notable part of the time if that is so much more than another one does: over all rounds if a stall was long, and in
/// most of them if none was.
const SHARE: f64 = 0.01;
/// A single stall is notable from this length on, in seconds …
const LONG_S: f64 = 0.1;
/// … if it is so many times as long as any of the other servers.
const LONGER: f64 = 10.0;
/// In less time under load, in seconds, a wait that comes every few seconds is easily missed.
const SHORT_S: f64 = 20.0;

/// A finding about a cell, beside others, and its size.
type Finding = fn(&Cell, &[&Cell]) -> Option<(Message, f64)>;

/// The server that stands still for more of its time than the others, or did so once for long; `None` if none differs from the others in that.
pub(in crate::comparison) fn stalls(cells: &[Cell]) -> Option<Message> {
    let places: Vec<&Cell> = cells.iter().collect();
    let most = |of: Finding| {
        let all = cells.iter().filter_map(|cell| of(cell, &places));
        all.max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let found = most(again_and_again).or_else(|| most(once));
    found.map(|(says, _)| says)
}

/// How little load the servers had, if waits that come every few seconds may be missing from the figures for that.
pub(in crate::comparison) fn short_load(cells: &[Cell]) -> Option<Message> {
    let contenders = cells.iter().flat_map(Cell::contenders);
    let loaded = contenders.map(|target| All::of(target).loaded_s());
    let least = loaded.filter(|s| *s > 0.0).min_by(f64::total_cmp)?;
    (least < SHORT_S).then(|| found::short_load(least * 1e6))
}

/// What a server's stalls come to over the rounds.
#[derive(Default)]
struct All {
    flow_s: f64,
    stalled_s: f64,
    count: u64,
    longest_s: f64,
}

impl All {
    fn of(target: &TargetFigures) -> All {
        counted(target).fold(All::default(), |all, (_, stalls)| All {
            flow_s: all.flow_s + stalls.flow_s,
            stalled_s: all.stalled_s + stalls.stalled_s,
            count: all.count + stalls.count,
            longest_s: all.longest_s.max(stalls.longest_s),
        })
    }

    fn loaded_s(&self) -> f64 {
        self.flow_s + self.stalled_s
    }

    fn share(&self) -> f64 {
        Stalls::share_of(self.flow_s, self.stalled_s).unwrap_or(0.0)
    }
}

/// A server's stalls in the rounds that count.
fn counted(target: &TargetFigures) -> impl Iterator<Item = (&u32, &Stalls)> {
    (target.stalls.iter()).filter(|(round, _)| target.counts(**round))
}

/// Whether a server stands still for notably more of its time than another in most rounds. A stop of the machine hits one of them in a round.
fn is_so_in_most_rounds(target: &TargetFigures, other: &TargetFigures) -> bool {
    let more: Vec<bool> = counted(target)
        .filter_map(|(round, stalls)| {
            let other = other.stalls.get(round)?;
            Some(stalls.share()? - other.share()? >= SHARE)
        })
        .collect();
    more.iter().filter(|more| **more).count() * 2 > more.len()
}

/// Whether a server stands still again and again, notably more than another one.
pub(in crate::comparison) fn recur(cell: &Cell) -> bool {
    again_and_again(cell, &[cell]).is_some()
}

fn again_and_again(cell: &Cell, cells: &[&Cell]) -> Option<(Message, f64)> {
    let targets = || cell.contenders().map(|target| (target, All::of(target)));
    let (target, most) = targets().max_by(|a, b| a.1.share().total_cmp(&b.1.share()))?;
    let (other, least) = targets().min_by(|a, b| a.1.share().total_cmp(&b.1.share()))?;
    if most.count < 2 || most.share() - least.share() < SHARE {
        return None;
    }
    if most.longest_s < LONG_S && !is_so_in_most_rounds(target, other) {
        return None;
    }
    let flows: Vec<(f64, f64)> = counted(target)
        .filter_map(|(round, stalls)| Some((stalls.flow_rps, other.stalls.get(round)?.flow_rps)))
        .collect();
    let (name, over, share) = (&target.target, &other.target, most.share());
    let longest = most.longest_s * 1e6;
    let place = (cells.len() > 1).then(|| places_said::at(place(cell, cells)));
    let says = match Paired::new(&flows).as_ref().map(Paired::ratio) {
        None => found::stands_still(name, share, longest, place),
        Some(ratio) if ratio < 1.0 => {
            found::stands_still_slower(name, share, longest, 1.0 - ratio, over, place)
        }
        Some(ratio) => found::stands_still_faster(name, share, longest, ratio - 1.0, over, place),
    };
    Some((says, share))
}

fn once(cell: &Cell, cells: &[&Cell]) -> Option<(Message, f64)> {
    let longest = |target: &TargetFigures| All::of(target).longest_s;
    let target = cell
        .contenders()
        .max_by(|a, b| longest(a).total_cmp(&longest(b)))?;
    let others = cell
        .contenders()
        .filter(|other| other.target != target.target);
    let of_others = others.map(longest).fold(0.0, f64::max);
    let long = longest(target);
    if long < LONG_S || long < of_others * LONGER {
        return None;
    }
    let (round, stalls) = counted(target).max_by(|a, b| a.1.longest_s.total_cmp(&b.1.longest_s))?;
    let place = (cells.len() > 1).then(|| places_said::at(place(cell, cells)));
    let (name, longest) = (&target.target, stalls.longest_s * 1e6);
    let says = match &stalls.longest_at {
        None => found::stood_still(name, longest, *round, place),
        Some(at) => found::stood_still_from(name, longest, at, *round, place),
    };
    Some((says, long))
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_model::store::Results;
    use photofinish_model::{Metric, Stalls};

    use crate::comparison::Comparison;

    /// A race of two rounds in which `a` has these stalls in the second.
    fn race(stalled_s: f64, count: u64, longest_s: f64) -> Results {
        let mut results = samples::race(&["a", "b"], &[&[98.0; 2], &[100.0; 2]]);
        for line in &mut results.lines {
            let stands = line.target == "a" && line.round == 2;
            let only = |figure: f64| if stands { figure } else { 0.0 };
            let measurement = line.measurement.as_mut().expect("a measurement");
            measurement.stalls = Some(Stalls {
                longer_than_s: 0.002,
                flow_s: 8.0,
                stalled_s: only(stalled_s),
                count: if stands { count } else { 0 },
                longest_s: only(longest_s),
                longest_at: stands.then(|| "2026-11-30T05:00:00.250Z".to_owned()),
                flow_rps: measurement.throughput_rps,
            });
        }
        results
    }

    #[test]
    fn who_stands_still_is_named() {
        let says = |stalled_s, count, longest_s| {
            let stalls = Comparison::from(&race(stalled_s, count, longest_s)).stalls;
            stalls.map(|stalls| [stalls.en, stalls.zh])
        };
        // 9 s of 25.
        let [en, zh] = says(9.0, 45, 0.2).expect("a finding");
        assert_eq!(
            en,
            "a stands still for 36% of the time, 200 ms at most; without stalls it is 2.0% slower than b"
        );
        assert_eq!(
            zh,
            "a 有 36% 的时间处于停顿，最长 200 ms；不计停顿时比 b 慢 2.0%"
        );
        let [en, zh] = says(0.0, 0, 4.98).expect("a finding");
        assert_eq!(
            en,
            "a once gave no response for 4.98 s, from 2026-11-30T05:00:00.250Z on (round 2)"
        );
        assert_eq!(
            zh,
            "a 有一次在 4.98 s 内没有任何响应，始于 2026-11-30T05:00:00.250Z（第 2 轮）"
        );
        assert_eq!(says(0.1, 20, 0.005), None);
        // In one round of two, and never for long: that may have been the machine.
        assert_eq!(says(9.0, 900, 0.01), None);
        assert_eq!(says(0.05, 1, 0.05), None);
    }

    /// Who is slower is decided after five rounds, and by how much is not: stalls took between a third and two thirds of the time.
    #[test]
    fn stalls_are_waited_for_until_their_share_is_known() {
        let open = |a: [f64; 5], stalled_s| {
            let mut results = samples::race(&["a", "b"], &[&a, &[100.0; 5]]);
            for line in &mut results.lines {
                let stands = line.target == "a" && stalled_s > 0.0;
                let measurement = line.measurement.as_mut().expect("a measurement");
                measurement.stalls = Some(Stalls {
                    longer_than_s: 0.002,
                    flow_s: 8.0,
                    stalled_s: if stands { stalled_s } else { 0.0 },
                    count: if stands { 20 } else { 0 },
                    longest_s: if stands { 0.2 } else { 0.0 },
                    longest_at: None,
                    flow_rps: 100.0,
                });
            }
            Comparison::from(&results).progress().open
        };
        let uneven = [50.0, 60.0, 45.0, 55.0, 62.0];
        assert_eq!(open(uneven, 8.0), 1);
        assert_eq!(open(uneven, 0.0), 0);
        assert_eq!(open([50.0, 51.0, 49.0, 50.0, 50.0], 8.0), 0);
    }

    #[test]
    fn how_little_load_there_was_is_said() {
        let says = |flow_s| {
            let mut results = race(0.0, 0, 0.0);
            for line in &mut results.lines {
                let measurement = line.measurement.as_mut().expect("a measurement");
                measurement.stalls.as_mut().expect("stalls").flow_s = flow_s;
            }
            Comparison::from(&results).short_load.map(|says| says.en)
        };
        assert_eq!(
            says(1.7).as_deref(),
            Some(
                "each server was under load for 3.40 s; waits that come less often than that were not seen"
            )
        );
        assert_eq!(says(10.0), None);
    }

    #[test]
    fn stalls_are_figures() {
        let comparison = Comparison::from(&race(9.0, 45, 0.2));
        let figure = |target: usize, metric| {
            let figure = comparison.cells[0].targets[target].figure(metric);
            figure.map(|figure| (figure.range(), figure.mean))
        };
        let longest = figure(0, Metric::LongestStall);
        assert_eq!(longest, Some(("0 … 200 ms".to_owned(), None)));
        let share = figure(0, Metric::StallShare);
        assert_eq!(share.map(|(range, _)| range), Some("0 … 52.9%".to_owned()));
        let none = figure(1, Metric::StallShare).map(|(range, _)| range);
        assert_eq!(none.as_deref(), Some("0%"));
    }
}
