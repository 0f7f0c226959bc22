//! `prove` and the exploration of schedules: what agrees, what does not, and what is said about it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use unwaited::runtime::explore::explore;
use unwaited::runtime::prove::{Finding, Found, Linter, NoLinter, Proof, ProveArgs, Weight, prove_all};
use unwaited::runtime::verdict::Outcome;
use unwaited::runtime::{Buffer, Policy, Rank, Reduction, Schedule, Settings, World};

const HANGS: &str = "\
# ranks: 2
# verdict: hangs
import torch.distributed as dist

dist.init_process_group('gloo')
if dist.get_rank() == 0:
    dist.barrier()  #~ divergent-collective
";

/// A linter that has the rules `divergent-collective` and `discarded-handle`, and finds the same in every file.
struct Finds(&'static [(&'static str, Weight)]);

impl Linter for Finds {
    fn has_rule(&self, name: &str) -> bool {
        matches!(name, "divergent-collective" | "discarded-handle")
    }

    fn findings(&self, _: &Path) -> Result<Option<Vec<Finding>>, String> {
        let found = self.0.iter().map(|&(rule, weight)| Finding { rule: rule.to_owned(), weight });
        Ok(Some(found.collect()))
    }
}

fn prove(script: &str, linter: &dyn Linter) -> Proof {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("x.py"), script).unwrap();
    let arguments =
        ProveArgs { paths: vec![folder.path().into()], bound: 8, python: "python3".into(), json: false };
    prove_all(&arguments, linter).unwrap().remove(0)
}

/// A program of one assertion, with this verdict line and this marker.
fn compared(verdict: &str, marker: &str, linter: &dyn Linter) -> (Found, Vec<String>) {
    let holds = if verdict == "completes" { "True" } else { "False" };
    let script = format!("# ranks: 1\n# verdict: {verdict}\nassert {holds}  {marker}\n");
    let Proof { found, disagreements, .. } = prove(&script, linter);
    (found, disagreements)
}

fn rules(names: &[&str]) -> Found {
    Found::Rules(names.iter().map(ToString::to_string).collect())
}

const NOTHING: Vec<String> = Vec::new();

#[test]
fn a_harmful_fixture_that_its_rule_finds_agrees() {
    let linter = Finds(&[("divergent-collective", Weight::Harm)]);
    let proof = prove(HANGS, &linter);
    assert_eq!((proof.found, proof.disagreements), (rules(&["divergent-collective"]), NOTHING));
    let tokens: Vec<&str> = proof.runs.iter().map(|(token, ..)| &**token).collect();
    assert_eq!(tokens, ["rl", "re", "bl", "be"]);
}

#[test]
fn a_harmful_fixture_that_its_rule_does_not_find() {
    let missed = vec!["divergent-collective is marked and not found".to_owned()];
    for other in [Finds(&[]), Finds(&[("discarded-handle", Weight::Harm)])] {
        assert_eq!(compared("wrong data", "#~ divergent-collective", &other).1, missed);
    }
}

#[test]
fn a_harmful_fixture_that_its_rule_is_known_to_miss() {
    let marker = "#~ FN divergent-collective: the collective is in a callee";
    assert_eq!(compared("wrong data", marker, &Finds(&[])), (Found::KnownMiss, NOTHING));
}

#[test]
fn a_harmful_fixture_whose_rules_do_not_exist_is_not_linted_yet() {
    let found = compared("wrong data", "#~ wait-cycle", &Finds(&[]));
    assert_eq!(found, (Found::NotLintedYet, NOTHING));
    let one_exists = compared("wrong data", "#~ wait-cycle, discarded-handle", &Finds(&[]));
    assert_eq!(one_exists.1, ["discarded-handle is marked and not found"]);
}

#[test]
fn a_harmful_fixture_without_a_marker_says_why() {
    let silent = compared("wrong data", "", &Finds(&[]));
    assert_eq!(silent.1, ["no rule is marked, and the header does not say `no rule: why`"]);
    let reasoned = compared("wrong data\n# no rule: the assertion is false", "", &Finds(&[]));
    assert_eq!(reasoned, (Found::NoRule, NOTHING));
}

