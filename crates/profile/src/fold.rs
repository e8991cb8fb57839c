//! Stacks in the folded format: the outermost frame first, `;` between frames, and how often the stack was seen.

use std::collections::BTreeMap;

use photofinish_model::folded;
use serde::{Deserialize, Serialize};

/// The most stacks that are kept; rarer ones are merged into one.
pub const MAX_STACKS: usize = 5_000;
/// The line of what was merged.
const MERGED: &str = "[merged]";

/// Stacks and how often each was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stacks {
    /// Each stack's frames, the outermost first, and how often it was seen.
    pub seen: Vec<(Vec<String>, u64)>,
    /// Samples that the kernel had no room for.
    pub lost: u64,
}

impl Stacks {
    /// All samples that were kept.
    pub fn samples(&self) -> u64 {
        self.seen.iter().map(|(_, count)| count).sum()
    }

    /// Adds those of another process.
    pub fn add(&mut self, other: Stacks) {
        self.seen.extend(other.seen);
        self.lost += other.lost;
    }

    /// The mean number of frames of a sample; `None` without samples.
    pub fn depth(&self) -> Option<f64> {
        let frames: u64 = (self.seen.iter())
            .map(|(frames, count)| frames.len() as u64 * count)
            .sum();
        match self.samples() {
            0 => None,
            samples => Some(frames as f64 / samples as f64),
        }
    }

    /// The folded text, the most frequent stack first, of at most [`MAX_STACKS`] stacks; and how many samples the line `[merged]`
    /// stands for, which is there where there were more.
    pub fn text(&self) -> (String, u64) {
        let mut lines: BTreeMap<String, u64> = BTreeMap::new();
        for (frames, count) in &self.seen {
            let frames: Vec<String> = frames.iter().map(|frame| folded::frame(frame)).collect();
            *lines.entry(frames.join(";")).or_default() += count;
        }
        let mut lines: Vec<(String, u64)> = lines.into_iter().collect();
        lines.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let rest = lines.split_off(lines.len().min(MAX_STACKS));
        let merged = rest.iter().map(|(_, count)| count).sum();
        if merged > 0 {
            lines.push((MERGED.to_owned(), merged));
        }
        let text = lines
            .iter()
            .map(|(stack, count)| format!("{stack} {count}\n"));
        (text.collect(), merged)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Folded stacks, and how often each was seen.
    pub(crate) fn stacks(of: &[(&str, u64)]) -> Stacks {
        let seen = of.iter().map(|(stack, count)| {
            let frames = stack.split(';').map(str::to_owned).collect();
            (frames, *count)
        });
        Stacks {
            seen: seen.collect(),
            lost: 0,
        }
    }

    #[test]
    fn the_most_frequent_stack_comes_first() {
        let stacks = stacks(&[("a;b", 2), ("a;c;d", 5), ("a;b", 1), ("a", 3)]);
        assert_eq!(stacks.text(), ("a;c;d 5\na 3\na;b 3\n".to_owned(), 0));
        assert_eq!(stacks.samples(), 11);
        // (2 · 2 + 3 · 5 + 2 · 1 + 1 · 3) / 11
        assert_eq!(stacks.depth(), Some(24.0 / 11.0));
        assert_eq!(Stacks::default().depth(), None);
        assert_eq!(Stacks::default().text(), (String::new(), 0));
    }

    #[test]
    fn of_a_million_stacks_the_rare_ones_are_merged() {
        let many = Stacks {
            seen: (0..1_000_000)
                .map(|place| (vec![format!("f{place:07}")], 1 + u64::from(place < 2)))
                .collect(),
            lost: 0,
        };
        let (text, merged) = many.text();
        assert_eq!(text.lines().count(), MAX_STACKS + 1);
        assert!(text.starts_with("f0000000 2\nf0000001 2\nf0000002 1\n"));
        assert_eq!(merged, 1_000_002 - (MAX_STACKS as u64 + 2));
        assert!(text.ends_with(&format!("[merged] {merged}\n")));
    }

    #[test]
    fn a_name_is_no_markup_but_stays_as_it_is() {
        let text = stacks(&[("</script><script>alert(1)", 1)]).text().0;
        assert_eq!(text, "</script><script>alert(1) 1\n");
    }
}
