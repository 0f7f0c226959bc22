//! A file that was parsed and analysed, and what is found in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::baseline::Known;
use super::cache::{Slot, Stored};
use super::check::Task;
use super::outcome::{Silenced, plain_finding};
use super::settings::Settings;
use super::suppress::suppress;
use super::survey::language_of;
use super::unread::kept_names;
use super::{SYNTAX_ERROR, Selection};
use crate::flow::{self, Analysis, Event, Extent, Tree};
use crate::frontend::{self, ModuleName, Problem};
use crate::progress;
use crate::rules::{self, Context, Finding, Label, Law, Severity};
use crate::source::{Language, SourceFile, Suppressions};

/// A file that was parsed and analysed.
pub(crate) struct Analysed {
    /// Its number in the run.
    pub(crate) number: usize,
    /// How much of it was analysed.
    pub(crate) extent: Extent,
    /// Where it is; `None` for a text that is no file.
    pub(crate) path: Option<PathBuf>,
    /// What happened to its handles.
    pub(crate) analysis: Analysis,
    /// What it is written in.
    pub(crate) language: Language,
    pub(crate) source: SourceFile,
    pub(crate) rules: Applied,
    /// The names that it keeps handles under and never reads, before the tree was asked.
    pub(crate) kept: BTreeSet<String>,
    /// What is to be remembered of it beside its findings, and where.
    pub(crate) remember: Option<(Slot, Stored)>,
    /// What happens between its ranks, which depends on no other file.
    pub(crate) ranks: Arc<[Event]>,
    problems: Vec<Problem>,
    suppressions: Suppressions,
}

/// What decides which findings of a file are reported.
#[derive(Clone)]
pub(crate) struct Applied {
    pub(crate) settings: Arc<Settings>,
    selection: Selection,
    known: Known,
}

impl Applied {
    pub(crate) fn of(task: &Task<'_>) -> Self {
        Self {
            settings: Arc::clone(&task.settings),
            selection: task.selection.clone(),
            known: task.known.clone(),
        }
    }
}

/// Where a file stands in a run.
pub(crate) struct Stand<'s> {
    pub(crate) number: usize,
    /// Where it is; `None` for a text that is no file.
    pub(crate) path: Option<&'s Path>,
    pub(crate) module: ModuleName,
    /// The modules around it.
    pub(crate) tree: &'s dyn Tree,
    /// How much of it is analysed.
    pub(crate) extent: Extent,
    /// What happens between its ranks, where that is known.
    pub(crate) ranks: Option<Arc<[Event]>>,
}

/// Parses and analyses a file.
pub(crate) fn analysed(source: SourceFile, stand: &Stand<'_>, rules: Applied) -> Analysed {
    let language = stand.path.map_or(Language::Python, language_of);
    let catalog = rules.settings.catalog(language);
    let lowered = match language {
        Language::Python => frontend::python::lower(&source.text, &stand.module),
        Language::Rust => frontend::rust::lower(&source.text, catalog),
    };
    let settings = flow::Settings { backend: rules.settings.backend().map(str::to_owned) };
    let ranks = stand.ranks.clone().unwrap_or_else(|| match rules.selection.selects_law(Law::Progress) {
        true => progress::analyse(&lowered.unit, catalog).into(),
        false => Arc::default(),
    });
    let place = flow::Place {
        module: &stand.module.dotted,
        file: &source.name,
        tree: stand.tree,
        extent: stand.extent,
    };
    let mut analysis = flow::analyse_in(lowered.unit, catalog, &settings, place);
    analysis.events.extend(ranks.iter().cloned());
    let suppressions = Suppressions::of(language, &source.text, &source.lines);
    let kept = kept_names(&analysis);
    Analysed {
        number: stand.number,
        extent: stand.extent,
        path: stand.path.map(Path::to_owned),
        analysis,
        language,
        source,
        rules,
        kept,
        remember: None,
        ranks,
        problems: lowered.problems,
        suppressions,
    }
}

/// What is found in a file, and what comments suppress.
pub(crate) fn found(file: &Analysed) -> (Vec<Finding>, Vec<Silenced>) {
    let selection = &file.rules.selection;
    let catalog = file.rules.settings.catalog(file.language);
    let context = Context::new(catalog, &file.source.text, file.analysis.backend.as_deref());
    let context = context.in_language(file.language);
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
    (findings, silenced)
}

/// What is reported of a file, and what is not: beside what comments suppress, what is known.
pub(crate) fn divided(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn the_first_of_several_syntax_errors_speaks_for_all() {
        let problem = |at| Problem { span: Span::new(at, at + 1), message: format!("problem at {at}") };
        let finding = syntax_error(&[problem(3), problem(9), problem(12)]).unwrap();
        assert_eq!((finding.message.as_str(), finding.primary.span), ("problem at 3", Span::new(3, 4)));
        insta::assert_snapshot!(finding.help, @"the rest of the file was checked, except for 2 more such places");
        assert!(syntax_error(&[]).is_none());
    }
}
