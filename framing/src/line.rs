//! What one line between two bodies is.

use memchr::memrchr;

const LENGTH: &[u8] = b"content-length";
const TYPE: &[u8] = b"content-type";

/// The meaning of a line, taken by itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Nothing in it: the end of a header.
    Blank,
    /// `Content-Length` and its number; `None` when that is no number.
    Length(Option<u64>),
    /// Something else with a `Content-Length` and its number behind it, as when a banner was
    /// printed without a line end. The field begins `at`; `field` when the whole line is one field
    /// with a longer name.
    Glued { at: usize, length: u64, field: bool },
    /// `Content-Type` and its value.
    Type(&'a [u8]),
    /// A field of another name.
    Field,
    /// No header line.
    Noise,
}

/// Classifies `line`, given without its end. Of a line that is `cut`, the beginning is not known.
pub(crate) fn classify(line: &[u8], cut: bool) -> Line<'_> {
    if line.is_empty() {
        return if cut { Line::Noise } else { Line::Blank };
    }
    if !cut
        && starts_with(line, LENGTH)
        && let Some(value) = after_colon(&line[LENGTH.len()..])
    {
        // A number holds no colon, so a field glued to a broken one is found below.
        return match (number(value), glued(line)) {
            (Some(length), _) => Line::Length(Some(length)),
            (None, Some((at, length))) if at > 0 => Line::Glued {
                at,
                length,
                field: false,
            },
            _ => Line::Length(None),
        };
    }
    let field = !cut && is_field(line);
    if let Some((at, length)) = glued(line) {
        return Line::Glued { at, length, field };
    }
    if !field {
        return Line::Noise;
    }
    match starts_with(line, TYPE).then(|| after_colon(&line[TYPE.len()..])) {
        Some(Some(value)) => Line::Type(value),
        _ => Line::Field,
    }
}

/// The number and the end of the header that nearly everybody sends, if `buffer` begins with the whole
/// of it: one field, written as in the protocol's text. Its lines would come to the same, more slowly.
pub(crate) fn plain_header(buffer: &[u8]) -> Option<(u64, usize)> {
    const NAME: &[u8] = b"Content-Length: ";
    let rest = buffer.strip_prefix(NAME)?;
    // Fewer digits than could overflow.
    let (mut length, mut digits) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = rest.get(digits)
        && digits < 19
    {
        length = 10 * length + u64::from(digit - b'0');
        digits += 1;
    }
    let whole = digits > 0 && rest[digits..].starts_with(b"\r\n\r\n");
    whole.then_some((length, NAME.len() + digits + 4))
}

/// Whether an unfinished line at the end of the input is a header that was not written to its end.
pub(crate) fn is_begun_length(line: &[u8], cut: bool) -> bool {
    let common = line.len().min(LENGTH.len());
    let begins = !cut && common > 0 && line[..common].eq_ignore_ascii_case(&LENGTH[..common]);
    begins
        || line
            .windows(LENGTH.len())
            .any(|part| part.eq_ignore_ascii_case(LENGTH))
}

/// The charset of a `Content-Type` when it is not UTF-8.
pub(crate) fn foreign_charset(value: &[u8]) -> Option<Box<str>> {
    let value = String::from_utf8_lossy(value);
    let charset = value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    let charset = charset.trim().trim_matches('"');
    let utf8 = ["utf-8", "utf8"]
        .iter()
        .any(|name| charset.eq_ignore_ascii_case(name));
    (!utf8).then(|| charset.into())
}

/// The last field of the line, if it is a `Content-Length` with a number: where it begins, and the
/// number.
fn glued(line: &[u8]) -> Option<(usize, u64)> {
    let colon = memrchr(b':', line)?;
    let length = number(&line[colon + 1..])?;
    let name = line[..colon].trim_ascii_end();
    let at = name.len().checked_sub(LENGTH.len())?;
    name[at..]
        .eq_ignore_ascii_case(LENGTH)
        .then_some((at, length))
}

