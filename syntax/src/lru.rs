//! A map that is bounded by the total cost of its entries and forgets the longest unused first.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

pub(crate) struct Lru<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// From the time of the last use to the key used then; the times are all different.
    by_use: BTreeMap<u64, K>,
    clock: u64,
    cost: usize,
    max_cost: usize,
}

struct Entry<V> {
    value: V,
    cost: usize,
    used: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Lru<K, V> {
    pub(crate) fn new(max_cost: usize) -> Self {
        Lru {
            entries: HashMap::new(),
            by_use: BTreeMap::new(),
            clock: 0,
            cost: 0,
            max_cost,
        }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        let entry = self.entries.get_mut(key)?;
        let key = self.by_use.remove(&entry.used)?;
        self.clock += 1;
        entry.used = self.clock;
        self.by_use.insert(self.clock, key);
        Some(entry.value.clone())
    }

    /// Keeps the value unless it alone costs more than everything may.
    pub(crate) fn insert(&mut self, key: K, value: V, cost: usize) {
        if cost > self.max_cost {
            return;
        }
        self.remove(&key);
        while self.cost + cost > self.max_cost {
            let Some((_, oldest)) = self.by_use.first_key_value() else {
                break;
            };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
        self.clock += 1;
        self.cost += cost;
        self.by_use.insert(self.clock, key.clone());
        let used = self.clock;
        self.entries.insert(key, Entry { value, cost, used });
    }

    fn remove(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_use.remove(&entry.used);
            self.cost -= entry.cost;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.by_use.clear();
        self.cost = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn cost(&self) -> usize {
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_unused_goes_first() {
        let mut lru = Lru::new(3);
        for key in 1..=3 {
            lru.insert(key, key * 10, 1);
        }
        assert_eq!(lru.get(&1), Some(10));
        lru.insert(4, 40, 2);
        assert_eq!(lru.get(&2), None);
        assert_eq!(lru.get(&3), None);
        assert_eq!((lru.get(&1), lru.get(&4)), (Some(10), Some(40)));
    }

    proptest! {
        /// Against a list ordered by last use.
        #[test]
        fn agrees_with_a_plain_list(
            steps in prop::collection::vec((any::<bool>(), 0u8..6, 0usize..6), 0..200)
        ) {
            let max = 8;
            let mut lru = Lru::new(max);
            let mut list: Vec<(u8, usize, usize)> = Vec::new(); // key, value, cost; oldest first
            for (step, (is_get, key, cost)) in steps.into_iter().enumerate() {
                let known = list.iter().position(|entry| entry.0 == key);
                if is_get {
                    let expected = known.map(|at| {
                        let entry = list.remove(at);
                        list.push(entry);
                        entry.1
                    });
                    prop_assert_eq!(lru.get(&key), expected);
                } else {
                    if let Some(at) = known {
                        list.remove(at);
                    }
                    while list.iter().map(|entry| entry.2).sum::<usize>() + cost > max {
                        list.remove(0);
                    }
                    list.push((key, step, cost));
                    lru.insert(key, step, cost);
                }
                prop_assert_eq!(lru.len(), list.len());
                prop_assert_eq!(lru.cost(), list.iter().map(|entry| entry.2).sum::<usize>());
            }
        }
    }
}
