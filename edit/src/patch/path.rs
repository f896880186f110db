//! Paths as patches name them.

use crate::Error;
use crate::nearest::shown;

/// A path inside a root, or what is wrong with it. `./` and doubled slashes are taken out.
pub(crate) fn checked(path: &[u8], line: usize) -> Result<String, Error> {
    let wrong = |problem| Error::Path {
        line,
        path: shown(path),
        problem,
    };
    let Ok(text) = std::str::from_utf8(path) else {
        return Err(wrong("is not UTF-8"));
    };
    if text.is_empty() {
        return Err(wrong("is empty"));
    }
    if text.contains('\0') {
        return Err(wrong("has a NUL in it"));
    }
    let drive =
        matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    if text.starts_with('/') || text.starts_with("\\\\") || drive {
        return Err(wrong("is absolute"));
    }
    if text == "~" || text.starts_with("~/") {
        return Err(wrong("begins at a home folder"));
    }
    let parts: Vec<&str> = text
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return Err(wrong("goes up with `..`"));
    }
    if parts.is_empty() || text.ends_with('/') || text.ends_with("/.") {
        return Err(wrong("names a folder"));
    }
    Ok(parts.join("/"))
}

/// A name as git writes it: in double quotes with escapes, or as it is up to a tab.
pub(crate) fn unquoted(name: &[u8]) -> Vec<u8> {
    match quoted(name) {
        Some((name, _)) => name,
        None => {
            let end = memchr::memchr(b'\t', name).unwrap_or(name.len());
            name[..end].trim_ascii_end().to_vec()
        }
    }
}

/// A name in double quotes at the beginning of `text`, and what follows it.
pub(crate) fn quoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                name.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'0'..=b'3' => {
                        let [high, low, after @ ..] = rest else {
                            return None;
                        };
                        rest = after;
                        let digits = [*escaped, *high, *low];
                        let octal = std::str::from_utf8(&digits).ok()?;
                        u8::from_str_radix(octal, 8).ok()?
                    }
                    other => *other,
                });
            }
            other => name.push(*other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert_eq!(checked(b"./src//a b.rs", 1).unwrap(), "src/a b.rs");
        assert_eq!(checked("ü/.x".as_bytes(), 1).unwrap(), "ü/.x");
        for (path, problem) in [
            (&b""[..], "is empty"),
            (b"/etc/passwd", "is absolute"),
            (b"C:\\x", "is absolute"),
            (b"\\\\host\\x", "is absolute"),
            (b"a/../../b", "goes up with `..`"),
            (b"..", "goes up with `..`"),
            (b"a\0b", "has a NUL in it"),
            (b"a\xFF", "is not UTF-8"),
            (b"~/x", "begins at a home folder"),
            (b"src/", "names a folder"),
            (b".", "names a folder"),
        ] {
            let Err(Error::Path {
                problem: said,
                line: 7,
                ..
            }) = checked(path, 7)
            else {
                panic!("{path:?}");
            };
            assert_eq!(said, problem);
        }
    }

    #[test]
    fn quoted_names_are_read_as_git_writes_them() {
        assert_eq!(
            unquoted(br#""a/f\303\251\t\"\\.txt""#),
            "a/fé\t\"\\.txt".as_bytes()
        );
        assert_eq!(unquoted(b"a/x y.rs\t2024-01-01 00:00:00"), b"a/x y.rs");
        assert_eq!(quoted(b"\"a\" b"), Some((b"a".to_vec(), &b" b"[..])));
        for broken in [&b"\"a"[..], b"\"\\", b"\"\\3", b"\"\\39x\"", b"a"] {
            assert_eq!(quoted(broken), None);
        }
    }
}
