//! Where a server listens that always listens in the same place.

use photofinish_model::Address;

use crate::plan::Listen;
use crate::reader::Section;

/// Where a server always listens.
pub(super) fn read_listen(section: &Section<'_>) -> Listen {
    let port = section.value::<u32>("port");
    let port = port.and_then(|port| u16::try_from(port).ok());
    let Some(node) = section.get("socket") else {
        return port.map_or(Listen::FreePort, Listen::Port);
    };
    if port.is_some() {
        node.note(
            "a server is loaded at its port or at its Unix socket, and here are both",
            "take `port` or `socket` out",
        );
    }
    let path = node.text().unwrap_or("/");
    let allowed = "an absolute path of at most 107 bytes, such as \"/run/app.sock\"";
    match Address::unix(path) {
        Ok(Address::Unix(path)) if path.is_absolute() => Listen::SocketAt(path),
        Ok(_) => {
            node.note(format!("`{path}` is not an absolute path"), allowed);
            Listen::FreePort
        }
        Err(error) => {
            node.note(error.to_string(), allowed);
            Listen::FreePort
        }
    }
}
