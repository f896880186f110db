//! `apply_patch`: a patch over any number of files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use fourfold_edit::{Action, Error as PatchError, FileChange, Outcome, Patch};
use fourfold_rewrite_txn::Stage;
use fourfold_worktree::{Admitted, Error as Refusal, Purpose};

use super::commit::{Change, Told};
use super::edit::staged;
use super::file::{Seen, check_expected};
use super::request::ApplyPatchRequest;
use super::result::WriteResult;
use crate::Error;
use crate::checkout::Checkout;
use crate::conversation::Conversation;
use crate::nearest;

/// What a patch makes of a file that was let in.
enum Made {
    Added(Admitted, Vec<u8>),
    Deleted(Seen),
    Updated {
        seen: Seen,
        to: Option<Admitted>,
        change: fourfold_edit::Change,
    },
}

impl Conversation {
    /// Applies a patch, all its files or none; blocking. It is an envelope from `*** Begin Patch` to
    /// `*** End Patch`, or unified diffs. Content decides where a hunk belongs; one that matches at
    /// several places is refused with all of them.
    ///
    /// # Errors
    /// Everything that is wrong with any file or hunk, in [`Error::Several`] if it is more than one
    /// thing: [`Error::Patch`], [`Error::Path`]; else as [`write`](Conversation::write).
    pub fn apply_patch(&self, request: &ApplyPatchRequest) -> Result<WriteResult, Error> {
        let checkout = self.checkout();
        self.writable("apply a patch")?;
        let patch = Patch::parse(&below_root(request.patch.as_bytes(), checkout.root()))?;
        let named: Vec<&str> = patch.files.iter().map(|file| file.path.as_str()).collect();
        let strange = request.expected_hashes.keys();
        if let Some(strange) = strange
            .into_iter()
            .find(|path| !named.contains(&path.as_str()))
        {
            return Err(Error::usage(format!(
                "`expected_hashes` speaks of `{strange}`, which the patch does not{}",
                nearest::hint(strange, named.iter().copied())
            )));
        }
        let _turn = self.turn(patch.files.iter().flat_map(names))?;
        let mut stage = Stage::with_options(checkout.root(), checkout.limits().staging())?;
        let mut told = HashMap::new();
        let mut errors = Vec::new();
        for file in &patch.files {
            let expected = request.expected_hashes.get(&file.path);
            let made = made(checkout, file, expected.map(String::as_str));
            let put = made.and_then(|made| put(&mut stage, file, made, &mut told));
            errors.extend(put.err());
        }
        if let Some(error) = Error::all(errors) {
            return Err(error);
        }
        self.carry_out(Change {
            staged: stage.finish()?,
            told,
            excerpts: true,
            dry_run: request.dry_run,
        })
    }
}

/// The files that a change of a patch is about.
fn names(file: &FileChange) -> impl Iterator<Item = &str> {
    let to = match &file.action {
        Action::Update { to, .. } => to.as_deref(),
        _ => None,
    };
    [file.path.as_str()].into_iter().chain(to)
}

/// The patch with absolute paths into the checkout as those below its root. Only the lines that name
/// a file are looked at: an envelope has none of these within a hunk, a unified diff only where both
/// names and a hunk follow one another.
fn below_root<'a>(patch: &'a [u8], root: &Path) -> Cow<'a, [u8]> {
    const MARKS: [&[u8]; 4] = [
        b"*** Add File: ",
        b"*** Delete File: ",
        b"*** Update File: ",
        b"*** Move to: ",
    ];
    let mut prefix = root.as_os_str().as_bytes().to_vec();
    if !prefix.ends_with(b"/") {
        prefix.push(b'/');
    }
    let holds = |patch: &[u8]| patch.windows(prefix.len()).any(|window| window == prefix);
    if !holds(patch) {
        return Cow::Borrowed(patch);
    }
    let lines: Vec<&[u8]> = patch.split_inclusive(|byte| *byte == b'\n').collect();
    let begins = |at: usize, mark: &[u8]| lines.get(at).is_some_and(|line| line.starts_with(mark));
    let mut out = Vec::with_capacity(patch.len());
    for (at, line) in lines.iter().enumerate() {
        let names = |first: usize| {
            begins(first, b"--- ") && begins(first + 1, b"+++ ") && begins(first + 2, b"@@")
        };
        let mark: &[u8] = match MARKS.into_iter().find(|mark| line.starts_with(mark)) {
            Some(mark) => mark,
            None if names(at) => b"--- ",
            None if at > 0 && names(at - 1) => b"+++ ",
            None => b"",
        };
        let path = line.strip_prefix(mark).filter(|_| !mark.is_empty());
        match path.and_then(|path| path.strip_prefix(prefix.as_slice())) {
            Some(below) => {
                out.extend_from_slice(mark);
                out.extend_from_slice(below);
            }
            None => out.extend_from_slice(line),
        }
    }
    Cow::Owned(out)
}

