//! The layouts that are compiled in, and those that a user adds. To add one: a file in `layouts/` and its line here.

use std::sync::LazyLock;

use crate::json::Wanted;
use crate::layout::Layout;
use crate::reader;

macro_rules! files {
    ($($name:literal)*) => { &[$(($name, include_str!(concat!("../layouts/", $name, ".toml")))),*] };
}

/// The files of the layouts, by name.
const BUILT_IN: &[(&str, &str)] = files!(
    "ab" "artillery" "autocannon" "bombardier" "fortio" "gatling" "gcannon" "ghz" "go-stress-testing" "goose" "h2load" "hey"
    "hey-csv" "hyperfoil" "jmeter-aggregate" "jmeter-dashboard" "k6" "loadtest" "locust" "oha" "rewrk" "shb" "siege" "vegeta"
    "vegeta-hdrplot" "vegeta-hist" "wrk" "wrk2" "zrk"
);

/// A set of layouts.
#[derive(Debug, Default)]
pub struct Layouts {
    pub(crate) all: Vec<Layout>,
    pub(crate) wanted: Wanted,
}

impl Layouts {
    /// The layouts that are compiled in.
    pub fn built_in() -> &'static Self {
        static ALL: LazyLock<Layouts> = LazyLock::new(|| Layouts::with([]).unwrap_or_default());
        &ALL
    }

    /// The layouts that are compiled in, and further ones: name and text of each file.
    ///
    /// # Errors
    /// What is wrong with a layout, with its name and line.
    pub fn with<'a>(more: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut layouts = Self::default();
        for (name, text) in BUILT_IN.iter().copied().chain(more) {
            let layout = Layout::parse(text).map_err(|wrong| format!("layout {name}: {wrong}"))?;
            reader::ask(&layout, &mut layouts.wanted);
            layouts.all.push(layout);
        }
        Ok(layouts)
    }

    /// The names of the tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|layout| layout.tool.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_one() {
        let layouts = Layouts::with([]).expect("layouts");
        assert_eq!(layouts.all.len(), BUILT_IN.len());
    }

    #[test]
    fn a_mistake_is_named_with_its_file() {
        for (text, says) in [
            ("tool = 3", "line 1"),
            ("needs = []", "name"),
            (
                "tool = \"x\"\n[[line]]\nform = \"a <nonsense>\"",
                "no quantity 'nonsense'",
            ),
            (
                "tool = \"x\"\n[[line]]\nform = \"a <rate:tim>\"",
                "no type 'tim'",
            ),
            (
                "tool = \"x\"\n[[law]]\nis = \"rate = \"\nrule = \"rate\"",
                "missing",
            ),
            ("tool = \"x\"\nnonsense = 1", "nonsense"),
        ] {
            let wrong = Layouts::with([("my.toml", text)])
                .map(|_| ())
                .expect_err("a mistake");
            assert!(wrong.contains("my.toml") && wrong.contains(says), "{wrong}");
        }
    }
}
