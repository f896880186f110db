//! Compiled tree-sitter queries, each compiled once.

use crate::lru::Lru;
use crate::nearest::nearest;
use crate::{Error, Language};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock, OnceLock};
use tree_sitter::{Query, QueryErrorKind};

/// Compiling recurses in C, once per level of nesting in the query text; no query that is written
/// by hand comes near this.
const MAX_NESTING: usize = 256;

/// A bounded cache of compiled queries, shared between threads.
///
/// Compiling costs from a millisecond to a quarter of a second, depending on the grammar, so it
/// happens when a query is first asked for, once per language and query text: a second thread that
/// asks meanwhile waits for the first one's result. A query that does not compile is remembered
/// too. When the bound is reached, the queries unused for longest go.
///
/// ```
/// use fourfold_syntax::{Language, QueryCache};
///
/// let rust = Language::named("rust")?;
/// let query = QueryCache::global().get(rust, "(function_item name: (identifier) @name)")?;
/// assert_eq!(query.capture_names(), ["name"]);
/// # Ok::<(), fourfold_syntax::Error>(())
/// ```
pub struct QueryCache {
    queries: Mutex<Lru<(Language, Arc<str>), Slot>>,
}

/// Where the first to ask puts the result and the others wait for it.
type Slot = Arc<OnceLock<Compiled>>;

type Compiled = Result<Arc<Query>, Error>;

impl QueryCache {
    /// The bound of [`QueryCache::global`], in queries.
    pub const DEFAULT_QUERIES: usize = 512;

    /// A cache of at most this many queries.
    pub fn new(max_queries: usize) -> QueryCache {
        QueryCache {
            queries: Mutex::new(Lru::new(max_queries)),
        }
    }

    /// The cache of the process.
    pub fn global() -> &'static QueryCache {
        static GLOBAL: LazyLock<QueryCache> =
            LazyLock::new(|| QueryCache::new(QueryCache::DEFAULT_QUERIES));
        &GLOBAL
    }

    /// The compiled query.
    ///
    /// # Errors
    /// [`Error::BadQuery`] with the place of the mistake.
    pub fn get(&self, language: Language, text: &str) -> Result<Arc<Query>, Error> {
        let slot = {
            let mut queries = self.queries.lock();
            let key = (language, Arc::from(text));
            queries.get(&key).unwrap_or_else(|| {
                let slot = Slot::default();
                queries.insert(key, Arc::clone(&slot), 1);
                slot
            })
        };
        slot.get_or_init(|| compile(language, text)).clone()
    }

    /// How many queries the cache holds.
    pub fn len(&self) -> usize {
        self.queries.lock().len()
    }

    /// Whether the cache holds no query.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn compile(language: Language, text: &str) -> Compiled {
    let _span = tracing::debug_span!("compile query", language = language.id()).entered();
    let bad = |row, column, message| Error::BadQuery {
        language: language.name(),
        row,
        column,
        message,
    };
    if let Some(at) = too_deep(text) {
        let before = &text[..at];
        return Err(bad(
            before.matches('\n').count(),
            at - before.rfind('\n').map_or(0, |newline| newline + 1),
            format!("nested more than {MAX_NESTING} levels deep; split the query"),
        ));
    }
    match Query::new(language.grammar(), text) {
        Ok(query) => Ok(Arc::new(query)),
        Err(error) => {
            let message = match error.kind {
                QueryErrorKind::NodeType
                    if text
                        .get(..error.offset)
                        .is_some_and(|before| before.ends_with('"')) =>
                {
                    unknown("token", &error, &node_kinds(language, false))
                }
                QueryErrorKind::NodeType => {
                    unknown("node kind", &error, &node_kinds(language, true))
                }
                QueryErrorKind::Field => unknown("field", &error, &field_names(language)),
                QueryErrorKind::Capture => {
                    format!("no capture is called {}", quoted(&error.message))
                }
                QueryErrorKind::Structure => {
                    format!("no tree can ever match this part\n{}", error.message)
                }
                QueryErrorKind::Syntax => {
                    format!("this is not query syntax\n{}", error.message)
                }
                QueryErrorKind::Predicate | QueryErrorKind::Language => error.message,
            };
            Err(bad(error.row, error.column, message))
        }
    }
}

/// The byte at which brackets nest too deep for the compiler's recursion. Strings and comments
/// count as well.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_NESTING
    })
}

/// tree-sitter quotes the names it reports like a string; everything here quotes with backticks.
fn quoted(name: &str) -> String {
    format!("`{}`", name.trim_matches('"'))
}

fn unknown(what: &str, error: &tree_sitter::QueryError, known: &[&str]) -> String {
    let given = quoted(&error.message);
    if known.is_empty() {
        return format!("the grammar has no {what} at all, so not {given} either");
    }
    let nearest = nearest(given.trim_matches('`'), known.iter().copied());
    format!("the grammar has no {what} {given}; the nearest is `{nearest}`")
}

fn node_kinds(language: Language, named: bool) -> Vec<&'static str> {
    let grammar = language.grammar();
    (0..=u16::MAX)
        .take(grammar.node_kind_count())
        .filter(|&id| grammar.node_kind_is_named(id) == named && grammar.node_kind_is_visible(id))
        .filter_map(|id| grammar.node_kind_for_id(id))
        .collect()
}

fn field_names(language: Language) -> Vec<&'static str> {
    let grammar = language.grammar();
    (1..=u16::MAX)
        .take(grammar.field_count())
        .filter_map(|id| grammar.field_name_for_id(id))
        .collect()
}
