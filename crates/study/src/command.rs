//! Commands and environments in target files.

use std::collections::BTreeMap;

use photofinish_model::Secret;
use photofinish_model::finding::failure::Around;
use photofinish_model::secret::mask_words;

use crate::expanded::ExpandedText;
use crate::nearest::advice;
use crate::placeholder::{PLACEHOLDERS, placeholders};
use crate::reader::Node;

/// The placeholders of a start command and its environment: all of them.
pub(crate) const START_PLACEHOLDERS: [&str; PLACEHOLDERS.len()] = {
    let mut names = [""; PLACEHOLDERS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = PLACEHOLDERS[i].0;
        i += 1;
    }
    names
};

/// The placeholders of a build: one build serves every trial, so what differs between trials
/// cannot stand in it.
pub(crate) const BUILD_PLACEHOLDERS: [&str; 3] = ["dir", "java", "java_home"];

/// The placeholders of a command around a server: `{jvm_flags}` is for what is started, and the folder `{temp}` goes with the server.
pub(crate) fn around_placeholders(around: Around) -> Vec<&'static str> {
    let fits = |name: &&str| match around {
        Around::Prepare => *name != "jvm_flags",
        Around::Cleanup => !["jvm_flags", "temp"].contains(name),
    };
    START_PLACEHOLDERS.into_iter().filter(fits).collect()
}

/// A command as it stands in a file.
#[derive(Clone)]
pub(crate) struct Command<'d> {
    node: Node<'d>,
    args: Vec<String>,
}

impl<'d> Command<'d> {
    pub(crate) fn read(node: &Node<'d>, allowed: &[&str]) -> Option<Self> {
        if let Some(line) = node.if_text() {
            // Whoever writes a shell line gets it back as the list that is wanted.
            let words = shlex::split(line).unwrap_or_else(|| vec![line.to_owned()]);
            node.note(
                format!(
                    "`{}` is a list of the program and its arguments, not one string",
                    node.name()
                ),
                format!("write: {} = {:?}", node.name(), mask_words(&words)),
            );
            return None;
        }
        let items = node.list()?;
        if items.is_empty() {
            node.note(
                format!("`{}` is empty", node.name()),
                "the program comes first, then its arguments",
            );
            return None;
        }
        let mut args = Vec::with_capacity(items.len());
        for item in items {
            let text = item.any_text()?;
            check_placeholders(&item, text, allowed);
            if text != "{jvm_flags}" && placeholders(text).any(|name| name == "jvm_flags") {
                item.note(
                    "`{jvm_flags}` stands for several arguments and must be one of its own",
                    "write: \"{jvm_flags}\"",
                );
            }
            args.push(text.to_owned());
        }
        Some(Command { node: *node, args })
    }

    pub(crate) fn node(&self) -> &Node<'d> {
        &self.node
    }

    pub(crate) fn uses(&self, placeholder: &str) -> bool {
        let mut all = self.args.iter().flat_map(|arg| placeholders(arg));
        all.any(|name| name == placeholder)
    }

    pub(crate) fn uses_jdk(&self) -> bool {
        self.uses("java") || self.uses("java_home")
    }

    pub(crate) fn into_args(self) -> Vec<String> {
        self.args
    }
}

/// Notes every placeholder that is not known, or not here.
pub(crate) fn check_placeholders(node: &Node<'_>, text: &str, allowed: &[&str]) {
    for name in placeholders(text) {
        if allowed.contains(&name) {
            continue;
        }
        let known = PLACEHOLDERS.iter().any(|(known, _)| *known == name);
        let quoted = |name: &str| format!("{{{name}}}");
        let list: Vec<String> = allowed.iter().map(|name| quoted(name)).collect();
        let help = advice(
            &quoted(name),
            "placeholders here",
            list.iter().map(String::as_str),
        );
        let message = if known {
            format!("`{{{name}}}` cannot be used in `{}`", node.name())
        } else {
            format!("unknown placeholder `{{{name}}}`")
        };
        node.note(message, help);
    }
}

/// An environment: names and values, with placeholders and variables in the values.
pub(crate) fn environment(node: &Node<'_>, allowed: &[&str]) -> BTreeMap<String, Secret<String>> {
    let mut env = BTreeMap::new();
    for entry in node.entries() {
        let name = entry.node.name();
        if name.is_empty() || name.contains(['=', '\0']) {
            entry.note_key(
                format!("`{name}` cannot be the name of an environment variable"),
                "a name without `=`, such as APP_PORT",
            );
        }
        let (Some(value), Some(given)) = (entry.node.any_text(), ExpandedText::read(&entry.node))
        else {
            continue;
        };
        let places: Vec<&str> = placeholders(value).collect();
        if places.contains(&"jvm_flags") {
            entry.node.note(
                "`{jvm_flags}` can be used in the command only",
                "put the flags themselves into the variable",
            );
        } else {
            check_placeholders(&entry.node, value, allowed);
        }
        env.insert(name.to_owned(), given.variable_value(name));
    }
    env
}
