//! The text filter: a file that lacks a word of the pattern is never parsed.

use crate::shape::Shape;
use crate::tree::{PatternNode, Root};
use memchr::memmem::Finder;

/// Pieces of text that every match of a reading contains.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    /// The rarest first, by a guess.
    needles: Vec<Finder<'static>>,
}

impl Filter {
    /// The filter of one reading. `folds_case` is for languages whose keywords have no case.
    pub(crate) fn of(root: &Root, shape: &Shape, folds_case: bool) -> Filter {
        let mut words: Vec<&str> = Vec::new();
        for item in root.items() {
            collect(item, shape, folds_case, &mut words);
        }
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let mut kept: Vec<&str> = Vec::new();
        for word in words {
            if !word.is_empty() && !kept.iter().any(|longer| longer.contains(word)) {
                kept.push(word);
            }
        }
        Filter {
            needles: kept
                .into_iter()
                .map(|word| Finder::new(word).into_owned())
                .collect(),
        }
    }

    /// Whether a text may hold a match.
    pub(crate) fn admits(&self, text: &[u8]) -> bool {
        self.needles
            .iter()
            .all(|needle| needle.find(text).is_some())
    }

    /// The pieces of text, for messages.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> + '_ {
        self.needles
            .iter()
            .map(|needle| String::from_utf8_lossy(needle.needle()).into_owned())
    }
}

fn collect<'p>(node: &'p PatternNode, shape: &Shape, folds_case: bool, words: &mut Vec<&'p str>) {
    match node {
        PatternNode::Token {
            kind,
            text,
            named,
            separator,
            ..
        } => {
            let class = shape.kind(*kind);
            let free = *separator
                || class.quote
                || class.name.starts_with("string_")
                    && class.name != "string_fragment"
                    && class.name != "string_content"
                || (!named && class.word && folds_case);
            // Signs that nearly every file has would only cost time.
            let everywhere = text.len() == 1 && "(){}[]<>.:=".contains(text.as_str());
            if !free && !everywhere {
                words.push(text.trim());
            }
        }
        PatternNode::Tree { children, .. } => {
            for child in children {
                collect(child, shape, folds_case, words);
            }
        }
        _ => {}
    }
}
