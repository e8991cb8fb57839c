//! `photofinish capacity`.

use photofinish_lab::capacity::{CapacityOptions, Searched, capacity as search};
use photofinish_model::capacity::{Ended, Step};
use photofinish_model::{Objective, Search};

use crate::args::{CapacityArgs, detail};
use crate::commands::load::shared_options;
use crate::exit::Failure;
use crate::screen::screen;
use crate::steps::SearchProgress;
use crate::{out, process};

pub fn capacity(args: &CapacityArgs) -> Result<(), Failure> {
    let options = options(args)?;
    let interrupt = process::interrupt()?;
    out::rivals(args.detail.all.quiet);
    let mut steps = SearchProgress::new(&args.slo, args.detail.all.quiet);
    let mut on_step = |step: &Step| steps.step(step);
    let found = search(&options, &mut on_step, &interrupt);
    steps.end();
    let Searched {
        capacity: found,
        first_error,
        led_to,
    } = found.map_err(Failure::from)?;
    out::redirected(led_to.as_deref());
    if args.json.all.json {
        out::result(&photofinish_report::json(&found))?;
    } else {
        out::result(&photofinish_report::capacity(
            &found,
            detail(&args.detail.all),
            screen(),
        ))?;
    }
    let no_good = |step: &Step| step.achieved_rps == 0.0 && step.errors > 0;
    let steps = &found.found.steps;
    if !steps.is_empty() && steps.iter().all(no_good) {
        let first = first_error.map_or(String::new(), |first| format!("; the first: {first}"));
        return Err(Failure::run(format!(
            "no response was as expected: this says nothing about the server's capacity; `photofinish load` shows what came back{first}"
        )));
    }
    // What it takes to be of use in a script: a server that meets the objective at no rate has failed it.
    if found.found.sustained_rps.is_none() && found.found.ended != Ended::Interrupted {
        return Err(Failure::Condition);
    }
    Ok(())
}

fn options(args: &CapacityArgs) -> Result<CapacityOptions, Failure> {
    let objective = Objective::parse(&args.slo)
        .map_err(|e| Failure::request(format!("--slo '{}': {e}", args.slo)))?;
    if !args.precision.is_finite() || !(0.1..=100.0).contains(&args.precision) {
        return Err(Failure::request(format!(
            "--precision {}: give a percentage from 0.1 to 100",
            args.precision
        )));
    }
    let given = &args.search.all;
    Ok(CapacityOptions {
        load: shared_options(&args.url, &args.request, &args.generator)?,
        search: Search {
            objective,
            connections: args.generator.connections,
            step: given.step,
            start: given.start,
            precision: args.precision / 100.0,
            max_steps: given.max_steps,
            max_time: given.max_time,
        },
    })
}
