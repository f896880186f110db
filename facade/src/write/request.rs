//! What is asked of the tools that change text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that JSON gives as a text. They are taken as they are: line ends, a byte-order mark, and
/// from Rust also what is not UTF-8.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawText(Vec<u8>);

impl RawText {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<T: Into<Vec<u8>>> From<T> for RawText {
    fn from(text: T) -> RawText {
        RawText(text.into())
    }
}

impl AsRef<[u8]> for RawText {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

impl Serialize for RawText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(&self.0))
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawText, D::Error> {
        String::deserialize(deserializer).map(RawText::from)
    }
}

impl JsonSchema for RawText {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

/// A file to be written whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WriteRequest {
    /// The file, relative to the root of the checkout. Folders that are missing are made.
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// All that shall be in it. It is written as it is given, also over a file with other line ends.
    pub content: RawText,
    /// Write only if the file still has the content that was seen: the BLAKE3 hash of it in
    /// hexadecimal digits, or its first eight or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expected_hash: Option<String>,
    /// Write nothing: give the diff of what would be written.
    #[serde(skip)]
    pub dry_run: bool,
}

impl WriteRequest {
    /// `content` into `path`, whatever is there.
    pub fn new(path: impl Into<PathBuf>, content: impl Into<RawText>) -> WriteRequest {
        WriteRequest {
            path: path.into(),
            content: content.into(),
            ..WriteRequest::default()
        }
    }
}

/// A replacement in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextEdit {
    /// The text as it stands in the file. It must occur exactly once, unless `replace_all` is set;
    /// only line ends and blanks at the ends of lines may differ.
    pub old_text: RawText,
    /// What shall stand there; empty to delete.
    pub new_text: RawText,
    /// Replace every occurrence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replace_all: bool,
}

impl TextEdit {
    /// The only occurrence of `old_text` becomes `new_text`.
    pub fn new(old_text: impl Into<RawText>, new_text: impl Into<RawText>) -> TextEdit {
        TextEdit {
            old_text: old_text.into(),
            new_text: new_text.into(),
            replace_all: false,
        }
    }
}

/// Text to be replaced in a file: one replacement, or several in `edits`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EditRequest {
    /// The file, relative to the root of the checkout.
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The text as it stands in the file. It must occur exactly once, unless `replace_all` is set;
    /// only line ends and blanks at the ends of lines may differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub old_text: Option<RawText>,
    /// What shall stand there; empty to delete.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub new_text: Option<RawText>,
    /// Replace every occurrence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace_all: bool,
    /// Several replacements in place of one, each made in what the one before it has left. All are
    /// made or none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<TextEdit>,
    /// Change only the content that was seen: the BLAKE3 hash of it in hexadecimal digits, or its
    /// first eight or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expected_hash: Option<String>,
    /// Change nothing: give the diff of what would be changed.
    #[serde(skip)]
    pub dry_run: bool,
}

impl EditRequest {
    /// The only occurrence of `old_text` in `path` becomes `new_text`.
    pub fn new(
        path: impl Into<PathBuf>,
        old_text: impl Into<RawText>,
        new_text: impl Into<RawText>,
    ) -> EditRequest {
        EditRequest {
            path: path.into(),
            old_text: Some(old_text.into()),
            new_text: Some(new_text.into()),
            ..EditRequest::default()
        }
    }
}

/// A patch to be applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ApplyPatchRequest {
    /// The patch: from `*** Begin Patch` to `*** End Patch`, with `*** Add File: path`, `*** Delete
    /// File: path` and `*** Update File: path` (and `*** Move to: path` below it), or a unified
    /// diff. Paths are relative to the root of the checkout.
    pub patch: RawText,
    /// Change only the content that was seen: for files of the patch, by the path that it gives, the
    /// BLAKE3 hash of it in hexadecimal digits, or its first eight or more. If one is another by now,
    /// nothing is changed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub expected_hashes: BTreeMap<String, String>,
    /// Change nothing: give the diff of what would be changed.
    #[serde(skip)]
    pub dry_run: bool,
}

impl ApplyPatchRequest {
    /// A patch.
    pub fn new(patch: impl Into<RawText>) -> ApplyPatchRequest {
        ApplyPatchRequest {
            patch: patch.into(),
            ..ApplyPatchRequest::default()
        }
    }
}
