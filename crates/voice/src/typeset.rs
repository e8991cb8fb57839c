//! How Chinese sentences are set: a space between Chinese and Latin, and what others wrote in quotation marks.

/// Opens and closes what others wrote.
const MARKS: [char; 2] = ['“', '”'];

/// Others' words in a Chinese sentence: an error of the system, a server's last lines, what an older version recorded. Nothing of
/// ours that stands in these marks is without a Chinese character, so a reader (and a test) can tell the two apart.
pub(crate) fn quote(text: &str) -> String {
    let [opens, closes] = MARKS;
    // Marks within would end the quotation before its time.
    format!("{opens}{}{closes}", text.replace(MARKS, "\""))
}

/// The same with a space wherever Chinese and Latin meet. What is quoted stays as it was written.
pub(crate) fn spaced(text: &str) -> String {
    let mut set = String::with_capacity(text.len() + 16);
    let (mut before, mut quoted) = (' ', false);
    for c in text.chars() {
        if c == MARKS[1] {
            quoted = false;
        }
        if !quoted && meets(before, c) {
            set.push(' ');
        }
        if c == MARKS[0] {
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

/// Whether it is a Chinese character; punctuation is none, since it brings its own room.
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
    use std::fs;
    use std::path::{Path, PathBuf};

    use photofinish_model::{check, samples};

    use super::*;
    use crate::{Language, Say, check as checks, grpc};

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
    fn a_quotation_ends_where_it_ends() {
        assert_eq!(quote("no ”way“"), "“no \"way\"”");
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let within = |path: PathBuf| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        };
        paths.flat_map(within).collect()
    }

    /// A sentence is spaced when it is said; a catalogue that is spaced as it stands can be read and compared as it stands.
    #[test]
    fn every_text_of_the_catalogue_is_spaced() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/zh");
        let mut texts = 0;
        for path in files(&folder) {
            let source = fs::read_to_string(&path).expect("text");
            let is_comment = |line: &&str| line.trim_start().starts_with("//");
            for line in source.lines().filter(|line| !is_comment(line)) {
                assert_eq!(spaced(line), line, "{}", path.display());
                texts += usize::from(line.chars().any(is_han));
            }
        }
        assert!(texts > 200, "{texts} texts only");
        for name in check::ALL
            .into_iter()
            .chain(check::SOME)
            .chain(check::OF_MACHINES)
        {
            for text in [checks::title, checks::failed].map(|of| of(name, Language::Zh)) {
                assert_eq!(spaced(text), text);
            }
            let meaning = checks::meaning(name, Language::Zh);
            assert_eq!(spaced(meaning), meaning);
        }
    }

    /// What is left of a Chinese sentence without what others wrote and the names in it.
    fn own(text: &str) -> String {
        let mut quoted = false;
        let own = text.chars().filter(|&c| {
            quoted = (quoted || c == MARKS[0]) && c != MARKS[1];
            !quoted
        });
        own.collect()
    }

    /// Whether a finding's Chinese sentence has no English but others' words and such names, and its English one no Chinese.
    fn is_in_its_language(finding: &impl Say, names: &[&str]) {
        let text = finding.say(Language::Zh);
        let names = names.iter();
        let left = names.fold(own(&text), |left, name| left.replace(name, ""));
        assert!(
            !left.chars().any(|c| c.is_ascii_alphabetic()),
            "{text}: {left}"
        );
        assert!(text.chars().any(|c| is_han(c) || c == MARKS[0]), "{text}");
        assert!(!finding.say(Language::En).chars().any(is_han));
    }

    #[test]
    fn why_something_failed_is_chinese_but_for_what_others_wrote() {
        let names = [
            "plaintext",
            "db",
            "Content-Length",
            "`duration`",
            "`--resume`",
            "`rows`",
            "`--tls-max`",
            "`ca-certificates`",
            "`--cacert FILE`",
            "`[[generator]]`",
            "`--insecure`",
            "`ulimit -Hn`",
            "`ulimit -u`",
            "`http://`",
            "FRAME_SIZE_ERROR",
            "Debian",
            "grpc-status",
            "SIGKILL",
            "CPU",
            "TCP",
            "HTTP",
            "gRPC",
            "WebSocket",
            "TLS",
            "Unix",
            "MiB",
            "ms",
            "s",
            "b",
        ];
        for failure in samples::failures() {
            is_in_its_language(&failure, &names);
        }
    }

    #[test]
    fn what_went_wrong_is_chinese_but_for_what_others_wrote() {
        // What standards name, and what is typed. The longer ones first, for some are parts of others.
        let names = [
            "`-H 'authorization: …'`",
            "`--cacert FILE`",
            "`close_notify`",
            "`--insecure`",
            "`--tls-max`",
            "`--ciphers`",
            "`--http2`",
            "`http2`",
            "`https://`",
            "`http://`",
            "`--cert`",
            "`--key`",
            "Sec-WebSocket-Accept",
            "MAX_CONCURRENT_STREAMS",
            "application/grpc",
            "Content-Length",
            "content-length",
            "content-type",
            "WINDOW_UPDATE",
            "ENHANCE_YOUR_CALM",
            "PROTOCOL_ERROR",
            "CONTINUATION",
            "REFUSED_STREAM",
            "RST_STREAM",
            "grpc-timeout",
            "gRPC-Web",
            "WebSocket",
            "SETTINGS",
            "HEADERS",
            ":status",
            "Huffman",
            "http/1.1",
            "GOAWAY",
            "ECDHE",
            "CR LF",
            "ALPN",
            "DATA",
            "HTTP",
            "JSON",
            "PING",
            "gRPC",
            "ping",
            "pong",
            "1xx",
            "KiB",
            "RFC",
            "TLS",
            "h2",
            "ms",
            "0x3c",
            " s ",
        ];
        for complaint in samples::complaints() {
            let statuses = (1..=17).filter_map(grpc::named).chain(["grpc-status"]);
            let names: Vec<&str> = statuses.chain(names).collect();
            is_in_its_language(&complaint, &names);
        }
    }
}
