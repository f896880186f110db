//! What can go wrong, said in sentences a person can act on.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use crate::ContentHash;
use crate::recover::Conflict;

/// What a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A socket, a named pipe or a device.
    Special,
}

impl fmt::Display for FileKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Symlink => "a symbolic link",
            Self::Special => "a socket, pipe or device",
        })
    }
}

/// Why something could not be staged, kept, loaded or recovered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The root of the checkout is no directory that can be opened.
    #[error("opening the checkout {}: {source}; name an existing folder", path.display())]
    Root {
        /// The root as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A path leads out of the root, by `..`, as an absolute path or through a symbolic link.
    #[error("staging {}: it leads out of the checkout; only files inside it can be changed", path.display())]
    Outside {
        /// The path as it was given.
        path: PathBuf,
    },
    /// A path lies in `.fourfold` or in a `.git` folder.
    #[error("staging {}: that folder is kept by a tool and is never rewritten; name a source file", path.display())]
    Reserved {
        /// The path inside the root.
        path: PathBuf,
    },
    /// A path names something that is not a regular file.
    #[error("staging {}: it is {kind}, not a regular file; name the file itself", path.display())]
    NotAFile {
        /// The path inside the root.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// Something that is not a directory stands where a folder is needed.
    #[error("staging under {}: it is {kind}, so no file can be in it; name another place", path.display())]
    NotAFolder {
        /// The path inside the root.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// The file to change does not exist.
    #[error("staging {}: there is no such file; create it or correct the path", path.display())]
    Missing {
        /// The path inside the root.
        path: PathBuf,
    },
    /// A file would be created where there is one.
    #[error("staging {}: there is already something of that name; replace or delete it instead", path.display())]
    Exists {
        /// The path inside the root.
        path: PathBuf,
    },
    /// A file, or the folder it stands in, has no write permission.
    #[error("staging {}: {what} is read-only; give it write permission first if the change is wanted", path.display())]
    ReadOnly {
        /// The file that was to be changed.
        path: PathBuf,
        /// The file itself or its folder.
        what: String,
    },
    /// A file has further names (hard links) that a replacement would split off.
    #[error("staging {}: it has {links} names (hard links) and replacing it would split them; \
             give it a copy of its own first, or leave it out", path.display())]
    HardLinked {
        /// The path inside the root.
        path: PathBuf,
        /// How many names it has.
        links: u64,
    },
    /// The last component is a symbolic link and links are not followed here.
    #[error("staging {}: it is a symbolic link; name the file that it points to", path.display())]
    SymlinkRefused {
        /// The path inside the root.
        path: PathBuf,
    },
    /// Two staged paths are one file (hard links, or names that differ in case only).
    #[error("staging {} and {}: they are the same file; stage it once", first.display(), second.display())]
    SameFile {
        /// One path.
        first: PathBuf,
        /// The other path.
        second: PathBuf,
    },
    /// A path is changed by two operations of one stage.
    #[error("staging {}: another operation of this stage already changes it; put both into one", path.display())]
    TwoOperations {
        /// The path inside the root.
        path: PathBuf,
    },
    /// One staged path is the folder of another.
    #[error("staging {}: this stage makes {} a file, so nothing can be inside it", path.display(), file.display())]
    InsideAFile {
        /// The inner path.
        path: PathBuf,
        /// The path that would be a file.
        file: PathBuf,
    },
    /// Two edits overlap or are out of order.
    #[error("staging edits to {}: the edit of bytes {}..{} and the one of bytes {}..{} collide; \
             hand over edits in ascending order that do not overlap",
            path.display(), first.start, first.end, second.start, second.end)]
    EditsCollide {
        /// The file.
        path: PathBuf,
        /// The earlier edit in the list.
        first: Range<usize>,
        /// The later edit in the list.
        second: Range<usize>,
    },
    /// An edit lies outside the captured content.
    #[error("staging edits to {}: bytes {}..{} are not inside the file's {len} bytes; \
             search the file again and stage what was found", path.display(), range.start, range.end)]
    EditOutOfRange {
        /// The file.
        path: PathBuf,
        /// The edit's range.
        range: Range<usize>,
        /// The captured length in bytes.
        len: usize,
    },
    /// The file is not what the caller has seen.
    #[error("staging {}: its content is not what was searched (expected {expected:?}, found {found:?}); \
             search it again", path.display())]
    NotAsSeen {
        /// The file.
        path: PathBuf,
        /// The hash that the caller named.
        expected: ContentHash,
        /// The hash of what is there.
        found: ContentHash,
    },
    /// The stage would hold more than its cap.
    #[error("staging {}: the stage would hold {bytes} bytes, more than its limit of {limit}; \
             split the change or raise the limit", path.display())]
    TooLarge {
        /// The file that went over the cap.
        path: PathBuf,
        /// Bytes with that file.
        bytes: u64,
        /// The cap in bytes.
        limit: u64,
    },
    /// A selection names files or sites that the stage does not have.
    #[error(
        "selecting from stage {id}: it has no {names}; list its files and sites to see their names"
    )]
    NotInStage {
        /// The stage.
        id: String,
        /// What was named, joined by commas.
        names: String,
    },
    /// An owner, mode or attribute cannot be given to the new content.
    #[error("preparing {}: its {what} cannot be kept ({source}); change the file by hand or as its owner", path.display())]
    AttributeLost {
        /// The file.
        path: PathBuf,
        /// Which attribute.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// A text that cannot be a stage's id.
    #[error("\"{id}\" is no stage id; ids look like s-7k2m")]
    BadId {
        /// The text.
        id: String,
    },
    /// No stage of that id is kept.
    #[error(
        "loading stage {id}: no such stage is kept; it was resolved, expired or evicted: stage the change again"
    )]
    NoSuchStage {
        /// The id.
        id: String,
    },
    /// A kept stage does not read back as it was written.
    #[error(
        "loading stage {id}: its file is damaged ({why}) and will not be committed; remove it and stage the change again"
    )]
    StageDamaged {
        /// The id.
        id: String,
        /// How the damage shows.
        why: String,
    },
    /// Another stage of that id is kept already.
    #[error(
        "keeping stage {id}: a different stage of that id is kept already; stage the change again"
    )]
    IdTaken {
        /// The id.
        id: String,
    },
    /// A stage is too large for the store.
    #[error(
        "keeping stage {id}: it takes {bytes} bytes, more than the store's {limit}; commit it now or raise the limit"
    )]
    StageTooLarge {
        /// The id.
        id: String,
        /// Its size on disk.
        bytes: u64,
        /// The store's limit.
        limit: u64,
    },
    /// An unfinished transaction was left by another version of this program.
    #[error(
        "recovering transaction {id}: its journal has format {version}, which this program does not know; \
         run recovery with the program that began it"
    )]
    JournalVersion {
        /// The transaction.
        id: String,
        /// The version of its journal.
        version: u32,
    },
    /// Another process is committing or recovering in this checkout.
    #[error("{}", busy(*holder, *waited))]
    Busy {
        /// The process that holds the lock, when it said so.
        holder: Option<u32>,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The operating system refused a step.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// The step, as a phrase that the path completes.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The sentence of both `Busy` variants.
fn busy(holder: Option<u32>, waited: Duration) -> String {
    let who = holder.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    );
    format!(
        "{who} is committing in this checkout and did not finish within {waited:?}; \
         nothing was changed: try again"
    )
}

