//! WebSocket: each message goes back as it came.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::{ServerConnection, StreamOwned};
use socket2::Socket;
use tungstenite::{HandshakeError, accept};

use crate::tls::Tls;

/// Echoes one client's messages until it goes away.
pub fn converse(stream: Socket, tls: Option<&Tls>) -> tungstenite::Result<()> {
    let Some(tls) = tls else {
        return echo(stream);
    };
    let connection = ServerConnection::new(Arc::clone(&tls.config)).map_err(io::Error::other)?;
    echo(StreamOwned::new(connection, stream))
}

fn echo(stream: impl Read + Write) -> tungstenite::Result<()> {
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