fn starts_with(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// What follows the colon, with blanks before it allowed.
fn after_colon(rest: &[u8]) -> Option<&[u8]> {
    rest.trim_ascii_start().strip_prefix(b":")
}

fn number(value: &[u8]) -> Option<u64> {
    let digits = value.trim_ascii();
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    digits.iter().try_fold(0u64, |number, &digit| {
        let digit = digit.wrapping_sub(b'0');
        (digit < 10)
            .then(|| number.checked_mul(10)?.checked_add(digit.into()))
            .flatten()
    })
}

/// Whether the line is a field name, blanks, a colon and anything.
fn is_field(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|&&byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
        .count();
    name > 0 && after_colon(&line[name..]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &Line<'_>) {
        assert_eq!(&classify(line.as_bytes(), false), expected, "{line}");
    }

    fn glued(at: usize, length: u64) -> Line<'static> {
        Line::Glued {
            at,
            length,
            field: false,
        }
    }

    #[test]
    fn lengths_are_digits_and_nothing_else() {
        for (text, number) in [
            ("Content-Length: 5", Some(5)),
            ("content-length:5", Some(5)),
            ("CONTENT-LENGTH \t:\t 0005 ", Some(5)),
            ("Content-Length: 00000000000000000005", Some(5)),
            ("Content-Length: 000000000000000000005", None),
            ("Content-Length: 18446744073709551615", Some(u64::MAX)),
            ("Content-Length: 18446744073709551616", None),
            ("Content-Length: -5", None),
            ("Content-Length: +5", None),
            ("Content-Length: 0x5", None),
            ("Content-Length: 5abc", None),
            ("Content-Length: 1 2", None),
            ("Content-Length:", None),
        ] {
            check(text, &Line::Length(number));
        }
    }

    #[test]
    fn the_usual_header_is_known_at_a_glance() {
        let plain = |text: &str| plain_header(text.as_bytes());
        assert_eq!(plain("Content-Length: 5\r\n\r\n{"), Some((5, 21)));
        let longest = "Content-Length: 9999999999999999999\r\n\r\n";
        assert_eq!(plain(longest), Some((9_999_999_999_999_999_999, 39)));
        for other in [
            "Content-Length: 5\r\n\r",
            "Content-Length: 5\r\n{",
            "Content-Length: 5\n\n",
            "Content-Length: \r\n\r\n",
            "Content-Length: 5 \r\n\r\n",
            "Content-Length: 00000000000000000005\r\n\r\n",
            "Content-Length: 5\r\nX: y\r\n\r\n",
            "content-length: 5\r\n\r\n",
            "\nContent-Length: 5\r\n\r\n",
            "",
        ] {
            assert_eq!(plain(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_length_is_found_behind_other_text() {
        check("Listening on 80 Content-Length: 5", &glued(16, 5));
        let field = |at| Line::Glued {
            at,
            length: 5,
            field: true,
        };
        check("a: b content-LENGTH : 5", &field(5));
        check("X-Content-Length: 5", &field(2));
        check("Content-Length: Content-Length: 5", &glued(16, 5));
        check("\u{feff}Content-Length: 5", &glued(3, 5));
        check("got Content-Length: five", &Line::Noise);
        check("Content-Length is 5", &Line::Noise);
        let cut = classify(b"Content-Length: 5", true);
        assert_eq!(cut, glued(0, 5));
    }

    #[test]
    fn other_lines() {
        check("", &Line::Blank);
        check(" ", &Line::Noise);
        check("Content-Type: x", &Line::Type(b" x"));
        check("Content-Typeset: x", &Line::Field);
        check("X-Y_z:", &Line::Field);
        check("two words: x", &Line::Noise);
        check(": x", &Line::Noise);
        check("\u{1b}[32mINFO: x", &Line::Noise);
        assert_eq!(classify(b"", true), Line::Noise);
        assert_eq!(classify(b"X: y", true), Line::Noise);
    }

    #[test]
    fn charsets() {
        let charset = |value: &str| foreign_charset(value.as_bytes());
        assert_eq!(charset("application/vscode-jsonrpc; charset=utf-8"), None);
        assert_eq!(charset("a/b;charset=\"UTF8\""), None);
        assert_eq!(charset("a/b"), None);
        assert_eq!(
            charset("a/b; x=y; Charset = utf-16 "),
            Some("utf-16".into())
        );
    }
}
