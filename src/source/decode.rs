//! From bytes to text, as Python does it (PEP 263).
//!
//! A file is UTF-8, with or without a byte order mark, unless a comment in its first two lines names another encoding:
//! `# -*- coding: latin-1 -*-`. What cannot be decoded is told with its place; nothing is replaced silently.

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

/// The byte order mark.
const MARK: &str = "\u{feff}";

/// Why bytes are not text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecodable {
    /// What is wrong, lower case, without a full stop.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Undecodable {
    fn new(message: impl Into<String>, help: &str) -> Self {
        Self { message: message.into(), help: help.to_owned() }
    }
}

/// Decodes the bytes of a Python file.
pub fn decode(bytes: Vec<u8>) -> Result<String, Undecodable> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Undecodable::new("the file is larger than 4 GiB", "leave it out with `--exclude`"));
    }
    if is_utf16(&bytes) {
        return Err(Undecodable::new("the file is encoded in UTF-16", "save it as UTF-8"));
    }
    if let Some(offset) = memchr::memchr(0, &bytes) {
        let message = format!("the file is binary: byte {offset} is NUL");
        return Err(Undecodable::new(message, "leave it out with `--exclude`"));
    }
    if !bytes.starts_with(MARK.as_bytes()) {
        return decode_as_named(bytes);
    }
    let mut text = decode_utf8(bytes)?;
    text.drain(..MARK.len());
    Ok(text)
}

/// Encodes a text as these bytes are encoded: with the same mark, in the encoding that they name. `None` where that cannot
/// be done without loss.
pub fn encode_like(bytes: &[u8], text: &str) -> Option<Vec<u8>> {
    if bytes.starts_with(MARK.as_bytes()) {
        return Some([MARK, text].concat().into_bytes());
    }
    let encoded = match coding_cookie(bytes).map(|name| normal_name(&name)).as_deref() {
        None | Some("utf-8" | "ascii") => text.as_bytes().to_owned(),
        Some(_) if text.is_ascii() => text.as_bytes().to_owned(),
        Some("latin-1") => text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>()?,
        Some(label) => {
            let encoding = Encoding::for_label(label.as_bytes())?;
            let (encoded, used, lossy) = encoding.encode(text);
            if lossy || used != encoding {
                return None;
            }
            encoded.into_owned()
        }
    };
    (decode(encoded.clone()).as_deref() == Ok(text)).then_some(encoded)
}

/// Whether bytes start with the mark of UTF-16; then no word can be found in them.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

fn decode_as_named(bytes: Vec<u8>) -> Result<String, Undecodable> {
    let Some(name) = coding_cookie(&bytes) else { return decode_utf8(bytes) };
    if bytes.is_ascii() {
        return decode_utf8(bytes);
    }
    match normal_name(&name).as_str() {
        "utf-8" => decode_utf8(bytes),
        "latin-1" => Ok(encoding_rs::mem::decode_latin1(&bytes).into_owned()),
        "ascii" => {
            let offset = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or_default();
            Err(wrong_byte(&bytes, offset, "ASCII"))
        }
        label => match Encoding::for_label(label.as_bytes()) {
            Some(encoding) => decode_with(encoding, &bytes),
            None => {
                let message = format!("the file names an encoding that is not known: `{name}`");
                Err(Undecodable::new(message, "save it as UTF-8"))
            }
        },
    }
}

fn decode_utf8(bytes: Vec<u8>) -> Result<String, Undecodable> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        wrong_byte(error.as_bytes(), offset, UTF_8.name())
    })
}

fn decode_with(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, Undecodable> {
    let mut decoder: Decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(bytes.len() * 4);
    let mut text = String::with_capacity(room);
    let (result, read) = decoder.decode_to_string_without_replacement(bytes, &mut text, true);
    match result {
        DecoderResult::InputEmpty => Ok(text),
        DecoderResult::Malformed(length, behind) => {
            let offset = read.saturating_sub(usize::from(length) + usize::from(behind));
            Err(wrong_byte(bytes, offset, encoding.name()))
        }
        DecoderResult::OutputFull => Err(wrong_byte(bytes, read, encoding.name())),
    }
}

fn wrong_byte(bytes: &[u8], offset: usize, encoding: &str) -> Undecodable {
    let byte = bytes.get(offset).copied().unwrap_or_default();
    let row = row_of(bytes, offset);
    let message =
        format!("the file is not valid {encoding}: byte {byte:#04x} at offset {offset}, line {row}");
    let help = match encoding {
        "UTF-8" => "save it as UTF-8, or name its encoding in the first line: `# -*- coding: latin-1 -*-`",
        _ => "save it as UTF-8, or name its true encoding in the first line",
    };
    Undecodable::new(message, help)
}

fn row_of(bytes: &[u8], offset: usize) -> usize {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let lone = |at: usize| before.get(at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n');
    1 + memchr::memchr2_iter(b'\n', b'\r', before).filter(|&at| lone(at)).count()
}

/// The encoding that a comment in the first two lines names; the second line counts only behind a blank or comment line.
fn coding_cookie(bytes: &[u8]) -> Option<String> {
    let (first, rest) = split_line(bytes);
    let blank = first.trim_ascii_start().first().is_none_or(|byte| *byte == b'#');
    let second = if blank { split_line(rest).0 } else { &[] };
    cookie_in(first).or_else(|| cookie_in(second))
}

fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
    let (line, rest) = bytes.split_at(end);
    let rest = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
    (line, rest)
}

fn cookie_in(line: &[u8]) -> Option<String> {
    let comment = line.trim_ascii_start().strip_prefix(b"#")?;
    let after = memchr::memmem::find_iter(comment, b"coding")
        .filter_map(|at| comment.get(at + b"coding".len()..))
        .find_map(|rest| rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b"=")))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let name: Vec<u8> = after.trim_ascii_start().iter().copied().take_while(is_name).collect();
    if name.is_empty() { None } else { String::from_utf8(name).ok() }
}

