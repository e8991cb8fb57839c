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

/// The last word of a name that stands for something about a secret.
const ABOUT: [&str; 11] = [
    "dir", "file", "header", "length", "name", "path", "policy", "size", "timeout", "ttl", "type",
];

/// Whether what has this name (a flag, a variable, a key of JSON, a parameter of a query, a header) is likely a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.trim_matches('-');
    let joined: String = (name.chars())
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    if joined.is_empty() || HARMLESS.iter().any(|part| joined.contains(part)) {
        return false;
    }
    let last = last_word(name);
    let last = last.as_deref().unwrap_or_default();
    if ABOUT.contains(&last) {
        return false;
    }
    PARTS.iter().any(|part| joined.contains(part))
        || LAST_WORDS.contains(&&*joined)
        || LAST_WORDS.contains(&last)
        || ["PWD", "PASS", "pwd"]
            .iter()
            .any(|end| name.ends_with(end) && name.len() > 4)
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
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "max_tokens",
            "token_type",
            "path",
            "bypass",
            "compass",
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
}
