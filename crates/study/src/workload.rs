//! `[[workload]]`: what is sent, what must come back, and the load levels.

mod files;
mod grpc;
mod loads;
mod request;

use std::path::Path;

use photofinish_model::{Exchange, Message, Request, Secret, Sweep, Template, WebSocket};

use crate::checks::{check_name, check_varying_path};
use crate::expanded::ExpandedText;
use crate::labels::read_labels;
use crate::mistake::Mistake;
use crate::plan::Workload;
use crate::reader::{Node, Section};
use crate::service::Services;
use crate::size::{SIZES_SAY, format_size, parse_size};
use files::{read_http, read_login};
use grpc::read_grpc;
use loads::read_loads;
pub(crate) use request::read_version;
use request::{read_headers, read_requests_per_connection, read_streams};

/// The keys that mean nothing to a TCP echo, over WebSocket, over gRPC and over HTTP, separated by spaces.
const NOT_TCP: &str = "path method headers body expect requests csv-data order per-connection login http2 \
     streams message reply requests-per-connection proto import-path descriptor-set";
const NOT_WEBSOCKET: &str = "method body expect requests csv-data order per-connection http2 \
     requests-per-connection proto import-path descriptor-set";
const NOT_GRPC: &str = "method body reply sizes requests csv-data order per-connection http2 \
     requests-per-connection";
const NOT_HTTP: &str = "sizes message reply proto import-path descriptor-set";

/// The items of `[[key]]`.
pub(crate) fn sections<'d>(file: &Section<'d>, key: &str) -> Vec<(Node<'d>, Section<'d>)> {
    let what = format!("[[{key}]]");
    let Some(node) = file.get(key) else {
        return Vec::new();
    };
    if node.is_table() {
        node.note(
            format!("`{key}` is a list of tables"),
            format!("write {what} with two brackets, once for each"),
        );
        return Vec::new();
    }
    let items = node.list().unwrap_or_default();
    items
        .into_iter()
        .filter_map(|item| Some((item, item.section()?)))
        .collect()
}

/// Reads all workloads; `labels` are those of the study's targets, `dir` is the folder from which it names other files.
pub(crate) fn read_workloads(
    file: &Section<'_>,
    dir: &Path,
    labels: &[&str],
    services: &Services<'_>,
) -> Vec<Workload> {
    let mut workloads: Vec<Workload> = Vec::new();
    for (node, section) in sections(file, "workload") {
        let read = read_workload(&section, dir, labels);
        let targets = read.first().map(|workload| &*workload.targets);
        let hooks = services.hooks(&section, labels, targets.unwrap_or_default());
        for workload in read {
            let name = &workload.name;
            if !name.is_empty() && workloads.iter().any(|other| other.name == *name) {
                node.note(
                    format!("the workload `{name}` is listed twice"),
                    "give each a name of its own; several load levels of one go into one list",
                );
            }
            workloads.push(Workload {
                before: hooks.before.clone(),
                count_after: hooks.count_after.clone(),
                ..workload
            });
        }
    }
    if workloads.is_empty() && file.get("workload").is_none() && !file.is_misspelt("workload") {
        file.note(
            "a study needs at least one [[workload]]",
            "add [[workload]] with name = \"plaintext\", path = \"/plaintext\", connections = [100]",
        );
    }
    workloads
}

/// One workload, or one for each size of a message.
fn read_workload(section: &Section<'_>, dir: &Path, labels: &[&str]) -> Vec<Workload> {
    let protocol = section.word("protocol");
    let common = |exchange| read_common(section, labels, exchange);
    let idle = |keys: &str, what: &str, remedy: &str| {
        for node in keys.split(' ').filter_map(|key| section.get(key)) {
            node.note(format!("`{}` has no meaning {what}", node.name()), remedy);
        }
    };
    match protocol {
        Some("tcp-echo") => {
            // Its sizes are read after it.
            let workload = common(Exchange::TcpEcho { size: 1 });
            idle(
                NOT_TCP,
                "to a TCP echo",
                "leave it out: a message of the given size is sent, and the same bytes must come back",
            );
            read_sweep(section, &workload, |size| Exchange::TcpEcho { size })
        }
        Some("websocket") => {
            let wanted = read_websocket(section);
            let workload = common(Exchange::WebSocket(wanted.clone()));
            idle(
                NOT_WEBSOCKET,
                "over WebSocket",
                "leave it out: `message` or `sizes` say what is sent, and `reply` what must come back, if not the same",
            );
            match (section.get("message"), section.get("sizes")) {
                (None, None) => {
                    section.note(
                        "[[workload]] has neither `message` nor `sizes`",
                        "add a line such as message = \"hello\", or sizes = [\"64\", \"1k\"] for random bytes",
                    );
                    vec![workload]
                }
                (Some(_), _) => vec![workload],
                (None, Some(_)) => read_sweep(section, &workload, |size| {
                    Exchange::WebSocket(WebSocket {
                        message: Message::Random { size },
                        ..wanted.clone()
                    })
                }),
            }
        }
        Some("grpc") => {
            idle(
                NOT_GRPC,
                "over gRPC",
                "leave it out: `path` names the method, `message` is what is sent, and `expect` says what must come back",
            );
            vec![common(Exchange::Grpc(read_grpc(section, dir)))]
        }
        _ => {
            let exchange = read_http(section, dir);
            let version = exchange.version().unwrap_or_default();
            let workload = Workload {
                requests_per_connection: read_requests_per_connection(section, version),
                ..common(exchange)
            };
            idle(
                NOT_HTTP,
                "over HTTP",
                "add protocol = \"tcp-echo\", \"websocket\" or \"grpc\", or leave it out",
            );
            vec![workload]
        }
    }
}

