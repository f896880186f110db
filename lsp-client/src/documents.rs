//! The documents that a server has open, as it sees them.

mod announce;
mod change;
mod disk;
mod hold;
mod refresh;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use tokio::time::Instant;

use crate::connection::{Connection, Posted, SessionGone};
use crate::position::as_sent;
use crate::session::Inbox;
use crate::settle::Kept;
use crate::texts::Texts;
use crate::uri::to_uri;
pub use change::{Change, FileEvent};
use disk::Stamp;
pub(crate) use hold::{Overlay, Pin};

/// Bounds of the documents of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DocumentLimits {
    /// Documents that are open at once; 100. Of more, the least recently used are closed, but none
    /// that is waited for.
    pub open: usize,
    /// Bytes of their texts; 64 MiB, counted likewise.
    pub open_bytes: usize,
    /// Bytes of one text that is read from disk; 8 MiB, of which servers of large generated files
    /// still answer in seconds.
    pub text_bytes: u64,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            open: 100,
            open_bytes: 64 << 20,
            text_bytes: 8 << 20,
        }
    }
}

/// What a server was told of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Synced {
    /// The version it has at the server.
    pub(crate) version: i32,
    /// Whether anything had to be sent.
    pub(crate) changed: bool,
}

/// A moment on the wire: what the server sends afterwards has a higher number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) seq: u64,
    pub(crate) at: Instant,
}

/// An open document at one moment.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
    /// Just before this text was sent.
    pub(crate) sent: Mark,
    /// When the document was opened.
    pub(crate) opened: Instant,
    /// How many things the server was told in all, and the last of them.
    pub(crate) world: u64,
    pub(crate) world_at: Instant,
    /// The last time that files were said to have changed; 0 when none was.
    pub(crate) changed: u64,
    /// Whether files came or went then.
    pub(crate) moved: bool,
    /// When the server answered a question that was asked after this text, if it is known.
    pub(crate) answered: Option<Instant>,
}

/// The open documents of one session.
#[derive(Debug)]
pub(crate) struct Documents {
    connection: Arc<Connection>,
    inbox: Arc<Inbox>,
    limits: DocumentLimits,
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    open: BTreeMap<PathBuf, Document>,
    /// Counts uses, to know the least recent one.
    uses: u64,
    /// The highest version of any document that was closed: those that are opened later begin
    /// above it, so that what is still on its way for an old one cannot be taken for theirs.
    closed_version: i32,
    world: u64,
    world_at: Instant,
    changed: u64,
    moved: bool,
}

#[derive(Debug)]
struct Document {
    language_id: String,
    text: Arc<str>,
    version: i32,
    sent: Mark,
    opened: Instant,
    answered: Option<Instant>,
    used: u64,
    pins: usize,
    /// The file on disk, when it held exactly this text.
    stamp: Option<Stamp>,
    /// A text whose diagnostics are still to be found out, to compare with.
    owed: Option<Arc<str>>,
    kept: Option<Kept>,
}

impl Documents {
    pub(crate) fn new(
        connection: Arc<Connection>,
        inbox: Arc<Inbox>,
        limits: DocumentLimits,
    ) -> Self {
        Self {
            connection,
            inbox,
            limits,
            table: Mutex::new(Table {
                open: BTreeMap::new(),
                uses: 0,
                closed_version: 0,
                world: 0,
                world_at: Instant::now(),
                changed: 0,
                moved: false,
            }),
        }
    }

    /// Makes the server see this text: opens the document, or changes it, or does nothing when it
    /// has this text already.
    ///
    /// *Cancel safety*: when the future is dropped the text is sent all the same.
    pub(crate) async fn sync(
        &self,
        path: &Path,
        language_id: &str,
        text: &str,
    ) -> Result<Synced, SessionGone> {
        let (synced, posted) = self.put(&mut self.table.lock(), path, language_id, text)?;
        flushed(posted).await?;
        Ok(synced)
    }

    fn put(
        &self,
        table: &mut Table,
        path: &Path,
        language_id: &str,
        text: &str,
    ) -> Result<(Synced, Option<Posted>), SessionGone> {
        let used = table.next_use();
        if let Some(document) = table.open.get_mut(path) {
            document.used = used;
            if *document.text == *text {
                let synced = Synced {
                    version: document.version,
                    changed: false,
                };
                return Ok((synced, None));
            }
            // Marked before it is sent: an answer may come at once.
            let sent = self.mark();
            let version = document.version.saturating_add(1);
            let params = json!({
                "textDocument": { "uri": to_uri(path), "version": version },
                "contentChanges": [{ "text": as_sent(text) }],
            });
            let posted = self.connection.post("textDocument/didChange", params)?;
            document.version = version;
            document.text = text.into();
            document.sent = sent;
            document.answered = None;
            document.stamp = None;
            document.kept = None;
            table.touch(sent.at);
            let synced = Synced {
                version,
                changed: true,
            };
            return Ok((synced, Some(posted)));
        }
        self.make_room(table, text.len())?;
        self.inbox.opened(path);
        let sent = self.mark();
        let version = table.closed_version.saturating_add(1);
        let params = json!({ "textDocument": {
            "uri": to_uri(path),
            "languageId": language_id,
            "version": version,
            "text": as_sent(text),
        }});
        let posted = self.connection.post("textDocument/didOpen", params)?;
        let document = Document {
            language_id: language_id.to_owned(),
            text: text.into(),
            version,
            sent,
            opened: sent.at,
            answered: None,
            used,
            pins: 0,
            stamp: None,
            owed: None,
            kept: None,
        };
        table.open.insert(path.to_owned(), document);
        table.touch(sent.at);
        let synced = Synced {
            version,
            changed: true,
        };
        Ok((synced, Some(posted)))
    }

