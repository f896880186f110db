//! Finds symbols by words.

use super::Inquiry;
use super::answer::{Answer, Outcome, count};
use super::compose::{Draft, Page};
use super::filter::{Filter, Sieve};
use super::resolve::{Resolution, Wanted};
use super::words::{push_words, words};
use crate::facts::{Flags, SymbolKind};
use crate::graph::{Graph, NodeId};
use hashbrown::HashMap;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// How names are compared with the question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By words: in names, which are split into theirs, then in signatures and documentation.
    #[default]
    Words,
    /// The name is exactly this.
    Exact,
    /// The name begins with this; upper and lower case are the same.
    Prefix,
    /// The name has these letters in this order, or is a slip away from this.
    Fuzzy,
}

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchRequest {
    /// Words, a name, or a qualified name.
    pub query: String,
    /// How.
    pub mode: SearchMode,
    /// Among which symbols.
    #[serde(flatten)]
    pub filter: Filter,
    /// How much to give.
    pub page: Page,
}

/// The texts that are searched, in the form in which they are.
#[derive(Debug, Default)]
pub(crate) struct SearchTexts {
    /// The words of every name, ` http server \n`, in the order of [`Graph::all_names`].
    names: Lines,
    /// The same without blanks, `httpserver\n`.
    squashed: Lines,
    /// Signature and documentation of every symbol in lower case, in the order of nodes.
    texts: Lines,
    /// The symbols of each name: a range of `nodes`.
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

/// Lines of one text, found by the byte that something was found at.
#[derive(Debug, Default)]
struct Lines {
    text: String,
    starts: Vec<u32>,
}

impl Lines {
    fn begin(&mut self) {
        self.starts.push(self.text.len() as u32);
    }

    fn end(&mut self) {
        self.text.push('\n');
    }

    fn get(&self, line: usize) -> &str {
        let start = self.starts.get(line).map_or(0, |at| *at as usize);
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |at| *at as usize);
        self.text
            .get(start..end)
            .unwrap_or_default()
            .trim_end_matches('\n')
    }

    /// The numbers of the lines that hold a text, each once, in order.
    fn with(&self, needle: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut line = 0;
        let mut from = 0;
        let finder = memmem::Finder::new(needle.as_bytes());
        while let Some(at) = self
            .text
            .as_bytes()
            .get(from..)
            .and_then(|rest| finder.find(rest))
        {
            let at = (from + at) as u32;
            let rest = self.starts.get(line..).unwrap_or_default();
            // Near lines are reached faster by steps than by halves.
            let steps = match rest.iter().take(16).position(|start| *start > at) {
                Some(steps) => steps,
                None => rest.partition_point(|start| *start <= at),
            };
            line += steps;
            found.push(line.saturating_sub(1));
            from = match self.starts.get(line) {
                Some(next) => *next as usize,
                None => break,
            };
        }
        found
    }
}

impl SearchTexts {
    pub(crate) fn of(graph: &Graph) -> SearchTexts {
        let mut all = SearchTexts::default();
        for (name, nodes) in graph.all_names() {
            all.names.begin();
            let from = all.names.text.len();
            push_words(&mut all.names.text, name);
            if all.names.text.len() == from {
                // An operator: nothing but its own characters names it.
                all.names.text.push(' ');
                all.names.text.push_str(name);
            }
            all.squashed.begin();
            let squashed = all.names.text[from..].split(' ');
            all.squashed.text.extend(squashed);
            all.squashed.end();
            all.names.text.push(' ');
            all.names.end();
            all.starts.push(all.nodes.len() as u32);
            all.nodes.extend(nodes.iter().map(|node| NodeId(*node)));
        }
        all.starts.push(all.nodes.len() as u32);
        for node in graph.nodes() {
            all.texts.begin();
            if let Some(item) = graph.symbol(node) {
                let names = &graph.file(node).outline.names;
                lower(&mut all.texts.text, names.get(item.signature));
                if let Some(doc) = item.doc {
                    all.texts.text.push(' ');
                    lower(&mut all.texts.text, names.get(doc));
                }
            }
            all.texts.end();
        }
        all
    }

