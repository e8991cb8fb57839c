//! One request over HTTP/2, by the `h2` library: another implementation than the load generator's, so that the two check
//! each other.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use http::response::Parts;
use http::{HeaderMap, Request, Uri, Version};
use photofinish_load::http2::NOT_SENT;
use photofinish_model::finding::complaint::{Complaint, Http2Complaint};
use photofinish_model::finding::failure::NoResponse;
use socket2::{Domain, Socket};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::runtime;
use tokio::time;
use tokio_rustls::TlsConnector;

use super::wait::Wait;
use super::{Ask, FIELDS, LARGEST, Response, Route, of_library, parsed, scheme, tls, too_large};

/// A whole response in the library's words.
pub(super) struct Reply {
    pub(super) head: Parts,
    pub(super) body: Vec<u8>,
    /// The fields after the content; empty where there are none.
    pub(super) trailers: HeaderMap,
}

/// Sends a request and reads its response; gives up soon after `unwanted` says so.
///
/// # Errors
/// As [`super::ask`]; and where the server does not speak HTTP/2.
pub(crate) fn ask(
    route: Route,
    ask: &Ask,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, NoResponse> {
    let (request, body) = request(ask, scheme(route))?;
    let Reply { head, body, .. } = converse(route, request, body, timeout, unwanted)?;
    let first = format!("HTTP/2 {}", head.status.as_u16());
    Ok(of_library(first, head.status, &head.headers, body))
}

/// The same in the library's words.
///
/// # Errors
/// The same.
pub(super) fn converse(
    route: Route,
    request: Request<()>,
    body: Bytes,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Reply, NoResponse> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(NoResponse::connect)?;
    let wait = Wait::begin(timeout, unwanted);
    runtime.block_on(async {
        let over = async {
            while let Some(turn) = wait.turn() {
                time::sleep(turn).await;
            }
        };
        tokio::select! {
            got = exchange(route, request, body, timeout) => got,
            () = over => Err(wait.over(0)),
        }
    })
}

async fn exchange(
    route: Route<'_>,
    request: Request<()>,
    body: Bytes,
    timeout: Duration,
) -> Result<Reply, NoResponse> {
    let stream = (route.from.connect(route.to, timeout))
        .and_then(unblocked)
        .map_err(NoResponse::connect)?;
    let Some(tls) = route.tls else {
        return speak(stream, request, body).await;
    };
    let settings = tls::settings(tls, route, b"h2")?;
    let name = settings.name.to_str().into_owned();
    let stream = TlsConnector::from(settings.config)
        .connect(settings.name, stream)
        .await
        .map_err(|error| tls::failed(error, &name, true))?;
    match stream.get_ref().1.alpn_protocol() {
        Some(b"h2") => speak(stream, request, body).await,
        _ => Err(tls::failed(
            io::Error::other(rustls::Error::NoApplicationProtocol),
            &name,
            true,
        )),
    }
}

/// Bytes there and back.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection as the library's runtime takes it.
fn unblocked(socket: Socket) -> io::Result<Box<dyn Stream>> {
    socket.set_nonblocking(true)?;
    Ok(match socket.domain()? {
        Domain::UNIX => Box::new(UnixStream::from_std(socket.into())?),
        _ => Box::new(TcpStream::from_std(socket.into())?),
    })
}

/// One request over a stream on which nothing was said.
async fn speak(
    stream: impl Stream + 'static,
    request: Request<()>,
    body: Bytes,
) -> Result<Reply, NoResponse> {
    let (mut sender, connection) = h2::client::Builder::new()
        .header_table_size(0)
        .enable_push(false)
        .handshake::<_, Bytes>(stream)
        .await
        .map_err(broken)?;
    let speaking = tokio::spawn(connection);
    let got = response(&mut sender, request, body).await;
    // What the connection ended with says more than that it ended.
    match (got, speaking.is_finished()) {
        (Err(error), true) => match speaking.await {
            Ok(Err(cause)) => Err(broken(cause)),
            _ => Err(error),
        },
        (got, _) => got,
    }
}

/// What went wrong by the library. Where it knows no more than a number, that is said in our words.
fn broken(error: h2::Error) -> NoResponse {
    let closed = |io: &io::Error| {
        matches!(
            io.kind(),
            io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof
        )
    };
    match (error.get_io(), error.reason()) {
        (Some(io), _) if closed(io) => NoResponse::http2(Http2Complaint::Closed {}),
        (Some(io), _) => NoResponse::http2(Complaint::said(io)),
        (None, Some(reason)) => {
            let number = reason.into();
            NoResponse::http2(match (error.is_remote(), error.is_go_away()) {
                (true, true) => Http2Complaint::GoneAway { error: number },
                (true, false) => Http2Complaint::Reset { error: number },
                (false, _) => Http2Complaint::Refused { error: number },
            })
        }
        // A mistake of ours in using the library, which it alone can name.
        (None, None) => NoResponse::http2(Complaint::said(error)),
    }
}

async fn response(
    sender: &mut SendRequest<Bytes>,
    request: Request<()>,
    body: Bytes,
) -> Result<Reply, NoResponse> {
    std::future::poll_fn(|context| sender.poll_ready(context))
        .await
        .map_err(broken)?;
    let (response, mut sending) = sender
        .send_request(request, body.is_empty())
        .map_err(broken)?;
    if !body.is_empty() {
        sending.send_data(body, true).map_err(broken)?;
    }
    let (head, mut content) = response.await.map_err(broken)?.into_parts();
    let mut body = Vec::new();
    while let Some(piece) = content.data().await {
        let piece = piece.map_err(broken)?;
        let _ = content.flow_control().release_capacity(piece.len());
        body.extend_from_slice(&piece);
        if body.len() > LARGEST {
            return Err(too_large());
        }
    }
    let trailers = content.trailers().await.map_err(broken)?;
    Ok(Reply {
        head,
        body,
        trailers: trailers.unwrap_or_default(),
    })
}

/// The request, as it would be sent over HTTP/1.1, in the words of HTTP/2.
fn request(ask: &Ask, scheme: &'static str) -> Result<(Request<()>, Bytes), NoResponse> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let (parsed, head) = parsed(ask.bytes, &mut fields)?;
    let host = (parsed.headers.iter())
        .find(|field| field.name.eq_ignore_ascii_case("host"))
        .map_or(&b""[..], |field| field.value);
    let uri = Uri::builder()
        .scheme(scheme)
        .authority(host)
        .path_and_query(parsed.path.unwrap_or("/"))
        .build()
        .map_err(NoResponse::send)?;
    let mut request = Request::builder()
        .version(Version::HTTP_2)
        .method(parsed.method.unwrap_or("GET"))
        .uri(uri);
    for field in parsed.headers.iter() {
        if !NOT_SENT.contains(&&*field.name.to_ascii_lowercase()) {
            request = request.header(field.name, field.value);
        }
    }
    let request = request.body(()).map_err(NoResponse::send)?;
    Ok((request, Bytes::copy_from_slice(&ask.bytes[head..])))
}
