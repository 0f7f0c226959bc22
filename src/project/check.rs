//! One run: survey every file, analyse those that communicate, ask the tree what it reads, then let the rules speak.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::analysed::{Analysed, Applied, divided, found};
use super::baseline::{Baselines, Known};
use super::cache::{Cache, Found, Slot, Stored};
use super::context::{imported_by, imported_files};
use super::crash::Crash;
use super::elsewhere::Places;
use super::fix::{self, Fixed};
use super::linking::{Linked, Linking};
use super::modules::Modules;
use super::outcome::{Silenced, plain_finding};
use super::pool;
use super::settings::Settings;
use super::survey::{Surveyed, extent_of, source_of, survey, survey_bytes, unreadable};
use super::unread::{Keeper, Trees, forget};
use super::walk::{self, Files};
use super::{Change, File, FileReport, INTERNAL_ERROR, Input, Options, Outcome, Progress, Selection};
use crate::rules::{Finding, Severity};
use crate::source::{Language, SourceFile, Span};

/// Checks files or a text. An error is a message for the user: nothing could be checked.
pub fn check(input: Input, options: &Options, progress: &dyn Progress) -> Result<Outcome, String> {
    let run = Run { options };
    match input {
        Input::Paths(paths) => run.check_paths(&paths, progress),
        Input::Text { bytes, name } => run.check_text(bytes, name.as_deref()),
    }
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
    part: Part,
}

/// What part a file has in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its findings are reported.
    Checked,
    /// A checked file imports it.
    Context,
    /// It is a text that is checked, and no file.
    Text,
}

impl<'f> Task<'f> {
    /// An error is a message for the user.
    fn new(file: &'f File, part: Part, options: &Options) -> Result<Self, String> {
        let of_file = options.resolver.of_file(&file.path);
        let (settings, path) = of_file.map_err(|error| error.to_string())?;
        let selection = settings.selection_for(&path);
        Ok(Self { file, path, settings, selection, known: Known::default(), slot: None, part })
    }

    /// Whether it is analysed whatever its words are.
    pub(crate) fn is_wanted(&self) -> bool {
        self.file.named && self.part != Part::Context
    }

    /// Where it is; `None` for a text that is no file.
    pub(crate) fn path_of_file(&self) -> Option<&'f Path> {
        let is_nameless = self.part == Part::Text && self.file.path == Path::new(STDIN);
        (!is_nameless).then_some(&self.file.path)
    }
}

/// The name of a text that has none.
const STDIN: &str = walk::STANDARD_INPUT;

struct Run<'o> {
    options: &'o Options,
}

/// A file that was read, and not analysed: it is as it was when it was analysed before.
struct Remembered {
    source: SourceFile,
    stored: Stored,
}

impl Remembered {
    fn keeper<'t>(&self, task: &'t Task<'_>) -> Keeper<'t> {
        Keeper { path: Some(&task.file.path), names: self.stored.kept().cloned().unwrap_or_default() }
    }
}

/// What the reports of a run are made of.
struct Analyses<'t> {
    analysed: Vec<Analysed>,
    remembered: Vec<(usize, Remembered)>,
    reports: Vec<FileReport>,
    passed_over: usize,
    linked: Linked<'t>,
}

