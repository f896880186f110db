//! `edit`: text replaced in a file.

use std::collections::HashMap;

use fourfold_edit::{Replacement, replace};
use fourfold_rewrite_txn::{Edit, Stage};

use super::commit::{Change, Told};
use super::file::check_expected;
use super::request::{EditRequest, TextEdit};
use super::result::WriteResult;
use crate::Error;
use crate::conversation::Conversation;

/// How far from the start of a file a NUL byte makes it binary, in bytes. As for searches.
const PROBE: usize = 8192;

impl Conversation {
    /// Replaces text in a file; blocking. Each old text must occur exactly once, unless all
    /// occurrences are asked for; only line ends and trailing blanks may differ, which is said, and
    /// the file keeps its own. Bytes outside the change stay as they are.
    ///
    /// # Errors
    /// [`Error::Edit`] with the nearest places, or all, when an old text is not there exactly once;
    /// else as [`write`](Conversation::write).
    pub fn edit(&self, request: &EditRequest) -> Result<WriteResult, Error> {
        let checkout = self.checkout();
        self.writable("edit a file")?;
        let edits = edits(request)?;
        let _turn = self.turn([&request.path])?;
        let seen = checkout.seen(&request.path)?;
        check_expected(
            &seen.file,
            request.expected_hash.as_deref(),
            Some(seen.hash),
        )?;
        let replacements: Vec<Replacement<'_>> = edits
            .iter()
            .map(|edit| Replacement {
                old: edit.old_text.as_bytes(),
                new: edit.new_text.as_bytes(),
                all: edit.replace_all,
            })
            .collect();
        let change = replace(&seen.bytes, &replacements).map_err(|source| {
            // The nearest lines of a file that has none are of no use.
            if seen.bytes.iter().take(PROBE).any(|byte| *byte == 0) {
                return Error::usage(format!(
                    "cannot edit `{}`: it is binary (there is a NUL byte), and the old text is not in \
                     it exactly once",
                    seen.file
                ));
            }
            Error::Edit {
                path: seen.file.to_string(),
                source: Box::new(source),
            }
        })?;
        if change.edits.is_empty() {
            return Err(Error::usage(format!(
                "cannot edit `{}`: the edits undo one another, so nothing would change; leave them \
                 out",
                seen.file
            )));
        }
        let mut stage = Stage::with_options(checkout.root(), checkout.limits().staging())?;
        let tolerance = Some(change.tolerance());
        stage.replace_if(seen.file.absolute(), seen.hash, staged(change.edits))?;
        let told = Told {
            tolerance,
            ..Told::default()
        };
        self.carry_out(Change {
            staged: stage.finish()?,
            told: HashMap::from([(seen.file.relative().to_path_buf(), told)]),
            excerpts: true,
            dry_run: request.dry_run,
        })
    }
}

/// The edits of one crate as those of the other.
pub(super) fn staged(edits: Vec<fourfold_edit::Edit>) -> Vec<Edit> {
    edits
        .into_iter()
        .map(|edit| Edit::new(edit.range, edit.replacement))
        .collect()
}

/// The replacements of a request, in either form.
fn edits(request: &EditRequest) -> Result<Vec<TextEdit>, Error> {
    let single = request.old_text.is_some() || request.new_text.is_some() || request.replace_all;
    match (&request.old_text, &request.new_text) {
        _ if single && !request.edits.is_empty() => Err(Error::usage(
            "an edit has `old_text` and `new_text`, or several of them in `edits`, not both; leave \
             one out",
        )),
        (Some(old_text), Some(new_text)) => Ok(vec![TextEdit {
            old_text: old_text.clone(),
            new_text: new_text.clone(),
            replace_all: request.replace_all,
        }]),
        (Some(_), None) => Err(Error::usage(
            "`new_text` is missing: what shall stand there; give an empty one to delete",
        )),
        _ if single || request.edits.is_empty() => Err(Error::usage(
            "`old_text` is missing: the text as it stands in the file; or give several replacements \
             in `edits`",
        )),
        _ => Ok(request.edits.clone()),
    }
}
