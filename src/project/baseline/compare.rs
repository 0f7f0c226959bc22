//! Compares what a run has found with the baselines of its files, or writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{BASELINE, Baseline, Entry};
use crate::project::check::Task;
use crate::project::root::Roots;
use crate::project::settings::{Discovery, Settings};
use crate::project::walk::shown;
use crate::project::{Options, Outcome, is_failure, known_rules};

/// What a run does with the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaselineUse {
    /// Nothing.
    #[default]
    Ignored,
    /// Known findings are not reported.
    Compared,
    /// What is found is known from now on.
    Written,
}

/// The files of a run that have the same baseline.
#[derive(Default)]
struct Group {
    /// The names of files in the baseline, by those in reports.
    names: BTreeMap<String, String>,
    /// The rules that each file was checked for; a file that could not be checked wholly is not here.
    looked: BTreeMap<String, BTreeSet<&'static str>>,
}

/// Compares with the baselines, or writes them. An error is a message for the user.
pub(crate) fn compare(outcome: &mut Outcome, tasks: &[Task<'_>], options: &Options) -> Result<(), String> {
    if options.baseline == BaselineUse::Ignored {
        return Ok(());
    }
    for (path, group) in groups(outcome, tasks, options) {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let old = match options.baseline {
            BaselineUse::Written if !path.exists() => Baseline::default(),
            BaselineUse::Ignored | BaselineUse::Compared | BaselineUse::Written => Baseline::read(&path)?,
        };
        let mut left = match options.baseline {
            BaselineUse::Ignored | BaselineUse::Compared => old,
            BaselineUse::Written => group.write(&old, outcome, &path, &folder)?,
        };
        for report in &mut outcome.reports {
            if let Some(name) = group.names.get(&report.name) {
                left.silence(report, name);
            }
        }
        let gone = left.known.iter().filter(|(entry, left)| **left > 0 && group.knows(entry, &folder));
        outcome.notes.extend(told(&path, &gone.map(|(entry, _)| entry).collect::<Vec<_>>()));
    }
    Ok(())
}

/// The baseline of a file: the one that the settings name, or the one in the root of its tree. A second file that is not there
/// is none, unless it is to be written.
pub fn baseline_of(
    file: &Path,
    settings: &Settings,
    roots: &mut Roots,
    options: &Options,
) -> Option<PathBuf> {
    if let Some(path) = settings.baseline() {
        return Some(path);
    }
    let folder = roots.of(file).or_else(|| std::env::current_dir().ok())?;
    let path = folder.join(BASELINE);
    let counts = *options.resolver.discovery() != Discovery::Isolated && path.is_file();
    (counts || options.baseline == BaselineUse::Written).then_some(path)
}

fn groups(outcome: &Outcome, tasks: &[Task<'_>], options: &Options) -> BTreeMap<PathBuf, Group> {
    let failed: BTreeSet<&str> = outcome
        .findings()
        .filter(|(_, finding)| is_failure(finding))
        .map(|(report, _)| report.name.as_str())
        .collect();
    let mut roots = Roots::new(options.resolver.discovery().clone());
    let mut groups: BTreeMap<PathBuf, Group> = BTreeMap::new();
    for task in tasks {
        let Some(path) = baseline_of(&task.file.path, &task.settings, &mut roots, options) else { continue };
        let name = task.file.name();
        let file = relative(&task.path, path.parent().unwrap_or(Path::new("")));
        let group = groups.entry(path).or_default();
        if !failed.contains(name.as_str()) {
            let rules = known_rules().map(|rule| rule.name).filter(|rule| task.selection.selects(rule));
            group.looked.entry(file.clone()).or_default().extend(rules);
        }
        group.names.insert(name, file);
    }
    groups
}

impl Group {
    /// Whether the run knows if findings like this are there.
    fn knows(&self, entry: &Entry, folder: &Path) -> bool {
        match self.looked.get(&entry.file) {
            Some(rules) => rules.contains(entry.fingerprint.rule.as_str()),
            None => !folder.join(&entry.file).exists(),
        }
    }

    /// Writes what is found, and what is known of files and rules that were not looked at.
    fn write(
        &self,
        old: &Baseline,
        outcome: &mut Outcome,
        path: &Path,
        folder: &Path,
    ) -> Result<Baseline, String> {
        let kept = old.known.iter().filter(|(entry, _)| !self.knows(entry, folder));
        let mut new = Baseline { known: kept.map(|(entry, count)| (entry.clone(), *count)).collect() };
        for report in &outcome.reports {
            if let Some(name) = self.names.get(&report.name).filter(|name| self.looked.contains_key(*name)) {
                new.learn(report, name);
            }
        }
        new.write(path)?;
        let count = |baseline: &Baseline| baseline.known.values().sum::<usize>();
        let plural = |count| if count == 1 { "finding" } else { "findings" };
        let (now, before) = (count(&new), count(old));
        outcome.written.push(format!(
            "wrote {now} known {} to `{}`; there were {before} before",
            plural(now),
            shown(path)
        ));
        Ok(new)
    }
}

/// What the user should know of a baseline some entries of which are gone.
fn told(path: &Path, gone: &[&Entry]) -> Option<String> {
    const SHOWN: usize = 3;
    if gone.is_empty() {
        return None;
    }
    let one = |entry: &&Entry| {
        let Entry { file, fingerprint } = entry;
        format!("{} in {file} (`{}`)", fingerprint.rule, fingerprint.line)
    };
    let mut list: Vec<String> = gone.iter().take(SHOWN).map(one).collect();
    if gone.len() > SHOWN {
        list.push(format!("{} more", gone.len() - SHOWN));
    }
    Some(format!(
        "findings of the baseline `{}` are gone; `--write-baseline` takes them out: {}",
        shown(path),
        list.join(", ")
    ))
}

/// A path as it is reached from a folder, with slashes.
fn relative(path: &Path, folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let shared = path.components().zip(folder.components()).take_while(|(left, right)| left == right).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let parts = up.chain(path.components().skip(shared));
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_and_below_the_baseline() {
        let relative = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(relative("/p/src/a.py", "/p"), "src/a.py");
        assert_eq!(relative("/p/src/a.py", "/p/ci"), "../src/a.py");
        assert_eq!(relative("/p/a.py", "/p"), "a.py");
    }
}
