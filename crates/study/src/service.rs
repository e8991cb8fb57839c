//! `[service.NAME]`: what targets need next to them; and the keys of a workload that concern one.

use std::collections::BTreeMap;
use std::path::Path;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::checks::check_name;
use crate::expanded::ExpandedText;
use crate::labels::read_labels;
use crate::nearest::advice;
use crate::plan::{Before, CountAfter, Service, ServiceKind, ServiceUrl, SqlFile};
use crate::reader::{Node, Section};
use crate::shown::shown;
use crate::version::parse_version_req;
use photofinish_model::files;
use photofinish_model::secret::remember;
use photofinish_model::version::VersionReq;

const KINDS: [ServiceKind; 2] = [ServiceKind::Postgresql, ServiceKind::Mariadb];
const BEFORE_EXAMPLE: &str = "before = \"schemas/refill.sql\"";

/// The services of a study, and the folder from which it names files.
pub(crate) struct Services<'p> {
    list: Vec<Service>,
    dir: &'p Path,
}

/// The keys of a workload that concern a service.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(crate) before: Option<Before>,
    pub(crate) count_after: Option<CountAfter>,
}

impl<'p> Services<'p> {
    /// Reads all services; `labels` are those of the study's targets.
    pub(crate) fn read(file: &Section<'_>, dir: &'p Path, labels: &[&str]) -> Services<'p> {
        let entries = file.get("service").map(|node| node.entries());
        let mut list = Vec::new();
        for entry in entries.unwrap_or_default() {
            let name = entry.node.name();
            entry.check_key(check_name(name));
            if let Some(section) = entry.node.section() {
                list.extend(read_service(name, &section, dir, labels));
            }
        }
        Services { list, dir }
    }

    pub(crate) fn into_list(self) -> Vec<Service> {
        self.list
    }

    /// The keys of a workload that is taken by `targets` (empty = all, `labels`).
    pub(crate) fn hooks(
        &self,
        workload: &Section<'_>,
        labels: &[&str],
        targets: &[String],
    ) -> Hooks {
        let [named, before, count] =
            ["service", "before", "count-after"].map(|key| workload.get(key));
        let Some(first) = before.or(count) else {
            if let Some(node) = named {
                node.note(
                    "`service` has no effect without `before` or `count-after`",
                    BEFORE_EXAMPLE,
                );
            }
            return Hooks::default();
        };
        let Some(service) = self.choose(&first, named) else {
            return Hooks::default();
        };
        let takes =
            |label: &&&str| targets.is_empty() || targets.iter().any(|target| target == **label);
        if let Some(label) = labels.iter().filter(takes).find(|l| !service.is_for(l)) {
            first.note(
                format!(
                    "the target `{label}` takes this workload, but does not need the service `{}`",
                    service.name
                ),
                format!("add it to `targets` of [service.{}]", service.name),
            );
        }
        Hooks {
            before: before
                .and_then(|node| read_sql(&node, self.dir))
                .map(|sql| Before {
                    service: service.name.clone(),
                    sql,
                }),
            count_after: count
                .and_then(|node| read_count(&node))
                .map(|table| CountAfter {
                    service: service.name.clone(),
                    table,
                }),
        }
    }

    /// The service that a workload names, or the only one that there is.
    fn choose(&self, key: &Node<'_>, named: Option<Node<'_>>) -> Option<&Service> {
        let names = || self.list.iter().map(|service| &*service.name);
        let Some(node) = named else {
            if self.list.len() == 1 {
                return self.list.first();
            }
            key.note(
                match self.list.is_empty() {
                    true => format!("`{}` needs a service, and the study has none", key.name()),
                    false => format!("`{}` does not say which service is meant", key.name()),
                },
                match self.list.is_empty() {
                    true => "add [service.db] with kind = \"postgresql\"".to_owned(),
                    false => advice("", "add `service`; services of the study", names()),
                },
            );
            return None;
        };
        let name = node.text()?;
        let found = self.list.iter().find(|service| service.name == name);
        if found.is_none() {
            node.note(
                format!("`{name}` is not one of the study's services"),
                advice(name, "services of the study", names()),
            );
        }
        found
    }
}

