//! The known name that was probably meant.

/// The one of these names that is nearest to what was given; none when none of them is like it. For a
/// sentence of a host that refuses a name.
///
/// ```
/// assert_eq!(fourfold::nearest("othr", ["shop", "other"]), Some("other"));
/// assert_eq!(fourfold::nearest("cobol", ["toml", "rust"]), None);
/// ```
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let names = names.into_iter();
    let name = fourfold_syntax::nearest(
        given,
        names.filter(|name| fourfold_syntax::alike(given, name)),
    );
    (!name.is_empty()).then_some(name)
}

/// `; the nearest is `x``, or nothing when no candidate is like it.
pub(crate) fn hint<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(given, candidates) {
        None => String::new(),
        Some(name) => format!("; the nearest is `{name}`"),
    }
}
