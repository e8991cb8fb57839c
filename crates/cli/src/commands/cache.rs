//! `photofinish cache`.

use std::time::{Duration, SystemTime};

use photofinish_lab::cache::{self, Entry, Kept};
use photofinish_lab::cache_dir;
use photofinish_model::text::clean;
use photofinish_model::units::{Unit, plural};
use photofinish_report::Row;

use crate::args::{CacheAction, CacheArgs};
use crate::exit::Failure;
use crate::out;
use crate::screen::screen;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub fn cache(args: &CacheArgs) -> Result<(), Failure> {
    let folder = cache_dir();
    let shown_folder = clean(&folder.display().to_string());
    let entries = cache::entries(&folder)?;
    let now = SystemTime::now();
    match args.action {
        None | Some(CacheAction::Show) => {
            let text = shown(&entries, now);
            Ok(out::result(&format!("{shown_folder}\n\n{text}"))?)
        }
        Some(CacheAction::Clear { older_than }) => {
            let old = |entry: &Entry| age(entry, now).as_secs() / DAY.as_secs() >= older_than;
            let (gone, stays): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(old);
            cache::clear(&folder, &gone)?;
            let mut says = format!("removed {} from {shown_folder}", sum(&gone));
            if !stays.is_empty() {
                let days = plural(older_than as usize, "day", "days");
                says += &format!("; {} younger than {days} stay", sum(&stays));
            }
            Ok(out::result(&says)?)
        }
    }
}

/// A row for each thing, under what they are.
fn shown(entries: &[Entry], now: SystemTime) -> String {
    if entries.is_empty() {
        return "nothing is kept".to_owned();
    }
    let mut text = String::new();
    for (kind, title) in [
        (Kept::Build, "Builds of targets"),
        (Kept::Revision, "Revisions, checked out"),
        (Kept::Service, "Databases and other downloads"),
        (Kept::Agent, "Agents that drive this machine for others"),
    ] {
        let of_it = entries.iter().filter(|entry| entry.kind == kind);
        let rows: Vec<Row> = of_it.map(|entry| row(entry, now)).collect();
        if rows.is_empty() {
            continue;
        }
        text += &format!("{title}\n");
        text += &photofinish_report::rows(&rows, 2, screen());
        text += "\n";
    }
    text + &format!("{}; `photofinish cache clear` removes them", sum(entries))
}

fn row(entry: &Entry, now: SystemTime) -> Row {
    let days = age(entry, now).as_secs() / DAY.as_secs();
    let since = match days {
        0 => "today".to_owned(),
        days => format!("{} ago", plural(days as usize, "day", "days")),
    };
    Row {
        mark: "",
        good: None,
        name: entry.name.clone(),
        lines: vec![format!("{}, made {since}", size(entry.bytes))],
    }
}

/// How long ago it was made; nothing where the clock was set back since.
fn age(entry: &Entry, now: SystemTime) -> Duration {
    now.duration_since(entry.made).unwrap_or_default()
}

fn sum(entries: &[Entry]) -> String {
    let bytes = entries.iter().map(|entry| entry.bytes).sum();
    format!(
        "{}, {}",
        plural(entries.len(), "item", "items"),
        size(bytes)
    )
}

/// A size, in bytes where a KiB would be a fraction.
fn size(bytes: u64) -> String {
    Unit::Bytes.text(bytes as f64)
}
