//! A team's first day: from the wheel to a commit that is blocked, over a package that others wrote.
//!
//! Skipped with a message where the registry is out of reach, or where there is no Python that makes environments. The package
//! has two mistakes of its own that the linter finds.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

mod sarif;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const PACKAGE: &str = "xfuser==0.7.0";
const KNOWN: usize = 2;
const KNOWN_FILE: &str = "xfuser/core/distributed/group_coordinator.py";
const OURS: &str = "xfuser/ours.py";
const MISTAKE: &str =
    "import torch.distributed as dist\n\n\ndef tell(tensor, peer):\n    dist.isend(tensor, peer)\n";

#[test]
fn a_team_adopts_the_linter_in_one_day() {
    let day = match Day::begin() {
        Ok(day) => day,
        Err(missing) => {
            println!("skipped: {missing}");
            return;
        }
    };
    day.install_from_the_wheel();
    day.check_for_the_first_time();
    day.let_what_is_found_be_known();
    day.add_one_mistake();
    day.report_for_code_scanning();
    day.fix_it();
    day.commit_with_the_hook();
}

/// The folder of the day: an environment, and the team's repository.
struct Day(tempfile::TempDir);

impl Day {
    /// Makes an environment and unpacks the package, or says what is missing for that.
    fn begin() -> Result<Self, String> {
        let day = Self(tempfile::tempdir().unwrap());
        let python = std::env::var("UNWAITED_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let needed = |made: std::io::Result<Output>, what: &str| match made {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(format!("{what}: {}", last_row(&output.stderr))),
            Err(error) => Err(format!("{what}: {error}")),
        };
        let environment = Command::new(&python).args(["-m", "venv"]).arg(day.environment()).output();
        needed(environment, "no environment can be made")?;
        let download =
            ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", "wheels", PACKAGE];
        needed(day.tool("pip", &download).output(), "the package is out of reach")?;
        let install = ["install", "--quiet", "maturin>=1.9,<2", "pre-commit>=4,<5"];
        needed(day.tool("pip", &install).output(), "the tools are out of reach")?;
        let wheel = std::fs::read_dir(day.path("wheels")).unwrap().next().unwrap().unwrap().path();
        let unpack =
            day.tool("python", &["-m", "zipfile", "-e", wheel.to_str().unwrap(), "repository"]).output();
        needed(unpack, "the package cannot be unpacked")?;
        Ok(day)
    }

    fn install_from_the_wheel(&self) {
        let build = ["wheel", "--no-deps", "--wheel-dir", "built", env!("CARGO_MANIFEST_DIR")];
        // What Cargo has built for the tests is built already.
        succeeds(self.tool("pip", &build).env("MATURIN_PEP517_ARGS", "--locked --profile dev"));
        let wheel = std::fs::read_dir(self.path("built")).unwrap().next().unwrap().unwrap().path();
        succeeds(&mut self.tool("pip", &["install", "--no-index", wheel.to_str().unwrap()]));
        let told = succeeds(&mut self.tool("unwaited", &["--version"]));
        assert_eq!(told, format!("unwaited {}\n", env!("CARGO_PKG_VERSION")));
        let share = self.environment().join("share");
        for file in [
            "man/man1/unwaited-check.1",
            "bash-completion/completions/unwaited",
            "zsh/site-functions/_unwaited",
            "fish/vendor_completions.d/unwaited.fish",
        ] {
            assert!(share.join(file).is_file(), "{file} is installed");
        }
    }

    fn check_for_the_first_time(&self) {
        succeeds(&mut self.git(&["init", "--quiet"]));
        let found = self.check(&[], 1);
        assert_eq!(found.len(), KNOWN, "{found:#?}");
        assert!(found.iter().all(|it| it["filename"] == KNOWN_FILE), "{found:#?}");
    }

    fn let_what_is_found_be_known(&self) {
        self.check(&["--write-baseline"], 0);
        assert!(self.check(&[], 0).is_empty());
    }

    fn add_one_mistake(&self) {
        std::fs::write(self.ours(), MISTAKE).unwrap();
        let found = self.check(&[], 1);
        let told: Vec<(&str, &str, u64)> = found.iter().map(place).collect();
        assert_eq!(told, [(OURS, "discarded-handle", 5)]);
    }

