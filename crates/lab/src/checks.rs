//! The validity checks of a load run, which `judge` makes: what they are made from, gathered.

use photofinish_judge::checks::{FirstChange, Outages, Reply, Seen, checks};
use photofinish_load::Outcome;
use photofinish_model::{Exchange, Grpc, Measurement};

use crate::convert::us;
use crate::turns::stalls;

/// Makes a measurement's checks, once it is complete. `seen` is what was seen next to the load; `is_only_run`: whether nothing else will be
/// measured.
pub(crate) fn make(
    measurement: &mut Measurement,
    outcome: &Outcome,
    exchange: &Exchange,
    is_only_run: bool,
    seen: Seen,
) {
    measurement.streams = exchange.streams();
    let outages = outages(outcome);
    let seen = Seen {
        outages: Some(Outages {
            each_s: &outages,
            is_only_run,
        }),
        first_change: (outcome.first_change.as_ref()).map(|complaint| FirstChange {
            complaint,
            at_s: outcome.first_change_at.map(|at| at.as_secs_f64()),
        }),
        clock_step_us: us(outcome.clock_step),
        reply: reply(exchange),
        ..seen
    };
    measurement.checks = checks(measurement, &seen);
}

/// How long the server gave no response within the window each time, in seconds. What was under way when load began is not among it: the server may
/// just have been cold.
fn outages(outcome: &Outcome) -> Vec<f64> {
    let limit = stalls::limit(outcome.usual_service());
    let stalls = outcome.gaps.iter();
    let stalls = stalls.filter(|gap| gap.lasted > limit && !gap.under_way);
    let within = stalls.map(|gap| {
        let began = gap.began as f64 / 1e9;
        let ended = (began + gap.lasted.as_secs_f64()).min(outcome.duration.as_secs_f64());
        ended - began.max(0.0)
    });
    within.filter(|length| *length > 0.0).collect()
}

fn reply(exchange: &Exchange) -> Option<Reply> {
    match exchange {
        // Each has its own.
        Exchange::Requests(_) => None,
        Exchange::TcpEcho { size } => Some(Reply::Echo { size: *size }),
        Exchange::WebSocket(messages) => Some(Reply::Message {
            bytes: messages.reply_bytes()?,
        }),
        Exchange::Http { expect, .. } | Exchange::Grpc(Grpc { expect, .. }) => {
            let body = expect.body.as_ref()?;
            Some(Reply::Body {
                bytes: body.len() as u64,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use photofinish_load::{Gap, Lost};

    use super::*;
    use crate::fake;

    #[test]
    fn neither_a_queue_nor_a_wait_in_vain_hides_an_outage() {
        let of = |responses, takes| fake::outcome(4, Duration::from_secs(5), responses, takes);
        let (good, short) = (
            of(200, Duration::from_secs(3)),
            of(200, Duration::from_millis(2)),
        );
        // An open loop whose server ends after 2 s: most requests wait for it until they are given up.
        let waited = of(300, Duration::from_secs(10)).latency;
        let outcome = Outcome {
            lost: Some(Lost {
                latency: good.latency,
                service: Some(short.service),
                waited: waited.clone(),
                waited_since_sent: waited.clone(),
            }),
            gaps: vec![Gap {
                began: 2_000_000_000,
                lasted: Duration::from_secs(10),
                under_way: false,
            }],
            ..of(300, Duration::from_secs(10))
        };
        assert_eq!(outages(&outcome), [3.0]);
    }
}
