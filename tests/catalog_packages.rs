//! What the catalogue says of parameters and attributes, against the packages that are installed here.
//!
//! A library is compared where `python3` (or the interpreter that `UNWAITED_PYTHON` names) can import it in the version that
//! the facts were checked against; what is skipped is printed with the reason. Many packages cannot be imported without a
//! compiler, a GPU or each other: those are only read. A fact whose source is a file (`horovod/torch/mpi_ops.py, poll`) is
//! compared with the definition in that file, which is looked for below the folders that `UNWAITED_SOURCES` names, as a
//! search path does, and in the interpreter's own.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

#[path = "support/interpreter.rs"]
mod interpreter;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use unwaited::catalog::{FILES, Function, Library};

/// What `unwaited apis verify` runs.
const COMPARE: &str = include_str!("../src/cli/apis/compare.py");

/// Reads `{folders, libraries: [{package, version, functions: [{name, file, parameters}]}]}` and prints for each library
/// `{differences, compared}` or `{skipped: reason}`.
const READ: &str = r#"
import ast, json, os, re, sys
asked = json.load(sys.stdin)
folders = [it for it in asked["folders"] + sys.path if os.path.isdir(it)]

def roots(file):
    for folder in folders:
        for root, names, _ in os.walk(folder):
            found = os.path.exists(os.path.join(root, file))
            if found:
                yield root
            if found or root[len(folder):].count(os.sep) >= 2:
                names.clear()

def version(root, package):
    for name in ["__init__.py", "__version__.py", "version.py", "version/__init__.py"]:
        try:
            text = open(os.path.join(root, package, name), encoding="utf-8").read()
        except OSError:
            continue
        found = re.search(r"^(?:__version__|VERSION|version|full_version) *= *\(?['\"]?(\d[\d., ]*[\w.]*)", text, re.M)
        if found:
            return re.sub(r", *", ".", found[1])
    return ""

def definitions(body, before=""):
    for it in body:
        if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield before + it.name, it
        elif isinstance(it, ast.ClassDef):
            yield from definitions(it.body, f"{before}{it.name}.")
        elif isinstance(it, (ast.If, ast.Try)):
            yield from definitions(it.body + it.orelse, before)

def parameters(function, method):
    given = function.args
    names = [it.arg for it in given.posonlyargs + given.args]
    if method and names[:1] in (["self"], ["cls"], ["comm"], ["rmsg"]):
        names = names[1:]
    if given.vararg:
        names.append("*" + given.vararg.arg)
    elif given.kwonlyargs:
        names.append("*")
    names += [it.arg for it in given.kwonlyargs]
    return names + (["**" + given.kwarg.arg] if given.kwarg else [])

def compare(root, library):
    differences, compared, files = [], 0, {}
    for said in library["functions"]:
        name, file = said["name"], said["file"]
        if file not in files:
            try:
                files[file] = dict(definitions(ast.parse(open(os.path.join(root, file), encoding="utf-8").read()).body))
            except OSError:
                differences.append(f"{file}: there is no such file")
                files[file] = {}
        found = files[file].get(name) or files[file].get(name + ".__init__")
        if found is None:
            differences.append(f"{file}: {name} is not defined there")
            continue
        compared += 1
        real = parameters(found, "." in name or found.name == "__init__")
        if real != said["parameters"]:
            differences.append(f"{file}, {name}: {said['parameters']} is said, {real} is true")
    return {"differences": differences, "compared": compared}

def answer(library):
    found = list(roots(library["functions"][0]["file"]))
    for root in found:
        real = version(root, library["package"])
        checked = library["version"].replace(",", "").split()
        if not real or any(real.startswith(it) or it.startswith(real) for it in checked):
            return compare(root, library)
    return {"skipped": "there in another version" if found else "not there"}

print(json.dumps([answer(library) for library in asked["libraries"]]))
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
        match interpreter::ask(COMPARE, &Value::Array(questions)) {
            Ok(answers) => judge_all(&files, &answers),
            Err(reason) => println!("{files:?} are not compared: {reason}"),
        }
    }
}

#[test]
fn parameters_are_those_of_packages_that_can_only_be_read() {
    let libraries = FILES.iter().map(|(file, text)| (*file, Library::parse(file, text).unwrap()));
    let (files, libraries): (Vec<&str>, Vec<Value>) =
        libraries.filter_map(|(file, library)| Some((file, written(&library)?))).unzip();
    let folders = std::env::var_os("UNWAITED_SOURCES").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&folders).collect();
    match interpreter::ask(READ, &json!({ "folders": folders, "libraries": libraries })) {
        Ok(answers) => judge_all(&files, &answers),
        Err(reason) => println!("{files:?} are not compared: {reason}"),
    }
}

/// What a library says of functions whose source is a file of Python, where it says so of any.
fn written(library: &Library) -> Option<Value> {
    let facts = library.functions.iter().filter_map(|function| {
        let (file, rest) = function.source.split_once(", ")?;
        let is_named = rest.split(':').next().is_some_and(|name| function.name.ends_with(name));
        (file.ends_with(".py") && is_named)
            .then(|| json!({ "name": function.name, "file": file, "parameters": function.parameters }))
    });
    let facts: Vec<Value> = facts.collect();
    let package = facts.first()?["file"].as_str()?.split('/').next()?.to_owned();
    Some(json!({ "package": package, "version": library.version, "functions": facts }))
}

fn judge_all(files: &[&str], answers: &Value) {
    let answers = answers.as_array().unwrap();
    assert_eq!(files.len(), answers.len());
    files.iter().zip(answers).for_each(|(file, answer)| judge(file, answer));
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
