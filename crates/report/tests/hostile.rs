//! Whatever a study, a server, its log or a results file holds, it stays within its place in a report, in every format.

mod hostile {
    pub mod markdown;
    pub mod results;
}

use hdrhistogram::Histogram;
use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::history::History;
use photofinish_judge::threshold::{Condition, Gate};
use photofinish_model::samples;
use photofinish_model::settings::Undecided;
use photofinish_model::store::Results;
use photofinish_model::text::{is_clean, no_commands};
use photofinish_report as report;
use proptest::prelude::*;

use hostile::results::{every_failure, stored, with};

/// What others may bring, of every kind at once; it stands before the word that it takes the place of.
const EVERYTHING: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\r\n::error file=a::x\n##[error]y ##vso[task.x]z\u{202e}\u{200b}\u{2028}\
    @evil (@o/team) #123 o/r#7 GH-7 !5 https://evil.example/x www.evil.example a@evil.example :tada: \
    [l](http://evil) ![i](http://evil/i.png) [r][r] [r]: http://evil\n[r]: http://evil\n\
    <script>alert(1)</script></details></summary></main>]]>--><img src=x onerror=alert(1)>\n\
    | a | b |\n|---|---|\n\n# h\n===\n---\n```\n@evil\n`@evil`\n~~~\n- [ ] x\n1. y\n> q\n    code\n\
    =cmd|'/C calc'!A1 $(id) *b* **c** _i_ ~~s~~ $x$ &lt;b&gt; &#64;evil \"'\\";

/// What means something where a line, a cell or a word begins.
const BEGINNINGS: [&str; 24] = [
    "=1+1",
    "+1",
    "-1+1",
    "@evil ",
    "@evil/team ",
    "\t=1",
    "::error::",
    "::set-output name=a::",
    "##[x]",
    "##vso[x]",
    "#1 ",
    "# ",
    "- ",
    "* ",
    "1. ",
    "1) ",
    "> ",
    "    ",
    "```",
    "~~~",
    "| ",
    "[x]: /y ",
    "[ ] ",
    "<!-- ",
];

fn is_text(text: &str) -> Result<(), String> {
    let acts = |c: &char| *c != '\n' && !is_clean(&c.to_string());
    match text.chars().find(acts) {
        Some(c) => Err(format!("{c:?} in {text}")),
        None => Ok(()),
    }
}

/// That what a CI job reads along holds no command to it.
fn no_command(text: &str) -> Result<(), String> {
    let differs = |line: &&str| no_commands(line) != *line;
    match text.lines().find(differs) {
        Some(line) => Err(format!("a command: {line:?}")),
        None => Ok(()),
    }
}

fn is_csv(text: &str) -> Result<(), String> {
    is_text(text)?;
    no_command(text)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for record in reader.records() {
        // A row with more or fewer cells is an error.
        let record = record.map_err(|error| error.to_string())?;
        let is_formula = |cell: &&str| {
            cell.starts_with(['=', '+', '-', '@', '\t']) && cell.parse::<f64>().is_err()
        };
        if let Some(cell) = record.iter().find(is_formula) {
            return Err(format!("a formula: {cell}"));
        }
    }
    Ok(())
}

fn is_json(text: &str) -> Result<(), String> {
    is_text(text)?;
    no_command(text)?;
    let read = serde_json::from_str::<serde_json::Value>(text);
    read.map(drop).map_err(|error| error.to_string())
}

fn is_xml(text: &str) -> Result<(), String> {
    is_text(text)?;
    no_command(text)?;
    match ["<script", "<img", "</main", "]]>-->"]
        .iter()
        .find(|tag| text.contains(**tag))
    {
        Some(tag) => Err(format!("{tag} in {text}")),
        None => Ok(()),
    }
}

/// That a page has the tags of one in which every word is tame, and no more.
fn is_page(text: &str, tame: &str) -> Result<(), String> {
    // The page's own program has some of these characters in its strings.
    let acts = |text: &str| {
        let acts = |c: &char| !"\n\t".contains(*c) && !is_clean(&c.to_string());
        let commands = text.lines().filter(|line| no_commands(line) != *line);
        (text.chars().filter(acts).count(), commands.count())
    };
    if acts(text) != acts(tame) {
        return Err(format!("{:?} characters and lines that act", acts(text)));
    }
    for tag in [
        "<script",
        "</script",
        "<img",
        "<!--",
        "</main",
        "</details",
        "</summary",
    ] {
        let [found, expected] = [text, tame].map(|text| text.matches(tag).count());
        if found != expected {
            return Err(format!("{found} {tag}, not {expected}"));
        }
    }
    Ok(())
}

