//! Little's law for tools whose connections have one request at a time each.

use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{Rule, Severity};
use crate::sheet::Sheet;

/// What a closed loop was busy with.
pub struct Busy<'a> {
    /// Connections (or users, or workers), each with `depth` requests at a time at most.
    pub connections: &'a Figure,
    /// Requests that one connection may have under way.
    pub depth: f64,
    /// Mean latency in ms.
    pub mean: &'a Figure,
    /// Requests that are in the mean, for each second of the run.
    pub rate: Range,
    /// Where that rate is from, in words: `448420 requests / 2 s`.
    pub from: String,
    /// Figures that it is from.
    pub figures: Vec<&'a Figure>,
    /// Share of the run by which requests may reach beyond its ends.
    pub ends: f64,
    /// Why connections may be idle, where the tool can be told to wait.
    pub idle: &'a str,
    /// Why there may be more in the mean than the requests that were counted, if there may.
    pub extra: Option<&'a str>,
}

/// Share of the connections' time in requests below which it is worth a note.
const IDLE: f64 = 0.5;

/// Requests of a connection do not overlap: their time cannot be more than what the connections had. Less is possible, since a
/// tool may be told to wait, or be busy itself: it is never more than a note.
pub fn closed_loop(sheet: &mut Sheet, busy: &Busy<'_>) {
    let (Some(c), Some(m)) = (busy.connections.range, busy.mean.range) else {
        return;
    };
    if c.hi < 1.0 || !busy.rate.hi.is_finite() {
        return;
    }
    let at_once = busy.rate.times(m).scaled(1e-3);
    let room = c.scaled(busy.depth);
    let says = format!(
        "{} × {} = {at_once} requests at a time; {} connections{} allow {}",
        busy.from,
        busy.mean.text,
        busy.connections.text,
        if busy.depth > 1.0 {
            format!(" × {}", digits(busy.depth))
        } else {
            String::new()
        },
        digits(room.hi)
    );
    let mut figures = vec![busy.mean, busy.connections];
    figures.extend(&busy.figures);
    // 1% for the clocks.
    if at_once.above(room.scaled(1.01 + busy.ends)) {
        let (severity, meaning) = match busy.extra {
            None => (
                Severity::Impossible,
                "A connection has one request at a time, so that more cannot be under way than there are connections.",
            ),
            Some(extra) => (Severity::Doubtful, extra),
        };
        sheet.add(severity, Rule::LittlesLaw, &figures, says, meaning);
    } else if at_once.hi < IDLE * room.lo {
        sheet.add(
            Severity::Note,
            Rule::LittlesLaw,
            &figures,
            says,
            format!(
                "Only {} of the connections' time is in the latency. {}",
                percent(at_once.mid() / room.mid()),
                busy.idle
            ),
        );
    } else {
        sheet.holds(Rule::LittlesLaw, &figures, says);
    }
}

/// Why connections = rate × mean was not checked, and what would be needed.
pub fn law_not_checked(sheet: &mut Sheet, figures: &[&Figure], why: &str, remedy: &str) {
    if !figures.is_empty() {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            figures,
            format!("connections = rate × mean was not checked: {why}"),
            remedy,
        );
    }
}
