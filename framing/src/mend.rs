//! Bodies of JSON that are nearly right.

/// The text of a body of JSON that did not parse, with what JSON cannot hold replaced by U+FFFD: broken
/// UTF-8, and escapes of halves of surrogate pairs, which programs send that cut a text in the middle
/// of an emoji.
///
/// ```
/// use fourfold_framing::mended;
///
/// assert_eq!(mended(br#"{"a":"\ud83d\ude00 \ud83d"}"#), r#"{"a":"\ud83d\ude00 \ufffd"}"#);
/// ```
#[must_use]
pub fn mended(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let unit = |at: usize| {
            let digits = escape.get(at..)?.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let width = match (unit(0), unit(6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            // The escaped character goes along: it may be a backslash.
            _ => escape
                .char_indices()
                .nth(2)
                .map_or(escape.len(), |(at, _)| at),
        };
        let (whole, behind) = escape.split_at(width);
        out.push_str(whole);
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_broken_is_replaced() {
        assert_eq!(mended(br#""a\ud83d\ude00\n""#), r#""a\ud83d\ude00\n""#);
        assert_eq!(
            mended(br#""\ud83d\ud83d\ude00""#),
            r#""\ufffd\ud83d\ude00""#
        );
        assert_eq!(mended(br#""\ude00 \ud83d""#), r#""\ufffd \ufffd""#);
        // An escaped backslash, and no escape of a character.
        assert_eq!(mended(br#""\\ud83d""#), r#""\\ud83d""#);
        assert_eq!(mended(b"\"\xff\""), "\"\u{fffd}\"");
        assert_eq!(mended(b"\\"), "\\");
    }
}
