//! What stands in for folders in arguments and settings.

use std::path::Path;

use serde_json::Value;

use fourfold_child::Folder;

/// The key of an object that stands for the first path of a list that exists.
const FIRST: &str = "$first";

/// What the words of a row mean for one root.
pub(super) struct Words<'a> {
    pub(super) root: &'a Path,
    pub(super) state: &'a Path,
    pub(super) place: &'a Folder,
    pub(super) trusted: bool,
}

impl Words<'_> {
    pub(super) fn text(&self, text: &str) -> String {
        text.replace("{root}", &self.root.to_string_lossy())
            .replace("{state}", &self.state.to_string_lossy())
    }

    /// The tree with everything replaced. An alternative of which nothing exists is left out.
    pub(super) fn tree(&self, tree: &Value) -> Option<Value> {
        Some(match tree {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().filter_map(|item| self.tree(item)).collect(),
            Value::Object(fields) => match fields.get(FIRST) {
                Some(Value::Array(paths)) => Value::String(self.first(paths)?),
                _ => fields
                    .iter()
                    .filter_map(|(key, value)| Some((key.clone(), self.tree(value)?)))
                    .collect(),
            },
            plain => plain.clone(),
        })
    }

    fn first(&self, paths: &[Value]) -> Option<String> {
        paths
            .iter()
            .filter_map(Value::as_str)
            .map(|path| self.text(path))
            .find(|path| {
                let path = Path::new(path);
                path.exists() && (self.trusted || !self.place.holds(path))
            })
    }
}