impl Error {
    /// Wraps what the system said about one step; for `map_err`.
    pub(crate) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }
}

/// Why a file is not as it was captured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Drift {
    /// Its content is another.
    #[error("changed since it was staged")]
    Changed {
        /// Hash of what is there now.
        found: ContentHash,
    },
    /// Its content is already what this stage would make of it.
    #[error("already holds the staged content")]
    AlreadyApplied,
    /// It is gone.
    #[error("vanished since it was staged")]
    Vanished,
    /// It has become something else.
    #[error("is now {0}")]
    TypeChanged(FileKind),
    /// Something stands where a file was to be created.
    #[error("appeared since it was staged")]
    Appeared,
    /// It, or its folder, has lost its write permission.
    #[error("became read-only: {0}")]
    ReadOnly(String),
    /// It got further names.
    #[error("has {0} names (hard links) now")]
    HardLinked(u64),
    /// Mode, owner or group changed while the commit ran.
    #[error("got another mode or owner while it was being replaced")]
    AttributesChanged,
    /// Another process has it open for writing.
    #[error("is open for writing in another process")]
    OpenForWriting,
    /// It cannot be read any more.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

/// A file that is not as it was captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftedFile {
    /// Path inside the root.
    pub path: PathBuf,
    /// In what way.
    pub why: Drift,
}

impl fmt::Display for DriftedFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.path.display(), self.why)
    }
}

/// Why a commit did not take place.
///
/// After every variant but [`Indeterminate`](Self::Indeterminate) the tree is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// Files are not as they were captured. Nothing is changed and the stage is kept.
    #[error(
        "committing stage {id}: nothing was changed, because {}; the stage is kept: stage those files again or leave them out{}",
        join(files),
        kept(conflicts)
    )]
    Drifted {
        /// The stage.
        id: String,
        /// Every file that drifted, in path order.
        files: Vec<DriftedFile>,
        /// Foreign edits that fell into the middle and were put aside.
        conflicts: Vec<Conflict>,
    },
    /// Another process is committing or recovering in this checkout.
    #[error("committing: {}", busy(*holder, *waited))]
    Busy {
        /// The process that holds the lock, when it said so.
        holder: Option<u32>,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The stage has been committed before.
    #[error("committing stage {id}: it has already been committed; stage the next change anew")]
    Spent {
        /// The stage.
        id: String,
    },
    /// A step failed; whatever was done was taken back.
    #[error(
        "committing stage {id}: {source}; nothing was changed{}",
        kept(conflicts)
    )]
    Failed {
        /// The stage.
        id: String,
        /// The step that failed.
        source: Box<Error>,
        /// Foreign edits that fell into the middle and were put aside.
        conflicts: Vec<Conflict>,
    },
    /// A step failed and taking it back failed too. The journal is kept: [`recover`](crate::recover())
    /// brings the tree to all-old or all-new.
    #[error(
        "taking back stage {id}, whose commit had failed: {undo}; \
             files may be partly changed: run recovery once the cause is gone"
    )]
    Indeterminate {
        /// The stage.
        id: String,
        /// Why the commit failed; its sentence takes for granted that everything was taken back.
        cause: Box<CommitError>,
        /// Why it could not be taken back.
        undo: Box<Error>,
    },
}

/// The drifted files as one phrase; long lists are cut, the field has them all.
fn join(files: &[DriftedFile]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<String> = files.iter().take(SHOWN).map(ToString::to_string).collect();
    if files.len() > SHOWN {
        text.push(format!("{} more", files.len() - SHOWN));
    }
    text.join(", ")
}

/// Where foreign edits were put, as the tail of a sentence.
fn kept(conflicts: &[Conflict]) -> String {
    conflicts
        .iter()
        .map(|conflict| format!("; {conflict}"))
        .collect()
}
