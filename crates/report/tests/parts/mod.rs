//! Parts of reports.

/// The report without its tables of what servers used. One snapshot has them, so a further metric changes that one alone.
pub fn without_evidence(text: &str) -> String {
    let (before, rest) = text
        .split_once("What the servers used\n")
        .expect("evidence");
    let (_, after) = rest.split_once("Start-up time\n").expect("a next part");
    format!("{before}What the servers used\n…\nStart-up time\n{after}")
}