/// The opening of a WebSocket, and the message where it is no sweep over sizes.
fn read_websocket(section: &Section<'_>) -> WebSocket {
    let path = section.need("path");
    let message = section.get("message");
    if let (Some(node), Some(_)) = (message, section.get("sizes")) {
        node.note(
            "`message` and `sizes` are two different messages",
            "give one of them",
        );
    }
    let text = message.and_then(|node| ExpandedText::read(&node));
    let reply = section.get("reply").and_then(|node| node.any_text());
    WebSocket {
        opening: Request {
            method: "GET".to_owned(),
            path: Template::parse(checked(path, check_varying_path)),
            headers: section
                .get("headers")
                .map(|node| read_headers(&node))
                .unwrap_or_default(),
            body: Secret::default(),
        },
        // Without a text the sizes are asked for.
        message: Message::Text(text.map(|text| text.template()).unwrap_or_default()),
        reply: reply.map(|text| text.as_bytes().to_vec()),
        streams: read_streams(section),
    }
}

/// A workload of this exchange.
fn read_common(section: &Section<'_>, labels: &[&str], exchange: Exchange) -> Workload {
    let name = checked(section.need("name"), check_name);
    let (loads, published_loads) = read_loads(section);
    let login = match exchange {
        // It has no use for one, which is reported.
        Exchange::TcpEcho { .. } => None,
        _ => read_login(section, &exchange),
    };
    Workload {
        name,
        login,
        exchange,
        requests_per_connection: None,
        timeout: section.value_or_default("timeout"),
        loads,
        published_loads,
        sweep: None,
        targets: read_labels(section, labels),
        warmed_up: section.value_or_default("warmup"),
        before: None,
        count_after: None,
    }
}

/// A workload for each size. One alone keeps the name; of several each has its size in it, such as `echo-5k`.
fn read_sweep(
    section: &Section<'_>,
    workload: &Workload,
    exchange: impl Fn(u64) -> Exchange,
) -> Vec<Workload> {
    let nodes = section.need("sizes");
    let nodes = nodes.map(|node| node.one_or_more()).unwrap_or_default();
    let alone = nodes.len() == 1;
    let mut sizes: Vec<u64> = Vec::new();
    for node in nodes {
        let size = node.text().and_then(|text| {
            let size = parse_size(text);
            if size.is_none() {
                node.note(
                    format!("`{text}` is not the size of a message"),
                    format!("allowed: {SIZES_SAY}"),
                );
            }
            size
        });
        let Some(size) = size else { continue };
        if sizes.contains(&size) {
            node.note("this size is listed twice", "name each size once");
            continue;
        }
        sizes.push(size);
    }
    sizes
        .into_iter()
        .map(|size| {
            let name = match alone {
                true => workload.name.clone(),
                false => format!("{}-{}", workload.name, format_size(size)),
            };
            Workload {
                name,
                exchange: exchange(size),
                sweep: (!alone).then(|| Sweep {
                    name: workload.name.clone(),
                    variable: "size".to_owned(),
                    value: size,
                }),
                ..workload.clone()
            }
        })
        .collect()
}

fn checked(node: Option<Node<'_>>, check: impl Fn(&str) -> Result<(), Mistake>) -> String {
    let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) else {
        return String::new();
    };
    node.check(check(text));
    text.to_owned()
}
