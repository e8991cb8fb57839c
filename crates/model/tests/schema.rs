//! The JSON Schema of a line of `measurements.jsonl` in `docs/` is the one that the code has.

use std::fs;
use std::path::Path;

use photofinish_model::Line;

#[test]
fn the_schema_on_disk_is_the_code_s() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/measurements.schema.json");
    let schema = schemars::schema_for!(Line);
    let generated = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &generated).expect("docs/ can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == generated,
        "docs/measurements.schema.json is not the schema of the code; make it anew with\n\
         UPDATE_SCHEMA=1 cargo test -p photofinish-model --test schema"
    );
}
