//! How a path is shown.

use std::path::Path;

/// A path as the reader would type it: from the current folder where it lies below that.
pub(crate) fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&current)
        .unwrap_or(path)
        .display()
        .to_string()
}
