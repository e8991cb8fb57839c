//! Scales and the labels along them.

use photofinish_model::units::{self, Unit};
use photofinish_stats::Interval;

use super::{Anchor, Label, Place, Shape};

/// Widths in pixels for which the labels of an axis are chosen.
const NARROW: f64 = 290.0;
const WIDE: f64 = 620.0;

/// Pixels next to a drawing that labels may use.
const EDGE: f64 = 12.0;

/// A scale from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) is_log: bool,
    /// Whether values grow from right to left, so that the better ones lie on the right.
    pub(crate) is_turned: bool,
}

/// A tick with its label.
pub(crate) type Tick = (f64, String);

impl Scale {
    pub(crate) fn linear(low: f64, high: f64) -> Scale {
        Scale {
            low,
            high,
            is_log: false,
            is_turned: false,
        }
    }

    pub(crate) fn log(low: f64, high: f64) -> Scale {
        Scale {
            is_log: true,
            ..Scale::linear(low, high)
        }
    }

    /// For ratios: twice the margin to either side of 1, and as far as these reach, with some space at both ends.
    pub(crate) fn of_ratios(margin: f64, ratios: impl IntoIterator<Item = f64>) -> Scale {
        let near = (1.0 + margin).powi(2);
        let ends = ratios
            .into_iter()
            .fold((near.recip(), near), |ends, ratio| {
                (ends.0.min(ratio), ends.1.max(ratio))
            });
        let (low, high) = ends;
        let space = (high / low).powf(0.04);
        Scale::log(low / space, high * space)
    }

    /// The same, with the values growing from right to left if `is_turned`.
    pub(crate) fn turned(self, is_turned: bool) -> Scale {
        Scale { is_turned, ..self }
    }

    /// How far along a value lies, from 0 to 1; at an end if it lies beyond.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let share = match self.is_log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        match (share.is_finite(), self.is_turned) {
            (true, false) => share.clamp(0.0, 1.0),
            (true, true) => 1.0 - share.clamp(0.0, 1.0),
            (false, _) => 0.5,
        }
    }

    /// The place across in percent.
    pub(crate) fn x(&self, value: f64) -> f64 {
        100.0 * self.share(value)
    }

    /// The place down in pixels, between two ends.
    pub(crate) fn y(&self, value: f64, [top, bottom]: [f64; 2]) -> f64 {
        bottom - (bottom - top) * self.share(value)
    }
}

/// From the smallest to the largest of values and their intervals; an interval that bounds nothing does not stretch the scale.
pub(crate) fn reach(values: impl IntoIterator<Item = (f64, f64, Option<Interval>)>) -> (f64, f64) {
    let mut reach = (f64::INFINITY, f64::NEG_INFINITY);
    for (min, max, interval) in values {
        let interval = interval.filter(|interval| !units::is_wide(*interval));
        let (low, high) = interval.map_or((min, max), |it| (it.low.min(min), it.high.max(max)));
        reach = (reach.0.min(low), reach.1.max(high));
    }
    match reach.0.is_finite() && reach.1.is_finite() {
        true => reach,
        false => (0.0, 1.0),
    }
}

/// Round values from `low` to `high` in one unit, about `most` at most.
pub(crate) fn linear_ticks(unit: Unit, low: f64, high: f64, most: f64) -> Vec<Tick> {
    const STEPS: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];
    let is_time = unit == Unit::Microseconds;
    let (divisor, name) = if is_time { time_unit(high) } else { (1.0, "") };
    let span = (high - low) / divisor;
    let is_drawable = span.is_finite() && span > 0.0;
    if !is_drawable {
        return vec![(low, short(low))];
    }
    let least = span / most.floor().max(1.0);
    let power = 10f64.powf(least.log10().floor());
    let step = STEPS
        .iter()
        .find(|step| *step * power >= least * (1.0 - 1e-9));
    let step = step.unwrap_or(&10.0) * power;
    let digits = (-step.log10() - 1e-9).ceil().max(0.0);
    // 25 needs none where 2.5 needs one.
    let is_of_25 = power < 9.0 && (step / power - 2.5).abs() < 1e-9;
    let decimals = digits as usize + usize::from(is_of_25);
    let first = (low / divisor / step - 1e-9).ceil() as i64;
    let last = (high / divisor / step + 1e-9).floor() as i64;
    let text = |shown: f64| match (is_time, decimals) {
        (true, 0) => units::thousands(shown) + name,
        (true, _) => format!("{shown:.*}{name}", decimals.min(6)),
        (false, 0) => short(shown),
        (false, _) => format!("{shown:.*}", decimals.min(6)),
    };
    (first..=last)
        .map(|k| k as f64 * step)
        .map(|shown| (shown * divisor, text(shown)))
        .collect()
}

