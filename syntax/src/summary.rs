//! What a file can contain, in about a hundred bytes and ten bits a word.

mod bits;
mod stored;
mod words;

use crate::{ContentHash, Language};
use bits::{Bloom, Hashes, KindSet};
use tree_sitter::{Node, Tree};
use words::{each_word, hash_of};

/// The node kinds and the words of one file: enough to know, without its text, that a search
/// cannot find anything in it.
///
/// A summary never denies what is there: when [`may_contain_kind`](FileSummary::may_contain_kind)
/// or [`may_contain_identifier`](FileSummary::may_contain_identifier) is false, the file does not
/// contain it. When it is true, the file probably does (a word is wrongly admitted once in about a
/// hundred times).
///
/// ```
/// use fourfold_syntax::{FileSummary, Language, ParseLimits, with_parser};
///
/// let rust = Language::named("rust")?;
/// let text = "fn main() { greet(\"world\") }";
/// let tree = with_parser(ParseLimits::default(), |parser| parser.parse(rust, text))?;
/// let summary = FileSummary::new(rust, text, &tree);
/// assert!(summary.may_contain_identifier("greet"));
/// assert!(!summary.may_contain_identifier("dismiss"));
/// assert!(summary.may_contain_kind("call_expression"));
/// assert!(!summary.may_contain_kind("match_expression"));
///
/// let stored = summary.to_bytes();
/// assert_eq!(FileSummary::from_bytes(&stored)?, summary);
/// # Ok::<(), fourfold_syntax::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSummary {
    language: Language,
    content: ContentHash,
    has_error: bool,
    kinds: KindSet,
    words: Bloom,
}

impl FileSummary {
    /// The summary of a text and the tree that was parsed from it.
    ///
    /// A tree of another text or language gives a summary of no use, and no panic.
    pub fn new(language: Language, text: &str, tree: &Tree) -> FileSummary {
        let mut kinds = KindSet::new(language.grammar().node_kind_count());
        let mut hashes = Hashes::default();
        let mut add_words = |bytes: &[u8]| {
            each_word(bytes, |word| {
                hashes.insert(hash_of(word));
            });
        };
        let bytes = text.as_bytes();
        let mut done = 0;
        each_node(tree, |node, is_leaf| {
            kinds.insert(node.kind_id());
            // A comment may have parts, and most nodes are neither.
            if !is_leaf && !node.is_extra() {
                return;
            }
            let is_comment = is_comment(node);
            if (is_leaf || is_comment) && node.end_byte() > done {
                // Some grammars leave parts of a text out of every leaf; they count as well.
                add_words(bytes.get(done..node.start_byte()).unwrap_or_default());
                if !is_comment {
                    add_words(bytes.get(node.byte_range()).unwrap_or_default());
                }
                done = node.end_byte();
            }
        });
        add_words(bytes.get(done..).unwrap_or_default());
        FileSummary {
            language,
            content: ContentHash::of(bytes),
            has_error: tree.root_node().has_error(),
            kinds,
            words: Bloom::of(&hashes),
        }
    }

    /// The language that the file was parsed as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The hash of the content that was summarised.
    pub fn content(&self) -> ContentHash {
        self.content
    }

    /// Whether the tree had an error or a missing token anywhere.
    pub fn has_error(&self) -> bool {
        self.has_error
    }

    /// Whether the tree may have a named node of this kind.
    ///
    /// A supertype such as `expression` stands for kinds of its own, so it may always be there. A
    /// kind that the grammar does not have is never there.
    pub fn may_contain_kind(&self, kind: &str) -> bool {
        let grammar = self.language.grammar();
        let id = grammar.id_for_node_kind(kind, true);
        if id == 0 {
            return false;
        }
        grammar.node_kind_is_supertype(id)
            || !grammar.node_kind_is_visible(id)
            || self.may_contain_kind_id(id)
    }

    /// Whether the tree has a node of this kind id, named or not, as
    /// [`Node::kind_id`] gives it.
    pub fn may_contain_kind_id(&self, id: u16) -> bool {
        self.kinds.contains(id)
    }

