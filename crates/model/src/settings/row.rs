//! The rows of a table of settings: all that is known of each.

use super::{Kind, Value};

/// What to do about a flag for servers that photofinish starts, if they run already.
pub const LEAVE_OUT: &str = "leave it out, or give the commands that start them";

/// A row of a table: all that is known of a setting.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it means: the first paragraph is the help text, and all of it stands in the reference.
    doc: &'static str,
    /// Its type and bounds.
    pub kind: Kind,
    /// Its value if nobody gives one.
    default: fn() -> Option<Value>,
    /// Its key in a file, in the table of its group; `warmup.max` is `max` in the table `warmup`.
    pub key: Option<&'static str>,
    /// How it may be written in a file.
    pub example: &'static str,
    /// Its flag.
    pub flag: Option<Flag>,
    /// The flag that turns it off, and its help text.
    pub off: Option<(&'static str, &'static str)>,
    /// The flags that it cannot stand with.
    pub conflicts: &'static [&'static str],
    /// The flag that it needs.
    pub requires: Option<&'static str>,
    /// What holds if nothing is given and it has no value.
    pub unset: &'static str,
    /// What limits the default of `compare`, such as ` for two servers`.
    pub compare_note: &'static str,
    /// Whether an interrupted run can be resumed with another value.
    pub may_change: bool,
    /// What to do instead of giving it for servers that run already; `None`: it may be given.
    pub running: Option<&'static str>,
}

/// A flag: `--long VALUE`, `-s VALUE`.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its name.
    pub long: &'static str,
    /// Its letter.
    pub short: Option<char>,
    /// Its names in other tools, which it has too.
    pub aliases: &'static [&'static str],
    /// What stands for its value in help; empty for a switch.
    pub value: &'static str,
}

impl Row {
    pub(crate) const fn new(
        name: &'static str,
        doc: &'static str,
        kind: Kind,
        default: fn() -> Option<Value>,
    ) -> Row {
        Row {
            name,
            doc,
            kind,
            default,
            key: None,
            example: "",
            flag: None,
            off: None,
            conflicts: &[],
            requires: None,
            unset: "none",
            compare_note: "",
            may_change: false,
            running: None,
        }
    }

    /// The row of a flag that names the file to write something to.
    pub const fn of_output(flag: &'static str, doc: &'static str) -> Row {
        Row::new(flag, doc, Kind::File, || None).flag(flag, "FILE")
    }

    pub(super) const fn key(self, key: &'static str, example: &'static str) -> Row {
        Row {
            key: Some(key),
            example,
            ..self
        }
    }

    pub(super) const fn flag(self, long: &'static str, value: &'static str) -> Row {
        let flag = Flag {
            long,
            short: None,
            aliases: &[],
            value,
        };
        Row {
            flag: Some(flag),
            ..self
        }
    }

    pub(super) const fn short(self, letter: char) -> Row {
        match self.flag {
            Some(flag) => Row {
                flag: Some(Flag {
                    short: Some(letter),
                    ..flag
                }),
                ..self
            },
            None => self,
        }
    }

    /// Gives its flag the names that it has in other tools.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Row {
        match self.flag {
            Some(flag) => Row {
                flag: Some(Flag { aliases, ..flag }),
                ..self
            },
            None => self,
        }
    }

    pub(super) const fn off(self, long: &'static str, help: &'static str) -> Row {
        Row {
            off: Some((long, help)),
            ..self
        }
    }

    pub(super) const fn conflicts(self, conflicts: &'static [&'static str]) -> Row {
        Row { conflicts, ..self }
    }

    pub(super) const fn requires(self, flag: &'static str) -> Row {
        Row {
            requires: Some(flag),
            ..self
        }
    }

    pub(super) const fn unset(self, unset: &'static str) -> Row {
        Row { unset, ..self }
    }

    pub(super) const fn compare_note(self, compare_note: &'static str) -> Row {
        Row {
            compare_note,
            ..self
        }
    }

    pub(super) const fn may_change(self) -> Row {
        Row {
            may_change: true,
            ..self
        }
    }

    pub(super) const fn not_for_running(self, instead: &'static str) -> Row {
        Row {
            running: Some(instead),
            ..self
        }
    }

    /// The help text: the first paragraph of the doc comment, without its last full stop.
    pub fn help(&self) -> String {
        self.paragraphs().next().unwrap_or_default()
    }

    /// Its value if nobody gives one; none if that is an empty list.
    pub fn default(&self) -> Option<Value> {
        (self.default)().filter(|value| !value.to_string().is_empty())
    }

    /// All of the doc comment, and what the words mean, in one paragraph.
    pub fn meaning(&self) -> String {
        let mut paragraphs: Vec<String> =
            self.paragraphs().map(|text| format!("{text}.")).collect();
        if let Kind::Word(words) = self.kind {
            let words = words().into_iter();
            let meant = words.map(|(word, help)| format!("`{word}`: {help}."));
            paragraphs.extend(meant);
        }
        paragraphs.join(" ")
    }

    fn paragraphs(&self) -> impl Iterator<Item = String> {
        self.doc.split("\n\n").map(|text| {
            let words: Vec<&str> = text.split_whitespace().collect();
            words.join(" ").trim_end_matches('.').to_owned()
        })
    }

    /// How errors name it: by its flag, else by its key.
    pub fn label(&self) -> String {
        match self.flag {
            Some(flag) => format!("--{}", flag.long),
            None => self.key.unwrap_or(self.name).to_owned(),
        }
    }
}
