//! The string table of one file.

use super::id;
use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;

id! {
    /// A text in a file's [`Names`].
    NameId
}

/// Every text that facts point to, each once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Names {
    text: String,
    /// The end of each name in `text`; it begins where the one before ends.
    ends: Vec<u32>,
}

impl Names {
    /// The text of a name; empty for an id that is not of this table.
    pub fn get(&self, id: NameId) -> &str {
        let at = id.index();
        let start = match at.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before).map_or(0, |end| *end as usize),
        };
        let end = self.ends.get(at).map_or(start, |end| *end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The id of a text that is in the table. This looks at every name; whoever asks often makes
    /// a map of its own.
    pub fn find(&self, text: &str) -> Option<NameId> {
        (0..self.ends.len() as u32)
            .map(NameId)
            .find(|id| self.get(*id) == text)
    }

    /// The end of each text, for those who keep them in another form.
    pub(crate) fn ends_mut(&mut self) -> &mut [u32] {
        &mut self.ends
    }

    /// All names in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|at| self.get(NameId(at)))
    }
}

/// Fills a [`Names`], giving equal texts one id.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    names: Names,
    ids: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// The id of a text, new or known.
    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        let hash = self.hasher.hash_one(text);
        let names = &self.names;
        if let Some(id) = self.ids.find(hash, |id| names.get(NameId(*id)) == text) {
            return NameId(*id);
        }
        let id = self.names.ends.len() as u32;
        self.names.text.push_str(text);
        self.names.ends.push(self.names.text.len() as u32);
        let (names, hasher) = (&self.names, &self.hasher);
        self.ids
            .insert_unique(hash, id, |id| hasher.hash_one(names.get(NameId(*id))));
        NameId(id)
    }

    /// The id of a text that is known.
    pub(crate) fn find(&self, text: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one(text);
        let same = |id: &u32| self.names.get(NameId(*id)) == text;
        self.ids.find(hash, same).copied().map(NameId)
    }

    /// The table.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The text of an id of this table.
    pub(crate) fn get(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// The finished table.
    pub(crate) fn finish(self) -> Names {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_id_and_come_back() {
        let mut interner = Interner::default();
        let a = interner.intern("alpha");
        let empty = interner.intern("");
        let b = interner.intern("beta");
        assert_eq!(interner.intern("alpha"), a);
        let names = interner.finish();
        assert_eq!(
            (names.get(a), names.get(empty), names.get(b)),
            ("alpha", "", "beta")
        );
        assert_eq!(names.find("beta"), Some(b));
        assert_eq!(names.find("gamma"), None);
        assert_eq!(names.get(NameId(99)), "");
        assert_eq!(names.len(), 3);
    }
}
