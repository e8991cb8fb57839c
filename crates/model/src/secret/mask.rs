//! Finds secrets in text by what stands around them: the user info of a URL, and the value after a name that stands for a secret, in
//! a query, a command line, an environment, JSON, TOML or a message's head.

use std::borrow::Cow;

use serde_json::Value;

use super::MASK;
use super::known::Quote;
use super::names::{is_plain_header, is_secret_name};
use super::places::secrets;

/// The text with `***` in place of each secret.
pub fn mask(text: &str) -> Cow<'_, str> {
    let found = secrets(text.as_bytes());
    if found.is_empty() {
        return text.without_known();
    }
    let mut masked = String::with_capacity(text.len());
    let mut copied = 0;
    for range in found {
        masked.push_str(&text[copied..range.start]);
        masked.push_str(MASK);
        copied = range.end;
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked.without_known().into_owned())
}

/// A path and its query that another server gave: of each value in the query, that there is one. Where a redirect leads, a value of any
/// name may be the key to an account.
pub fn mask_query(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else {
        return mask(path).into_owned();
    };
    let values = query.split('&').map(|pair| match pair.split_once('=') {
        Some((_, "")) => pair.to_owned(),
        Some((name, _)) => format!("{name}={MASK}"),
        None if pair.is_empty() => String::new(),
        None => MASK.to_owned(),
    });
    let values: Vec<String> = values.collect();
    format!("{}?{}", mask(path), values.join("&"))
}

/// The bytes with `*` in place of each byte of a secret, so that places in them stay the same.
pub fn blank(text: &[u8]) -> Cow<'_, [u8]> {
    let found = secrets(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut blanked = text.to_vec();
    for range in found {
        blanked[range].fill(b'*');
    }
    Cow::Owned(blanked)
}

/// The words of a command line: also a word that is a secret because of the flag before it.
pub fn mask_words<W: AsRef<str>>(words: &[W]) -> Vec<String> {
    let before = std::iter::once(None).chain(words.iter().map(|word| Some(word.as_ref())));
    (words.iter().zip(before))
        .map(|(word, before)| {
            let word = word.as_ref();
            match before {
                Some(flag) if takes_secret(flag, word) => MASK.to_owned(),
                Some("-H" | "--header" | "--metadata") => masked_header(word),
                _ => mask(word).into_owned(),
            }
        })
        .collect()
}

/// Whether a word is a secret because it follows this flag.
fn takes_secret(flag: &str, word: &str) -> bool {
    let named = flag.starts_with('-') && !flag.contains('=') && is_secret_name(flag);
    let user = ["-u", "--user"].contains(&flag) && word.contains(':');
    (named && !word.starts_with('-')) || user
}

/// A header as it is shown: its value too only where it carries no secret.
pub fn masked_header(line: &str) -> String {
    match line.split_once(':') {
        Some((name, value)) if is_plain_header(name) => format!("{name}:{}", mask(value)),
        Some((name, _)) => format!("{name}: {MASK}"),
        None => MASK.to_owned(),
    }
}

/// A response's head as it is shown: the first line, and the values of headers that carry no secret.
pub fn mask_head(head: &str) -> String {
    let mut lines = head.split("\r\n").flat_map(str::lines);
    let first = lines.next().map(|line| mask(line).into_owned());
    let fields = lines.map(masked_header);
    let lines: Vec<String> = first.into_iter().chain(fields).collect();
    lines.join("\r\n")
}

/// The most characters of a body that are shown.
const LONGEST_BODY: usize = 200;

/// The beginning of a body that failed a verification, escaped, and whether there is more of it.
pub fn shown_body(body: &[u8]) -> (String, bool) {
    let beginning = &body[..body.len().min(LONGEST_BODY * 4)];
    let shown = mask(&String::from_utf8_lossy(beginning)).into_owned();
    let escaped: String = shown.as_bytes().escape_ascii().to_string();
    let more = body.len() > beginning.len() || escaped.len() > LONGEST_BODY;
    (escaped.chars().take(LONGEST_BODY).collect(), more)
}

