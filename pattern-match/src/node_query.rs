//! A tree-sitter query in place of a pattern.

use crate::metavariable::{Arity, Variable};
use crate::search::{Found, Match};
use crate::shape::Shape;
use crate::tree::Capture;
use fourfold_syntax::{Error, Language, QueryCache};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{Query, QueryCursor, StreamingIterator, Tree};

/// A compiled tree-sitter query, for what no fragment of code can say.
///
/// Every match of the query is a match here. Its range is that of the capture called `@match`, or
/// else from the first byte captured to the last; its captures are the query's, each a list.
///
/// ```
/// use fourfold_pattern_match::NodeQuery;
/// use fourfold_syntax::{Language, ParseLimits, with_parser};
///
/// let rust = Language::named("rust")?;
/// let query = NodeQuery::compile(rust, "(function_item name: (identifier) @name) @match")?;
/// let text = "fn a() {}\nfn b() {}\n";
/// let tree = with_parser(ParseLimits::default(), |parser| parser.parse(rust, text))?;
/// let found = query.search(text, &tree);
/// assert_eq!(found.matches.len(), 2);
/// assert_eq!(&text[found.matches[1].range.clone()], "fn b() {}");
/// # Ok::<(), fourfold_syntax::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NodeQuery {
    language: Language,
    query: Arc<Query>,
    variables: Vec<Variable>,
}

impl NodeQuery {
    /// Compiles a query, or takes it from the process's cache.
    ///
    /// # Errors
    /// [`Error::BadQuery`] with the place of the mistake.
    pub fn compile(language: Language, text: &str) -> Result<NodeQuery, Error> {
        let query = QueryCache::global().get(language, text)?;
        let variables = query
            .capture_names()
            .iter()
            .map(|name| Variable {
                name: (*name).to_owned(),
                arity: Arity::Many,
            })
            .collect();
        Ok(NodeQuery {
            language,
            query,
            variables,
        })
    }

    /// The language whose grammar the query speaks of.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The captures of the query, in the order of its text.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Finds every match of the query in a parsed text.
    pub fn search(&self, text: &str, tree: &Tree) -> Found {
        let shape = Shape::of(self.language);
        let mut cursor = QueryCursor::new();
        let mut matches: Vec<Match> = Vec::new();
        let mut results = cursor.matches(&self.query, tree.root_node(), text.as_bytes());
        let whole = self.query.capture_index_for_name("match");
        while let Some(result) = results.next() {
            let mut captures: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.variables.len()];
            let mut span: Option<(Range<usize>, &'static str)> = None;
            let mut chosen: Option<(Range<usize>, &'static str)> = None;
            for capture in result.captures() {
                let (range, kind) = (
                    capture.node.byte_range(),
                    shape.name(capture.node.kind_id()),
                );
                span = Some(match span {
                    None => (range.clone(), kind),
                    Some((known, first)) => {
                        let first = if range.start < known.start {
                            kind
                        } else {
                            first
                        };
                        (
                            known.start.min(range.start)..known.end.max(range.end),
                            first,
                        )
                    }
                });
                if whole == Some(capture.index) {
                    chosen = Some((range.clone(), kind));
                }
                if let Some(list) = captures.get_mut(capture.index as usize) {
                    list.push(range);
                }
            }
            if let Some((range, kind)) = chosen.or(span) {
                let captures = captures.into_iter().map(Capture::Many).collect();
                matches.push(Match {
                    reading: 0,
                    range,
                    kind,
                    captures,
                    skipped: Vec::new(),
                });
            }
        }
        matches.sort_by_key(|m| (m.range.start, std::cmp::Reverse(m.range.end)));
        Found {
            matches,
            given_up: 0,
            has_errors: tree.root_node().has_error(),
        }
    }
}
