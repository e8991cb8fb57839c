//! How far a run is that adds rounds.

use photofinish_model::Metric;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::message::Message;
use photofinish_stats::{Direction, half_width};

use crate::comparison::verdict::stalls;
use crate::comparison::{Cell, Comparison, Verdict};

/// Where a server stands still again and again, the interval of throughput is to be this narrow: stalls are met by chance, so that it is
/// decided who is slower long before it is known by how much.
const STALLED_HALF_WIDTH: f64 = 0.05;

/// How far a run is that adds rounds until it is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The verdicts and claims that are not decided yet.
    pub open: usize,
    /// Those of them that further rounds will hardly decide.
    pub hopeless: usize,
    /// All of them: the headline's metric for every pair at every workload and load level, throughput where servers stand still, and what
    /// the study's claims are about.
    pub of: usize,
}

/// Whether further rounds are made for a figure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Over,
    Open,
    Hopeless,
}

impl Wait {
    fn until(is_enough: bool) -> Wait {
        match is_enough {
            true => Wait::Over,
            false => Wait::Open,
        }
    }

    /// Until the interval of a ratio is as narrow as was asked for.
    fn until_narrow(verdict: &Verdict, wanted: f64) -> Wait {
        let so_far = verdict.width.and_then(|width| width.so_far());
        let is_narrow = so_far.is_some_and(|half| half <= wanted);
        Wait::until(is_narrow && verdict.rounds >= half_width::FEWEST as usize)
    }

    fn until_decided(verdict: &Verdict) -> Wait {
        match verdict.direction() {
            None | Some(Direction::Undecided) if verdict.is_hopeless() => Wait::Hopeless,
            None | Some(Direction::Undecided) => Wait::Open,
            Some(_) => Wait::Over,
        }
    }
}

/// Whether further rounds are made for each of these verdicts, of those that can be decided at all: until it is decided, or until its interval is
/// as narrow as was asked for.
fn waits<'v>(verdicts: impl Iterator<Item = &'v Verdict>, half_width: Option<f64>) -> Vec<Wait> {
    let possible = verdicts.filter(|it| it.ratio.is_some() || it.is_too_early());
    possible
        .map(|verdict| match half_width {
            Some(wanted) => Wait::until_narrow(verdict, wanted),
            None => Wait::until_decided(verdict),
        })
        .collect()
}

impl Progress {
    /// How far these verdicts are.
    pub(crate) fn of_verdicts<'v>(
        verdicts: impl Iterator<Item = &'v Verdict>,
        half_width: Option<f64>,
    ) -> Progress {
        Progress::of(&waits(verdicts, half_width))
    }

    fn of(waits: &[Wait]) -> Progress {
        let count = |of: &[Wait]| waits.iter().filter(|wait| of.contains(wait)).count();
        Progress {
            open: count(&[Wait::Open, Wait::Hopeless]),
            hopeless: count(&[Wait::Hopeless]),
            of: waits.len(),
        }
    }
}

impl Comparison {
    /// What a run that adds rounds waits for: until it is decided, or until the interval of every ratio of throughputs is as narrow
    /// as was asked for. What cannot be decided (a target that failed in every round, a figure that is zero) is not waited for.
    pub fn progress(&self) -> Progress {
        let settings = &self.head.settings;
        let metric = |cell: &Cell| match settings.half_width {
            Some(_) => Metric::Throughput,
            None => cell.headline_metric,
        };
        let verdicts = (self.cells.iter()).flat_map(|cell| cell.verdicts_on(metric(cell)));
        let mut all = waits(verdicts, settings.half_width);
        // A target that is compared with its copy alone has no verdict: its noise floor is what the run is for.
        if all.is_empty() {
            let floors = self
                .cells
                .iter()
                .filter_map(|cell| cell.noise_of(metric(cell)));
            let enough = floors.filter_map(|floor| match settings.half_width {
                Some(wanted) => floor.is_narrow(wanted),
                None => floor.is_decided(settings.margin),
            });
            all.extend(enough.map(Wait::until));
        }
        if settings.half_width.is_none() {
            let stalled = self.cells.iter().filter(|cell| stalls::recur(cell));
            let throughput = stalled.flat_map(|cell| cell.verdicts_on(Metric::Throughput));
            let judged = throughput.filter(|it| it.ratio.is_some());
            all.extend(judged.map(|it| Wait::until_narrow(it, STALLED_HALF_WIDTH)));
            let claims = self.claims.iter().filter(|claim| claim.ratio.is_some());
            all.extend(claims.map(|it| Wait::until(it.verdict != ClaimVerdict::Undecided)));
        }
        Progress::of(&all)
    }

    /// The first verdict of a headline that the rounds have not decided, in a sentence with its interval.
    pub fn first_undecided(&self) -> Option<Message> {
        let cells = self.cells.iter();
        first_undecided(cells.flat_map(|cell| cell.verdicts_on(cell.headline_metric)))
    }
}

/// The sentence of the first of these verdicts that is not decided.
pub(crate) fn first_undecided<'v>(
    mut verdicts: impl Iterator<Item = &'v Verdict>,
) -> Option<Message> {
    let undecided = verdicts.find(|it| it.direction() == Some(Direction::Undecided))?;
    Some(undecided.says.clone())
}
