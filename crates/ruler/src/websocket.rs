//! WebSocket: each message goes back as it came.

use std::net::TcpStream;

use tungstenite::{HandshakeError, accept};

/// Echoes one client's messages until it goes away.
pub fn converse(stream: TcpStream) -> tungstenite::Result<()> {
    stream.set_nodelay(true)?;
    let mut socket = match accept(stream) {
        Ok(socket) => socket,
        Err(HandshakeError::Failure(error)) => return Err(error),
        // The stream blocks.
        Err(HandshakeError::Interrupted(_)) => return Ok(()),
    };
    loop {
        let message = socket.read()?;
        if message.is_text() || message.is_binary() {
            socket.send(message)?;
        }
    }
}