impl Run<'_> {
    fn check_paths(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<Outcome, String> {
        let found = walk::find_files(paths, self.options).map_err(|error| error.to_string())?;
        let Files { files, unreadable, mut notes, .. } = found;
        let context = imported_files(&files);
        let mut tasks = self.tasks(&files, &context)?;
        let baselines = Baselines::read(&mut tasks[..files.len()], self.options)?;
        progress.starts(tasks.len());
        let cache = Cache::open(&mut tasks, self.options);
        let modules = Modules::of(tasks.iter().map(|task| task.file.path.as_path()));
        let surveyed = pool::map(self.options.threads(), &tasks, |task| {
            let surveyed = survey(task, &cache, self.options);
            progress.advances();
            surveyed
        });
        let mut analyses = self.analyse(&tasks, &modules, surveyed, &cache);
        let unreadable = unreadable.iter().map(not_found);
        analyses.reports.extend(unreadable);
        let passed_over = analyses.passed_over;
        let (reports, changes) = self.report(analyses, &tasks, &files, &cache);
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
        let file = File { path: name.unwrap_or(Path::new(STDIN)).to_owned(), named: true };
        let context = name.map(|_| imported_by(&file, &bytes)).unwrap_or_default();
        let mut tasks = vec![Task::new(&file, Part::Text, self.options)?];
        let baselines = Baselines::read(&mut tasks, self.options)?;
        for file in &context {
            tasks.push(Task::new(file, Part::Context, self.options)?);
        }
        let modules = Modules::of(tasks.iter().map(|task| task.file.path.as_path()));
        let cache = Cache::default();
        let surveyed = pool::map(self.options.threads(), &tasks, |task| match task.part {
            Part::Text => survey_bytes(task, bytes.clone(), None),
            Part::Checked | Part::Context => survey(task, &cache, self.options),
        });
        let analyses = self.analyse(&tasks, &modules, surveyed, &cache);
        let (reports, mut changes) = self.report(analyses, &tasks, &[], &cache);
        changes.iter_mut().for_each(|change| change.path = None);
        conclude(Outcome { reports, files: 1, changes, ..Outcome::default() }, &baselines)
    }

    fn tasks<'f>(&self, files: &'f [File], context: &'f [File]) -> Result<Vec<Task<'f>>, String> {
        let checked = files.iter().map(|file| Task::new(file, Part::Checked, self.options));
        let context = context.iter().map(|file| Task::new(file, Part::Context, self.options));
        checked.chain(context).collect()
    }

    /// Analyses what has to be, and sorts the files by what has become of them.
    fn analyse<'t>(
        &self,
        tasks: &'t [Task<'_>],
        modules: &'t Modules,
        surveyed: Vec<Result<Surveyed, Crash>>,
        cache: &Cache,
    ) -> Analyses<'t> {
        let mut reports = Vec::new();
        let surveyed = surveyed.into_iter().zip(tasks).map(|(surveyed, task)| {
            let crashed = |crash: Crash| Surveyed::Failed(Box::new(crashed(task.file.name(), &crash)));
            surveyed.unwrap_or_else(crashed)
        });
        let mut linking = Linking::new(tasks, modules, surveyed.collect(), self.options.threads());
        linking.analyse(cache);
        let Linking { members, linked, .. } = linking;
        let (mut analysed, mut remembered, mut passed_over) = (Vec::new(), Vec::new(), 0);
        for (number, (task, member)) in tasks.iter().zip(members).enumerate() {
            if task.part == Part::Context {
                continue;
            }
            match (member.state, member.analysed) {
                (_, Some(Ok(file))) => analysed.push(*file),
                (_, Some(Err(crash))) => reports.push(crashed(task.file.name(), &crash)),
                (Surveyed::Failed(report), _) => reports.push(*report),
                (Surveyed::Unread, _) => passed_over += 1,
                (Surveyed::Remembered(stored), _) if stored.is_silent() => passed_over += 1,
                (Surveyed::Remembered(stored), _) => match recalled_source(task) {
                    Ok(source) => remembered.push((number, Remembered { source, stored: *stored })),
                    Err(report) => reports.push(*report),
                },
                (Surveyed::Idle(_) | Surveyed::Node(_), _) => {}
            }
        }
        Analyses { analysed, remembered, reports, passed_over, linked }
    }

    /// Lets the rest of each tree say what it reads, and the rules what they find.
    fn report(
        &self,
        analyses: Analyses<'_>,
        tasks: &[Task<'_>],
        given: &[File],
        cache: &Cache,
    ) -> (Vec<FileReport>, Vec<Change>) {
        let Analyses { mut analysed, remembered, mut reports, linked, .. } = analyses;
        self.ask_the_trees(&mut analysed, remembered, tasks, &linked, given, &mut reports);
        let (reported, changes) = self.report_all(analysed, &linked, given, cache);
        reports.extend(reported);
        (reports, changes)
    }

    /// Lets the rest of each tree say what it reads. Then the remembered files are reported, or analysed where it is not known
    /// what is found in them under these circumstances.
    fn ask_the_trees(
        &self,
        analysed: &mut Vec<Analysed>,
        remembered: Vec<(usize, Remembered)>,
        tasks: &[Task<'_>],
        linked: &Linked<'_>,
        given: &[File],
        reports: &mut Vec<FileReport>,
    ) {
        let of_remembered = remembered.iter().map(|(number, file)| file.keeper(&tasks[*number]));
        let keepers: Vec<Keeper<'_>> = analysed.iter().map(Keeper::of).chain(of_remembered).collect();
        let mut unread = Trees::new(self.options, given).unread(&keepers);
        drop(keepers);
        let of_remembered = unread.split_off(analysed.len());
        analysed.iter_mut().zip(&unread).for_each(|(file, unread)| forget(file, unread));
        let mut again = Vec::new();
        for ((number, file), unread) in remembered.into_iter().zip(of_remembered) {
            match file.stored.found(&unread).and_then(Found::told) {
                Some((findings, mut silenced)) => {
                    let source = file.source;
                    let (findings, known) = tasks[number].known.divide(findings, Some(&source));
                    silenced.extend(known);
                    let name = source.name.clone();
                    reports.push(FileReport { name, source: Some(source), findings, silenced });
                }
                None => again.push((number, file, unread)),
            }
        }
        let anew = pool::map(self.options.threads(), &again, |(number, file, unread)| {
            let task = &tasks[*number];
            let source = file.source.clone();
            let mut anew = linked.analyse(
                *number,
                task.path_of_file(),
                source,
                Applied::of(task),
                extent_of(task, &file.stored),
                None,
            );
            forget(&mut anew, unread);
            anew.remember = task.slot.clone().map(|slot| (slot, file.stored.clone()));
            anew
        });
        for (anew, (number, ..)) in anew.into_iter().zip(&again) {
            match anew {
                Ok(anew) => analysed.push(anew),
                Err(crash) => reports.push(crashed(tasks[*number].file.name(), &crash)),
            }
        }
    }

    fn report_all(
        &self,
        analysed: Vec<Analysed>,
        linked: &Linked<'_>,
        given: &[File],
        cache: &Cache,
    ) -> (Vec<FileReport>, Vec<Change>) {
        let places = Places::default();
        let report = Reporting { options: self.options, linked, given, cache, places: &places };
        let found = pool::map(self.options.threads(), &analysed, |file| report.fixed(file));
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
                        found: fixed.found,
                    }));
                    let (source, findings) = (Some(fixed.source), fixed.findings);
                    reports.push(FileReport { name, source, findings, silenced });
                }
            }
        }
        changes.sort_by(|left, right| left.name.cmp(&right.name));
        (reports, changes)
    }
}