    /// Closes the least recently used documents until one more of this size has room.
    fn make_room(&self, table: &mut Table, bytes: usize) -> Result<(), SessionGone> {
        loop {
            let held: usize = table
                .open
                .values()
                .map(|document| document.text.len())
                .sum();
            let fits = table.open.len() < self.limits.open.max(1)
                && held.saturating_add(bytes) <= self.limits.open_bytes;
            if fits {
                return Ok(());
            }
            let idle = table.open.iter().filter(|(_, document)| document.pins == 0);
            let oldest = idle.min_by_key(|(_, document)| document.used);
            let Some(path) = oldest.map(|(path, _)| path.clone()) else {
                return Ok(());
            };
            self.close_in(table, &path)?;
        }
    }

    fn close_in(&self, table: &mut Table, path: &Path) -> Result<(), SessionGone> {
        let Some(document) = table.open.get(path) else {
            return Ok(());
        };
        let version = document.version;
        let params = json!({ "textDocument": { "uri": to_uri(path) } });
        // What it publishes because of the close must find the document closed.
        self.inbox.closed(path);
        drop(self.connection.post("textDocument/didClose", params)?);
        table.open.remove(path);
        table.closed_version = table.closed_version.max(version);
        table.touch(Instant::now());
        Ok(())
    }

    fn mark(&self) -> Mark {
        Mark {
            seq: self.inbox.mark(),
            at: Instant::now(),
        }
    }

    /// Closes a document.
    ///
    /// *Cancel safety*: when the future is dropped it is closed all the same.
    pub(crate) async fn close(&self, path: &Path) -> Result<(), SessionGone> {
        self.close_in(&mut self.table.lock(), path)
    }

    /// The text that the server has of a document.
    #[cfg(test)]
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<str>> {
        let table = self.table.lock();
        table.open.get(path).map(|document| document.text.clone())
    }

    /// The version of a document at the server.
    pub(crate) fn version(&self, path: &Path) -> Option<i32> {
        let table = self.table.lock();
        table.open.get(path).map(|document| document.version)
    }

    /// The open documents, the most recently used first.
    pub(crate) fn open(&self) -> Vec<PathBuf> {
        let table = self.table.lock();
        let mut open: Vec<_> = table.open.iter().collect();
        open.sort_by_key(|(_, document)| std::cmp::Reverse(document.used));
        open.into_iter().map(|(path, _)| path.clone()).collect()
    }

    /// The texts of this moment: of open documents, else from disk.
    pub(crate) fn texts(&self) -> Texts {
        let table = self.table.lock();
        let open = table.open.iter();
        let open = open.map(|(path, one)| (path.clone(), (one.text.clone(), one.version)));
        Texts::new(open.collect(), self.limits.text_bytes)
    }

    /// A document as it is now, which stays open as long as the pin lives.
    pub(crate) fn pin<'a>(&'a self, path: &'a Path) -> Option<(Pin<'a>, View)> {
        let mut table = self.table.lock();
        let used = table.next_use();
        let document = table.open.get_mut(path)?;
        document.used = used;
        document.pins += 1;
        let view = table.view(path)?;
        drop(table);
        Some((Pin::new(self, path), view))
    }

    /// A document as it is now.
    pub(crate) fn view(&self, path: &Path) -> Option<View> {
        self.table.lock().view(path)
    }

    /// The last time that files were said to have changed; 0 when none was.
    pub(crate) fn changed(&self) -> u64 {
        self.table.lock().changed
    }

    /// Remembers what was found for the text as it is in `view`, unless it has changed.
    pub(crate) fn keep(&self, path: &Path, view: &View, kept: Kept) {
        let mut table = self.table.lock();
        if let Some(document) = table.open.get_mut(path)
            && document.version == view.version
        {
            document.kept = Some(kept);
        }
    }

    /// The server has just answered a question that was asked after the text as it is in `view`.
    pub(crate) fn answered(&self, path: &Path, view: &View) {
        let mut table = self.table.lock();
        if let Some(document) = table.open.get_mut(path)
            && document.version == view.version
        {
            document.answered = Some(Instant::now());
        }
    }

    /// What was last found for the text as it is.
    pub(crate) fn kept(&self, path: &Path) -> Option<Kept> {
        self.table.lock().open.get(path)?.kept.clone()
    }

    /// The diagnostics of this text are still to be found out.
    pub(crate) fn owe(&self, path: &Path, text: &str) {
        if let Some(document) = self.table.lock().open.get_mut(path) {
            document.owed = Some(text.into());
        }
    }

    /// The text whose diagnostics are still to be found out.
    pub(crate) fn take_owed(&self, path: &Path) -> Option<Arc<str>> {
        self.table.lock().open.get_mut(path)?.owed.take()
    }
}

impl Table {
    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    fn touch(&mut self, at: Instant) {
        self.world += 1;
        self.world_at = at;
    }

    fn view(&self, path: &Path) -> Option<View> {
        let document = self.open.get(path)?;
        Some(View {
            version: document.version,
            text: document.text.clone(),
            sent: document.sent,
            opened: document.opened,
            world: self.world,
            world_at: self.world_at,
            changed: self.changed,
            moved: self.moved,
            answered: document.answered,
        })
    }
}

async fn flushed(posted: Option<Posted>) -> Result<(), SessionGone> {
    match posted {
        Some(posted) => posted.written().await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
