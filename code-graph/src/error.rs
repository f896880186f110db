//! What can keep an index from being made.

use std::path::PathBuf;

/// Why there is no index, or no newer one. What is wrong with single files is no error: it is
/// counted in the [coverage](crate::index::Coverage). What is wrong with the cache on disk is none
/// either: the index then lives in memory and [says so](crate::index::Kept).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The files of the checkout could not be listed or worked on.
    #[error("the files of `{}` could not be indexed: {source}", root.display())]
    Files {
        /// The root of the checkout.
        root: PathBuf,
        /// What was wrong.
        source: fourfold_worktree::Error,
    },
    /// The caller asked for an end. What was there before is still there.
    #[error("indexing was cancelled after {done} of {total} files; ask again to have it finished")]
    Cancelled {
        /// Files that had been worked on.
        done: usize,
        /// Files that there were to work on; 0 when they had not been listed yet.
        total: usize,
    },
    /// Files changed under the index again and again.
    #[error(
        "the files of `{}` changed {rounds} times while they were read; ask again when what writes them is done",
        root.display()
    )]
    Restless {
        /// The root of the checkout.
        root: PathBuf,
        /// How often it was tried.
        rounds: usize,
    },
}
