//! Typesetting of Chinese sentences: a space between Chinese and Latin, and quotation marks around others' words.

/// The marks that open and close a quotation.
pub const QUOTATION_MARKS: [char; 2] = ['“', '”'];

/// Returns others' words in quotation marks: an error of the system, a server's last lines.
pub fn quote(text: &str) -> String {
    let [opens, closes] = QUOTATION_MARKS;
    // Marks within the text would end the quotation too early.
    format!("{opens}{}{closes}", text.replace(QUOTATION_MARKS, "\""))
}

/// Returns the text with a space wherever Chinese and Latin meet. Quotations stay as they were written.
pub fn spaced(text: &str) -> String {
    let mut set = String::with_capacity(text.len() + 16);
    let (mut before, mut quoted) = (' ', false);
    for c in text.chars() {
        if c == QUOTATION_MARKS[1] {
            quoted = false;
        }
        if !quoted && meets(before, c) {
            set.push(' ');
        }
        if c == QUOTATION_MARKS[0] {
            quoted = true;
        }
        set.push(c);
        before = c;
    }
    set
}

fn meets(a: char, b: char) -> bool {
    (is_han(a) && is_latin(b)) || (is_latin(a) && is_han(b))
}

/// Whether it is a Chinese character; punctuation is not, because it brings its own space.
fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Whether it is a letter or a digit of another script, or a sign that belongs to one.
fn is_latin(c: char) -> bool {
    let is_sign = matches!(c, '%' | '±' | '−' | '+' | '@' | '#' | '$' | '`');
    is_sign || (c.is_alphanumeric() && c < '\u{2e80}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_and_latin_are_a_space_apart() {
        let cases = [
            ("在plaintext时", "在 plaintext 时"),
            ("快6.2%的", "快 6.2% 的"),
            ("第 3 轮", "第 3 轮"),
            ("（p99）是1.5µs。", "（p99）是 1.5µs。"),
            ("带宽±2%，登录", "带宽 ±2%，登录"),
            ("原文“在plaintext时”在b时", "原文“在plaintext时”在 b 时"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(spaced(text), expected);
            assert_eq!(spaced(expected), expected);
        }
    }

    #[test]
    fn a_mark_within_a_quotation_does_not_end_it() {
        assert_eq!(quote("no ”way“"), "“no \"way\"”");
    }
}
