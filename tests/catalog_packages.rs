//! What the catalogue says of parameters and attributes, against the packages that are installed here.
//!
//! A library is compared where `python3` (or the interpreter that `UNWAITED_PYTHON` names) can import it in the version that
//! the facts were checked against; what is skipped is printed with the reason.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use unwaited::catalog::{FILES, Function, Library};

/// Reads a list of `{module, version, functions: {path: parameters}, classes: {path: attributes}}` and prints for each
/// `{differences, compared}` or `{skipped: reason}`.
const COMPARE: &str = r#"
import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")
def find(path):
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for name in parts[end:]:
            found = getattr(found, name)
        return found
    raise ImportError(path)

def parameters(function, method):
    names, starred = [], False
    listed = list(inspect.signature(function).parameters.values())
    if method and listed and listed[0].name in ("self", "cls"):
        listed = listed[1:]
    for it in listed:
        if it.kind == it.KEYWORD_ONLY and not starred:
            names.append("*")
            starred = True
        star = {it.VAR_POSITIONAL: "*", it.VAR_KEYWORD: "**"}.get(it.kind, "")
        starred = starred or star == "*"
        names.append(star + it.name)
    return names

def compare(asked):
    differences, compared = [], 0
    for path, said in asked["functions"].items():
        try:
            function = find(path)
        except (ImportError, AttributeError) as error:
            differences.append(f"{path}: {error}")
            continue
        try:
            real = parameters(function, inspect.isclass(find(path.rpartition(".")[0])))
        except (TypeError, ValueError):
            continue  # compiled, without a signature
        compared += 1
        if real != said and real != ["*args", "**kwargs"]:
            differences.append(f"{path}: {said} is said, {real} is true")
    for path, said in asked["classes"].items():
        real = {name for name in dir(find(path)) if not name.startswith("__") and "pybind11" not in name}
        if not real <= set(said):
            differences.append(f"{path}: {sorted(real - set(said))} are missing")
    return {"differences": differences, "compared": compared}

def answer(asked):
    try:
        importlib.import_module(asked["module"])
        package = importlib.import_module(asked["module"].split(".")[0])
        version = getattr(package, "__version__", sys.version)
        if version.startswith(asked["version"]):
            return compare(asked)
        return {"skipped": f"version {version} is installed, not {asked['version']}"}
    except (ImportError, RuntimeError, AttributeError) as error:
        return {"skipped": str(error)}

answers = [answer(asked) for asked in json.load(sys.stdin)]
print()
print(json.dumps(answers))
"#;

#[test]
fn parameters_and_attributes_are_those_of_the_installed_packages() {
    // One process a package: importing one may be slow, or end the process.
    let mut packages: BTreeMap<String, Vec<(&str, Value)>> = BTreeMap::new();
    for (file, text) in FILES {
        let library = Library::parse(file, text).unwrap();
        let package = library.modules[0].split('.').next().unwrap_or_default().to_owned();
        packages.entry(package).or_default().push((file, question(&library)));
    }
    for asked in packages.into_values() {
        let (files, questions): (Vec<&str>, Vec<Value>) = asked.into_iter().unzip();
        match ask(&Value::Array(questions)) {
            Ok(answers) => files.iter().zip(&answers).for_each(|(file, answer)| judge(file, answer)),
            Err(reason) => println!("{files:?} are not compared: {reason}"),
        }
    }
}

fn judge(file: &str, answer: &Value) {
    match answer["skipped"].as_str() {
        Some(reason) => println!("{file} is not compared: {reason}"),
        None => println!("{file}: {} signatures compared", answer["compared"]),
    }
    let differences = answer["differences"].as_array().cloned().unwrap_or_default();
    assert!(differences.is_empty(), "{file}: {differences:#?}");
}

fn question(library: &Library) -> Value {
    let home = &library.modules[0];
    let path =
        |function: &Function| format!("{}.{}", function.module.as_ref().unwrap_or(home), function.name);
    let complete =
        library.classes.iter().filter(|class| !class.attributes.is_empty() && class.extends.is_none());
    json!({
        "module": home,
        "version": library.version,
        "functions": library.functions.iter().map(|it| (path(it), json!(it.parameters))).collect::<serde_json::Map<_, _>>(),
        "classes": complete
            .map(|class| (format!("{home}.{}", class.name), json!(class.attributes)))
            .collect::<serde_json::Map<_, _>>(),
    })
}

fn ask(questions: &Value) -> Result<Vec<Value>, String> {
    let python = std::env::var("UNWAITED_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut child = Command::new(&python)
        .args(["-c", COMPARE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{python}: {error}"))?;
    let sent = child.stdin.take().unwrap().write_all(questions.to_string().as_bytes());
    let output = child.wait_with_output().unwrap();
    sent.map_err(|error| format!("{python}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| format!("{python} says nothing useful: {error}"))
}