#[test]
fn a_file_of_a_language_that_the_linter_does_not_read() {
    assert_eq!(compared("wrong data", "#~ discarded-handle", &NoLinter), (Found::NotLintedYet, NOTHING));
}

#[test]
fn a_harmless_fixture_that_a_rule_accuses() {
    let linter = Finds(&[("discarded-handle", Weight::Harm)]);
    assert_eq!(compared("completes", "", &linter).1, ["discarded-handle finds harm where there is none"]);
    let known = "#~ FP discarded-handle: the callee waits";
    assert_eq!(compared("completes", known, &linter), (rules(&["discarded-handle"]), NOTHING));
}

#[test]
fn a_harmless_fixture_may_be_advised() {
    let linter = Finds(&[("discarded-handle", Weight::Advice)]);
    assert_eq!(compared("completes", "", &linter), (rules(&["discarded-handle"]), NOTHING));
}

#[test]
fn a_header_that_says_something_else() {
    let proof = prove(&HANGS.replace("verdict: hangs", "verdict: completes"), &NoLinter);
    assert_eq!(proof.disagreements, ["the header says something else"]);
}

#[test]
fn a_fixture_that_is_only_linted_is_not_run() {
    let script = "# verdict: static\nraise SystemExit(1)  #~ discarded-handle\n";
    let proof = prove(script, &Finds(&[("discarded-handle", Weight::Harm)]));
    assert!(proof.runs.is_empty() && proof.disagreements.is_empty(), "{proof:?}");
}

#[test]
fn a_program_that_behaves_differently_each_time() {
    let folder = TempDir::new().unwrap();
    let count = folder.path().join("count");
    let script = format!(
        "# ranks: 1\n# verdict: completes\nimport time\nopen({count:?}, 'a').write('x')\n\
         time.sleep(len(open({count:?}).read()))\n"
    );
    let proof = prove(&script, &NoLinter);
    let said = "two runs of one schedule differ: the program is nondeterministic on its own";
    assert_eq!(proof.disagreements, [said]);
}

#[test]
fn a_disagreement_is_exit_code_one_and_a_bad_header_is_two() {
    let folder = TempDir::new().unwrap();
    let prove = |header: &str| {
        let script = format!("# ranks: 1\n# verdict: {header}\n# no rule: nothing happens\n");
        std::fs::write(folder.path().join("x.py"), script).unwrap();
        let output =
            Command::new(env!("CARGO_BIN_EXE_unwaited")).arg("prove").arg(folder.path()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, table) = prove("completes");
    assert!(code == 0 && table.ends_with("1 fixtures, all agree\n"), "{table}");
    let (code, table) = prove("hangs");
    assert!(code == 1 && table.contains("1 fixtures, 1 disagree"), "{table}");
    assert_eq!(prove("hang").0, 2);
}

#[test]
fn what_check_finds_is_in_the_table() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, verdict: &str, row: &str| {
        let script = format!(
            "# ranks: 1\n# verdict: {verdict}\nimport torch.distributed as dist\n\ndef f(t):\n    {row}\n\n\
             assert {}\n",
            if verdict == "completes" { "True" } else { "False" }
        );
        std::fs::write(folder.path().join(name), script).unwrap();
    };
    write("a.py", "wrong data", "dist.isend(t, 1)  #~ discarded-handle");
    write("b.py", "wrong data", "dist.barrier()  #~ discarded-handle");
    write("c.py", "wrong data", "dist.barrier()  #~ a-rule-of-tomorrow");
    write("d.py", "completes", "dist.isend(t, 1)");
    write("e.py", "completes", "dist.isend(t, 1)  # unwaited: ignore[discarded-handle] never called");
    let mut command = Command::new(env!("CARGO_BIN_EXE_unwaited"));
    let output = command.args(["prove", "--json"]).arg(folder.path()).output().unwrap();
    let proofs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = |proof: &serde_json::Value| format!("{} {}\n", proof["found"], proof["disagreements"]);
    insta::assert_snapshot!(proofs.as_array().unwrap().iter().map(told).collect::<String>(), @r#"
    {"rules":["discarded-handle"]} []
    {"rules":[]} ["discarded-handle is marked and not found"]
    "not-linted-yet" []
    {"rules":["discarded-handle"]} ["discarded-handle finds harm where there is none"]
    {"rules":[]} []
    "#);
    assert_eq!(output.status.code(), Some(1));
}

/// Rank 0 takes four messages from anybody, two of each of two senders.
fn takes_four(rank: &Rank) {
    let buffer = Buffer::from(vec![rank.id() as i32]);
    for _ in 0..if rank.id() == 0 { 4 } else { 2 } {
        match rank.id() {
            0 => drop(rank.irecv_any(&buffer).wait()),
            _ => rank.send(&buffer, 0),
        }
    }
}

fn run_under(schedule: &Schedule, program: impl Fn(&Rank) + Sync) -> unwaited::runtime::Run {
    World::new(3).with(Settings { schedule: schedule.clone(), ..Settings::default() }).run(program)
}

#[test]
fn every_order_of_two_times_two_messages_is_explored() {
    let explored = explore(&[Policy::ALL[0]], 64, |schedule| Ok(run_under(schedule, takes_four))).unwrap();
    let mut tokens: Vec<String> =
        explored.verdicts.iter().map(|verdict| verdict.schedule.to_string()).collect();
    assert!(explored.verdicts.iter().all(|verdict| verdict.outcome == Outcome::Completes));
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), 6, "{tokens:?}");
    assert!(explored.unexhausted.is_empty() && explored.deterministic);
}