    /// The symbols of a name, by the number of its line.
    fn nodes(&self, line: usize) -> &[NodeId] {
        match (self.starts.get(line), self.starts.get(line + 1)) {
            (Some(start), Some(end)) => &self.nodes[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

fn lower(out: &mut String, text: &str) {
    if text.is_ascii() {
        out.extend(text.chars().map(|c| match c {
            '\n' => ' ',
            c => c.to_ascii_lowercase(),
        }));
    } else {
        out.push_str(&text.replace('\n', " ").to_lowercase());
    }
}

/// How well something fits: the less the better. Its parts, from the most important on: how the
/// text fits, whether upper and lower case fit, test code, minor kinds, uses, length.
type Rank = (u16, bool, bool, bool, Reverse<u32>, usize, NodeId);

/// A [`Rank::0`] of what only some of the words were found for.
const SOME_WORDS: u16 = 1000;

impl Graph {
    /// The symbols that fit, best first, and whether all words of the question fit them.
    pub(super) fn search(
        &self,
        query: &str,
        mode: SearchMode,
        sieve: &Sieve,
    ) -> (Vec<NodeId>, bool) {
        let query = query.trim();
        let mut fits: HashMap<NodeId, u16> = HashMap::new();
        let mut put = |nodes: &[NodeId], class: u16| {
            for node in nodes {
                let known = fits.entry(*node).or_insert(class);
                *known = class.min(*known);
            }
        };
        match mode {
            SearchMode::Exact => put(&self.meant(query), 0),
            SearchMode::Prefix => self.by_prefix(query, &mut put),
            SearchMode::Fuzzy => self.by_likeness(query, &mut put),
            SearchMode::Words => {
                put(&self.meant(query), 0);
                self.by_words(query, &mut put);
            }
        }
        fits.retain(|node, _| sieve.lets(self, *node));
        let mut whole = true;
        if fits.is_empty() && mode == SearchMode::Words {
            whole = false;
            self.by_some_words(query, &mut |node, class| {
                fits.insert(node, class);
            });
            fits.retain(|node, _| sieve.lets(self, *node));
        }
        let ranks = fits
            .into_iter()
            .map(|(node, class)| self.rank(query, node, class));
        let mut ranks: Vec<Rank> = ranks.collect();
        ranks.sort_unstable();
        (ranks.into_iter().map(|rank| rank.6).collect(), whole)
    }

    fn rank(&self, query: &str, node: NodeId, class: u16) -> Rank {
        let name = self.name(node);
        let minor = self.symbol(node).is_some_and(|item| {
            item.flags.has(Flags::LOCAL)
                || matches!(
                    item.kind,
                    SymbolKind::Field
                        | SymbolKind::Variable
                        | SymbolKind::Constant
                        | SymbolKind::EnumMember
                )
        });
        let uses = (self.incoming(node).len() as u32 + 1).ilog2();
        (
            class,
            !name.contains(query),
            self.is_test(node),
            minor,
            Reverse(uses),
            name.len(),
            node,
        )
    }

    /// The symbols that a text names, as [`resolve`](Graph::resolve) reads it.
    fn meant(&self, query: &str) -> Vec<NodeId> {
        if query.contains(char::is_whitespace) {
            return Vec::new();
        }
        match self.resolve(&Wanted::named(query)) {
            // A folder is no symbol.
            Resolution::One(nodes) if nodes.len() > 1 && self.symbol(nodes[0]).is_none() => {
                Vec::new()
            }
            Resolution::One(nodes) | Resolution::Many(nodes) => {
                // A name means what it is declared as everywhere, not only where it is meant first.
                let same = self.named(query).collect::<Vec<_>>();
                if same.is_empty() { nodes } else { same }
            }
            Resolution::None => Vec::new(),
        }
    }

    fn by_prefix(&self, query: &str, put: &mut dyn FnMut(&[NodeId], u16)) {
        let texts = self.search_texts();
        for (line, (name, _)) in self.all_names().enumerate() {
            let class = match name.get(..query.len()) {
                Some(head) if head == query => 2,
                Some(head) if head.eq_ignore_ascii_case(query) => 3,
                _ => continue,
            };
            let class = if name.len() == query.len() {
                class - 2
            } else {
                class
            };
            put(texts.nodes(line), class);
        }
    }

    /// Names by all words of the question; then signatures and documentation, taken together with
    /// the names of the symbol and of what it is declared in.
    fn by_words(&self, query: &str, put: &mut dyn FnMut(&[NodeId], u16)) {
        let texts = self.search_texts();
        let asked = words(query);
        let parts: Vec<&str> = asked.split(' ').filter(|word| !word.is_empty()).collect();
        let Some(longest) = parts.iter().max_by_key(|word| word.len()) else {
            return;
        };
        let squashed = parts.concat();
        for line in texts.squashed.with(&squashed) {
            let name = texts.names.get(line);
            let class = match name.find(&asked) {
                _ if texts.squashed.get(line) == squashed => 1,
                Some(0) if name.as_bytes().get(asked.len()) == Some(&b' ') => 2,
                Some(0) => 3,
                _ if texts.squashed.get(line).starts_with(&squashed) => 3,
                Some(_) => 4,
                None => 7,
            };
            put(texts.nodes(line), class);
        }
        if parts.len() > 1 {
            for line in texts.names.with(longest) {
                let name = texts.names.get(line);
                let has = |word: &&str, end: &str| name.contains(&format!(" {word}{end}"));
                let class = match () {
                    () if parts.iter().all(|word| has(word, " ")) => 5,
                    () if parts.iter().all(|word| has(word, "")) => 6,
                    () => continue,
                };
                put(texts.nodes(line), class);
            }
        }
        for line in texts.texts.with(longest) {
            let node = NodeId(line as u32);
            let text = texts.texts.get(line);
            let rest: Vec<&&str> = parts.iter().filter(|word| !text.contains(**word)).collect();
            if !rest.is_empty() {
                let around = self.qualified(node).to_lowercase();
                if !rest.iter().all(|word| around.contains(**word)) {
                    continue;
                }
            }
            let word = parts.iter().all(|word| at_boundary(text, word));
            put(&[node], if word { 8 } else { 9 });
        }
    }

    /// Symbols that only some words of the question fit; rare words count for more.
    fn by_some_words(&self, query: &str, put: &mut dyn FnMut(NodeId, u16)) {
        let texts = self.search_texts();
        let asked = words(query);
        let mut score: HashMap<NodeId, u32> = HashMap::new();
        for word in asked.split(' ').filter(|word| word.len() > 1).take(16) {
            let mut of_word: HashMap<NodeId, u32> = HashMap::new();
            for line in texts.texts.with(word) {
                if at_boundary(texts.texts.get(line), word) {
                    of_word.insert(NodeId(line as u32), 1);
                }
            }
            for line in texts.names.with(&format!(" {word}")) {
                for node in texts.nodes(line) {
                    of_word.insert(*node, 3);
                }
            }
            // The logarithm of how rare the word is, in sixteenths.
            let rare = self.len().max(1) as f64 / (of_word.len().max(1)) as f64;
            let weight = (rare.log2() * 16.0) as u32 + 1;
            for (node, times) in of_word.drain() {
                *score.entry(node).or_default() += times * weight;
            }
        }
        let best = score.values().copied().max().unwrap_or(0);
        for (node, score) in score.into_iter().filter(|(_, score)| score * 2 >= best) {
            put(
                node,
                SOME_WORDS.saturating_add((best - score).min(60_000) as u16),
            );
        }
    }

    /// Names that have the letters in order, or are a slip away.
    fn by_likeness(&self, query: &str, put: &mut dyn FnMut(&[NodeId], u16)) {
        let texts = self.search_texts();
        let squashed: String = words(query).split(' ').collect();
        for line in 0..texts.squashed.starts.len() {
            if let Some(class) = likeness(&squashed, texts.squashed.get(line)) {
                put(texts.nodes(line), class);
            }
        }
    }

    /// The symbols with the names nearest to a name that there is not.
    pub(super) fn nearest(&self, name: &str, most: usize) -> Vec<NodeId> {
        let sieve = Sieve::all();
        let (mut found, _) = self.search(name, SearchMode::Fuzzy, &sieve);
        if found.is_empty() {
            (found, _) = self.search(name, SearchMode::Words, &sieve);
        }
        found.truncate(most);
        found
    }
}

/// Whether a word stands in a text after something that is no letter.
fn at_boundary(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric())
    })
}

/// How alike a name is to what was asked for, both without blanks and in lower case: equal, a slip
/// or two away, or with the same letters in order and others between.
fn likeness(asked: &str, name: &str) -> Option<u16> {
    if asked.is_empty() {
        return None;
    }
    if asked == name {
        return Some(1);
    }
    let slips = match asked.len() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    if asked.len().abs_diff(name.len()) <= slips {
        let distance = strsim::osa_distance(asked, name);
        if distance <= slips {
            return Some(10 + distance as u16);
        }
    }
    if name.len() < asked.len() || asked.len() < 3 {
        return None;
    }
    let mut letters = name.char_indices();
    let (mut first, mut last) = (None, 0);
    for wanted in asked.chars() {
        let (at, _) = letters.by_ref().find(|(_, letter)| *letter == wanted)?;
        first.get_or_insert(at);
        last = at;
    }
    let spread = last + 1 - first.unwrap_or(0) - asked.len().min(last + 1);
    let gaps = 4 * spread + (name.len() - asked.len());
    // Letters that are scattered over a long name say nothing.
    (spread <= 2 * asked.len()).then_some(100 + gaps.min(400) as u16)
}

impl Inquiry<'_> {
    /// Finds symbols by words, names or the like.
    pub fn search(&self, request: &SearchRequest) -> Answer {
        let sieve = match request.filter.sieve(self.graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(&request.page),
        };
        let (found, whole) = self.graph.search(&request.query, request.mode, &sieve);
        let outside = match found.is_empty() && sieve.narrows() {
            true => {
                let all = self
                    .graph
                    .search(&request.query, request.mode, &Sieve::all());
                all.0.len()
            }
            false => 0,
        };
        let many = count(found.len(), "symbol");
        let headline = match (found.is_empty(), whole) {
            (false, true) => format!("{many} for `{}`", request.query),
            (false, false) => format!(
                "no symbol has all words of `{}`; {many} for some of them",
                request.query
            ),
            (true, _) if outside > 0 => format!(
                "no symbol for `{}` among what was asked for; {outside} outside of it",
                request.query
            ),
            (true, _) => format!("no symbol for `{}`", request.query),
        };
        let mut draft = Draft::new(headline, self.coverage);
        draft.narrowed(&sieve);
        if found.is_empty() {
            draft.answer.outcome = Outcome::NotFound;
            let nearest = match request.mode {
                SearchMode::Fuzzy => Vec::new(),
                _ => self.graph.nearest(&request.query, 5),
            };
            draft.group("nearest names", false, nearest, |node| self.entry(*node));
        }
        draft.group("", false, found, |node| self.found(*node));
        draft.finish(&request.page)
    }

    fn found(&self, node: NodeId) -> super::Entry {
        let graph = self.graph;
        let mut entry = self.entry(node);
        let uses = graph.incoming(node).len();
        let mut detail = Vec::new();
        if uses > 0 {
            detail.push(count(uses, "use"));
        }
        if graph.is_test(node) {
            detail.push("test".to_owned());
        }
        entry.detail = detail.join(", ");
        let item = graph.symbol(node);
        let doc = item.and_then(|item| item.doc);
        let names = &graph.file(node).outline.names;
        entry.doc = self.signature(node).filter(|text| *text != entry.name);
        if let (None, Some(doc)) = (&entry.doc, doc) {
            entry.doc = Some(names.get(doc).to_owned());
        }
        entry
    }
}
