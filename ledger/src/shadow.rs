//! What errors may hide: a compiler looks no further than its errors let it, a linter that needs
//! types not at all where they are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::finding::{Finding, Severity};
use crate::key::{Key, fnv1a};

/// The errors that a producer finds at one moment, in all documents.
pub(crate) type Errors = BTreeSet<Error>;

/// One error, wherever it is in its document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Error {
    document: Arc<str>,
    body: u128,
    code: u128,
}

/// What the errors of a producer may hide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hides {
    /// Whatever a later step would find, other errors too: a compiler that stops at errors.
    All,
    /// What is no error: a linter that needs types, beside a checker that tells all errors.
    Lesser,
}

/// What is known of one producer's errors.
#[derive(Debug)]
pub(crate) struct Shadows {
    pub(crate) hides: Hides,
    /// Its errors now, by document.
    now: BTreeMap<Arc<str>, Errors>,
    /// The errors that there were when a finding was last seen.
    seen_with: BTreeMap<(Arc<str>, Key), Arc<Errors>>,
    /// The errors that there were when a document was last looked at.
    looked_with: BTreeMap<Arc<str>, Arc<Errors>>,
    /// What was hidden when a document was last looked at, and how many of it.
    hidden: BTreeMap<Arc<str>, BTreeMap<Key, u32>>,
}

impl Shadows {
    pub(crate) fn new(hides: Hides) -> Self {
        Self {
            hides,
            now: BTreeMap::new(),
            seen_with: BTreeMap::new(),
            looked_with: BTreeMap::new(),
            hidden: BTreeMap::new(),
        }
    }

    /// Whether errors may hide such a finding.
    fn can_hide(&self, severity: Severity) -> bool {
        self.hides == Hides::All || severity != Severity::Error
    }

    /// Takes the errors of a document.
    pub(crate) fn sight<'a>(
        &mut self,
        document: &str,
        found: impl Iterator<Item = (Key, &'a Finding)>,
    ) {
        let document: Arc<str> = document.into();
        let errors = found.filter(|(key, _)| key.severity == Severity::Error);
        let errors = errors.map(|(key, finding)| Error {
            document: Arc::clone(&document),
            body: key.body,
            code: code_of(finding.code.as_deref()),
        });
        let errors: Errors = errors.collect();
        match errors.is_empty() {
            true => self.now.remove(&document),
            false => self.now.insert(document, errors),
        };
    }

    /// Takes a document as it was before all that is known: what was seen was seen beside its
    /// errors.
    pub(crate) fn was_there(&mut self, document: &str) {
        let Some(errors) = self.now.get(document).cloned() else {
            return;
        };
        let sets = self.seen_with.values_mut();
        for set in sets.chain(self.looked_with.values_mut()) {
            if !errors.is_subset(set) {
                *set = Arc::new(set.union(&errors).cloned().collect());
            }
        }
    }

    /// All of its errors now.
    pub(crate) fn errors(&self) -> Arc<Errors> {
        Arc::new(self.now.values().flatten().cloned().collect())
    }

    /// Whether a finding that is missing may be hidden: by an error that was not there when it was
    /// last seen. One of its own kind in its own document is found in the same step as it would be.
    pub(crate) fn hides(&self, document: &str, key: Key, code: Option<&str>, now: &Errors) -> bool {
        if !self.can_hide(key.severity) {
            return false;
        }
        let none = Errors::new();
        let with = self.seen_with.get(&(document.into(), key));
        let with = with.map_or(&none, |with| &**with);
        casts(now, with, document, code)
    }

    /// Whether an error is gone that was there when the document was last looked at and that may
    /// have hidden a finding that is there now.
    pub(crate) fn lifted(&self, document: &str, finding: &Finding, now: &Errors) -> bool {
        let with = self.looked_with.get(document);
        let with = with.filter(|_| self.can_hide(finding.severity));
        with.is_some_and(|with| casts(with, now, document, finding.code.as_deref()))
    }

    /// These findings were seen in the document, beside these errors.
    pub(crate) fn seen(
        &mut self,
        document: &str,
        keys: impl Iterator<Item = Key>,
        now: &Arc<Errors>,
    ) {
        let document: Arc<str> = document.into();
        self.hidden.remove(&document);
        for key in keys {
            let place = (Arc::clone(&document), key);
            self.seen_with.insert(place, Arc::clone(now));
        }
        self.looked_with.insert(document, Arc::clone(now));
    }

    /// These findings were hidden when the document was looked at.
    pub(crate) fn were_hidden(&mut self, document: &str, hidden: BTreeMap<Key, u32>) {
        if !hidden.is_empty() {
            self.hidden.insert(document.into(), hidden);
        }
    }

    /// The documents of which something was hidden.
    pub(crate) fn with_hidden(&self) -> Vec<Arc<str>> {
        self.hidden.keys().cloned().collect()
    }

    /// Takes what of a document was hidden for as long as `is_hidden` says so; the rest.
    pub(crate) fn take_lifted(
        &mut self,
        document: &str,
        is_hidden: impl Fn(&Self, Key) -> bool,
    ) -> Vec<(Key, u32)> {
        let all = self.hidden.remove(document).unwrap_or_default();
        let (hidden, lifted) = all
            .into_iter()
            .partition::<BTreeMap<_, _>, _>(|(key, _)| is_hidden(self, *key));
        self.were_hidden(document, hidden);
        lifted.into_iter().collect()
    }

    /// Forgets what is known of a document.
    pub(crate) fn forget(&mut self, document: &str) {
        self.now.remove(document);
        self.looked_with.remove(document);
        self.hidden.remove(document);
        self.seen_with.retain(|(name, _), _| **name != *document);
    }

    /// Forgets the findings that are not kept.
    pub(crate) fn keep(&mut self, document: &str, kept: impl Fn(&Key) -> bool) {
        self.seen_with
            .retain(|(name, key), _| **name != *document || kept(key));
    }
}

/// Whether one of the errors that are not among the `others` may hide a finding in a document.
fn casts(errors: &Errors, others: &Errors, document: &str, code: Option<&str>) -> bool {
    let code = code_of(code);
    let mut more = errors.difference(others);
    more.any(|error| *error.document != *document || error.code != code)
}

fn code_of(code: Option<&str>) -> u128 {
    fnv1a(code.unwrap_or_default().bytes())
}
