//! `unwaited config`.

use serde::Serialize;

use super::arguments::{ConfigArguments, ListFormat};
use super::output::Output;
use super::{Exit, fail, settings};
use crate::project::reason;
use crate::project::settings::{Explained, SCHEMA};

pub(super) fn run(arguments: &ConfigArguments) -> Exit {
    let text = match arguments.schema {
        true => Ok(SCHEMA.to_owned()),
        false => explained(arguments),
    };
    let text = match text {
        Ok(text) => text,
        Err(message) => return fail(&message),
    };
    let written = Output::Standard.write(|out| out.write_all(text.as_bytes()));
    match written {
        Ok(()) => Exit::Clean,
        Err(error) => fail(&format!("the settings cannot be written: {}", reason(&error))),
    }
}

fn explained(arguments: &ConfigArguments) -> Result<String, String> {
    let path = &arguments.path;
    let kind = std::fs::metadata(path)
        .map_err(|error| format!("`{}` cannot be read: {}", path.display(), reason(&error)))?;
    let resolver = settings::resolver(&arguments.settings)?;
    let settings = match kind.is_dir() {
        true => resolver.of_folder(path),
        false => resolver.of_file(path).map(|(settings, _)| settings),
    };
    let rows = settings.map_err(|error| error.to_string())?.explained();
    match arguments.output_format {
        ListFormat::Text => Ok(text(&rows)),
        ListFormat::Json => json(&rows),
    }
}

/// `key = value  # origin`.
fn text(rows: &[Explained]) -> String {
    let assignments: Vec<String> = rows.iter().map(|row| format!("{} = {}", row.key, row.value)).collect();
    let width = assignments.iter().map(|text| text.chars().count()).max().unwrap_or_default();
    let row = |(text, row): (&String, &Explained)| format!("{text:width$}  # {}\n", row.origin);
    assignments.iter().zip(rows).map(row).collect()
}

fn json(rows: &[Explained]) -> Result<String, String> {
    #[derive(Serialize)]
    struct Row<'r> {
        key: &'r str,
        value: &'r toml::Value,
        origin: &'r str,
    }
    let rows: Vec<Row<'_>> =
        rows.iter().map(|row| Row { key: row.key, value: &row.value, origin: &row.origin }).collect();
    serde_json::to_string_pretty(&rows).map(|text| text + "\n").map_err(|error| error.to_string())
}