    /// Whether the file may contain this name as one token, or this text inside one token,
    /// comments excepted.
    ///
    /// What counts is the words of the name (runs of letters, digits, `_` and everything outside
    /// ASCII): all of them must be in the file. A name without any, such as `$`, may always be
    /// there.
    pub fn may_contain_identifier(&self, name: &str) -> bool {
        let mut all = true;
        each_word(name.as_bytes(), |word| {
            all &= self.words.may_contain(hash_of(word));
        });
        all
    }
}

fn is_comment(node: Node<'_>) -> bool {
    node.is_extra() && node.kind().contains("comment")
}

/// Every node of the tree in the order of the text, without recursion.
fn each_node(tree: &Tree, mut visit: impl FnMut(Node<'_>, bool)) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_inner = cursor.goto_first_child();
        visit(node, !is_inner);
        if is_inner {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, ParseLimits, with_parser};
    use proptest::prelude::*;

    fn summary(language: Language, text: &str) -> (FileSummary, Tree) {
        let tree = with_parser(ParseLimits::default(), |p| p.parse(language, text)).unwrap();
        (FileSummary::new(language, text, &tree), tree)
    }

    /// Everything that is there is admitted: every kind, every leaf's text.
    fn check_sound(language: Language, text: &str) {
        let (summary, tree) = summary(language, text);
        let mut comments_end = 0;
        each_node(&tree, |node, is_leaf| {
            assert!(summary.may_contain_kind_id(node.kind_id()));
            if node.is_named() {
                assert!(summary.may_contain_kind(node.kind()), "{}", node.kind());
            }
            if is_comment(node) {
                comments_end = comments_end.max(node.end_byte());
            }
            if is_leaf && node.end_byte() > comments_end {
                let token = &text[node.byte_range()];
                assert!(summary.may_contain_identifier(token), "{token}");
            }
        });
    }

    #[test]
    fn comments_are_left_out_and_strings_are_not() {
        let Ok(rust) = Language::named("rust") else {
            return;
        };
        let (summary, _) = summary(rust, "// only here\nfn f() { g(\"inside text\") }");
        assert!(!summary.may_contain_identifier("only"));
        assert!(summary.may_contain_identifier("inside"));
        assert!(summary.may_contain_identifier("inside text"));
        assert!(summary.may_contain_identifier("$"));
        assert!(!summary.may_contain_kind("no_such_kind"));
        assert!(summary.may_contain_kind("_expression"), "a supertype");
        assert!(!summary.has_error());
    }

    #[test]
    fn few_absent_words_are_admitted() {
        let Ok(rust) = Language::named("rust") else {
            return;
        };
        let text: String = (0..1000)
            .map(|n| format!("fn present{n}() {{}}\n"))
            .collect();
        let (summary, _) = summary(rust, &text);
        let wrong = (0..10_000)
            .filter(|n| summary.may_contain_identifier(&format!("absent{n}")))
            .count();
        assert!(wrong < 200, "{wrong} of 10000");
        assert!(
            summary.to_bytes().len() < 1500,
            "{}",
            summary.to_bytes().len()
        );
    }

    proptest! {
        #[test]
        fn nothing_that_is_there_is_denied(text in "([a-z0-9_$#@.\"'(){}<> \n/*-]|é|10px|fn |let |class |'a'){0,80}") {
            for language in Language::all() {
                check_sound(language, &text);
            }
        }

        #[test]
        fn what_is_stored_comes_back(text in "[a-z ;(){}\n]{0,200}") {
            for language in Language::all().take(3) {
                let (summary, _) = summary(language, &text);
                prop_assert_eq!(FileSummary::from_bytes(&summary.to_bytes()).unwrap(), summary);
            }
        }

        #[test]
        fn foreign_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(FileSummary::from_bytes(&bytes).is_err());
        }

        #[test]
        fn damaged_bytes_are_refused(at in any::<prop::sample::Index>(), flip in 1u8..) {
            let Some(language) = Language::all().next() else { return Ok(()) };
            let mut bytes = summary(language, "a b c").0.to_bytes();
            let at = at.index(bytes.len());
            prop_assert!(FileSummary::from_bytes(&bytes[..at]).is_err());
            bytes[at] ^= flip;
            let refused = matches!(FileSummary::from_bytes(&bytes), Err(Error::BadSummary { .. }));
            prop_assert!(refused);
        }
    }
}
