//! What is sent and what must come back, as `load`, `capacity` and `compare` take it.

mod from_files;
mod tls;

use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use photofinish_model::secret::remember;
use photofinish_model::settings::SchemaSettings;
use photofinish_model::{Expect, Recall, Request, Secret, Template, Version, files};
use photofinish_proto::Schema;
use photofinish_study::{RequestFlags, header_value, parse_size};

use crate::args::RequestArgs;
use crate::exit::Failure;

/// Reads the flags, and the files that they name; `url` is what is loaded, where it is known.
///
/// # Errors
/// By the flag, with what is wrong with it and what to write.
pub fn asked(args: &RequestArgs, url: Option<&str>) -> Result<RequestFlags, Failure> {
    let mut settings = args.settings.all.clone();
    if args.no_keepalive {
        settings.requests_per_connection = Some(1);
    }
    let many = url.is_some_and(|url| url.starts_with("ws") || url.starts_with("grpc"));
    if args.settings.given.streams.is_some() && args.http2.is_none() && !many {
        return Err(Failure::request(
            "--streams: HTTP/1.1 has one request in flight on a connection; add --http2, or leave it out",
        ));
    }
    if args.method.is_empty() || !args.method.chars().all(token) {
        return Err(Failure::request(format!(
            "--method '{}': this is not a method; give one such as GET or POST",
            args.method
        )));
    }
    let wanted = &args.expect.all;
    let wanted_body = wanted.body.as_deref();
    let wanted_body = wanted_body.map(|text| bytes("--expect-body", text));
    let request = Request {
        method: args.method.clone(),
        path: Template::default(),
        headers: headers(&args.headers)?
            .into_iter()
            .chain(user(args)?)
            .collect(),
        body: body(&args.body)?,
    };
    let expect = Expect {
        status: wanted.status.and_then(|status| u16::try_from(status).ok()),
        body: wanted_body.transpose()?,
        contains: wanted.contains.iter().map(contained).collect(),
        same: wanted.same,
        follow_redirects: follows_redirects(args, url)?,
        ..Expect::default()
    };
    let version = match &args.http2 {
        Some(None) => Version::Http2 {
            streams: settings.streams,
        },
        None | Some(Some(_)) => Version::Http1,
    };
    Ok(RequestFlags {
        size: args.size.as_deref().map(size).transpose()?,
        requests: from_files::requests(&args.files, url, &request, &expect, version)?,
        login: from_files::login(&args.files)?,
        request,
        expect,
        version,
        schema: schema(&args.schema.all)?,
        tls: tls::asked(&args.tls.all)?,
        settings,
    })
}

/// Whether redirects are followed: of a GET over HTTP that is the same each time.
fn follows_redirects(args: &RequestArgs, url: Option<&str>) -> Result<bool, Failure> {
    let url = url.unwrap_or_default();
    let refused = if !args.expect.all.follow_redirects {
        return Ok(false);
    } else if url.contains("://") && !url.starts_with("http") {
        "only HTTP redirects; leave it out"
    } else if args.method != "GET" || args.body.is_some() {
        "only a GET without a body is followed; give the URL that its redirect leads to"
    } else if !Template::parse(url).is_fixed() {
        "the URL is another one each time, and so may be where it leads; give the URLs that its redirects lead to"
    } else {
        return Ok(true);
    };
    Err(Failure::request(format!("--follow-redirects: {refused}")))
}

/// What a body must contain, as it is: braces of JSON are no places to fill in.
fn contained(text: &String) -> Recall {
    Recall::Bytes(text.as_bytes().to_vec())
}

/// Who is asked over HTTP/2, where the others are asked over HTTP/1.1: the names of `--http2=NAMES`.
pub fn over_http2(args: &RequestArgs) -> Vec<String> {
    match &args.http2 {
        Some(Some(names)) => names.split(',').map(str::to_owned).collect(),
        None | Some(None) => Vec::new(),
    }
}

