//! How a server looks in figures: colour, mark and dash together, so that servers differ by more than colour.

use photofinish_judge::comparison::Head;

/// Colours in the style sheet (`.s1` …).
const COLOURS: usize = 6;

/// Marks in [`crate::html`]: circle, square, triangle, diamond, star, cross, wye.
pub(crate) const MARKS: usize = 7;

/// Dashes in the style sheet (`.d0` …).
const DASHES: usize = 6;

/// A colour, a mark and a dash by their numbers in the style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: &'static str,
    pub(crate) mark: usize,
    pub(crate) dash: usize,
}

/// Nobody in particular, such as a row in which nobody leads.
pub(crate) const NOBODY: Look = Look {
    colour: "sm",
    mark: 0,
    dash: 0,
};

/// A measured value next to a published one.
pub(crate) const MEASURED: Look = Look {
    colour: "sa",
    ..NOBODY
};

/// A published value.
pub(crate) const PUBLISHED: Look = Look {
    colour: "si",
    mark: 3,
    dash: 0,
};

/// A server's second copy.
pub(crate) const COPY: Look = Look {
    colour: "sm",
    mark: 6,
    dash: 6,
};

/// The reference server.
const LIMIT: Look = Look {
    colour: "sm",
    mark: 5,
    dash: 7,
};

/// The look of a server by its label. Copies and the reference server are grey.
pub(crate) fn look(head: &Head, label: &str) -> Look {
    let mut contenders = 0;
    for target in &head.targets {
        let is_it = target.label == label;
        match (target.limit, &target.same_as) {
            (true, _) if is_it => return LIMIT,
            (false, Some(_)) if is_it => return COPY,
            (false, None) if is_it => return contender(contenders),
            (false, None) => contenders += 1,
            _ => {}
        }
    }
    NOBODY
}

/// Contenders beyond the colours repeat them with other marks and dashes.
fn contender(place: usize) -> Look {
    const NAMES: [&str; COLOURS] = ["s1", "s2", "s3", "s4", "s5", "s6"];
    let turn = place / COLOURS;
    Look {
        colour: NAMES[place % COLOURS],
        mark: (place + turn) % MARKS,
        dash: (place + turn) % DASHES,
    }
}
