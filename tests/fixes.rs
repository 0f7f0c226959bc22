//! The fixes of all wrong fixtures: each makes its file better, and the programs that can be run then complete.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so")]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use support::{assert_none, entries, folder, python_files, read};
use unwaited::project::{self, Input, Options, Outcome, Silent};
use unwaited::rules::{self, Applicability, Finding, Law, Severity};
use unwaited::runtime::prove::{NoLinter, ProveArgs, prove_all};
use unwaited::source::{Language, Lines, SourceFile, Suppressions};

/// Fixtures of the runtime that do not complete when their mistake is fixed, and why.
const STILL_WRONG: &[(&str, &str)] = &[
    ("both_discarded_no_barrier.py", "it asserts that nothing arrives"),
    ("isend_waited_before_recv.py", "the blocking send says the same, and hangs the same"),
];

fn check(text: &str, fix: Option<Applicability>) -> Outcome {
    static OPTIONS: OnceLock<Options> = OnceLock::new();
    let options = Options { fix, ..OPTIONS.get_or_init(Options::default).clone() };
    let input = Input::Text { bytes: text.as_bytes().to_owned(), name: None };
    project::check(input, &options, &Silent).unwrap()
}

/// What is found that weighs something.
fn rules(outcome: &Outcome) -> Vec<&'static str> {
    let findings = outcome.findings().map(|(_, finding)| finding);
    findings.filter(|finding| finding.severity > Severity::Advice).map(|finding| finding.rule).collect()
}

/// A wrong fixture before and after all fixes.
struct Case {
    path: PathBuf,
    before: String,
    after: String,
    /// The rules of its findings: all, and those with a fix.
    found: Vec<&'static str>,
    fixable: Vec<&'static str>,
    left: Vec<&'static str>,
    /// What is offered after all fixes.
    offered: usize,
}

impl Case {
    fn name(&self) -> String {
        self.path.strip_prefix(folder("fixtures")).unwrap().display().to_string()
    }

    fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

/// All fixtures in which something is found that fixes are for: the order of ranks is the user's to mend.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(find_cases)
}

fn find_cases() -> Vec<Case> {
    let folders = entries(&folder("fixtures")).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| python_files(&folder));
    let case = |path: PathBuf| {
        let before = read(&path);
        let fixed = check(&before, Some(Applicability::Unsafe));
        let after = fixed.changes.first().map_or_else(|| before.clone(), |change| change.after.clone());
        let unfixed = check(&before, None);
        let rules_of = |outcome: &Outcome, is_meant: fn(&Finding) -> bool| -> Vec<&'static str> {
            outcome
                .findings()
                .filter(|(_, finding)| is_meant(finding))
                .map(|(_, finding)| finding.rule)
                .collect()
        };
        let case = Case {
            path,
            found: rules_of(&unfixed, |_| true),
            fixable: rules_of(&unfixed, |finding| finding.fix.is_some()),
            left: rules(&fixed),
            offered: rules_of(&fixed, |finding| finding.fix.is_some()).len(),
            before,
            after,
        };
        case.found.iter().any(|rule| !is_progress(rule)).then_some(case)
    };
    files.filter_map(case).collect()
}

fn is_progress(name: &str) -> bool {
    rules::rule(name).is_some_and(|rule| rule.law == Law::Progress)
}

#[test]
fn every_fix_makes_its_file_better_and_none_is_left_to_make() {
    let mut complaints = Vec::new();
    let cases = cases();
    for case in cases.iter().filter(|case| case.is_changed()) {
        let name = case.name();
        if case.left.contains(&"syntax-error") {
            complaints.push(format!("{name} does not parse any more:\n{}", case.after));
        }
        if case.left.len() > case.found.len() - case.fixable.len() || case.offered > 0 {
            complaints.push(format!("{name} keeps a finding that had a fix"));
        }
        if !check(&case.after, Some(Applicability::Unsafe)).changes.is_empty() {
            complaints.push(format!("{name} is changed by a second run:\n{}", case.after));
        }
        complaints
            .extend(lost_comments(case).into_iter().map(|comment| format!("{name} has lost {comment}")));
    }
    assert_none(&complaints);
    let changed = cases.iter().filter(|case| case.is_changed()).count();
    let silent = cases.iter().filter(|case| case.is_changed() && case.left.is_empty()).count();
    println!("{} fixtures are wrong, {changed} have a fix, {silent} are silent after it", cases.len());
    let count = |of: fn(&Case) -> usize| cases.iter().map(of).sum::<usize>();
    let (found, fixable) = (count(|case| case.found.len()), count(|case| case.fixable.len()));
    println!("{fixable} of {found} findings have a fix, and all of those are gone after it");
    assert!(fixable * 10 > found * 7, "only {fixable} of {found} findings have a fix");
    assert!(changed * 3 > cases.len() * 2, "only {changed} of {} fixtures have a fix", cases.len());
    assert!(silent * 4 > changed * 3, "only {silent} of {changed} fixtures become silent");
}

/// Comments that stood in the text and do not any more.
fn lost_comments(case: &Case) -> Vec<String> {
    let mut left: Vec<&str> = case.after.lines().filter_map(comment).collect();
    let mut lost = Vec::new();
    for comment in case.before.lines().filter_map(comment) {
        match left.iter().position(|it| *it == comment) {
            Some(at) => _ = left.swap_remove(at),
            None => lost.push(comment.to_owned()),
        }
    }
    lost
}

fn comment(line: &str) -> Option<&str> {
    line.find("# ").or_else(|| line.find("#~")).and_then(|at| line.get(at..))
}

