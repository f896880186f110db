//! What a file declares, in the form that questions need: a pure function of its facts.

use crate::facts::{
    Expr, Extent, Facts, Flags, Interner, NameId, Names, Span, Symbol, SymbolId, SymbolKind,
    Visibility,
};
use crate::link::StableId;
use fourfold_syntax::Language;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// One declared thing, as questions need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What it is.
    pub kind: SymbolKind,
    /// Its simple name.
    pub name: NameId,
    /// What it is declared in; stands before it.
    pub parent: Option<SymbolId>,
    /// The type that it is a member of, when it is written apart from that type.
    pub owner: Option<NameId>,
    /// The byte where the block around it names that type.
    pub owner_at: Option<u32>,
    /// The whole declaration.
    pub span: Span,
    /// First byte of the name.
    pub name_at: u32,
    /// 0-based row of the name.
    pub name_row: u32,
    /// The declaration without its body, as one line.
    pub signature: NameId,
    /// The first paragraph of its documentation.
    pub doc: Option<NameId>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Yes-or-no facts.
    pub flags: Flags,
}

/// Everything a file declares. The ids of its symbols are those of its [`Facts`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// How much of the file this is.
    pub extent: Extent,
    /// Every text the items point to.
    pub names: Names,
    /// In the order of position; a parent stands before its members.
    pub items: Vec<Item>,
    /// Hashes of the words in text literals that could name a symbol, sorted.
    pub(super) words: Vec<u32>,
}

impl Outline {
    /// The outline of a file with these facts.
    pub fn of(facts: &Facts) -> Outline {
        let mut texts = Interner::default();
        let mut carry = |id: NameId| texts.intern(facts.name(id));
        let blocks: HashMap<_, _> = facts
            .extensions
            .iter()
            .map(|block| (block.members, block.at))
            .collect();
        let items = facts
            .symbols
            .iter()
            .map(|symbol: &Symbol| Item {
                kind: symbol.kind,
                name: carry(symbol.name),
                parent: symbol.parent,
                owner: symbol.owner.map(&mut carry),
                owner_at: symbol
                    .owner
                    .and_then(|_| blocks.get(&symbol.scope).copied()),
                span: symbol.span,
                name_at: symbol.name_at,
                name_row: symbol.name_row,
                signature: carry(symbol.signature),
                doc: symbol.doc.map(&mut carry),
                visibility: symbol.visibility,
                flags: symbol.flags,
            })
            .collect();
        let mut words: Vec<u32> = facts
            .exprs
            .iter()
            .filter_map(|expr| match expr {
                Expr::Str(text) => Some(facts.name(*text)),
                _ => None,
            })
            .flat_map(words_of)
            .map(hash)
            .collect();
        words.sort_unstable();
        words.dedup();
        Outline {
            extent: facts.extent,
            names: texts.finish(),
            items,
            words,
        }
    }

    /// A symbol.
    pub fn item(&self, id: SymbolId) -> Option<&Item> {
        self.items.get(id.index())
    }

    /// The qualified name of a symbol, as [`Facts::qualified_name`] gives it.
    pub fn qualified(&self, id: SymbolId) -> String {
        let mut parts = Vec::new();
        let mut at = Some(id);
        while let Some(item) = at.and_then(|id| self.item(id)) {
            parts.push(self.names.get(item.name));
            parts.extend(item.owner.map(|owner| self.names.get(owner)));
            at = item.parent.filter(|parent| Some(*parent) < at);
        }
        parts.reverse();
        parts.join(".")
    }

    /// Whether a text literal of the file holds this name as a word of its own. Two different names
    /// are taken for each other once in four thousand million times.
    pub fn mentions(&self, name: &str) -> bool {
        self.words.binary_search(&hash(name)).is_ok()
    }

    /// The same, for those who keep them in another form.
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// The ids of a file of this outline and of its symbols, in their order.
    pub fn ids(&self, language: Language, path: &str) -> Vec<StableId> {
        let file = StableId::of_file(language, path);
        let items = self.items.iter().map(|item| {
            let owner = item.owner.map(|owner| self.names.get(owner));
            (item.parent, owner, self.names.get(item.name), item.kind)
        });
        let mut ids = vec![file];
        ids.extend(StableId::of_symbols(file, items));
        ids
    }

    /// The hashes of the words of all text literals, sorted; see [`hash`].
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}

/// The words of a text literal that is written like a name or a path of names; of prose, none.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let like_a_path = text.len() <= 200
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b >= 0x80 || b"_$.:/\\#-@".contains(&b));
    text.split(['.', ':', '/', '\\', '#', '-', '@'])
        .filter(move |word| like_a_path && !word.is_empty())
}

/// 32 bits of FNV-1a: the same on every machine, as what is kept on disk must be.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
