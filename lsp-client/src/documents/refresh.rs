//! Noticing what others do to files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{self, File, Then};
use super::{Change, Documents, FileEvent, flushed};
use crate::connection::SessionGone;
use crate::settle::OpenError;
use crate::texts::{Entry, TextError};

impl Documents {
    /// Compares every open document with its file, and tells the server what somebody else has
    /// changed. The paths of those files.
    ///
    /// *Cancel safety*: when the future is dropped, files may be left for the next time.
    pub(crate) async fn refresh_from_disk(&self) -> Result<Vec<PathBuf>, SessionGone> {
        let open: Vec<_> = {
            let table = self.table.lock();
            let open = table.open.iter();
            open.map(|(path, document)| Then {
                path: path.clone(),
                text: Arc::clone(&document.text),
                stamp: document.stamp,
            })
            .collect()
        };
        let seen = disk::compare(open, self.limits.text_bytes).await;
        let mut changes = Vec::new();
        let last = {
            let mut table = self.table.lock();
            for now in seen {
                let Some(document) = table.open.get_mut(&now.then.path) else {
                    continue;
                };
                // Somebody was faster.
                if !Arc::ptr_eq(&document.text, &now.then.text) {
                    continue;
                }
                match now.file {
                    File::Same(stamp) => document.stamp = stamp,
                    File::Text(text) => {
                        let language_id = document.language_id.clone();
                        let change = Change::new(now.then.path, FileEvent::Changed);
                        changes.push(change.with_text(language_id, text));
                    }
                    File::Other => {
                        self.close_in(&mut table, &now.then.path)?;
                        changes.push(Change::new(now.then.path, FileEvent::Changed));
                    }
                    File::Gone => {
                        changes.push(Change::new(now.then.path, FileEvent::Deleted));
                    }
                }
            }
            if changes.is_empty() {
                return Ok(Vec::new());
            }
            self.post_changes(&mut table, &changes)?
        };
        flushed(last).await?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    /// The text of a file on disk.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn read(&self, path: &Path) -> Result<Arc<str>, OpenError> {
        let entry = disk::read(path.to_owned(), self.limits.text_bytes).await;
        let path = path.to_owned();
        match entry {
            Ok(Entry::File(text)) => Ok(text),
            Ok(Entry::Folder) => Err(OpenError::NoText {
                path,
                why: TextError::NotRegular,
            }),
            Ok(Entry::Absent) => Err(OpenError::Absent { path }),
            Err(why) => Err(OpenError::NoText { path, why }),
        }
    }
}
