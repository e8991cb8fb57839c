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
    let mut s = Sample::default();
    let mut timed = false;
    for (column, cell) in columns.iter().zip(&cells) {
        let cell = cell.trim();
        let number = || cell.parse().ok();
        match column.as_str() {
            // May be a formatted date: then there is no throughput to compute.
            "timeStamp" => s.start = number(),
            "elapsed" => {
                elapsed(&mut s, cell)?;
                timed = true;
            }
            "responseMessage" => s.sums_up = sums_up(cell),
            "Latency" => s.latency = number(),
            "Connect" => s.connect = number(),
            "bytes" => s.bytes = number(),
            "allThreads" => s.threads = number(),
            "success" => s.ok = cell.parse().ok(),
            "responseCode" => cell.clone_into(&mut s.code),
            "label" => cell.clone_into(&mut s.label),
            "threadName" => cell.clone_into(&mut s.thread),
            _ => {}
        }
    }
    timed.then_some(s)
}

/// `<httpSample t="124" lt="124" ct="11" ts="…" s="true" lb="…" rc="200" tn="…" by="93" na="5">`
pub fn element(text: &str) -> Option<Sample> {
    let mut reader = quick_xml::Reader::from_str(text);
    let (Event::Start(tag) | Event::Empty(tag)) = reader.read_event().ok()? else {
        return None;
    };
    let mut s = Sample::default();
    let mut timed = false;
    // Checks for duplicates compare each attribute with all others: hostile text would make that slow.
    for attribute in tag.attributes().with_checks(false).take(ATTRIBUTES) {
        let attribute = attribute.ok()?;
        let value = attribute
            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
            .ok()?;
        let number = || value.parse().ok();
        match attribute.key.as_ref() {
            "t" => {
                elapsed(&mut s, &value)?;
                timed = true;
            }
            "rm" => s.sums_up = sums_up(&value),
            "lt" => s.latency = number(),
            "ct" => s.connect = number(),
            "ts" => s.start = number(),
            "by" => s.bytes = number(),
            "na" => s.threads = number(),
            "s" => s.ok = value.parse().ok(),
            "rc" => s.code = value.into_owned(),
            "lb" => s.label = value.into_owned(),
            "tn" => s.thread = value.into_owned(),
            _ => {}
        }
    }
    timed.then_some(s)
}

/// Takes a time, which the clock may have made negative.
fn elapsed(s: &mut Sample, text: &str) -> Option<()> {
    match text.parse() {
        Ok(elapsed) => s.elapsed = elapsed,
        Err(_) => s.negative = Some(text.parse().ok().filter(|t: &i64| *t < 0)?),
    }
    Some(())
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
