//! Servers in containers: `image` and `containerfile`.

use std::path::{Component, Path};

use crate::command::START_PLACEHOLDERS;
use crate::plan::Image;
use crate::reader::{Node, Section};

/// The keys that say which image.
pub(crate) const KEYS: [&str; 2] = ["image", "containerfile"];

/// The placeholders of a container's arguments and environment: what names files of the machine means nothing in it.
pub(crate) const PLACEHOLDERS: [&str; 4] = ["port", "host", "jvm_flags", "cpus"];

/// The placeholders of a start command and its environment.
pub(crate) fn placeholders(in_container: bool) -> &'static [&'static str] {
    match in_container {
        true => &PLACEHOLDERS,
        false => &START_PLACEHOLDERS,
    }
}

/// The image that a table names, with where; `None` where it names none. Whether a file is there shows when it is built: the
/// target's own build may make it.
pub(crate) fn read<'d>(section: &Section<'d>) -> Option<(Node<'d>, Image)> {
    let [image, file] = KEYS.map(|key| section.get(key));
    if let (Some(_), Some(file)) = (&image, &file) {
        file.note(
            "a server runs from one image, and here are two",
            "take `image` or `containerfile` out",
        );
    }
    if let Some(node) = image {
        let name = node.text()?;
        if let Err((problem, allowed)) = check(name) {
            node.note(problem, allowed);
        }
        return Some((node, Image::Named(name.to_owned())));
    }
    let node = file?;
    let name = Path::new(node.text()?);
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !name.components().all(stays) {
        node.note(
            format!("`{}` is not a file of the target's folder", name.display()),
            "the path from that folder, such as \"Containerfile\": the folder is what it is built from",
        );
    }
    Some((node, Image::File(name.to_owned())))
}

/// What names an image.
pub(crate) const NAMES: &str =
    "a name such as \"docker.io/library/nginx:1.27\", or with a digest: \"…@sha256:…\"";

/// A name that the engine would take for an option, or for two arguments.
///
/// # Errors
/// What is wrong, and what is allowed.
pub(crate) fn check(name: &str) -> Result<(), (String, &'static str)> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    match name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits) {
        true => Ok(()),
        false => Err((format!("`{name}` is not the name of an image"), NAMES)),
    }
}
