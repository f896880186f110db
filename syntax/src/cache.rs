//! Syntax trees kept by the content they were made from.

use crate::lru::Lru;
use crate::{ContentHash, Error, Language, ParseLimits, with_parser};
use parking_lot::Mutex;
use tree_sitter::Tree;

/// Estimated memory of a tree for each byte of its text.
const TREE_BYTES_PER_TEXT_BYTE: usize = 20;

/// Estimated memory of an entry whose text is empty.
const ENTRY_BYTES: usize = 512;

/// A bounded cache of syntax trees, shared between threads.
///
/// The key is the content's hash and the language, so an entry is never stale: a changed file has
/// another hash, and a file that changes back finds its old tree. The texts themselves are not
/// kept. When the bound is reached, the trees that were unused for longest go; a text whose tree
/// alone would be over the bound is parsed and not kept.
///
/// ```
/// use fourfold_syntax::{Language, TreeCache};
///
/// let trees = TreeCache::default();
/// let rust = Language::named("rust")?;
/// let tree = trees.get_or_parse(rust, "fn main() {}")?;
/// assert_eq!(tree.root_node().kind(), "source_file");
/// trees.get_or_parse(rust, "fn main() {}")?;
/// assert_eq!(trees.stats().hits, 1);
/// # Ok::<(), fourfold_syntax::Error>(())
/// ```
pub struct TreeCache {
    limits: ParseLimits,
    state: Mutex<State>,
}

struct State {
    trees: Lru<(ContentHash, Language), Tree>,
    hits: u64,
    misses: u64,
}

/// What a [`TreeCache`] holds and how often it had what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheStats {
    /// Trees in the cache.
    pub trees: usize,
    /// Estimated memory of those trees in bytes.
    pub bytes: usize,
    /// Requests answered without parsing.
    pub hits: u64,
    /// Requests that parsed.
    pub misses: u64,
}

impl TreeCache {
    /// The bound of [`TreeCache::default`]: 64 MiB, the trees of about 3 MiB of text.
    pub const DEFAULT_BYTES: usize = 64 << 20;

    /// A cache for trees of an estimated `max_bytes` of memory, made within these parse limits.
    pub fn new(max_bytes: usize, limits: ParseLimits) -> TreeCache {
        TreeCache {
            limits,
            state: Mutex::new(State {
                trees: Lru::new(max_bytes),
                hits: 0,
                misses: 0,
            }),
        }
    }

    /// The tree of a text; parsed when the cache does not have it.
    ///
    /// Two threads that ask for one new text at the same time both parse it.
    ///
    /// # Errors
    /// Those of [`Parser::parse`](crate::Parser::parse); they are not kept.
    pub fn get_or_parse(&self, language: Language, text: &str) -> Result<Tree, Error> {
        self.get_or_parse_hashed(language, ContentHash::of(text.as_bytes()), text)
    }

    /// Like [`get_or_parse`](TreeCache::get_or_parse) for a text whose hash is known already.
    ///
    /// # Errors
    /// Those of [`Parser::parse`](crate::Parser::parse); they are not kept.
    pub fn get_or_parse_hashed(
        &self,
        language: Language,
        hash: ContentHash,
        text: &str,
    ) -> Result<Tree, Error> {
        let key = (hash, language);
        {
            let mut state = self.state.lock();
            if let Some(tree) = state.trees.get(&key) {
                state.hits += 1;
                return Ok(tree);
            }
            state.misses += 1;
        }
        let tree = with_parser(self.limits, |parser| parser.parse(language, text))?;
        let cost = ENTRY_BYTES.saturating_add(text.len().saturating_mul(TREE_BYTES_PER_TEXT_BYTE));
        self.state.lock().trees.insert(key, tree.clone(), cost);
        Ok(tree)
    }

    /// What the cache holds and how well it did.
    pub fn stats(&self) -> CacheStats {
        let state = self.state.lock();
        CacheStats {
            trees: state.trees.len(),
            bytes: state.trees.cost(),
            hits: state.hits,
            misses: state.misses,
        }
    }

    /// Forgets every tree; the counts of hits and misses go on.
    pub fn clear(&self) {
        self.state.lock().trees.clear();
    }
}

impl Default for TreeCache {
    /// A cache of [`DEFAULT_BYTES`](TreeCache::DEFAULT_BYTES) with the default parse limits.
    fn default() -> Self {
        TreeCache::new(TreeCache::DEFAULT_BYTES, ParseLimits::default())
    }
}
