//! What a file looked up in others, in a few bits a key.

/// So many bits of each key are kept. Two keys that share them let a file be linked once more than
/// it need be.
const BITS: u32 = 24;

/// A key as it is kept.
pub(super) fn short(key: u64) -> u32 {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as u32
}

/// Shortened keys as bytes: their number, then the distances between them in order, each as its
/// low bits and the rest as so many ones before a zero.
pub(super) fn to_bytes(keys: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut keys: Vec<u32> = keys.map(short).collect();
    keys.sort_unstable();
    keys.dedup();
    let count = keys.len() as u32;
    let mut bits = Bits {
        bytes: count.to_le_bytes().to_vec(),
        open: 0,
        len: 0,
    };
    let low = low_bits(count);
    let mut next = 0;
    for key in keys {
        let distance = key - next;
        next = key + 1;
        let mut ones = distance >> low;
        while ones >= MOST {
            bits.push(u64::MAX, MOST);
            ones -= MOST;
        }
        // The zero behind them is the bit that is not set.
        bits.push((1 << ones) - 1, ones + 1);
        bits.push(u64::from(distance), low);
    }
    bits.finish()
}

/// The shortened keys in order. Bytes that are none of [`to_bytes`] give some keys or other.
pub(super) fn keys(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (count, bits) = match bytes.split_first_chunk::<4>() {
        Some((count, bits)) => (u32::from_le_bytes(*count), bits),
        None => (0, bytes),
    };
    let low = low_bits(count);
    let end = bits.len() * 8;
    let mut at = 0;
    let mut next = 0_u32;
    (0..count).map_while(move |_| {
        let mut high = 0;
        loop {
            let ones = window(bits, at).trailing_ones().min(SURE);
            high += ones;
            at += ones as usize;
            if ones < SURE {
                break;
            }
        }
        at += 1;
        let rest = window(bits, at) as u32 & ((1 << low) - 1);
        at += low as usize;
        if at > end {
            return None;
        }
        let key = next.wrapping_add(high.wrapping_shl(low) | rest);
        next = key.wrapping_add(1);
        Some(key)
    })
}

/// So many bits of a [`window`] are there in any case.
const SURE: u32 = 57;

/// The bits from a place on, lowest first; zeros behind the end.
fn window(bits: &[u8], at: usize) -> u64 {
    let rest = bits.get(at / 8..).unwrap_or_default();
    let bytes = match rest.first_chunk::<8>() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; 8];
            for (to, from) in bytes.iter_mut().zip(rest) {
                *to = *from;
            }
            bytes
        }
    };
    u64::from_le_bytes(bytes) >> (at % 8)
}

/// How many low bits of a distance are written as they are, when so many keys are spread evenly.
fn low_bits(count: u32) -> u32 {
    let spread = (1_u32 << BITS) / count.max(1);
    spread.max(1).ilog2()
}

/// So many bits can be put behind each other at once.
const MOST: u32 = 32;

/// Bits in the making, lowest first.
struct Bits {
    bytes: Vec<u8>,
    /// What is no whole byte yet, and how many bits it is.
    open: u64,
    len: u32,
}

impl Bits {
    /// Puts the lowest `len` bits behind the others.
    fn push(&mut self, bits: u64, len: u32) {
        self.open |= (bits & ((1 << len) - 1)) << self.len;
        self.len += len;
        while self.len >= 8 {
            self.bytes.push(self.open as u8);
            self.open >>= 8;
            self.len -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.len > 0 {
            self.bytes.push(self.open as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_come_back(all in prop::collection::vec(any::<u64>(), 0..400)) {
            let bytes = to_bytes(all.iter().copied());
            let mut expected: Vec<u32> = all.iter().copied().map(short).collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(keys(&bytes).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(keys(&bytes).count() <= bytes.len() * 8);
        }
    }

    #[test]
    fn one_key_takes_eight_bytes_and_none_four() {
        assert_eq!(to_bytes([].into_iter()), [0; 4]);
        assert_eq!(to_bytes([3].into_iter()).len(), 8);
    }
}
