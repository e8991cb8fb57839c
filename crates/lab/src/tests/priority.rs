//! Whether servers come before other programs on their cores.

use photofinish_host::Facts;
use photofinish_model::settings::CpuSets;

use super::turns::{plan, run};
use super::*;

/// Whether each server of a run of two came first; and what the record says.
fn raised_priority(change: impl FnOnce(&mut Plan)) -> (Vec<bool>, Option<i32>) {
    let mut bench = Bench::new();
    let mut plan = plan(&["a", "b"], 1);
    plan.settings.lanes = CpuSets::Explicit {
        server: vec![0],
        generator: vec![1],
    };
    change(&mut plan);
    run(&mut bench, &plan, |_, _| 1.0);
    let started = bench.host.started.lock().expect("lock");
    let first = started.iter().map(|spec| spec.raised_priority).collect();
    (first, bench.results().environment.server_nice)
}

#[test]
fn servers_with_cores_of_their_own_have_raised_priority() {
    let may = Facts::take(&[]).gives_priority;
    let as_usual = (vec![false; 2], None);
    let expected = match may {
        true => (vec![true; 2], Some(-20)),
        false => as_usual.clone(),
    };
    assert_eq!(raised_priority(|_| {}), expected);
    assert_eq!(
        raised_priority(|plan| plan.settings.usual_priority = true),
        as_usual
    );
    assert_eq!(
        raised_priority(|plan| plan.settings.lanes = CpuSets::None),
        as_usual
    );
    // On the generator's cores it would have to wait for them.
    let shared = |plan: &mut Plan| {
        plan.settings.lanes = CpuSets::Explicit {
            server: vec![0, 1],
            generator: vec![1],
        }
    };
    assert_eq!(raised_priority(shared), as_usual);
}
