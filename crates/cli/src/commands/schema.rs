//! `photofinish schema`.

use photofinish_judge::schemas::ALL;

use crate::args::SchemaOfArgs;
use crate::exit::Failure;
use crate::out;

pub fn schema(args: &SchemaOfArgs) -> Result<(), Failure> {
    let Some(name) = &args.format else {
        let lines = ALL.iter().map(|format| {
            let (name, version) = (format.name, format.version);
            format!("{name:<20} version {version}  {}\n", format.what)
        });
        return Ok(out::result(&lines.collect::<String>())?);
    };
    let format = ALL.iter().find(|format| format.name == name);
    let format = format.ok_or_else(|| {
        let known = ALL.map(|format| format.name).join(", ");
        Failure::request(format!("there is no format `{name}`; formats: {known}"))
    })?;
    let text = serde_json::to_string_pretty(&format.schema()).map_err(Failure::run)?;
    Ok(out::result(&(text + "\n"))?)
}
