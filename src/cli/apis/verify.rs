//! `unwaited apis verify`: what the catalogue says, against the packages that are installed for Python.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::catalog::{Class, FILES, Function, Library};
use crate::cli::output::{Output, tell};
use crate::cli::{Exit, fail};
use crate::project::reason;
use crate::project::settings::Settings;

const COMPARE: &str = include_str!("compare.py");

/// What the interpreter is asked about a library.
#[derive(Serialize)]
struct Question<'l> {
    module: &'l str,
    version: &'l str,
    functions: BTreeMap<String, &'l [String]>,
    classes: BTreeMap<String, &'l [String]>,
}

/// What it answers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Skipped { skipped: String },
    Compared { differences: Vec<String>, compared: usize, version: String },
}

/// Compares the libraries of Python, those of the project too.
pub(super) fn run(settings: &Settings, python: &Path) -> Exit {
    let built_in = FILES.iter().filter_map(|(file, text)| Library::parse(file, text).ok());
    let own = settings.layers().iter().flat_map(|layer| layer.given.api.iter().flatten().cloned());
    let libraries = built_in.chain(own).filter(|library| library.language == "python");
    // One process a package: importing one may be slow, or end the process.
    let mut packages: BTreeMap<String, Vec<Library>> = BTreeMap::new();
    for library in libraries {
        let module = library.modules.first().map(String::as_str).unwrap_or_default();
        let package = module.split('.').next().unwrap_or_default().to_owned();
        packages.entry(package).or_default().push(library);
    }
    let (mut lines, mut different) = (Vec::new(), false);
    for libraries in packages.values() {
        let answers = match ask(python, libraries) {
            Ok(answers) => answers,
            Err(message) => return fail(&message),
        };
        for (library, answer) in libraries.iter().zip(answers) {
            match answer {
                Answer::Skipped { skipped } => {
                    lines.push(format!("{}: not compared: {skipped}", library.library));
                }
                Answer::Compared { differences, compared, version } => {
                    different |= !differences.is_empty();
                    let version = version.split_whitespace().next().unwrap_or_default();
                    lines.push(format!(
                        "{}: {compared} signatures compared with {version}, {} differ",
                        library.library,
                        differences.len()
                    ));
                    lines.extend(differences.iter().map(|difference| format!("  {difference}")));
                }
            }
        }
    }
    let print = |out: &mut dyn Write| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    if let Err(error) = Output::Standard.write(print) {
        return fail(&format!("the list cannot be written: {}", reason(&error)));
    }
    if different { Exit::Found } else { Exit::Clean }
}

fn ask(python: &Path, libraries: &[Library]) -> Result<Vec<Answer>, String> {
    let questions: Vec<Question<'_>> = libraries.iter().map(question).collect();
    let questions = serde_json::to_vec(&questions).map_err(|error| error.to_string())?;
    let failed = |error: &std::io::Error| format!("`{}` cannot be run: {}", python.display(), reason(error));
    let mut child = Command::new(python)
        .args(["-c", COMPARE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    if let Some(mut input) = child.stdin.take() {
        // Where it ends at once, its answer says so.
        let _ = input.write_all(&questions);
    }
    let output = child.wait_with_output().map_err(|error| failed(&error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let answers = serde_json::from_str(text.lines().last().unwrap_or_default());
    Ok(answers.unwrap_or_else(|_| {
        let names: Vec<&str> = libraries.iter().map(|library| library.library.as_str()).collect();
        tell("warning", &format!("the import of {} ended the interpreter", names.join(", ")));
        Vec::new()
    }))
}

fn question(library: &Library) -> Question<'_> {
    let home = library.modules.first().map(String::as_str).unwrap_or_default();
    let path =
        |function: &Function| format!("{}.{}", function.module.as_deref().unwrap_or(home), function.name);
    let is_complete = |class: &&Class| !class.attributes.is_empty() && class.extends.is_none();
    Question {
        module: home,
        version: &library.version,
        functions: library.functions.iter().map(|it| (path(it), it.parameters.as_slice())).collect(),
        classes: library
            .classes
            .iter()
            .filter(is_complete)
            .map(|class| (format!("{home}.{}", class.name), class.attributes.as_slice()))
            .collect(),
    }
}
