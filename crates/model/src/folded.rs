//! Stacks in the folded format: `a;b;c N` a line, the outermost frame first, and how often the stack was seen.

/// The most bytes of a frame.
pub const FRAME: usize = 200;

/// The most frames of a stack that are read; the kernel records 127.
const DEEPEST: usize = 256;

/// A stack's frames, the outermost first, and how often it was seen.
pub type Stack = (Vec<String>, u64);

/// The stacks of a text. Lines that are none are left out: the file may come from anywhere.
pub fn read(text: &str) -> Vec<Stack> {
    let stack = |line: &str| {
        let (frames, count) = line.rsplit_once(' ')?;
        let count = count.parse().ok().filter(|count| *count > 0)?;
        let frames = frames.split(';').take(DEEPEST).map(frame);
        Some((frames.collect(), count))
    };
    text.lines().filter_map(stack).collect()
}

/// A name as a frame of a line: no separator, nothing that a terminal or a page would take for its own, and of a bounded length.
pub fn frame(name: &str) -> String {
    let shown = |c: char| match c {
        ';' => ':',
        '<' | '>' | '&' | '"' | '\'' | ' '..='~' => c,
        c if c.is_alphanumeric() => c,
        _ => '?',
    };
    // Only so much is looked at: a name may have any length.
    let mut plain = String::new();
    for c in name.chars().map(shown) {
        if plain.len() + c.len_utf8() > FRAME {
            plain.replace_range(plain.floor_char_boundary(FRAME - 3).., "...");
            break;
        }
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_frames_and_a_count() {
        let text =
            "main;read file;x 7\nno count\nmain;y 0\nmain;y -3\n\nz 18446744073709551616\nz 2";
        let frames = |of: &[&str]| -> Vec<String> { of.iter().map(|f| (*f).to_owned()).collect() };
        let expected = vec![
            (frames(&["main", "read file", "x"]), 7),
            (frames(&["z"]), 2),
        ];
        assert_eq!(read(text), expected);
        let deep = read(&format!("{}a 1", "a;".repeat(10_000)));
        assert_eq!(deep[0].0.len(), DEEPEST);
    }

    #[test]
    fn hostile_names_are_bounded_and_stay_one_frame() {
        assert_eq!(frame("a;b\nc\u{1b}[31m d\u{202e}"), "a:b?c?[31m d?");
        assert_eq!(frame("é::ключ"), "é::ключ");
        let long = frame(&"ж".repeat(10_000));
        assert!(
            long.len() <= FRAME && long.ends_with("..."),
            "{}",
            long.len()
        );
        assert_eq!(frame(&"x".repeat(FRAME)).len(), FRAME);
        let read = read(&format!("</script><b>;\u{1b}[2J{} 3\n", "y".repeat(10_000)));
        assert_eq!(read[0].0[0], "</script><b>");
        assert!(read[0].0[1].starts_with("?[2Jyyy") && read[0].0[1].len() == FRAME);
    }
}