#[test]
fn what_is_fixed_in_rust_is_read_again() {
    let check = |text: &str, fix| {
        let options = Options { fix, ..Options::default() };
        let input = Input::Text { bytes: text.as_bytes().to_owned(), name: Some("a.rs".into()) };
        project::check(input, &options, &Silent).unwrap()
    };
    let (mut files, mut fixes) = (0, 0);
    for path in files_below(&folder("fixtures"), "_bad.rs") {
        let before = read(&path);
        let offered = check(&before, None).fixable(Applicability::Unsafe);
        let fixed = check(&before, Some(Applicability::Unsafe));
        let Some(change) = fixed.changes.first() else {
            assert_eq!(offered, 0, "{}", path.display());
            continue;
        };
        assert!(!fixed.is_incomplete() && fixed.fixed() >= offered, "{}", change.after);
        (files, fixes) = (files + 1, fixes + fixed.fixed());
    }
    println!("{fixes} findings are fixed in {files} files");
    assert!(files >= 2 && fixes >= 7, "{fixes} in {files}");
}

#[test]
fn a_guard_that_waits_on_the_spot_gets_a_name() {
    let text = "use mpi::request::WaitGuard;
use mpi::traits::*;

fn exchange<C: Communicator>(world: &C, packet: &[f64], room: &mut [f64]) {
    let peer = world.process_at_rank(0);
    mpi::request::scope(|scope| {
        let _ = WaitGuard::from(peer.immediate_send(scope, packet));
        peer.receive_into(room);
    });
}
";
    let options = Options { fix: Some(Applicability::Unsafe), ..Options::default() };
    let input = Input::Text { bytes: text.as_bytes().to_owned(), name: Some("a.rs".into()) };
    let fixed = project::check(input, &options, &Silent).unwrap();
    assert_eq!(fixed.changes[0].after, text.replace("let _ =", "let _guard ="));
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let folders = entries(folder).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    files.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn line_ends_stay_what_they_are() {
    let mut complaints = Vec::new();
    for path in python_files(&folder("fixtures/overwritten-handle")) {
        let text = read(&path).replace('\n', "\r\n");
        if let Some(change) = check(&text, Some(Applicability::Unsafe)).changes.first() {
            let lone = change.after.matches('\n').count() - change.after.matches("\r\n").count();
            if lone > 0 {
                complaints.push(format!("{} has {lone} line ends of another kind", path.display()));
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn a_safe_run_makes_no_unsafe_fix() {
    let text = "import torch.distributed as dist\n\ndist.isend(t, 1)\nh = dist.isend(t, 2)\nh.wait\n";
    let safe = check(text, Some(Applicability::Safe));
    let after = &safe.changes.first().expect("something is fixed").after;
    assert!(after.contains("\ndist.isend(t, 1)\n") && after.ends_with("dist.send(t, 2)\n"), "{after}");
}

/// The programs of the runtime: repaired, they complete under every schedule.
#[test]
fn what_is_fixed_completes_in_the_runtime() {
    let is_python_here = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !is_python_here {
        println!("skipped: there is no python3");
        return;
    }
    let cases = cases();
    let is_run = |case: &&Case| {
        let is_known = STILL_WRONG.iter().any(|(name, _)| case.path.ends_with(name));
        case.path.parent().is_some_and(|parent| parent.ends_with("runtime")) && case.is_changed() && !is_known
    };
    let repaired = tempfile::tempdir().unwrap();
    let mut count = 0;
    let mut run = BTreeSet::new();
    for case in cases.iter().filter(is_run).filter(|case| case.left.is_empty()) {
        count += 1;
        run.extend(&case.fixable);
        let path = repaired.path().join(case.path.file_name().unwrap());
        std::fs::write(path, as_complete(&case.after)).unwrap();
    }
    let complaints = wrong_endings(repaired.path());
    println!("{count} repaired programs were run");
    assert_none(&complaints);
    assert!(count > 30, "only {count} programs were run");
    let fixable: BTreeSet<&str> = cases.iter().flat_map(|case| &case.fixable).copied().collect();
    let not_run: Vec<&str> = fixable.difference(&run).copied().collect();
    assert_eq!(not_run, [""; 0], "rules with fixes of which no program was run");
}

/// The program, saying of itself that it completes, without markers.
fn as_complete(text: &str) -> String {
    let header = |line: &str| match line.strip_prefix("# verdict:") {
        Some(_) => "# verdict: completes".to_owned(),
        None => line.split("#~").next().unwrap_or_default().to_owned(),
    };
    text.lines().map(|line| header(line) + "\n").collect()
}

fn wrong_endings(programs: &Path) -> Vec<String> {
    let arguments =
        ProveArgs { paths: vec![programs.to_owned()], bound: 64, python: "python3".into(), json: false };
    let proofs = prove_all(&arguments, &NoLinter).unwrap();
    let told = proofs.iter().filter(|proof| !proof.disagreements.is_empty());
    told.map(|proof| format!("{}: {:?}", proof.fixture.display(), proof.disagreements)).collect()
}

#[test]
fn a_suppression_goes_and_what_it_stood_beside_stays() {
    let text = "a = 1  # one  # unwaited: ignore[waited-twice] why\n# unwaited: ignore[bad-timeout]\nb = 2\n";
    let source = SourceFile::new("a.py", text);
    assert_eq!(Suppressions::of(Language::Python, text, &Lines::new(text)).all.len(), 2);
    let fixed = check(&source.text, Some(Applicability::Safe));
    assert_eq!(fixed.changes[0].after, "a = 1  # one\nb = 2\n");
}