#[test]
fn an_exploration_that_reaches_its_bound_says_for_which_policy() {
    let explored = explore(&[Policy::ALL[0]], 5, |schedule| Ok(run_under(schedule, takes_four))).unwrap();
    assert_eq!((explored.verdicts.len(), explored.unexhausted), (5, vec![Policy::ALL[0]]));
}

#[test]
fn a_thousand_runs_of_one_token_on_threads_have_one_trace() {
    let schedule: Schedule = "rl-1-1".parse().unwrap();
    let first = run_under(&schedule, takes_four);
    assert_eq!(first.verdict.schedule, schedule);
    for _ in 0..999 {
        assert_eq!(run_under(&schedule, takes_four), first);
    }
}

#[test]
fn a_thousand_runs_of_a_program_with_collectives_and_computation_have_one_trace() {
    let program = |rank: &Rank| {
        let buffer = Buffer::from(vec![rank.id() as f64]);
        let request = rank.iall_reduce(&buffer, Reduction::Sum);
        rank.compute(std::time::Duration::from_micros(rank.id() as u64 * 7));
        request.wait();
        rank.barrier();
    };
    let first = run_under(&Schedule::default(), program);
    for _ in 0..999 {
        assert_eq!(run_under(&Schedule::default(), program), first);
    }
}

#[test]
fn a_parameter_server_that_posts_all_receives_is_faster_than_its_blocking_version() {
    let makespan = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/runtime").join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_unwaited"));
        let output = command.args(["run", "-n", "4", "--output-format", "json"]).arg(path).output().unwrap();
        let verdict: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        verdict["makespan"].as_f64().unwrap()
    };
    let speedup = makespan("parameter_server_blocking.py") / makespan("parameter_server.py");
    assert!((1.6..1.8).contains(&speedup), "{speedup}");
}

#[test]
fn the_shim_is_written_in_the_python_of_3_8() {
    let check = "import ast, pathlib, sys\n\
        files = sorted(pathlib.Path(sys.argv[1]).rglob('*.py'))\n\
        [ast.parse(file.read_text(), str(file), feature_version=(3, 8)) for file in files]\n\
        print(len(files))\n";
    let shim = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/shim");
    let output = Command::new("python3").args(["-c", check]).arg(shim).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "24");
}
