//! What is packed beside the binary, and the files that other tools read, agree with the code.
//!
//! The manual pages and completions are written by `UPDATE_PAGES=1 cargo test --test packages`; without that variable the
//! test compares.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;
mod transcript;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use support::{assert_none, entries, folder, read};
use transcript::Folder;

/// Where the wheel has what an environment shares.
const SHARE: &str = "packaging/wheel/data/share";

#[test]
fn the_manual_pages_and_completions_of_the_packages_are_those_of_the_binary() {
    let made = made();
    let share = folder(SHARE);
    if std::env::var_os("UPDATE_PAGES").is_some() {
        for (path, text) in &made {
            std::fs::create_dir_all(share.join(path).parent().unwrap()).unwrap();
            std::fs::write(share.join(path), text).unwrap();
        }
        return;
    }
    let packed: BTreeMap<PathBuf, String> = below(&share)
        .into_iter()
        .map(|path| (path.strip_prefix(&share).unwrap().to_owned(), read(&path)))
        .collect();
    let names = |files: &BTreeMap<PathBuf, String>| files.keys().cloned().collect::<Vec<PathBuf>>();
    assert_eq!(names(&packed), names(&made));
    let differ = made.iter().filter(|(path, text)| packed[*path] != **text);
    let complaints: Vec<String> = differ
        .map(|(path, _)| {
            format!("{} is not up to date: `UPDATE_PAGES=1 cargo test --test packages`", path.display())
        })
        .collect();
    assert_none(&complaints);
}

/// What the binary writes, by the place below `share`.
fn made() -> BTreeMap<PathBuf, String> {
    let folder = Folder::with(&[]);
    let told = folder.unwaited("completions man --directory man/man1");
    assert!(told.ends_with("-- exit code 0\n"), "{told}");
    for (shell, file) in [
        ("bash", "bash-completion/completions/unwaited"),
        ("fish", "fish/vendor_completions.d/unwaited.fish"),
        ("zsh", "zsh/site-functions/_unwaited"),
    ] {
        let output = folder.command(&format!("completions {shell}")).output().unwrap();
        folder.write(file, &output.stdout);
    }
    let files = below(folder.path()).into_iter();
    files.map(|path| (path.strip_prefix(folder.path()).unwrap().to_owned(), read(&path))).collect()
}

fn below(root: &Path) -> Vec<PathBuf> {
    let of = |path: PathBuf| if path.is_dir() { below(&path) } else { vec![path] };
    entries(root).into_iter().flat_map(of).collect()
}

#[test]
fn the_project_says_the_same_to_python_as_to_cargo() {
    let python = table("pyproject.toml");
    let cargo = table("Cargo.toml");
    for key in ["name", "description", "license", "readme", "keywords"] {
        assert_eq!(python["project"][key], cargo["package"][key], "{key}");
    }
}

#[test]
fn every_build_uses_the_oldest_toolchain_that_is_promised() {
    let cargo = table("Cargo.toml");
    let version = cargo["package"]["rust-version"].as_str().unwrap();
    for (file, row) in [
        ("Containerfile", format!("FROM rust:{version}-")),
        ("action.yml", format!("rustup toolchain install {version} ")),
        (".github/workflows/ci.yml", format!("rustup toolchain install {version} ")),
        (".github/workflows/release.yml", format!("rust-toolchain: \"{version}\"")),
    ] {
        assert!(read(&folder(file)).contains(&row), "{file} has `{row}`");
    }
}

#[test]
fn the_image_is_built_from_files_that_are_there() {
    let text = read(&folder("Containerfile"));
    let copied = text.lines().filter(|row| row.starts_with("COPY ") && !row.contains("--from="));
    let sources = copied.flat_map(|row| {
        let mut words: Vec<&str> = row.split_whitespace().skip(1).collect();
        words.pop();
        words
    });
    let sources: Vec<&str> = sources.collect();
    assert!(sources.contains(&"src") && sources.contains(&SHARE), "{sources:?}");
    let lost = sources.iter().filter(|source| !folder(source).exists());
    assert_none(&lost.map(|source| format!("there is no {source}")).collect::<Vec<_>>());
}

fn table(file: &str) -> toml::Table {
    read(&folder(file)).parse().unwrap()
}

/// What the action runs after its build.
fn script() -> String {
    let action = read(&folder("action.yml"));
    let (_, step) = action.split_once("id: check\n").unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    script.lines().map(|row| row.trim().to_owned() + "\n").collect()
}

#[cfg(unix)]
#[test]
fn the_action_checks_and_says_how_it_ended() {
    let lost = b"import torch.distributed as dist\n\n\ndef send(t):\n    dist.isend(t, 1)\n";
    let folder = Folder::with(&[("a/lost.py", lost), ("b/right.py", b"import torch.distributed\n")]);
    let binary = Path::new(env!("CARGO_BIN_EXE_unwaited")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    for (paths, arguments, file, code) in [
        ("a b", "", "", 1),
        ("a b", "--ignore discarded-handle --quiet", "", 0),
        ("b", "", "", 0),
        ("a", "--selct x", "", 2),
        ("a", "", "out", 1),
    ] {
        folder.write("output", b"");
        let output = std::process::Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &script()])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("GITHUB_OUTPUT", folder.path().join("output"))
            .envs([("PATHS", paths), ("ARGUMENTS", arguments), ("FORMAT", "github"), ("FILE", file)])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{told}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(read(&folder.path().join("output")), format!("exit-code={code}\n"));
        assert_eq!(told.contains("::error "), code == 1 && file.is_empty(), "{told}");
    }
    assert!(read(&folder.path().join("out")).contains("::error "));
}
