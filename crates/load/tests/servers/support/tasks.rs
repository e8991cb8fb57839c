//! Servers whose connections are tasks of tokio, such as those of the `h2` library.

use std::net::SocketAddr;
use std::thread;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;

/// Serves each connection by a task of its own, all of them on one thread; ends with the process.
pub fn serve<F>(mut script: impl FnMut(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            let listener = TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                tokio::spawn(script(stream));
            }
        });
    });
    address
}

/// All of a request's body.
pub async fn body(request: http::Request<h2::RecvStream>) -> Vec<u8> {
    let mut content = request.into_body();
    let mut body = Vec::new();
    while let Some(Ok(piece)) = content.data().await {
        let _ = content.flow_control().release_capacity(piece.len());
        body.extend_from_slice(&piece);
    }
    body
}
