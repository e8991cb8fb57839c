//! What a claim states: a ratio, or a direction alone.

use photofinish_model::ClaimDirection;

use super::{read_study, study};

fn stated(line: &str) -> (Option<f64>, Option<ClaimDirection>) {
    let claim = format!(
        "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"context-switches\"\nof = \"event-loop\"\n\
         over = \"quarkus\"\n{line}\nworkload = \"w\"\nconnections = 100\nsource = \"x\"\n"
    );
    let plan = read_study(&study("", "", &claim)).expect("a study");
    (plan.claims[0].ratio, plan.claims[0].direction)
}

#[test]
fn a_claim_states_a_ratio_or_a_direction_alone() {
    assert_eq!(stated("ratio = 1.1"), (Some(1.1), None));
    assert_eq!(stated("less = true"), (None, Some(ClaimDirection::Less)));
    assert_eq!(stated("less = false"), (None, Some(ClaimDirection::More)));
}
