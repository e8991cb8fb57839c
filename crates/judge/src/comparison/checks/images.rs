//! The images that targets in containers ran from.

use std::collections::BTreeSet;

use photofinish_model::store::Results;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::figures::gaps;

/// The images of a target that ran in containers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Images {
    /// The target.
    pub target: String,
    /// Each with its digest, behind the name by which a registry has it where one is known to; one, unless it was changed between two
    /// rounds.
    pub images: Vec<String>,
}

/// The images of each target that has run from one, in the order of the study.
pub(crate) fn images(results: &Results) -> Vec<Images> {
    let trials = gaps::last_trials(results);
    let of = |label: &str| {
        let own = trials.iter().filter(|trial| trial.target == label);
        let images: BTreeSet<&String> = own.filter_map(|trial| trial.image.as_ref()).collect();
        (!images.is_empty()).then(|| Images {
            target: label.to_owned(),
            images: images.into_iter().cloned().collect(),
        })
    };
    let targets = results.study.targets.iter();
    targets.filter_map(|target| of(&target.label)).collect()
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn each_image_that_a_target_ran_from_is_named_once() {
        let mut results = samples::race(&["a", "b"], &[&[1.0, 1.0], &[1.0, 1.0]]);
        assert_eq!(images(&results), []);
        for trial in results.trials.iter_mut().filter(|t| t.target == "b") {
            trial.image = Some("docker.io/library/b (sha256:12)".to_owned());
        }
        let expected = Images {
            target: "b".to_owned(),
            images: vec!["docker.io/library/b (sha256:12)".to_owned()],
        };
        assert_eq!(images(&results), [expected]);
    }
}
