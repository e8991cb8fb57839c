//! Whether throughput has settled, and whether a measurement was steady, from the windows of a load run.

use photofinish_stats::settle::{self, Settling};
use photofinish_stats::shape::{Class, Faster, Segment, Shape, Within, classify};

use photofinish_model::message::Message;
use photofinish_model::units::Unit;
use photofinish_model::{Load, Measurement, Steadiness, Window};

use photofinish_voice::checks as found;

use crate::checks::outcome::Outcome;

/// What the windows show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// Whether throughput has settled.
    pub settled: bool,
    /// The windows at which it shifted, counted from 0.
    pub shifts: Vec<u32>,
}

/// Whether throughput has settled at the end of these windows; see [`settle::settled`]. A last
/// window that is shorter than the first is left out: its throughput says less than that of the others.
pub fn settled(windows: &[Window], how: &Settling) -> Steady {
    let reported = settle::settled(&throughput(full(windows)), how);
    Steady {
        settled: reported.is_settled(),
        shifts: reported.shifts.iter().map(|shift| *shift as u32).collect(),
    }
}

/// The fewest windows from which a measurement is judged: a line through 4 has two degrees of freedom left, and
/// calls hardly anything a drift.
pub const FEWEST_WINDOWS: usize = 5;

/// The change within a measurement that still counts as steady, relative. A mean over a measurement that shifts by 5% in its
/// middle is off by half of that; and it is the tolerance of Little's law.
pub const TOLERANCE: f64 = 0.05;

/// Whether a measurement was steady, as recorded with it, or by its windows if nothing was recorded.
pub fn of(measurement: &Measurement) -> Option<Steadiness> {
    let recorded = measurement.steadiness.clone();
    recorded.or_else(|| steadiness(measurement, &[]))
}

/// What the windows of a measurement make of it: by its throughput, and where that is flat by its median response time; `None` where
/// they are too few to say, or hold no figures.
///
/// `beside`: where targets were measured in turns, the windows of each of the others in the same turns.
pub fn steadiness(measurement: &Measurement, beside: &[Vec<Window>]) -> Option<Steadiness> {
    let shapes = Course::of(measurement, beside).shapes();
    let (_, shape) = shapes
        .iter()
        .find(|(_, shape)| shape.class != Class::Flat)
        .or(shapes.first())?;
    let shifts = shape.segments.iter().skip(1);
    Some(Steadiness {
        class: shape.class,
        // Segments of a flat series are alike.
        shifts: match shape.class {
            Class::Flat => Vec::new(),
            _ => shifts.map(|segment| segment.start as u32).collect(),
        },
    })
}

/// What is looked at for a change.
#[derive(Clone, Copy)]
struct Course<'a> {
    /// Those of full length.
    windows: &'a [Window],
    /// In turns, the windows of each of the other targets in the same turns.
    beside: &'a [Vec<Window>],
    /// The most requests that can have been under way where a run of windows begins or ends.
    in_flight: f64,
}

impl<'a> Course<'a> {
    fn of(measurement: &'a Measurement, beside: &'a [Vec<Window>]) -> Course<'a> {
        let in_flight = match measurement.load {
            Load::Closed { connections } => f64::from(connections) * f64::from(measurement.streams),
            // Requests come by a clock of their own.
            Load::Open { .. } | Load::Capacity(_) => 0.0,
        };
        Course {
            windows: full(&measurement.windows),
            beside,
            in_flight,
        }
    }

    /// By how much the throughput of a window may be off for where it begins and ends, in requests/s. Slices of turns begin and end each
    /// for itself: what their edges do is in how they differ.
    fn edge(&self) -> f64 {
        match (self.windows.first(), self.beside) {
            (Some(window), []) => self.in_flight / window.duration_s,
            _ => 0.0,
        }
    }

    /// The shape of each series; empty where windows are too few.
    fn shapes(&self) -> Vec<(SteadySeries, Shape)> {
        if self.windows.len() < FEWEST_WINDOWS {
            return Vec::new();
        }
        let shapes = [(THROUGHPUT, self.edge()), (MEDIAN, 0.0)].into_iter();
        shapes
            .filter_map(|(series, edge)| Some((series, self.shape(&series, edge)?)))
            .collect()
    }

    fn shape(&self, series: &SteadySeries, edge: f64) -> Option<Shape> {
        let SteadySeries { faster, of, .. } = *series;
        let values: Vec<f64> = self.windows.iter().map(of).collect::<Option<_>>()?;
        let tolerance = TOLERANCE;
        let mut shape = classify(&values, faster, &Within { tolerance, edge })?;
        if shape.class != Class::Flat {
            let against = relative(&values, self.beside, of);
            let against =
                against.and_then(|values| classify(&values, faster, &Within::tolerance(tolerance)));
            if against.is_some_and(|against| against.class == Class::Flat) {
                shape.class = Class::Flat;
            }
        }
        Some(shape)
    }
}

