//! No text makes the Rust front end or the analysis behind it panic, hang or break its promises.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use unwaited::catalog::Catalog;
use unwaited::flow::{self, Settings};
use unwaited::frontend::{Lowered, rust};
use unwaited::source::Language;

/// Pieces of programs, mostly of those that communicate, whole and broken.
const PIECES: &[&str] = &[
    "let r = p.immediate_send(scope, &x);",
    "let _ = WaitGuard::from(p.immediate_send(scope, &x[..]));",
    "r.wait();",
    "let mut v = Vec::new();",
    "v.push(p.immediate_send(scope, &x));",
    "for q in v { q.wait(); }",
    "v.clear();",
    "drop(v);",
    "while let Some(q) = v.pop() { q.wait(); }",
    "v.into_iter().for_each(|q| { q.wait(); });",
    "if let Some(r) = slot.take() { r.wait(); }",
    "slot = Some(p.immediate_receive_into(scope, &mut y));",
    "match r.test() { Ok(_) => {} Err(e) => { r = e; } }",
    "check(x)?;",
    "return;",
    "return Err(e);",
    "break;",
    "continue;",
    "break 'outer 5;",
    "continue 'outer;",
    "'outer: loop {",
    "while a && b {",
    "for (i, x) in xs.iter().enumerate() {",
    "if a {",
    "} else if let Ok(z) = f() {",
    "} else {",
    "}",
    "{",
    "match x {",
    "Some(y) if y > 0 =>",
    "_ => {}",
    "A | B => (),",
    "Foo { a, .. } => a,",
    "mpi::request::scope(|scope| {",
    "mpi::request::multiple_scope(3, |scope, coll| {",
    "});",
    "coll.add(r);",
    "coll.wait_all(&mut out);",
    "|x| x + 1",
    "move || {",
    "async {",
    "async move { f().await }",
    "unsafe {",
    "MPI_Isend(x.as_ptr().cast(), 1, D, 0, 0, c, &mut q);",
    "MPI_Wait(&mut q, s);",
    "fn f(x: &[f64]) -> Result<(), E> {",
    "fn g<'a>((a, b): (u8, u8), _: T) {",
    "impl Foo {",
    "impl Drop for Foo { fn drop(&mut self) {",
    "struct Foo { r: Option<Request> }",
    "trait T { fn m(&self) {",
    "mod m {",
    "use super::*;",
    "use mpi::{request::{self, WaitGuard as G}, traits::*};",
    "let (a, _, ..) = t;",
    "let [a, b @ ..] = s;",
    "let Some(z) = o else { return };",
    "let z;",
    "z = if a { 1 } else { 2 };",
    "x += 1;",
    "(a, b) = (b, a);",
    "_ = f();",
    "*p = 5;",
    "self.r = None;",
    "a[i] = b[j];",
    "vec![1; n]",
    "vec![a, b]",
    "println!(\"{x} {}\", y)",
    "assert!(a, \"{b}\")",
    "assert_eq!(a, b)",
    "matches!(x, Some(_) | None)",
    "mine! { a => b }",
    "panic!()",
    "#[cfg(test)]",
    "#[cfg(not(a))]",
    "#![allow(x)]",
    "#[derive(Debug)]",
    "xs.iter().map(|x| f(x)).filter(|x| *x > 0).collect::<Vec<_>>()",
    ".map(|r| r.wait())",
    ".unwrap()",
    ".await",
    "?",
    "::<T>()",
    "as u8",
    "&mut",
    "*",
    "&&",
    "||",
    "!",
    "-",
    "..",
    "..=",
    "=>",
    "->",
    ";",
    ",",
    ".",
    ":",
    "=",
    "==",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "'a",
    "r#\"",
    "b'x'",
    "1.0",
    "0xff",
    "é",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    "const C: usize = 3;",
    "static mut S: u8 = 0;",
    "type X = Y;",
    "enum E { A, B(u8) }",
    "Foo { r: a, ..b }",
    "Self::new()",
    "crate::a::b()",
    "super::c",
    "r#type",
    "let x: WaitGuard<_, _> = r.into();",
    "mem::replace(&mut a, b);",
    "std::mem::swap(&mut a, &mut b);",
    "dyn Fn()",
    "impl Trait",
    "where T: X",
    "yield",
    "box",
    "loop { }",
    "a..b",
    "try { f()? }",
];

fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| Catalog::new(Language::Rust, &[]).unwrap())
}

/// Lowers and analyses; every place must lie within the text, and the unit must keep its promises.
fn check(text: &str) -> Lowered {
    let lowered = rust::lower(text, catalog());
    let faults = lowered.unit.faults();
    assert!(faults.is_empty(), "{faults:?}\n{text}");
    for problem in &lowered.problems {
        assert!(problem.span.end as usize <= text.len(), "{problem:?}");
        assert!(!problem.message.is_empty() && !problem.message.ends_with('.'), "{problem:?}");
    }
    let analysis = flow::analyse(&lowered.unit, catalog(), &Settings::default());
    assert!(analysis.events.len() <= text.len());
    lowered
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_bytes_that_are_text_after_all(bytes in vec(any::<u8>(), 0..400)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_of_programs(pieces in vec(select(PIECES), 0..40)) {
        check(&pieces.join(" "));
    }

    #[test]
    fn any_pieces_in_the_body_of_a_function(pieces in vec(select(PIECES), 0..25)) {
        check(&format!("fn main() {{ {} }}", pieces.join(" ")));
    }
}

/// A program with every form, to be broken in every place.
const WHOLE: &str = include_str!("../fixtures/silent/rust_ways.rs");

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_program_with_a_piece_cut_out(at in any::<Index>(), length in 0_usize..60) {
        let letters: Vec<char> = WHOLE.chars().collect();
        let at = at.index(letters.len());
        let end = (at + length).min(letters.len());
        check(&letters[..at].iter().chain(&letters[end..]).collect::<String>());
    }

    #[test]
    fn a_program_with_a_piece_put_in(at in any::<Index>(), piece in select(PIECES)) {
        let at = WHOLE.floor_char_boundary(at.index(WHOLE.len()));
        check(&format!("{} {piece} {}", &WHOLE[..at], &WHOLE[at..]));
    }

    /// Statements in any order are read, whatever they do.
    #[test]
    fn whole_statements_in_any_order(statements in vec(select(STATEMENTS), 0..14)) {
        let body = statements.concat();
        let lowered = check(&format!("use mpi::traits::*;\nfn main() {{ 'outer: loop {{ mpi::request::scope(|scope| {{ {body} }}); }} }}"));
        prop_assert!(lowered.problems.is_empty(), "{:?}", lowered.problems);
    }
}

/// Statements that stand on their own.
const STATEMENTS: &[&str] = &[
    "let r = p.immediate_send(scope, &x);\n",
    "r.wait();\n",
    "let _ = WaitGuard::from(r);\n",
    "let g = WaitGuard::from(p.immediate_send(scope, &x));\n",
    "let mut v = Vec::new();\n",
    "v.push(r);\n",
    "v.push(p.immediate_send(scope, &x));\n",
    "for q in v.drain(..) { if a { break; } q.wait(); }\n",
    "while let Some(q) = v.pop() { if b { continue; } q.wait(); }\n",
    "let v: Vec<_> = xs.iter().filter(|x| a).map(|x| p.immediate_send(scope, x)).collect();\n",
    "v.into_iter().map(|q| q.wait());\n",
    "if a { return; }\n",
    "let z = check(x)?;\n",
    "let y = match o { Some(y) => y, None => return };\n",
    "let y = loop { if a { break 5; } };\n",
    "let y = 'b: { if a { break 'b 1; } 2 };\n",
    "slot = slot.take().map(|r| { r.wait(); r });\n",
    "let slot = a.then(|| p.immediate_send(scope, &x));\n",
    "#[cfg(a)] let r = 1;\n",
    "#[cfg(not(a))] let r = 2;\n",
    "#[cfg(b)] { r.wait(); }\n",
    "unsafe { MPI_Isend(x.as_ptr(), 1, D, 0, 0, c, &mut q); MPI_Wait(&mut q, s); }\n",
    "let f = |r| { let s = r; s.wait() };\n",
    "f(r);\n",
    "let t = (p.immediate_send(scope, &x), 5);\n",
    "let (a, _) = t;\n",
    "match r.test() { Ok(_) => {} Err(e) => { e.wait(); } }\n",
    "let Some(k) = o else { panic!() };\n",
    "let h = async { r.wait(); };\n",
    "assert!(a && !b, \"{r:?}\");\n",
    "other!(r, v => 5);\n",
    "s.r = Some(r);\n",
    "mpi::request::multiple_scope(2, |scope, coll| { coll.add(p.immediate_send(scope, &x)); coll.wait_all(&mut out); });\n",
    "drop(r);\n",
    "let w = if a && (b || c(d)) { 1 } else if let Some(e) = f() { e } else { 2 };\n",
    "fn inner(r: R) { r.wait(); }\n",
    "inner(r);\n",
    "std::mem::swap(&mut a, &mut b);\n",
];

