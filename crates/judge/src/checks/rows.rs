//! Whether a table has as many rows as requests succeeded.

use photofinish_model::finding::failure::FailureFinding;
use photofinish_voice::checks as said;

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
        let rows = match &self.found {
            Ok(rows) => *rows,
            Err(why) => {
                return Outcome::new(None, said::rows_not_counted(why));
            }
        };
        // Whether a request that failed has left a row is not known.
        let unknown = self.sent.saturating_sub(self.good);
        let fits = (self.good..=self.good.saturating_add(unknown)).contains(&rows);
        let (table, good) = (&self.table, self.good);
        let says = match unknown {
            0 => said::rows(table, rows, good),
            unknown => said::rows_and_unknown(table, rows, good, unknown),
        };
        Outcome::new(
            fits,
            match fits {
                true => says,
                false if rows < good => said::rows_missing(good - rows, says),
                false => said::rows_too_many(rows - good - unknown, says),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(found: u64, good: u64, sent: u64) -> (Option<bool>, String) {
        let rows = Rows {
            table: "item".to_owned(),
            found: Ok(found),
            good,
            sent,
        };
        let outcome = rows.judge();
        (
            outcome.ok,
            outcome.says.map(|says| says.en).unwrap_or_default(),
        )
    }

    #[test]
    fn rows_that_were_not_counted_leave_the_check_open() {
        let why = FailureFinding::NoService {
            service: "db".to_owned(),
        };
        let rows = Rows {
            table: "item".to_owned(),
            found: Err(Box::new(why.clone())),
            good: 1,
            sent: 1,
        };
        let says = said::rows_not_counted(&why);
        assert_eq!(rows.judge(), Outcome::new(None, says));
    }

    #[test]
    fn rows_must_be_those_of_the_responses() {
        assert_eq!(judge(100, 100, 100).0, Some(true));
        let (ok, says) = judge(97, 100, 100);
        assert_eq!(ok, Some(false));
        assert_eq!(
            says,
            "3 rows missing: item has 97 rows after 100 requests that succeeded"
        );
        // Two timeouts: none, one or both may have left a row.
        for found in 100..=102 {
            assert_eq!(judge(found, 100, 102).0, Some(true));
        }
        assert_eq!(judge(99, 100, 102).0, Some(false));
        let (ok, says) = judge(105, 100, 102);
        assert_eq!(ok, Some(false));
        assert!(says.starts_with("3 rows too many"), "{says}");
        assert!(says.contains("and 2 that did not"), "{says}");
    }
}
