//! The known name that was probably meant.

/// The candidate that is spelled most alike, ignoring case, if one is alike at all.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // A name is short; what is not is compared by its beginning, so that the cost stays bounded.
    let given: String = given.chars().take(64).collect::<String>().to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let alike = strsim::jaro_winkler(&given, &candidate.to_lowercase());
            (alike, candidate)
        })
        .filter(|(alike, _)| *alike > 0.7)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean `x`?)` when a known name is alike, else nothing.
pub(crate) fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    nearest(given, candidates)
        .map(|name| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_is_suggested_and_unlike_is_not() {
        let known = ["pattern", "paths", "template"];
        assert_eq!(nearest("patern", known), Some("pattern"));
        assert_eq!(nearest("path", known), Some("paths"));
        assert_eq!(nearest("TEMPLTE", known), Some("template"));
        assert_eq!(nearest("zzz", known), None);
        assert_eq!(did_you_mean("zzz", known), "");
    }
}
