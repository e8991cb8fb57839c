//! What goes wrong with a call over gRPC.

use crate::finding::complaint::GrpcComplaint;

use crate::finding::complaint::grpc_status::named;

pub(super) fn complaint(complaint: &GrpcComplaint) -> String {
    match complaint {
        GrpcComplaint::HttpStatus { status } => format!(
            "HTTP status {status}, expected 200: is there a gRPC server behind this port?"
        ),
        GrpcComplaint::NotSpoken {} => "the response's content-type is not application/grpc: is this a gRPC server, and not gRPC-Web or plain HTTP/2?".to_owned(),
        GrpcComplaint::NoStatus {} => {
            "the reply ended without a grpc-status in its trailers".to_owned()
        }
        GrpcComplaint::StatusNumber { text } => {
            format!("the reply's grpc-status is \"{text}\", which is not a number")
        }
        GrpcComplaint::Failed { status, message } => failed(*status, message),
        GrpcComplaint::Compressed {} => "a message is compressed, though no compression was offered: turn it off in the server".to_owned(),
        GrpcComplaint::Flag { flag } => format!(
            "a message begins with the byte {flag:#04x} instead of 0 or 1: is this gRPC?"
        ),
        GrpcComplaint::Long { promised, most } => {
            format!("a message announces {promised} bytes, but at most {most} are accepted")
        }
        GrpcComplaint::CutPrefix { got, expected } => {
            format!("the reply ends after {got} of the {expected} bytes before a message")
        }
        GrpcComplaint::CutMessage { promised, got } => {
            format!("a message announced {promised} bytes and has {got}")
        }
        GrpcComplaint::Messages { got, expected } => format!(
            "the reply has {got} messages, expected {expected}: is this the method's kind (unary, server streaming)?"
        ),
    }
}

/// Such as `grpc-status 5 NOT_FOUND: no such cat`; and what to do, where something can be said.
fn failed(status: u64, message: &str) -> String {
    let named =
        named(status).map_or_else(|| format!("grpc-status {status} (unknown)"), str::to_owned);
    let message = match message {
        "" => String::new(),
        message => format!(": {}", message.escape_debug()),
    };
    let remedy = remedy(status).map_or(String::new(), |remedy| format!("; {remedy}"));
    format!("{named}{message}{remedy}")
}

fn remedy(status: u64) -> Option<&'static str> {
    Some(match status {
        3 => "does the message have what the method needs?",
        4 => "did a grpc-timeout among the metadata end it?",
        7 | 16 => "does it need credentials? give them as metadata (-H 'authorization: …')",
        8 => "is a limit of the server reached (message size, quota, streams)?",
        12 => "does the server have this service and method, with this spelling and package?",
        13 => "can the server read the message? it must be the method's own type",
        14 => "is the server up, and all that it needs?",
        _ => return None,
    })
}
