//! What a report is made from, and names that every section uses.

use photofinish_judge::comparison::{Cell, Comparison, TargetFigures};
use photofinish_judge::page::Page;
use photofinish_model::{Metric, Role};

use crate::document::Block;
use crate::figure::look::{self, Look};
use crate::words::{Text, Tone};

#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) comparison: &'a Comparison,
    /// What pictures are made from.
    pub(super) pictures: Option<&'a Page>,
}

impl<'a> Source<'a> {
    /// A report without pictures.
    pub(super) fn of(comparison: &'a Comparison) -> Source<'a> {
        Source {
            comparison,
            pictures: None,
        }
    }

    /// Returns the figures of all places.
    pub(super) fn targets(&self) -> impl Iterator<Item = &'a TargetFigures> {
        self.comparison.cells.iter().flat_map(|cell| &cell.targets)
    }

    pub(super) fn look(&self, label: &str) -> Look {
        look::look(&self.comparison.head, label)
    }

    /// A server's name with its look.
    pub(super) fn server(&self, label: &str) -> Text {
        Text::server(label, self.look(label))
    }

    /// The label of a server by its place in the study.
    pub(super) fn label(&self, place: usize) -> &str {
        let target = self.comparison.head.targets.get(place);
        target.map_or("", |target| target.label.as_str())
    }

    /// All servers in the order in which they are shown: the reference server last.
    pub(super) fn labels(&self) -> Vec<&str> {
        let targets = &self.comparison.head.targets;
        let of = |limit| targets.iter().filter(move |target| target.limit == limit);
        of(false)
            .chain(of(true))
            .map(|target| target.label.as_str())
            .collect()
    }

    /// The key of the servers that are drawn.
    pub(super) fn key(&self, is_drawn: impl Fn(&str) -> bool) -> Block {
        let labels = self.labels().into_iter().filter(|label| is_drawn(label));
        Block::key(&self.comparison.head, labels)
    }

    /// Whether a server races, and is neither a copy nor the reference server.
    pub(super) fn is_contender(&self, label: &str) -> bool {
        let mut targets = self.comparison.head.targets.iter();
        let found = targets.find(|target| target.label == label);
        found.is_none_or(|target| target.same_as.is_none() && !target.limit)
    }
}

/// A cell's workload and level.
pub(super) fn place(cell: &Cell) -> Text {
    Text::list([Text::from(&cell.workload), Text::from(&cell.level)])
}

/// A cell's level, with the workload if there are several.
pub(super) fn short_place(comparison: &Comparison, cell: &Cell) -> Text {
    let mut cells = comparison.cells.iter();
    match cells.all(|other| other.workload == cell.workload) {
        true => Text::from(&cell.level),
        false => place(cell),
    }
}

/// A cell's workload and level, with the request.
pub(super) fn place_with_request(cell: &Cell) -> Text {
    Text::from(format!("{} (", cell.workload))
        .then(&cell.request)
        .then(Text::both("), ", "），"))
        .then(&cell.level)
}

/// Whether anything was measured there.
pub(super) fn is_measured(cell: &Cell) -> bool {
    cell.targets.iter().any(|target| target.rounds > 0)
}

/// A cell's targets, the reference server last.
pub(super) fn shown(cell: &Cell) -> Vec<&TargetFigures> {
    let of = |is_limit| {
        let all = cell.targets.iter();
        all.filter(move |target| (target.role == Role::Limit) == is_limit)
    };
    of(false).chain(of(true)).collect()
}

/// Whether nothing may be said of a figure, though it was measured.
pub(super) fn is_void(target: &TargetFigures, metric: Metric) -> bool {
    target.void.contains(&metric)
}

/// What touches the figures of a cell, such as errors.
pub(super) fn errors(cell: &Cell) -> Vec<Block> {
    let of = |target: &TargetFigures| {
        let says = target.says.iter();
        let line = |message| Text::labelled(target.target.as_str(), message).toned(Tone::Bad);
        says.map(line).map(Block::Line).collect::<Vec<Block>>()
    };
    cell.targets.iter().flat_map(of).collect()
}
