//! Where a request's CPU time goes.

use photofinish_model::{Disturbed, Layer, Profile, Turn, Turns};
use photofinish_stats::random::Random;

use super::*;

/// A profile with so many samples of each layer.
fn profile(layers: &[(Layer, u64)], throughput_rps: f64) -> Profile {
    Profile {
        throughput_rps,
        cpu_us_per_request: Some(5.1),
        hertz: 499,
        samples: layers.iter().map(|(_, count)| count).sum(),
        lost: 0,
        layers: layers.iter().copied().collect(),
        stack_depth: Some(20.0),
        program: None,
        file: "profiles/x.folded".to_owned(),
        merged: 0,
    }
}

/// A race of two, `a` 10% ahead, each of whose rounds has a profile: the samples of `a` and `b` by round, and the CPU time in
/// microseconds that `b` takes for a request; that of `a` is 5.
fn raced(of: &mut dyn FnMut(&str) -> Vec<(Layer, u64)>, b_takes: f64) -> Results {
    let mut results = two(1.10);
    for line in &mut results.lines {
        let throughput = line.measurement.as_ref().expect("measured").throughput_rps;
        line.profile = Some(profile(&of(&line.target), throughput * 0.98));
        if line.target == "b" {
            let server = line.server.as_mut().expect("sampled");
            server.cpu_user_us_per_request = Some(b_takes - 2.0);
        }
    }
    results
}

const BASE: [(Layer, u64); 4] = [
    (Layer::KernelReceive, 300),
    (Layer::KernelSend, 1_000),
    (Layer::Waiting, 200),
    (Layer::Application, 500),
];

/// Samples of a target that spends these shares, drawn by chance.
fn drawn(random: &mut Random, of: &[(Layer, u64)], samples: u64) -> Vec<(Layer, u64)> {
    let all: u64 = of.iter().map(|(_, weight)| weight).sum();
    let mut counts: Vec<(Layer, u64)> = of.iter().map(|(layer, _)| (*layer, 0)).collect();
    for _ in 0..samples {
        let mut at = random.within(0, all - 1);
        for (place, (_, weight)) in of.iter().enumerate() {
            if at < *weight {
                counts[place].1 += 1;
                break;
            }
            at -= weight;
        }
    }
    counts
}

#[test]
fn the_layers_add_up_to_the_measured_cpu_time() {
    let comparison = Comparison::from(&raced(&mut |_| BASE.to_vec(), 6.0));
    let cell = &comparison.cells[0];
    for (target, cpu) in cell.targets.iter().zip([5.0, 6.0]) {
        let profile = target.profile.as_ref().expect("profiled");
        let sum: f64 = profile.layers.iter().map(|time| time.us).sum();
        assert!(near(profile.cpu_us, cpu) && near(sum, cpu), "{profile:?}");
        assert_eq!(profile.samples, 5 * 2_000);
        assert!(near(profile.throughput_ratio.expect("a price"), 0.98));
        let (with, without) = (profile.profiled_rps, profile.unprofiled_rps);
        let without = without.expect("measured");
        assert!(near(with.expect("profiled") / without, 0.98));
        let measured = target.figure(Metric::Throughput).expect("measured").mean;
        assert!(near(without, measured.expect("a mean")));
        let shares: f64 = profile.layers.iter().map(|time| time.share).sum();
        assert!(near(shares, 1.0));
    }
    let a = cell.targets[0].profile.as_ref().expect("profiled");
    // 300 of 2,000 samples of 5 µs.
    assert_eq!(a.layers[0].layer, Layer::KernelReceive);
    assert!(near(a.layers[0].us, 0.75));
    // As a metric, for claims and conditions.
    let waiting = cell.targets[1]
        .figure(Metric::LayerWaiting)
        .expect("a figure");
    assert!(near(waiting.mean.expect("a mean"), 0.6));
    let none = cell.targets[1].figure(Metric::LayerTls).expect("a figure");
    assert_eq!((none.min, none.max), (0.0, 0.0));
}

