//! The bytes of messages are those that notes/scale.md states.

use std::path::Path;
use std::time::SystemTime;

use photofinish_load::Until;
use photofinish_model::Window;

use super::*;
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
            bytes(&FromAgent::Reply(number, written(&Some(now)))),
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