#[test]
fn deep_nesting_of_every_kind() {
    for depth in [100, 10_000] {
        let kinds = [
            format!("fn f() {{ {}{} }}", "{".repeat(depth), "}".repeat(depth)),
            format!("fn f() {{ {}1{}; }}", "(".repeat(depth), ")".repeat(depth)),
            format!("fn f() {{ {}x; }}", "!".repeat(depth)),
            format!("fn f() {{ {}x; }}", "&".repeat(depth)),
            format!("fn f() {{ x{}; }}", ".a()".repeat(depth)),
            format!("fn f() {{ x{}; }}", " + y".repeat(depth)),
            format!("fn f() {{ x{}; }}", " && y".repeat(depth)),
            format!("fn f() {{ {}x; }}", "|| ".repeat(depth)),
            format!("fn f() {{ {}x; }}", "return ".repeat(depth)),
            format!("fn f() {{ {}{{}} {} }}", "if a {} else ".repeat(depth), ""),
            format!("fn f(x: {}u8{}) {{}}", "Vec<".repeat(depth), ">".repeat(depth)),
            format!("fn f() {{ let {}x{} = y; }}", "(".repeat(depth), ",)".repeat(depth)),
            format!("{}{}", "mod m {".repeat(depth), "}".repeat(depth)),
            format!("fn f() {{ {}{} }}", "loop { ".repeat(depth), "}".repeat(depth)),
            format!("use {}a{};", "a::{".repeat(depth), "}".repeat(depth)),
            format!("fn f() {{ m!({}{}); }}", "(".repeat(depth), ")".repeat(depth)),
            format!("fn f() {{ {} }}", "match a { A => ".repeat(depth)),
        ];
        for text in kinds {
            check(&text);
        }
    }
}

#[test]
fn a_file_of_another_edition_is_a_problem_at_its_place() {
    let text = "fn f() { x.try(); }\n";
    let lowered = check(text);
    assert_eq!(lowered.problems.len(), 1);
    assert_eq!(lowered.problems[0].span.of(text), "try");
}

#[test]
fn places_fit_a_text_with_all_that_may_stand_before_its_code() {
    let before = "\u{feff}#!/usr/bin/env cargo\n---\n[dependencies]\n---\n";
    let text = format!("{before}fn é() {{ let z = §; }}\n");
    let lowered = check(&text);
    assert_eq!(lowered.problems[0].span.of(&text), "§");
}

/// The sources of the crates that the package itself was built from, where they are.
#[test]
fn sources_of_the_local_registry() {
    let Some(folder) = registry() else {
        println!("skipped: there is no registry");
        return;
    };
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    // A share of them, spread over all crates.
    let chosen = files.iter().enumerate().filter(|(number, _)| number % 40 == 7);
    let mut rejected = Vec::new();
    let mut count = 0;
    for (_, path) in chosen {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        count += 1;
        let lowered = rust::lower(&text, catalog());
        let faults = lowered.unit.faults();
        assert!(faults.is_empty(), "{}: {faults:?}", path.display());
        if !lowered.problems.is_empty() {
            rejected.push(path.display().to_string());
        }
    }
    println!("{count} files, {} of them rejected: {rejected:?}", rejected.len());
    assert!(rejected.len() * 100 <= count, "{rejected:?}");
}

fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let folder = home.join("registry/src");
    folder.is_dir().then_some(folder)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, files),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|it| it == "rs") => files.push(path),
            _ => {}
        }
    }
}
