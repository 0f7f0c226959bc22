//! The file that an address of the protocol stands for.
//!
//! ```text
//! file:///home/me/a%20b.py      /home/me/a b.py
//! untitled:Untitled-1           no file: a text that was never saved
//! ```

use std::path::PathBuf;

use lsp_types::Uri;

/// The path of a `file:` address.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // A host before the path is this one, or a share of Windows that is not supported.
    let path = rest.get(rest.find('/')?..)?;
    let path = String::from_utf8(decoded(path.as_bytes())).ok()?;
    Some(PathBuf::from(without_slash_before_drive(&path)))
}

/// Replaces `%41` by `A`.
fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                result.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                result.push(*first);
                rest = behind;
            }
        }
    }
    result
}

/// `/c:/a.py` is `c:/a.py` on Windows.
fn without_slash_before_drive(path: &str) -> &str {
    match path.strip_prefix('/') {
        Some(rest) if cfg!(windows) && rest.get(1..2) == Some(":") => rest,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(uri: &str) -> Option<String> {
        path(&uri.parse().unwrap()).map(|path| path.display().to_string())
    }

    #[cfg(unix)]
    #[test]
    fn spaces_and_other_letters_are_encoded() {
        assert_eq!(path_of("file:///home/me/a%20b%C3%A9.py").as_deref(), Some("/home/me/a bé.py"));
        assert_eq!(path_of("file://localhost/a.py").as_deref(), Some("/a.py"));
    }

    #[test]
    fn a_text_that_was_never_saved_has_no_path() {
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}
