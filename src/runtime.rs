//! The companion runtime: executes programs of a few ranks and says exactly how they end.
mod backend;
mod buffer;
mod data;
mod fabric;
mod ledger;
mod operation;
mod overlap;
mod place;
mod rank;
mod request;
mod schedule;
mod time;
pub mod trace;
mod turns;
pub mod verdict;
mod world;

pub use backend::{Backend, OnDrop};
pub use buffer::{Buffer, Item};
pub use fabric::{Access, Effect, Fabric, Network, Resumed, Settings, Step, Touched, Wait, Which};
pub use operation::{Collective, Element, GroupId, Handle, Posting, Reduction, Start, Style};
pub use place::Place;
pub use rank::Rank;
pub use request::{Request, Status, TimedOut, wait_all, wait_any};
pub use schedule::{Choice, Policy, Schedule, Sends, Transfers};
pub use time::Time;
pub use turns::{Call, Dropped, Reply, Submission, Turn, Turns};
pub use world::{Run, World};
