//! A checkout on disk: the door that every path goes through, and the one ignore-aware walk.
//!
//! A tool that is told paths by people, models and configuration files has to answer the same
//! questions each time: is this path inside the project, what does it really name, may I write
//! there, which files are sources, what can be read as text, and what was left out. This crate
//! answers them once.
//!
//! - [`Checkout`] is the root. [`Checkout::admit`] is the door: it resolves a path and gives an
//!   [`Admitted`] or a refusal that says what to do.
//! - [`read_text`] reads an admitted file as text, bounded, or says why not ([`Skipped`]).
//! - [`Checkout::walk`] lists files as version control sees them; [`Walk::map`] works on them in
//!   parallel and delivers the results in the order of their paths.
//! - [`Tally`] counts what was skipped and why. [`Stamp`] tells whether a file may have changed.
//!
//! ```
//! use std::ops::ControlFlow;
//! use fourfold_worktree::{Checkout, Control, Purpose, ReadLimits, WalkOptions, read_text};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::create_dir(folder.path().join("src"))?;
//! # std::fs::write(folder.path().join("src/main.rs"), "fn main() {}\n")?;
//! # std::fs::write(folder.path().join("src/logo.rs"), b"\0")?;
//! let checkout = Checkout::open(folder.path())?;
//!
//! // The door.
//! let file = checkout.admit("src/../src/main.rs", Purpose::Write)?;
//! assert_eq!(file.to_string(), "src/main.rs");
//! assert!(checkout.admit("../elsewhere", Purpose::Read).is_err());
//!
//! // The walk: count lines in parallel, print in order.
//! let control = Control::new();
//! let options = WalkOptions {
//!     wanted: Some(&|path| path.extension().is_some_and(|ext| ext == "rs")),
//!     ..WalkOptions::default()
//! };
//! let mut lines = Vec::new();
//! let mapped = checkout.walk(&options, &control)?.map(
//!     &control,
//!     || (),
//!     |(), file| Ok(Some(read_text(file, &ReadLimits::default())?.text.lines().count())),
//!     |file, count| {
//!         lines.push(format!("{file}: {count}"));
//!         ControlFlow::Continue(())
//!     },
//! )?;
//! assert_eq!(lines, ["src/main.rs: 1"]);
//! assert_eq!(mapped.tally.to_string(), "skipped: 1 binary");
//! # Ok(())
//! # }
//! ```
//!
//! # Limits
//!
//! - Unix only: identity (device, inode) and byte paths are those of Unix.
//! - The door resolves a path at one moment. Somebody who swaps a folder for a link afterwards is
//!   not stopped; the last component is opened without following links.
//! - A walk holds the list of paths in memory (about 100 bytes a file) and at most two windows of
//!   results. [`ReadLimits::max_bytes`] (8 MiB) times the number of threads bounds the text.
//! - Files are UTF-8 or skipped; no other encoding is guessed. Names need not be UTF-8.
//! - Ignore rules of a folder that is named explicitly: the folder itself may be ignored, but a
//!   rule that matches the files in it (`dist/**`, `*.log`) still holds for them.
//! - Equal [`Stamp`]s are strong evidence, not proof; see [`Stamp::is_settled_at`].
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod door;
mod error;
mod pipeline;
mod read;
mod stamp;
mod tally;
mod walk;

pub use door::{Admitted, Checkout, Purpose};
pub use error::Error;
pub use pipeline::{Control, Ended, Workers};
pub use read::{ReadLimits, Skipped, Text, read_text};
pub use stamp::Stamp;
pub use tally::{SkipKind, Tally};
pub use walk::{Mapped, Walk, WalkOptions};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
