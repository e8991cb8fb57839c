//! Words of a document, in both languages.

use photofinish_model::message::{Argument, Language, Message, spaced};

use crate::figure::look::Look;

/// Stands for a figure that does not exist.
pub(crate) const NONE: &str = "–";

/// Words in both languages, in spans that differ in whose words they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    pub(crate) spans: Vec<Span>,
    pub(crate) tone: Tone,
}

/// Words of one origin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) en: String,
    pub(crate) zh: String,
    pub(crate) kind: Kind,
}

/// Whose words a span holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// photofinish's, names and figures.
    Own,
    /// A study's author's: they stay as they were written.
    Authored,
    /// A command, or what a machine reports.
    Code,
    /// The name of a server, with its look in figures.
    Server(Look),
}

/// How words are meant: the colour if there are any, and never the only sign of anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    /// What to read first.
    Strong,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Of less weight.
    Muted,
}

impl Text {
    pub(crate) fn both(en: impl Into<String>, zh: impl AsRef<str>) -> Text {
        Text::of(Kind::Own, en.into(), spaced(zh.as_ref()))
    }

    /// What may stand in a sentence, such as the name of a metric.
    pub(crate) fn say(argument: &impl Argument) -> Text {
        let [en, zh] = Language::ALL.map(|language| argument.text(language));
        Text::of(Kind::Own, en, zh)
    }

    pub(crate) fn authored(text: &str) -> Text {
        Text::of(Kind::Authored, text.to_owned(), text.to_owned())
    }

    pub(crate) fn code(text: impl Into<String>) -> Text {
        let text = text.into();
        Text::of(Kind::Code, text.clone(), text)
    }

    pub(crate) fn server(label: &str, look: Look) -> Text {
        Text::of(Kind::Server(look), label.to_owned(), label.to_owned())
    }

    fn of(kind: Kind, en: String, zh: String) -> Text {
        Text {
            spans: vec![Span { en, zh, kind }],
            tone: Tone::Plain,
        }
    }

    pub(crate) fn toned(mut self, tone: Tone) -> Text {
        self.tone = tone;
        self
    }

    /// The words in a language.
    pub(crate) fn text(&self, language: Language) -> String {
        let words = self.spans.iter().map(|span| span.text(language));
        words.collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.en.is_empty())
    }

    /// The same with more words behind.
    pub(crate) fn then(mut self, more: impl Into<Text>) -> Text {
        for span in more.into().spans {
            match self.spans.last_mut() {
                Some(last) if last.kind == Kind::Own && span.kind == Kind::Own => {
                    last.en.push_str(&span.en);
                    last.zh.push_str(&span.zh);
                }
                _ => self.spans.push(span),
            }
        }
        self
    }

    /// `name: words`.
    pub(crate) fn labelled(name: impl Into<Text>, words: impl Into<Text>) -> Text {
        name.into().then(Text::both(": ", "：")).then(words)
    }

    /// `a, b, c`.
    pub(crate) fn list(parts: impl IntoIterator<Item = Text>) -> Text {
        Text::joined(parts, &Text::both(", ", "，"))
    }

    /// `a; b; c`.
    pub(crate) fn sentences(parts: impl IntoIterator<Item = Text>) -> Text {
        Text::joined(parts, &Text::both("; ", "；"))
    }

    pub(crate) fn joined(parts: impl IntoIterator<Item = Text>, between: &Text) -> Text {
        let mut all = Text::default();
        for part in parts {
            if !all.is_empty() {
                all = all.then(between.clone());
            }
            all = all.then(part);
        }
        all
    }
}

impl Span {
    pub(crate) fn text(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

/// Names and figures, which are the same in both languages.
impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::of(Kind::Own, text.to_owned(), text.to_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::of(Kind::Own, text.clone(), text)
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Text {
        text.as_str().into()
    }
}

impl From<Message> for Text {
    fn from(message: Message) -> Text {
        Text::of(Kind::Own, message.en, message.zh)
    }
}

impl From<&Message> for Text {
    fn from(message: &Message) -> Text {
        Text::of(Kind::Own, message.en.clone(), message.zh.clone())
    }
}