/// Reads the files that say what methods take and return.
fn schema(given: &SchemaSettings) -> Result<Option<Schema>, Failure> {
    let (flag, read) = match (&given.proto, &given.descriptor_set) {
        (Some(file), _) => ("--proto", Schema::compile(file, &given.import_path)),
        (None, Some(file)) => ("--descriptor-set", Schema::descriptor_set(file)),
        (None, None) => return Ok(None),
    };
    read.map(Some)
        .map_err(|error| Failure::request(format!("{flag}: {error}")))
}

/// What methods and the names of headers are made of (RFC 9110, 5.6.2).
fn token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// The headers of all -H. Each is one header, or @FILE with one on each line: what is in a file is in no list of processes.
fn headers(given: &[String]) -> Result<Vec<(String, Secret<Template>)>, Failure> {
    let mut headers = Vec::new();
    for text in given {
        let Some(file) = text.strip_prefix('@') else {
            headers.push(header(text, "-H", None)?);
            continue;
        };
        let source: Arc<str> = format!("-H @{file}").into();
        for (number, line) in lines("-H", file)? {
            let place = format!("-H @{file}, line {number}");
            headers.push(header(&line, &place, Some(&source))?);
        }
    }
    Ok(headers)
}

/// The header of HTTP Basic authentication (RFC 7617).
fn user(args: &RequestArgs) -> Result<Option<(String, Secret<Template>)>, Failure> {
    let Some(user) = &args.user else {
        return Ok(None);
    };
    let Some((_, password)) = user.split_once(':') else {
        return Err(Failure::request(
            "--user: there is no colon; write it as USER:PASSWORD",
        ));
    };
    remember(password);
    let name = "Authorization";
    let value = format!("Basic {}", STANDARD.encode(user));
    Ok(Some((name.to_owned(), header_value(name, &value, None))))
}

/// The lines of a file that say something, each with its number: no empty ones, and none that begins with `#`.
pub fn lines(flag: &str, file: &str) -> Result<Vec<(usize, String)>, Failure> {
    let wrong = |says: String| Failure::request(format!("{flag}: cannot read {file}: {says}"));
    let bytes = files::read_given(Path::new(file), files::WRITTEN);
    let text = String::from_utf8(bytes.map_err(|error| wrong(error.to_string()))?);
    let text = text.map_err(|_| wrong("it is not text in UTF-8".to_owned()))?;
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(|(at, line)| (at + 1, line.to_owned())).collect())
}

/// The body, which may be in a file.
fn body(text: &Option<String>) -> Result<Secret<Template>, Failure> {
    let Some(text) = text else {
        return Ok(Secret::default());
    };
    let body = Template::parse(bytes("--body", text)?);
    Ok(match text.starts_with('@') {
        true => Secret::from_source(body, &format!("--body {text}").into()),
        false => body.into(),
    })
}

/// A header as it is given to -H, or on a line of a file. A mistake is named without the text, which may hold a secret.
fn header(
    text: &str,
    place: &str,
    source: Option<&Arc<str>>,
) -> Result<(String, Secret<Template>), Failure> {
    let wrong =
        |problem: &str| Failure::request(format!("{place}: {problem}; write it as 'Name: value'"));
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| wrong("there is no colon"))?;
    if name.is_empty() || !name.chars().all(token) {
        return Err(wrong("this is not a header's name"));
    }
    let value = value.trim();
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(wrong("the value holds a control character"));
    }
    Ok((name.to_owned(), header_value(name, value, source)))
}

/// The most bytes of a body that a flag may give.
const LARGEST_BODY: u64 = 256 << 20;

/// What a flag gives as text, or as @FILE. The file may be a pipe, as shells make it (`@<(command)`), or without an end.
fn bytes(flag: &str, text: &str) -> Result<Vec<u8>, Failure> {
    let Some(file) = text.strip_prefix('@') else {
        return Ok(text.as_bytes().to_vec());
    };
    files::read_given(Path::new(file), LARGEST_BODY)
        .map_err(|e| Failure::request(format!("{flag}: cannot read {file}: {e}")))
}

/// A message's size.
fn size(text: &str) -> Result<u64, Failure> {
    parse_size(text).ok_or_else(|| {
        Failure::request(format!(
            "--size {text}: give 1 byte to 16m, such as 300, 1k (1024 bytes) or 16m"
        ))
    })
}
