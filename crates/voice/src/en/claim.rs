//! Published claims.

use photofinish_model::finding::claim::{ClaimFinding, ClaimVerdict, Range, Stated};
use photofinish_model::units::{self, Unit, ratio};

use super::load::{level, place};
use super::metric;
use super::verdict::{ratios, void};

pub(crate) fn verdict(verdict: &ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Holds => "holds",
        ClaimVerdict::DirectionHolds => "direction holds, size undecided",
        ClaimVerdict::SameDirection => "same direction, other size",
        ClaimVerdict::DoesNotHold => "does not hold here",
        ClaimVerdict::Undecided => "undecided",
        ClaimVerdict::Shown => "shown, not judged",
        ClaimVerdict::NotMeasured => "not measured",
        ClaimVerdict::Void => "void",
    }
}

pub(crate) fn stated(stated: &Stated) -> String {
    match stated {
        Stated::Ratio {
            ratio: published,
            margin,
            decimals,
        } => {
            let exactly = margin.map_or_else(String::new, |m| format!(" ± {}", units::margin(m)));
            format!("{}{exactly}", units::published(*published, *decimals))
        }
        Stated::Less {} => "less (no figure given)".to_owned(),
        Stated::More {} => "more (no figure given)".to_owned(),
    }
}

pub(crate) fn claim(claim: &ClaimFinding) -> String {
    match claim {
        ClaimFinding::Judged {
            stated: published,
            zone,
            ratio: measured,
            interval,
            at,
        } => {
            let measured = match measured {
                Some(measured) => format!("measured {}{}", ratio(*measured), ratios(*interval)),
                None => "no ratio could be measured".to_owned(),
            };
            let at = at
                .as_ref()
                .map_or_else(String::new, |load| format!(" at {}", level(load)));
            let agrees = zone.map_or_else(String::new, |zone| {
                format!(" (holds from {} to {})", ratio(zone.low), ratio(zone.high))
            });
            format!("published {}{agrees}, {measured}{at}", stated(published))
        }
        ClaimFinding::Void { reason } => void(reason),
        ClaimFinding::Shown { of, over } => format!("{}; {}", range(of), range(over)),
        ClaimFinding::NoSuchLevel { place: at } => {
            format!("{} is not among the levels of this run", place(at))
        }
        ClaimFinding::NoProfile {} => {
            "profiles of this run do not show it; run with --profile".to_owned()
        }
        ClaimFinding::NoFigure { target } => format!("{target} has no figure for it in this run"),
    }
}

fn range(range: &Range) -> String {
    let time = |low: f64, high: f64| match low == high {
        true => Unit::Microseconds.text(high),
        false => Unit::Microseconds.range(low, high),
    };
    let p999 = range.p999.map_or_else(String::new, |p999| {
        format!(" (p99.9 {})", time(p999.low, p999.high))
    });
    format!(
        "{} {} {}{p999}",
        range.target,
        metric::name(&range.metric),
        time(range.range.low, range.range.high)
    )
}
