//! What a word is, and its hash.

/// Calls `found` with each run of ASCII letters, digits, `_` and bytes outside ASCII.
pub(super) fn each_word(bytes: &[u8], found: impl FnMut(&[u8])) {
    bytes
        .split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80))
        .filter(|word| !word.is_empty())
        .for_each(found);
}

/// A hash that is the same on every machine and in every version: FNV-1a, its bits mixed so that
/// both halves are usable.
pub(super) fn hash_of(word: &[u8]) -> u64 {
    let mut hash = word.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs() {
        let mut words = Vec::new();
        each_word("$foo-bar10px_é 'x'".as_bytes(), |word| {
            words.push(String::from_utf8(word.to_vec()).unwrap());
        });
        assert_eq!(words, ["foo", "bar10px_é", "x"]);
    }

    #[test]
    fn the_hash_stays_as_stored_summaries_have_it() {
        // The published FNV-1a of nothing, 0xcbf29ce484222325, after the mix.
        assert_eq!(hash_of(b""), 0xf52a_15e9_a9b5_e89b);
    }
}
