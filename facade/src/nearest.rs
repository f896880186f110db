//! The known name that was probably meant, as a clause.

/// `; the nearest is `x``, or nothing when there are no candidates.
pub(crate) fn hint<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match fourfold_syntax::nearest(given, candidates.into_iter()) {
        "" => String::new(),
        name => format!("; the nearest is `{name}`"),
    }
}