/// The name of an encoding as `encoding_rs` knows it, from any of the names that Python has for it.
fn normal_name(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let known = match name.as_str() {
        "utf8" | "utf-8" | "utf-8-sig" | "u8" => "utf-8",
        "latin1" | "latin-1" | "l1" | "iso-8859-1" | "iso8859-1" | "iso-latin-1" => "latin-1",
        "ascii" | "us-ascii" | "646" => "ascii",
        "latin-2" => "iso-8859-2",
        "latin-9" | "latin9" => "iso-8859-15",
        "cp932" | "ms-kanji" => "shift_jis",
        "shift-jis" | "sjis" | "s-jis" => "shift_jis",
        "cp936" => "gbk",
        "cp949" | "uhc" => "euc-kr",
        "cp950" => "big5",
        "mac-roman" => "macintosh",
        _ => return name,
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).unwrap_err().message
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        assert_eq!(decode(b"\xef\xbb\xbfx = 1\n".to_vec()).unwrap(), "x = 1\n");
    }

    #[test]
    fn a_text_goes_back_into_the_encoding_that_it_came_from() {
        let files: [&[u8]; 5] = [
            b"x = '\xc3\xa9'\n",
            b"\xef\xbb\xbfx = '\xc3\xa9'\r\n",
            b"# coding: latin-1\nx = '\xe9'\n",
            b"# coding: cp1252\nx = '\x80'\n",
            b"# coding: shift_jis\nx = '\x82\xa0'\n",
        ];
        for bytes in files {
            let text = decode(bytes.to_vec()).unwrap();
            assert_eq!(encode_like(bytes, &text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(encode_like(b"# coding: latin-1\n", "# coding: latin-1\n'€'\n"), None);
    }

    #[test]
    fn a_cookie_in_the_first_line_is_honoured() {
        let text = decode(b"# -*- coding: latin-1 -*-\nname = '\xe9'\n".to_vec()).unwrap();
        assert!(text.ends_with("name = 'é'\n"));
    }

    #[test]
    fn a_cookie_in_the_second_line_counts_behind_a_comment_only() {
        let text =
            decode(b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n".to_vec()).unwrap();
        assert!(text.ends_with("x = '€'\n"));
        let late = message(b"x = 1\n# coding: cp1252\ny = '\x80'\n");
        insta::assert_snapshot!(late, @"the file is not valid UTF-8: byte 0x80 at offset 28, line 3");
    }

    #[test]
    fn python_and_the_web_name_encodings_differently() {
        let text = decode(b"# coding: shift_jis\nx = '\x82\xa0'\n".to_vec()).unwrap();
        assert!(text.ends_with("x = 'あ'\n"));
        let text = decode(b"# coding=CP932\nx = '\x82\xa0'\n".to_vec()).unwrap();
        assert!(text.ends_with("x = 'あ'\n"));
    }

    #[test]
    fn a_byte_that_is_not_utf8_is_named_with_its_line() {
        insta::assert_snapshot!(message(b"x = 1\r\ny = '\xe9'\r\n"), @"the file is not valid UTF-8: byte 0xe9 at offset 12, line 2");
    }

    #[test]
    fn a_byte_that_the_named_encoding_lacks_is_named() {
        insta::assert_snapshot!(message(b"# coding: euc-jp\nx = '\xff'\n"), @"the file is not valid EUC-JP: byte 0xff at offset 22, line 2");
        insta::assert_snapshot!(message(b"# coding: ascii\nx = '\xff'\n"), @"the file is not valid ASCII: byte 0xff at offset 21, line 2");
    }

    #[test]
    fn an_encoding_that_nobody_knows_matters_only_where_there_is_more_than_ascii() {
        assert!(decode(b"# coding: klingon\nx = 1\n".to_vec()).is_ok());
        insta::assert_snapshot!(message(b"# coding: klingon\nx = '\xe9'\n"), @"the file names an encoding that is not known: `klingon`");
    }

    #[test]
    fn a_binary_file_is_called_one() {
        insta::assert_snapshot!(message(b"\x7fELF\x02\x01\x00"), @"the file is binary: byte 6 is NUL");
        insta::assert_snapshot!(message(b"\xff\xfex\x00"), @"the file is encoded in UTF-16");
    }
}
