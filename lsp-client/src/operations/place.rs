//! Places: what definition, references and their kin answer.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::ask::Reach;
use crate::Span;
use crate::lens::{Lens, items, range, text};
use crate::position::Range;

/// Where something stands that is looked for, seen from a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Goto {
    /// What the symbol stands for.
    Definition,
    /// Where it is declared, in languages that tell this from its definition.
    Declaration,
    /// The type of the value that it is.
    TypeDefinition,
    /// What implements it.
    Implementation,
}

impl Goto {
    pub(super) fn method(self) -> &'static str {
        match self {
            Goto::Definition => "textDocument/definition",
            Goto::Declaration => "textDocument/declaration",
            Goto::TypeDefinition => "textDocument/typeDefinition",
            Goto::Implementation => "textDocument/implementation",
        }
    }

    /// A declaration is in what the document uses. The rest may be anywhere.
    pub(super) fn reach(self) -> Reach {
        match self {
            Goto::Definition | Goto::Implementation => Reach::Project,
            Goto::Declaration | Goto::TypeDefinition => Reach::Document,
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file; it may lie outside of the root, in the sources of a library.
    pub path: PathBuf,
    /// Where: the name, where the server tells it apart from the whole.
    pub span: Span,
    /// The whole that the name belongs to, such as a function with its body.
    pub whole: Option<Span>,
    /// What the line reads where it starts, without the blanks around it, at most 400 bytes;
    /// `None` when the file cannot be read. The columns are then those of the server.
    pub line: Option<String>,
}

/// Places, each once, in the server's order, and what else it named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Places {
    /// The places in files.
    pub places: Vec<Place>,
    /// The URIs of places in what is no file, such as `jdt://…` for a class without source.
    pub elsewhere: Vec<String>,
    /// How many items could not be read.
    pub unreadable: usize,
}

impl Places {
    /// Reads `Location`, `Location[]`, `LocationLink[]` or null.
    pub(crate) fn read(answer: &Value, lens: &mut Lens) -> Places {
        let mut places = Places::default();
        let mut seen = HashSet::new();
        for item in items(answer) {
            let Some((uri, at, whole)) = location(item) else {
                places.unreadable += 1;
                continue;
            };
            let Some(path) = lens.root.to_path(&uri) else {
                if !places.elsewhere.contains(&uri) {
                    places.elsewhere.push(uri);
                }
                continue;
            };
            let span = lens.span(&path, at);
            if !seen.insert((path.clone(), span)) {
                continue;
            }
            let whole = whole.map(|whole| lens.span(&path, whole));
            places.places.push(Place {
                line: lens.line(&path, span.start.line),
                whole: whole.filter(|whole| *whole != span),
                path,
                span,
            });
        }
        places
    }
}

/// URI, range of the name, range of the whole.
fn location(item: &Value) -> Option<(String, Range, Option<Range>)> {
    if let Some(uri) = text(item, "targetUri") {
        let whole = range(item, "targetRange");
        let at = range(item, "targetSelectionRange").or(whole)?;
        return Some((uri, at, whole));
    }
    let range = Range::deserialize(item.get("range")?).ok()?;
    Some((text(item, "uri")?, range, None))
}
