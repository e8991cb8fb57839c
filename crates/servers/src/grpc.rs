//! gRPC: `/echo.Echo/Unary` sends the message back as it came, `/echo.Echo/Stream` three times; others are not implemented. By the
//! `h2` library: here on one thread that replies as soon as it can; the event loops reply to the same calls when their policy says.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::{self, SendResponse};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response};
use socket2::{Domain, Socket};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::runtime::Builder;
use tokio_rustls::TlsAcceptor;

use crate::tls::Tls;

/// The longest call that is taken, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// How often a stream has the message.
const ENTRY_REPEATS: usize = 3;

/// Bytes there and back.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Where clients come in.
enum Door {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Door {
    async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        Ok(match self {
            Door::Tcp(listener) => Box::new(listener.accept().await?.0),
            Door::Unix(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

/// Serves on a listener until accepting breaks.
pub fn serve(listener: Socket, tls: Option<&Tls>) -> io::Result<()> {
    let tls = tls.map(|tls| TlsAcceptor::from(Arc::clone(&tls.config)));
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let door = match listener.domain()? {
            Domain::UNIX => Door::Unix(UnixListener::from_std(listener.into())?),
            _ => Door::Tcp(TcpListener::from_std(listener.into())?),
        };
        loop {
            match door.accept().await {
                Ok(stream) => {
                    let tls = tls.clone();
                    tokio::spawn(async move {
                        // Who breaks off harms nobody else.
                        match tls {
                            None => drop(converse(stream).await),
                            Some(tls) => {
                                if let Ok(stream) = tls.accept(stream).await {
                                    drop(converse(stream).await);
                                }
                            }
                        }
                    });
                }
                // A connection that was gone before it was accepted does not end the server.
                Err(e) if e.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(e) => return Err(e),
            }
        }
    })
}

/// Serves one client until it goes away.
async fn converse(stream: impl Stream) -> Result<(), h2::Error> {
    let mut connection = server::handshake(stream).await?;
    while let Some(call) = connection.accept().await {
        let (request, respond) = call?;
        tokio::spawn(async move {
            // Who made the call may be gone; nobody else is to learn of it.
            let _ = serve_call(request, respond).await;
        });
    }
    Ok(())
}

async fn serve_call(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
) -> Result<(), h2::Error> {
    let mut call = Call::to(request.uri().path());
    let mut content = request.into_body();
    while call.waits() {
        let Some(piece) = content.data().await.transpose()? else {
            break;
        };
        content.flow_control().release_capacity(piece.len())?;
        call.take(&piece);
    }
    call.respond(&mut respond)
}

/// A call, as far as it has come.
pub struct Call {
    /// How often the message is sent back, or the status with which it is refused.
    times: Result<usize, &'static str>,
    message: Vec<u8>,
}

impl Call {
    /// A call to the method at this path.
    fn to(path: &str) -> Call {
        Call {
            times: match path {
                "/echo.Echo/Unary" => Ok(1),
                "/echo.Echo/Stream" => Ok(ENTRY_REPEATS),
                _ => Err("12"),
            },
            message: Vec::new(),
        }
    }

    /// The call that a request is, if its content is of gRPC.
    pub fn of(head: &Parts) -> Option<Call> {
        let content = head.headers.get("content-type")?.as_bytes();
        content
            .starts_with(b"application/grpc")
            .then(|| Call::to(head.uri.path()))
    }

    /// Whether more of its message is wanted.
    pub fn waits(&self) -> bool {
        self.times.is_ok()
    }

    /// Takes a piece of the message.
    pub fn take(&mut self, piece: &[u8]) {
        match self.message.len() + piece.len() {
            0..=MAX_MESSAGE_BYTES => self.message.extend_from_slice(piece),
            _ => self.times = Err("8"),
        }
    }

    /// Sends what the call ends with.
    pub fn respond(self, respond: &mut SendResponse<Bytes>) -> Result<(), h2::Error> {
        let mut head = Response::new(());
        let content = HeaderValue::from_static("application/grpc");
        head.headers_mut().insert("content-type", content);
        let times = match self.times {
            Ok(times) => times,
            Err(status) => {
                let status = HeaderValue::from_static(status);
                head.headers_mut().insert("grpc-status", status);
                return respond.send_response(head, true).map(drop);
            }
        };
        let mut sending = respond.send_response(head, false)?;
        sending.send_data(self.message.repeat(times).into(), false)?;
        let name = http::HeaderName::from_static("grpc-status");
        let status = (name, HeaderValue::from_static("0"));
        sending.send_trailers(HeaderMap::from_iter([status]))
    }
}
