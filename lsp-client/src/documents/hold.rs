//! What keeps a document as it is for a while.

use std::path::Path;
use std::sync::Arc;

use super::Documents;

/// Keeps a document open as long as it lives.
#[derive(Debug)]
pub(crate) struct Pin<'a> {
    documents: &'a Documents,
    path: &'a Path,
}

impl<'a> Pin<'a> {
    /// For a document whose pins were counted already.
    pub(super) fn new(documents: &'a Documents, path: &'a Path) -> Self {
        Self { documents, path }
    }
}

impl Drop for Pin<'_> {
    fn drop(&mut self) {
        let mut table = self.documents.table.lock();
        if let Some(document) = table.open.get_mut(self.path) {
            document.pins = document.pins.saturating_sub(1);
        }
    }
}

/// Shows the server another text of an open document, as long as it lives.
#[derive(Debug)]
pub(crate) struct Overlay<'a> {
    documents: &'a Documents,
    path: &'a Path,
    language_id: String,
    shown: Arc<str>,
    covered: Arc<str>,
}

impl<'a> Overlay<'a> {
    /// `None` when the document is not open or the server does not read.
    pub(crate) fn new(documents: &'a Documents, path: &'a Path, text: &str) -> Option<Self> {
        let mut table = documents.table.lock();
        let document = table.open.get(path)?;
        let (language_id, covered) = (document.language_id.clone(), document.text.clone());
        drop(documents.put(&mut table, path, &language_id, text).ok()?);
        let shown = table.open.get(path)?.text.clone();
        Some(Self {
            documents,
            path,
            language_id,
            shown,
            covered,
        })
    }
}

impl Drop for Overlay<'_> {
    fn drop(&mut self) {
        let mut table = self.documents.table.lock();
        let text = table.open.get(self.path).map(|document| &document.text);
        // Somebody may have written in the meantime.
        if text.is_some_and(|text| Arc::ptr_eq(text, &self.shown)) {
            let put = self
                .documents
                .put(&mut table, self.path, &self.language_id, &self.covered);
            if let Err(gone) = put {
                // The next change brings the whole text.
                tracing::debug!(%gone, "the text that is on disk could not be shown again");
            }
        }
    }
}
