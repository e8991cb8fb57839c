//! `photofinish schema`.

use photofinish_judge::schemas::ALL;
use photofinish_study::FILES;
use serde_json::Value;

use crate::args::SchemaOfArgs;
use crate::exit::Failure;
use crate::out;

pub fn schema(args: &SchemaOfArgs) -> Result<(), Failure> {
    let Some(name) = &args.format else {
        let written = ALL.iter().map(|format| {
            let (name, version) = (format.name, format.version);
            format!("{name:<20} version {version}  {}\n", format.what)
        });
        let read = FILES
            .iter()
            .map(|file| format!("{:<20} {:<9}  {}\n", file.name, "", file.what));
        return Ok(out::result(&written.chain(read).collect::<String>())?);
    };
    let Some(schema) = of(name)? else {
        let written = ALL.iter().map(|format| format.name);
        let known: Vec<&str> = written.chain(FILES.iter().map(|file| file.name)).collect();
        return Err(Failure::request(format!(
            "there is no format `{name}`; formats: {}",
            known.join(", ")
        )));
    };
    let text = serde_json::to_string_pretty(&schema).map_err(Failure::run)?;
    Ok(out::result(&(text + "\n"))?)
}

/// The schema of a file that is written or read.
fn of(name: &str) -> Result<Option<Value>, Failure> {
    if let Some(file) = FILES.iter().find(|file| file.name == name) {
        return Ok(Some(file.schema()));
    }
    let format = ALL.iter().find(|format| format.name == name);
    let schema = format.map(|format| serde_json::to_value(format.schema()));
    schema.transpose().map_err(Failure::run)
}
