//! The ledger itself: what the agent knows of, per producer and document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::checkpoint::Checkpoint;
use crate::delta::{Delta, Evidence, Fresh, Origin, Resolved, Shown};
use crate::finding::{Counts, Finding, Severity};
use crate::key::Key;
use crate::normalize::{Normalize, Positions};
use crate::page::{Entry, Page};
use crate::shadow::{Hides, Shadows};

/// The bounds of a ledger, and how it compares messages.
#[derive(Clone)]
pub struct Config {
    /// How many slots are remembered; over it the one that was not used for longest is forgotten,
    /// and its findings are told again. Default 16 384: every file of a large checkout.
    pub max_slots: usize,
    /// How many different findings are remembered over all slots; same remedy. Default 100 000,
    /// which is some 30 MB at most.
    pub max_keys: usize,
    /// How many findings of one set are looked at, the most severe first. A larger set is
    /// [`Partial`](Evidence::Partial). Default 4 096.
    pub max_findings: usize,
    /// How many bytes of a code and of a message are kept, so that a resolved finding can be named.
    /// Default 160.
    pub max_excerpt: usize,
    /// How many equal findings of one set are worth showing; see [`Delta::advised`]. Default 3.
    pub max_per_key: usize,
    /// How many findings of one set are worth showing. Default 20.
    pub max_per_slot: usize,
    /// How messages are compared. Default [`Positions`].
    pub normalize: Arc<dyn Normalize>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_slots: 16_384,
            max_keys: 100_000,
            max_findings: 4_096,
            max_excerpt: 160,
            max_per_key: 3,
            max_per_slot: 20,
            normalize: Arc::new(Positions::default()),
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("max_slots", &self.max_slots)
            .field("max_keys", &self.max_keys)
            .field("max_findings", &self.max_findings)
            .field("max_excerpt", &self.max_excerpt)
            .field("max_per_key", &self.max_per_key)
            .field("max_per_slot", &self.max_per_slot)
            .finish_non_exhaustive()
    }
}

/// Where sets are compared: one producer replaces its whole set of one document at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Who found it: a server, a linter.
    pub producer: String,
    /// What it was found in: a path or URI, always spelled the same way.
    pub document: String,
}

impl Slot {
    /// The slot of a producer and a document.
    pub fn new(producer: impl Into<String>, document: impl Into<String>) -> Self {
        Self {
            producer: producer.into(),
            document: document.into(),
        }
    }
}

/// How much a ledger holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Slots that are remembered.
    pub slots: usize,
    /// Different findings over all slots.
    pub keys: usize,
    /// Slots that were forgotten to stay within the bounds.
    pub evicted: u64,
}

/// Which diagnostics one agent has been told. Each conversation owns one.
#[derive(Debug)]
pub struct Ledger {
    config: Config,
    pages: BTreeMap<Slot, Page>,
    /// What errors may hide, by producer.
    shadows: BTreeMap<String, Shadows>,
    /// Counts what happens, so that an overtaken delta is recognised and the oldest page found.
    clock: u64,
    evicted: u64,
}

/// A set of findings, counted: exact duplicates are gone, equal ones share a key.
struct Counted<'a> {
    /// For each key its findings with their index in the set, sorted by position.
    keys: BTreeMap<Key, Vec<(usize, &'a Finding)>>,
    syntax: bool,
    left_out: usize,
}

