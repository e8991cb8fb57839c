//! One row of a result file: a record of the CSV or an element of the XML.

use quick_xml::events::Event;

use crate::csv::Splitter;

/// One sample. Times in milliseconds; `None` for columns that the file does not have.
#[derive(Debug, Default)]
pub struct Sample {
    pub start: Option<u64>,
    pub elapsed: u64,
    /// The time as it was written, if it is below zero.
    pub negative: Option<i64>,
    /// It is no sample of its own: it sums up those of a transaction, which have rows, or is a part of another.
    pub sums_up: bool,
    pub latency: Option<u64>,
    pub connect: Option<u64>,
    pub bytes: Option<u64>,
    pub threads: Option<u64>,
    pub ok: Option<bool>,
    pub code: String,
    pub label: String,
    pub thread: String,
}

/// Attributes of one element that are read: JMeter writes at most twenty.
const ATTRIBUTES: usize = 64;

/// Columns, delimiter and what splits the rows, if the line is a header of JMeter's.
pub fn header(text: &str) -> Option<(Vec<String>, char, Splitter)> {
    if !text.contains("timeStamp") || !text.contains("elapsed") {
        return None;
    }
    [',', ';', '\t', '|'].into_iter().find_map(|delimiter| {
        let mut splitter = Splitter::new(delimiter)?;
        let cells = splitter.cells(text)?;
        let columns: Vec<String> = cells.into_iter().map(str::to_owned).collect();
        let known = ["timeStamp", "elapsed"];
        (columns.len() >= 3 && known.iter().all(|k| columns.iter().any(|c| c == k)))
            .then_some((columns, delimiter, splitter))
    })
}

/// The sample of one record, which may span lines.
pub fn record(columns: &[String], record: &str, splitter: &mut Splitter) -> Option<Sample> {
    let cells = splitter.cells(record)?;
    if columns.len() != cells.len() {
        return None;
    }
    let mut sample = Sample::default();
    let mut timed = false;
    for (column, cell) in columns.iter().zip(&cells) {
        timed |= sample.set(column, cell.trim())?;
    }
    timed.then_some(sample)
}

/// `<httpSample t="124" lt="124" ct="11" ts="…" s="true" lb="…" rc="200" tn="…" by="93" na="5">`
pub fn element(text: &str) -> Option<Sample> {
    let mut reader = quick_xml::Reader::from_str(text);
    let (Event::Start(tag) | Event::Empty(tag)) = reader.read_event().ok()? else {
        return None;
    };
    let mut sample = Sample::default();
    let mut timed = false;
    // Checks for duplicates compare each attribute with all others: hostile text would make that slow.
    for attribute in tag.attributes().with_checks(false).take(ATTRIBUTES) {
        let attribute = attribute.ok()?;
        let value = attribute
            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
            .ok()?;
        timed |= sample.set(attribute.key.as_ref(), &value)?;
    }
    timed.then_some(sample)
}

impl Sample {
    /// Takes a value by the name of its column or its attribute; whether it is the elapsed time, which must be a number.
    fn set(&mut self, name: &str, value: &str) -> Option<bool> {
        let number = || value.parse().ok();
        match name {
            "elapsed" | "t" => {
                // The clock may have made it negative.
                match number() {
                    Some(elapsed) => self.elapsed = elapsed,
                    None => self.negative = Some(value.parse().ok().filter(|t: &i64| *t < 0)?),
                }
                return Some(true);
            }
            // May be a formatted date: then there is no throughput to compute.
            "timeStamp" | "ts" => self.start = number(),
            "responseMessage" | "rm" => self.sums_up = sums_up(value),
            "Latency" | "lt" => self.latency = number(),
            "Connect" | "ct" => self.connect = number(),
            "bytes" | "by" => self.bytes = number(),
            "allThreads" | "na" => self.threads = number(),
            "success" | "s" => self.ok = value.parse().ok(),
            "responseCode" | "rc" => value.clone_into(&mut self.code),
            "label" | "lb" => value.clone_into(&mut self.label),
            "threadName" | "tn" => value.clone_into(&mut self.thread),
            _ => {}
        }
        Some(false)
    }
}

/// What JMeter's transaction controllers write.
fn sums_up(message: &str) -> bool {
    message.starts_with("Number of samples in transaction")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_delimiters_and_line_ends_stay_within_a_cell() {
        let (columns, delimiter, mut splitter) =
            header("timeStamp;elapsed;label;success").expect("a header");
        assert_eq!(delimiter, ';');
        let row = "1700000000000;124;\"a \"\"b\"\"; c\nd\";false";
        let s = record(&columns, row, &mut splitter).expect("a row");
        assert_eq!(
            (s.start, s.elapsed, s.ok),
            (Some(1_700_000_000_000), 124, Some(false))
        );
        assert_eq!(s.label, "a \"b\"; c\nd");
        assert!(record(&columns, "1;2;3", &mut splitter).is_none());
        assert!(record(&columns, "1;none;3;true", &mut splitter).is_none());
        assert!(record(&columns, "", &mut splitter).is_none());
    }

    #[test]
    fn attributes_come_in_any_order_and_quoting() {
        let s = element(
            "<httpSample lb='a &gt; &quot;b&quot;' s=\"false\" rc=\"500\" t=\"12\" na=\"3\"/>",
        )
        .expect("a sample");
        assert_eq!((s.elapsed, s.ok, s.threads), (12, Some(false), Some(3)));
        assert_eq!((s.label.as_str(), s.code.as_str()), ("a > \"b\"", "500"));
        for broken in [
            "<httpSample ",
            "<httpSample t=>",
            "<httpSample t=\"12",
            "<httpSample lb=\"x\">",
        ] {
            assert!(element(broken).is_none(), "{broken}");
        }
    }
}
