//! The report as one HTML file that works offline.
//!
//! The page is built from `web/` into `assets/report.html` (`npm run build` there); this module puts the data, the
//! language and a summary that needs no script into it. All other drawing is done by the page.

mod escape;
mod plain;
mod summary;
#[cfg(test)]
mod types;

use crate::Error;
use crate::export::{Export, Run};
use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::history::History;
use photofinish_judge::page::Page;
use photofinish_model::store::Results;
use photofinish_model::text::{clean, clean_json, clean_lines};
use photofinish_voice::Language;
use serde::Serialize;
use serde_json::Value;

/// The format; see [`Export`].
pub(crate) struct Html;

impl Export for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn help(&self) -> &'static str {
        "Write one self-contained HTML file (- for standard output)"
    }

    fn run(&self, run: Run) -> Result<String, Error> {
        crate::html(run.results, run.comparison, run.language)
    }

    fn days(&self, days: &Days) -> Result<String, Error> {
        plain::render(&crate::days::document(days))
    }

    fn history(&self, history: &History) -> Result<String, Error> {
        plain::render(&crate::history::document(history))
    }
}

/// The built page. It is committed, so that building photofinish takes no Node.
const TEMPLATE: &str = include_str!("../assets/report.html");

/// Where the data goes: all of the element `<script type="application/json">`.
const DATA: &str = "\"photofinish-data\"";

/// Where the first language goes.
const LANGUAGE: &str = "data-language=\"auto\"";

/// Where the summary goes.
const SUMMARY: &str = "<p>photofinish-summary</p>";

/// All that the page is given.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Data<'a> {
    /// What the page shows.
    comparison: &'a Comparison,
    /// What only its pictures need.
    page: Page,
}

/// The page; without a language it begins in the browser's.
pub(crate) fn render(
    results: &Results,
    comparison: &Comparison,
    language: Option<Language>,
) -> Result<String, Error> {
    let data = serde_json::to_value(Data {
        comparison,
        page: Page::from(results, comparison),
    })
    .map_err(|error| Error::Html(error.to_string()))?;
    let data = brief(data).to_string();
    let (head, rest) = split(LANGUAGE)(TEMPLATE)?;
    let (body, rest) = split(SUMMARY)(rest)?;
    let (script, end) = split(DATA)(rest)?;
    Ok(format!(
        "{head}data-language=\"{}\"{body}{}{script}{}{end}",
        language.map_or("auto", Language::tag),
        summary::html(comparison, language.unwrap_or_default()),
        inert(&data)
    ))
}

/// Below this every whole number is one to JavaScript too.
const EXACT: f64 = 9e15;

/// The same data without what the page has no use for: of a finding with its sentences only the code, of a figure's digits eight,
/// where it shows four at most, and no point behind a whole number. Nothing in its words reorders or hides others.
fn brief(value: Value) -> Value {
    match value {
        Value::Array(all) => all.into_iter().map(brief).collect(),
        Value::Object(all) => {
            let is_message =
                all.len() == 3 && ["finding", "en", "zh"].iter().all(|k| all.contains_key(*k));
            let part = |(key, value): (String, Value)| match (is_message && key == "finding", value)
            {
                (true, Value::Object(finding)) => {
                    let code = finding.into_iter().filter(|(key, _)| key == "code");
                    (key, Value::Object(code.collect()))
                }
                (_, value) => (clean(&key), brief(value)),
            };
            Value::Object(all.into_iter().map(part).collect())
        }
        Value::Number(number) if number.is_f64() => {
            let rounded = number
                .as_f64()
                .and_then(|n| format!("{n:.7e}").parse::<f64>().ok());
            match rounded {
                None => Value::Number(number),
                Some(whole) if whole.fract() == 0.0 && whole.abs() < EXACT => {
                    Value::from(whole as i64)
                }
                Some(rounded) => Value::from(rounded),
            }
        }
        Value::String(text) => Value::String(clean_lines(&text)),
        other => other,
    }
}

fn split(place: &str) -> impl Fn(&'static str) -> Result<(&'static str, &'static str), Error> {
    move |text| {
        text.split_once(place)
            .ok_or_else(|| Error::Html(format!("the built page has no place {place}")))
    }
}

/// JSON in which no character can end the element that holds it, begin a comment or a tag, or be a
/// line break to JavaScript. They stand within strings only, where an escape means the same.
fn inert(json: &str) -> String {
    let json = clean_json(json);
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::samples;

    const HOSTILE: &str = "</script><img src=x onerror=alert(1)>&\u{2028}<!--";

    #[test]
    fn no_name_ends_the_data() {
        let results = samples::race(&[HOSTILE], &[&[100.0]]);
        let comparison = Comparison::from(&results);
        let page = render(&results, &comparison, Some(Language::En)).expect("a page");
        assert!(!page.contains("<img src=x"));
        assert!(!page.contains('\u{2028}'));
        let from = page.find(r#"id="data""#).expect("the data");
        let data = &page[from..];
        let data = &data[data.find('>').expect("an opening tag") + 1..];
        let data = &data[..data.find('<').expect("a closing tag")];
        let value: Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(
            value["comparison"]["head"]["targets"][0]["label"],
            clean(HOSTILE)
        );
        assert_eq!(value["page"]["measurements"][0]["round"], 1);
    }

    #[test]
    fn the_page_gets_eight_digits_and_codes_alone() {
        let data = serde_json::json!({
            "says": {"finding": {"code": "ahead", "target": "a"}, "en": "a ahead", "zh": "a 领先"},
            "outcome": {"finding": "holds", "en": "holds", "zh": "成立"},
            "figures": [0.906_206_255_133_582_4, 12, u64::MAX, 2.0],
        });
        let expected = serde_json::json!({
            "says": {"finding": {"code": "ahead"}, "en": "a ahead", "zh": "a 领先"},
            "outcome": {"finding": "holds", "en": "holds", "zh": "成立"},
            "figures": [0.906_206_26, 12, u64::MAX, 2],
        });
        assert_eq!(brief(data), expected);
    }

    #[test]
    fn the_language_is_chosen() {
        let results = samples::race(&["a"], &[&[100.0]]);
        let comparison = Comparison::from(&results);
        let page = render(&results, &comparison, Some(Language::Zh)).expect("a page");
        assert!(page.contains("data-language=\"zh\""));
        assert!(!page.contains(LANGUAGE) && !page.contains(SUMMARY));
        let page = render(&results, &comparison, None).expect("a page");
        assert!(page.contains(LANGUAGE));
    }

    #[test]
    fn the_template_has_each_place_once_and_loads_nothing() {
        assert_eq!(TEMPLATE.matches(DATA).count(), 1);
        assert_eq!(TEMPLATE.matches(LANGUAGE).count(), 1);
        assert_eq!(TEMPLATE.matches(SUMMARY).count(), 1);
        assert!(TEMPLATE.contains("default-src 'none'"));
        for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!TEMPLATE.contains(outside), "{outside}");
        }
    }
}