/// Every format of a run with these words.
fn check(results: &Results, tame: &Results) -> Result<(), String> {
    let comparison = Comparison::from(results);
    let conditions =
        ["checks", "claims"].map(|text| Condition::parse(text, &[]).expect("a condition"));
    let gates: Vec<Gate> = (conditions.iter())
        .map(|condition| Gate::new(condition, results, &comparison, Undecided::Fail))
        .collect();
    let detail = report::Detail::Ending;
    is_text(&report::terminal(&comparison, report::Screen::plain(80)))?;
    is_text(&report::race(
        &comparison,
        "report.html".as_ref(),
        detail,
        report::Screen::plain(100),
    ))?;
    hostile::markdown::check(&report::markdown(&comparison))?;
    hostile::markdown::check(&report::gates_markdown(&gates))?;
    is_csv(&report::csv(results).expect("CSV"))?;
    is_json(&report::json(&comparison))?;
    is_xml(&report::junit(&comparison, &gates).expect("XML"))?;
    let page = |results: &Results| {
        report::html(results, &Comparison::from(results), None).expect("a page")
    };
    is_page(&page(results), &page(tame))?;
    for line in &results.lines {
        let Some(measurement) = &line.measurement else {
            continue;
        };
        is_text(&report::load(
            measurement,
            &Histogram::new(3).expect("three digits"),
            report::Detail::Tables,
            report::Screen::plain(80),
        ))?;
        is_json(&report::json(measurement))?;
    }

    let days = Days::from(results, results);
    is_text(&report::days(&days, report::Screen::plain(80)))?;
    hostile::markdown::check(&report::days_markdown(&days))?;
    is_json(&report::json(&days))?;
    is_xml(&report::days_junit(&days, &[]).expect("XML"))?;
    let history = History::from(vec![results.clone(), results.clone()], None);
    let history = history.map_err(|error| error.to_string())?;
    is_text(&report::history(&history, report::Screen::plain(80)))?;
    hostile::markdown::check(&report::history_markdown(&history))?;
    is_json(&report::json(&history))?;
    let tame_days = Days::from(tame, tame);
    let tame_history = History::from(vec![tame.clone(), tame.clone()], None);
    let tame_history = tame_history.map_err(|error| error.to_string())?;
    for format in &report::exports::ALL {
        let texts = |days, history| {
            [(format.days)(days, None), (format.history)(history)].map(|text| text.expect("text"))
        };
        let tame = texts(&tame_days, &tame_history);
        for (text, tame) in texts(&days, &history).iter().zip(&tame) {
            match format.row.name {
                "csv" => is_csv(text)?,
                "json" => is_json(text)?,
                "html" => is_page(text, tame)?,
                "markdown" => hostile::markdown::check(text)?,
                _ => is_text(text)?,
            }
        }
    }
    Ok(())
}

#[track_caller]
fn holds(tame: &Results, words: &str) {
    for names in [true, false] {
        let results = with(tame, words, names);
        // Names that are not those of the recorded histograms have none, whatever they are.
        let tame = with(tame, "x", names);
        if let Err(why) = check(&results, &tame) {
            panic!("{words:?}, check names {names}: {why}");
        }
    }
}

#[test]
fn no_word_of_a_stored_run_breaks_a_report() {
    for folder in ["usual", "sustained", "compare"] {
        let mut run = stored(folder);
        // Of hundreds of measurements the first ones: each has the same words.
        run.lines.truncate(40);
        holds(&run, EVERYTHING);
    }
}

#[test]
fn no_beginning_of_a_word_breaks_a_report() {
    let mut run = stored("compare");
    run.lines.truncate(3);
    for words in BEGINNINGS {
        holds(&run, words);
        holds(
            &samples::race(&["a", "b"], &[&[2.0, 2.0, 2.0], &[1.0, 1.0, 1.0]]),
            words,
        );
    }
}

#[test]
fn no_failure_breaks_a_report() {
    holds(&every_failure(), EVERYTHING);
    for words in BEGINNINGS {
        holds(&every_failure(), words);
    }
}

#[test]
fn no_line_of_an_audited_text_acts() {
    let text = include_str!("../../audit/tests/audit/cases/mixed-blog-post.md");
    for words in BEGINNINGS.into_iter().chain([EVERYTHING]) {
        let hostile = text.replace(
            "http://localhost:8080/",
            &format!("http://localhost:8080/{words}"),
        );
        let audits = [(words.to_owned(), photofinish_audit::audit(&hostile))];
        is_text(&report::audit::terminal(&audits, true, 80, false)).expect("text");
        is_json(&report::audit::json(&audits).expect("JSON")).expect("JSON");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_breaks_a_report(name in "\\PC{0,12}[\u{0}-\u{9f}|`<\\\\]{1,6}", width in 0usize..200) {
        let race = samples::race(&[&name, "b"], &[&[1100.0, 1110.0], &[1000.0, 1010.0]]);
        let tame = samples::race(&["a", "b"], &[&[1100.0, 1110.0], &[1000.0, 1010.0]]);
        let (race, tame) = (Comparison::from(&race), Comparison::from(&tame));
        let text = report::terminal(&race, report::Screen::plain(width));
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");

        // As many lines and columns as with a name that means nothing.
        let shape = |comparison: &Comparison| {
            let markdown = report::markdown(comparison);
            // The title of what is folded is HTML, in which a bar needs no escape.
            let is_title = |line: &&str| line.starts_with("<details>");
            let lines = markdown.lines().filter(|line| !is_title(line));
            lines.map(hostile::markdown::bars).collect::<Vec<_>>()
        };
        prop_assert_eq!(shape(&race), shape(&tame));
    }

    #[test]
    fn no_words_are_markup(words in "([ -~]|[@#!:.\\[\\]()<>&`*_|~$=+\\-\\\\]|\\PC| |www\\.|https://|GH-|##\\[|::){0,20}") {
        let race = samples::race(&[&words, "b"], &[&[1100.0, 1110.0], &[1000.0, 1010.0]]);
        let text = report::markdown(&Comparison::from(&race));
        prop_assert!(hostile::markdown::check(&text).is_ok(), "{:?}", hostile::markdown::check(&text));
    }
}
