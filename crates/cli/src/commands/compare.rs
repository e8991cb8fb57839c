//! `photofinish compare`.

use photofinish_model::Load;
use photofinish_study::{Compare, apply, compare_plan};

use crate::args::CompareArgs;
use crate::commands::run;
use crate::exit::Failure;
use crate::request::{Asked, asked};
use crate::signals;

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let Asked {
        request,
        expect,
        timeout,
    } = asked(&args.request)?;
    let wanted = Compare {
        names: args.names.clone(),
        loads: args
            .connections
            .iter()
            .map(|&connections| Load::Closed { connections })
            .collect(),
        request,
        expect,
        timeout,
        ..Compare::new(vec![args.a.clone(), args.b.clone()], &args.url)
    };
    let plan = compare_plan(&wanted).map_err(Failure::mistake)?;
    let overrides = run::overrides(&args.race, false, &[])?;
    let plan = apply(plan, &overrides).map_err(Failure::mistake)?;
    let ci = run::ci(&plan, &args.race)?;
    let interrupt =
        signals::interrupt().map_err(|e| Failure::run(format!("cannot handle Ctrl-C: {e}")))?;
    let again = |_: &_| "A comparison of commands cannot be resumed: run it again.".to_owned();
    run::race(&plan, &args.race, &ci, None, &again, &interrupt)
}
