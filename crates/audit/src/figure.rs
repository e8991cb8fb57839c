//! A number as it was printed, and the interval of values that would be printed like that.
//!
//! A mean printed as `0.475` may have been anything from 0.4745 to 0.4755. Every check of the audit
//! works on such intervals, so that rounding alone never makes a figure look false.

mod range;
mod scan;

pub use range::Range;
pub use scan::Scan;

/// A number as printed in the audited text.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The characters as they stand in the text, with the unit where one is attached.
    pub text: String,
    /// Line of the text, from 1.
    pub line: usize,
    /// What it may have been before rounding; `None` for `nan` and the like.
    pub range: Option<Range>,
}

impl Figure {
    /// A figure that is known exactly.
    pub fn exact(text: impl Into<String>, line: usize, value: f64) -> Self {
        Self {
            text: text.into(),
            line,
            range: Some(Range::exact(value)),
        }
    }

    /// The possible values, as if a whole number had been rounded to the unit (ab's milliseconds).
    pub fn rounded(self) -> Self {
        self.whole(0.5)
    }

    /// As if a whole number had been cut off, not rounded, with half a unit of mercy below: JMeter's averages.
    pub fn truncated(self) -> Self {
        self.whole(1.0)
    }

    /// A whole number may have been smaller by half a unit, and larger by so much.
    fn whole(mut self, above: f64) -> Self {
        if let Some(r) = self.range.filter(|r| r.lo == r.hi) {
            self.range = Some(Range::new(r.lo - 0.5, r.hi + above));
        }
        self
    }

    /// As if printed with trailing zeros cut off: known to no better than `half` either way.
    pub fn no_finer(mut self, half: f64) -> Self {
        self.range = self.range.map(|r| {
            let wider = (half - (r.hi - r.lo) / 2.0).max(0.0);
            Range::new(r.lo - wider, r.hi + wider)
        });
        self
    }

    /// As if printed with so many significant digits, trailing zeros cut off (`%.5g`).
    pub fn significant(self, digits: i32) -> Self {
        let size = self.range.map_or(0.0, |r| r.mid().abs());
        if size <= 0.0 || !size.is_finite() {
            return self;
        }
        self.no_finer(0.5 * 10f64.powi(size.log10().floor() as i32 + 1 - digits))
    }

    /// The figure in another unit, its text as it is.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.range = self.range.map(|r| r.scaled(factor));
        self
    }

    /// The figure in another unit (`factor` of the new units in one of the old).
    pub fn in_unit(mut self, unit: &str, factor: f64) -> Self {
        self.text.push_str(unit);
        self.range = self.range.map(|r| r.scaled(factor));
        self
    }
}

/// `value` with about five significant digits and no exponent, as a person would write it.
pub fn digits(value: f64) -> String {
    if value.is_infinite() {
        return "unbounded".into();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    // Five significant digits, but never fewer than the whole part has, nor more than nine places.
    let places = (4.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Milliseconds in the unit that a person would choose.
pub fn time(ms: f64) -> String {
    let size = ms.abs();
    if size >= 1000.0 {
        format!("{} s", short(ms / 1000.0))
    } else if size >= 1.0 || size == 0.0 {
        format!("{} ms", short(ms))
    } else {
        format!("{} us", short(ms * 1000.0))
    }
}

/// `value` with three significant digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let places = if size > 0.0 {
        (2.0 - size.log10().floor()).clamp(0.0, 9.0) as usize
    } else {
        0
    };
    format!("{value:.places$}")
}

/// A share of 1 as a percentage.
pub fn percent(share: f64) -> String {
    // A hundred-thousandth is the rounding of a figure printed as zero.
    let share = if share.abs() < 1e-5 { 0.0 } else { share };
    format!("{}%", short(share * 100.0))
}

/// Milliseconds in a unit of time as tools abbreviate it.
pub fn unit_ms(unit: &str) -> Option<f64> {
    match unit {
        "ns" => Some(1e-6),
        "us" | "µs" | "μs" => Some(1e-3),
        "ms" => Some(1.0),
        "s" | "sec" | "secs" => Some(1e3),
        "m" => Some(6e4),
        "h" => Some(3.6e6),
        _ => None,
    }
}

/// Bytes in a unit as wrk and h2load abbreviate it, with steps of 1024.
pub fn unit_bytes(unit: &str) -> Option<f64> {
    let power = ["B", "KB", "MB", "GB", "TB"]
        .iter()
        .position(|u| *u == unit)?;
    Some(1024f64.powi(power as i32))
}
