//! Messages: what photofinish found, as data with a sentence in each language.
//!
//! A message is one row of a table made with [`messages!`](crate::messages): an identifier, typed arguments, and its sentence in
//! English and Chinese. The row becomes a function that returns the [`Message`]. `format!` checks both sentences: an unknown
//! or unused argument in either language is a compile error. Code never branches on an identifier; where it must branch, the fact is
//! an enum of its own that also becomes a message.

/// Defines arguments that hold one value, and are made from it.
macro_rules! holding {
    ($($(#[doc = $doc:expr])+ $name:ident($of:ty);)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(pub $of);

        impl From<$of> for $name {
            fn from(value: $of) -> $name {
                $name(value)
            }
        }
    )+};
}

mod advantage;
mod argument;
mod count;
mod figure;
mod list;
mod typeset;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use advantage::{Advantage, AdvantageBounds, ChangeConfidence, Confidence};
pub use argument::{Argument, Name, Quoted};
pub use count::*;
pub use figure::*;
pub use list::{Alternatives, AtPlaces, Brackets, Clauses, Details, InRounds, Names, Parts, Tail};
pub use typeset::{QUOTATION_MARKS, spaced};

crate::worded! {
    /// A language of the sentences. Its word is its tag in BCP 47.
    #[derive(Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    Language = En;
    /// English.
    En "en";
    /// Simplified Chinese (中文).
    Zh "zh";
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::En, Language::Zh];
}

/// Something photofinish found or shows: an identifier with arguments, and its sentence in each language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// The table and the row, such as `verdict.tie`.
    pub id: Cow<'static, str>,
    /// The arguments by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Value>,
    /// The sentence in English.
    pub en: String,
    /// The sentence in Chinese.
    pub zh: String,
}

impl Message {
    /// Returns a message with the sentences of a table's row. Tables call it; other code calls the row's function.
    pub fn from_row(
        id: &'static str,
        args: impl IntoIterator<Item = (&'static str, Value)>,
        en: String,
        zh: String,
    ) -> Message {
        let args = args.into_iter();
        Message {
            id: Cow::Borrowed(id),
            args: args.map(|(name, value)| (name.to_owned(), value)).collect(),
            en,
            zh: spaced(&zh),
        }
    }

    /// Returns the sentence in a language.
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

impl fmt::Display for Message {
    /// Writes the English sentence.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.en)
    }
}

impl Argument for Message {
    fn text(&self, language: Language) -> String {
        Message::text(self, language).to_owned()
    }

    fn value(&self) -> Value {
        match self.args.is_empty() {
            true => json!({ "id": self.id }),
            false => json!({ "id": self.id, "args": self.args }),
        }
    }
}

/// A row of a table, for the list of all sentences.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The table and the row.
    pub id: &'static str,
    /// The English sentence, with its arguments in braces.
    pub en: &'static str,
    /// The Chinese sentence.
    pub zh: &'static str,
}

impl Row {
    /// Returns the message of the row with a name, if there is one; hyphens stand for underscores. For rows without arguments.
    pub fn find(rows: &[Row], name: &str) -> Option<Message> {
        let name = name.replace('-', "_");
        let is_named = |row: &&Row| row.id.rsplit('.').next() == Some(&*name);
        let row = rows.iter().find(is_named)?;
        Some(Message::from_row(
            row.id,
            [],
            row.en.to_owned(),
            row.zh.to_owned(),
        ))
    }
}

/// Makes a function of each row of a table, and `ALL`, the list of its rows.
///
/// ```
/// photofinish_model::messages! { "example";
///     /// Two servers tie.
///     tie(of: Name, over: Name, margin: Margin)
///         "{of} and {over} tie within {margin}",
///         "{of} 与 {over} 在 {margin} 之内打平";
/// }
/// assert_eq!(tie("a", "b", 0.02).en, "a and b tie within 2%");
/// ```
///
/// An argument that one sentence does not use does not compile:
/// ```compile_fail
/// photofinish_model::messages! { "example";
///     tie(of: Name, over: Name) "{of} and {over} tie", "{of} 打平";
/// }
/// ```
#[macro_export]
macro_rules! messages {
    ($table:literal; $(
        $(#[doc = $doc:literal])*
        $name:ident($($arg:ident: $type:ty),* $(,)?) $en:literal, $zh:literal;
    )+) => {
        #[allow(unused_imports)]
        use $crate::message::*;

        $(
            #[doc = concat!("`", $en, "`")]
            #[doc = ""]
            $(#[doc = $doc])*
            #[allow(clippy::too_many_arguments)]
            pub fn $name($($arg: impl Into<$type>),*) -> $crate::message::Message {
                $(let $arg: $type = $arg.into();)*
                $crate::message::Message::from_row(
                    concat!($table, ".", stringify!($name)),
                    [$((stringify!($arg), $crate::message::Argument::value(&$arg))),*],
                    format!($en $(, $arg = $crate::message::Argument::text(&$arg, $crate::message::Language::En))*),
                    format!($zh $(, $arg = $crate::message::Argument::text(&$arg, $crate::message::Language::Zh))*),
                )
            }
        )+

        /// All rows of the table.
        pub const ALL: &[$crate::message::Row] = &[$(
            $crate::message::Row {
                id: concat!($table, ".", stringify!($name)),
                en: $en,
                zh: $zh,
            }
        ),+];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::messages! { "test";
        wait(rounds: Rounds, share: Percent, why: Tail)
            "wait {rounds} at {share}{why}",
            "等待{rounds}，{share}{why}";
        noisy() "noisy", "有干扰";
    }

    #[test]
    fn a_message_has_its_arguments_and_both_sentences() {
        let message = wait(1_u32, 0.5, noisy());
        assert_eq!(message.id, "test.wait");
        assert_eq!(message.en, "wait 1 round at 50.0%; noisy");
        assert_eq!(message.zh, "等待 1 轮，50.0%；有干扰");
        let args = json!({"rounds": 1, "share": 0.5, "why": {"id": "test.noisy"}});
        assert_eq!(json!(message.args), args);
        assert_eq!(wait(1_000_u32, 0.5, None).en, "wait 1,000 rounds at 50.0%");
    }

    #[test]
    fn a_message_is_read_back() {
        let message = wait(2_u32, 0.25, None);
        let text = serde_json::to_string(&message).expect("JSON");
        let read: Message = serde_json::from_str(&text).expect("a message");
        assert_eq!(read, message);
    }

    #[test]
    fn the_list_has_every_row_with_its_placeholders() {
        let rows: Vec<&str> = ALL.iter().map(|row| row.en).collect();
        assert_eq!(rows, ["wait {rounds} at {share}{why}", "noisy"]);
    }
}
