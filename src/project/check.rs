//! One run: read and analyse every file, ask the tree what it reads, then let the rules speak.

use std::path::{Path, PathBuf};

use super::crash::Crash;
use super::outcome::plain_finding;
use super::suppress::suppress;
use super::unread::Trees;
use super::walk::{self, Files, reason};
use super::{
    File, FileReport, INTERNAL_ERROR, Input, Options, Outcome, Progress, SYNTAX_ERROR, UNREADABLE_FILE,
};
use super::{module_name, pool};
use crate::catalog::Catalog;
use crate::flow::{self, Analysis};
use crate::frontend::{self, Problem};
use crate::progress;
use crate::rules::{self, Context, Finding, Label, Severity};
use crate::source::{self, Language, SourceFile, Span, Suppressions};

/// Checks files or a text. An error is a message for the user: nothing could be checked.
pub fn check(input: Input, options: &Options, progress: &dyn Progress) -> Result<Outcome, String> {
    let catalog = Catalog::new(Language::Python, &[]).map_err(|error| error.to_string())?;
    let run = Run { catalog, options };
    match input {
        Input::Paths(paths) => run.check_paths(&paths, progress),
        Input::Text { bytes, name } => Ok(run.check_text(bytes, name.as_deref())),
    }
}

/// A file that was parsed and analysed.
pub(crate) struct Analysed {
    /// Where it is; `None` for a text that is no file.
    pub(crate) path: Option<PathBuf>,
    /// What happened to its handles.
    pub(crate) analysis: Analysis,
    source: SourceFile,
    problems: Vec<Problem>,
    suppressions: Suppressions,
}

/// What became of one file.
enum Read {
    Skipped,
    Failed(FileReport),
    Analysed(Box<Analysed>),
}

/// Why a file is read.
#[derive(Clone, Copy)]
enum Reason {
    /// It may start something, or was asked for.
    Handles,
    /// It starts nothing, and its ranks may still wait for each other.
    Ranks,
}

struct Run<'o> {
    catalog: Catalog,
    options: &'o Options,
}

impl Run<'_> {
    fn check_paths(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<Outcome, String> {
        let Files { files, unreadable, notes, .. } =
            walk::find_files(paths, &self.options.walk).map_err(|error| error.to_string())?;
        progress.starts(files.len());
        let read = pool::map(self.options.walk.threads(), &files, |file| {
            let read = self.read(file);
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
        reports.extend(self.report_all(analysed, &files));
        Ok(Outcome { reports: in_order(reports), files: files.len(), notes })
    }

    fn check_text(&self, bytes: Vec<u8>, name: Option<&Path>) -> Outcome {
        let file = name.map(|name| File { path: name.to_owned(), named: true });
        if name.is_some_and(|name| Language::of(name).is_none() && name.extension().is_some()) {
            let note = "skipped the standard input: its file name is not that of a Python file";
            return Outcome { notes: vec![note.to_owned()], ..Outcome::default() };
        }
        let shown = file.as_ref().map_or_else(|| "<stdin>".to_owned(), File::name);
        let read =
            pool::map(1, &[bytes], |bytes| self.analyse(shown.clone(), name, bytes.clone(), Reason::Handles));
        let reports = match read.into_iter().next() {
            None | Some(Ok(Read::Skipped)) => Vec::new(),
            Some(Ok(Read::Failed(report))) => vec![report],
            Some(Ok(Read::Analysed(analysed))) => self.report_all(vec![*analysed], &[]),
            Some(Err(crash)) => vec![crashed(shown, &crash)],
        };
        Outcome { reports: in_order(reports), files: 1, notes: Vec::new() }
    }

    fn read(&self, file: &File) -> Read {
        let bytes = match std::fs::read(&file.path) {
            Ok(bytes) => bytes,
            Err(error) => return Read::Failed(unreadable(file.name(), reason(&error))),
        };
        let reason = match file.named || self.is_worth_parsing(&bytes) {
            true => Reason::Handles,
            false if self.catalog.may_diverge(&bytes) => Reason::Ranks,
            false => return Read::Skipped,
        };
        self.analyse(file.name(), Some(&file.path), bytes, reason)
    }

    fn is_worth_parsing(&self, bytes: &[u8]) -> bool {
        self.catalog.may_communicate(bytes) || source::speaks_to_us(bytes) || source::is_utf16(bytes)
    }

    fn analyse(&self, name: String, path: Option<&Path>, bytes: Vec<u8>, reason: Reason) -> Read {
        let text = match source::decode(bytes) {
            Ok(text) => text,
            Err(_) if matches!(reason, Reason::Ranks) => return Read::Skipped,
            Err(error) => {
                let mut finding =
                    plain_finding(UNREADABLE_FILE, Severity::Error, error.message, Span::default());
                finding.help = error.help;
                return Read::Failed(FileReport::without_text(name, finding));
            }
        };
        let source = SourceFile::new(name, text);
        let module = path.map(module_name::module_name).unwrap_or_default();
        let lowered = frontend::python::lower(&source.text, &module);
        let settings = flow::Settings { backend: self.options.backend.clone() };
        let mut analysis = match reason {
            Reason::Handles => flow::analyse(&lowered.unit, &self.catalog, &settings),
            // Nobody asked for this file, and what is wrong with its form is no matter of ours.
            Reason::Ranks if !lowered.problems.is_empty() => return Read::Skipped,
            Reason::Ranks => Analysis::default(),
        };
        analysis.events.extend(progress::analyse(&lowered.unit, &self.catalog));
        let suppressions = Suppressions::of(Language::Python, &source.text, &source.lines);
        Read::Analysed(Box::new(Analysed {
            path: path.map(Path::to_owned),
            analysis,
            source,
            problems: lowered.problems,
            suppressions,
        }))
    }

    fn report_all(&self, mut analysed: Vec<Analysed>, given: &[File]) -> Vec<FileReport> {
        Trees::new(self.options, given).forget_handles_that_are_read(&mut analysed);
        let reports = pool::map(self.options.walk.threads(), &analysed, |file| self.findings(file));
        let named = analysed.into_iter().zip(reports);
        named
            .map(|(file, findings)| match findings {
                Ok(findings) => {
                    FileReport { name: file.source.name.clone(), source: Some(file.source), findings }
                }
                Err(crash) => crashed(file.source.name, &crash),
            })
            .collect()
    }

    fn findings(&self, file: &Analysed) -> Vec<Finding> {
        let selection = &self.options.selection;
        let context = Context {
            catalog: &self.catalog,
            text: &file.source.text,
            backend: file.analysis.backend.as_deref(),
        };
        let mut findings = rules::check(&file.analysis.events, &context);
        findings.retain(|finding| selection.selects(finding.rule));
        let mut findings =
            suppress(findings, &file.source, &file.suppressions, selection, file.problems.is_empty());
        for finding in &mut findings {
            finding.severity = selection.severity_of(finding.rule).unwrap_or(finding.severity);
        }
        findings.extend(syntax_error(&file.problems));
        findings.sort_by_key(|finding| (finding.primary.span, finding.rule));
        findings
    }
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
    reports.retain(|report| !report.findings.is_empty());
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