/// 1, 2 and 5 of each power of ten; only the powers if those are too many.
pub(crate) fn log_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let within = |digits: &[f64]| {
        let powers = low.log10().floor() as i32..=high.log10().floor() as i32;
        let all = powers.flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
        all.filter(|value| *value >= low * 0.999 && *value <= high * 1.001)
            .collect::<Vec<f64>>()
    };
    if !(low > 0.0 && high.is_finite() && high > low) {
        return Vec::new();
    }
    for digits in [&[1.0, 2.0, 5.0] as &[f64], &[1.0, 3.0]] {
        let values = within(digits);
        // One tick tells no scale.
        if values.len() <= most && values.len() > 1 {
            return values;
        }
    }
    within(&[1.0])
}

/// Round ratios: equal steps if the range is small, else as [`log_ticks`].
pub(crate) fn ratio_ticks(low: f64, high: f64) -> Vec<Tick> {
    const LARGE: f64 = 6.0;
    const MOST: f64 = 8.0;
    let text = |value: f64| {
        let text = format!("{value:.4}");
        (
            value,
            text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        )
    };
    if high <= low * LARGE {
        for step in [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5] {
            let first = (low / step).ceil().max(1.0);
            let count = (high / step).floor() - first + 1.0;
            if count <= MOST {
                let steps = (0..count.max(0.0) as u32).map(|k| (first + f64::from(k)) * step);
                return steps.map(text).collect();
            }
        }
    }
    log_ticks(low, high, 12).into_iter().map(text).collect()
}

fn time_unit(high: f64) -> (f64, &'static str) {
    match high {
        ..1e3 => (1.0, " µs"),
        ..1e6 => (1e3, " ms"),
        _ => (1e6, " s"),
    }
}

/// A time without needless zeros: `500 µs`, `2 ms`.
pub(crate) fn time(us: f64) -> Tick {
    let (divisor, name) = time_unit(us * 1.000_001);
    (us, plain(us / divisor) + name)
}

/// A count, short: `200k`.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        1e6.. => plain(value / 1e6) + "M",
        1e4.. => plain(value / 1e3) + "k",
        _ => units::thousands(value),
    }
}

fn plain(value: f64) -> String {
    let text = units::number(value);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// How wide text of 12 pixels is, about.
pub(crate) fn text_width(text: &str) -> f64 {
    let wide = |c: char| {
        if c > '\u{2e80}' || c == '%' {
            12.0
        } else {
            7.2
        }
    };
    text.chars().map(wide).sum()
}

/// The labels below a drawing that do not run into one another, and fewer of them where it is narrow.
pub(crate) fn labels_below(ticks: &[Tick], scale: &Scale, y: f64) -> Vec<Shape> {
    let narrow = apart(ticks, scale, NARROW);
    let wide = apart(ticks, scale, WIDE);
    let kept = (0..ticks.len()).filter(|tick| wide.contains(tick) || narrow.contains(tick));
    kept.map(|tick| {
        let (value, text) = &ticks[tick];
        // A label at an edge stays within the page where it is narrow.
        let (share, half) = (scale.share(*value), text_width(text) / 2.0);
        let anchor = if share * NARROW + EDGE < half {
            Anchor::Start
        } else if (1.0 - share) * NARROW + EDGE < half {
            Anchor::End
        } else {
            Anchor::Middle
        };
        Shape::Label(Label {
            only_wide: !narrow.contains(&tick),
            class: "tick",
            ..Label::new((scale.x(*value), y), anchor, text.as_str())
        })
    })
    .collect()
}

fn apart(ticks: &[Tick], scale: &Scale, width: f64) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for (tick, (value, text)) in ticks.iter().enumerate() {
        let (middle, half) = (scale.share(*value) * width, text_width(text) / 2.0);
        if middle - half >= end + 8.0 {
            kept.push(tick);
            end = middle + half;
        }
    }
    kept
}

