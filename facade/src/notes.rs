//! What a kept stage came from: a small note beside it, for people who list the stages.
//!
//! A note is a convenience. One that is missing or does not read back only means that less is told.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a stage came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The pattern of a rewrite.
    pub(crate) pattern: String,
    /// Its template.
    pub(crate) template: String,
    /// What a change does that is no rewrite, such as one that a language server proposed.
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// Sites inside another one, with the outermost site that changes them along.
    pub(crate) nested: BTreeMap<String, String>,
}

/// The notes of a checkout; they lie beside the kept stages.
pub(crate) struct Notes {
    folder: PathBuf,
}

impl Notes {
    pub(crate) fn of(root: &Path) -> Notes {
        Notes {
            folder: root.join(".fourfold").join("stages"),
        }
    }

    pub(crate) fn write(&self, id: &str, note: &Note) {
        let written = serde_json::to_vec(note)
            .map_err(std::io::Error::from)
            .and_then(|bytes| fs::write(self.path(id), bytes));
        if let Err(error) = written {
            tracing::warn!(id, %error, "the note of a stage was not kept");
        }
    }

    pub(crate) fn read(&self, id: &str) -> Option<Note> {
        let bytes = fs::read(self.path(id)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(crate) fn remove(&self, id: &str) {
        if let Err(error) = fs::remove_file(self.path(id)) {
            tracing::debug!(id, %error, "a stage had no note");
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.note"))
    }
}
