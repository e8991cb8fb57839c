//! All sentences of all tables, in one snapshot, and what holds for each of them.

use std::collections::BTreeSet;

use photofinish_model::check;
use photofinish_model::message::{Row, spaced};
use photofinish_voice::{checks, rows};

/// Whether it is a Chinese character.
fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

#[test]
fn all_sentences() {
    let mut text = String::from("# All messages\n");
    let mut table = "";
    for Row { id, en, zh } in rows() {
        let (of, _) = id.rsplit_once('.').expect("a table and a row");
        if of != table {
            text.push_str(&format!("\n## {of}\n\n"));
            table = of;
        }
        text.push_str(&format!("- `{id}`\n  - {en}\n  - {zh}\n"));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn every_identifier_is_there_once() {
    let mut seen = BTreeSet::new();
    for Row { id, .. } in rows() {
        assert!(seen.insert(id), "{id} is there twice");
    }
}

#[test]
fn english_sentences_have_no_chinese_and_chinese_ones_are_spaced() {
    for Row { id, en, zh } in rows() {
        assert!(!en.chars().any(is_han), "{id}: {en}");
        assert_eq!(spaced(zh), zh, "{id}");
        assert!(zh.is_empty() == en.is_empty(), "{id}");
    }
}

#[test]
fn every_check_has_its_names() {
    let some = check::SOME.into_iter().chain(check::OF_MACHINES);
    for name in check::ALL.into_iter().chain(some) {
        for message in [
            checks::title(name),
            checks::failed(name),
            checks::meaning(name),
            checks::effect(name),
        ] {
            assert_ne!(message.id, "check.unknown", "{name}");
        }
    }
}
