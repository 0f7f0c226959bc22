//! Harms: how data goes wrong, and what is said of it.

use super::super::Place;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One element that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Which element.
    pub index: usize,
    /// What it should be.
    pub expected: String,
    /// What it is.
    pub got: String,
}

/// In which way data went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarmKind {
    /// The buffer was changed between start and transfer, and the changed bytes were sent.
    SentChanged,
    /// The buffer was read before the message was in it.
    ReadEarly,
    /// What the program wrote into the buffer in flight was overwritten by the message.
    WriteLost,
    /// What the message had brought was overwritten before the wait for it.
    MessageLost,
    /// The buffer was never filled, because its operation went with its handle.
    NeverFilled,
    /// The message is shorter than the buffer, whose end keeps its old content.
    Short,
    /// The message has another element type than the buffer.
    Reinterpreted,
    /// The buffer was freed before the operation was complete.
    Freed,
    /// The program's own assertion says so.
    Assertion,
}

impl HarmKind {
    /// What the rank does at the harm's place.
    pub(crate) fn at_place(self) -> &'static str {
        match self {
            HarmKind::SentChanged => "changes the buffer here, before its bytes have left",
            HarmKind::ReadEarly => "reads the buffer here, before the data is in it",
            HarmKind::WriteLost => "writes here what the message will overwrite",
            HarmKind::MessageLost => "overwrites the message here",
            HarmKind::NeverFilled | HarmKind::Freed => "loses the handle here",
            HarmKind::Short | HarmKind::Reinterpreted => "gets what is sent here",
            HarmKind::Assertion => "finds wrong data here",
        }
    }
}

/// A place where a rank got other data than it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    /// The rank whose buffer or read it is.
    pub rank: usize,
    /// In which way.
    pub kind: HarmKind,
    /// The operation, as `isend to rank 1`.
    pub operation: String,
    /// Where that was started.
    pub started: Place,
    /// Where the buffer was touched, the handle lost, or the assertion made.
    pub place: Option<Place>,
    /// The first element that differs, where it is known.
    pub difference: Option<Difference>,
}

impl fmt::Display for Harm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Harm { rank, operation, .. } = self;
        match self.kind {
            HarmKind::SentChanged => {
                write!(
                    out,
                    "the buffer of the {operation} of rank {rank} was changed before its bytes had left"
                )?;
            }
            HarmKind::ReadEarly => {
                write!(out, "rank {rank} read the buffer of its {operation} before the data was in it")?;
            }
            HarmKind::WriteLost => {
                write!(
                    out,
                    "what rank {rank} wrote into the buffer of its pending {operation} was overwritten"
                )?;
            }
            HarmKind::MessageLost => {
                write!(
                    out,
                    "the message in the buffer of the {operation} of rank {rank} was overwritten before the wait"
                )?;
            }
            HarmKind::NeverFilled => {
                write!(out, "the buffer of the {operation} of rank {rank} was never filled")?;
            }
            HarmKind::Short => {
                write!(out, "the message fills only a part of the buffer of the {operation} of rank {rank}")?;
            }
            HarmKind::Reinterpreted => {
                write!(out, "the {operation} of rank {rank} takes the bytes of another element type")?;
            }
            HarmKind::Freed => {
                write!(out, "the {operation} of rank {rank} went on in memory that had been freed")?;
            }
            HarmKind::Assertion => write!(out, "rank {rank} found wrong data: {operation}")?,
        }
        match &self.difference {
            Some(Difference { index, expected, got }) => {
                write!(out, ": element {index} should be {expected} and is {got}")
            }
            None => Ok(()),
        }
    }
}
