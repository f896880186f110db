//! What was not there in time, and comes later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::Late;
use super::find::Patience;
use crate::session::Core;

/// The texts that are still waited for, and what has come of them.
#[derive(Debug)]
pub(crate) struct Settling {
    core: Arc<Core>,
    late: Arc<Mutex<Waiting>>,
}

#[derive(Debug, Default)]
struct Waiting {
    running: BTreeMap<PathBuf, JoinHandle<()>>,
    /// With the version of the document that it is about.
    come: BTreeMap<PathBuf, (i32, Late)>,
}

impl Settling {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            late: Arc::default(),
        }
    }

    /// A new question about the file is asked: nobody waits for the old answer.
    pub(super) fn supersede(&self, path: &Path) {
        let mut late = self.late.lock();
        if let Some(running) = late.running.remove(path) {
            running.abort();
        }
        late.come.remove(path);
    }

    /// Goes on waiting for the text that the file has now.
    pub(super) fn follow(&self, path: &Path) {
        let Some(view) = self.core.documents.view(path) else {
            return;
        };
        let (core, late, path) = (
            Arc::clone(&self.core),
            Arc::clone(&self.late),
            path.to_owned(),
        );
        let key = path.clone();
        let mut waiting = self.late.lock();
        let task = tokio::spawn(async move {
            let patience = Patience::late(core.limits.settle.late);
            let settled = core.settle(&path, patience).await;
            // Catching up on a baseline changes the version, and not the text.
            let now = core.documents.view(&path);
            let mut late = late.lock();
            late.running.remove(&path);
            if let Some(now) = now
                && now.text == view.text
                && settled.evidence.is_confirmed()
            {
                let key = path.clone();
                late.come.insert(key, (now.version, Late { path, settled }));
            }
        });
        if let Some(older) = waiting.running.insert(key, task) {
            older.abort();
        }
    }

    /// What has come; each is handed out once.
    pub(super) fn take(&self) -> Vec<Late> {
        let come = std::mem::take(&mut self.late.lock().come);
        come.into_values()
            .filter(|(version, late)| self.core.documents.version(&late.path) == Some(*version))
            .map(|(_, late)| late)
            .collect()
    }

    /// Nothing is waited for any more.
    pub(crate) fn stop(&self) {
        let running = std::mem::take(&mut self.late.lock().running);
        for task in running.into_values() {
            task.abort();
        }
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        self.stop();
    }
}
