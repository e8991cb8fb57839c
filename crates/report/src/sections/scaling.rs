//! The Universal Scalability Law over the connections: its curve and peak, and its coefficients.

use photofinish_judge::comparison::{Fitted, Peak, Scaling};
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table};
use crate::figure::look::Look;
use crate::figure::plot::{ENDS, Plot};
use crate::figure::{Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::Source;

/// Points of a curve.
const POINTS: u32 = 60;

pub(super) fn of<'a>(source: &Source<'a>, workload: &str, label: &str) -> Option<&'a Scaling> {
    let mut all = source.comparison.scaling.iter();
    all.find(|law| law.workload == workload && law.target == label)
}

/// Whether the law describes the figures.
pub(super) fn is_drawn(law: &Scaling) -> bool {
    law.peak != Peak::DoesNotFit
}

/// Whether a peak lies within the levels that were measured.
pub(super) fn has_peak(law: &Scaling) -> bool {
    law.peak == Peak::Within
}

/// X(N) = γN / (1 + α(N − 1) + βN(N − 1)).
fn throughput(law: &Scaling, connections: f64) -> f64 {
    let others = connections - 1.0;
    let cost = 1.0 + law.alpha.value * others + law.beta.value * connections * others;
    law.gamma.value * connections / cost
}

/// Points of the law's curve: connections and throughput.
fn points(law: &Scaling, [low, high]: [f64; 2]) -> impl Iterator<Item = (f64, f64)> {
    let (from, to) = (low.max(1.0), high);
    (0..=POINTS).map(move |k| {
        let connections = from * (to / from).powf(f64::from(k) / f64::from(POINTS));
        (connections, throughput(law, connections))
    })
}

/// The highest throughput of the law's curve.
pub(super) fn highest(law: &Scaling, levels: [f64; 2]) -> f64 {
    points(law, levels)
        .map(|(_, rate)| rate)
        .fold(0.0, f64::max)
}

pub(super) fn curve(law: &Scaling, plot: &Plot) -> Shape {
    let points = points(law, [plot.x.low, plot.x.high]);
    let places = points.map(|(connections, rate)| plot.at(connections, rate));
    Shape::Path(places.collect(), "line")
}

/// The peak: a mark with its interval near the axis, the `row`th of them, and a line up to the curve.
pub(super) fn peak(law: &Scaling, look: Look, plot: &Plot, row: usize) -> Option<Shape> {
    let knee = law.knee.as_ref()?;
    let interval = knee.interval?;
    let at = ENDS[1] - 8.0 - 12.0 * row as f64;
    let [low, high, middle] = [interval.low, interval.high, knee.value].map(|n| plot.x.x(n));
    let (_, up) = plot.at(knee.value, throughput(law, knee.value));
    let end = |x: f64| Shape::Line((x, at - 3.0), (x, at + 3.0), "bar");
    let shapes = vec![
        Shape::Line((middle, at), (middle, up), "at"),
        Shape::Line((low, at), (high, at), "bar"),
        end(low),
        end(high),
        Shape::Mark((middle, at), Style::Hollow),
    ];
    Some(Shape::Group(Look { mark: 3, ..look }, 0.0, shapes, None))
}

/// What the law says of each server, and its coefficients; or why it says nothing.
pub(super) fn scaling(source: &Source, workload: &str) -> Vec<Block> {
    let labels = source.labels();
    let fits = labels
        .iter()
        .filter_map(|label| of(source, workload, label));
    let fits: Vec<&Scaling> = fits.collect();
    let unfitted = source.pictures.into_iter().flat_map(|page| &page.unfitted);
    let unfitted = unfitted.filter(|why| why.workload == workload);
    let unfitted = unfitted.map(|why| Text::from(&why.says));
    if fits.is_empty() {
        return unfitted.map(Block::Line).collect();
    }
    let says = fits.iter().map(|law| Text::from(&law.says)).chain(unfitted);
    vec![
        Block::muted(label::scaling_the_curve_through_the_marks()),
        Block::list(says, Tone::Plain),
        Block::Table(coefficients(&fits)),
    ]
}

fn coefficients(fits: &[&Scaling]) -> Table {
    let whole = |value: f64| units::thousands(value.round());
    let gamma = |law: &&&Scaling| Figure {
        text: labels::rate(law.gamma.value),
        ..fitted(law.gamma, units::number)
    };
    let knee = |law: &&&Scaling| {
        let Some(knee) = law.knee.filter(|knee| knee.interval.is_some()) else {
            return Figure::none();
        };
        let at = whole(knee.value);
        Figure {
            text: Text::both(format!("{at} connections"), format!("{at} 个连接")),
            ..fitted(knee, whole)
        }
    };
    Table::of(fits)
        .column(label::server(), |law| Figure::new(&law.target))
        .column(label::scaling_gamma(), gamma)
        .column(label::scaling_alpha(), |it| {
            fitted(it.alpha, units::percent)
        })
        .column(label::scaling_beta(), |law| fitted(law.beta, exponent))
        .column(label::scaling_knee(), knee)
        .column(label::scaling_residual(), |it| units::percent(it.residual))
        .table()
}

fn exponent(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value => format!("{value:.2e}"),
    }
}

fn fitted(fitted: Fitted, text: impl Fn(f64) -> String) -> Figure {
    let bounds = fitted.interval.map(|interval| {
        Text::from(format!(
            "[{} … {}]",
            text(interval.low),
            text(interval.high)
        ))
    });
    let bounds = bounds.unwrap_or_else(|| Text::from(label::scaling_unbounded()));
    Figure::new(text(fitted.value)).over(Some(bounds))
}

#[cfg(test)]
mod tests {
    use photofinish_voice::scaling as found;

    use super::*;

    #[test]
    fn the_curve_is_the_law_s() {
        let fitted = |value| Fitted {
            value,
            interval: None,
        };
        let law = Scaling {
            workload: "w".to_owned(),
            target: "a".to_owned(),
            levels: Vec::new(),
            gamma: fitted(1_000.0),
            alpha: fitted(0.02),
            beta: fitted(0.0005),
            knee: None,
            residual: 0.0,
            peak: Peak::None,
            says: found::no_peak("a", 256_u32),
        };
        assert_eq!(throughput(&law, 1.0), 1_000.0);
        // 10,000 / (1 + 0.02 · 9 + 0.0005 · 10 · 9).
        assert!((throughput(&law, 10.0) - 10_000.0 / 1.225).abs() < 1e-9);
        // N* = √((1 − α) / β) = 44.27: less on both sides.
        let peak = throughput(&law, 44.27);
        assert!(throughput(&law, 43.0) < peak && throughput(&law, 46.0) < peak);
    }
}
