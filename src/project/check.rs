//! One run: read and analyse every file, ask the tree what it reads, then let the rules speak.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::baseline::{Baselines, Known};
use super::crash::Crash;
use super::fix::{self, Fixed};
use super::outcome::{Silenced, plain_finding};
use super::settings::Settings;
use super::suppress::suppress;
use super::unread::Trees;
use super::walk::{self, Files, reason};
use super::{
    Change, File, FileReport, INTERNAL_ERROR, Input, Options, Outcome, Progress, SYNTAX_ERROR, Selection,
    UNREADABLE_FILE,
};
use super::{module_name, pool};
use crate::flow::{self, Analysis};
use crate::frontend::{self, Problem};
use crate::rules::{self, Context, Finding, Label, Severity};
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
    rules: Applied,
    source: SourceFile,
    problems: Vec<Problem>,
    suppressions: Suppressions,
}

/// What decides which findings of a file are reported.
#[derive(Clone)]
struct Applied {
    settings: Arc<Settings>,
    selection: Selection,
    known: Known,
}

/// What became of one file.
enum Read {
    Skipped,
    Failed(FileReport),
    Analysed(Box<Analysed>),
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
}

impl<'f> Task<'f> {
    /// An error is a message for the user.
    fn new(file: &'f File, options: &Options) -> Result<Self, String> {
        let of_file = options.resolver.of_file(&file.path);
        let (settings, path) = of_file.map_err(|error| error.to_string())?;
        let selection = settings.selection_for(&path);
        Ok(Self { file, path, settings, selection, known: Known::default() })
    }
}

impl Run<'_> {
    fn check_paths(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<Outcome, String> {
        let found = walk::find_files(paths, self.options).map_err(|error| error.to_string())?;
        let Files { files, unreadable, notes, .. } = found;
        let mut tasks: Vec<Task<'_>> =
            files.iter().map(|file| Task::new(file, self.options)).collect::<Result<_, _>>()?;
        let baselines = Baselines::read(&mut tasks, self.options)?;
        progress.starts(files.len());
        let read = pool::map(self.options.threads(), &tasks, |task| {
            let read = read(task);
            progress.advances();
            read
        });
        let mut reports: Vec<FileReport> = unreadable.iter().map(not_found).collect();
        let mut analysed = Vec::new();
        for (file, read) in files.iter().zip(read) {
            match read {
                Ok(Read::Skipped) => {}
                Ok(Read::Failed(report)) => reports.push(report),
                Ok(Read::Analysed(file)) => analysed.push(*file),
                Err(crash) => reports.push(crashed(file.name(), &crash)),
            }
        }
        let (reported, changes) = self.report_all(analysed, &files);
        reports.extend(reported);
        let outcome = Outcome { reports, files: files.len(), notes, changes, ..Outcome::default() };
        conclude(outcome, &baselines)
    }

    fn check_text(&self, bytes: Vec<u8>, name: Option<&Path>) -> Result<Outcome, String> {
        if name.is_some_and(|name| Language::of(name).is_none() && name.extension().is_some()) {
            let note = "skipped the standard input: its file name is not that of a Python file";
            return Ok(Outcome { notes: vec![note.to_owned()], ..Outcome::default() });
        }
        let file = File { path: name.unwrap_or(Path::new("<stdin>")).to_owned(), named: true };
        let mut task = Task::new(&file, self.options)?;
        let baselines = Baselines::read(std::slice::from_mut(&mut task), self.options)?;
        let read = pool::map(1, &[bytes], |bytes| analyse(&task, name, bytes.clone()));
        let (reports, mut changes) = match read.into_iter().next() {
            None | Some(Ok(Read::Skipped)) => Default::default(),
            Some(Ok(Read::Failed(report))) => (vec![report], Vec::new()),
            Some(Ok(Read::Analysed(analysed))) => self.report_all(vec![*analysed], &[]),
            Some(Err(crash)) => (vec![crashed(file.name(), &crash)], Vec::new()),
        };
        changes.iter_mut().for_each(|change| change.path = None);
        conclude(Outcome { reports, files: 1, changes, ..Outcome::default() }, &baselines)
    }

    fn report_all(&self, mut analysed: Vec<Analysed>, given: &[File]) -> (Vec<FileReport>, Vec<Change>) {
        Trees::new(self.options, given).forget_handles_that_are_read(&mut analysed);
        let found = pool::map(self.options.threads(), &analysed, |file| self.fixed(file, given));
        let (mut reports, mut changes) = (Vec::new(), Vec::new());
        for (file, found) in analysed.into_iter().zip(found) {
            let name = file.source.name.clone();
            match found {
                Err(crash) => reports.push(crashed(name, &crash)),
                Ok((fixed, silenced)) if fixed.text == file.source.text => {
                    let (source, findings) = (Some(file.source), fixed.findings);
                    reports.push(FileReport { name, source, findings, silenced });
                }
                Ok((fixed, silenced)) => {
                    let source = Some(SourceFile::new(name.clone(), fixed.text.clone()));
                    reports.push(FileReport { name, source, findings: fixed.findings, silenced });
                    changes.push(Change {
                        path: file.path,
                        name: file.source.name,
                        before: file.source.text,
                        after: fixed.text,
                        fixed: fixed.rules.values().sum(),
                    });
                }
            }
        }
        changes.sort_by(|left, right| left.name.cmp(&right.name));
        (reports, changes)
    }

    /// What is found in a file, after the fixes that are asked for, and what is found and not reported.
    fn fixed(&self, file: &Analysed, given: &[File]) -> (Fixed, Vec<Silenced>) {
        let text = &file.source.text;
        let (findings, silenced) = findings(file);
        let Some(allowed) = self.options.fix else {
            return (Fixed { text: text.clone(), findings, rules: BTreeMap::new() }, silenced);
        };
        let fixed = fix::fix(text, findings, allowed, &|text| self.findings_of_text(file, text, given).0);
        let silenced = match fixed.text == *text {
            true => silenced,
            false => self.findings_of_text(file, &fixed.text, given).1,
        };
        (fixed, silenced)
    }

    /// What would be found in a file if it had this text.
    fn findings_of_text(&self, file: &Analysed, text: &str, given: &[File]) -> (Vec<Finding>, Vec<Silenced>) {
        let source = SourceFile::new(file.source.name.clone(), text);
        let mut changed = [analysed(source, file.path.as_deref(), file.rules.clone())];
        Trees::new(self.options, given).forget_handles_that_are_read(&mut changed);
        let [changed] = &changed;
        findings(changed)
    }
}

