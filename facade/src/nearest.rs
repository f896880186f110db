//! The known name that was probably meant.

/// The one of these names that is nearest to what was given; none when there are none. For a sentence
/// of a host that refuses a name.
///
/// ```
/// assert_eq!(fourfold::nearest("othr", ["shop", "other"]), Some("other"));
/// ```
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    match fourfold_syntax::nearest(given, names.into_iter()) {
        "" => None,
        name => Some(name),
    }
}

/// `; the nearest is `x``, or nothing when there are no candidates.
pub(crate) fn hint<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(given, candidates) {
        None => String::new(),
        Some(name) => format!("; the nearest is `{name}`"),
    }
}
