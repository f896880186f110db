//! The one way to the disk, and what is told of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fourfold_edit::{LineMap, Tolerance};
use fourfold_rewrite_txn::{
    ChangeKind, CommitError, CommitOptions, Committed, ContentHash, DiffOptions, Durability,
    Staged, StagedFile,
};

use super::excerpt::Excerpts;
use super::result::{WriteAction, WriteResult, WrittenFile};
use crate::Error;
use crate::conversation::Conversation;
use crate::policy::Deed;
use crate::resolve::notices;
use crate::verdict::Verdict;

/// What a tool knows of a file beside its stage.
#[derive(Default)]
pub(super) struct Told {
    /// How exactly the places matched.
    pub(super) tolerance: Option<Tolerance>,
    pub(super) notes: Vec<String>,
    /// The content that the change was made for.
    pub(super) seen: Option<ContentHash>,
}

/// What a tool is about to do.
pub(super) struct Change {
    pub(super) staged: Staged,
    /// By the path before the change, below the root.
    pub(super) told: HashMap<PathBuf, Told>,
    /// Whether the changed places are shown.
    pub(super) excerpts: bool,
    pub(super) dry_run: bool,
}

/// Why nothing was written.
pub(crate) enum Unwritten {
    /// The call was cancelled before.
    Cancelled,
    Refused(CommitError),
}

impl Conversation {
    /// Commits a stage between the two questions of a verdict. Every tool that changes files comes
    /// through here, `resolve` too.
    pub(crate) fn commit_written(
        &self,
        staged: &mut Staged,
        durability: Durability,
    ) -> Result<(Committed, Verdict), Unwritten> {
        let _span = tracing::debug_span!("commit", id = staged.id()).entered();
        self.answered(staged, |staged| {
            // Servers may have been waited for, and nobody waits for this any more.
            if self.is_cancelled() {
                return Err(Unwritten::Cancelled);
            }
            let committed = staged.commit_with(&CommitOptions::new(durability));
            committed.map_err(Unwritten::Refused)
        })
    }

    /// Commits the change of a tool, or shows it, and tells what it is.
    pub(super) fn carry_out(&self, change: Change) -> Result<WriteResult, Error> {
        let Change {
            mut staged,
            mut told,
            excerpts,
            dry_run,
        } = change;
        for file in staged.files() {
            check_seen(&file, told.get(file.path()))?;
        }
        let limits = self.checkout().limits();
        let mut excerpts = Excerpts::new(
            if excerpts {
                limits.max_excerpt_lines
            } else {
                0
            },
            limits.max_text_bytes,
        );
        let files = staged.files().map(|file| {
            let told = told.remove(file.path()).unwrap_or_default();
            written_file(&file, told, &mut excerpts)
        });
        let mut result = WriteResult {
            files: files.collect(),
            dry_run,
            ..WriteResult::default()
        };
        if dry_run {
            result.diff = staged.diff(&DiffOptions::full()).to_string();
        } else if !staged.is_empty() {
            self.approve_change(Deed::Write, &staged)?;
            let durability = self.checkout().durability().write;
            let committed = self.commit_written(&mut staged, durability);
            let (committed, verdict) = committed.map_err(|error| match error {
                Unwritten::Cancelled => Error::Cancelled,
                Unwritten::Refused(CommitError::Drifted { files, .. }) => {
                    Error::ChangedMeanwhile { files }
                }
                Unwritten::Refused(other) => Error::Commit(other),
            })?;
            result.notices = notices(&committed);
            result.verdict = Some(verdict);
        }
        Ok(result)
    }
}

/// What was staged must be what the change was made for.
fn check_seen(file: &StagedFile<'_>, told: Option<&Told>) -> Result<(), Error> {
    let seen = told.and_then(|told| told.seen);
    let staged = file.captured().map(|captured| captured.hash);
    match (seen, staged) {
        (Some(seen), Some(staged)) if seen != staged => Err(Error::NotAsExpected {
            path: shown(file.path()),
            expected: seen.to_string(),
            found: Some(staged.to_string()),
        }),
        _ => Ok(()),
    }
}

fn written_file(file: &StagedFile<'_>, told: Told, excerpts: &mut Excerpts) -> WrittenFile {
    let old = file.old_bytes().unwrap_or_default();
    let new = file.new_bytes();
    let is_gone = new.is_none();
    let new = new.unwrap_or_default();
    let map = LineMap::between(old, &new);
    let action = match file.kind() {
        ChangeKind::Modify => WriteAction::Updated,
        ChangeKind::Create => WriteAction::Created,
        ChangeKind::Delete => WriteAction::Deleted,
        ChangeKind::Rename => WriteAction::Moved,
    };
    WrittenFile {
        path: shown(file.renamed_to().unwrap_or(file.path())),
        action,
        moved_from: file.renamed_to().map(|_| shown(file.path())),
        hash: (!is_gone).then(|| ContentHash::of(&new).to_string()),
        lines_added: map.added(),
        lines_removed: map.removed(),
        bytes: new.len(),
        tolerance: told
            .tolerance
            .filter(|tolerance| *tolerance != Tolerance::Exact)
            .map(|tolerance| tolerance.to_string()),
        excerpt: match action {
            WriteAction::Updated | WriteAction::Moved => excerpts.of(&new, &map),
            _ => String::new(),
        },
        notes: told.notes,
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