fn conclude(mut outcome: Outcome, baselines: &Baselines) -> Result<Outcome, String> {
    baselines.conclude(&mut outcome)?;
    outcome.reports = in_order(outcome.reports);
    Ok(outcome)
}

fn read(task: &Task<'_>) -> Read {
    let file = task.file;
    let bytes = match std::fs::read(&file.path) {
        Ok(bytes) => bytes,
        Err(error) => return Read::Failed(unreadable(file.name(), reason(&error))),
    };
    if !file.named && !is_worth_parsing(task, &bytes) {
        return Read::Skipped;
    }
    analyse(task, Some(&file.path), bytes)
}

fn is_worth_parsing(task: &Task<'_>, bytes: &[u8]) -> bool {
    let catalog = task.settings.catalog(Language::Python);
    catalog.may_communicate(bytes) || source::speaks_to_us(bytes) || source::is_utf16(bytes)
}

fn analyse(task: &Task<'_>, path: Option<&Path>, bytes: Vec<u8>) -> Read {
    let name = task.file.name();
    let text = match source::decode(bytes) {
        Ok(text) => text,
        Err(error) => {
            let mut finding = plain_finding(UNREADABLE_FILE, Severity::Error, error.message, Span::default());
            finding.help = error.help;
            return Read::Failed(FileReport::without_text(name, finding));
        }
    };
    let rules = Applied {
        settings: Arc::clone(&task.settings),
        selection: task.selection.clone(),
        known: task.known.clone(),
    };
    Read::Analysed(Box::new(analysed(SourceFile::new(name, text), path, rules)))
}

fn analysed(source: SourceFile, path: Option<&Path>, rules: Applied) -> Analysed {
    let module = path.map(module_name::module_name).unwrap_or_default();
    let lowered = frontend::python::lower(&source.text, &module);
    let catalog = rules.settings.catalog(Language::Python);
    let settings = flow::Settings { backend: rules.settings.backend().map(str::to_owned) };
    let analysis = flow::analyse(&lowered.unit, catalog, &settings);
    let suppressions = Suppressions::of(Language::Python, &source.text, &source.lines);
    Analysed {
        path: path.map(Path::to_owned),
        analysis,
        rules,
        source,
        problems: lowered.problems,
        suppressions,
    }
}

/// What is reported of a file, and what is not.
fn findings(file: &Analysed) -> (Vec<Finding>, Vec<Silenced>) {
    let selection = &file.rules.selection;
    let catalog = file.rules.settings.catalog(Language::Python);
    let context = Context::new(catalog, &file.source.text, file.analysis.backend.as_deref());
    let mut findings = rules::check(&file.analysis.events, &context);
    findings.retain(|finding| selection.selects(finding.rule));
    let (mut findings, mut silenced) =
        suppress(findings, &file.source, &file.suppressions, selection, file.problems.is_empty());
    let quiet = silenced.iter_mut().map(|silenced| &mut silenced.finding);
    for finding in findings.iter_mut().chain(quiet) {
        finding.severity = selection.severity_of(finding.rule).unwrap_or(finding.severity);
    }
    findings.extend(syntax_error(&file.problems));
    findings.sort_by_key(|finding| (finding.primary.span, finding.rule));
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
