//! Patterns of names: `comm`, `*_comm`, `mpi*`, where `*` stands for anything.

/// Whether a name fits a pattern; the case of letters does not matter.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut in_name) = (0, 0);
    // Where the last `*` stands, and how much of the name it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match (pattern.get(at), star) {
            (Some(b'*'), _) => {
                star = Some((at, in_name));
                at += 1;
            }
            (Some(letter), _) if letter.eq_ignore_ascii_case(&name[in_name]) => {
                at += 1;
                in_name += 1;
            }
            (_, Some((star_at, taken))) => {
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                in_name = taken + 1;
            }
            (_, None) => return false,
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_anything_and_for_nothing() {
        assert!(matches("comm", "COMM"));
        assert!(matches("*comm*", "comm"));
        assert!(matches("*_comm", "node_comm"));
        assert!(matches("*a*b", "xaybzb"));
        assert!(!matches("*_comm", "comm"));
        assert!(!matches("comm", "comms"));
        assert!(!matches("comm", ""));
    }
}
