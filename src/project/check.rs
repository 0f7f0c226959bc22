//! One run: read and analyse every file, ask the tree what it reads, then let the rules speak.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::baseline::{Baselines, Known};
use super::cache::{Cache, Found, Slot, Stored, Worth};
use super::crash::Crash;
use super::fix::{self, Fixed};
use super::outcome::{Silenced, plain_finding};
use super::settings::Settings;
use super::suppress::suppress;
use super::unread::{Keeper, Trees, forget, kept_names};
use super::walk::{self, Files, reason};
use super::{
    Change, File, FileReport, INTERNAL_ERROR, Input, Options, Outcome, Progress, SYNTAX_ERROR, Selection,
    UNREADABLE_FILE,
};
use super::{module_name, pool};
use crate::flow::{self, Analysis};
use crate::frontend::{self, Problem};
use crate::progress;
use crate::rules::{self, Context, Finding, Label, Law, Severity};
use crate::source::{self, Language, SourceFile, Span, Suppressions};

/// Checks files or a text. An error is a message for the user: nothing could be checked.
pub fn check(input: Input, options: &Options, progress: &dyn Progress) -> Result<Outcome, String> {
    let run = Run { options };
    match input {
        Input::Paths(paths) => run.check_paths(&paths, progress),
        Input::Text { bytes, name } => run.check_text(bytes, name.as_deref()),
    }
}

/// A file that was parsed and analysed.
pub(crate) struct Analysed {
    /// Where it is; `None` for a text that is no file.
    pub(crate) path: Option<PathBuf>,
    /// What happened to its handles.
    pub(crate) analysis: Analysis,
    /// What it is written in.
    pub(crate) language: Language,
    rules: Applied,
    source: SourceFile,
    problems: Vec<Problem>,
    suppressions: Suppressions,
    /// The names that it keeps handles under and never reads, before the tree was asked.
    kept: BTreeSet<String>,
    /// What is to be remembered of it beside its findings, and where.
    remember: Option<(Slot, Stored)>,
}

impl Remembered {
    fn keeper<'t>(&self, task: &'t Task<'_>) -> Keeper<'t> {
        Keeper { path: Some(&task.file.path), names: self.stored.kept().cloned().unwrap_or_default() }
    }
}

/// What decides which findings of a file are reported.
#[derive(Clone)]
struct Applied {
    settings: Arc<Settings>,
    selection: Selection,
    known: Known,
    worth: Worth,
}

/// What became of one file.
enum Read {
    /// Nothing is to be said of it, and it was not read to know that.
    Unread,
    Skipped,
    Failed(FileReport),
    Analysed(Box<Analysed>),
    Remembered(Box<Remembered>),
}

/// A file that was read, and not analysed: it is as it was when it was analysed before.
struct Remembered {
    source: SourceFile,
    stored: Stored,
    slot: Slot,
}

struct Run<'o> {
    options: &'o Options,
}

/// A file with the settings in force for it.
pub(crate) struct Task<'f> {
    pub(crate) file: &'f File,
    /// Where it really is.
    pub(crate) path: PathBuf,
    pub(crate) settings: Arc<Settings>,
    pub(crate) selection: Selection,
    /// The findings that are known.
    pub(crate) known: Known,
    /// Where in the cache it belongs.
    pub(crate) slot: Option<Slot>,
}

impl<'f> Task<'f> {
    /// An error is a message for the user.
    fn new(file: &'f File, options: &Options) -> Result<Self, String> {
        let of_file = options.resolver.of_file(&file.path);
        let (settings, path) = of_file.map_err(|error| error.to_string())?;
        let selection = settings.selection_for(&path);
        Ok(Self { file, path, settings, selection, known: Known::default(), slot: None })
    }
}

