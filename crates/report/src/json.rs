//! JSON: the comparison as it is.

use photofinish_judge::days::Days;
use photofinish_judge::history::History;

use crate::Error;
use crate::export::{Export, Run};

pub(crate) struct Json;

impl Export for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn help(&self) -> &'static str {
        "Write JSON to this file (- for standard output)"
    }

    fn run(&self, run: Run) -> Result<String, Error> {
        Ok(crate::json(run.comparison))
    }

    fn days(&self, days: &Days) -> Result<String, Error> {
        Ok(crate::days_json(days))
    }

    fn history(&self, history: &History) -> Result<String, Error> {
        Ok(crate::history_json(history))
    }
}
