use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use photofinish_model::Part;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{Method, Schema};

const PROTO: &str = r#"
syntax = "proto3";
package zoo;
import "google/protobuf/timestamp.proto";
message Cat {
  string name = 1;
  int64 id = 2;
  sint32 mood = 3;
  fixed32 size = 4;
  sfixed64 weight = 5;
  Cat mother = 6;
  repeated string toys = 7;
  repeated uint32 days = 8;
  map<string, Cat> friends = 9;
  map<string, int32> scores = 10;
  double speed = 11;
  bytes photo = 12;
  google.protobuf.Timestamp born = 13;
  bool tame = 14;
  int32 legs = 15;
}
service Cats {
  rpc Get(Cat) returns (Cat);
  rpc Watch(Cat) returns (stream Cat);
  rpc Feed(stream Cat) returns (Cat);
}
"#;

fn schema() -> (TempDir, Schema) {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("zoo.proto");
    fs::write(&file, PROTO).expect("written");
    let schema = Schema::compile(&file, &[]).expect("a schema");
    (folder, schema)
}

/// Always the same one: messages of two schemas are never equal.
fn get() -> Method {
    static GET: LazyLock<Method> =
        LazyLock::new(|| schema().1.method("/zoo.Cats/Get").expect("a method"));
    GET.clone()
}

/// A payload with every random number at this value, and the counter.
fn filled(payload: &Payload, random: u64, counter: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let varint = prost::encoding::encode_varint;
    let number = |part: &Part| match part {
        Part::Random { .. } => random,
        _ => counter,
    };
    for piece in &payload.0 {
        match piece {
            Piece::Part(Part::Bytes(more)) => bytes.extend_from_slice(more),
            Piece::Part(part) => bytes.extend(number(part).to_string().into_bytes()),
            Piece::Measured(inner) => {
                let inner = filled(inner, random, counter);
                varint(inner.len() as u64, &mut bytes);
                bytes.extend(inner);
            }
            Piece::Number { number: part, form } => match form {
                Form::Varint => varint(number(part), &mut bytes),
                Form::Zigzag => varint(number(part) * 2, &mut bytes),
                Form::Fixed32 => bytes.extend((number(part) as u32).to_le_bytes()),
                Form::Fixed64 => bytes.extend(number(part).to_le_bytes()),
            },
        }
    }
    bytes
}

fn decoded(bytes: &[u8]) -> DynamicMessage {
    DynamicMessage::decode(get().input(), bytes).expect("a message")
}

/// The message that JSON says, by another way.
fn said(json: &str) -> DynamicMessage {
    let payload = get().request(json).expect("a message");
    assert!(payload.is_fixed(), "{json}");
    decoded(&filled(&payload, 0, 0))
}

#[test]
fn what_varies_is_what_the_same_text_would_be() {
    for text in [
        r#"{"name":"{counter}"}"#,
        r#"{"name":"a{random:1..9}b{counter}","id":"{counter}","tame":true}"#,
        r#"{"mood":"{random:1..9}","size":"{counter}","weight":"{random:1..9}"}"#,
        r#"{"mother":{"mother":{"name":"x{counter}","legs":4},"id":7},"legs":"{counter}"}"#,
        r#"{"toys":["ball","{counter}","x{random:1..9}"],"days":[1,"{counter}",3]}"#,
        r#"{"friends":{"a":{"name":"{counter}"},"b":{"id":"5"}},"scores":{"p":"{counter}","q":2}}"#,
    ] {
        for (random, counter) in [(1, 1), (9, 300), (5, 70_000)] {
            let payload = get().request(text).expect("a message");
            assert!(!payload.is_fixed());
            let same = text
                .replace("{random:1..9}", &random.to_string())
                .replace("{counter}", &counter.to_string());
            assert_eq!(
                decoded(&filled(&payload, random, counter)),
                said(&same),
                "{same}"
            );
        }
    }
}

