//! The verdict of one cell in words.

use photofinish_model::Metric;
use photofinish_model::units;

use super::super::lead::{Gap, Lead, Standing};
use super::super::sustained::unjudged;
use super::super::verdicts::{margin_text, more};
use super::super::{Cell, TargetFigures};

/// A cell's verdict on throughput, and where it stands.
pub(super) struct Sentence<'c> {
    lead: Option<&'c Lead>,
    /// Whether more than two contenders have figures.
    many: bool,
    /// Whether rates that are sustained are compared.
    sustained: bool,
    place: String,
    margin: f64,
    /// Why the rate that one of them sustains cannot be judged, where that is so.
    unjudged: Vec<String>,
}

impl<'c> Sentence<'c> {
    /// About `cell`, which is called `place`.
    pub(super) fn about(cell: &'c Cell, place: String, margin: f64) -> Sentence<'c> {
        Sentence {
            lead: cell.lead(Metric::Throughput),
            many: measured(cell).count() > 2,
            sustained: cell.load.objective().is_some(),
            place,
            margin,
            unjudged: measured(cell)
                .filter_map(|target| unjudged(target, target))
                .collect(),
        }
    }

    /// In full, without a full stop.
    pub(super) fn full(&self) -> String {
        let place = &self.place;
        let why = self.unjudged.join(", ");
        match self.lead {
            None if why.is_empty() => format!("no verdict at {place}"),
            None => format!("no verdict at {place}: {why}"),
            Some(lead) if why.is_empty() => self.of(lead),
            Some(lead) => format!("{}; {why}", self.of(lead)),
        }
    }

    fn of(&self, lead: &Lead) -> String {
        let place = &self.place;
        let Some(gap) = &lead.gap else {
            return self.level(lead);
        };
        let Gap { over: other, .. } = gap;
        let (more, bounds) = more(gap.ratio, gap.interval);
        let names = and(&lead.leaders);
        let alone = lead.leaders.len() == 1;
        let much = gap.ratio < 2.0;
        let answer = match (self.sustained, alone) {
            (true, true) => "sustains",
            (true, false) => "sustain",
            (false, true) => "answers",
            (false, false) => "answer",
        };
        if alone && lead.beside.is_empty() {
            return match (self.many, much) {
                (false, true) => format!(
                    "{names} {answer} {more} more requests per second than {other} at {place} {bounds}"
                ),
                (false, false) => format!(
                    "{names} {answer} {more} times as many requests per second as {other} at {place} {bounds}"
                ),
                (true, true) => format!(
                    "{names} {answer} the most requests per second at {place}, {more} {bounds} more than {other}, the next"
                ),
                (true, false) => format!(
                    "{names} {answer} the most requests per second at {place}, {more} {bounds} times as many as {other}, the next"
                ),
            };
        }
        let other = match lead.behind.len() {
            1 => other.clone(),
            several => format!("{other}, the best of {several} that are behind,"),
        };
        let than = if much {
            format!("{more} {bounds} more requests per second than {other}")
        } else {
            format!("{more} {bounds} times as many requests per second as {other}")
        };
        let rest = self.rest(lead).join("; ");
        format!("{names} {answer} {than} at {place}; {rest}")
    }

    /// As one of a few, without a full stop; the interval stands in the report.
    pub(super) fn brief(&self) -> String {
        let place = &self.place;
        let Some(lead) = self.lead else {
            return format!("at {place} no verdict");
        };
        let Some(gap) = &lead.gap else {
            let outcome = match lead.among {
                Some(Standing::Tie) => "a tie",
                Some(Standing::Mixed) => "no clear order",
                Some(Standing::Undecided) | None => "undecided",
            };
            return format!("at {place} {outcome}");
        };
        let (more, _) = more(gap.ratio, gap.interval);
        let names = and(&lead.leaders);
        let is = is(&lead.leaders);
        let other = match (lead.behind.len(), lead.beside.is_empty()) {
            (1, false) => &gap.over,
            (1, true) if lead.leaders.len() > 1 || !self.many => &gap.over,
            _ => "the next",
        };
        let rest = match self.rest(lead) {
            rest if rest.is_empty() => String::new(),
            rest => format!(" ({})", rest.join(", ")),
        };
        if gap.ratio < 2.0 {
            format!("at {place} {names} {is} {more} faster than {other}{rest}")
        } else {
            format!("at {place} {names} {is} {more} times as fast as {other}{rest}")
        }
    }

    /// Where no group is ahead of the others.
    fn level(&self, lead: &Lead) -> String {
        let place = &self.place;
        let mut names = lead.leaders.clone();
        names.extend(lead.beside.iter().cloned());
        let names = and(&names);
        match lead.among {
            Some(Standing::Tie) if lead.beside.is_empty() => format!(
                "{names} tie within {} in requests per second at {place}",
                margin_text(self.margin)
            ),
            Some(Standing::Mixed) => format!("no clear order between {names} at {place}"),
            _ => format!("undecided between {names} at {place}{}", tell(lead)),
        }
    }

    /// How the leaders stand to one another and to those of whom nothing is claimed.
    fn rest(&self, lead: &Lead) -> Vec<String> {
        let them = match lead.leaders.len() {
            2 => "the two".to_owned(),
            several => format!("these {several}"),
        };
        let among = lead.among.map(|among| match among {
            Standing::Tie => format!("{them} tie within {}", margin_text(self.margin)),
            Standing::Undecided => format!("undecided between {them}{}", tell(lead)),
            Standing::Mixed => format!("no clear order between {them}"),
        });
        let beside = (!lead.beside.is_empty()).then(|| {
            format!(
                "{} {} not told apart from {}{}",
                and(&lead.beside),
                is(&lead.beside),
                and(&lead.leaders),
                tell(lead)
            )
        });
        among.into_iter().chain(beside).collect()
    }
}

/// The contenders with figures.
pub(super) fn measured(cell: &Cell) -> impl Iterator<Item = &TargetFigures> {
    cell.contenders().filter(|target| target.rounds > 0)
}

/// ` (about 30 rounds would tell)`, or nothing.
fn tell(lead: &Lead) -> String {
    lead.rounds_needed.map_or_else(String::new, |needed| {
        format!(
            " (about {} rounds would tell)",
            units::thousands(f64::from(needed))
        )
    })
}

fn is(names: &[String]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
