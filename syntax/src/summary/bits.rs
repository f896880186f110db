//! The two bit sets of a summary.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes of words.
pub(super) type Hashes = HashSet<u64, BuildHasherDefault<AsItIs>>;

/// What is a good hash already.
#[derive(Debug, Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The kind id of an error node, which lies outside the grammar's own numbers.
const ERROR_KIND: u16 = u16::MAX;

/// A set of node kind ids: one bit for each kind of the grammar, and one for error nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KindSet {
    pub(super) bytes: Vec<u8>,
    kinds: usize,
}

impl KindSet {
    pub(super) fn new(kinds: usize) -> KindSet {
        KindSet {
            bytes: vec![0; KindSet::size(kinds)],
            kinds,
        }
    }

    /// The size in bytes of a set for a grammar of this many kinds.
    pub(super) fn size(kinds: usize) -> usize {
        kinds / 8 + 1
    }

    /// A set from its bytes, which are of the right size.
    pub(super) fn from_bytes(bytes: &[u8], kinds: usize) -> KindSet {
        KindSet {
            bytes: bytes.to_vec(),
            kinds,
        }
    }

    /// The byte and the mask of a kind; error nodes have the bit after the grammar's last kind.
    fn place(&self, id: u16) -> Option<(usize, u8)> {
        let bit = if id == ERROR_KIND {
            self.kinds
        } else {
            usize::from(id)
        };
        (bit <= self.kinds).then(|| (bit / 8, 1 << (bit % 8)))
    }

    pub(super) fn insert(&mut self, id: u16) {
        if let Some((byte, mask)) = self.place(id) {
            self.bytes[byte] |= mask;
        }
    }

    pub(super) fn contains(&self, id: u16) -> bool {
        self.place(id)
            .is_some_and(|(byte, mask)| self.bytes[byte] & mask != 0)
    }
}

/// A Bloom filter with ten bits and seven probes for each member: about 0.8 % false positives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bloom {
    pub(super) bytes: Vec<u8>,
}

impl Bloom {
    const BITS_PER_MEMBER: usize = 10;
    const PROBES: u64 = 7;

    pub(super) fn of(hashes: &Hashes) -> Bloom {
        let bytes = (hashes.len() * Bloom::BITS_PER_MEMBER).div_ceil(8).max(8);
        let mut bloom = Bloom {
            bytes: vec![0; bytes],
        };
        #[allow(
            clippy::iter_over_hash_type,
            reason = "setting bits gives the same filter in any order"
        )]
        for &hash in hashes {
            for probe in 0..Bloom::PROBES {
                let (byte, mask) = bloom.place(hash, probe);
                bloom.bytes[byte] |= mask;
            }
        }
        bloom
    }

    /// The byte and the mask of a member's probe: double hashing with the two halves.
    fn place(&self, hash: u64, probe: u64) -> (usize, u8) {
        let (low, high) = (hash & 0xffff_ffff, hash >> 32);
        let bits = self.bytes.len() as u64 * 8;
        let bit = low.wrapping_add(probe.wrapping_mul(high | 1)) % bits;
        // Below the number of bytes, so it fits.
        let byte = usize::try_from(bit / 8).unwrap_or_default();
        (byte, 1 << (bit % 8))
    }

    pub(super) fn may_contain(&self, hash: u64) -> bool {
        (0..Bloom::PROBES).all(|probe| {
            let (byte, mask) = self.place(hash, probe);
            self.bytes[byte] & mask != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_at_the_edges() {
        for kinds in [0, 1, 7, 8, 9] {
            let mut set = KindSet::new(usize::from(kinds));
            assert!(!set.contains(ERROR_KIND));
            set.insert(ERROR_KIND);
            assert!(set.contains(ERROR_KIND));
            for id in 0..kinds {
                assert!(!set.contains(id), "{id} of {kinds}");
                set.insert(id);
                assert!(set.contains(id));
            }
            set.insert(kinds + 1);
            assert!(!set.contains(kinds + 1));
        }
    }
}
