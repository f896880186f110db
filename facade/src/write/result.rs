//! What the tools that change text answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// What was done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteAction {
    /// It is new.
    Created,
    /// Its content is another.
    Updated,
    /// It is gone.
    Deleted,
    /// It has another name, and perhaps another content.
    Moved,
    /// It had this content already.
    Unchanged,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WrittenFile {
    /// Path below the root of the checkout, with `/`; of a file that moved, the new one.
    pub path: String,
    /// What was done.
    pub action: WriteAction,
    /// The old name of a file that moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// The BLAKE3 hash of its content now; `expected_hash` takes it. Absent if the file is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// How many lines came; a changed line counts.
    pub lines_added: usize,
    /// How many lines went; a changed line counts.
    pub lines_removed: usize,
    /// How many bytes it has now.
    pub bytes: usize,
    /// If what was searched for did not match to the byte: `line ends differ` or `trailing blanks
    /// differ`. The file keeps its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<String>,
    /// The changed places with their line numbers, as far as the bound lets; `+` behind the number
    /// marks a new line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// What else should be known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What was written. Either all of it was, or the tool gave an error and nothing was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WriteResult {
    /// The files, by path.
    pub files: Vec<WrittenFile>,
    /// Nothing was written, as a command line or a program asked for: `diff` has what would be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The whole change as a unified diff, where nothing was written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// What is less sure than usual about the commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What the language servers say about it; absent where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl WriteResult {
    /// Whether anything is, or would be, other than before.
    pub fn changes_something(&self) -> bool {
        let same = |file: &WrittenFile| file.action == WriteAction::Unchanged;
        !self.files.iter().all(same)
    }
}
