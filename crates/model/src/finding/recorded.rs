//! Findings that older versions recorded as English sentences.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A finding in whose place an older version recorded a sentence.
pub(crate) trait Recorded: DeserializeOwned {
    /// The sentence as a finding, which quotes it.
    fn recorded(says: String) -> Self;
}

impl<F: Recorded> Recorded for Box<F> {
    fn recorded(says: String) -> Box<F> {
        Box::new(F::recorded(says))
    }
}

/// Reads a finding.
///
/// # Errors
/// Where it is neither text nor a finding.
pub(crate) fn one<'de, D: Deserializer<'de>, F: Recorded>(from: D) -> Result<F, D::Error> {
    finding(Value::deserialize(from)?)
}

/// Reads a finding, or `null`.
///
/// # Errors
/// As [`one`].
pub(crate) fn any<'de, D: Deserializer<'de>, F: Recorded>(from: D) -> Result<Option<F>, D::Error> {
    Option::<Value>::deserialize(from)?.map(finding).transpose()
}

/// Reads several findings.
///
/// # Errors
/// As [`one`].
pub(crate) fn each<'de, D: Deserializer<'de>, F: Recorded>(from: D) -> Result<Vec<F>, D::Error> {
    let all = Vec::<Value>::deserialize(from)?;
    all.into_iter().map(finding).collect()
}

fn finding<F: Recorded, E: serde::de::Error>(value: Value) -> Result<F, E> {
    match value {
        Value::String(says) => Ok(F::recorded(says)),
        finding => serde_json::from_value(finding).map_err(E::custom),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::Recorded;
    use crate::capacity::Step;
    use crate::finding::asked::Asked;
    use crate::finding::capacity::Broken;
    use crate::finding::check::CheckFinding;
    use crate::finding::complaint::Complaint;
    use crate::finding::failure::{FailureFinding, Fate, Unanswered, When, Wrong};
    use crate::finding::left_out::LeftOut;
    use crate::{StudyRecord, samples};

    #[test]
    fn a_sentence_of_an_older_version_is_quoted_and_a_finding_is_itself() {
        let found = samples::found(None, Some(100.0));
        let step = found.steps.first().expect("a step");
        let mut text = serde_json::to_value(step).expect("JSON");
        assert_eq!(text["why"]["code"], "time");
        let read: Step = serde_json::from_value(text.clone()).expect("a step");
        assert_eq!(read, *step);
        // As version 2 had it.
        text["finding"] = text["why"].take();
        text["why"] = "p99 20 ms".into();
        let read: Step = serde_json::from_value(text.clone()).expect("a step");
        let says = "p99 20 ms".to_owned();
        assert_eq!(read.why, Some(Broken::Recorded { says }));
        text["why"] = 5.into();
        assert!(serde_json::from_value::<Step>(text).is_err());
    }

    #[test]
    fn why_a_server_was_lost_is_read_in_both_shapes() {
        let says = |text: &str| text.to_owned();
        let read = |text: &str| serde_json::from_str::<Fate>(text).expect("a fate");
        let lost = |why| Fate::Lost {
            when: When::Loaded,
            why: Box::new(why),
        };
        let old = r#"{"fate": "lost", "when": "loaded", "says": "reach far: gone"}"#;
        let recorded = FailureFinding::Recorded {
            says: says("failed to reach far: gone"),
        };
        let now = lost(FailureFinding::Unreachable {
            machine: says("far"),
            says: says("gone"),
        });
        assert_eq!(read(old), lost(recorded));
        for fate in [read(old), now] {
            let text = serde_json::to_string(&fate).expect("JSON");
            assert_eq!(read(&text), fate);
        }
    }

    #[test]
    fn why_rows_were_not_counted_is_read_in_both_shapes() {
        let read = |text: &str| serde_json::from_str::<CheckFinding>(text).expect("a finding");
        let not_counted = |why| CheckFinding::RowsNotCounted { why: Box::new(why) };
        let old = r#"{"code": "rows-not-counted", "why": "the table is gone"}"#;
        let says = "the table is gone".to_owned();
        assert_eq!(read(old), not_counted(FailureFinding::Recorded { says }));
        let now = not_counted(FailureFinding::NoReason {});
        assert_eq!(read(&serde_json::to_string(&now).expect("JSON")), now);
    }

    #[test]
    fn what_went_wrong_first_is_read_in_both_shapes() {
        fn both<F>(now: F, old: &str, recorded: F)
        where
            F: Serialize + DeserializeOwned + PartialEq + Debug,
        {
            let text = serde_json::to_string(&now).expect("JSON");
            assert_eq!(serde_json::from_str::<F>(&text).expect("a finding"), now);
            assert_eq!(serde_json::from_str::<F>(old).expect("a finding"), recorded);
        }
        let late = || Complaint::Late { within_s: 1.5 };
        let old = || Complaint::recorded("closed".to_owned());
        let no_request = |first| CheckFinding::NoRequest { first };
        both(
            no_request(Some(late())),
            r#"{"code": "no-request", "first": "closed"}"#,
            no_request(Some(old())),
        );
        both(
            no_request(None),
            r#"{"code": "no-request", "first": null}"#,
            no_request(None),
        );
        both(
            Unanswered::Error { first: late() },
            r#"{"why": "error", "says": "closed"}"#,
            Unanswered::Error { first: old() },
        );
        let shape = |why| Wrong::Shape {
            request: Box::new(Asked::get("/")),
            why,
        };
        let text = serde_json::to_string(&shape(late())).expect("JSON");
        let at = text.find("\"why\"").expect("why");
        both(
            shape(late()),
            &format!("{}\"says\":\"closed\"}}", &text[..at]),
            shape(old()),
        );
    }

    #[test]
    fn what_was_left_out_is_read_in_both_shapes() {
        let target = "b".to_owned();
        let mut study = samples::race(&["a"], &[&[1.0]]).study;
        study.left_out = vec![LeftOut::Target { target }];
        let mut text = serde_json::to_value(&study).expect("JSON");
        let read: StudyRecord = serde_json::from_value(text.clone()).expect("a study");
        assert_eq!(read, study);
        let says = "target b: --only leaves it out";
        text["left_out"] = [says].as_slice().into();
        let read: StudyRecord = serde_json::from_value(text).expect("a study");
        let says = says.to_owned();
        assert_eq!(read.left_out, [LeftOut::Recorded { says }]);
    }
}