/// The labels left of a drawing, and the lines behind it.
pub(crate) fn labels_left(ticks: &[Tick], scale: &Scale, ends: [f64; 2]) -> Vec<Shape> {
    let of = |(value, text): &Tick| {
        let y = scale.y(*value, ends);
        let label = Label {
            dx: -7.0,
            class: "tick",
            ..Label::new((0.0, y + 4.0), Anchor::End, text.as_str())
        };
        [
            Shape::Line((0.0, y), (100.0, y), "grid"),
            Shape::Label(label),
        ]
    };
    ticks.iter().flat_map(of).collect()
}

/// The room that labels take left of a drawing.
pub(crate) fn room(ticks: &[Tick]) -> f64 {
    let widths = ticks.iter().map(|(_, text)| text_width(text));
    widths.fold(20.0, f64::max).round() + 10.0
}

/// The bar of an interval from left to right; one that bounds nothing is dashed.
pub(crate) fn bar(interval: Interval, scale: &Scale, y: f64) -> Shape {
    let at = |value| -> Place { (scale.x(value), y) };
    Shape::Line(at(interval.low), at(interval.high), bar_class(interval))
}

/// How the bar of an interval is drawn.
pub(crate) fn bar_class(interval: Interval) -> &'static str {
    if units::is_wide(interval) {
        "wide-bar"
    } else {
        "bar"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_in_the_unit_in_which_the_largest_is_read() {
        let times = linear_ticks(Unit::Microseconds, 1_900.0, 4_100.0, 5.0);
        assert_eq!(
            texts(times),
            ["2.0 ms", "2.5 ms", "3.0 ms", "3.5 ms", "4.0 ms"]
        );
        let counts = linear_ticks(Unit::Count, 0.0, 212_000.0, 5.0);
        assert_eq!(texts(counts), ["0", "50k", "100k", "150k", "200k"]);
        let steps_of_25 = linear_ticks(Unit::Count, 140_000.0, 230_000.0, 4.0);
        assert_eq!(texts(steps_of_25), ["150k", "175k", "200k", "225k"]);
        let small = linear_ticks(Unit::Count, 0.0, 9.0, 4.0);
        assert_eq!(texts(small), ["0.0", "2.5", "5.0", "7.5"]);
        assert_eq!(linear_ticks(Unit::Count, 5.0, 5.0, 5.0).len(), 1);
    }

    #[test]
    fn ticks_of_a_logarithmic_scale_thin_out() {
        assert_eq!(log_ticks(90.0, 1100.0, 9), [100.0, 200.0, 500.0, 1000.0]);
        assert_eq!(log_ticks(1.0, 1e6, 8).len(), 7);
    }

    #[test]
    fn ratios_lie_near_all_of_them_however_far_apart() {
        assert_eq!(
            texts(ratio_ticks(0.85, 1.21)),
            ["0.85", "0.9", "0.95", "1", "1.05", "1.1", "1.15", "1.2"]
        );
        let far = ratio_ticks(0.0031, 1.09);
        assert_eq!(far.first().map(|tick| tick.0), Some(0.005));
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [500.0, 2000.0, 1.5e6].map(|us| time(us).1),
            ["500 µs", "2 ms", "1.5 s"]
        );
        assert_eq!(
            [0.0, 5000.0, 20_000.0, 2.5e6].map(short),
            ["0", "5,000", "20k", "2.5M"]
        );
    }

    #[test]
    fn labels_that_would_touch_are_left_out() {
        let ticks: Vec<Tick> = (0..40)
            .map(|k| (f64::from(k), "12345".to_owned()))
            .collect();
        let scale = Scale::linear(0.0, 39.0);
        let (narrow, wide) = (apart(&ticks, &scale, 290.0), apart(&ticks, &scale, 620.0));
        assert!(narrow.len() < wide.len() && wide.len() <= 620 / 44);
        assert!(narrow.windows(2).all(|pair| pair[1] - pair[0] >= 6));
    }

    #[test]
    fn a_scale_is_not_stretched_by_an_interval_that_bounds_nothing() {
        let wide = Some(Interval {
            low: 0.001,
            high: 1e13,
        });
        let close = Some(Interval {
            low: 1_500.0,
            high: 2_800.0,
        });
        let reach = reach([(2_100.0, 5_600.0, wide), (1_900.0, 2_300.0, close)]);
        assert_eq!(reach, (1_500.0, 5_600.0));
        assert_eq!(Scale::log(1.0, 100.0).x(10.0), 50.0);
        assert_eq!(Scale::linear(1.0, 3.0).x(1e9), 100.0);
    }
}
