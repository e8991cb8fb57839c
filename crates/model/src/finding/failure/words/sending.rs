//! Why no load could be sent, or a request not be built.

use crate::finding::failure::{LoadPart, LoadTrouble, RequestFault, RequestPart};

use crate::finding::complaint::words::complaint;

pub(super) fn no_load(trouble: &LoadTrouble) -> String {
    match trouble {
        LoadTrouble::Connect { address, kind, why } => {
            // What to look at first, where the sentence does not say so itself.
            let question = match kind.starts_with("connect") {
                true => "; is the server running?",
                false => "",
            };
            format!("connect to {address}: {} ({kind}){question}", complaint(why))
        }
        LoadTrouble::Files { needed, allowed } => format!(
            "open {needed} files: this process may open {allowed}; raise the hard limit (`ulimit -Hn`) or use fewer connections"
        ),
        LoadTrouble::Pin { cpu, says } => {
            format!("run on CPU {cpu}: {says}; choose one of the CPUs that this process may use")
        }
        LoadTrouble::Request { why } => format!("load as configured: {}", fault(why)),
        LoadTrouble::NoIssuers {} => {
            "load as configured: this machine has no certificates of issuers (Debian: install ca-certificates); give --cacert FILE or --insecure".to_owned()
        }
        LoadTrouble::Settings { says } => format!("load as configured: {says}"),
        LoadTrouble::System { what, says } => format!("{}: {says}", part(*what)),
        LoadTrouble::FewConnections {
            connections,
            generators,
        } => format!(
            "{connections} connections for {generators} load generators: each needs at least one; use more connections, or fewer [[generator]]s"
        ),
        LoadTrouble::FewRequests {
            requests,
            generators,
        } => format!(
            "{requests} requests for {generators} load generators: each sends at least one; send more requests, or use fewer [[generator]]s"
        ),
        LoadTrouble::Apart { tries } => format!(
            "the load generators did not start together in {tries} tries: each time one of them started late; look for what delays it, or the link to it"
        ),
        LoadTrouble::Broken {} => "a thread of the load generator broke down".to_owned(),
    }
}

fn part(part: LoadPart) -> &'static str {
    match part {
        LoadPart::Connection => "watch a connection",
        LoadPart::Poll => "wait for events",
        LoadPart::Timer => "set a timer",
        LoadPart::Thread => "start a thread (`ulimit -u` may limit them)",
        LoadPart::Files => "raise the limit of open files",
    }
}

pub(super) fn fault(fault: &RequestFault) -> String {
    match fault {
        RequestFault::Word { part, value } => {
            let part = match part {
                RequestPart::Method => "method",
                RequestPart::Path => "path",
                RequestPart::HeaderName => "header name",
            };
            format!(
                "the request's {part} \"{}\" has a space, a line break or another character that cannot be sent there",
                value.escape_debug()
            )
        }
        RequestFault::Value { name, value } => format!(
            "the header {name}'s value \"{}\" has a line break or a control character",
            value.escape_debug()
        ),
        RequestFault::Length {
            stated,
            body: Some(body),
        } => format!(
            "the header Content-Length is {stated}, and the body has {body} bytes; leave the header out: it is made from the body"
        ),
        RequestFault::Length { stated, body: None } => format!(
            "the header Content-Length is {stated}, and the body's length varies; leave the header out: it is made from each body"
        ),
        RequestFault::TwoLengths {} => {
            "the headers Content-Length and Transfer-Encoding exclude each other; leave both out".to_owned()
        }
        RequestFault::Coding {} => {
            "the header Transfer-Encoding is given, and the body is not in the chunked coding; leave the header out".to_owned()
        }
        RequestFault::Bounds { low, high } => {
            format!("there is no whole number from {low} to {high}; write the smaller one first")
        }
    }
}
