//! What a person should know of something that nobody waits for, such as a folder that could not be removed when it was dropped.

use std::sync::OnceLock;

static PRINT: OnceLock<fn(&str)> = OnceLock::new();

/// From now on notices are printed so; the first such call counts. Before that they are lost.
pub fn print_by(print: fn(&str)) {
    let _ = PRINT.set(print);
}

/// Prints a notice.
pub fn print(text: &str) {
    if let Some(print) = PRINT.get() {
        print(text);
    }
}
