//! Records of CSV, one at a time: a table of values may stand amid any text.

/// The cells of one record, which may span lines; `None` if the delimiter is no ASCII character or the text no record.
pub fn cells(record: &str, delimiter: char) -> Option<csv::StringRecord> {
    let delimiter = u8::try_from(delimiter).ok()?;
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .buffer_capacity(record.len() + 1)
        .from_reader(record.as_bytes())
        .into_records()
        .next()?
        .ok()
}
