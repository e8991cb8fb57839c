//! How much something was disturbed.

/// How much something was disturbed: from the limit to twice the limit, to four times, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grade(usize);

impl Grade {
    /// How many there are; the last has no upper end.
    pub(crate) const ALL: usize = 6;

    /// That of so many times a limit; `None` below it.
    pub(super) fn of(times: f64) -> Option<Grade> {
        (times >= 1.0).then(|| Grade((times.log2() as usize).min(Grade::ALL - 1)))
    }

    /// That of a place.
    #[cfg(test)]
    pub(crate) fn at(place: usize) -> Grade {
        Grade(place)
    }

    /// Its place, the least first.
    pub(crate) fn place(self) -> usize {
        self.0
    }
}
