//! The command `unwaited`.
fn main() {}
