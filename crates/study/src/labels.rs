//! The labels of a study's targets, where a table of the study names some of them.

use crate::nearest::advice;
use crate::reader::{Node, Section};

/// The targets that a table is for; none = all.
pub(crate) fn read_labels(section: &Section<'_>, labels: &[&str]) -> Vec<String> {
    let Some(node) = section.get("targets") else {
        return Vec::new();
    };
    let items = node.list().unwrap_or_default();
    if items.is_empty() {
        node.note(
            "`targets` names none",
            "name the targets, or leave `targets` out if it is for all",
        );
    }
    items
        .iter()
        .filter_map(|item| label(item, labels))
        .collect()
}

/// The label of one of the study's targets.
pub(crate) fn label(node: &Node<'_>, labels: &[&str]) -> Option<String> {
    let label = node.text()?;
    // Without any target the study's own mistake is reported already.
    if !labels.is_empty() && !labels.contains(&label) {
        node.note(
            format!("`{label}` is not one of the study's targets"),
            advice(label, "targets of the study", labels.iter().copied()),
        );
    }
    Some(label.to_owned())
}
