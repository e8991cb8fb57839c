//! `https://` as a user meets it, against the built-in server.

use crate::support::{Server, Yard, all_good, measurements};

const SERVE: [&str; 4] = ["event-loop", "--threads", "1", "--tls"];

#[test]
fn a_certificate_is_accepted_that_its_issuer_s_vouches_for() {
    let yard = Yard::new();
    let server = Server::start(&yard, &[&SERVE[..], &["--ca", "ca.pem"]].concat());
    let url = server.url("/plaintext");
    let load = |flags: &[&str]| {
        let args = ["load", &url, "-c", "4", "-n", "1000"];
        yard.run(&[&args[..], flags].concat())
    };
    let body = ["--expect-body", "Hello, World!"];
    for flags in [
        &["--cacert", "ca.pem"][..],
        &["--insecure"],
        &["--cacert", "ca.pem", "--tls-max", "1.2"],
        &["--insecure", "--ciphers", "TLS_AES_128_GCM_SHA256"],
        &["--insecure", "--requests-per-connection", "10"],
    ] {
        yard.load(&url, 1_000, &[&["-c", "4"][..], flags, &body].concat());
    }
    // In the ten lines too.
    let text = load(&["--insecure"]).code(0).out;
    assert!(text.contains("TLS handshakes (p50"), "{text}");
    // Nobody is said to vouch for it.
    let says = load(&[]).code(3).err;
    assert!(
        says.contains("tls-unknown-issuer") && says.contains("--cacert FILE"),
        "{says}"
    );
    // The server speaks HTTP/1.1 alone.
    let says = load(&["--insecure", "--http2"]).code(3).err;
    assert!(
        says.contains("tls-refused") && says.contains("--http2"),
        "{says}"
    );
}

#[test]
fn the_other_scheme_is_named() {
    let yard = Yard::new();
    let plain = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = plain.url("/plaintext").replace("http://", "https://");
    let says = yard.run(&["load", &url, "--insecure", "-n", "1", "-c", "1"]);
    let says = says.code(3).err;
    assert!(says.contains("http://"), "{says}");
    let tls = Server::start(&yard, &SERVE);
    let url = tls.url("/plaintext").replace("https://", "http://");
    let says = yard.run(&["load", &url, "-n", "4", "-c", "1"]);
    says.code(3)
        .says(&["the server speaks TLS on this port: write https://"]);
    let url = plain.url("/plaintext");
    let says = yard.run(&["load", &url, "--insecure", "-n", "1", "-c", "1"]);
    let says = says.code(2).err;
    assert!(says.contains("write https://"), "{says}");
}

#[test]
fn what_a_file_or_flag_cannot_be_is_said() {
    let yard = Yard::new();
    yard.write("no.pem", "hello");
    let wrong = |flags: &[&str], part: &str| {
        let args = ["load", "https://127.0.0.1:1/", "-n", "1"];
        let says = yard.run(&[&args[..], flags].concat()).code(2).err;
        let says = says.replace('\n', " ");
        assert!(says.contains(part), "{says}");
    };
    wrong(&["--cacert", "none.pem"], "--cacert: cannot read none.pem");
    wrong(
        &["--cacert", "no.pem"],
        "no.pem: the issuers' file (--cacert) holds no certificate",
    );
    wrong(&["--cert", "no.pem", "--key", "no.pem"], "--cert");
    wrong(&["--cert", "no.pem"], "--key");
    wrong(&["--ciphers", "RC4-MD5"], "--ciphers RC4-MD5");
    wrong(&["--tls-max", "1.1"], "--tls-max 1.1");
    wrong(
        &["--tls-max", "1.2", "--ciphers", "TLS_AES_128_GCM_SHA256"],
        "--ciphers names no cipher suite",
    );
}

#[test]
fn servers_race_over_tls() {
    let yard = Yard::new();
    let program = env!("CARGO_BIN_EXE_photofinish");
    let command = format!("{program} server event-loop --threads 1 --tls --port {{port}}");
    let race = [
        &*command,
        &*command,
        "--url",
        "https://localhost:{port}/plaintext",
    ];
    let flags = ["--insecure", "-c", "4"];
    let ended = yard.compare(&[&race[..], &flags].concat()).code(0);
    assert!(ended.out.contains("report"), "{}", ended.out);
    let lines = measurements(&yard.result("compare"));
    all_good(&lines);
}
