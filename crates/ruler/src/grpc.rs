//! gRPC: `/echo.Echo/Unary` sends the message back as it came, `/echo.Echo/Stream` three times; others are not implemented. By the
//! `h2` library, on one thread.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::{self, SendResponse};
use http::{HeaderMap, HeaderValue, Request, Response};
use socket2::{Domain, Socket};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::runtime::Builder;
use tokio_rustls::TlsAcceptor;

use crate::tls::Tls;

/// The longest call that is taken, in bytes.
const LONGEST: usize = 16 << 20;

/// How often a stream has the message.
const TIMES: usize = 3;

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

/// Answers one client until it goes away.
async fn converse(stream: impl Stream) -> Result<(), h2::Error> {
    let mut connection = server::handshake(stream).await?;
    while let Some(call) = connection.accept().await {
        let (request, respond) = call?;
        tokio::spawn(async move {
            // Who made the call may be gone; nobody else is to be told.
            let _ = answer(request, respond).await;
        });
    }
    Ok(())
}

async fn answer(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
) -> Result<(), h2::Error> {
    let times = match request.uri().path() {
        "/echo.Echo/Unary" => 1,
        "/echo.Echo/Stream" => TIMES,
        _ => return refuse(&mut respond, "12"),
    };
    let mut content = request.into_body();
    let mut message = Vec::new();
    while let Some(piece) = content.data().await {
        let piece = piece?;
        content.flow_control().release_capacity(piece.len())?;
        message.extend_from_slice(&piece);
        if message.len() > LONGEST {
            return refuse(&mut respond, "8");
        }
    }
    let mut sending = respond.send_response(head(), false)?;
    sending.send_data(message.repeat(times).into(), false)?;
    let name = http::HeaderName::from_static("grpc-status");
    let status = (name, HeaderValue::from_static("0"));
    sending.send_trailers(HeaderMap::from_iter([status]))
}

/// Ends a call with a status and nothing else.
fn refuse(respond: &mut SendResponse<Bytes>, status: &'static str) -> Result<(), h2::Error> {
    let mut head = head();
    let status = HeaderValue::from_static(status);
    head.headers_mut().insert("grpc-status", status);
    respond.send_response(head, true).map(|_| ())
}

fn head() -> Response<()> {
    let mut head = Response::new(());
    let content = HeaderValue::from_static("application/grpc");
    head.headers_mut().insert("content-type", content);
    head
}
