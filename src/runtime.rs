//! The companion runtime: executes programs of a few ranks and says exactly how they end.
//!
//! It is what makes the linter's rules provable: a fixture that a rule reports is run, and really hangs or really
//! delivers wrong data, and its repaired form completes.
//!
//! # Words
//!
//! A *rank* is one of the processes of a program, here a thread or a Python process. A rank *starts* an operation and
//! holds its *handle*; the operation uses a *buffer* until it is *complete*, which the rank learns by *waiting*. A
//! *world* is a number of ranks under the laws of one [`Backend`], and its [`Fabric`] carries their messages. What a
//! real backend leaves open is a [`Schedule`], and a run's [`verdict`] says how it ended under that schedule.
//!
//! # An example
//!
//! Rank 0 throws its handle away, so gloo never sends the message. The verdict names the rank that waits for it, and
//! the lost handle that is to blame:
//!
//! ```
//! use std::time::Duration;
//! use unwaited::runtime::verdict::Outcome;
//! use unwaited::runtime::{Buffer, World};
//!
//! let run = World::new(2).run(|rank| {
//!     let buffer = Buffer::from(vec![1.0; 10]);
//!     if rank.id() == 0 {
//!         drop(rank.isend(&buffer, 1));
//!     } else {
//!         rank.compute(Duration::from_secs(1));
//!         rank.recv(&buffer, 0);
//!     }
//! });
//! assert_eq!(run.verdict.outcome, Outcome::Hangs);
//! assert_eq!(run.verdict.blocked[0].rank, 1);
//! assert_eq!(run.verdict.blame[0].operation, "isend to rank 1");
//! ```
//!
//! # Parts
//!
//! | part | what it does | knows |
//! |---|---|---|
//! | [`Fabric`] | matches, moves, decides: a pure state machine | operations, places, schedules |
//! | [`Turns`] | brings the calls of the ranks into one order | the fabric |
//! | `ledger` | copies bytes when the fabric says so, and compares | effects |
//! | [`World`], [`python`], [`cargo`] | ranks as threads, as Python processes, as examples | turns |
//! | [`explore`], [`prove`] | every schedule, every fixture | runs |
//! | [`report`], [`timeline`], [`chrome`] | the verdict as text, the run as a picture and as a trace | runs |

mod backend;
mod buffer;
pub mod cargo;
pub mod chrome;
pub mod command;
mod data;
pub mod explore;
pub mod fabric;
pub mod fixture;
mod ledger;
mod operation;
mod overlap;
mod place;
pub mod prove;
pub mod python;
mod rank;
pub mod report;
mod request;
mod schedule;
mod signals;
mod time;
pub mod timeline;
pub mod trace;
mod turns;
pub mod verdict;
mod world;

pub use backend::{Backend, OnDrop};
pub use buffer::{Buffer, Item};
pub use cargo::main;
pub use fabric::{Access, Dropped, Effect, Fabric, Network, Resumed, Settings, Step, Touched, Wait, Which};
pub use operation::{Collective, Element, GroupId, Handle, Posting, Reduction, Start, Style};
pub use place::Place;
pub use rank::Rank;
pub use request::{Request, Status, TimedOut, wait_all, wait_any};
pub use schedule::{Choice, Policy, Schedule, Sends, Transfers};
pub use time::Time;
pub use turns::{Call, Reply, Submission, Turn, Turns};
pub use world::{Run, World};
