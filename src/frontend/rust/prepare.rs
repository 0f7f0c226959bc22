//! What is done to a text before it is parsed: what is no Rust is blanked, and how deep it is nested is measured.
//!
//! A first row that names an interpreter, a byte order mark and the front matter of a script are blanked byte for byte, so that
//! every span fits the text as the user sees it.
//!
//! ```text
//! #!/usr/bin/env cargo
//! ---
//! [dependencies]
//! mpi = "0.8"
//! ---
//! fn main() {}
//! ```

use crate::source::Span;

/// How deep brackets may be nested.
const BRACKETS: usize = 256;
/// How long an expression may be, in words and signs without a `;`, `,` or block between them, those of all brackets around it included.
const LENGTH: usize = 20_000;

/// The text with everything blanked that stands before its code.
pub(super) fn blanked(text: &str) -> String {
    let end = code_begins(text);
    let (front, code) = text.split_at(end);
    let blank: String = front.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    blank + code
}

fn code_begins(text: &str) -> usize {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let rest = &text[mark..];
    let mut at = mark;
    if let Some(line) = rest.strip_prefix("#!")
        && !line.trim_start().starts_with('[')
    {
        at += rest.find('\n').unwrap_or(rest.len());
    }
    let rest = &text[at..];
    let body = rest.trim_start();
    let fence = body.len() - body.trim_start_matches('-').len();
    if fence < 3 {
        return at;
    }
    let fence = &body[..fence];
    let begin = text.len() - body.len();
    let mut end = begin;
    for (index, line) in body.split_inclusive('\n').enumerate() {
        end += line.len();
        if index > 0 && line.trim_end() == fence {
            return end;
        }
    }
    at
}

/// The place where a text is nested so deeply that its tree could not be walked.
pub(super) fn too_deep(text: &str) -> Option<Span> {
    let mut measure = Measure { bytes: text.as_bytes(), at: 0, lengths: vec![0], length: 0, ended: false };
    while measure.at < measure.bytes.len() {
        let at = measure.at;
        measure.step();
        if measure.lengths.len() > BRACKETS || measure.length > LENGTH {
            return Some(Span::new(at as u32, (at + 1) as u32));
        }
    }
    None
}

/// Counts brackets and words; in a string or comment that it takes for code it may count too much, never too little.
struct Measure<'t> {
    bytes: &'t [u8],
    at: usize,
    /// For each open bracket, how much of the expression is before it.
    lengths: Vec<usize>,
    /// How much there is so far, all open brackets included.
    length: usize,
    /// Whether a block has just ended.
    ended: bool,
}

impl Measure<'_> {
    fn step(&mut self) {
        match self.byte(0) {
            b'/' if self.byte(1) == b'/' => return self.skip_to(b'\n'),
            b'/' if self.byte(1) == b'*' => return self.skip_block(),
            b'"' => return self.skip_string(),
            b'\'' => return self.quote(),
            b'r' if matches!(self.byte(1), b'"' | b'#') => return self.skip_raw_string(),
            b'{' | b'(' | b'[' => {
                self.count();
                self.lengths.push(self.length);
            }
            byte @ (b'}' | b')' | b']') => {
                let outer = if self.lengths.len() > 1 { self.lengths.pop() } else { None };
                self.length = outer.unwrap_or(self.length);
                self.ended = byte == b'}';
            }
            b';' | b',' => self.start_anew(),
            byte if byte.is_ascii_whitespace() => {}
            byte if is_word(byte) => return self.word(),
            _ => {
                self.ended = false;
                self.count();
            }
        }
        self.at += 1;
    }

    fn word(&mut self) {
        let start = self.at;
        // `br"…"`, `cr#"…"#`
        if matches!(self.byte(0), b'b' | b'c') && self.byte(1) == b'r' && matches!(self.byte(2), b'"' | b'#')
        {
            self.at += 1;
            return self.skip_raw_string();
        }
        while self.at < self.bytes.len() && is_word(self.byte(0)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        if self.ended && word != b"else" {
            self.start_anew();
        }
        self.ended = false;
        self.count();
    }

    fn start_anew(&mut self) {
        self.ended = false;
        self.length = self.lengths.last().copied().unwrap_or_default();
    }

    fn count(&mut self) {
        self.length += 1;
    }

    fn skip_to(&mut self, end: u8) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(end, rest).unwrap_or(rest.len());
    }

    fn skip_block(&mut self) {
        let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
        self.at += 2 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |at| at + 2);
    }

    /// A character, or the mark of a lifetime.
    fn quote(&mut self) {
        self.count();
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let end = match rest.first() {
            Some(b'\\') => rest.iter().skip(2).position(|byte| *byte == b'\'').map(|end| end + 2),
            Some(b'\'') | None => None,
            Some(_) => {
                rest.iter().take(5).position(|byte| *byte == b'\'').filter(|end| is_one_letter(rest, *end))
            }
        };
        self.at += end.map_or(1, |end| end + 2);
    }

    /// `r"…"`, `r#"…"#`, or the name `r#type`.
    fn skip_raw_string(&mut self) {
        self.count();
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let signs = rest.iter().take_while(|byte| **byte == b'#').count();
        self.at += 1 + signs;
        if self.byte(0) != b'"' {
            return;
        }
        self.at += 1;
        let mut end = vec![b'"'];
        end.resize(signs + 1, b'#');
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memmem::find(rest, &end).map_or(rest.len(), |at| at + end.len());
    }

    fn skip_string(&mut self) {
        self.count();
        self.at += 1;
        while self.at < self.bytes.len() && self.byte(0) != b'"' {
            self.at += if self.byte(0) == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }
}

fn is_one_letter(text: &[u8], end: usize) -> bool {
    std::str::from_utf8(text.get(..end).unwrap_or_default()).is_ok_and(|inner| inner.chars().count() == 1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_behind_the_name_of_an_interpreter() {
        let text = "#!/usr/bin/env cargo\n---\n[dependencies]\nmpi = \"0.8\"\n---\nfn main() {}\n";
        let code = blanked(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(code.trim(), "fn main() {}");
        assert_eq!(code.find("fn"), text.find("fn"));
    }

    #[test]
    fn an_attribute_of_the_file_is_no_interpreter() {
        assert_eq!(blanked("#![allow(unused)]\nfn f() {}"), "#![allow(unused)]\nfn f() {}");
        assert_eq!(blanked("\u{feff}#!x\nfn f() {}"), "      \nfn f() {}");
        assert_eq!(blanked("---\nnever closed"), "---\nnever closed");
    }

    #[test]
    fn depth_is_measured_across_brackets_and_without_them() {
        assert_eq!(too_deep(&"fn f() { if a { b() } else { c() } }\n".repeat(3000)), None);
        assert_eq!(too_deep(&format!("const X: [u8; 9] = [{}];", "1, ".repeat(100_000))), None);
        assert!(too_deep(&format!("fn f() {{ {} }}", "(".repeat(300))).is_some());
        assert!(too_deep(&format!("const X: bool = {}true;", "!".repeat(30_000))).is_some());
        assert!(too_deep(&format!("fn f() {{ if a {{}} {} }}", "else if a {} ".repeat(20_000))).is_some());
    }
}
