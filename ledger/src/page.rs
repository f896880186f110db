//! What is known of one slot: each key with how many of it were told, and how many were there before.

use std::collections::BTreeMap;

use crate::delta::{Fresh, Origin, Resolved};
use crate::finding::{Counts, Finding, Severity};
use crate::key::Key;

/// What is known of one key in one slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Known from the baseline; the agent has never been told.
    pub(crate) old: u32,
    /// Told to the agent.
    pub(crate) told: u32,
    pub(crate) code: Option<Box<str>>,
    pub(crate) message: Box<str>,
}

impl Entry {
    pub(crate) fn of(finding: &Finding, max_excerpt: usize) -> Self {
        let excerpt = |text: &str| text[..text.floor_char_boundary(max_excerpt)].into();
        Self {
            old: 0,
            told: 0,
            code: finding.code.as_deref().map(excerpt),
            message: excerpt(&finding.message),
        }
    }

    pub(crate) fn known(&self) -> u32 {
        self.old.saturating_add(self.told)
    }

    /// Forgets what is over `now`. The old ones go first: should one of the told ones be the one
    /// that stays, it can be told again after [`Ledger::forget_told`](crate::Ledger::forget_told).
    pub(crate) fn retire(&mut self, now: u32) {
        let gone = self.known().saturating_sub(now);
        let old = gone.min(self.old);
        self.old -= old;
        self.told -= (gone - old).min(self.told);
    }

    pub(crate) fn resolved(&self, severity: Severity, count: u32) -> Resolved {
        Resolved {
            severity,
            code: self.code.as_deref().map(str::to_owned),
            message: self.message.as_ref().to_owned(),
            count,
        }
    }
}

/// What is known of one slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) origin: Origin,
    /// When it was last used, on the ledger's clock.
    pub(crate) used: u64,
    /// Deltas from before this moment count no more.
    pub(crate) settled: u64,
    pub(crate) entries: BTreeMap<Key, Entry>,
}

impl Page {
    /// One that takes no delta from before `clock`.
    pub(crate) fn new(clock: u64) -> Self {
        Self {
            origin: Origin::Unknown,
            used: clock,
            settled: clock,
            entries: BTreeMap::new(),
        }
    }

    pub(crate) fn known(&self, key: &Key) -> u32 {
        self.entries.get(key).map_or(0, Entry::known)
    }

    /// Takes fresh findings as known by this part of their entries.
    pub(crate) fn know<'a>(
        &mut self,
        fresh: impl IntoIterator<Item = &'a Fresh>,
        max_excerpt: usize,
        part: impl Fn(&mut Entry) -> &mut u32,
    ) {
        let mut now: BTreeMap<Key, (u32, &Finding)> = BTreeMap::new();
        for item in fresh {
            let many = now.entry(item.key).or_insert((item.known, &item.finding));
            many.0 += 1;
        }
        for (key, (known, finding)) in now {
            let entry = self.entries.entry(key);
            let entry = entry.or_insert_with(|| Entry::of(finding, max_excerpt));
            // An earlier delta may have told some of these meanwhile.
            let more = known.saturating_sub(entry.known());
            *part(entry) += more;
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (key, entry) in &self.entries {
            counts.add(key.severity, entry.known());
        }
        counts
    }
}
