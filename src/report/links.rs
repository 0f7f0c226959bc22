//! Links in a terminal, by the escape sequence OSC 8.

/// Whether names of rules are links to their pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// They are.
    Written,
    /// They are plain text.
    #[default]
    Absent,
}

impl Links {
    /// A text that leads to an address, where there is one.
    pub(super) fn link(self, text: &str, address: Option<&str>) -> String {
        match (self, address) {
            (Self::Written, Some(address)) => {
                format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
            }
            (Self::Written, None) | (Self::Absent, _) => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_where_there_is_an_address() {
        let link = |links: Links, address| links.link("rule", address).escape_debug().to_string();
        insta::assert_snapshot!(link(Links::Written, Some("https://example.org/rule")), @r"\u{1b}]8;;https://example.org/rule\u{1b}\\rule\u{1b}]8;;\u{1b}\\");
        assert_eq!(link(Links::Written, None), "rule");
        assert_eq!(link(Links::Absent, Some("https://example.org/rule")), "rule");
    }
}
