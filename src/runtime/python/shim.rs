//! The Python side, compiled into this program and laid out in a temporary folder for each run.

use tempfile::TempDir;

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../shim/", $path)))),*]
    };
}

/// Every file of the shim and where it goes.
const FILES: [(&str, &str); 24] = files![
    "launch.py",
    "unwaited_rank/__init__.py",
    "unwaited_rank/cells.py",
    "unwaited_rank/clock.py",
    "unwaited_rank/dist.py",
    "unwaited_rank/hooks.py",
    "unwaited_rank/places.py",
    "unwaited_rank/watch.py",
    "unwaited_rank/wire.py",
    "unwaited_rank/work.py",
    "mpi4py/__init__.py",
    "mpi4py/MPI.py",
    "mpi4py/_buffers.py",
    "mpi4py/_comm.py",
    "mpi4py/_request.py",
    "stand_in/torch/__init__.py",
    "stand_in/torch/_arithmetic.py",
    "stand_in/torch/_functions.py",
    "stand_in/torch/_make.py",
    "stand_in/torch/_storage.py",
    "stand_in/torch/_tensor.py",
    "stand_in/torch/_types.py",
    "stand_in/torch/distributed.py",
    "stand_in/torch/multiprocessing.py",
];

/// Lays the shim out; the folder goes with the result.
pub(super) fn install() -> Result<TempDir, String> {
    let wrong = |error: std::io::Error| format!("the shim could not be written: {error}");
    let folder = tempfile::Builder::new().prefix("unwaited-").tempdir().map_err(wrong)?;
    for (path, text) in FILES {
        let path = folder.path().join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(wrong)?;
        }
        std::fs::write(path, text).map_err(wrong)?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_file_of_the_shim_is_laid_out() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/shim");
        let mut found = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()),
                }
            }
        }
        found.retain(|path| path.ends_with(".py"));
        found.sort();
        let mut laid: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        laid.sort_unstable();
        assert_eq!(found, laid);
    }
}