fn read_service(name: &str, section: &Section<'_>, dir: &Path, labels: &[&str]) -> Option<Service> {
    let kind = section.need("kind").and_then(|node| node.word());
    let kind = KINDS.into_iter().find(|known| Some(known.name()) == kind);
    let schema = section.get("schema").map(|node| node.one_or_more());
    let version = section.get("version").and_then(|node| {
        let parsed = parse_version_req(node.text()?);
        parsed
            .map_err(|error| node.note(error.to_string(), ""))
            .ok()
    });
    let kind = kind?;
    Some(Service {
        name: name.to_owned(),
        kind,
        version: version.unwrap_or_else(VersionReq::any),
        url: section.get("url").and_then(|node| read_url(&node, kind)),
        schema: schema
            .unwrap_or_default()
            .iter()
            .filter_map(|node| read_sql(node, dir))
            .collect(),
        rows: section
            .get("rows")
            .map(|node| read_rows(&node))
            .unwrap_or_default(),
        targets: read_labels(section, labels),
    })
}

/// A file of SQL in the study's folder.
fn read_sql(node: &Node<'_>, dir: &Path) -> Option<SqlFile> {
    let path = dir.join(node.text()?);
    let name = shown(&path);
    match files::read_text(&path, files::WRITTEN) {
        Ok(text) if text.trim().is_empty() => node.note(format!("{name} is empty"), ""),
        Ok(text) => return Some(SqlFile { name, text }),
        Err(error) => node.note(
            format!("cannot read {name}: {error}"),
            "name a file of SQL, from the study's folder",
        ),
    }
    None
}

fn read_rows(node: &Node<'_>) -> BTreeMap<String, u64> {
    let mut rows = BTreeMap::new();
    for entry in node.entries() {
        let table = entry.node.name();
        if !is_table(table) {
            entry.note_key(format!("`{table}` is not a table's name"), TABLE_SAYS);
        }
        if let Some(count) = entry.node.value::<u32>() {
            rows.insert(table.to_owned(), count.into());
        }
    }
    rows
}

fn read_count(node: &Node<'_>) -> Option<String> {
    let section = node.section()?;
    if let Some(equals) = section.need("equals") {
        equals.word();
    }
    let table = section.need("table")?;
    let name = table.text()?;
    if !is_table(name) {
        table.note(format!("`{name}` is not a table's name"), TABLE_SAYS);
    }
    Some(name.to_owned())
}

const TABLE_SAYS: &str =
    "allowed: letters, digits and `_`, with the schema before a dot where it has one";

/// Whether a name can stand in SQL as it is, without quotes.
fn is_table(name: &str) -> bool {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.split('.').count() <= 2 && name.split('.').all(word)
}

fn read_url(node: &Node<'_>, kind: ServiceKind) -> Option<ServiceUrl> {
    node.text()?;
    let given = ExpandedText::read(node)?;
    let text = &given.text();
    let schemes: &[&str] = match kind {
        ServiceKind::Postgresql => &["postgresql", "postgres"],
        ServiceKind::Mariadb => &["mariadb", "mysql"],
    };
    let help = format!(
        "write {}://user:password@127.0.0.1:{}/database",
        schemes[0],
        kind.port()
    );
    let wrong = |says: &str| {
        node.note(format!("`url` {says}"), help.clone());
        None
    };
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return wrong(&format!("is not a URL: {error}")),
    };
    if !schemes.contains(&url.scheme()) {
        return wrong(&format!("begins with {}:", url.scheme()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return wrong("has a part after `?` or `#`, which has no meaning here");
    }
    let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let (host, database) = (url.host_str().unwrap_or(""), url.path().trim_matches('/'));
    let missing = [
        ("host", host),
        ("user", url.username()),
        ("database", database),
    ];
    if let Some((what, _)) = missing.iter().find(|(_, part)| part.is_empty()) {
        return wrong(&format!("names no {what}"));
    }
    Some(ServiceUrl {
        host: decoded(host),
        port: url.port().unwrap_or(kind.port()),
        user: decoded(url.username()),
        password: {
            let password = decoded(url.password().unwrap_or(""));
            remember(&password);
            given.secret().map(|_| password)
        },
        database: decoded(database),
    })
}