/// Whether a measurement was steady: neither its throughput nor its median response time shifts or drifts over the windows by more
/// than [`TOLERANCE`] (see [`classify`]), and no just-in-time compiler took more than that of the server's CPU time
/// (`compiling_share`): without it the server would be faster by that much, and what it compiles will be.
///
/// In turns it changes only where it also changes against the other targets of the same turns (`beside`): what slows them all down is
/// the machine, and leaves their ratio as it is. In a closed loop only what the requests under way at the windows' edges cannot explain is
/// a change of throughput: connections that wait together get their responses together, and a wave falls into one window or the next.
pub(crate) fn judge(
    measurement: &Measurement,
    beside: &[Vec<Window>],
    compiling_share: Option<f64>,
) -> Outcome {
    let course = Course::of(measurement, beside);
    let windows = course.windows;
    let shapes = course.shapes();
    let compiling = compiling_share.filter(|share| *share > TOLERANCE);
    let unsteady = shapes.iter().filter(|(_, s)| s.class != Class::Flat);
    let changes: Vec<Message> = unsteady
        .map(|(series, shape)| change(*series, shape, windows))
        .collect();
    if compiling.is_some() || !changes.is_empty() {
        let compiling = compiling.map(found::compiling);
        let parts: Vec<Message> = compiling.into_iter().chain(changes).collect();
        return Outcome::new(false, found::unsteady(parts));
    }
    match (windows.len(), shapes.as_slice()) {
        (windows, []) if windows < FEWEST_WINDOWS => {
            Outcome::new(None, found::too_few_windows(windows, FEWEST_WINDOWS))
        }
        (_, []) => Outcome::new(None, found::no_figures()),
        (windows, [(series, _)]) => Outcome::new(true, found::flat((series.name)(), windows)),
        (windows, _) => Outcome::new(true, found::flat(found::both_series(), windows)),
    }
}

/// A series of figures that is examined.
#[derive(Clone, Copy)]
struct SteadySeries {
    name: fn() -> Message,
    unit: Unit,
    faster: Faster,
    of: Figure,
}

const THROUGHPUT: SteadySeries = SteadySeries {
    name: found::throughput,
    unit: Unit::RequestsPerSecond,
    faster: Faster::Higher,
    of: |window| Some(window.responses as f64 / window.duration_s),
};

/// A window without a response has no median; its throughput says enough.
const MEDIAN: SteadySeries = SteadySeries {
    name: found::median_response_time,
    unit: Unit::Microseconds,
    faster: Faster::Lower,
    of: |window| window.p50_us,
};

/// A figure of a window.
type Figure = fn(&Window) -> Option<f64>;

/// Each value over the geometric mean of the others' in the same turn; `None` where there are no others, or one has no such figure.
fn relative(values: &[f64], beside: &[Vec<Window>], of: Figure) -> Option<Vec<f64>> {
    if beside.is_empty() {
        return None;
    }
    let against = |(turn, value): (usize, &f64)| {
        let mut sum = 0.0;
        for other in beside {
            sum += of(other.get(turn)?).filter(|figure| *figure > 0.0)?.ln();
        }
        Some(value / (sum / beside.len() as f64).exp())
    };
    values.iter().enumerate().map(against).collect()
}

/// Returns where the series shifted most, or else how it drifted.
fn change(series: SteadySeries, shape: &Shape, windows: &[Window]) -> Message {
    let at = |window: usize| windows.get(window).map_or(0.0, |window| window.start_s);
    let step = |pair: &[Segment]| match pair {
        [from, to] => (to.mean - from.mean).abs(),
        _ => 0.0,
    };
    let class = class(shape.class);
    let (name, unit) = ((series.name)(), series.unit);
    let length_s = windows.last().map_or(0.0, |w| w.start_s + w.duration_s);
    let largest = (shape.segments.windows(2)).max_by(|a, b| step(a).total_cmp(&step(b)));
    if let Some([before, after]) = largest {
        let (from, to, at_s) = ((unit, before.mean), (unit, after.mean), at(after.start));
        let changed = changed(before.mean, after.mean);
        return match shape.segments.len() - 1 {
            1 => found::shifted(class, name, changed, from, to, at_s, length_s),
            shifts => found::shifted_most(class, name, changed, from, to, at_s, length_s, shifts),
        };
    }
    let mean = shape.segments.first().map(|segment| segment.mean);
    let Some((mean, drift)) = mean.zip(shape.drift) else {
        return found::shape(class, name);
    };
    // A straight line that changes by a share of its mean goes through the mean in its middle. Neither a rate nor a time is below zero.
    let [from, to] = [-0.5, 0.5].map(|half| (mean * (1.0 + drift * half)).max(0.0));
    let changed = changed(from, to);
    found::drifted(class, name, changed, (unit, from), (unit, to), length_s)
}

fn class(class: Class) -> Message {
    match class {
        Class::Flat => found::is_flat(),
        Class::WarmUp => found::warm_up(),
        Class::SlowDown => found::slow_down(),
        Class::NoSteadyState => found::no_steady_state(),
    }
}

/// Returns by how much a figure changed; from or to zero there is no size.
fn changed(from: f64, to: f64) -> Message {
    let times = to / from;
    let has_size = times.is_finite() && times >= 0.0;
    match (to < from, has_size) {
        (true, false) => found::fell(),
        (false, false) => found::rose(),
        (_, true) if times >= 2.0 => found::rose_times(times),
        (true, true) => found::fell_by(1.0 - times),
        (false, true) => found::rose_by(times - 1.0),
    }
}

/// All windows but a last one that is shorter than the first.
pub fn full(windows: &[Window]) -> &[Window] {
    let full = windows.first().map_or(0.0, |window| window.duration_s) * 0.99;
    let is_full = |window: &&Window| window.duration_s > 0.0 && window.duration_s >= full;
    &windows[..windows.iter().take_while(is_full).count()]
}

fn throughput(windows: &[Window]) -> Vec<f64> {
    let rate = |window: &Window| window.responses as f64 / window.duration_s;
    windows.iter().map(rate).collect()
}

#[cfg(test)]
mod tests;
