//! JMeter's summary lines, picked out of a log.

mod checks;
mod run;

use crate::found::Found;
use crate::lines::Line;
use run::{Run, parse};

/// Picks summary lines out of a text. Runs with different names may alternate.
#[derive(Default)]
pub struct Reader {
    open: Vec<Run>,
    done: Vec<Run>,
}

/// Names that are followed at a time; a text with more is not a log.
const NAMES: usize = 32;

impl Reader {
    fn read(&mut self, line: &Line<'_>) {
        let Some((name, entry)) = parse(&line.text, line.number) else {
            return;
        };
        let Some(at) = self.open.iter().position(|r| r.name == name) else {
            if self.open.len() >= NAMES {
                self.done.push(self.open.remove(0));
            }
            let mut run = Run::new(name);
            run.push(entry);
            self.open.push(run);
            return;
        };
        let run = &mut self.open[at];
        if run.ended_before(&entry) {
            let fresh = if entry.total {
                run.split()
            } else {
                Run::new(name)
            };
            self.done.push(std::mem::replace(run, fresh));
        }
        run.push(entry);
    }

    /// All runs.
    fn take(&mut self) -> Vec<Run> {
        self.done.append(&mut self.open);
        std::mem::take(&mut self.done)
    }
}

impl Reader {
    /// Reads a line.
    pub fn line(&mut self, line: &Line<'_>) {
        if line.text.contains("Avg:") {
            self.read(line);
        }
    }

    /// The text has ended.
    pub fn end(&mut self, found: &mut Found) {
        found.check(self.take(), checks::check);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Range;

    #[test]
    fn a_second_run_is_told_from_the_first() {
        let line = |sign: &str, n: u32, secs: u32| {
            format!(
                "summary {sign} {n} in 00:00:{secs:02} = {}.0/s Avg: 9 Min: 1 Max: 20 Err: 0 (0.00%)",
                n / secs
            )
        };
        // The second is larger than the first: only the sum of its lines shows that it began at zero.
        for second in [[200, 300, 500], [20, 30, 50]] {
            let mut reader = Reader::default();
            let texts = [
                line("+", 100, 10),
                line("+", 100, 10),
                line("=", 200, 20),
                line("+", second[0], 10),
                line("+", second[1], 10),
                line("=", second[2], 20),
            ];
            for (at, text) in texts.into_iter().enumerate() {
                reader.read(&Line {
                    number: at + 1,
                    text: text.into(),
                });
            }
            let sizes: Vec<usize> = reader.take().iter().map(|r| r.entries.len()).collect();
            assert_eq!(sizes, [3, 3]);
        }
    }

    #[test]
    fn lines_of_all_ages_are_read() {
        let new = "summary +   1173 in 00:00:06 =  195.3/s Avg:   101 Min:   100 Max:   107 Err:     0 (0.00%) Active: 20 Started: 20 Finished: 0";
        let (name, e) = parse(new, 7).expect("a summary line");
        assert_eq!((name.as_str(), e.total, e.line), ("summary", false, 7));
        assert_eq!(e.started.and_then(|s| s.range), Some(Range::exact(20.0)));
        let old = "2013/05/01 10:00:00 INFO  - jmeter.reporters.Summariser: Generate Summary Results = 205 in 30.1s = 6.8/s Avg: 139 Min: 94 Max: 3133 Err: 0 (0.00%)";
        let (name, e) = parse(old, 1).expect("a summary line");
        assert_eq!((name.as_str(), e.total), ("Results", true));
        assert!(parse("on average = 5 in all", 1).is_none());
    }
}
