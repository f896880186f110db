//! Why a path is refused or a walk cannot begin: one sentence each, with what to do next.

use std::io;
use std::path::PathBuf;

use crate::door::Purpose;

/// What this crate refuses, or could not do.
///
/// A file that merely cannot be read during a run is not an error but a [`Skipped`](crate::Skipped)
/// value: the run goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder that should be the root of a checkout cannot be reached.
    #[error("cannot open the checkout `{}`: {source}; name an existing folder", path.display())]
    Root {
        /// The path as it was given.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The root of a checkout has to be a folder.
    #[error("cannot open the checkout `{}`: it is not a folder; name the folder that holds it", path.display())]
    RootNotFolder {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The path leaves the checkout.
    #[error(
        "cannot {purpose} `{}`: it is outside the checkout `{}`; name a path inside, or open the checkout it belongs to",
        path.display(), root.display()
    )]
    Outside {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// The root of the checkout.
        root: PathBuf,
    },
    /// The path goes through a symbolic link that leads out of the checkout.
    #[error(
        "cannot {purpose} `{}`: the symbolic link `{}` leads to `{}`, outside the checkout; name a path inside, or open the checkout it leads to",
        path.display(), link.display(), target.display()
    )]
    LinkLeadsOut {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// The link that leads out.
        link: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The path goes through a symbolic link whose target does not exist.
    #[error(
        "cannot {purpose} `{}`: the symbolic link `{}` is broken, it points to `{}` which does not exist; repair or remove the link",
        path.display(), link.display(), target.display()
    )]
    BrokenLink {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// The broken link.
        link: PathBuf,
        /// What the link says, unresolved.
        target: PathBuf,
    },
    /// Nothing is there.
    #[error(
        "cannot {purpose} `{}`: nothing is there; check the spelling (relative paths start at `{}`)",
        path.display(), root.display()
    )]
    NotFound {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// The root of the checkout.
        root: PathBuf,
    },
    /// A folder stands where a file is expected.
    #[error("cannot {purpose} `{}`: it is a folder; name a file in it", path.display())]
    Folder {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
    },
    /// A file stands where the path needs a folder.
    #[error("cannot {purpose} `{}`: `{}` is a file, not a folder; choose another place", path.display(), file.display())]
    ParentNotFolder {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// The file that is in the way.
        file: PathBuf,
    },
    /// The path to be created is taken.
    #[error("cannot create `{}`: it exists already; change the existing file, or choose another name", path.display())]
    Exists {
        /// The path as it was given.
        path: PathBuf,
    },
    /// A pipe, a socket or a device: opening it could block or have effects.
    #[error("cannot {purpose} `{}`: it is a {kind}, not a regular file; name a regular file", path.display())]
    Special {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// What it is, in words.
        kind: &'static str,
    },
    /// `.git` belongs to Git and `.fourfold` to Fourfold; neither is content of the checkout.
    #[error("cannot {purpose} `{}`: `{folder}` holds what a program keeps for itself; leave it alone and name a file of the project", path.display())]
    Reserved {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// The reserved name met on the way.
        folder: &'static str,
    },
    /// A path cannot hold a NUL byte.
    #[error("cannot {purpose} `{}`: the path holds a NUL byte; remove it", path.to_string_lossy().replace('\0', "\\0"))]
    Nul {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
    },
    /// The operating system refused for another reason.
    #[error("cannot {purpose} `{}`: {source}; check its name and the permissions of the folders above it", path.display())]
    Io {
        /// What the path was wanted for.
        purpose: Purpose,
        /// The path as it was given.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A glob of [`WalkOptions::globs`](crate::WalkOptions::globs) cannot be understood.
    #[error(
        "cannot use the glob `{glob}`: {reason}; the form is that of .gitignore, with a leading `!` to leave out"
    )]
    Glob {
        /// The glob as it was given.
        glob: String,
        /// Where and why it fails.
        reason: String,
    },
    /// Not a single worker thread could be started.
    #[error("cannot start worker threads: {source}; lower `stack_bytes` or the number of threads")]
    Threads {
        /// What the operating system said.
        source: io::Error,
    },
}
