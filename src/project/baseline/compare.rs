//! Compares what a run has found with the baselines of its files, or writes them anew.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{BASELINE, Baseline, Known};
use crate::project::check::Task;
use crate::project::root::Roots;
use crate::project::settings::{Discovery, Settings};
use crate::project::walk::shown;
use crate::project::{Fingerprint, Options, Outcome, Selection, Silence, Silenced, is_failure};

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

/// The baselines of the files of a run.
#[derive(Default)]
pub(crate) struct Baselines {
    usage: BaselineUse,
    groups: BTreeMap<PathBuf, Group>,
}

/// The files of a run that have the same baseline.
#[derive(Default)]
struct Group {
    old: Baseline,
    members: Vec<Member>,
}

/// A file of a run.
struct Member {
    /// As reports name it.
    name: String,
    /// As the baseline names it.
    file: String,
    /// The rules that it is checked for.
    selection: Selection,
}

impl Baselines {
    /// Reads the baselines of some files. An error is a message for the user.
    pub(crate) fn read(tasks: &mut [Task<'_>], options: &Options) -> Result<Self, String> {
        let mut baselines = Self { usage: options.baseline, ..Self::default() };
        if options.baseline == BaselineUse::Ignored {
            return Ok(baselines);
        }
        let mut roots = Roots::new(options.resolver.discovery().clone());
        for task in tasks {
            let Some(path) = baseline_of(&task.file.path, &task.settings, &mut roots, options) else {
                continue;
            };
            let file = relative(&task.path, path.parent().unwrap_or(Path::new("")));
            let group = match baselines.groups.entry(path) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let old = read(new.key(), options.baseline)?;
                    new.insert(Group { old, members: Vec::new() })
                }
            };
            if options.baseline == BaselineUse::Compared {
                task.known = group.old.files.get(&file).cloned().unwrap_or_default();
            }
            let (name, selection) = (task.file.name(), task.selection.clone());
            group.members.push(Member { name, file, selection });
        }
        Ok(baselines)
    }

    /// Tells what is gone, or writes what is found.
    pub(crate) fn conclude(&self, outcome: &mut Outcome) -> Result<(), String> {
        for (path, group) in &self.groups {
            match self.usage {
                BaselineUse::Ignored => {}
                BaselineUse::Compared => outcome.notes.extend(group.gone(path, outcome)),
                BaselineUse::Written => group.write(path, outcome)?,
            }
        }
        Ok(())
    }
}

fn read(path: &Path, usage: BaselineUse) -> Result<Baseline, String> {
    match usage {
        BaselineUse::Written if !path.exists() => Ok(Baseline::default()),
        BaselineUse::Ignored | BaselineUse::Compared | BaselineUse::Written => Baseline::read(path),
    }
}

impl Group {
    /// What is known of files and rules that this run can say nothing of: the file was not checked, or not wholly.
    fn unseen(&self, path: &Path, outcome: &Outcome) -> Baseline {
        let failed: BTreeSet<&str> = outcome
            .findings()
            .filter(|(_, finding)| is_failure(finding))
            .map(|(report, _)| report.name.as_str())
            .collect();
        let seen: BTreeMap<&str, &Member> = self
            .members
            .iter()
            .filter(|member| !failed.contains(member.name.as_str()))
            .map(|member| (member.file.as_str(), member))
            .collect();
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut unseen = Baseline::default();
        for (file, fingerprint, count) in self.old.entries() {
            let is_seen = match seen.get(file) {
                Some(member) => member.selection.selects(&fingerprint.rule),
                None => !folder.join(file).exists(),
            };
            if !is_seen {
                unseen.files.entry(file.to_owned()).or_default().add(fingerprint.clone(), count);
            }
        }
        unseen
    }

    /// Findings in reports, by the file's name in the baseline.
    fn files(&self) -> BTreeMap<&str, &str> {
        self.members.iter().map(|member| (member.name.as_str(), member.file.as_str())).collect()
    }

    /// What the user should know of entries that no finding is like any more.
    fn gone(&self, path: &Path, outcome: &Outcome) -> Option<String> {
        let mut there = self.unseen(path, outcome);
        let files = self.files();
        for (report, Silenced { finding, why }) in outcome.silenced() {
            if let (Silence::Baseline, Some(file)) = (why, files.get(report.name.as_str())) {
                let fingerprint = Fingerprint::of(report.source.as_ref(), finding);
                there.files.entry((*file).to_owned()).or_default().add(fingerprint, 1);
            }
        }
        let is_there = |file: &str, fingerprint: &Fingerprint, count| {
            there
                .files
                .get(file)
                .is_some_and(|known| known.0.get(fingerprint).is_some_and(|there| *there >= count))
        };
        let gone: Vec<(&str, &Fingerprint)> = self
            .old
            .entries()
            .filter(|(file, fingerprint, count)| !is_there(file, fingerprint, *count))
            .map(|(file, fingerprint, _)| (file, fingerprint))
            .collect();
        told(path, &gone)
    }

    /// Writes what is found, beside what is known of what was not seen; from now on it is known.
    fn write(&self, path: &Path, outcome: &mut Outcome) -> Result<(), String> {
        let mut new = self.unseen(path, outcome);
        let files = self.files();
        for report in &mut outcome.reports {
            let Some(file) = files.get(report.name.as_str()) else { continue };
            let mut found = Known::default();
            for finding in report.findings.iter().filter(|finding| !is_failure(finding)) {
                found.add(Fingerprint::of(report.source.as_ref(), finding), 1);
            }
            let findings = std::mem::take(&mut report.findings);
            let (reported, silenced) = found.divide(findings, report.source.as_ref());
            report.findings = reported;
            report.silenced.extend(silenced);
            new.learn(file, found);
        }
        new.write(path)?;
        let count = |baseline: &Baseline| baseline.entries().map(|(_, _, count)| count).sum::<usize>();
        let (now, before) = (count(&new), count(&self.old));
        let findings = if now == 1 { "finding" } else { "findings" };
        outcome
            .written
            .push(format!("wrote {now} known {findings} to `{}`; there were {before} before", shown(path)));
        Ok(())
    }
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

/// What the user should know of a baseline some entries of which are gone.
fn told(path: &Path, gone: &[(&str, &Fingerprint)]) -> Option<String> {
    const SHOWN: usize = 3;
    if gone.is_empty() {
        return None;
    }
    let one = |(file, fingerprint): &(&str, &Fingerprint)| {
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
