//! What a cell is called.

use photofinish_judge::comparison::Cell;

use crate::document::Block;

/// Names a cell, as in every section.
pub(super) fn place(cell: &Cell) -> String {
    format!("{} ({}), {}", cell.workload, cell.request.en, cell.level.en)
}

/// The heading of a cell.
pub(super) fn heading(cell: &Cell) -> Block {
    Block::Heading(3, place(cell))
}