#[test]
fn places_that_cannot_be_are_named() {
    for (json, says) in [
        (
            r#"{"speed":"{counter}"}"#,
            "speed: only strings and whole numbers",
        ),
        (
            r#"{"photo":"{counter}"}"#,
            "photo: only strings and whole numbers",
        ),
        (r#"{"born":"{counter}"}"#, "born: the JSON of this type"),
        (
            r#"{"id":"1{counter}"}"#,
            "id: a whole number that varies is one place",
        ),
        (
            r#"{"scores":{"{counter}":1}}"#,
            "scores: a map's keys cannot vary",
        ),
        (
            r#"{"legs":"{random:1..3000000000}"}"#,
            "does not fit zoo.Cat",
        ),
        (r#"{"nme":"{counter}"}"#, "nme"),
        (r#"{"nme":"x"}"#, "nme"),
        (r#"{"name":5}"#, "does not fit zoo.Cat"),
        (r#"{"name":"x""#, "EOF"),
        ("{} x", "trailing"),
    ] {
        let error = get().request(json).expect_err(json).to_string();
        assert!(error.contains(says), "{json}: {error}");
    }
}

#[test]
fn methods_are_found_by_their_path() {
    let (_folder, schema) = schema();
    let messages = |path| schema.method(path).map(|method| method.messages());
    assert_eq!(messages("/zoo.Cats/Get").expect("there"), Some(1));
    assert_eq!(messages("/zoo.Cats/Watch").expect("there"), None);
    let says = |path| messages(path).expect_err(path).to_string();
    assert!(says("/zoo.Cats/Feed").contains("takes a stream of messages"));
    let known = says("/zoo.Dogs/Get");
    assert!(
        known.contains("there are: /zoo.Cats/Get, /zoo.Cats/Watch"),
        "{known}"
    );
    assert!(says("/Get").contains("write /package.Service/Method"));
}

#[test]
fn a_reply_is_its_bytes() {
    let reply = get().reply(r#"{"id":"5","name":"Tom"}"#).expect("a reply");
    assert_eq!(
        (reply.bytes.as_slice(), reply.messages),
        (&b"\x0a\x03Tom\x10\x05"[..], 1)
    );
    let (_folder, schema) = schema();
    let watch = schema.method("/zoo.Cats/Watch").expect("a method");
    let reply = watch.reply(r#"[{"id":1},{"id":2}]"#).expect("a reply");
    assert_eq!(
        (reply.bytes.as_slice(), reply.messages),
        (&b"\x10\x01\x10\x02"[..], 2)
    );
    let wrong = |json: &str| get().reply(json).expect_err(json).to_string();
    assert!(wrong(r#"{"scores":{"a":1,"b":2}}"#).contains("map of several entries"));
    assert!(wrong(r#"{"name":"{counter}"}"#).contains("what varies"));
}

#[test]
fn mistakes_in_a_file_name_it_and_the_line() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("bad.proto");
    fs::write(&file, "syntax = \"proto3\";\nmessage A { strin a = 1; }").expect("written");
    let says = Schema::compile(&file, &[])
        .expect_err("a mistake")
        .to_string();
    assert!(
        says.contains("bad.proto:2") && says.contains("strin"),
        "{says}"
    );
    let missing = folder.path().join("none.proto");
    let says = Schema::compile(&missing, &[])
        .expect_err("missing")
        .to_string();
    assert!(
        says.contains("cannot read") && says.contains("none.proto"),
        "{says}"
    );
    let says = Schema::descriptor_set(&file)
        .expect_err("no set")
        .to_string();
    assert!(says.contains("is not a descriptor set"), "{says}");
    fs::write(&file, "syntax = \"proto3\";\nimport \"x/other.proto\";").expect("written");
    let says = Schema::compile(&file, &[])
        .expect_err("an import")
        .to_string();
    assert!(says.contains("x/other.proto"), "{says}");
    fs::create_dir(folder.path().join("x")).expect("made");
    fs::write(folder.path().join("x/other.proto"), "syntax = \"proto3\";").expect("written");
    Schema::compile(&file, &[folder.path().to_owned()]).expect("found");
}

#[test]
fn a_descriptor_set_says_the_same() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("zoo.proto");
    fs::write(&file, PROTO).expect("written");
    let mut compiler = protox::Compiler::new([folder.path()]).expect("a compiler");
    compiler
        .include_imports(true)
        .open_file(&file)
        .expect("compiled");
    let set = folder.path().join("set.bin");
    fs::write(&set, compiler.encode_file_descriptor_set()).expect("written");
    let schema = Schema::descriptor_set(Path::new(&set)).expect("a schema");
    let method = schema.method("/zoo.Cats/Get").expect("a method");
    let payload = method.request(r#"{"id":1}"#).expect("a message");
    assert_eq!(filled(&payload, 0, 0), b"\x10\x01");
}

proptest! {
    #[test]
    fn never_panics(json in "[\\[\\]{}\":,a-z0-9]{0,30}|\\{\"name\":\"\\PC{0,10}\\{counter\\}\"\\}") {
        let method = get();
        let _ = method.request(&json);
        let _ = method.reply(&json);
    }
}

#[test]
fn a_required_field_that_is_missing_is_named() {
    let proto = r#"
syntax = "proto2";
package old;
message Part { required int32 count = 1; }
message Order {
  required int64 id = 1;
  repeated Part parts = 2;
  map<string, Part> named = 3;
}
service Orders { rpc Put(Order) returns (Order); }
"#;
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("old.proto");
    fs::write(&file, proto).expect("written");
    let schema = Schema::compile(&file, &[]).expect("a schema");
    let method = schema.method("/old.Orders/Put").expect("a method");
    for (json, field) in [
        ("{}", "old.Order.id"),
        (r#"{"id":1,"parts":[{"count":1},{}]}"#, "old.Part.count"),
        (r#"{"id":1,"named":{"a":{}}}"#, "old.Part.count"),
    ] {
        let said = method
            .request(json)
            .expect_err("a field is missing")
            .to_string();
        assert!(said.contains(&format!("`{field}` is missing")), "{said}");
    }
    for json in [r#"{"id":0}"#, r#"{"id":"{counter}","parts":[{"count":2}]}"#] {
        assert!(method.request(json).is_ok(), "{json}");
    }
}