fn made(checkout: &Checkout, file: &FileChange, expected: Option<&str>) -> Result<Made, Error> {
    let path = Path::new(&file.path);
    match &file.action {
        Action::Add(_) => match checkout.tree().admit(path, Purpose::Create) {
            Ok(admitted) => {
                check_expected(&admitted, expected, None)?;
                match file.apply(None)? {
                    Outcome::Added(content) => Ok(Made::Added(admitted, content)),
                    _ => Err(unknown(file)),
                }
            }
            Err(Refusal::Exists { .. }) => Err(PatchError::Exists {
                path: file.path.clone(),
            }
            .into()),
            Err(error) => Err(error.into()),
        },
        _ => {
            let seen = match checkout.seen(path) {
                Ok(seen) => seen,
                // The sentence of the patch says more.
                Err(Error::Path(error @ Refusal::NotFound { .. })) => {
                    file.apply(None)?;
                    return Err(error.into());
                }
                Err(error) => return Err(error),
            };
            check_expected(&seen.file, expected, Some(seen.hash))?;
            let to = match &file.action {
                Action::Update { to: Some(to), .. } => {
                    Some(checkout.tree().admit(to, Purpose::Create)?)
                }
                _ => None,
            };
            match file.apply(Some(&seen.bytes))? {
                Outcome::Deleted => Ok(Made::Deleted(seen)),
                Outcome::Updated(change) => Ok(Made::Updated { seen, to, change }),
                _ => Err(unknown(file)),
            }
        }
    }
}

/// A kind of change that this crate does not know yet.
fn unknown(file: &FileChange) -> Error {
    Error::usage(format!(
        "cannot do with `{}` what the patch asks for",
        file.path
    ))
}

fn put(
    stage: &mut Stage,
    file: &FileChange,
    made: Made,
    told: &mut HashMap<PathBuf, Told>,
) -> Result<(), Error> {
    // Deleting and moving are about the name in the patch: a link is not followed.
    let named = Path::new(&file.path);
    match made {
        Made::Added(admitted, content) => {
            stage.create(admitted.absolute(), content)?;
        }
        Made::Deleted(seen) => {
            stage.delete(named)?;
            note(told, &seen, Told::default());
        }
        Made::Updated { seen, to, change } => {
            let off = change.matches.iter().filter(|found| found.header_off);
            let notes = off.map(|found| {
                format!(
                    "the lines named after @@ are not there; line {} is the only place that matches",
                    found.line
                )
            });
            let telling = Told {
                tolerance: Some(change.tolerance()),
                notes: notes.collect(),
                ..Told::default()
            };
            match to {
                Some(to) => stage.rename_edited(named, to.absolute(), staged(change.edits))?,
                None => stage.replace_if(seen.file.absolute(), seen.hash, staged(change.edits))?,
            };
            note(told, &seen, telling);
        }
    }
    Ok(())
}

fn note(told: &mut HashMap<PathBuf, Told>, seen: &Seen, telling: Told) {
    let telling = Told {
        seen: Some(seen.hash),
        ..telling
    };
    told.insert(seen.file.relative().to_path_buf(), telling);
}
