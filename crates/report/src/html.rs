//! The report as one HTML file that works offline, and without its script.
//!
//! The frame with style and script is built from `web/` into `assets/report.html` (`npm run build` there); this module writes the
//! document into it. The script adds to what is there: read-outs, copying, the switches of language and theme, and how a flame
//! graph is walked.

mod data;
pub(crate) mod escape;
mod flame;
mod svg;
mod writer;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::page::Page;
use photofinish_model::Worded;
use photofinish_model::settings::Row;
use photofinish_model::store::Results;
use photofinish_model::text::clean_json;
use photofinish_voice::Language;

use crate::Error;
use crate::document::Block;
use crate::export::Format;
use crate::words::Text;
use crate::{markdown, sections};

use escape::escape;
use writer::Writer;

/// The format.
pub(crate) const FORMAT: Format = Format {
    row: Row::of_output(
        "html",
        "Write one self-contained HTML file (- for standard output)",
    ),
    run: |run| crate::html(run.results, run.comparison, run.language),
    days: |days, language| {
        let document = crate::days::document(days);
        page(&document, &document, VERSION, language)
    },
    pooled: |pooled, language| {
        let document = crate::pooled::document(pooled);
        page(&document, &document, VERSION, language)
    },
    history: |history| {
        let document = crate::history::document(history);
        page(&document, &document, VERSION, None)
    },
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The built frame. It is committed, so that building photofinish takes no Node.
const TEMPLATE: &str = include_str!("../assets/report.html");

/// Where the first language goes.
const LANGUAGE: &str = "lang=\"en\" data-language=\"auto\"";

/// Where the title goes.
const TITLE: &str = "<title>photofinish</title>";

/// Where the document goes.
const DOCUMENT: &str = "<p>photofinish-document</p>";

/// Where the data goes: all of the element `<script type="application/json">`.
const DATA: &str = "\"photofinish-data\"";

/// The report of a run; without a language it begins in the browser's.
pub(crate) fn render(
    results: &Results,
    comparison: &Comparison,
    language: Option<Language>,
) -> Result<String, Error> {
    let pictures = Page::from(results, comparison);
    let document = sections::report(comparison, Some(&pictures));
    let summary = sections::summary(comparison);
    let version = &comparison.head.machine.photofinish;
    page(&document, &summary, version, language)
}

/// A document in the frame. `summary` is what is copied of it as Markdown.
fn page(
    document: &[Block],
    summary: &[Block],
    version: &str,
    language: Option<Language>,
) -> Result<String, Error> {
    let summary = Language::ALL.map(|language| markdown::render(summary, language));
    let mut writer = Writer::new(summary);
    writer.document(document, version);
    let (body, data) = writer.finish();
    let data = serde_json::to_string(&data).map_err(|error| Error::Html(error.to_string()))?;
    let title = document.iter().find_map(|block| match block {
        Block::Title(text) => Some(text.clone()),
        _ => None,
    });
    let title = title.unwrap_or_else(|| Text::from("photofinish"));
    let title = title.text(language.unwrap_or_default());
    let (head, rest) = split(LANGUAGE)(TEMPLATE)?;
    let (before_title, rest) = split(TITLE)(rest)?;
    let (before_body, rest) = split(DOCUMENT)(rest)?;
    let (before_data, end) = split(DATA)(rest)?;
    let tag = match language {
        Some(Language::Zh) => "zh-Hans",
        _ => "en",
    };
    Ok(format!(
        "{head}lang=\"{tag}\" data-language=\"{}\"{before_title}<title>{} · photofinish</title>{before_body}{body}{before_data}{}{end}",
        language.map_or("auto", Language::word),
        escape(&title),
        inert(&data)
    ))
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
    use photofinish_judge::days::Days;
    use photofinish_model::samples;
    use photofinish_model::text::clean;
    use serde_json::Value;

    use super::*;

    const HOSTILE: &str = "</script><img src=x onerror=alert(1)>&\u{2028}<!--";

    #[test]
    fn no_name_is_markup_or_ends_the_data() {
        let results = samples::race(&[HOSTILE, "b"], &[&[100.0, 101.0], &[90.0, 91.0]]);
        let comparison = Comparison::from(&results);
        let page = render(&results, &comparison, Some(Language::En)).expect("a page");
        assert!(!page.contains("<img src=x"));
        assert!(!page.contains('\u{2028}'));
        let from = page.find(r#"id="data""#).expect("the data");
        let data = &page[from..];
        let data = &data[data.find('>').expect("an opening tag") + 1..];
        let data = &data[..data.find('<').expect("a closing tag")];
        let value: Value = serde_json::from_str(data).expect("JSON");
        let summary = value["summary"][0].as_str().expect("the summary");
        assert!(summary.contains("&lt;/script&gt;"), "{summary}");
        let names = value["names"].as_array().expect("names").iter();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        assert!(names.contains(&clean(HOSTILE).as_str()), "{names:?}");
    }

    #[test]
    fn the_language_is_chosen_and_both_are_there() {
        let results = samples::race(&["a"], &[&[100.0]]);
        let comparison = Comparison::from(&results);
        let page = render(&results, &comparison, Some(Language::Zh)).expect("a page");
        assert!(page.contains("lang=\"zh-Hans\" data-language=\"zh\""));
        assert!(!page.contains(LANGUAGE) && !page.contains(DOCUMENT));
        for text in [&comparison.headline.en, &comparison.headline.zh] {
            assert!(page.contains(&escape(text)), "{text}");
        }
        let page = render(&results, &comparison, None).expect("a page");
        assert!(page.contains(LANGUAGE));
    }

    #[test]
    fn without_a_script_the_verdict_its_figure_and_its_table_are_there() {
        let rates: [&[f64]; 2] = [&[200.0, 200.0, 200.0], &[100.0, 100.0, 100.0]];
        let results = samples::race(&["a", "b"], &rates);
        let comparison = Comparison::from(&results);
        let page = render(&results, &comparison, None).expect("a page");
        let body = page
            .split("<body")
            .nth(1)
            .and_then(|it| it.split("<script").next());
        let body = body.expect("a body");
        assert!(body.contains(&escape(comparison.headline.text(Language::En))));
        assert!(body.contains("[2.000 … 2.000]"), "{body}");
        assert!(body.contains("<svg class=\"strip\"") && body.contains("<table>"));
        // The scale reaches from 1/1.02² to 2 and the bucket of a percentile, with 4% of that, as logarithms, on both sides.
        let (low, high) = (1.02_f64.powi(-2).ln(), 2.002_f64.ln());
        let space = 0.04 * (high - low);
        let x = 100.0 * (2.0_f64.ln() - low + space) / (high - low + 2.0 * space);
        let x = format!("{x:.2}");
        let x = x.trim_end_matches('0');
        assert!(
            body.contains(&format!("<use href=\"#m0\" x=\"{x}%\"")),
            "{x}: {body}"
        );
    }

    #[test]
    fn a_page_of_two_runs_is_in_both_languages_too() {
        let then = samples::race(&["a"], &[&[100.0, 100.0]]);
        let page = (FORMAT.days)(&Days::from(&then, &then), None).expect("a page");
        assert!(page.contains("<i lang=en>Changes</i><i lang=zh>变化</i>"));
        assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    }

    #[test]
    fn the_template_has_each_place_once_and_loads_nothing() {
        for place in [DATA, LANGUAGE, TITLE, DOCUMENT] {
            assert_eq!(TEMPLATE.matches(place).count(), 1, "{place}");
        }
        assert!(TEMPLATE.contains("default-src 'none'"));
        for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!TEMPLATE.contains(outside), "{outside}");
        }
    }
}
