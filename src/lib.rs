//! `unwaited` finds asynchronous communication that was started and never properly finished.
//!
//! Data flows one way through the layers, and a module names only modules above it in this list:
//! [`source`], [`catalog`] (with the words of [`ir`]), [`ir`], [`frontend`], [`flow`], [`progress`], [`rules`], [`project`], [`report`], [`runtime`], [`lsp`], [`cli`].

pub mod catalog;
pub mod cli;
pub mod flow;
pub mod frontend;
pub mod ir;
pub mod lsp;
pub mod progress;
pub mod project;
pub mod report;
pub mod rules;
pub mod runtime;
pub mod source;
