//! `unwaited` finds asynchronous communication that was started and never properly finished.

pub mod runtime;
