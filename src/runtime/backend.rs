//! What the libraries do differently.
//!
//! One question decides most verdicts: what happens to an operation whose last handle dies before it is complete?
//! gloo *cancels* a message and lets a collective go on, NCCL lets everything go on, mpi4py goes on with memory that
//! nobody owns, rsmpi aborts the program.

use serde::{Deserialize, Serialize};

/// The library whose behaviour a world has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// `torch.distributed` over gloo.
    #[default]
    Gloo,
    /// `torch.distributed` over NCCL.
    Nccl,
    /// mpi4py.
    Mpi,
    /// rsmpi.
    Rsmpi,
}

/// What becomes of an operation whose last handle dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDrop {
    /// A send that has not left is never sent, a receive is never filled.
    Cancels,
    /// It is completed some time later.
    Continues,
    /// It is completed some time later, in memory that may be freed.
    ContinuesUnowned,
    /// The program ends at the drop.
    Aborts,
}

impl Backend {
    /// What the death of the last handle does to a message.
    #[must_use]
    pub fn on_message_drop(self) -> OnDrop {
        match self {
            Backend::Gloo => OnDrop::Cancels,
            Backend::Nccl => OnDrop::Continues,
            Backend::Mpi => OnDrop::ContinuesUnowned,
            Backend::Rsmpi => OnDrop::Aborts,
        }
    }

    /// What the death of the last handle does to a collective.
    #[must_use]
    pub fn on_collective_drop(self) -> OnDrop {
        match self {
            Backend::Gloo => OnDrop::Continues,
            other => other.on_message_drop(),
        }
    }

    /// Whether asking for a message's completion can ever say yes before a wait has.
    #[must_use]
    pub fn polls_see_messages(self) -> bool {
        self != Backend::Gloo
    }

    /// Whether waiting again for a message that has been waited for blocks for ever.
    #[must_use]
    pub fn second_wait_blocks(self) -> bool {
        self == Backend::Gloo
    }

    /// Whether a message shorter than the receive buffer is delivered without a word although it is a mistake.
    pub(crate) fn short_messages_are_wrong(self) -> bool {
        matches!(self, Backend::Gloo | Backend::Nccl)
    }
}
