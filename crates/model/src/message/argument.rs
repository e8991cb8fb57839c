//! What may stand in a sentence.

use serde_json::Value;

use super::typeset::quote;
use super::{Language, Message};

/// A value that stands in a sentence.
pub trait Argument {
    /// Returns the value as it stands in a sentence.
    fn text(&self, language: Language) -> String;

    /// Returns the value as data.
    fn value(&self) -> Value;
}

/// Defines a text that others chose.
macro_rules! texts {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        holding! { $(#[doc = $doc])+ $name(String); }

        impl<T: ToString + ?Sized> From<&T> for $name {
            fn from(text: &T) -> $name {
                $name(text.to_string())
            }
        }
    )+};
}

texts! {
    /// A name that others chose, such as a server's label; the same in each language.
    Name;
    /// Text that others wrote, such as an error; Chinese sentences quote it.
    Quoted;
}

impl Argument for Name {
    fn text(&self, _language: Language) -> String {
        self.0.clone()
    }

    fn value(&self) -> Value {
        Value::from(self.0.as_str())
    }
}

impl Argument for Quoted {
    fn text(&self, language: Language) -> String {
        match language {
            Language::En => self.0.clone(),
            Language::Zh => quote(&self.0),
        }
    }

    fn value(&self) -> Value {
        Value::from(self.0.as_str())
    }
}

impl From<&Message> for Message {
    fn from(message: &Message) -> Message {
        message.clone()
    }
}