#[test]
fn what_profiling_costs_is_told_beside_all_slices() {
    let mut results = two(1.10);
    for line in &mut results.lines {
        // Half of the slices were disturbed, by which they lost a fifth: of the others alone the profile would seem to cost a tenth.
        let turn = |rps: f64, disturbed| Turn {
            throughput_rps: rps,
            disturbed,
            ..Turn::default()
        };
        let throughput = line.measurement.as_ref().expect("measured").throughput_rps;
        line.turns = Some(Turns {
            slice_s: 0.1,
            lead_in_s: 0.05,
            turns: vec![
                turn(throughput, None),
                turn(0.8 * throughput, Some(Disturbed::OtherProcesses)),
            ],
            bystanders: None,
            frozen: false,
            block: None,
        });
        line.profile = Some(profile(&BASE, 0.9 * throughput));
    }
    let comparison = Comparison::from(&results);
    let profile = comparison.cells[0].targets[0]
        .profile
        .as_ref()
        .expect("one");
    assert!(
        near(profile.throughput_ratio.expect("a price"), 1.0),
        "{profile:?}"
    );
}

#[test]
fn differences_are_ranked_and_only_the_certain_ones_are_said() {
    // b: 1 µs more, all of it in the application: 1.25 + 1 of 6 µs.
    let b = [
        (Layer::KernelReceive, 250),
        (Layer::KernelSend, 833),
        (Layer::Waiting, 167),
        (Layer::Application, 750),
    ];
    let results = raced(
        &mut |target| {
            if target == "a" {
                BASE.to_vec()
            } else {
                b.to_vec()
            }
        },
        6.0,
    );
    let comparison = Comparison::from(&results);
    let pair = &comparison.cells[0].layers[0];
    assert_eq!(
        (pair.a.as_str(), pair.b.as_str(), pair.rounds),
        ("a", "b", 5)
    );
    let first = &pair.layers[0];
    assert_eq!(first.layer, Layer::Application);
    let by = first.difference;
    assert!(near(by.more_us, 1.0) && by.is_sure, "{first:?}");
    assert!(
        pair.layers[1..]
            .iter()
            .all(|layer| !layer.difference.is_sure),
        "{pair:?}"
    );
    let cost = comparison.cost.expect("said");
    assert_eq!(cost.en, "b +1.0 µs CPU per request: application 1.0");
    assert_eq!(
        cost.zh,
        "b 每个请求的CPU 时间多 1.0 µs：应用程序 1.0".replace("的CPU", "的 CPU")
    );
}

#[test]
fn where_no_layer_differs_for_certain_cpu_time_speaks() {
    // The same shares of 8 µs and of 5, in so few samples that chance alone may make up all of a layer's difference.
    let few: Vec<(Layer, u64)> = BASE.iter().map(|(layer, of)| (*layer, of / 100)).collect();
    let results = raced(&mut |_| few.clone(), 8.0);
    let cost = Comparison::from(&results).cost.expect("a cost");
    assert_eq!(cost.en, "b +3.0 µs CPU per request");
    // The same time: nothing says why.
    let results = raced(&mut |_| BASE.to_vec(), 5.0);
    assert_eq!(Comparison::from(&results).cost, None);
}

#[test]
fn layers_are_named_by_what_they_explain_and_only_notable_ones() {
    // a: 0.75 µs receive, 2.5 send, 0.5 waiting, 1.25 application. b, of 10 µs: 0.75, 1.5, 1, 6.5 and 0.25 of TLS.
    let b = [
        (Layer::KernelReceive, 1_500),
        (Layer::KernelSend, 3_000),
        (Layer::Waiting, 2_000),
        (Layer::Application, 13_000),
        (Layer::Tls, 500),
    ];
    let a: Vec<(Layer, u64)> = BASE.iter().map(|(layer, of)| (*layer, of * 10)).collect();
    let mut of = |target: &str| match target {
        "a" => a.clone(),
        _ => b.to_vec(),
    };
    let comparison = Comparison::from(&raced(&mut of, 10.0));
    let sure = comparison.cells[0].layers[0].layers.iter();
    assert!(sure.filter(|layer| layer.difference.is_sure).count() == 4);
    let cost = comparison.cost.expect("a cost");
    // TLS is a twentieth of the gap. What it spends less on comes last, and 0.2 is what the named ones leave of 5.0.
    assert_eq!(
        cost.en,
        "b +5.0 µs CPU per request: application 5.3, waiting and waking 0.5, kernel send −1.0, unexplained 0.2"
    );
}

