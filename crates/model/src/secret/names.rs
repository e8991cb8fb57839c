//! Names of values: which ones stand for secrets, and which headers carry none.

/// Headers whose values are shown: they describe a message and identify nobody (RFC 9110, 9111 and 9112, gRPC, RFC 6455).
const PLAIN_HEADERS: [&str; 44] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "age",
    "allow",
    "alt-svc",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-range",
    "content-type",
    "date",
    "expect",
    "expires",
    "grpc-accept-encoding",
    "grpc-encoding",
    "grpc-status",
    "grpc-timeout",
    "host",
    "if-modified-since",
    "keep-alive",
    "last-modified",
    "max-forwards",
    "pragma",
    "priority",
    "range",
    "retry-after",
    "sec-websocket-extensions",
    "sec-websocket-version",
    "server",
    "strict-transport-security",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    "x-content-type-options",
    "x-powered-by",
];

/// Whether a header's value may be shown.
pub fn is_plain_header(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    PLAIN_HEADERS.contains(&&*name)
}

/// What a name that stands for a secret contains, without the characters between its words.
const PARTS: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "credential",
    "cookie",
    "authorization",
];

/// The last word of a name that stands for a secret.
const LAST_WORDS: [&str; 19] = [
    "auth",
    "bearer",
    "cred",
    "creds",
    "dsn",
    "jwt",
    "key",
    "otp",
    "pass",
    "passwort",
    "pin",
    "psk",
    "pw",
    "pwd",
    "session",
    "sessionid",
    "sid",
    "sig",
    "signature",
];

/// What a name that only seems to stand for a secret contains.
const HARMLESS: [&str; 3] = ["tokens", "tokenizer", "cookiesecure"];

/// Words that end like `dbpass` and `requirepass` and stand for no secret.
const HARMLESS_PASSES: [&str; 12] = [
    "bypass",
    "compass",
    "encompass",
    "trespass",
    "surpass",
    "overpass",
    "underpass",
    "bandpass",
    "highpass",
    "lowpass",
    "multipass",
    "singlepass",
];

/// The last word of a name that stands for something about a secret.
const ABOUT: [&str; 11] = [
    "dir", "file", "header", "length", "name", "path", "policy", "size", "timeout", "ttl", "type",
];

/// Whether what has this name (a flag, a variable, a key of JSON, a parameter of a query, a header) is likely a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.trim_matches('-');
    let joined = joined(name);
    if joined.is_empty() || HARMLESS.iter().any(|part| joined.contains(part)) {
        return false;
    }
    let last = last_word(name);
    let last = last.as_deref().unwrap_or_default();
    if ABOUT.contains(&last) {
        return false;
    }
    let ends_in_pass = last.ends_with("pass") && !HARMLESS_PASSES.contains(&last);
    PARTS.iter().any(|part| joined.contains(part))
        || ends_in_pass
        || LAST_WORDS.contains(&&*joined)
        || LAST_WORDS.contains(&last)
        || ["PWD", "PASS", "pwd"]
            .iter()
            .any(|end| name.ends_with(end) && name.len() > 4)
}

/// Whether the name of a secret says so in any context: `password` does, `key` and `session` also name other things.
pub(super) fn is_outright_secret(name: &str) -> bool {
    let joined = joined(name);
    is_secret_name(name) && PARTS.iter().any(|part| joined.contains(part))
}

/// A name without the characters between its words, in lower case.
fn joined(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a value is likely a secret whatever its name is: a word of letters and digits that nobody would write by hand.
pub fn is_likely_secret(value: &str) -> bool {
    /// Shorter ones may be versions, sizes and names.
    const SHORTEST: usize = 10;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+=.~".contains(&byte);
    value.len() >= SHORTEST
        && !value.starts_with('-')
        && value.bytes().all(is_word)
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && value.bytes().filter(u8::is_ascii_digit).count() >= 2
}

/// The last word of `API_KEY`, `x-auth` and `sessionId`, in lower case; of `sessionId` that is `id`, which says nothing, so the two
/// last ones are `sessionid`.
fn last_word(name: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous_is_lower = false;
    let mut begins = true;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            begins = true;
            previous_is_lower = false;
            continue;
        }
        if begins || (c.is_ascii_uppercase() && previous_is_lower) {
            words.push(String::new());
        }
        begins = false;
        previous_is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        words.last_mut()?.push(c.to_ascii_lowercase());
    }
    let last = words.pop()?;
    match (last.as_str(), words.pop()) {
        ("id", Some(before)) => Some(before + "id"),
        _ => Some(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_all_their_forms() {
        for name in [
            "password",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASS",
            "--api-key",
            "apiKey",
            "X-Auth-Token",
            "access_token",
            "client_secret",
            "Set-Cookie",
            "Authorization",
            "key",
            "sig",
            "X-Amz-Signature",
            "sessionId",
            "AWS_SECRET_ACCESS_KEY",
            "jwt",
            "--requirepass",
            "dbpass",
            "adminPass",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "max_tokens",
            "token_type",
            "path",
            "bypass",
            "compass",
            "--two-pass-bypass",
            "keyboard",
            "author",
            "id",
            "user",
            "",
            "--key-size",
            "--password-file",
            "monkey",
            "design",
            "spin",
            "RUST_LOG",
            "Etag",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        assert!(is_plain_header("Content-Type") && !is_plain_header("Location"));
    }

    #[test]
    fn values_that_nobody_writes_by_hand_are_likely_secrets() {
        for value in ["hunter2hunter22", "sk-live-51Habc9", "AbCdEf0123"] {
            assert!(is_likely_secret(value), "{value}");
        }
        for value in [
            "production",
            "8.1.2",
            "127.0.0.1:8080",
            "/usr/lib/jvm/java-21",
            "-Xmx1024m20",
            "1234567890",
            "debug,hyper=info",
        ] {
            assert!(!is_likely_secret(value), "{value}");
        }
    }
}
