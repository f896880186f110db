//! What was left out when a stage was applied: a stage of its own, on the files as they are now.

use std::path::Path;

use fourfold_rewrite_txn::{ChangeKind, ContentHash, Edit, Error, Stage, Staged, StagedFile};

use crate::conversation::Conversation;
use crate::notes::Note;
use crate::result::{ResolveResult, StageRest};

impl Conversation {
    /// Stages what `applied`, a selection of `staged` that was just committed, left out, and says so
    /// in the result. What cannot be staged again is named with the reason.
    pub(crate) fn stage_rest(
        &self,
        staged: &Staged,
        mut note: Note,
        keep: bool,
        applied: &Staged,
        result: &mut ResolveResult,
    ) {
        match self.staged_rest(staged, applied, &mut result.notices) {
            Ok(rest) if rest.is_empty() => {}
            Ok(rest) => {
                let sites = rest.sites();
                note.nested
                    .retain(|_, outer| sites.binary_search(&outer.as_str()).is_ok());
                let told = StageRest {
                    stage: rest.id().to_owned(),
                    sites: sites.len() + note.nested.len(),
                    files: rest
                        .files()
                        .map(|file| file.path().to_string_lossy().into_owned())
                        .collect(),
                };
                match self.put(rest, note, keep) {
                    Ok(evicted) => {
                        let gone = evicted.iter();
                        let gone =
                            gone.map(|one| format!("stage {} had to go: {}", one.id, one.why));
                        result.notices.extend(gone);
                        result.rest = Some(told);
                    }
                    Err(error) => result.notices.push(gone("what was left out", &error)),
                }
            }
            Err(error) => result.notices.push(gone("what was left out", &error)),
        }
    }

    fn staged_rest(
        &self,
        staged: &Staged,
        applied: &Staged,
        notices: &mut Vec<String>,
    ) -> Result<Staged, Error> {
        let limits = self.checkout().limits();
        let mut stage = Stage::with_options(self.checkout().root(), limits.staging())?;
        for file in staged.files() {
            let done = applied.files().find(|one| one.path() == file.path());
            let put = match done {
                Some(done) => put_left(&mut stage, &file, &done),
                None => put_whole(self.checkout().root(), &mut stage, &file),
            };
            if let Err(error) = put {
                let path = file.path().display();
                notices.push(gone(&format!("`{path}`, which was left out,"), &error));
            }
        }
        stage.finish()
    }
}

fn sentence(error: Error) -> String {
    error.to_string()
}

fn gone(what: &str, why: &impl std::fmt::Display) -> String {
    format!("{what} is staged no more: {why}")
}

/// Stages the sites of a file that were left out, where they are now.
fn put_left(stage: &mut Stage, file: &StagedFile<'_>, done: &StagedFile<'_>) -> Result<(), String> {
    let left = left(file.edits(), done.edits());
    let (Some(bytes), false) = (done.new_bytes(), left.is_empty()) else {
        return Ok(());
    };
    let path = done.renamed_to().unwrap_or(done.path());
    let put = stage.replace_if(path, ContentHash::of(&bytes), left);
    put.map_err(sentence)?;
    Ok(())
}

/// The edits that are not among those that were done, moved to where they are afterwards. Both lists
/// are in the order of the file, and the second is a part of the first.
fn left(all: &[Edit], done: &[Edit]) -> Vec<Edit> {
    let mut done = done.iter().peekable();
    // By how much what was done has moved the text behind it.
    let (mut grown, mut shrunk) = (0, 0);
    let mut left = Vec::new();
    for edit in all {
        if done.next_if_eq(&edit).is_some() {
            grown += edit.replacement.len();
            shrunk += edit.range.len();
            continue;
        }
        let moved = |at: usize| at + grown - shrunk;
        left.push(Edit {
            range: moved(edit.range.start)..moved(edit.range.end),
            ..edit.clone()
        });
    }
    left
}

/// Stages a file that was left out whole, if it is as it was when it was staged.
fn put_whole(root: &Path, stage: &mut Stage, file: &StagedFile<'_>) -> Result<(), String> {
    let path = file.path();
    let Some(captured) = file.captured() else {
        if let Some(bytes) = file.new_bytes() {
            stage.create(path, bytes).map_err(sentence)?;
        }
        return Ok(());
    };
    if matches!(file.kind(), ChangeKind::Modify) {
        match (file.edits(), file.new_bytes()) {
            ([], Some(bytes)) => stage.write_if(path, captured.hash, bytes),
            (edits, _) => stage.replace_if(path, captured.hash, edits.to_vec()),
        }
        .map_err(sentence)?;
        return Ok(());
    }
    // These two take the file as it is, so it is looked at first.
    let now = std::fs::read(root.join(path)).map_err(|error| error.to_string())?;
    if ContentHash::of(&now) != captured.hash {
        return Err("it changed since it was staged".to_owned());
    }
    match file.renamed_to() {
        Some(to) => stage.rename_edited(path, to, file.edits().to_vec()),
        None => stage.delete(path),
    }
    .map_err(sentence)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: std::ops::Range<usize>, text: &str, site: &str) -> Edit {
        Edit::new(range, text).at_site(site)
    }

    #[test]
    fn what_was_left_out_is_moved_by_what_was_done() {
        // `aXbXcX`: the first X grows by two, the second goes, the third was left out.
        let all = [
            edit(1..2, "YYY", "1"),
            edit(3..4, "", "2"),
            edit(5..6, "Z", "3"),
        ];
        let done = [all[0].clone(), all[1].clone()];
        assert_eq!(left(&all, &done), [edit(6..7, "Z", "3")]);
        assert_eq!(&b"aYYYbcX"[6..7], b"X");
        let done = [all[1].clone()];
        assert_eq!(
            left(&all, &done),
            [edit(1..2, "YYY", "1"), edit(4..5, "Z", "3")]
        );
        assert_eq!(left(&all, &all), []);
        assert_eq!(left(&all, &[]), all);
    }
}
