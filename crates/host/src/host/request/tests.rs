//! Messages have the bytes that notes/scale.md states, and arrive whole.

use std::path::Path;
use std::time::SystemTime;

use photofinish_load::Until;
use photofinish_model::Window;

use super::*;
use crate::agent::frame;
use crate::agent::message::{FromAgent, News, ToAgent};

/// A message's bytes on the stream.
fn bytes(message: &impl Serialize) -> usize {
    let mut bytes = Vec::new();
    frame::send(&mut bytes, message).expect("it can be written");
    bytes.len()
}

#[test]
fn the_page_has_the_bytes_of_control_messages() {
    // A request's number in the middle of a run.
    let number = 10_000;
    let now = Duration::new(1_795_000_000, 123_456_789);
    let slice = photofinish_load::Slice {
        stages: Vec::new(),
        until: Until::Elapsed(Duration::from_millis(400)),
        lead_in: Duration::from_millis(50),
        window: Duration::from_millis(400),
        seed: u64::from(u32::MAX),
        begin: Some(SystemTime::UNIX_EPOCH + now),
    };
    let begin = Slice {
        session: number - 1,
        slice,
    };
    let window = Window {
        start_s: 0.0,
        duration_s: 0.4,
        responses: 8_000,
        errors: 0,
        p50_us: Some(350.0),
        p99_us: Some(900.0),
        max_us: Some(2_500.0),
    };
    let ask = |ask: Ask| bytes(&ToAgent::Ask(number, ask));
    let news = |news| bytes(&FromAgent::News(number, news));
    let sizes = [
        ("the clock is asked", ask(Clock {}.into())),
        (
            "it replies",
            bytes(&FromAgent::Reply(
                number,
                Ok(Clock::written(&now).expect("bytes")),
            )),
        ),
        ("a slice begins", ask(begin.into())),
        ("its window opened, or closed", news(News::Opened)),
        ("a window's figures", news(News::Window(window))),
        ("still there, each way", bytes(&ToAgent::<Ask>::Alive)),
    ];
    assert_eq!(news(News::Opened), news(News::Closed));
    assert_eq!(bytes(&ToAgent::<Ask>::Alive), bytes(&FromAgent::Alive));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notes/scale.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let rows: Vec<String> = sizes
        .iter()
        .map(|(what, bytes)| format!("| {what} | {bytes} |"))
        .collect();
    for row in &rows {
        assert!(
            page.contains(row),
            "notes/scale.md has other bytes: {rows:#?}"
        );
    }
    // Of a slice in the middle of a level: the clock four times, the slice, its two marks, its window.
    let [clock, reply, begins, mark, figures, _] = sizes.map(|(_, bytes)| bytes);
    let all = 4 * (clock + reply) + begins + 2 * mark + figures;
    assert!(
        page.contains(&format!("{all} bytes in 12 messages")),
        "{all} bytes"
    );
}

/// What arrives of something that travels.
fn arrived<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let bytes = postcard::to_stdvec(value).expect("it can be written");
    postcard::from_bytes(&bytes).expect("it can be read")
}

#[test]
fn requests_and_replies_travel_whole() {
    let local = LocalHost::default();
    let replied = |ask: Ask| {
        let (_, reply) = arrived(&ask)
            .answer(&local, &Control::default(), &|| false)
            .expect("a reply");
        reply
    };
    let known: Vec<crate::Cpu> = postcard::from_bytes(&replied(Cpus {}.into())).expect("cores");
    assert_eq!(known, cpus::take().expect("cores"));
    let exchange = photofinish_model::Exchange::TcpEcho { size: 8 };
    let load = photofinish_model::Load::Closed { connections: 1 };
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let config = Config::new(address, exchange, load, Until::Requests(1));
    let read = arrived(&Json::from(config.clone())).read();
    assert_eq!(read.expect("a configuration"), config);
    let mut times = hdrhistogram::Histogram::new_with_bounds(1, 1_000, 3).expect("bounds");
    times.record_n(7, 5).expect("in bounds");
    assert_eq!(arrived(&Times(times.clone())).0, times);
}