impl Run<'_> {
    fn check_paths(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<Outcome, String> {
        let found = walk::find_files(paths, self.options).map_err(|error| error.to_string())?;
        let Files { files, unreadable, mut notes, .. } = found;
        let mut tasks: Vec<Task<'_>> =
            files.iter().map(|file| Task::new(file, self.options)).collect::<Result<_, _>>()?;
        let baselines = Baselines::read(&mut tasks, self.options)?;
        progress.starts(files.len());
        let cache = Cache::open(&mut tasks, self.options);
        let read = pool::map(self.options.threads(), &tasks, |task| {
            let read = self.read(task, &cache);
            progress.advances();
            read
        });
        let mut reports: Vec<FileReport> = unreadable.iter().map(not_found).collect();
        let (mut analysed, mut remembered, mut passed_over) = (Vec::new(), Vec::new(), 0);
        for (task, read) in tasks.iter().zip(read) {
            match read {
                Ok(Read::Unread) => passed_over += 1,
                Ok(Read::Skipped) => {}
                Ok(Read::Failed(report)) => reports.push(report),
                Ok(Read::Analysed(file)) => analysed.push(*file),
                Ok(Read::Remembered(file)) => remembered.push((task, *file)),
                Err(crash) => reports.push(crashed(task.file.name(), &crash)),
            }
        }
        self.ask_the_trees(&mut analysed, remembered, &files, &mut reports);
        let (reported, changes) = self.report_all(analysed, &files, &cache);
        reports.extend(reported);
        notes.extend(cache.close());
        let outcome =
            Outcome { reports, files: files.len(), notes, changes, passed_over, ..Outcome::default() };
        conclude(outcome, &baselines)
    }

    fn check_text(&self, bytes: Vec<u8>, name: Option<&Path>) -> Result<Outcome, String> {
        if name.is_some_and(|name| Language::of(name).is_none() && name.extension().is_some()) {
            let note = "skipped the standard input: its file name is not that of a Python or Rust file";
            return Ok(Outcome { notes: vec![note.to_owned()], ..Outcome::default() });
        }
        let file = File { path: name.unwrap_or(Path::new("<stdin>")).to_owned(), named: true };
        let mut task = Task::new(&file, self.options)?;
        let baselines = Baselines::read(std::slice::from_mut(&mut task), self.options)?;
        let read = pool::map(1, &[bytes], |bytes| analyse(&task, name, bytes.clone(), None));
        let (reports, mut changes) = match read.into_iter().next() {
            None | Some(Ok(Read::Skipped | Read::Unread | Read::Remembered(_))) => Default::default(),
            Some(Ok(Read::Failed(report))) => (vec![report], Vec::new()),
            Some(Ok(Read::Analysed(file))) => {
                let mut analysed = vec![*file];
                Trees::new(self.options, &[]).forget_handles_that_are_read(&mut analysed);
                self.report_all(analysed, &[], &Cache::default())
            }
            Some(Err(crash)) => (vec![crashed(file.name(), &crash)], Vec::new()),
        };
        changes.iter_mut().for_each(|change| change.path = None);
        conclude(Outcome { reports, files: 1, changes, ..Outcome::default() }, &baselines)
    }

    /// Lets the rest of each tree say what it reads. Then the remembered files are reported, or analysed where it is not known
    /// what is found in them under these circumstances.
    fn ask_the_trees(
        &self,
        analysed: &mut Vec<Analysed>,
        remembered: Vec<(&Task<'_>, Remembered)>,
        given: &[File],
        reports: &mut Vec<FileReport>,
    ) {
        let of_remembered = remembered.iter().map(|(task, file)| file.keeper(task));
        let keepers: Vec<Keeper<'_>> = analysed.iter().map(Keeper::of).chain(of_remembered).collect();
        let mut unread = Trees::new(self.options, given).unread(&keepers);
        drop(keepers);
        let of_remembered = unread.split_off(analysed.len());
        analysed.iter_mut().zip(&unread).for_each(|(file, unread)| forget(file, unread));
        let mut again = Vec::new();
        for ((task, file), unread) in remembered.into_iter().zip(of_remembered) {
            match file.stored.found(&unread).and_then(Found::told) {
                Some((findings, mut silenced)) => {
                    let source = file.source;
                    let (findings, known) = task.known.divide(findings, Some(&source));
                    silenced.extend(known);
                    let name = source.name.clone();
                    reports.push(FileReport { name, source: Some(source), findings, silenced });
                }
                None => again.push((task, file, unread)),
            }
        }
        let anew = pool::map(self.options.threads(), &again, |(task, file, unread)| {
            let mut anew = analysed_file(task, Some(&task.file.path), file.source.clone());
            forget(&mut anew, unread);
            anew.remember = Some((file.slot.clone(), file.stored.clone()));
            anew
        });
        for (anew, (task, ..)) in anew.into_iter().zip(&again) {
            match anew {
                Ok(anew) => analysed.push(anew),
                Err(crash) => reports.push(crashed(task.file.name(), &crash)),
            }
        }
    }

    fn report_all(
        &self,
        analysed: Vec<Analysed>,
        given: &[File],
        cache: &Cache,
    ) -> (Vec<FileReport>, Vec<Change>) {
        let found = pool::map(self.options.threads(), &analysed, |file| self.fixed(file, given, cache));
        let (mut reports, mut changes) = (Vec::new(), Vec::new());
        for (file, found) in analysed.into_iter().zip(found) {
            let name = file.source.name.clone();
            match found {
                Err(crash) => reports.push(crashed(name, &crash)),
                Ok((fixed, silenced)) => {
                    let (before, after) = (file.source.raw(), fixed.source.raw());
                    changes.extend((before != after).then(|| Change {
                        path: file.path,
                        name: name.clone(),
                        before: before.to_owned(),
                        after: after.to_owned(),
                        fixed: fixed.rules.values().sum(),
                    }));
                    let (source, findings) = (Some(fixed.source), fixed.findings);
                    reports.push(FileReport { name, source, findings, silenced });
                }
            }
        }
        changes.sort_by(|left, right| left.name.cmp(&right.name));
        (reports, changes)
    }

    /// What is found in a file, after the fixes that are asked for, and what is found and not reported.
    fn fixed(&self, file: &Analysed, given: &[File], cache: &Cache) -> (Fixed, Vec<Silenced>) {
        let source = &file.source;
        let found = found(file);
        if let Some((slot, stored)) = &file.remember {
            let names = (file.kept.clone(), Keeper::of(file).names);
            cache.learn(slot, stored.with(Found::new(names, &found.0, &found.1)));
        }
        let (findings, silenced) = divided(file, found);
        let Some(allowed) = self.options.fix else {
            return (Fixed { source: source.clone(), findings, rules: BTreeMap::new() }, silenced);
        };
        let check = |source: &SourceFile| self.findings_in(file, source.clone(), given).0;
        let fixed = fix::fix(source, findings, allowed, &check);
        let silenced = match fixed.source.raw() == source.raw() {
            true => silenced,
            false => self.findings_in(file, fixed.source.clone(), given).1,
        };
        (fixed, silenced)
    }

    /// What would be found in a file if it were this one.
    fn findings_in(
        &self,
        file: &Analysed,
        source: SourceFile,
        given: &[File],
    ) -> (Vec<Finding>, Vec<Silenced>) {
        let mut changed = [analysed(source, file.path.as_deref(), file.rules.clone())];
        Trees::new(self.options, given).forget_handles_that_are_read(&mut changed);
        let [changed] = &changed;
        divided(changed, found(changed))
    }

    /// Reads a file, unless nothing is to be said of it and it has not changed.
    fn read(&self, task: &Task<'_>, cache: &Cache) -> Read {
        let file = task.file;
        let print = cache.print(task);
        if print.as_ref().and_then(|print| cache.recall(task, print)).is_some_and(|it| says_nothing(it, file))
        {
            return Read::Unread;
        }
        let bytes = match std::fs::read(&file.path) {
            Ok(bytes) => bytes,
            Err(error) => return Read::Failed(unreadable(file.name(), reason(&error))),
        };
        let print = print.map(|print| print.with(&bytes));
        if let Some(stored) = print.as_ref().and_then(|print| cache.recognise(task, print)) {
            if says_nothing(&stored, file) {
                return Read::Skipped;
            }
            if stored.kept().is_some() && !(self.options.fix.is_some() && stored.has_findings()) {
                return self.remembered(task, bytes, stored);
            }
        }
        let worth = worth_of(task, &bytes);
        let remember = task.slot.clone().zip(print.map(|print| Stored::new(print, worth)));
        if file.named || worth != Worth::Nothing {
            return analyse(task, Some(&file.path), bytes, remember);
        }
        if let Some((slot, stored)) = remember {
            cache.learn(&slot, stored);
        }
        Read::Skipped
    }

    fn remembered(&self, task: &Task<'_>, bytes: Vec<u8>, stored: Stored) -> Read {
        match (source_of(task, bytes), task.slot.clone()) {
            (Err(report), _) => Read::Failed(*report),
            (Ok(source), Some(slot)) => Read::Remembered(Box::new(Remembered { source, stored, slot })),
            (Ok(source), None) => {
                Read::Analysed(Box::new(analysed_file(task, Some(&task.file.path), source)))
            }
        }
    }
}

/// Whether nothing is to be said of a file of which this is remembered.
fn says_nothing(stored: &Stored, file: &File) -> bool {
    stored.is_silent() || (stored.is_worthless() && !file.named)
}

fn conclude(mut outcome: Outcome, baselines: &Baselines) -> Result<Outcome, String> {
    baselines.conclude(&mut outcome)?;
    outcome.reports = in_order(outcome.reports);
    Ok(outcome)
}

fn worth_of(task: &Task<'_>, bytes: &[u8]) -> Worth {
    let language = Language::of(&task.file.path).unwrap_or(Language::Python);
    let catalog = task.settings.catalog(language);
    if catalog.may_communicate(bytes) || source::speaks_to_us(bytes) || source::is_utf16(bytes) {
        return Worth::Handles;
    }
    match task.selection.selects_law(Law::Progress) && catalog.may_diverge(bytes) {
        // Whoever names a file gets all that there is.
        true if task.file.named => Worth::Handles,
        true => Worth::Ranks,
        false => Worth::Nothing,
    }
}

fn analyse(task: &Task<'_>, path: Option<&Path>, bytes: Vec<u8>, remember: Option<(Slot, Stored)>) -> Read {
    match source_of(task, bytes) {
        Err(report) => Read::Failed(*report),
        Ok(source) => Read::Analysed(Box::new(Analysed { remember, ..analysed_file(task, path, source) })),
    }
}

/// The text of a file, or the report that it has none.
fn source_of(task: &Task<'_>, bytes: Vec<u8>) -> Result<SourceFile, Box<FileReport>> {
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

fn analysed_file(task: &Task<'_>, path: Option<&Path>, source: SourceFile) -> Analysed {
    let rules = Applied {
        settings: Arc::clone(&task.settings),
        selection: task.selection.clone(),
        known: task.known.clone(),
        worth: if task.file.named { Worth::Handles } else { worth_of(task, source.text.as_bytes()) },
    };
    analysed(source, path, rules)
}

fn analysed(source: SourceFile, path: Option<&Path>, rules: Applied) -> Analysed {
    let module = path.filter(|path| !source::is_notebook(path));
    let module = module.map(module_name::module_name).unwrap_or_default();
    let language = path.and_then(Language::of).unwrap_or(Language::Python);
    let catalog = rules.settings.catalog(language);
    let lowered = match language {
        Language::Python => frontend::python::lower(&source.text, &module),
        Language::Rust => frontend::rust::lower(&source.text, catalog),
    };
    let settings = flow::Settings { backend: rules.settings.backend().map(str::to_owned) };
    let mut analysis = match rules.worth {
        Worth::Handles => flow::analyse(&lowered.unit, catalog, &settings),
        Worth::Ranks | Worth::Nothing => Analysis::default(),
    };
    if rules.selection.selects_law(Law::Progress) {
        analysis.events.extend(progress::analyse(&lowered.unit, catalog));
    }
    let suppressions = Suppressions::of(language, &source.text, &source.lines);
    let kept = kept_names(&analysis);
    Analysed {
        path: path.map(Path::to_owned),
        language,
        analysis,
        rules,
        source,
        problems: lowered.problems,
        suppressions,
        remember: None,
        kept,
    }
}

/// What is found in a file, and what comments suppress.
fn found(file: &Analysed) -> (Vec<Finding>, Vec<Silenced>) {
    let selection = &file.rules.selection;
    let catalog = file.rules.settings.catalog(file.language);
    let context = Context::new(catalog, &file.source.text, file.analysis.backend.as_deref());
    let mut findings = rules::check(&file.analysis.events, &context);
    findings.retain(|finding| selection.selects(finding.rule));
    if file.language == Language::Rust {
        // What a fix writes is Python.
        findings.iter_mut().for_each(|finding| finding.fix = None);
    }
    let (mut findings, mut silenced) =
        suppress(findings, &file.source, &file.suppressions, selection, file.problems.is_empty());
    let quiet = silenced.iter_mut().map(|silenced| &mut silenced.finding);
    for finding in findings.iter_mut().chain(quiet) {
        finding.severity = selection.severity_of(finding.rule).unwrap_or(finding.severity);
    }
    findings.extend(syntax_error(&file.problems));
    findings.sort_by_key(|finding| (finding.primary.span, finding.rule));
    (findings, silenced)
}

/// What is reported of a file, and what is not: beside what comments suppress, what is known.
fn divided(
    file: &Analysed,
    (findings, mut silenced): (Vec<Finding>, Vec<Silenced>),
) -> (Vec<Finding>, Vec<Silenced>) {
    let (findings, known) = file.rules.known.divide(findings, Some(&file.source));
    silenced.extend(known);
    (findings, silenced)
}

/// The first place of a file that could not be parsed; those behind it are mostly consequences.
fn syntax_error(problems: &[Problem]) -> Option<Finding> {
    let (first, rest) = problems.split_first()?;
    let mut finding = plain_finding(SYNTAX_ERROR, Severity::Error, first.message.clone(), first.span);
    finding.primary = Label { span: first.span, text: "this cannot be parsed".to_owned() };
    finding.help = match rest.len() {
        0 => "the rest of the file was checked".to_owned(),
        1 => "the rest of the file was checked, except for one more such place".to_owned(),
        more => format!("the rest of the file was checked, except for {more} more such places"),
    };
    Some(finding)
}

fn not_found((path, why): &(PathBuf, String)) -> FileReport {
    unreadable(File { path: path.clone(), named: true }.name(), why.clone())
}

fn unreadable(name: String, why: String) -> FileReport {
    FileReport::without_text(name, plain_finding(UNREADABLE_FILE, Severity::Error, why, Span::default()))
}

fn crashed(name: String, crash: &Crash) -> FileReport {
    let message = format!("the file could not be checked because of a defect in unwaited: {}", crash.0);
    let mut finding = plain_finding(INTERNAL_ERROR, Severity::Error, message, Span::default());
    finding.help = "please report it, with the file if you may; the other files were checked".to_owned();
    FileReport::without_text(name, finding)
}

fn in_order(mut reports: Vec<FileReport>) -> Vec<FileReport> {
    reports.retain(|report| !report.findings.is_empty() || !report.silenced.is_empty());
    reports.sort_by(|left, right| left.name.cmp(&right.name));
    reports
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_syntax_errors_speaks_for_all() {
        let problem = |at| Problem { span: Span::new(at, at + 1), message: format!("problem at {at}") };
        let finding = syntax_error(&[problem(3), problem(9), problem(12)]).unwrap();
        assert_eq!((finding.message.as_str(), finding.primary.span), ("problem at 3", Span::new(3, 4)));
        insta::assert_snapshot!(finding.help, @"the rest of the file was checked, except for 2 more such places");
        assert!(syntax_error(&[]).is_none());
    }
}
