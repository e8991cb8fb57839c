//! `photofinish compare`.

use photofinish_model::Load;
use photofinish_study::{Compare, apply, compare_plan};

use crate::args::CompareArgs;
use crate::commands::{revisions, run};
use crate::exit::Failure;
use crate::request::{Asked, asked};
use crate::signals;

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let Asked {
        request,
        expect,
        version,
        tls,
        requests_per_connection,
        timeout,
        ..
    } = asked(&args.request, None)?;
    let revisions = match args.race.rev.as_slice() {
        [] => Vec::new(),
        given => {
            let purpose = args.build.as_deref().unwrap_or_default();
            revisions::check_out(given, purpose, args.race.detail.quiet)?.checkouts
        }
    };
    let wanted = Compare {
        unix_socket: (args.request.unix_socket.as_ref()).map(|path| path.display().to_string()),
        revisions,
        build: args.build.clone(),
        names: args.names.clone(),
        loads: args
            .connections
            .iter()
            .map(|&connections| Load::Closed { connections })
            .collect(),
        request,
        expect,
        version,
        tls,
        requests_per_connection,
        timeout,
        ..Compare::new(args.commands.clone(), &args.url)
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
