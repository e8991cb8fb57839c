//! Which of the names that there are was probably meant.

/// A name this like the one that was given is worth offering: the Jaro-Winkler similarity from
/// which `strsim`'s users (clap among them) call two names alike.
const ALIKE: f64 = 0.7;

/// The most names that a message lists.
const MOST_LISTED: usize = 100;

/// A sentence that offers the nearest names (three at most), then lists them, or the first of very many.
pub fn advice<'a>(given: &str, plural: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    advice_of(&nearest(given, &known), plural, &known)
}

/// The same with the nearest of the names.
pub(crate) fn advice_of(near: &[&str], plural: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("there are no {plural} here");
    }
    let list = match known.len() {
        ..=MOST_LISTED => known.join(", "),
        all => format!("{}, … ({all} in all)", known[..MOST_LISTED].join(", ")),
    };
    if near.is_empty() {
        return format!("{plural}: {list}");
    }
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("did you mean {}? {plural}: {list}", near.join(" or "))
}

/// The names that are like the one that was given, three at most, the likest first.
pub(crate) fn nearest<'a>(given: &str, known: &[&'a str]) -> Vec<&'a str> {
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|name| (likeness(given, name), *name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Upper and lower case are alike here: `get` was meant for `GET`.
fn likeness(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
}
