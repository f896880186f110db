//! Who calls whom, and which type stands above which.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::lens::{Lens, items, range, text};
use crate::position::Range;
use crate::{Span, SymbolKind};

/// A function or a type that callers, callees, supertypes or subtypes are asked of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HierarchyItem {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// More about it, such as the module.
    pub detail: Option<String>,
    /// The file that it is in.
    pub path: PathBuf,
    /// All of it.
    pub span: Span,
    /// Its name.
    pub name_span: Span,
    /// What the line of the name reads, as in [`Place`](crate::Place::line).
    pub line: Option<String>,
    /// As the server wrote it: it wants it back.
    pub(crate) sent: Value,
}

/// Calls between two functions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calls {
    /// Who calls, or is called.
    pub item: HierarchyItem,
    /// Where: in the file of the function that calls.
    pub sites: Vec<Span>,
}

/// Which way calls are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To those who call.
    Incoming,
    /// To those who are called.
    Outgoing,
}

impl HierarchyItem {
    /// Reads one `CallHierarchyItem` or `TypeHierarchyItem`; `None` for what lies in no file or
    /// cannot be read.
    pub(crate) fn read(item: &Value, lens: &mut Lens) -> Option<HierarchyItem> {
        let path = lens.root.to_path(&text(item, "uri")?)?;
        let name = range(item, "selectionRange");
        let span = lens.span(&path, range(item, "range").or(name)?);
        let name_span = name.map_or(span, |name| lens.span(&path, name));
        Some(HierarchyItem {
            name: text(item, "name")?,
            kind: SymbolKind::of(item),
            detail: text(item, "detail"),
            line: lens.line(&path, name_span.start.line),
            path,
            span,
            name_span,
            sent: item.clone(),
        })
    }

    pub(crate) fn read_all(answer: &Value, lens: &mut Lens) -> Vec<HierarchyItem> {
        let items = items(answer).iter();
        items
            .filter_map(|item| HierarchyItem::read(item, lens))
            .collect()
    }
}

impl Calls {
    /// Reads the callers or callees of `of`.
    pub(crate) fn read_all(
        answer: &Value,
        of: &HierarchyItem,
        direction: Direction,
        lens: &mut Lens,
    ) -> Vec<Calls> {
        let other = match direction {
            Direction::Incoming => "from",
            Direction::Outgoing => "to",
        };
        items(answer)
            .iter()
            .filter_map(|call| {
                let item = HierarchyItem::read(call.get(other)?, lens)?;
                let path = match direction {
                    Direction::Incoming => &item.path,
                    Direction::Outgoing => &of.path,
                };
                let mut sites: Vec<Span> = items(call.get("fromRanges").unwrap_or(&Value::Null))
                    .iter()
                    .filter_map(|range| Range::deserialize(range).ok())
                    .map(|range| lens.span(path, range))
                    .collect();
                // The server of TypeScript names a call of a method more than once.
                let mut seen = HashSet::new();
                sites.retain(|site| seen.insert(*site));
                Some(Calls { item, sites })
            })
            .collect()
    }
}
