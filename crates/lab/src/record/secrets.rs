//! What a record keeps of a plan's secrets: their names, where they came from, and fingerprints.

use std::collections::BTreeMap;

use photofinish_model::secret::{Secret, SecretRecord, is_plain_header, mask, mask_words};
use photofinish_model::{Exchange, Message, Request, Template};
use photofinish_study::plan::{Plan, Target, Workload};
use serde::Serialize;

use crate::record::fingerprint::Key;

/// Where a value came from that has no source of its own.
const DEFAULT_SOURCE: &str = "the command line or the study's files";

/// The records of all secrets of a plan.
pub(super) fn records(plan: &Plan, key: Option<&Key>) -> Vec<SecretRecord> {
    let mut list = List {
        key,
        records: Vec::new(),
    };
    plan.workloads.iter().for_each(|one| list.workload(one));
    plan.targets.iter().for_each(|target| list.target(target));
    for service in &plan.services {
        if let Some(url) = &service.url {
            list.add(
                format!("password of service {}", service.name),
                &url.password,
            );
        }
    }
    list.records
}

struct List<'k> {
    key: Option<&'k Key>,
    records: Vec<SecretRecord>,
}

impl List<'_> {
    fn add<T: Serialize>(&mut self, name: String, secret: &Secret<T>) {
        self.records.push(SecretRecord {
            name,
            source: secret.source().unwrap_or(DEFAULT_SOURCE).to_owned(),
            fingerprint: self.key.and_then(|key| key.fingerprint(secret)),
        });
    }

    /// A text that is recorded without the secrets in it, if there are some.
    fn add_masked<T: Serialize>(&mut self, name: String, value: &T, is_masked: bool) {
        if is_masked {
            self.records.push(SecretRecord {
                name,
                source: DEFAULT_SOURCE.to_owned(),
                fingerprint: self.key.and_then(|key| key.fingerprint(value)),
            });
        }
    }

    fn workload(&mut self, workload: &Workload) {
        let of = format!("of workload {}", workload.name);
        match &workload.exchange {
            Exchange::Http { request, .. } => {
                self.request(request, &of);
                if !request.body.expose().is_empty() {
                    self.add(format!("body {of}"), &request.body);
                }
            }
            Exchange::WebSocket(socket) => {
                self.request(&socket.opening, &of);
                if let Message::Text(text) | Message::Binary(text) = &socket.message {
                    self.add(format!("message {of}"), text);
                }
            }
            Exchange::Grpc(call) => {
                self.headers(&call.headers, "metadata", &of);
                self.add(format!("message {of}"), &call.message);
            }
            // Their fingerprint is of all that is sent.
            Exchange::Requests(_) | Exchange::TcpEcho { .. } => {}
        }
        if let Some(login) = &workload.login {
            self.add_masked(format!("login {of}"), &login.request, true);
        }
    }

    fn request(&mut self, request: &Request, of: &str) {
        let path = &request.path;
        self.add_masked(format!("path {of}"), path, path.shown() != path.text());
        self.headers(&request.headers, "header", of);
    }

    fn headers(&mut self, headers: &[(String, Secret<Template>)], what: &str, of: &str) {
        for (name, value) in headers.iter().filter(|(name, _)| !is_plain_header(name)) {
            self.add(format!("{what} {name} {of}"), value);
        }
    }

    fn target(&mut self, target: &Target) {
        let of = format!("of server {}", target.label);
        self.env(&target.start.env, &of);
        if let Some(build) = &target.build {
            self.env(&build.env, &format!("of the build {of}"));
            self.command("build command", &build.command, &of);
        }
        self.command("command", &target.start.command, &of);
        self.command("JVM flags", &target.start.jvm_flags, &of);
        self.command("prepare command", &target.start.prepare, &of);
        self.command("cleanup command", &target.stop.cleanup, &of);
        if let Some(endpoint) = target.already() {
            let is_masked = mask(&endpoint.url) != endpoint.url;
            self.add_masked(format!("URL {of}"), &endpoint.url, is_masked);
        }
        if let Some(identity) = target.tls.as_ref().and_then(|tls| tls.identity.as_ref()) {
            self.add(format!("client key {of}"), &identity.key);
        }
    }

    fn env(&mut self, env: &BTreeMap<String, Secret<String>>, of: &str) {
        for (name, value) in env {
            self.add(format!("variable {name} {of}"), value);
        }
    }

    fn command(&mut self, what: &str, words: &[String], of: &str) {
        self.add_masked(format!("{what} {of}"), &words, mask_words(words) != words);
    }
}

/// What of two runs' secrets differs, a fragment each.
pub(super) fn differences(there: &[SecretRecord], now: &[SecretRecord]) -> Vec<String> {
    let named = |all: &'_ [SecretRecord], name: &str| -> Option<SecretRecord> {
        all.iter().find(|one| one.name == name).cloned()
    };
    let mut found = Vec::new();
    // A request's body is compared by its digest.
    let is_body = |one: &&SecretRecord| {
        ["body ", "message "]
            .iter()
            .any(|what| one.name.starts_with(what))
    };
    for was in there.iter().filter(|one| !is_body(one)) {
        match named(now, &was.name) {
            None => found.push(format!("{} was given ({})", was.name, was.source)),
            Some(is) if is.fingerprint != was.fingerprint => found.push(format!(
                "{} was another one (it came from {}, now from {})",
                was.name, was.source, is.source
            )),
            Some(_) => {}
        }
    }
    let new = now.iter().filter(|one| !is_body(one));
    let new = new.filter(|is| named(there, &is.name).is_none());
    found.extend(new.map(|is| format!("{} was not given", is.name)));
    found
}

#[cfg(test)]
mod tests {
    use photofinish_model::Template;

    use super::*;
    use crate::fake;

    #[test]
    fn a_secret_is_recorded_by_name_and_fingerprint_and_another_value_is_noticed() {
        let source = std::sync::Arc::from("--env-file prod.env");
        let with = |value: &str| {
            let mut plan = fake::plan(&["a"], 1);
            let token = Secret::from_source(value.to_owned(), &source);
            plan.targets[0].start.env.insert("TOKEN".to_owned(), token);
            let (request, _) = fake::http(&mut plan.workloads[0]);
            for (name, value) in [("Accept", "text/plain"), ("Authorization", value)] {
                let value = Template::fixed(value).into();
                request.headers.push((name.to_owned(), value));
            }
            records(&plan, Some(&Key::of_test()))
        };
        let there = with("canary");
        let names: Vec<&str> = there.iter().map(|one| &*one.name).collect();
        assert_eq!(
            names,
            [
                "header Authorization of workload plaintext",
                "variable TOKEN of server a"
            ]
        );
        let text = serde_json::to_string(&there).expect("JSON");
        assert!(!text.contains("canary"), "{text}");
        assert_eq!(differences(&there, &with("canary")), [""; 0]);
        assert_eq!(
            differences(&there, &with("other")),
            [
                "header Authorization of workload plaintext was another one (it came from the command line or the study's files, now from the command line or the study's files)",
                "variable TOKEN of server a was another one (it came from --env-file prod.env, now from --env-file prod.env)",
            ]
        );
    }
}
