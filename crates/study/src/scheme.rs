//! What a URL begins with.

/// What is spoken at a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// HTTP.
    Http,
    /// WebSocket.
    Ws,
    /// gRPC.
    Grpc,
    /// An echo over plain TCP.
    Tcp,
}

impl Scheme {
    /// That of `https` and the like, and whether it is over TLS.
    pub fn parse(name: &str) -> Option<(Scheme, bool)> {
        Some(match name {
            "http" => (Scheme::Http, false),
            "https" => (Scheme::Http, true),
            "ws" => (Scheme::Ws, false),
            "wss" => (Scheme::Ws, true),
            "grpc" => (Scheme::Grpc, false),
            "grpcs" => (Scheme::Grpc, true),
            "tcp" => (Scheme::Tcp, false),
            _ => return None,
        })
    }
}
