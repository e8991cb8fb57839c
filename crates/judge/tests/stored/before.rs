//! The facts of a report of version 1.

use photofinish_model::{Load, Metric};
use serde_json::Value;

use crate::Facts;

pub fn facts(report: &Value) -> Facts {
    let report = &renamed(report);
    let mut facts = Facts::new();
    let head = &report["head"];
    for key in [
        "rounds_done",
        "rounds_asked",
        "max_rounds",
        "duration_s",
        "seed",
        "margin",
    ] {
        add(&mut facts, format!("head {key}"), &head[key]);
    }
    for cell in list(&report["cells"]) {
        of_cell(&mut facts, cell);
    }
    for scaling in list(&report["scaling"]) {
        let place = format!(
            "scaling {} {}",
            text(&scaling["workload"]),
            text(&scaling["target"])
        );
        for key in ["levels", "gamma", "alpha", "beta", "knee", "residual"] {
            add(&mut facts, format!("{place} {key}"), &scaling[key]);
        }
    }
    for point in list(&report["out_of_line"]) {
        let place = format!(
            "out of line {} {} {}",
            text(&point["workload"]),
            text(&point["level"]),
            text(&point["target"])
        );
        for key in ["value", "throughput", "expected", "ratio"] {
            add(&mut facts, format!("{place} {key}"), &point[key]);
        }
    }
    for claim in list(&report["claims"]) {
        let place = format!("claim {}", text(&claim["claim"]["id"]));
        for key in ["verdict", "ratio", "interval"] {
            add(&mut facts, format!("{place} {key}"), &claim[key]);
        }
        for side in ["of", "over"] {
            figure(
                &mut facts,
                &format!("{place} {side}"),
                &claim[side]["figure"],
            );
            figure(
                &mut facts,
                &format!("{place} {side} p999"),
                &claim[side]["p999"],
            );
        }
    }
    for failure in list(&report["failures"]) {
        let place = format!("failure {} {}", text(&failure["target"]), failure["round"]);
        add(&mut facts, place, &failure["measurements"]);
    }
    for missing in list(&report["missing"]) {
        let place = format!(
            "missing {} {} {}",
            text(&missing["target"]),
            text(&missing["workload"]),
            text(&missing["level"])
        );
        add(&mut facts, place, &missing["rounds"]);
    }
    facts
}

fn of_cell(facts: &mut Facts, cell: &Value) {
    let place = format!("{} at {}", text(&cell["workload"]), text(&cell["level"]));
    add(
        facts,
        format!("{place}: limit held back"),
        &cell["limit_held_back"],
    );
    for target in list(&cell["targets"]) {
        let place = format!("{place}: {}", text(&target["target"]));
        for key in [
            "rounds",
            "requests",
            "rounds_with_errors",
            "errors",
            "share_of_limit",
        ] {
            add(facts, format!("{place} {key}"), &target[key]);
        }
        let sustained = &target["sustained"];
        for key in ["none_held", "lower_bound", "gap"] {
            add(facts, format!("{place} sustained {key}"), &sustained[key]);
        }
        for point in list(&sustained["curve"]) {
            let place = format!("{place} step {}", point["offered_rps"]);
            for key in ["steps", "held", "p50_us", "p99_us", "requests", "errors"] {
                add(facts, format!("{place} {key}"), &point[key]);
            }
        }
        for (name, value) in target["figures"].as_object().expect("figures") {
            figure(facts, &format!("{place} {}", metric(name)), value);
        }
    }
    for verdict in list(&cell["verdicts"]) {
        let place = format!(
            "{place}: verdict {} {} / {}",
            metric(text(&verdict["metric"])),
            text(&verdict["of"]),
            text(&verdict["over"])
        );
        for key in [
            "rounds",
            "ratio",
            "interval",
            "level",
            "direction",
            "ahead",
            "rounds_needed",
            "decided_after",
        ] {
            add(facts, format!("{place} {key}"), &verdict[key]);
        }
    }
    for lead in list(&cell["leads"]) {
        let place = format!("{place}: lead {}", metric(text(&lead["metric"])));
        for key in [
            "leaders",
            "behind",
            "beside",
            "gap",
            "among",
            "rounds_needed",
        ] {
            add(facts, format!("{place} {key}"), &lead[key]);
        }
    }
    for floor in list(&cell["noise"]) {
        let place = format!(
            "{place}: noise {} {} {}",
            metric(text(&floor["metric"])),
            text(&floor["target"]),
            text(&floor["again"])
        );
        for key in ["rounds", "ratio", "interval", "different"] {
            add(facts, format!("{place} {key}"), &floor[key]);
        }
    }
}

fn figure(facts: &mut Facts, place: &str, figure: &Value) {
    for key in ["unit", "mean", "interval", "min", "max", "rounds"] {
        add(facts, format!("{place} {key}"), &figure[key]);
    }
}

/// The same with every level called as it is today.
fn renamed(report: &Value) -> Value {
    let mut text = report.to_string();
    for cell in list(&report["cells"]) {
        let load: Load = serde_json::from_value(cell["load"].clone()).expect("a load");
        for before in ["\"", ", "] {
            let level = |level: &str| format!("{before}{level}\"");
            text = text.replace(&level(self::text(&cell["level"])), &level(&load.label()));
        }
    }
    serde_json::from_str(&text).expect("JSON")
}

/// What a metric that version 1 called so is called.
fn metric(name: &str) -> String {
    let metric: Metric = serde_json::from_value(name.into()).expect("a metric");
    format!("{metric:?}")
}

/// Adds what is there.
fn add(facts: &mut Facts, what: String, value: &Value) {
    if !value.is_null() {
        let known = facts.insert(what.clone(), value.to_string());
        assert_eq!(known, None, "{what} is there twice");
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}
