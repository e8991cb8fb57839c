//! Whether a table has as many rows as requests succeeded.

use photofinish_model::finding::check::CheckFinding;
use photofinish_model::finding::failure::FailureFinding;

use super::outcome::Outcome;

/// The rows that a load run left in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The table.
    pub table: String,
    /// Its rows, or why they could not be counted.
    pub found: Result<u64, Box<FailureFinding>>,
    /// Requests that succeeded in the whole run.
    pub good: u64,
    /// Requests that were sent in the whole run.
    pub sent: u64,
}

impl Rows {
    pub(super) fn judge(&self) -> Outcome {
        let found = match &self.found {
            Ok(found) => *found,
            Err(why) => {
                return Outcome::new(None, CheckFinding::RowsNotCounted { why: why.clone() });
            }
        };
        // Whether a request that failed has left a row is not known.
        let unknown = self.sent.saturating_sub(self.good);
        let fits = (self.good..=self.good.saturating_add(unknown)).contains(&found);
        let finding = CheckFinding::Rows {
            table: self.table.clone(),
            found,
            good: self.good,
            unknown,
        };
        Outcome::new(fits, finding)
    }
}

#[cfg(test)]
mod tests {
    use photofinish_voice::{Language, Say};

    use super::*;

    fn judge(found: u64, good: u64, sent: u64) -> (Option<bool>, String) {
        let rows = Rows {
            table: "item".to_owned(),
            found: Ok(found),
            good,
            sent,
        };
        let outcome = rows.judge();
        (outcome.ok, outcome.finding.say(Language::En))
    }

    #[test]
    fn why_rows_were_not_counted_is_said_in_both_languages() {
        let why = FailureFinding::NoService {
            service: "db".to_owned(),
        };
        let rows = Rows {
            table: "item".to_owned(),
            found: Err(Box::new(why.clone())),
            good: 1,
            sent: 1,
        };
        let outcome = rows.judge();
        assert_eq!(outcome.ok, None);
        for (language, before) in [
            (Language::En, "rows were not counted: "),
            (Language::Zh, "没有数行数："),
        ] {
            let says = outcome.finding.say(language);
            assert_eq!(says, before.to_owned() + &why.say(language));
        }
    }

    #[test]
    fn rows_must_be_those_of_the_responses() {
        assert_eq!(judge(100, 100, 100).0, Some(true));
        let (ok, says) = judge(97, 100, 100);
        assert_eq!(ok, Some(false));
        assert_eq!(
            says,
            "3 rows are missing: item has 97 rows after 100 requests that succeeded"
        );
        // Two timeouts: none, one or both may have left a row.
        for found in 100..=102 {
            assert_eq!(judge(found, 100, 102).0, Some(true));
        }
        assert_eq!(judge(99, 100, 102).0, Some(false));
        let (ok, says) = judge(105, 100, 102);
        assert_eq!(ok, Some(false));
        assert!(says.starts_with("3 rows are too many"), "{says}");
        assert!(says.contains("and 2 that did not"), "{says}");
    }
}
