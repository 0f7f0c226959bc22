//! Finds configuration files, and those that they extend.
//!
//! In each folder from that of the checked file upward, `.unwaited.toml` comes before `unwaited.toml`, and that before a
//! `pyproject.toml` with a table `[tool.unwaited]`; the first that is there ends the search.

use std::path::{Path, PathBuf};

use super::{Given, Layer, Origin, SettingsError};
use crate::project::walk::{reason, shown};

/// The files that are configuration as a whole.
const OWN: &[&str] = &[".unwaited.toml", "unwaited.toml"];
/// The file that is configuration where it has our table.
const PYPROJECT: &str = "pyproject.toml";

/// Which configuration files count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Discovery {
    /// The nearest one upward of each checked file.
    #[default]
    Nearest,
    /// This one for every file.
    File(PathBuf),
    /// None.
    Isolated,
}

/// The configuration file of a folder.
pub(crate) fn file_in(folder: &Path) -> Option<PathBuf> {
    let own = OWN.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    own.or_else(|| Some(folder.join(PYPROJECT)).filter(|path| speaks_to_us(path)))
}

/// Whether a `pyproject.toml` has our table. One that is no TOML counts if it names the table, so that it is not passed over
/// in silence.
fn speaks_to_us(pyproject: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(pyproject) else { return false };
    if !text.contains("unwaited") {
        return false;
    }
    match text.parse::<toml::Table>() {
        Ok(table) => table.get("tool").and_then(|tool| tool.get("unwaited")).is_some(),
        Err(_) => text.contains("[tool.unwaited"),
    }
}

/// The layers of a configuration file: those that it extends, the farthest first, then its own.
pub(super) fn layers(path: &Path) -> Result<Vec<Layer>, SettingsError> {
    let mut layers: Vec<Layer> = Vec::new();
    let mut chain: Vec<PathBuf> = Vec::new();
    let mut next = Some((path.to_owned(), None));
    while let Some((path, from)) = next {
        let layer = read(&path, from.as_deref())?;
        let identity = real(path.clone());
        if chain.contains(&identity) {
            let names: Vec<String> = chain.iter().chain([&identity]).map(|path| shown(path)).collect();
            return Err(SettingsError::in_file(
                &path,
                format!("`extend` leads in a circle: {}", names.join(", ")),
            ));
        }
        chain.push(identity);
        next = layer.given.extend.as_ref().map(|base| (real(layer.folder.join(base)), Some(path)));
        layers.push(layer);
    }
    layers.reverse();
    Ok(layers)
}

/// Reads a configuration file; `from` is the one that extends it.
fn read(path: &Path, from: Option<&Path>) -> Result<Layer, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|error| match from {
        Some(from) => SettingsError::in_file(
            from,
            format!("`extend`: `{}` cannot be read: {}", shown(path), reason(&error)),
        ),
        None => SettingsError::in_file(path, format!("it cannot be read: {}", reason(&error))),
    })?;
    let place = shown(path);
    let given = if path.file_name().is_some_and(|name| name == PYPROJECT) {
        Given::parse_pyproject(&place, &text)?
            .ok_or_else(|| SettingsError::in_file(path, "there is no table `[tool.unwaited]`"))?
    } else {
        Given::parse(&place, &text)?
    };
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    let folder = real(folder);
    Ok(Layer { origin: Origin::File(path.to_owned()), folder, given })
}

/// A path without links and `..`, where it leads somewhere.
fn real(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}
