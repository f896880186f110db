//! The name that was probably meant.

/// The candidate with the smallest edit distance to what was given, ignoring case; of several the
/// first one. Empty only when there are no candidates.
pub fn nearest<'a>(given: &str, candidates: impl Iterator<Item = &'a str>) -> &'a str {
    // A name is short; what is not is compared by its beginning, so that the cost stays bounded.
    let given: String = given.chars().take(64).collect::<String>().to_lowercase();
    candidates
        .min_by_key(|candidate| edit_distance(&given, &candidate.to_lowercase()))
        .unwrap_or_default()
}

/// Whether a name may have been meant by what was given: all but two letters in five are the same, or
/// the same letters stand in another order, or one is a part of the other.
pub fn alike(given: &str, name: &str) -> bool {
    const PART: usize = 3;
    let given: String = given.chars().take(64).collect::<String>().to_lowercase();
    let name = name.to_lowercase();
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let part = given.len().min(name.len()) >= PART
        && (given.contains(name.as_str()) || name.contains(given.as_str()));
    let most = (given.len() * 2 / 5).max(1);
    part || letters(&given) == letters(&name)
        || given.len().min(name.len()) > most && edit_distance(&given, &name) <= most
}

/// Levenshtein distance in bytes.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances() {
        for (a, b, distance) in [
            ("", "", 0),
            ("kitten", "sitting", 3),
            ("abc", "", 3),
            ("flaw", "lawn", 2),
        ] {
            assert_eq!(edit_distance(a, b), distance);
            assert_eq!(edit_distance(b, a), distance);
        }
    }

    #[test]
    fn what_is_alike_may_have_been_meant() {
        for (given, name) in [
            ("grpe", "grep"),
            ("pythn", "python"),
            ("PYTHON", "python"),
            ("totla", "total"),
            ("want_byte", "want_bytes"),
            ("wnt_bytes", "want_bytes"),
            ("ref", "references"),
        ] {
            assert!(alike(given, name), "{given} {name}");
        }
        for (given, name) in [
            ("cobol", "toml"),
            ("sure", "name"),
            ("xx", "draw"),
            ("x", "y"),
            ("tcsh", "zsh"),
            ("", "a"),
        ] {
            assert!(!alike(given, name), "{given} {name}");
        }
    }

    #[test]
    fn the_nearest_ignores_case_and_prefers_the_first() {
        assert_eq!(nearest("PYTHN", ["ruby", "python"].into_iter()), "python");
        assert_eq!(nearest("x", ["a", "b"].into_iter()), "a");
        assert_eq!(nearest("x", std::iter::empty()), "");
    }
}
