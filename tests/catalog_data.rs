//! What the catalogue says of tensors and arrays, tried on those that are installed here.
//!
//! `support/try_data.py` calls each name with many arguments, and compares addresses and contents before and behind. Where
//! `python3` (or the interpreter that `UNWAITED_PYTHON` names) has not the library in the version that the facts were checked
//! against, the test says so and passes.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

#[path = "support/interpreter.rs"]
mod interpreter;

use serde_json::{Value, json};
use unwaited::catalog::{Data, FILES, Form, Gives, Library, Touches};

#[test]
fn facts_about_torch_s_tensors() {
    try_file("torch_tensor.toml");
}

#[test]
fn facts_about_numpy_s_arrays() {
    try_file("numpy.toml");
}

fn try_file(file: &str) {
    let (_, text) = FILES.iter().find(|(name, _)| *name == file).unwrap();
    let library = Library::parse(file, text).unwrap();
    let entries: Vec<Value> = library.data.iter().map(claim).collect();
    let question = json!({ "modules": library.modules, "version": library.version, "entries": entries });
    match interpreter::ask(include_str!("support/try_data.py"), &question) {
        Ok(answer) => judge(file, &answer),
        Err(reason) => println!("{file} is not tried: {reason}"),
    }
}

fn judge(file: &str, answer: &Value) {
    if let Some(reason) = answer["skipped"].as_str() {
        println!("{file} is not tried: {reason}");
        return;
    }
    println!("{file}: {} names tried, not {}", answer["tried"], answer["untried"]);
    let differences = answer["differences"].as_array().unwrap();
    assert!(differences.is_empty(), "{file}: {differences:#?}");
}

fn claim(data: &Data) -> Value {
    let form = match data.form {
        Form::Method => "method",
        Form::Attribute => "attribute",
        Form::Function => "function",
    };
    let gives = match data.gives {
        Gives::Nothing => "nothing",
        Gives::Itself => "itself",
        Gives::View => "view",
        Gives::Strided => "strided",
        Gives::Part => "part",
        Gives::Parts => "parts",
        Gives::Copy => "copy",
        Gives::PerhapsCopy => "perhaps-copy",
        Gives::New => "new",
    };
    let touches = match data.touches {
        Touches::Nothing => "nothing",
        Touches::Read => "read",
        Touches::Write => "write",
        Touches::Free => "free",
    };
    json!({ "as": form, "names": data.names, "gives": gives, "touches": touches })
}
