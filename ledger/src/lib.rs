//! Which diagnostics an agent has been told: what is fresh, what is resolved, what remains.
//!
//! A coding agent that is shown every diagnostic after every write stops reading them; one that is
//! shown none goes on building on a broken file. A [`Ledger`] tells it each problem once. A problem
//! that slid four lines down is not new; a second equal one is; what was broken before the first
//! write is not blamed on it.
//!
//! - A [`Finding`] is one diagnostic. Its identity is severity, code and message, never its
//!   position; positions inside the message are taken out by [`Normalize`]. Identities are counted.
//! - A [`Slot`] is a producer and a document: where one set replaces another.
//! - [`Ledger::baseline`] takes what was there before the first write as known.
//! - [`Ledger::observe`] gives a [`Delta`]: fresh, resolved, remaining. Its [`Evidence`] says how far
//!   the set can be trusted: only a complete one makes findings resolved, the others only add.
//! - [`Ledger::acknowledge`] records what reached the agent. What did not is told the next time;
//!   with [`Ledger::acknowledge_counted`] what was only counted is known from then on, too.
//! - [`Ledger::checkpoint`], [`Ledger::restore`], [`Ledger::forget_told`], [`Ledger::rename`] and
//!   [`Ledger::remove`] follow what happens to the conversation and to the files.
//!
//! ```
//! use fourfold_ledger::{Config, Evidence, Finding, Ledger, Severity, Shown, Slot};
//!
//! let mut ledger = Ledger::new(Config::default());
//! let slot = Slot::new("rust-analyzer", "src/lib.rs");
//! let old = Finding::new(Severity::Warning, "unused variable: `x`", 3);
//! ledger.baseline(&slot, &[old.clone()]);
//!
//! // The write moved the old warning down and broke something.
//! let mut moved = old;
//! moved.line = 7;
//! let broken = Finding::new(Severity::Error, "mismatched types", 5).with_code("E0308");
//! let delta = ledger.observe(&slot, Evidence::Complete, &[broken.clone(), moved.clone()]);
//! assert_eq!(delta.fresh.len(), 1);
//! assert_eq!(delta.fresh[0].finding, broken);
//! assert_eq!(delta.remaining.total(), 1);
//! ledger.acknowledge(delta, Shown::All);
//!
//! // The server is still busy: silence proves nothing.
//! let delta = ledger.observe(&slot, Evidence::Partial, &[]);
//! assert!(delta.is_silent());
//! assert_eq!(delta.unconfirmed, 2);
//!
//! // The next write repaired it.
//! let delta = ledger.observe(&slot, Evidence::Complete, &[moved]);
//! assert_eq!(delta.resolved[0].message, "mismatched types");
//! ledger.acknowledge(delta, Shown::All);
//! ```
//!
//! # Limits
//!
//! - One finding fixed and an equal one added in the same document between two observations is no
//!   change: the count is the same, and [`Delta::remaining`] shows it.
//! - Findings of minor severities are filtered by the caller, before the ledger.
//! - A finding that moves to another document is resolved there and fresh here; so is one whose
//!   message names a renamed file.
//! - A producer that words one problem in changing ways needs a [`Normalize`] of its own.
//! - Bounded by [`Config`]. Over a bound the slots unused for longest are forgotten, which means
//!   told again with [`Origin::Unknown`], never lost. Names of slots are kept as they are given.
//! - Keys are 128-bit hashes that are not made to withstand somebody who seeks collisions: such a
//!   producer could hide its own findings.
//! - A delta belongs to the ledger that made it. Nothing here is shared between threads: one ledger
//!   has one owner.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod checkpoint;
mod delta;
mod error;
mod finding;
mod key;
mod ledger;
mod normalize;
mod page;
mod shadow;

pub use checkpoint::Checkpoint;
pub use delta::{Delta, Evidence, Fresh, Origin, Resolved, Shown};
pub use error::Error;
pub use finding::{Counts, Finding, Severity};
pub use ledger::{Config, Ledger, Slot, Usage};
pub use normalize::{Normalize, Positions};
pub use shadow::Hides;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
