//! `https://` as a user meets it, against the built-in server.

use crate::support::{Server, Yard, all_good, measurements};

const SERVE: [&str; 4] = ["event-loop", "--threads", "1", "--tls"];

#[test]
fn a_certificate_is_accepted_that_its_issuer_s_vouches_for() {
    let yard = Yard::new();
    let server = Server::start(&yard, &[&SERVE[..], &["--ca", "ca.pem"]].concat());
    let url = server.url("/plaintext");
    let load = |flags: &str| yard.run(&format!("load {url} -c 4 -n 1000 {flags}"));
    for flags in [
        "--cacert ca.pem",
        "--insecure",
        "--cacert ca.pem --tls-max 1.2",
        "--insecure --ciphers TLS_AES_128_GCM_SHA256",
        "--insecure --requests-per-connection 10",
    ] {
        yard.load(
            &url,
            1_000,
            &format!("-c 4 {flags} --expect-body 'Hello, World!'"),
        );
    }
    // In the ten lines too.
    load("--insecure").code(0).prints(&["TLS handshakes (p50"]);
    // Nobody is said to vouch for it.
    load("")
        .code(3)
        .says(&["tls-unknown-issuer", "--cacert FILE"]);
    // The server speaks HTTP/1.1 alone.
    let other = load("--insecure --http2").code(3);
    other.says(&["tls-refused", "--http2"]);
}

#[test]
fn the_other_scheme_is_named() {
    let yard = Yard::new();
    let plain = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let tls = Server::start(&yard, &SERVE);
    let [http, https] = [&plain, &tls].map(|server| server.url("/plaintext"));
    for (url, flags, code, says) in [
        (http.replace("http:", "https:"), "--insecure", 3, "http://"),
        (
            https.replace("https:", "http:"),
            "",
            3,
            "the server speaks TLS on this port: write https://",
        ),
        (http, "--insecure", 2, "write https://"),
    ] {
        let ended = yard.run(&format!("load {url} -n 4 -c 1 {flags}"));
        ended.code(code).says(&[says]);
    }
}

#[test]
fn what_a_file_or_flag_cannot_be_is_said() {
    let yard = Yard::new();
    yard.write("no.pem", "hello");
    for (flags, says) in [
        ("--cacert none.pem", "--cacert: cannot read none.pem"),
        (
            "--cacert no.pem",
            "no.pem: the issuers' file (--cacert) holds no certificate",
        ),
        ("--cert no.pem --key no.pem", "--cert"),
        ("--cert no.pem", "--key"),
        ("--ciphers RC4-MD5", "--ciphers RC4-MD5"),
        ("--tls-max 1.1", "--tls-max"),
        (
            "--tls-max 1.2 --ciphers TLS_AES_128_GCM_SHA256",
            "--ciphers names no cipher suite",
        ),
    ] {
        yard.refuses(&format!("load https://127.0.0.1:1/ -n 1 {flags}"), &[says]);
    }
}

#[test]
fn servers_race_over_tls() {
    let yard = Yard::new();
    let program = env!("CARGO_BIN_EXE_photofinish");
    let command = format!("{program} server event-loop --threads 1 --tls --port {{port}}");
    let url = "--url https://localhost:{port}/plaintext --insecure -c 4";
    let ended = yard.compare(&format!("'{command}' '{command}' {url}"));
    ended.code(0).prints(&["report"]);
    let lines = measurements(&yard.result("compare"));
    all_good(&lines);
}
