//! `unwaited config`.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::arguments::{ConfigArguments, ListFormat};
use super::output::Output;
use super::{Exit, fail, settings};
use crate::project::settings::{Explained, Resolver, SCHEMA, Settings};
use crate::project::{BaselineUse, Options, Roots, baseline_of, reason, shown};

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
    let settings = settings.map_err(|error| error.to_string())?;
    let mut rows = settings.explained();
    rows.extend(found_baseline(path, &settings, resolver));
    match arguments.output_format {
        ListFormat::Text => Ok(text(&rows)),
        ListFormat::Json => json(&rows),
    }
}

/// The baseline that counts because it is there.
fn found_baseline(path: &Path, settings: &Settings, resolver: Resolver) -> Option<Explained> {
    if settings.baseline().is_some() {
        return None;
    }
    let mut roots = Roots::new(resolver.discovery().clone());
    let options =
        Options { resolver: Arc::new(resolver), baseline: BaselineUse::Compared, ..Options::default() };
    let file = if path.is_dir() { &path.join("__init__.py") } else { path };
    let found = baseline_of(file, settings, &mut roots, &options)?;
    Some(Explained { key: "baseline", value: shown(&found).into(), origin: "it is there".to_owned() })
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