impl Ledger {
    /// An empty ledger.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            pages: BTreeMap::new(),
            shadows: BTreeMap::new(),
            clock: 0,
            evicted: 0,
        }
    }

    /// Takes what a document held before the first write as known without telling it, so that it is
    /// not blamed on that write.
    ///
    /// Only the first word on a slot can be a baseline; an observation that is not complete and finds
    /// nothing is none. For a slot that has a baseline or was
    /// observed this does nothing and gives `false`: what the agent has still to be told must not
    /// vanish in a later baseline. Calling it before every write is therefore right.
    pub fn baseline(&mut self, slot: &Slot, set: &[Finding]) -> bool {
        if self.pages.contains_key(slot) {
            return false;
        }
        self.sight(slot, set);
        if let Some(shadows) = self.shadows.get_mut(&slot.producer) {
            shadows.was_there(&slot.document);
        }
        let counted = self.count(slot, set);
        let entries = counted.keys.iter().filter_map(|(key, all)| {
            let mut entry = Entry::of(all.first()?.1, self.config.max_excerpt);
            entry.old = u32::try_from(all.len()).unwrap_or(u32::MAX);
            Some((*key, entry))
        });
        let entries: BTreeMap<Key, Entry> = entries.collect();
        if let Some(shadows) = self.shadows.get_mut(&slot.producer) {
            let errors = shadows.errors();
            shadows.seen(&slot.document, entries.keys().copied(), &errors);
        }
        let origin = if counted.left_out == 0 {
            Origin::Known
        } else {
            Origin::Unknown
        };
        self.clock += 1;
        let page = self.page(slot);
        page.entries = entries;
        page.origin = origin;
        self.enforce(slot);
        true
    }

    /// Says that the errors of this producer hide other findings, also in other documents: a
    /// compiler that stops at errors, a linter that needs types. What such a producer does not find
    /// any more is gone only when it finds no error that was not there when it found that last; an
    /// error with the same code in the same document is found by the same step, and hides nothing.
    ///
    /// Where errors stand is told with [`sight`](Self::sight).
    pub fn errors_hide(&mut self, producer: &str, hides: Hides) {
        match self.shadows.get_mut(producer) {
            Some(shadows) => shadows.hides = hides,
            None => {
                self.shadows
                    .insert(producer.to_owned(), Shadows::new(hides));
            }
        }
    }

    /// Notes the errors that a producer finds in a document now, if its
    /// [errors hide](Self::errors_hide) other findings. Of documents that are observed together all
    /// are sighted first, and their baselines taken before. Errors of a document that is not sighted
    /// again are taken to be there still.
    pub fn sight(&mut self, slot: &Slot, set: &[Finding]) {
        let Some(shadows) = self.shadows.get_mut(&slot.producer) else {
            return;
        };
        let rules = Arc::clone(&self.config.normalize);
        let found = set.iter().map(|finding| {
            let key = Key::of(finding, &slot.producer, &*rules);
            (key, finding)
        });
        shadows.sight(&slot.document, found);
    }

    /// Compares the set that a producer found in a document with what the agent knows.
    ///
    /// Changes nothing that is known: that is [`acknowledge`](Self::acknowledge). Observing twice
    /// before acknowledging is fine; the later delta is the better one.
    pub fn observe(&mut self, slot: &Slot, evidence: Evidence, set: &[Finding]) -> Delta {
        self.observe_edit(slot, evidence, set, &[])
    }

    /// [`observe`](Self::observe) with the lines that were edited, counted like
    /// [`Finding::line`]: of several equal findings those in edited lines are taken for the fresh
    /// ones, else the last ones. It changes which are shown, never how many.
    pub fn observe_edit(
        &mut self,
        slot: &Slot,
        evidence: Evidence,
        set: &[Finding],
        edited: &[Range<u32>],
    ) -> Delta {
        let counted = self.count(slot, set);
        let says_nothing = evidence != Evidence::Complete && set.is_empty();
        let is_unknown = says_nothing && !self.pages.contains_key(slot);
        self.page(slot);
        self.enforce(slot);
        self.clock += 1;
        let at = self.clock;
        let config = self.config.clone();
        let shadows = self.shadows.get(&slot.producer);
        let page = self.pages.entry(slot.clone());
        let page = page.or_insert_with(|| Page::new(at));
        page.used = at;

        let evidence = match evidence {
            Evidence::Complete if counted.syntax => Evidence::Masked,
            Evidence::Complete if counted.left_out > 0 => Evidence::Partial,
            given => given,
        };
        let shadows = shadows.filter(|_| evidence == Evidence::Complete);
        let beside = shadows.map(Shadows::errors);
        let now: BTreeMap<Key, u32> = counted
            .keys
            .iter()
            .map(|(key, all)| (*key, u32::try_from(all.len()).unwrap_or(u32::MAX)))
            .collect();

        let mut remaining = Counts::default();
        let mut unseen = BTreeMap::new();
        let mut hidden = BTreeMap::new();
        for (key, entry) in &page.entries {
            let known = entry.known();
            let seen = known.min(now.get(key).copied().unwrap_or(0));
            if let (Some(errors), Some(shadows)) = (&beside, shadows)
                && known > seen
                && shadows.hides(&slot.document, *key, entry.code.as_deref(), errors)
            {
                hidden.insert(*key, known - seen);
                remaining.add(key.severity, known);
                continue;
            }
            remaining.add(
                key.severity,
                if evidence == Evidence::Complete {
                    seen
                } else {
                    known
                },
            );
            if known > seen {
                unseen.insert(*key, known - seen);
            }
        }

        let is_edited =
            |finding: &Finding| edited.iter().any(|lines| lines.contains(&finding.line));
        let maybe_hidden = |finding: &Finding| {
            beside.as_ref().is_some_and(|errors| {
                shadows.is_some_and(|shadows| shadows.lifted(&slot.document, finding, errors))
            })
        };
        let mut fresh = Vec::new();
        for (key, mut all) in counted.keys {
            let known = page.known(&key);
            let many = all.len().saturating_sub(known as usize);
            // By position already; the edited ones go last, and the last are taken.
            all.sort_by_key(|(_, finding)| is_edited(finding));
            for (index, finding) in all.drain(all.len() - many..) {
                fresh.push(Fresh {
                    finding: finding.clone(),
                    index,
                    was: None,
                    maybe_hidden: maybe_hidden(finding),
                    key,
                    known,
                });
            }
        }
        fresh.sort_by_key(|item| {
            let finding = &item.finding;
            let place = (finding.line, finding.column, item.index);
            (
                !finding.syntax,
                finding.severity,
                !is_edited(finding),
                place,
            )
        });
        let (fresh, advised) = advise(&config, fresh, counted.syntax);

        let mut delta = Delta {
            fresh,
            advised,
            resolved: Vec::new(),
            remaining,
            unconfirmed: hidden.values().map(|count| *count as usize).sum(),
            evidence,
            origin: page.origin,
            left_out: counted.left_out,
            slot: slot.clone(),
            at,
            now,
            hidden,
            beside,
        };
        if evidence == Evidence::Complete {
            for item in &mut delta.fresh {
                item.was = take_other_severity(&mut unseen, item.key);
            }
            let gone = unseen.iter().filter(|(_, count)| **count > 0);
            delta.resolved = gone
                .filter_map(|(key, count)| {
                    Some(page.entries.get(key)?.resolved(key.severity, *count))
                })
                .collect();
            delta
                .resolved
                .sort_by(|a, b| (a.severity, &a.message).cmp(&(b.severity, &b.message)));
        } else {
            delta.unconfirmed = unseen.values().map(|count| *count as usize).sum();
        }
        if is_unknown {
            // The first word on it is still to come.
            self.pages.remove(slot);
        }
        delta
    }

    /// Records what of a delta reached the agent: what was shown is told, and with complete
    /// evidence what is gone is forgotten. A delta that did not reach the agent is not acknowledged,
    /// and comes again.
    ///
    /// Gives `false`, and changes nothing, when the delta was overtaken: a later delta of its slot
    /// was acknowledged, or the slot was renamed, dropped, restored or forgotten since.
    pub fn acknowledge(&mut self, delta: Delta, shown: Shown) -> bool {
        self.record(delta, &shown, false)
    }

    /// [`acknowledge`](Self::acknowledge) of a delta of which the agent was shown some and told how
    /// many more there are: those are known from now on, like those of a
    /// [`baseline`](Self::baseline), and do not come again. For a delta whose
    /// [origin](Delta::origin) is not known: what was there before anybody looked would else come out
    /// piece by piece with each later change, as if that had brought it.
    ///
    /// Gives `false` where [`acknowledge`](Self::acknowledge) does.
    pub fn acknowledge_counted(&mut self, delta: Delta, shown: Shown) -> bool {
        self.record(delta, &shown, true)
    }

    fn record(&mut self, delta: Delta, shown: &Shown, counted: bool) -> bool {
        let Some(page) = self.pages.get_mut(&delta.slot) else {
            // What says nothing is never overtaken.
            return delta.evidence != Evidence::Complete && delta.now.is_empty();
        };
        if delta.at <= page.settled {
            return false;
        }
        page.settled = delta.at;
        if delta.evidence == Evidence::Complete {
            for (key, entry) in &mut page.entries {
                let count = |counts: &BTreeMap<Key, u32>| counts.get(key).copied().unwrap_or(0);
                entry.retire(count(&delta.now).saturating_add(count(&delta.hidden)));
            }
            page.entries.retain(|_, entry| entry.known() > 0);
        }
        let told = delta.fresh.iter().enumerate();
        let told = told.filter(|(place, _)| shown.holds(*place));
        let told: Vec<&Fresh> = told.map(|(_, item)| item).collect();
        let all = counted || told.len() == delta.fresh.len();
        let max_excerpt = self.config.max_excerpt;
        page.know(told, max_excerpt, |entry| &mut entry.told);
        if counted {
            page.know(&delta.fresh, max_excerpt, |entry| &mut entry.old);
        }
        if delta.evidence == Evidence::Complete && all {
            page.origin = Origin::Known;
        }
        if let Some(errors) = &delta.beside
            && let Some(shadows) = self.shadows.get_mut(&delta.slot.producer)
        {
            let document = &delta.slot.document;
            shadows.keep(document, |key| page.entries.contains_key(key));
            let seen = delta
                .now
                .keys()
                .filter(|key| page.entries.contains_key(*key));
            shadows.seen(document, seen.copied(), errors);
            shadows.were_hidden(document, delta.hidden);
        }
        self.enforce(&delta.slot);
        true
    }

    /// What was hidden by errors that are gone by now, in documents whose last observation still
    /// holds, and is therefore gone too: of the producers whose [errors hide](Self::errors_hide)
    /// others, after all documents with news were [sighted](Self::sight), `but` for those that are
    /// observed anyway. What is given counts as told.
    pub fn lifted(&mut self, producer: &str, but: &[&str]) -> Vec<(Slot, Vec<Resolved>)> {
        let Some(shadows) = self.shadows.get_mut(producer) else {
            return Vec::new();
        };
        let errors = shadows.errors();
        let mut all = Vec::new();
        for document in shadows.with_hidden() {
            let slot = Slot::new(producer, &*document);
            let page = self.pages.get_mut(&slot);
            let Some(page) = page.filter(|_| !but.contains(&&*document)) else {
                continue;
            };
            let entries = &page.entries;
            let lifted = shadows.take_lifted(&document, |shadows, key| {
                let code = entries.get(&key).and_then(|entry| entry.code.as_deref());
                shadows.hides(&document, key, code, &errors)
            });
            let mut gone = Vec::new();
            for (key, count) in lifted {
                if let Some(entry) = page.entries.get_mut(&key) {
                    let count = count.min(entry.known());
                    gone.push(entry.resolved(key.severity, count));
                    entry.retire(entry.known() - count);
                }
            }
            page.entries.retain(|_, entry| entry.known() > 0);
            gone.retain(|one| one.count > 0);
            if !gone.is_empty() {
                all.push((slot, gone));
            }
        }
        all
    }

    /// Everything known at this moment, to come back to when the conversation is rewound, or to
    /// store.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        let mut pages = self.pages.clone();
        for page in pages.values_mut() {
            page.settled = 0;
        }
        Checkpoint { pages }
    }

    /// Goes back to a checkpoint. Deltas from before count no more. What is over the bounds of this
    /// ledger is forgotten.
    pub fn restore(&mut self, checkpoint: Checkpoint) {
        self.pages = checkpoint.pages;
        for shadows in self.shadows.values_mut() {
            *shadows = Shadows::new(shadows.hides);
        }
        let used = self.pages.values().map(|page| page.used).max().unwrap_or(0);
        self.clock = self.clock.max(used);
        self.settle_all();
        let newest = self.pages.iter().max_by_key(|(_, page)| page.used);
        if let Some(slot) = newest.map(|(slot, _)| slot.clone()) {
            self.enforce(&slot);
        }
    }

    /// After the agent's context was compacted it no longer has the texts: what is still there is
    /// told once more. What only the baseline knows stays untold.
    pub fn forget_told(&mut self) {
        for page in self.pages.values_mut() {
            for entry in page.entries.values_mut() {
                entry.told = 0;
            }
            page.entries.retain(|_, entry| entry.old > 0);
        }
        self.settle_all();
    }

    /// A document has a new name: what is known of it goes along, for all producers. A document
    /// that was overwritten by it is forgotten, also by a producer that knew nothing of the first.
    pub fn rename(&mut self, old: &str, new: &str) {
        if old == new {
            return;
        }
        let clock = self.clock;
        for shadows in self.shadows.values_mut() {
            shadows.forget(old);
            shadows.forget(new);
        }
        for slot in self.slots_of(new) {
            self.pages.remove(&slot);
        }
        for mut slot in self.slots_of(old) {
            if let Some(mut page) = self.pages.remove(&slot) {
                page.settled = clock;
                new.clone_into(&mut slot.document);
                self.pages.insert(slot, page);
            }
        }
    }

    /// A document was deleted: all that was known of it is resolved and forgotten.
    pub fn remove(&mut self, document: &str) -> Vec<Resolved> {
        for shadows in self.shadows.values_mut() {
            shadows.forget(document);
        }
        let slots = self.slots_of(document);
        let pages = slots.iter().filter_map(|slot| self.pages.remove(slot));
        let entries = pages.flat_map(|page| page.entries);
        entries
            .map(|(key, entry)| entry.resolved(key.severity, entry.known()))
            .collect()
    }

    /// How many findings of a slot are known and not known to be gone.
    #[must_use]
    pub fn standing(&self, slot: &Slot) -> Counts {
        self.pages.get(slot).map(Page::counts).unwrap_or_default()
    }

    /// The documents in which errors are known that are not known to be gone, whoever found them.
    #[must_use]
    pub fn in_error(&self) -> BTreeSet<&str> {
        let pages = self.pages.iter();
        let wrong = pages.filter(|(_, page)| page.counts().errors > 0);
        wrong.map(|(slot, _)| slot.document.as_str()).collect()
    }

    /// How much the ledger holds.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let keys = self.pages.values().map(|page| page.entries.len()).sum();
        Usage {
            slots: self.pages.len(),
            keys,
            evicted: self.evicted,
        }
    }

    fn slots_of(&self, document: &str) -> Vec<Slot> {
        self.pages
            .keys()
            .filter(|slot| slot.document == document)
            .cloned()
            .collect()
    }

    /// The page of a slot. A new one takes no delta from before.
    fn page(&mut self, slot: &Slot) -> &mut Page {
        let clock = self.clock;
        let page = self.pages.entry(slot.clone());
        page.or_insert_with(|| Page::new(clock))
    }

    fn settle_all(&mut self) {
        for page in self.pages.values_mut() {
            page.settled = self.clock;
        }
    }

    /// Forgets the pages that were not used for longest until the bounds hold, `slot` last.
    fn enforce(&mut self, slot: &Slot) {
        let mut usage = self.usage();
        while usage.slots > self.config.max_slots.max(1) || usage.keys > self.config.max_keys {
            let others = self.pages.iter().filter(|(other, _)| *other != slot);
            let Some(oldest) = others
                .min_by_key(|(_, page)| page.used)
                .map(|(old, _)| old.clone())
            else {
                break;
            };
            let page = self.pages.remove(&oldest);
            usage.slots -= 1;
            usage.keys -= page.map_or(0, |page| page.entries.len());
            self.evicted += 1;
        }
        let most = self.config.max_keys;
        if let Some(page) = self.pages.get_mut(slot) {
            while page.entries.len() > most {
                page.entries.pop_last();
                page.origin = Origin::Unknown;
            }
        }
    }

    fn count<'a>(&self, slot: &Slot, set: &'a [Finding]) -> Counted<'a> {
        let mut order: Vec<(usize, &Finding)> = set.iter().enumerate().collect();
        let most = self.config.max_findings;
        let left_out = order.len().saturating_sub(most);
        if left_out > 0 {
            order.sort_by_key(|(_, finding)| (!finding.syntax, finding.severity));
            order.truncate(most);
        }
        let mut keys: BTreeMap<Key, Vec<(usize, &Finding)>> = BTreeMap::new();
        let mut syntax = false;
        for (index, finding) in order {
            syntax |= finding.syntax;
            let key = Key::of(finding, &slot.producer, &*self.config.normalize);
            keys.entry(key).or_default().push((index, finding));
        }
        for all in keys.values_mut() {
            all.sort_by_key(|(index, finding)| (finding.line, finding.column, *index));
            all.dedup_by_key(|(_, finding)| (finding.line, finding.column));
        }
        Counted {
            keys,
            syntax,
            left_out,
        }
    }
}

/// Puts those worth showing first, and says how many they are.
fn advise(config: &Config, fresh: Vec<Fresh>, syntax: bool) -> (Vec<Fresh>, usize) {
    let mut per_key: BTreeMap<Key, usize> = BTreeMap::new();
    let mut taken = 0;
    let (mut shown, counted): (Vec<_>, Vec<_>) = fresh.into_iter().partition(|item| {
        let same = per_key.entry(item.key).or_default();
        let fits = *same < config.max_per_key && taken < config.max_per_slot;
        let worth = fits && (item.finding.syntax || !syntax);
        *same += usize::from(worth);
        taken += usize::from(worth);
        worth
    });
    shown.extend(counted);
    (shown, taken)
}

/// Takes one finding that is gone, of the same code and message at another severity.
fn take_other_severity(unseen: &mut BTreeMap<Key, u32>, key: Key) -> Option<Severity> {
    let all = [
        Severity::Error,
        Severity::Warning,
        Severity::Information,
        Severity::Hint,
    ];
    all.into_iter()
        .filter(|severity| *severity != key.severity)
        .find(|severity| {
            match unseen.get_mut(&Key {
                severity: *severity,
                ..key
            }) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    true
                }
                _ => false,
            }
        })
}
