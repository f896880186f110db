//! `write`: a file, whole.

use std::collections::HashMap;

use fourfold_rewrite_txn::{ContentHash, Stage};

use super::commit::{Change, Told};
use super::file::{Place, check_expected};
use super::request::WriteRequest;
use super::result::{WriteAction, WriteResult, WrittenFile};
use crate::Error;
use crate::conversation::Conversation;

impl Conversation {
    /// Writes a file whole, whether it was there or not; blocking. Folders that are missing are
    /// made; mode, owner and attributes of a file that was there stay.
    ///
    /// The content is written as it is given. If it ends its lines in another way than the file
    /// did, or lacks its byte-order mark, that is said.
    ///
    /// # Errors
    /// [`Error::Path`] for a path that the door does not let in, [`Error::NotAsExpected`],
    /// [`Error::Stage`], [`Error::ChangedMeanwhile`], [`Error::Commit`]. Nothing was written then,
    /// unless the last one says otherwise.
    pub fn write(&self, request: &WriteRequest) -> Result<WriteResult, Error> {
        let checkout = self.checkout();
        self.writable("write a file")?;
        let expected = request.expected_hash.as_deref();
        let content = request.content.as_bytes();
        let _turn = self.turn([&request.path])?;
        let mut stage = Stage::with_options(checkout.root(), checkout.limits().staging())?;
        let mut told = HashMap::new();
        match checkout.place(&request.path)? {
            Place::Taken(seen) => {
                check_expected(&seen.file, expected, Some(seen.hash))?;
                if seen.bytes == content {
                    return Ok(unchanged(seen.file.to_string(), seen.hash, content.len()));
                }
                stage.write_if(seen.file.absolute(), seen.hash, content)?;
                let notes = notes(&seen.bytes, content);
                told.insert(
                    seen.file.relative().to_path_buf(),
                    Told {
                        notes,
                        ..Told::default()
                    },
                );
            }
            Place::Free(file) => {
                check_expected(&file, expected, None)?;
                stage.create(file.absolute(), content)?;
            }
        }
        self.carry_out(Change {
            staged: stage.finish()?,
            told,
            excerpts: false,
            dry_run: request.dry_run,
        })
    }
}

fn unchanged(path: String, hash: ContentHash, bytes: usize) -> WriteResult {
    WriteResult {
        files: vec![WrittenFile {
            path,
            action: WriteAction::Unchanged,
            moved_from: None,
            hash: Some(hash.to_string()),
            lines_added: 0,
            lines_removed: 0,
            bytes,
            tolerance: None,
            excerpt: String::new(),
            notes: Vec::new(),
        }],
        ..WriteResult::default()
    }
}

/// What may not have been meant.
fn notes(old: &[u8], new: &[u8]) -> Vec<String> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let mut notes = Vec::new();
    if let (Some(before), Some(now)) = (line_ends(old), line_ends(new))
        && before != now
    {
        notes.push(format!(
            "its lines ended with {before} and now end with {now}, as the content was given"
        ));
    }
    match (str::from_utf8(old), str::from_utf8(new)) {
        (Err(_), Ok(_)) => notes.push("it was not UTF-8, and is now".to_owned()),
        (Ok(_), Err(_)) => notes.push("it was UTF-8, and is not now".to_owned()),
        _ => {}
    }
    if old.starts_with(MARK) && !new.starts_with(MARK) {
        notes.push("it began with a byte-order mark, and the content does not".to_owned());
    }
    notes
}

/// How all lines end, if all end alike.
fn line_ends(text: &[u8]) -> Option<&'static str> {
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    let crlf = text.windows(2).filter(|pair| pair == b"\r\n").count();
    match (lines, crlf) {
        (0, _) => None,
        (_, 0) => Some("LF"),
        _ => (lines == crlf).then_some("CRLF"),
    }
}
