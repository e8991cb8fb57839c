//! `photofinish compare`.

use photofinish_lab::study::plan::Load;
use photofinish_lab::study::{Compare, apply, compare_plan};

use crate::args::CompareArgs;
use crate::commands::load::{bytes, named_bytes};
use crate::commands::run;
use crate::commands::server::duration;
use crate::exit::Failure;
use crate::signals;

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let request = &args.request;
    let wanted = Compare {
        names: args.names.clone(),
        loads: args
            .connections
            .iter()
            .map(|&connections| Load::Closed { connections })
            .collect(),
        method: request.method.clone(),
        headers: request.headers.clone(),
        body: named_bytes("--body", request.body.as_deref())?,
        expect_status: request.expect_status,
        expect_body: request
            .expect_body
            .as_deref()
            .map(|text| bytes("--expect-body", text))
            .transpose()?,
        timeout: duration("--timeout", &request.timeout)?,
        ..Compare::new(vec![args.a.clone(), args.b.clone()], &args.url)
    };
    let plan = compare_plan(&wanted).map_err(Failure::mistake)?;
    let overrides = run::overrides(&args.race, false, &[])?;
    let plan = apply(plan, &overrides).map_err(Failure::mistake)?;
    let interrupt =
        signals::interrupt().map_err(|e| Failure::run(format!("cannot watch for Ctrl-C: {e}")))?;
    run::race(&plan, &args.race, None, &interrupt)
}
