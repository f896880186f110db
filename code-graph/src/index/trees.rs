//! The trees of the files that were parsed last: whoever writes a file writes it again soon, and then
//! only what has changed is to be parsed.

use std::sync::atomic::AtomicBool;

use fourfold_syntax::{Error, Language, Parser, Tree};
use parking_lot::Mutex;

/// So many trees are kept.
const MOST: usize = 4;

/// The longest text whose tree is kept, in bytes: a tree costs about twenty times its text.
const LONGEST: usize = 256 << 10;

/// A refresh with more files than this is no edit.
pub(super) const FEW: usize = MOST;

/// Trees of files, the latest last.
#[derive(Debug, Default)]
pub(super) struct Trees(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    path: String,
    language: Language,
    text: String,
    tree: Tree,
}

impl Trees {
    /// The tree of a file as it is now, which is kept for the next time.
    pub(super) fn parse(
        &self,
        path: &str,
        language: Language,
        text: &str,
        parser: &mut Parser,
        cancel: &AtomicBool,
    ) -> Result<Tree, Error> {
        let known = {
            let mut trees = self.0.lock();
            let at = trees.iter().position(|kept| kept.path == path);
            at.map(|at| trees.remove(at))
        };
        let tree = match known.filter(|known| known.language == language) {
            Some(known) => parser.reparse(language, text, (&known.text, &known.tree), cancel)?,
            None => parser.parse_with(language, text, cancel)?,
        };
        if text.len() <= LONGEST {
            let mut trees = self.0.lock();
            if trees.len() >= MOST {
                trees.remove(0);
            }
            trees.push(Kept {
                path: path.to_owned(),
                language,
                text: text.to_owned(),
                tree: tree.clone(),
            });
        }
        Ok(tree)
    }
}
