use super::*;

/// Two rounds of a target whose throughput follows the law with these α and β, γ = 1,000, at each level.
fn following(alpha: f64, beta: f64, levels: &[u32]) -> Results {
    let law = |n: f64| 1000.0 * n / (1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0));
    let mut results = samples::race(&["a"], &[&[]]);
    results.study.settings.rounds = 2;
    results.lines.clear();
    results.study.workloads[0].loads.clear();
    for &connections in levels {
        let load = Load::Closed { connections };
        results.study.workloads[0].loads.push(load.clone());
        let x = law(f64::from(connections));
        for mut line in samples::race(&["a"], &[&[x * 1.001, x / 1.001]]).lines {
            line.load = load.clone();
            results.lines.push(line);
        }
    }
    results
}

#[test]
fn the_knee_of_a_known_law_is_found() {
    // N* = √((1 − α) / β) = √(0.98 / 0.0002) = 70.
    let comparison = Comparison::from(&following(0.02, 0.0002, &[1, 8, 32, 64, 128, 256]));
    let [scaling] = comparison.scaling.as_slice() else {
        panic!("{:?}", comparison.scaling);
    };
    let knee = scaling.knee.expect("a knee");
    assert!((knee.value - 70.0).abs() < 1.0, "{knee:?}");
    assert!(
        knee.interval
            .is_some_and(|interval| interval.contains(70.0))
    );
    assert!((scaling.gamma.value - 1000.0).abs() < 10.0);
    assert!(
        scaling
            .says
            .en
            .starts_with("a: throughput peaks at about 70 connections ["),
        "{}",
        scaling.says.en
    );
}

#[test]
fn a_law_without_coherency_has_no_peak() {
    let comparison = Comparison::from(&following(0.05, 0.0, &[1, 8, 32, 64, 128]));
    let says = &comparison.scaling[0].says.en;
    assert!(
        says == "a: throughput has no peak up to 128 connections"
            || says == "a: the figures do not show a peak",
        "{says}"
    );
}

#[test]
fn fewer_than_four_levels_are_not_fitted() {
    let comparison = Comparison::from(&following(0.02, 0.0002, &[1, 32, 128]));
    assert!(comparison.scaling.is_empty());
}

/// A sweep over message sizes: X = 1 / (10 µs + 2 ns × size), but for these sizes only a part of it.
fn sweep(slow: &[(u64, f64)]) -> Results {
    let mut results = samples::race(&["a"], &[&[]]);
    results.lines.clear();
    results.study.settings.rounds = 2;
    results.study.workloads.clear();
    for value in [64, 256, 1024, 4096, 16_384, 65_536] {
        let name = format!("echo-{value}");
        let part = slow.iter().find(|(size, _)| *size == value);
        let x = part.map_or(1.0, |(_, part)| *part) / (10e-6 + 2e-9 * value as f64);
        results.study.workloads.push(WorkloadRecord {
            name: name.clone(),
            digests: None,
            sweep: Some(photofinish_model::Sweep {
                name: "echo".to_owned(),
                variable: "size".to_owned(),
                value,
            }),
            ..samples::study(&["a"], 2).workloads[0].clone()
        });
        for mut line in samples::race(&["a"], &[&[x, x]]).lines {
            line.workload.clone_from(&name);
            results.lines.push(line);
        }
    }
    results
}

#[test]
fn a_size_that_is_slow_is_pointed_at() {
    let comparison = Comparison::from(&sweep(&[(4096, 0.4)]));
    let [point] = comparison.out_of_line.as_slice() else {
        panic!("{:?}", comparison.out_of_line);
    };
    assert_eq!((point.value, point.target.as_str()), (4096, "a"));
    assert!(point.ratio < 0.5, "{point:?}");
    assert!(
        point.says.en.starts_with("a, echo-4096, 100 connections: ")
            && point.says.en.contains("% below the "),
        "{}",
        point.says.en
    );
    assert!(Comparison::from(&sweep(&[])).out_of_line.is_empty());
}
