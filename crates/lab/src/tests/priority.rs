//! Whether servers come before other programs on their cores.

use photofinish_host::Facts;
use photofinish_model::settings::CpuSets;

use super::turns::{plan, run};
use super::*;

/// Whether each server of a run of two came first; and what the record says.
fn came_first(change: impl FnOnce(&mut Plan)) -> (Vec<bool>, Option<i32>) {
    let mut bench = Bench::new();
    let options = bench.options();
    let mut plan = plan(&["a", "b"], 1);
    plan.settings.lanes = CpuSets::Explicit {
        server: vec![0],
        generator: vec![1],
    };
    change(&mut plan);
    run(&mut bench, &options, &plan, Box::new(|_, _| 1.0));
    let started = bench.host.started.lock().expect("lock");
    let first = started.iter().map(|spec| spec.first).collect();
    (first, bench.results().environment.server_nice)
}

#[test]
fn servers_with_cores_of_their_own_come_first_there() {
    let may = Facts::take(&[]).gives_priority;
    let as_usual = (vec![false; 2], None);
    let expected = match may {
        true => (vec![true; 2], Some(-20)),
        false => as_usual.clone(),
    };
    assert_eq!(came_first(|_| {}), expected);
    assert_eq!(
        came_first(|plan| plan.settings.usual_priority = true),
        as_usual
    );
    assert_eq!(
        came_first(|plan| plan.settings.lanes = CpuSets::None),
        as_usual
    );
    // On the generator's cores it would have to wait for them.
    let shared = |plan: &mut Plan| {
        plan.settings.lanes = CpuSets::Explicit {
            server: vec![0, 1],
            generator: vec![1],
        }
    };
    assert_eq!(came_first(shared), as_usual);
}