#[test]
fn beside_many_targets_the_two_that_are_compared_are_looked_at_alone() {
    // Of 5.8 µs and of 5: 0.4 µs more in each, with a standard error of 0.077 µs by chance alone. A t quantile of 4 degrees of freedom is
    // 3.5 for two layers of one pair, and 6.7 for those of ten pairs.
    let samples = [(Layer::Application, 250), (Layer::KernelSend, 250)];
    let rates: Vec<Vec<f64>> = (0..5)
        .map(|place| a_over_b(1.5 - 0.25 * f64::from(place.min(2))))
        .collect();
    let rates: Vec<&[f64]> = rates.iter().map(Vec::as_slice).collect();
    let mut results = samples::race(&["a", "b", "c", "d", "e"], &rates);
    for line in &mut results.lines {
        line.profile = Some(profile(&samples, 900.0));
        let server = line.server.as_mut().expect("sampled");
        let user = if line.target == "a" { 3.0 } else { 3.8 };
        server.cpu_user_us_per_request = Some(user);
    }
    let comparison = Comparison::from(&results);
    let pair = &comparison.cells[0].layers[0];
    assert_eq!((pair.a.as_str(), pair.b.as_str()), ("a", "b"));
    assert!(
        pair.layers.iter().all(|layer| !layer.difference.is_sure),
        "{pair:?}"
    );
    // Each with half of the 0.8 µs.
    let cost = comparison.cost.expect("a cost");
    assert!(cost.args["parts"].is_object(), "{cost:?}");
}

#[test]
fn counts_without_bounds_are_survived() {
    let mut results = raced(&mut |_| BASE.to_vec(), 5.0);
    for line in &mut results.lines {
        line.profile.as_mut().expect("profiled").samples = u64::MAX;
    }
    let comparison = Comparison::from(&results);
    assert!(serde_json::to_string(&comparison).is_ok());
}

#[test]
fn a_layer_seen_once_is_no_difference() {
    let once = |target: &str| match target {
        "a" => vec![(Layer::Application, 200)],
        _ => vec![(Layer::Application, 199), (Layer::Tls, 1)],
    };
    let comparison = Comparison::from(&raced(&mut |target| once(target), 5.0));
    let pair = &comparison.cells[0].layers[0];
    assert!(
        pair.layers.iter().all(|layer| !layer.difference.is_sure),
        "{pair:?}"
    );
}

/// In how many of so many simulated races a layer is said to differ, and in how many the application comes first among those. In each
/// process each layer takes by `uneven` (a share) more or less than usual.
fn simulated(
    races: u64,
    samples: u64,
    b: &[(Layer, u64)],
    b_takes: f64,
    uneven: f64,
) -> (u64, u64) {
    let (mut said, mut first) = (0, 0);
    for race in 0..races {
        let mut random = Random::stream(17, race);
        let mut of = |target: &str| {
            let of = if target == "a" { &BASE[..] } else { b };
            let here = |(layer, weight): &(Layer, u64)| {
                let weight = 1_000.0 * *weight as f64 * (uneven * random.normal()).exp();
                (*layer, weight as u64)
            };
            let of: Vec<(Layer, u64)> = of.iter().map(here).collect();
            drawn(&mut random, &of, samples)
        };
        let mut results = raced(&mut of, b_takes);
        // CPU time differs from round to round, too.
        for line in &mut results.lines {
            let server = line.server.as_mut().expect("sampled");
            let user = server.cpu_user_us_per_request.expect("user") + 0.05 * random.normal();
            server.cpu_user_us_per_request = Some(user);
        }
        let comparison = Comparison::from(&results);
        let pair = &comparison.cells[0].layers[0];
        let mut sure = pair.layers.iter().filter(|layer| layer.difference.is_sure);
        let most = sure.next();
        said += u64::from(most.is_some());
        first += u64::from(most.is_some_and(|most| most.layer == Layer::Application));
    }
    (said, first)
}

#[test]
fn equal_targets_differ_in_no_layer() {
    for uneven in [0.0, 0.05, 0.2] {
        let (said, _) = simulated(400, 250, &BASE, 5.0, uneven);
        assert!(said <= 20, "{said} of 400");
    }
}

#[test]
fn a_planted_function_comes_first() {
    // 20% more CPU time, all of it the application's: 1.25 + 1 of 6 µs.
    let b = [
        (Layer::KernelReceive, 75),
        (Layer::KernelSend, 250),
        (Layer::Waiting, 50),
        (Layer::Application, 225),
    ];
    let (said, first) = simulated(100, 500, &b, 6.0, 0.0);
    assert_eq!(said, first);
    assert!(first >= 90, "{first} of 100");
}
