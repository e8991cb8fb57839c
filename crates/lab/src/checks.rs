//! The validity checks of a load run, which `judge` makes: what they are made from, gathered.

use std::time::Duration;

use photofinish_judge::checks::{Compared, Outages, Outcome as Judged, Reply, Rows, Seen, checks};
use photofinish_load::Outcome;
use photofinish_model::{Exchange, Grpc, MachineUse, Measurement, ServerUse, Window};

use crate::convert::us;
use crate::turns::stalls;

/// A load run, and what was seen of everything around it.
#[derive(Clone, Debug)]
pub(crate) struct Run<'a> {
    pub(crate) outcome: &'a Outcome,
    pub(crate) exchange: &'a Exchange,
    pub(crate) server: Option<&'a ServerUse>,
    pub(crate) machine: Option<&'a MachineUse>,
    /// Whether the target responds as the others do; `None` where it has no others.
    pub(crate) same_job: Option<Judged>,
    /// What responses were compared with, where the server was verified.
    pub(crate) compared: Option<Compared>,
    pub(crate) rows: Option<Rows>,
    /// CPU that the other targets used meanwhile, in cores; `None` where they were not up, or it is not known.
    pub(crate) bystanders: Option<f64>,
    /// In turns, the windows of each other target in the same turns.
    pub(crate) beside: &'a [Vec<Window>],
    /// Whether this is all that will be measured.
    pub(crate) is_only_run: bool,
}

/// Makes a measurement's checks, once it is complete.
pub(crate) fn make(measurement: &mut Measurement, run: Run) {
    measurement.streams = run.exchange.streams();
    let outages = outages(run.outcome);
    let seen = Seen {
        outages: Some(Outages {
            each_s: &outages,
            is_only_run: run.is_only_run,
        }),
        server: run.server,
        machine: run.machine,
        compared: run.compared,
        first_change: run.outcome.first_change.as_ref(),
        clock_step_us: us(run.outcome.clock_step),
        reply: reply(run.exchange),
        same_job: run.same_job,
        rows: run.rows,
        bystanders: run.bystanders,
        beside: run.beside,
    };
    measurement.checks = checks(measurement, &seen);
}

/// How long the server gave no response within the window each time, in seconds. What was under way when load began is not among it: the server may
/// just have been cold.
fn outages(outcome: &Outcome) -> Vec<f64> {
    let usual = Duration::from_nanos(outcome.latency.value_at_quantile(0.5));
    let limit = stalls::limit(usual);
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
