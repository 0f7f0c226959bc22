//! What a run is made of: the time of each of its phases over a tree of Python files, on one thread.
//!
//! `UNWAITED_TREE=FOLDER cargo bench --bench phases`; without a folder a tree is generated. The parser alone is measured on
//! the files that pass the prefilter, as the yardstick of what follows it.

#[path = "generated/mod.rs"]
mod generated;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;
use unwaited::catalog::Catalog;
use unwaited::flow;
use unwaited::frontend::{self, ModuleName};
use unwaited::rules::{self, Context};
use unwaited::source::{self, Language};

fn main() {
    let given = std::env::var_os("UNWAITED_TREE").map(PathBuf::from);
    let generated = tempfile::tempdir();
    let folder = match (given, &generated) {
        (Some(folder), _) => folder,
        (None, Ok(folder)) if generated::tree(folder.path(), 2000, 20).is_ok() => folder.path().to_owned(),
        (None, _) => return say("no folder can be made for the generated tree"),
    };
    let catalog = timed("make the catalogue", || Catalog::built_in(Language::Python));
    let paths = timed("walk", || walk(&folder));
    let files: Vec<Vec<u8>> =
        timed("read", || paths.iter().filter_map(|path| std::fs::read(path).ok()).collect());
    let bytes: usize = files.iter().map(Vec::len).sum();
    say(&format!("{} files, {:.1} MB", files.len(), bytes as f64 / 1e6));
    let worth = timed("search", || files.iter().map(|it| catalog.may_communicate(it)).collect::<Vec<_>>());
    let passed = files.into_iter().zip(worth).filter_map(|(bytes, worth)| worth.then_some(bytes));
    let texts: Vec<String> = timed("decode", || passed.filter_map(|it| source::decode(it).ok()).collect());
    say(&format!(
        "{} of them pass, {:.1} MB",
        texts.len(),
        texts.iter().map(String::len).sum::<usize>() as f64 / 1e6
    ));
    timed("parse", || texts.iter().for_each(|text| drop(parse_unchecked_source(text, PySourceType::Python))));
    let module = ModuleName::default();
    let units: Vec<_> = timed("parse and lower", || {
        texts.iter().map(|text| frontend::python::lower(text, &module).unit).collect()
    });
    let settings = flow::Settings::default();
    let found: Vec<_> = timed("analyse", || {
        units.iter().map(|unit| flow::analyse(unit.clone(), catalog, &settings)).collect()
    });
    timed("judge", || {
        for (analysis, text) in found.iter().zip(&texts) {
            let context = Context::new(catalog, text, analysis.backend.as_deref());
            drop(rules::check(&analysis.events, &context));
        }
    });
    slowest(&texts, catalog);
}

/// The files whose analysis takes longest, beside what the parser needs for them.
fn slowest(texts: &[String], catalog: &Catalog) {
    let mut rows: Vec<(Duration, String)> = Vec::new();
    for text in texts {
        let unit = frontend::python::lower(text, &ModuleName::default()).unit;
        let started = used();
        drop(flow::analyse(unit.clone(), catalog, &flow::Settings::default()));
        let first =
            text.lines().find(|line| line.contains("class ") || line.contains("def ")).unwrap_or_default();
        rows.push((
            used() - started,
            format!("{} bytes, {} functions, {first}", text.len(), unit.functions.len()),
        ));
    }
    rows.sort();
    let total: Duration = rows.iter().map(|(took, _)| *took).sum();
    let last: Duration = rows.iter().rev().take(rows.len() / 10).map(|(took, _)| *took).sum();
    say(&format!(
        "the slowest tenth of the files takes {:.0} % of the analysis",
        100.0 * last.as_secs_f64() / total.as_secs_f64()
    ));
    rows.iter().rev().take(15).for_each(|(took, what)| say(&format!("{took:>10.1?}  {what}")));
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let options = unwaited::project::Options::default();
    let found = unwaited::project::find_files(&[folder.to_owned()], &options);
    let mut paths: Vec<_> = found.into_iter().flat_map(|found| found.files).map(|file| file.path).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "py"));
    paths
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (started, used) = (Instant::now(), used());
    let result = work();
    say(&format!("{:>10.1?} {:>10.1?}  {name}", started.elapsed(), self::used() - used));
    result
}

/// The time for which this thread has computed, where the system tells: what else runs on the machine is not in it.
fn used() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|it| it.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn say(line: &str) {
    // A figure that nobody reads is not worth an error.
    let _ = writeln!(std::io::stdout(), "{line}");
}
