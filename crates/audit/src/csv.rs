//! Records of CSV, one at a time: a table of values may stand amid any text.

/// Splits records. Made once for a table: the automaton behind it is dear to build, and a result file may have millions of rows.
#[derive(Debug)]
pub struct Splitter {
    core: Box<csv_core::Reader>,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Splitter {
    /// For cells separated by `delimiter`; `None` if it is no ASCII character.
    pub fn new(delimiter: char) -> Option<Self> {
        let delimiter = u8::try_from(delimiter).ok()?;
        Some(Self {
            core: Box::new(csv_core::ReaderBuilder::new().delimiter(delimiter).build()),
            text: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// The cells of one record, which may span lines; `None` if the text is no record.
    pub fn cells(&mut self, record: &str) -> Option<Vec<&str>> {
        use csv_core::ReadRecordResult::{InputEmpty, Record};
        self.core.reset();
        // No cell is longer than its record, and no record has more cells than bytes and one more.
        self.text.resize(record.len() + 1, 0);
        self.ends.resize(record.len() + 2, 0);
        let (mut input, mut text, mut ends) = (record.as_bytes(), 0, 0);
        loop {
            let (result, read, written, ended) =
                self.core
                    .read_record(input, &mut self.text[text..], &mut self.ends[ends..]);
            input = &input[read..];
            text += written;
            ends += ended;
            match result {
                // No more input, said once more, ends the record.
                InputEmpty => {}
                Record => break,
                _ => return None,
            }
        }
        let mut from = 0;
        self.ends[..ends]
            .iter()
            .map(|&to| {
                let cell = std::str::from_utf8(self.text.get(from..to)?).ok();
                from = to;
                cell
            })
            .collect()
    }
}
