//! A unary echo with tonic, on Tokio's threads.

use std::env;
use std::error::Error;

use tonic::transport::Server;
use tonic::{Request, Response, Status};

mod service {
    include!(concat!(env!("OUT_DIR"), "/echo.Echo.rs"));
}

struct Echo;

#[tonic::async_trait]
impl service::echo_server::Echo for Echo {
    async fn unary(&self, request: Request<String>) -> Result<Response<String>, Status> {
        Ok(Response::new(request.into_inner()))
    }
}

/// As many threads as `TOKIO_WORKER_THREADS` says.
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).ok_or("usage: tonic-target ADDRESS")?;
    let echo = service::echo_server::EchoServer::new(Echo);
    Server::builder()
        .tcp_nodelay(true)
        .add_service(echo)
        .serve(address.parse()?)
        .await?;
    Ok(())
}
