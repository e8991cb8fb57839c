//! Reports in JSON documents.

use super::{ROWS, derive, set_mark};
use crate::figure::{Figure, Range, Scan};
use crate::json::{Document, Node, Wanted};
use crate::layout::{DocumentLayout, Hole, Layout, List};
use crate::quantity::statistic;
use crate::record::Record;

fn node_figure(target: &Hole, name: &str, node: &Node) -> Option<Figure> {
    match node {
        Node::Number(figure) => target.figure(name, &figure.text, figure.line),
        Node::Text(text, line) => target.figure(name, text, *line),
        _ => None,
    }
}

/// The paths that a layout asks for.
pub fn ask(layout: &Layout, wanted: &mut Wanted) {
    for document in &layout.documents {
        let base = document.each.as_deref().unwrap_or("");
        let below = |path: &str| match base {
            "" => path.to_owned(),
            base => format!("{base}/{path}"),
        };
        for path in document.has.iter().chain(&document.lines) {
            wanted.add(path);
        }
        for path in document.texts.keys().chain(document.http.keys()) {
            wanted.add(path);
        }
        for path in document.figures.keys() {
            wanted.add(&below(path));
        }
        for path in document.row.iter().filter(|path| !path.is_empty()) {
            wanted.add(&below(path));
        }
        for list in &document.lists {
            for key in list.figures.keys() {
                wanted.add(&below(&format!("{}/*/{key}", list.path)));
            }
        }
    }
}

/// The report of a document, if it has what the layout asks for.
pub fn read(layout: &DocumentLayout, document: &Document, of: &Layout) -> Option<Record> {
    let root = &document.root;
    if !layout.has.iter().all(|path| root.has(path)) {
        return None;
    }
    let mut record = Record::new(document.span.0);
    record.span = document.span;
    for (path, name) in &layout.texts {
        if let Some(text) = root.text(path) {
            record.say(name, text);
        }
    }
    match &layout.each {
        None => {
            figures(layout, root, &mut record, 0);
        }
        Some(each) => {
            for (key, node) in root.each(each).into_iter().take(ROWS) {
                let name = match layout.row.as_deref() {
                    Some("") | None => key,
                    Some(path) => node.text(path).unwrap_or_default(),
                };
                let at = record.open(name);
                if !figures(layout, node, &mut record, at) {
                    record.scopes.pop();
                }
            }
        }
    }
    set_mark(&mut record, layout.set.as_deref(), document.span.0);
    let is_http = |(path, text): (&String, &String)| root.text(path).is_none_or(|t| t == text);
    if !layout.http.iter().all(is_http) {
        record.scopes[0].responses = Default::default();
    }
    for path in &layout.lines {
        for (key, node) in root.each(path) {
            if let Node::Number(figure) = node {
                let text = format!("{key}: {}", figure.text);
                let lines = of.candidates(&text).iter().map(|at| &of.lines[*at]);
                let mut lines = lines.filter(|line| line.enter.is_none() && !line.begins);
                let found =
                    lines.find_map(|line| Some((line, line.form.read(&text, figure.line)?)));
                if let Some((line, captured)) = found {
                    record.take(&captured, line, figure.line);
                }
            }
        }
    }
    derive(of, &mut record);
    let run = record.run();
    let lookup = |name: &str| record.range(run, name);
    layout.condition.holds(&lookup).then_some(record)
}

fn figures(layout: &DocumentLayout, root: &Node, record: &mut Record, at: usize) -> bool {
    let mut any = false;
    for (path, target) in &layout.figures {
        let folder = path.rfind('/').map_or("", |at| &path[..=at]);
        for (key, node) in root.each(path) {
            // What has a name of its own is not one of the others.
            let named = || format!("{folder}{key}");
            if path.ends_with('*') && layout.figures.contains_key(&named()) {
                continue;
            }
            let name = match target.name.as_str() {
                "statistic" => match statistic(key) {
                    Some(name) => name,
                    None => continue,
                },
                "bucket.count" => {
                    // By the upper end of the bucket.
                    let Some(count) = node_figure(target, "count", node) else {
                        continue;
                    };
                    // A key is as exact as the tool has it, in seconds.
                    let upper = Scan::new(key, count.line).finite();
                    let upper = upper.and_then(|figure| figure.range).map(Range::mid);
                    let histogram = &mut record.scopes[at].histogram;
                    let upper = upper.map(|upper| Range::exact(upper * 1000.0));
                    any |= upper.is_some_and(|upper| histogram.up_to(upper, count));
                    continue;
                }
                name => name.replace('*', key),
            };
            if let Some(figure) = node_figure(target, &name, node) {
                let adds = name == "count" && path.contains('*');
                record.put(at, &name, figure, adds);
                any = true;
            }
        }
    }
    record.scopes[at].histogram.sort();
    for List {
        path,
        figures: parts,
    } in &layout.lists
    {
        for (_, item) in root.each(&format!("{path}/*")) {
            let part = |name: &str| {
                let (key, target) = parts.iter().find(|(_, target)| target.name == name)?;
                node_figure(target, name, item.at(key)?)
            };
            if let (Some(q), Some(v)) = (part("q").and_then(|q| q.range), part("v")) {
                record.set(at, &format!("q{}", q.mid()), v);
                any = true;
            }
            let ends = part("bucket.from").zip(part("bucket.to"));
            let ends = ends.and_then(|(from, to)| from.range.zip(to.range));
            if let (Some((from, to)), Some(count)) = (ends, part("bucket.count")) {
                record.scopes[at].histogram.between(from, to, count);
            }
        }
    }
    any
}
