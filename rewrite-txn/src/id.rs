//! Short ids that a person can type.

use std::hash::{BuildHasher, Hasher};

/// Digits and letters that are not taken for one another: no `0 o 1 l i`, no vowels that spell.
const ALPHABET: &[u8; 28] = b"23456789abcdefghjkmnpqrstvwx";
const LEN: usize = 4;
const PREFIX: &str = "s-";

/// A new id such as `s-7k2m`, of which `free` has said that nobody has it.
pub(crate) fn fresh(mut free: impl FnMut(&str) -> bool) -> String {
    let mut len = LEN;
    loop {
        for _ in 0..16 {
            let id = random(len);
            if free(&id) {
                return id;
            }
        }
        len += 1;
    }
}

fn random(len: usize) -> String {
    // The standard library seeds each of these from the system's randomness.
    let mut bits = std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish();
    let mut id = String::from(PREFIX);
    for _ in 0..len {
        id.push(char::from(
            ALPHABET[(bits % ALPHABET.len() as u64) as usize],
        ));
        bits /= ALPHABET.len() as u64;
    }
    id
}

/// Whether a text has the form of an id; what has it is also harmless as a file name.
pub(crate) fn is_id(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|rest| {
        (LEN..=12).contains(&rest.len()) && rest.bytes().all(|byte| ALPHABET.contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_typeable_and_free() {
        let id = fresh(|_| true);
        assert!(is_id(&id) && id.len() == 6, "{id}");
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let id = fresh(|id| !seen.contains(id));
            assert!(seen.insert(id));
        }
        // When the short ones are taken, longer ones are given.
        assert_eq!(fresh(|id| id.len() > 6).len(), 7);
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in [
            "", "s-", "s-7k2", "7k2m", "s-7k2M", "s-../x", "s-7k2m.", "s-0000",
        ] {
            assert!(!is_id(text), "{text}");
        }
    }
}