/// What a report of a file needs beside the file.
struct Reporting<'r> {
    options: &'r Options,
    linked: &'r Linked<'r>,
    given: &'r [File],
    cache: &'r Cache,
    places: &'r Places,
}

impl Reporting<'_> {
    /// What is found in a file, after the fixes that are asked for, and what is found and not reported.
    fn fixed(&self, file: &Analysed) -> (Fixed, Vec<Silenced>) {
        let source = &file.source;
        let (made, silenced) = self.found(file);
        let found_in = |source: &SourceFile| self.found(&self.analysed_anew(file, source.clone())).0;
        let offered = fix::offered(source, made.clone(), &found_in);
        if let Some((slot, stored)) = &file.remember {
            let names = (file.kept.clone(), Keeper::of(file).names);
            self.cache.learn(slot, stored.with(Found::new(names, &offered, &silenced)));
        }
        let Some(allowed) = self.options.fix else {
            let (findings, silenced) = divided(file, (offered, silenced));
            return (Fixed::unchanged(source.clone(), findings), silenced);
        };
        let (findings, silenced) = divided(file, (made, silenced));
        let check = |source: &SourceFile| self.findings_in(file, source.clone()).0;
        let fixed = fix::fix(source, findings, allowed, &check);
        let silenced = match fixed.source.raw() == source.raw() {
            true => silenced,
            false => self.findings_in(file, fixed.source.clone()).1,
        };
        (fixed, silenced)
    }

    fn found(&self, file: &Analysed) -> (Vec<Finding>, Vec<Silenced>) {
        let (mut findings, mut silenced) = found(file);
        let quiet = silenced.iter_mut().map(|silenced| &mut silenced.finding);
        findings.iter_mut().chain(quiet).for_each(|finding| self.places.find(finding));
        (findings, silenced)
    }

    /// What would be reported of a file if it were this one.
    fn findings_in(&self, file: &Analysed, source: SourceFile) -> (Vec<Finding>, Vec<Silenced>) {
        let changed = self.analysed_anew(file, source);
        divided(&changed, self.found(&changed))
    }

    /// A file as it would be analysed if its text were this one.
    fn analysed_anew(&self, file: &Analysed, source: SourceFile) -> Analysed {
        let (path, rules) = (file.path.as_deref(), file.rules.clone());
        let mut changed = self.linked.analyse(file.number, path, source, rules, file.extent, None);
        Trees::new(self.options, self.given).forget_handles_that_are_read(std::slice::from_mut(&mut changed));
        changed
    }
}

fn conclude(mut outcome: Outcome, baselines: &Baselines) -> Result<Outcome, String> {
    baselines.conclude(&mut outcome)?;
    outcome.reports = in_order(outcome.reports);
    Ok(outcome)
}

fn recalled_source(task: &Task<'_>) -> Result<SourceFile, Box<FileReport>> {
    match std::fs::read(&task.file.path) {
        Ok(bytes) => source_of(task, bytes),
        Err(error) => Err(Box::new(unreadable(task.file.name(), walk::reason(&error)))),
    }
}

fn not_found((path, why): &(PathBuf, String)) -> FileReport {
    unreadable(File { path: path.clone(), named: true }.name(), why.clone())
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
