//! HTTP/2 for the event loops: the `h2` library between two buffers, where it waits for nothing by itself.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use h2::server::{self, Connection, Handshake, SendResponse};
use h2::{RecvStream, SendStream};

use crate::grpc::Call;
use crate::http::{self, Request};
use crate::pipe::Pipe;
use crate::policy::{Policy, now_ns};

/// What every connection over HTTP/2 begins with, as far as it takes to distinguish it from HTTP/1.1.
pub const PREFACE: &[u8] = b"PRI";

/// More requests at once on a connection than any client here asks for.
const MAX_STREAMS: u32 = 100_000;

/// How far a connection is.
enum Stage {
    Begins(Handshake<Pipe, Bytes>),
    Open(Connection<Pipe, Bytes>),
}

/// A request that is to be served.
struct Asked {
    request: Request,
    /// What is called over gRPC, if it is that.
    call: Option<Call>,
    arrival: i64,
    respond: SendResponse<Bytes>,
}

/// HTTP/2 on one connection.
pub struct Session {
    pipe: Pipe,
    stage: Stage,
    /// Requests whose bodies have not come to their end.
    bodies: Vec<(RecvStream, Asked)>,
    /// Requests that wait for their time, by ticket.
    waiting: Vec<Option<Asked>>,
    /// Tickets that nobody has.
    free: Vec<u32>,
    /// When those requests arrived whose responses are among the output, and are to be noted.
    served: Vec<i64>,
}

impl Session {
    pub fn new() -> Session {
        let pipe = Pipe::default();
        let mut builder = server::Builder::new();
        builder.max_concurrent_streams(MAX_STREAMS);
        Session {
            stage: Stage::Begins(builder.handshake(pipe.clone())),
            pipe,
            bodies: Vec::new(),
            waiting: Vec::new(),
            free: Vec::new(),
            served: Vec::new(),
        }
    }

    /// Takes bytes that arrived at this time, and serves what can be served. What has to wait goes to `waits`, with its ticket.
    /// Whether the connection stays.
    pub fn take<P: Policy>(
        &mut self,
        bytes: &[u8],
        arrival: i64,
        policy: &mut P,
        waits: &mut Vec<(Duration, u32)>,
    ) -> bool {
        self.pipe.give(bytes);
        self.serve(arrival, policy, waits)
    }

    /// The time of the request with this ticket has come. Whether the connection stays.
    pub fn due<P: Policy>(
        &mut self,
        ticket: u32,
        policy: &mut P,
        waits: &mut Vec<(Duration, u32)>,
    ) -> bool {
        let Some(asked) = self.waiting.get_mut(ticket as usize).and_then(Option::take) else {
            return true;
        };
        self.free.push(ticket);
        let arrival = asked.arrival;
        self.respond(asked, policy);
        self.serve(arrival, policy, waits)
    }

    /// Adds what is to be sent, and is sent now, as `policy` learns.
    pub fn output<P: Policy>(&mut self, to: &mut Vec<u8>, policy: &mut P) {
        self.pipe.output(to);
        for arrival in self.served.drain(..) {
            policy.written(arrival, now_ns());
        }
    }

    /// Lets the library do what it can, for as long as there are requests to serve.
    fn serve<P: Policy>(
        &mut self,
        arrival: i64,
        policy: &mut P,
        waits: &mut Vec<(Duration, u32)>,
    ) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        if let Stage::Begins(handshake) = &mut self.stage {
            match Pin::new(handshake).poll(&mut context) {
                Poll::Pending => return true,
                Poll::Ready(Err(_)) => return false,
                Poll::Ready(Ok(connection)) => self.stage = Stage::Open(connection),
            }
        }
        loop {
            let Stage::Open(connection) = &mut self.stage else {
                return true;
            };
            let (asked, body) = match connection.poll_accept(&mut context) {
                Poll::Ready(Some(Ok((head, respond)))) => {
                    let (head, body) = head.into_parts();
                    let path = head.uri.path_and_query().map_or("", |path| path.as_str());
                    let asked = Asked {
                        request: Request::new(path, head.method == "HEAD"),
                        call: Call::of(&head),
                        arrival,
                        respond,
                    };
                    (asked, body)
                }
                Poll::Ready(_) => return false,
                Poll::Pending => match self.whole(&mut context) {
                    Some(asked) => {
                        self.ask(Asked { arrival, ..asked }, policy, waits);
                        continue;
                    }
                    None => return true,
                },
            };
            match body.is_end_stream() {
                true => self.ask(asked, policy, waits),
                false => self.bodies.push((body, asked)),
            }
        }
    }

    /// A request whose body has come to its end, which nobody reads but calls.
    fn whole(&mut self, context: &mut Context<'_>) -> Option<Asked> {
        for at in 0..self.bodies.len() {
            let (body, asked) = &mut self.bodies[at];
            loop {
                match body.poll_data(context) {
                    Poll::Ready(Some(Ok(bytes))) => {
                        let _ = body.flow_control().release_capacity(bytes.len());
                        if let Some(call) = asked.call.as_mut().filter(|call| call.waits()) {
                            call.take(&bytes);
                        }
                    }
                    Poll::Ready(_) => return Some(self.bodies.swap_remove(at).1),
                    Poll::Pending => break,
                }
            }
        }
        None
    }

    /// Serves a request, or lets it wait.
    fn ask<P: Policy>(&mut self, asked: Asked, policy: &mut P, waits: &mut Vec<(Duration, u32)>) {
        let delay = policy.delay(asked.request);
        if delay.is_zero() {
            return self.respond(asked, policy);
        }
        let ticket = self.free.pop().unwrap_or_else(|| {
            self.waiting.push(None);
            (self.waiting.len() - 1) as u32
        });
        self.waiting[ticket as usize] = Some(asked);
        waits.push((delay, ticket));
    }

    /// Responds with what HTTP/1.1 would say, in the words of HTTP/2. A client that has given the request up needs no response.
    fn respond<P: Policy>(&mut self, asked: Asked, policy: &mut P) {
        let Asked {
            request,
            call,
            arrival,
            mut respond,
        } = asked;
        if P::STAMPS && !request.route.asks_for_notes() {
            self.served.push(arrival);
        }
        if let Some(call) = call {
            let _ = call.respond(&mut respond);
            return;
        }
        let mut bytes = Vec::with_capacity(256);
        http::respond(request, &mut bytes, || policy.truth(request.route));
        let mut fields = [httparse::EMPTY_HEADER; 4];
        let mut head = httparse::Response::new(&mut fields);
        let Ok(httparse::Status::Complete(length)) = head.parse(&bytes) else {
            return;
        };
        let mut response = ::http::Response::builder().status(head.code.unwrap_or(500));
        for field in head.headers.iter() {
            response = response.header(field.name, field.value);
        }
        let body = Bytes::copy_from_slice(&bytes[length..]);
        let sent = response
            .body(())
            .ok()
            .and_then(|response| respond.send_response(response, body.is_empty()).ok());
        if let Some(mut stream) = sent.filter(|_| !body.is_empty()) {
            let _ = SendStream::send_data(&mut stream, body, true);
        }
    }
}
