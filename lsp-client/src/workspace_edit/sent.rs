//! A change as the protocol writes it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Annotation, EditError};
use crate::text_edit::SentEdit;

/// A `WorkspaceEdit` as the protocol writes it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Sent {
    pub(super) changes: Option<BTreeMap<String, Value>>,
    pub(super) document_changes: Option<Vec<Value>>,
    pub(super) change_annotations: Option<BTreeMap<String, SentAnnotation>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentAnnotation {
    #[serde(default)]
    pub(super) label: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) needs_confirmation: Option<bool>,
}

impl SentAnnotation {
    pub(super) fn into_ours(self) -> Annotation {
        Annotation {
            label: self.label,
            description: self.description,
            needs_confirmation: self.needs_confirmation.unwrap_or_default(),
        }
    }
}

/// A file operation of `documentChanges`.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(super) enum Operation {
    Create {
        uri: String,
        #[serde(default)]
        options: Option<Options>,
    },
    #[serde(rename_all = "camelCase")]
    Rename {
        old_uri: String,
        new_uri: String,
        #[serde(default)]
        options: Option<Options>,
    },
    Delete {
        uri: String,
        #[serde(default)]
        options: Option<Options>,
    },
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Options {
    pub(super) overwrite: Option<bool>,
    pub(super) ignore_if_exists: Option<bool>,
    pub(super) ignore_if_not_exists: Option<bool>,
    pub(super) recursive: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentEdit {
    pub(super) text_document: DocumentName,
    pub(super) edits: Value,
}

#[derive(Deserialize)]
pub(super) struct DocumentName {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) version: Option<i64>,
}

pub(super) fn parse<T: DeserializeOwned + Default>(
    what: &str,
    value: &Value,
) -> Result<T, EditError> {
    if value.is_null() {
        return Ok(T::default());
    }
    parse_some(what, value)
}

pub(super) fn parse_some<T: DeserializeOwned>(what: &str, value: &Value) -> Result<T, EditError> {
    T::deserialize(value).map_err(|error| EditError::Malformed {
        reason: format!("{what}: {error}"),
    })
}

pub(super) fn parse_edits(
    document: &str,
    value: &Value,
    annotated: &mut BTreeSet<String>,
) -> Result<Vec<SentEdit>, EditError> {
    let edits: Vec<SentEdit> = parse(&format!("the edits of {document}"), value)?;
    annotated.extend(edits.iter().filter_map(|edit| edit.annotation_id.clone()));
    Ok(edits)
}
