//! Telling a server what happened on disk.

use std::path::Path;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Change, Documents, FileEvent, Table, flushed};
use crate::connection::{Posted, SessionGone};
use crate::position::as_sent;
use crate::uri::to_uri;

impl Documents {
    /// Tells the server what happened to files, in the order that servers need, in one burst: what
    /// is new and what is gone, then texts, then saves, then what has changed.
    ///
    /// *Cancel safety*: when the future is dropped it is sent all the same.
    pub(crate) async fn announce(&self, changes: &[Change]) -> Result<(), SessionGone> {
        if changes.is_empty() {
            return Ok(());
        }
        let last = self.post_changes(&mut self.table.lock(), changes)?;
        flushed(last).await
    }

    pub(super) fn post_changes(
        &self,
        table: &mut Table,
        changes: &[Change],
    ) -> Result<Option<Posted>, SessionGone> {
        table.changed = self.inbox.change_begins();
        table.moved = changes
            .iter()
            .any(|change| change.event != FileEvent::Changed);
        let of = |wanted: &[FileEvent]| {
            let events = changes
                .iter()
                .filter(|change| wanted.contains(&change.event));
            events
                .map(|change| (&*change.path, change.event))
                .collect::<Vec<_>>()
        };
        for change in changes {
            if change.event == FileEvent::Deleted {
                self.close_in(table, &change.path)?;
            }
        }
        let mut last = self.watched(table, &of(&[FileEvent::Created, FileEvent::Deleted]))?;
        let texts = || {
            let written = changes
                .iter()
                .filter(|change| change.event != FileEvent::Deleted);
            written.filter_map(|change| Some((&*change.path, change.document.as_ref()?)))
        };
        for (path, (language_id, text)) in texts() {
            let (_, posted) = self.put(table, path, language_id, text)?;
            last = posted.or(last);
        }
        for (path, (_, text)) in texts() {
            last = Some(self.save(table, path, text)?);
        }
        let changed = self.watched(table, &of(&[FileEvent::Changed]))?;
        Ok(changed.or(last))
    }

    fn save(&self, table: &mut Table, path: &Path, text: &str) -> Result<Posted, SessionGone> {
        let with_text = self.inbox.look(|heard| {
            let ways = heard.offers.all("textDocument/didSave");
            ways.iter()
                .any(|way| way.get("includeText") == Some(&Value::Bool(true)))
        });
        let mut params = json!({ "textDocument": { "uri": to_uri(path) } });
        if with_text {
            params["text"] = as_sent(text).into();
        }
        let at = Instant::now();
        let posted = self.connection.post("textDocument/didSave", params)?;
        table.touch(at);
        Ok(posted)
    }

    fn watched(
        &self,
        table: &mut Table,
        events: &[(&Path, FileEvent)],
    ) -> Result<Option<Posted>, SessionGone> {
        if events.is_empty() {
            return Ok(None);
        }
        let events = events.iter().map(|(path, event)| {
            let kind = match event {
                FileEvent::Created => 1,
                FileEvent::Changed => 2,
                FileEvent::Deleted => 3,
            };
            json!({ "uri": to_uri(path), "type": kind })
        });
        let params = json!({ "changes": events.collect::<Vec<_>>() });
        let posted = self
            .connection
            .post("workspace/didChangeWatchedFiles", params)?;
        table.touch(Instant::now());
        Ok(Some(posted))
    }
}
