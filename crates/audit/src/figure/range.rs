//! An interval of possible values, and what arithmetic makes of intervals.

use super::{Figure, digits};

/// A closed interval of possible values. `hi` may be infinite (something divided by an interval that
/// reaches zero); neither end is ever NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest possible value.
    pub lo: f64,
    /// Largest possible value.
    pub hi: f64,
}

impl Range {
    /// The interval from `lo` to `hi`; NaN ends become the widest that is possible.
    pub fn new(lo: f64, hi: f64) -> Self {
        Self {
            lo: if lo.is_nan() { f64::NEG_INFINITY } else { lo },
            hi: if hi.is_nan() { f64::INFINITY } else { hi },
        }
    }

    /// A value that is known exactly.
    pub fn exact(value: f64) -> Self {
        Self::new(value, value)
    }

    /// Product of two intervals of values that are not negative.
    pub fn times(self, other: Self) -> Self {
        Self::new(self.lo * other.lo, self.hi * other.hi)
    }

    /// Quotient of two intervals of values that are not negative.
    pub fn over(self, other: Self) -> Self {
        let over = |a: f64, b: f64, zero: f64| if b > 0.0 { a / b } else { zero };
        let lo = over(self.lo, other.hi, 0.0);
        Self::new(lo, over(self.hi, other.lo, f64::INFINITY))
    }

    /// Sum of two intervals.
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.lo + other.lo, self.hi + other.hi)
    }

    /// The sum of all figures that are numbers.
    pub fn total<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> Self {
        figures
            .into_iter()
            .filter_map(|f| f.range)
            .fold(Self::exact(0.0), Self::plus)
    }

    /// The interval times a constant that is not negative.
    pub fn scaled(self, by: f64) -> Self {
        self.times(Self::exact(by))
    }

    /// The interval, `share` (0.05 = 5%) wider at both ends.
    pub fn widened(self, share: f64) -> Self {
        Self::new(
            self.lo - self.lo.abs() * share,
            self.hi + self.hi.abs() * share,
        )
    }

    /// Whether some value lies in both. A billionth is allowed for the arithmetic itself.
    pub fn meets(self, other: Self) -> bool {
        !self.above(other) && !other.above(self)
    }

    /// Whether every value of `self` is larger than every value of `other`.
    pub fn above(self, other: Self) -> bool {
        self.lo > other.hi + 1e-9 * other.hi.abs().max(1e-6)
    }

    /// The middle, for ratios in a text; the finite end if the other is not.
    pub fn mid(self) -> f64 {
        if self.hi.is_finite() {
            f64::midpoint(self.lo, self.hi)
        } else {
            self.lo
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (lo, hi) = (digits(self.lo), digits(self.hi));
        if lo == hi {
            f.write_str(&lo)
        } else if self.hi.is_infinite() {
            write!(f, "{lo} or more")
        } else {
            write!(f, "{lo} to {hi}")
        }
    }
}
