//! The bytes of files, read into memory that is used again: most files are read, searched for a few words, and dropped.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A larger buffer is not kept.
const LARGEST: usize = 4 << 20;

thread_local! {
    static SPARE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Reads a file, into the buffer that this thread has given back last.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = SPARE.take();
    bytes.clear();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file that are kept, without the room behind them.
pub(crate) fn keep(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.shrink_to_fit();
    bytes
}

/// Gives back the bytes of a file that nobody needs any more.
pub(crate) fn give_back(bytes: Vec<u8>) {
    if bytes.capacity() <= LARGEST {
        SPARE.set(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_shorter_than_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for text in ["a long text", "short", ""] {
            std::fs::write(&path, text).unwrap();
            let bytes = read(&path).unwrap();
            assert_eq!(bytes, text.as_bytes());
            give_back(bytes);
        }
        assert!(read(&folder.path().join("missing")).is_err());
    }
}
