//! The text filter: a file that lacks a word of the pattern is never parsed.

use crate::shape::Shape;
use crate::tree::{PatternNode, Root};
use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

/// Pieces of text that every match of a reading contains.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    /// The longest first, which are likely the rarest.
    needles: Vec<Needle>,
    /// Signs that nearly every file has: looked for in small texts only.
    signs: Vec<u8>,
}

/// A piece of text to look for.
#[derive(Debug, Clone)]
enum Needle {
    Exact(Box<Finder<'static>>),
    /// A keyword of a language in which case is no difference.
    Keyword(String, Regex),
}

impl Needle {
    fn exact(word: &str) -> Needle {
        Needle::Exact(Box::new(Finder::new(word).into_owned()))
    }

    /// `None` for a word that has no such expression.
    fn keyword(word: &str) -> Option<Needle> {
        let expression = RegexBuilder::new(&regex::escape(word))
            .case_insensitive(true)
            .unicode(false)
            .build()
            .ok()?;
        Some(Needle::Keyword(word.to_owned(), expression))
    }

    fn text(&self) -> &[u8] {
        match self {
            Needle::Exact(finder) => finder.needle(),
            Needle::Keyword(word, _) => word.as_bytes(),
        }
    }

    fn is_in(&self, text: &[u8]) -> bool {
        match self {
            Needle::Exact(finder) => finder.find(text).is_some(),
            Needle::Keyword(_, expression) => expression.is_match(text),
        }
    }

    fn places(&self, text: &[u8]) -> Vec<usize> {
        match self {
            Needle::Exact(finder) => finder.find_iter(text).collect(),
            Needle::Keyword(_, expression) => expression
                .find_iter(text)
                .map(|found| found.start())
                .collect(),
        }
    }
}

impl Filter {
    /// The filter of one reading. `folds_case` is for languages whose keywords have no case.
    pub(crate) fn of(root: &Root, shape: &Shape, folds_case: bool) -> Filter {
        let mut words: Vec<&str> = Vec::new();
        let mut keywords: Vec<&str> = Vec::new();
        for item in root.items() {
            collect(item, shape, folds_case, &mut words, &mut keywords);
        }
        let is_sign = |word: &&str| word.len() == 1 && "(){}[]<>.:=".contains(*word);
        let signs = words
            .iter()
            .filter(|word| is_sign(word))
            .map(|word| word.as_bytes()[0])
            .collect();
        words.retain(|word| !is_sign(word));
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let mut kept: Vec<&str> = Vec::new();
        for word in words {
            if !word.is_empty() && !kept.iter().any(|longer| longer.contains(word)) {
                kept.push(word);
            }
        }
        keywords.sort_unstable();
        keywords.dedup();
        let mut needles: Vec<Needle> = kept.into_iter().map(Needle::exact).collect();
        needles.extend(keywords.into_iter().filter_map(Needle::keyword));
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.text().len()));
        Filter { needles, signs }
    }

    /// Whether a text may hold a match.
    pub(crate) fn admits(&self, text: &[u8]) -> bool {
        self.needles.iter().all(|needle| needle.is_in(text))
    }

    /// The same for a small text, such as one node's, where signs tell something too.
    pub(crate) fn admits_node(&self, text: &[u8]) -> bool {
        self.admits(text)
            && self
                .signs
                .iter()
                .all(|&sign| memchr::memchr(sign, text).is_some())
    }

    /// Where each piece stands in a text.
    pub(crate) fn places(&self, text: &[u8]) -> Places {
        let needles = self.needles.iter().map(|needle| Occurrences {
            length: needle.text().len(),
            starts: needle.places(text),
        });
        let signs = self.signs.iter().map(|&sign| Occurrences {
            length: 1,
            starts: memchr::memchr_iter(sign, text).collect(),
        });
        Places {
            pieces: needles.chain(signs).collect(),
        }
    }

    /// The pieces of text, for messages.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> + '_ {
        self.needles
            .iter()
            .map(|needle| String::from_utf8_lossy(needle.text()).into_owned())
    }
}

/// Where the pieces of a filter stand in one text.
#[derive(Debug)]
pub(crate) struct Places {
    pieces: Vec<Occurrences>,
}

#[derive(Debug)]
struct Occurrences {
    length: usize,
    /// In ascending order.
    starts: Vec<usize>,
}

impl Places {
    /// Whether a stretch of the text has every piece.
    pub(crate) fn within(&self, start: usize, end: usize) -> bool {
        self.pieces.iter().all(|piece| {
            let first = piece.starts.partition_point(|&at| at < start);
            piece
                .starts
                .get(first)
                .is_some_and(|&at| at + piece.length <= end)
        })
    }
}

fn collect<'p>(
    node: &'p PatternNode,
    shape: &Shape,
    folds_case: bool,
    words: &mut Vec<&'p str>,
    keywords: &mut Vec<&'p str>,
) {
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
                    && class.name != "string_content";
            if !free {
                let keyword = !named && class.word && folds_case;
                let list = if keyword { keywords } else { words };
                list.push(text.trim());
            }
        }
        PatternNode::Tree { children, .. } if node.empty_list(shape).is_none() => {
            for child in children {
                collect(child, shape, folds_case, words, keywords);
            }
        }
        _ => {}
    }
}
