//! Rounds in a row.

/// Rounds in order, those that follow one another in one piece: `1–3, 5`.
pub(crate) fn pieces(rounds: &[u32], separator: &str) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for &round in rounds {
        match found.last_mut() {
            Some((_, to)) if to.checked_add(1) == Some(round) => *to = round,
            _ => found.push((round, round)),
        }
    }
    let text = |(from, to): &(u32, u32)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}{separator}{to}"),
        _ => format!("{from}–{to}"),
    };
    found.iter().map(text).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn what_follows_is_one_piece() {
        assert_eq!(pieces(&[], ", "), "");
        assert_eq!(pieces(&[4], ", "), "4");
        assert_eq!(pieces(&[1, 2], ", "), "1, 2");
        assert_eq!(pieces(&[1, 2, 3, 5, 7, 8, 9, 10], ", "), "1–3, 5, 7–10");
        assert_eq!(pieces(&[1, 3], "、"), "1、3");
    }
}
