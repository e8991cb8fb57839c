//! What flags have left out of a study.

use photofinish_model::finding::left_out::{LeftOut, Untested};

use super::load;

pub(crate) fn finding(finding: &LeftOut) -> String {
    match finding {
        LeftOut::Recorded { says } => says.clone(),
        LeftOut::Target { target } => format!("target {target}: --only leaves it out"),
        LeftOut::Limit { target } => format!("limit {target}: --no-limit leaves it out"),
        LeftOut::Workload { workload } => {
            format!("workload {workload}: none of its targets is run")
        }
        LeftOut::Claim { id, why } => format!("claim {id}: {}", untested(why)),
    }
}

fn untested(why: &Untested) -> String {
    match why {
        Untested::Target { target } => format!("its target {target} is not run"),
        Untested::Workload { workload } => format!("its workload {workload} is not run"),
        Untested::Level { load, published } => {
            let remedy = match published {
                true => " (--scale published runs it)",
                false => "",
            };
            format!("its load level ({}) is not run{remedy}", load::level(load))
        }
        Untested::Revisions {} => "with --rev, revisions of its targets race".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn a_claim_says_why_and_how_it_could_be_tested() {
        let says = |published| {
            finding(&LeftOut::Claim {
                id: "a".to_owned(),
                why: Untested::Level {
                    load: samples::CLOSED_100,
                    published,
                },
            })
        };
        let without = "claim a: its load level (100 connections) is not run";
        assert_eq!(says(false), without);
        assert_eq!(says(true), format!("{without} (--scale published runs it)"));
    }
}
