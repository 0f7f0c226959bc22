//! The survey of a run: which of its files are worth parsing, from their bytes or from what is remembered of them.
//!
//! - A **node** is a file that takes part in the analysis: it contains a word that communication needs, it was named, or it
//!   uses what such a file exports.
//! - Any other file is **idle**. It is read once; what is kept of it are hashes of the last names of what it imports.

use std::collections::BTreeSet;
use std::path::Path;

use super::buffer;
use super::cache::{Cache, Print, Slot, Stored, Worth};
use super::check::Task;
use super::module_name::module_name;
use super::modules::last_names;
use super::outcome::plain_finding;
use super::walk::reason;
use super::{FileReport, Options, UNREADABLE_FILE};
use crate::flow::Extent;
use crate::frontend::{self, ModuleName};
use crate::rules::{Law, Severity};
use crate::source::{self, Language, SourceFile, Span};

/// What is known of a file before any is analysed.
pub(crate) enum Surveyed {
    /// It is idle and as it was; nothing was read.
    Unread,
    /// It is idle.
    Idle(Box<Idle>),
    /// A node that is as it was when it was analysed.
    Remembered(Box<Stored>),
    /// A node.
    Node(Box<Text>),
    /// It has no text.
    Failed(Box<FileReport>),
}

/// A file that is not worth parsing by itself.
pub(crate) struct Idle {
    /// Hashes of the last names of what it imports.
    pub(crate) names: Vec<u64>,
    /// Where it is remembered, and what.
    pub(crate) remember: Option<(Slot, Stored)>,
}

/// The text of a node.
pub(crate) struct Text {
    pub(crate) source: SourceFile,
    /// The absolute dotted names of what it imports.
    pub(crate) imports: BTreeSet<String>,
    /// What is to be remembered of it beside its findings, and where.
    pub(crate) remember: Option<(Slot, Stored)>,
    /// How much of it is analysed.
    pub(crate) extent: Extent,
}

/// How much of a remembered node is analysed.
pub(crate) fn extent_of(task: &Task<'_>, stored: &Stored) -> Extent {
    if stored.is_worth_parsing() || task.is_wanted() { Extent::Whole } else { Extent::Users }
}

/// Looks at a file, and reads it unless it is as it was.
pub(crate) fn survey(task: &Task<'_>, cache: &Cache, options: &Options) -> Surveyed {
    let print = cache.print(task);
    let recalled = print.as_ref().and_then(|print| cache.recall(task, print));
    if let Some(stored) = recalled
        && let Some(known) = known(stored, task, options)
    {
        return known;
    }
    let bytes = match buffer::read(&task.file.path) {
        Ok(bytes) => bytes,
        Err(error) => return Surveyed::Failed(Box::new(unreadable(task.file.name(), reason(&error)))),
    };
    let print = print.map(|print| print.with(&bytes));
    let recognised = print.as_ref().and_then(|print| cache.recognise(task, print));
    if let Some(stored) = &recognised
        && let Some(known) = known(stored, task, options)
    {
        buffer::give_back(bytes);
        return known;
    }
    survey_bytes(task, bytes, print)
}

/// What a remembered file is without a look at its text.
fn known(stored: &Stored, task: &Task<'_>, options: &Options) -> Option<Surveyed> {
    if !stored.is_node() && !task.is_wanted() {
        return Some(Surveyed::Unread);
    }
    let is_fixed = options.fix.is_some() && stored.has_findings();
    (stored.kept().is_some() && !is_fixed).then(|| Surveyed::Remembered(Box::new(stored.clone())))
}

/// Looks at the bytes of a file.
pub(crate) fn survey_bytes(task: &Task<'_>, bytes: Vec<u8>, print: Option<Print>) -> Surveyed {
    let worth = worth_of(task, &bytes);
    let remember = task.slot.clone().zip(print.map(|print| Stored::new(print, worth)));
    if worth == Worth::Nothing && !task.is_wanted() {
        // The last names are those that are written, whatever the module is called.
        let imports = imports(task, &bytes, &ModuleName::default());
        let names = last_names(imports.iter().map(String::as_str)).into_iter().collect();
        buffer::give_back(bytes);
        return Surveyed::Idle(Box::new(Idle { names, remember }));
    }
    let extent = if worth == Worth::Ranks { Extent::Users } else { Extent::Whole };
    node(task, buffer::keep(bytes), remember, extent)
}

/// A file as a node, whatever its words.
pub(crate) fn node(
    task: &Task<'_>,
    bytes: Vec<u8>,
    remember: Option<(Slot, Stored)>,
    extent: Extent,
) -> Surveyed {
    let module = module_name(&task.file.path);
    let imports = imports(task, &bytes, &module);
    match source_of(task, bytes) {
        Err(report) => Surveyed::Failed(report),
        Ok(source) => Surveyed::Node(Box::new(Text { source, imports, remember, extent })),
    }
}

/// What a file imports.
pub(crate) fn imports(task: &Task<'_>, bytes: &[u8], module: &ModuleName) -> BTreeSet<String> {
    match language_of(&task.file.path) {
        Language::Python if source::is_notebook(&task.file.path) => BTreeSet::new(),
        Language::Python => frontend::python::imports(bytes, module),
        Language::Rust => BTreeSet::new(),
    }
}

/// What a file is written in; a script without an ending is in Python.
pub(crate) fn language_of(path: &Path) -> Language {
    Language::of(path).unwrap_or(Language::Python)
}

fn worth_of(task: &Task<'_>, bytes: &[u8]) -> Worth {
    let catalog = task.settings.catalog(language_of(&task.file.path));
    if catalog.may_communicate(bytes) || source::speaks_to_us(bytes) || source::is_utf16(bytes) {
        return Worth::Handles;
    }
    match task.selection.selects_law(Law::Progress) && catalog.may_diverge(bytes) {
        // Whoever names a file gets all that there is.
        true if task.is_wanted() => Worth::Handles,
        true => Worth::Ranks,
        false => Worth::Nothing,
    }
}

/// The text of a file, or the report that it has none.
pub(crate) fn source_of(task: &Task<'_>, bytes: Vec<u8>) -> Result<SourceFile, Box<FileReport>> {
    let name = task.file.name();
    let read = source::decode(bytes).and_then(|text| match source::is_notebook(&task.file.path) {
        true => SourceFile::of_notebook(name.clone(), text),
        false => Ok(SourceFile::new(name.clone(), text)),
    });
    match read {
        Ok(source) => Ok(source),
        Err(error) => {
            let mut finding = plain_finding(UNREADABLE_FILE, Severity::Error, error.message, Span::default());
            finding.help = error.help;
            Err(Box::new(FileReport::without_text(name, finding)))
        }
    }
}

/// The report of a file that cannot be read.
pub(crate) fn unreadable(name: String, why: String) -> FileReport {
    FileReport::without_text(name, plain_finding(UNREADABLE_FILE, Severity::Error, why, Span::default()))
}
