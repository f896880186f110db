//! The text filter: a file that lacks a word of the pattern is never parsed.

mod bracket;

use crate::shape::Shape;
use crate::tree::{PatternNode, Root};
use bracket::Bracket;
use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

/// Pieces of text that every match of a reading contains.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    /// The longest first, which are likely the rarest.
    needles: Vec<Needle>,
    /// Signs that nearly every file has: looked for in small texts only.
    signs: Vec<u8>,
    /// Brackets that follow what they are applied to: for small texts as well.
    brackets: Vec<Bracket>,
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
        let mut brackets = Vec::new();
        for item in root.items() {
            bracket::collect(item, shape, &mut brackets);
        }
        Filter {
            needles,
            signs,
            brackets,
        }
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
            && self.brackets.iter().all(|bracket| bracket.is_in(text))
    }

    /// Where each piece stands in a text.
    pub(crate) fn places(&self, text: &[u8]) -> Places {
        let needles = self.needles.iter().map(|needle| Occurrences {
            length: needle.text().len(),
            starts: needle.places(text),
            passed: 0,
        });
        let signs = self.signs.iter().map(|&sign| Occurrences {
            length: 1,
            starts: memchr::memchr_iter(sign, text).collect(),
            passed: 0,
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
    /// How many of them a walk has left behind.
    passed: usize,
}

impl Occurrences {
    fn has_within(&self, from: usize, end: usize) -> bool {
        self.starts
            .get(from)
            .is_some_and(|&at| at + self.length <= end)
    }
}

impl Places {
    /// Whether a stretch of the text has every piece.
    pub(crate) fn within(&self, start: usize, end: usize) -> bool {
        self.pieces.iter().all(|piece| {
            let first = piece.starts.partition_point(|&at| at < start);
            piece.has_within(first, end)
        })
    }

    /// The same for the stretches of a walk, none of which begins before the one asked for last:
    /// this goes along with the walk and never searches.
    pub(crate) fn ahead(&mut self, start: usize, end: usize) -> bool {
        self.pieces.iter_mut().all(|piece| {
            let left = &piece.starts[piece.passed..];
            piece.passed += left.iter().take_while(|&&at| at < start).count();
            piece.has_within(piece.passed, end)
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
