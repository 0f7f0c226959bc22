//! `unwaited apis`: what the catalogue knows, with the project's own functions.

mod verify;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::arguments::{ApisArguments, ListFormat};
use super::output::Output;
use super::{Exit, fail, settings};
use crate::catalog::{ApiId, Catalog, Kind, nearest};
use crate::project::reason;
use crate::project::settings::Settings;
use crate::source::Language;

/// The name that stands for a comparison with what is installed.
const VERIFY: &str = "verify";

pub(super) fn run(arguments: &ApisArguments) -> Exit {
    if arguments.name.as_deref() == Some(VERIFY) {
        return match in_force(arguments) {
            Ok(settings) => verify::run(&settings, &arguments.python),
            Err(message) => fail(&message),
        };
    }
    let text = match text(arguments) {
        Ok(text) => text,
        Err(message) => return fail(&message),
    };
    match Output::Standard.write(|out| out.write_all(text.as_bytes())) {
        Ok(()) => Exit::Clean,
        Err(error) => fail(&format!("the list cannot be written: {}", reason(&error))),
    }
}

fn text(arguments: &ApisArguments) -> Result<String, String> {
    let settings = in_force(arguments)?;
    let catalog = settings.catalog(Language::Python);
    let Some(name) = &arguments.name else {
        return match arguments.output_format {
            ListFormat::Text => Ok(libraries(catalog)),
            ListFormat::Json => json(&all(catalog)),
        };
    };
    let found: Vec<Entry<'_>> = all(catalog).into_iter().filter(|entry| entry.is_called(name)).collect();
    match (found.as_slice(), arguments.output_format) {
        ([], _) => Err(unknown(catalog, name)),
        (found, ListFormat::Json) => json(&found),
        ([one], ListFormat::Text) => Ok(details(one)),
        (several, ListFormat::Text) => Ok(several.iter().map(row).collect()),
    }
}

fn in_force(arguments: &ApisArguments) -> Result<Arc<Settings>, String> {
    let resolver = settings::resolver(&arguments.settings)?;
    resolver.of_folder(Path::new(".")).map_err(|error| error.to_string())
}

/// A function, as it is shown.
#[derive(Serialize)]
struct Entry<'c> {
    path: &'c str,
    name: &'c str,
    library: &'c str,
    does: String,
    kind: Option<String>,
    parameters: &'c [String],
    gives: Option<&'c str>,
    only_if: Option<&'c str>,
    buffers: Vec<&'c str>,
    blocking: Option<&'c str>,
    when_dropped: BTreeMap<&'c str, &'c str>,
    source: &'c str,
}

fn all(catalog: &Catalog) -> Vec<Entry<'_>> {
    catalog.apis().map(|api| entry(catalog, api)).collect()
}

fn entry(catalog: &Catalog, api: ApiId) -> Entry<'_> {
    let function = catalog.function(api);
    let gives = catalog.gives(api).map(|class| catalog.class_path(class));
    let drops = catalog.drops(api).map(|drop| (drop.backend.as_str(), drop.harm.as_str()));
    Entry {
        path: catalog.path(api),
        name: catalog.short_name(api),
        library: catalog.library_name(api),
        does: kebab(&format!("{:?}", function.does)),
        kind: gives.is_some().then(|| kind(function.kind).to_owned()),
        parameters: &function.parameters,
        gives,
        only_if: function.when.as_ref().map(|when| when.argument.as_str()),
        buffers: function.buffers.iter().map(|buffer| buffer.argument.as_str()).collect(),
        blocking: function.blocking.as_deref(),
        when_dropped: if gives.is_some() { drops.collect() } else { BTreeMap::new() },
        source: &function.source,
    }
}

impl Entry<'_> {
    /// Whether it, its class or its library has a name.
    fn is_called(&self, name: &str) -> bool {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        [self.path, self.name, self.library, last].contains(&name)
            || self.name.split_once('.').is_some_and(|(class, _)| class == name)
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::PointToPoint => "point-to-point",
        Kind::Collective => "collective",
        Kind::Barrier => "barrier",
        Kind::Rpc => "rpc",
        Kind::OneSided => "one-sided",
        Kind::File => "file",
    }
}

/// `ExpectError` as the catalogue writes it: `expect-error`.
fn kebab(name: &str) -> String {
    let letter = |(at, letter): (usize, char)| {
        let dash = if at > 0 && letter.is_uppercase() { "-" } else { "" };
        format!("{dash}{}", letter.to_lowercase())
    };
    name.char_indices().map(letter).collect()
}

/// Every library, with how many functions are known and how many of them start something.
fn libraries(catalog: &Catalog) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for entry in all(catalog) {
        let (known, starting) = counts.entry(entry.library).or_default();
        *known += 1;
        *starting += usize::from(matches!(entry.does.as_str(), "start" | "launch" | "prepare" | "coalesce"));
    }
    let width = counts.keys().map(|library| library.len()).max().unwrap_or_default();
    let row = |(library, (known, starting)): (&str, (usize, usize))| {
        format!("{library:width$}  {known:>4} known, {starting:>3} of them start operations\n")
    };
    counts.into_iter().map(row).collect::<String>()
        + "\n`unwaited apis NAME` tells more of a library, a class or a function\n"
}

fn row(entry: &Entry<'_>) -> String {
    format!("{:12}  {}({})\n", entry.does, entry.path, entry.parameters.join(", "))
}

fn details(entry: &Entry<'_>) -> String {
    let mut text = format!("{}({})\n", entry.path, entry.parameters.join(", "));
    let mut say = |what: &str, value: &str| {
        if !value.is_empty() {
            text += &format!("  {what:10} {value}\n");
        }
    };
    say("library", entry.library);
    say("does", &entry.does);
    say("kind", entry.kind.as_deref().unwrap_or_default());
    say("gives", entry.gives.unwrap_or_default());
    say("only if", entry.only_if.unwrap_or_default());
    say("buffers", &entry.buffers.join(", "));
    say("blocking", entry.blocking.unwrap_or_default());
    for (backend, harm) in &entry.when_dropped {
        say("if dropped", &format!("{backend}: {harm}"));
    }
    say("source", entry.source);
    text
}

fn unknown(catalog: &Catalog, name: &str) -> String {
    let entries = all(catalog);
    let names = entries.iter().flat_map(|entry| {
        [entry.path, entry.name, entry.library, entry.name.rsplit('.').next().unwrap_or_default()]
    });
    match nearest(name, names) {
        Some(near) => format!("the catalogue has nothing that is called `{name}`: did you mean `{near}`?"),
        None => format!("the catalogue has nothing that is called `{name}`"),
    }
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| error.to_string())
}