    fn report_for_code_scanning(&self) {
        let arguments = ["check", "--output-format", "sarif", "--output-file", "../out.sarif"];
        let output = self.tool("unwaited", &arguments).current_dir(self.repository()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&std::fs::read(self.path("out.sarif")).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&sarif::schema()).unwrap();
        let complaints: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert_eq!(complaints, Vec::<String>::new());
        let results = report["runs"][0]["results"].as_array().unwrap();
        let new = results.iter().filter(|result| result["baselineState"] == "new").count();
        assert_eq!((results.len(), new), (KNOWN + 1, 1), "{results:#?}");
    }

    fn fix_it(&self) {
        let known = std::fs::read(self.repository().join(KNOWN_FILE)).unwrap();
        assert!(self.check(&["--fix", "--unsafe-fixes"], 0).is_empty());
        let fixed = std::fs::read_to_string(self.ours()).unwrap();
        assert_eq!(fixed, MISTAKE.replace("isend", "send"));
        let untouched = std::fs::read(self.repository().join(KNOWN_FILE)).unwrap();
        assert_eq!(known, untouched, "what is known is left alone");
    }

    fn commit_with_the_hook(&self) {
        let hooks = self.hooks();
        let configuration =
            format!("repos:\n- repo: {hooks}\n  rev: v1\n  hooks: [{{ id: unwaited-system }}]\n");
        std::fs::write(self.repository().join(".pre-commit-config.yaml"), configuration).unwrap();
        std::fs::write(self.repository().join(".gitignore"), ".unwaited_cache\n").unwrap();
        succeeds(self.tool("pre-commit", &["install"]).current_dir(self.repository()));
        succeeds(&mut self.git(&["add", "."]));
        succeeds(&mut self.git(&["commit", "--quiet", "--message", "Everything that was there"]));
        let before = succeeds(&mut self.git(&["rev-parse", "HEAD"]));

        std::fs::write(self.ours(), MISTAKE).unwrap();
        succeeds(&mut self.git(&["add", "."]));
        let blocked = self.git(&["commit", "--quiet", "--message", "A mistake"]).output().unwrap();
        let told = String::from_utf8_lossy(&blocked.stderr);
        assert_eq!(blocked.status.code(), Some(1), "{told}");
        assert!(told.contains("error[discarded-handle]") && told.contains(OURS), "{told}");
        assert_eq!(before, succeeds(&mut self.git(&["rev-parse", "HEAD"])), "nothing was committed");
    }

    /// A repository that offers the hooks of this one.
    fn hooks(&self) -> String {
        let folder = self.path("hooks");
        std::fs::create_dir(&folder).unwrap();
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml");
        std::fs::copy(manifest, folder.join(".pre-commit-hooks.yaml")).unwrap();
        for arguments in
            [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "hooks"], &["tag", "v1"]]
        {
            succeeds(self.git(arguments).current_dir(&folder));
        }
        folder.to_str().unwrap().to_owned()
    }

    /// The findings of the repository.
    fn check(&self, arguments: &[&str], code: i32) -> Vec<Value> {
        let all = [&["check", "--output-format", "json"], arguments].concat();
        let output = self.tool("unwaited", &all).current_dir(self.repository()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{all:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn tool(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.environment().join("bin").join(name));
        command.args(arguments).current_dir(self.0.path());
        self.surround(command)
    }

    fn git(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.repository());
        self.surround(command)
    }

    /// Nothing outside the folder is read or written, but for what the registry's client keeps.
    fn surround(&self, mut command: Command) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", self.environment().join("bin").display()))
            .env("PRE_COMMIT_HOME", self.path("pre-commit"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("UNWAITED_CACHE_DIR");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "team")
                .env(format!("GIT_{who}_EMAIL"), "team@example.org");
        }
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn environment(&self) -> PathBuf {
        self.path("environment")
    }

    fn repository(&self) -> PathBuf {
        self.path("repository")
    }

    fn ours(&self) -> PathBuf {
        self.repository().join(OURS)
    }
}

fn place(finding: &Value) -> (&str, &str, u64) {
    let text = |key: &str| finding[key].as_str().unwrap();
    (text("filename"), text("rule"), finding["location"]["row"].as_u64().unwrap())
}

/// Standard output of a command that must succeed.
fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}: {shown}{told}");
    shown.into_owned()
}

fn last_row(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().last().unwrap_or_default().to_owned()
}
