//! From arguments to settings: which configuration files count, and what is put on top of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::arguments::SettingsArguments;
use crate::project::settings::{Discovery, Given, Layer, Origin, Resolver};

/// Knows the settings of each file of a run.
pub(super) fn resolver(arguments: &SettingsArguments) -> Result<Resolver, String> {
    let mut discovery = match arguments.isolated {
        true => Discovery::Isolated,
        false => Discovery::Nearest,
    };
    let mut layers = Vec::new();
    for text in &arguments.config {
        match config(text)? {
            Config::Values(given) => layers.push(layer("--config", *given)),
            Config::File(_) if arguments.isolated => {
                return Err(format!(
                    "`--isolated` wants no configuration file, and `--config {text}` is one"
                ));
            }
            Config::File(path) => match &discovery {
                Discovery::File(first) => {
                    let first = first.display();
                    return Err(format!("two configuration files are given: `{first}` and `{text}`"));
                }
                Discovery::Nearest | Discovery::Isolated => discovery = Discovery::File(path),
            },
        }
    }
    layers.push(layer("", flags(arguments)));
    Ok(Resolver::new(discovery, layers))
}

/// A layer of the command line. Its paths start from the working directory.
fn layer(argument: &'static str, given: Given) -> Layer {
    let folder = std::env::current_dir().unwrap_or_default();
    let folder = folder.canonicalize().unwrap_or(folder);
    Layer { origin: Origin::Argument(argument), folder, given }
}

/// What an argument of `--config` is.
enum Config {
    File(PathBuf),
    Values(Box<Given>),
}

/// A path of a file that is there, or a setting in the form of TOML.
fn config(text: &str) -> Result<Config, String> {
    let path = Path::new(text);
    if path.is_file() {
        return Ok(Config::File(path.to_owned()));
    }
    let Some((key, value)) = text.split_once('=') else {
        return Err(format!(
            "`--config {text}`: there is no such file, and it is no setting such as `backend = 'nccl'`"
        ));
    };
    match Given::parse("--config", text) {
        Ok(Given { extend: Some(_), .. }) => {
            Err(format!("`--config {text}`: `extend` is for files: write `--config FILE`"))
        }
        Ok(given) => Ok(Config::Values(Box::new(given))),
        Err(_) if toml::from_str::<toml::Table>(text).is_err() => {
            let (key, value) = (key.trim(), value.trim());
            Err(format!(
                "`--config {text}`: `{value}` is no value: a word stands in quotes, `{key} = '{value}'`"
            ))
        }
        Err(error) => Err(format!("`--config {text}`: {}", error.message)),
    }
}

fn flags(arguments: &SettingsArguments) -> Given {
    let weights = arguments.severity.as_ref().map(|all| all.iter().copied().collect::<BTreeMap<_, _>>());
    Given {
        extend: None,
        select: arguments.select.clone(),
        extend_select: arguments.extend_select.clone(),
        ignore: arguments.ignore.clone(),
        severity: weights,
        per_file_ignores: None,
        exclude: arguments.exclude.clone(),
        respect_gitignore: arguments.no_respect_gitignore.then_some(false),
        backend: arguments.backend.map(Into::into),
        baseline: arguments.baseline.clone(),
        cache_dir: arguments.cache_dir.clone(),
        api: None,
    }
}