/// A body of JSON without the texts in it; nothing of another body: a token may stand alone in it.
pub fn mask_json_texts(body: &[u8]) -> String {
    fn leave_out(name: &str, value: &mut Value) {
        match value {
            Value::String(text) if !text.is_empty() => "*".clone_into(text),
            Value::Number(_) if is_secret_name(name) => *value = Value::from("*"),
            Value::Array(values) => values.iter_mut().for_each(|value| leave_out(name, value)),
            Value::Object(fields) => {
                fields
                    .iter_mut()
                    .for_each(|(name, value)| leave_out(name, value));
            }
            _ => {}
        }
    }
    match serde_json::from_slice(body) {
        Ok(mut value @ (Value::Object(_) | Value::Array(_))) => {
            leave_out("", &mut value);
            value.to_string()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_found_by_what_stands_around_them() {
        for (text, masked) in [
            ("postgresql://u:c@h:5432/d", "postgresql://u:***@h:5432/d"),
            ("http://c@h/x", "http://***@h/x"),
            ("http://u:c/c@h/x", "http://u:***@h/x"),
            (
                "http://127.0.0.1:{port}/x?token=c&n=1",
                "http://127.0.0.1:{port}/x?token=***&n=1",
            ),
            ("http://h:80/a@b", "http://h:80/a@b"),
            (
                "GET /x?n=1&api_key=c HTTP/1.1",
                "GET /x?n=1&api_key=*** HTTP/1.1",
            ),
            (
                "PGPASSWORD=c ./serve --port {port}",
                "PGPASSWORD=*** ./serve --port {port}",
            ),
            ("PGPASSWORD='c d' ./serve", "PGPASSWORD='***' ./serve"),
            (
                "./serve --password c --port 1",
                "./serve --password *** --port 1",
            ),
            (
                "./serve --password=c --port 1",
                "./serve --password=*** --port 1",
            ),
            (
                "java -Dapp.password=c -jar a.jar",
                "java -Dapp.password=*** -jar a.jar",
            ),
            (
                "[\"./serve\", \"--token\", \"c\"]",
                "[\"./serve\", \"--token\", \"***\"]",
            ),
            (
                "curl -H 'Authorization: Bearer c' http://h",
                "curl -H 'Authorization: ***' http://h",
            ),
            (
                "{\"password\": \"c\\\"c\", \"n\": 1}",
                "{\"password\": \"***\", \"n\": 1}",
            ),
            (
                "body = \"{\\\"token\\\": \\\"c\\\"}\"",
                "body = \"{\\\"token\\\": \\\"***\\\"}\"",
            ),
            ("{\"pin\": 1234, \"n\": 1}", "{\"pin\": ***, \"n\": 1}"),
            ("password = \"\"\"\nc\n\"\"\"", "password = \"\"\"***\"\"\""),
            (
                "Set-Cookie: a=c; Path=/\r\nVary: x",
                "Set-Cookie: ***\r\nVary: x",
            ),
            ("the token: none", "the token: none"),
            (
                "curl -u a:c --user=b:c -u 1000:1000 http://h",
                "curl -u a:*** --user=b:*** -u 1000:1000 http://h",
            ),
            (
                "/bin/mysql -uroot -pc -p db; ./serve -p8080",
                "/bin/mysql -uroot -p*** -p db; ./serve -p8080",
            ),
            ("sshpass -p c ssh h -p 22", "sshpass -p *** ssh h -p ***"),
            (
                "redis-server --requirepass c",
                "redis-server --requirepass ***",
            ),
            (
                "db:\n  password: c c\n  port: 1",
                "db:\n  password: ***\n  port: 1",
            ),
            (
                "Config { user: \"a\", password: \"c\", port: 1 }",
                "Config { user: \"a\", password: \"***\", port: 1 }",
            ),
            ("{User:a Password:c Port:1}", "{User:a Password:*** Port:1}"),
            (
                "<a><password>c</password></a>",
                "<a><password>***</password></a>",
            ),
            (
                "{\"token\": {\"v\": \"}c\", \"w\": [\"c\"]}, \"n\": 1}",
                "{\"token\": ***, \"n\": 1}",
            ),
            ("{\"token\": [\"c\", \"c", "{\"token\": ***"),
            (
                "Wrong password: the user is unknown",
                "Wrong password: the user is unknown",
            ),
            ("./serve --secret-file {dir}", "./serve --secret-file {dir}"),
        ] {
            assert_eq!(mask(text), masked, "{text}");
            assert_eq!(mask(masked), masked, "again");
        }
    }

    #[test]
    fn a_head_and_a_command_keep_what_is_no_secret() {
        let head = "HTTP/1.1 302 Found\r\nContent-Type: text/plain\r\nLocation: /x?code=c\r\nX-Auth-Token: c\r\nSet-Cookie: s=c";
        assert_eq!(
            mask_head(head),
            "HTTP/1.1 302 Found\r\nContent-Type: text/plain\r\nLocation: ***\r\nX-Auth-Token: ***\r\nSet-Cookie: ***"
        );
        let words = [
            "./s",
            "--db-password",
            "c",
            "-u",
            "a:c",
            "-H",
            "X-A: c",
            "--port",
            "{port}",
        ];
        assert_eq!(
            mask_words(&words),
            [
                "./s",
                "--db-password",
                "***",
                "-u",
                "***",
                "-H",
                "X-A: ***",
                "--port",
                "{port}"
            ]
        );
    }

    #[test]
    fn of_a_query_that_a_server_gave_the_names_are_shown() {
        assert_eq!(
            mask_query("/end?code=c&n=1&empty=&c"),
            "/end?code=***&n=***&empty=&***"
        );
        assert_eq!(mask_query("/end"), "/end");
    }

    #[test]
    fn what_is_shown_of_a_body_has_no_secret() {
        let shown = mask_json_texts(br#"{"a": [1, "c", {"pin": 7}, ""]}"#);
        assert_eq!(shown, r#"{"a":[1,"*",{"pin":"*"},""]}"#);
        assert_eq!(mask_json_texts(b"abc"), "");
        assert_eq!(
            shown_body(br#"{"error":"no","access_token":"c"}"#),
            (
                r#"{\"error\":\"no\",\"access_token\":\"***\"}"#.to_owned(),
                false
            )
        );
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_places_stay(text in "(token|=|:|//|@|\"|'|\\\\| |--|\\PC){0,20}") {
            let blanked = blank(text.as_bytes());
            prop_assert_eq!(blanked.len(), text.len());
            let masked = mask(&text).into_owned();
            prop_assert!(masked.len() <= text.len() * 4 + 3);
        }
    }
}
