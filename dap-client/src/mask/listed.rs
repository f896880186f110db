//! Secrets in pairs and lists, whose names stand before them and not behind a sign:
//! `('password', 'x')`, `['--token', 'x']`, `{name = "Authorization", value = "x"}`.

use std::borrow::Cow;

use super::names::{is_name, is_secret_key, is_secret_name};
use super::pairs::{Found, closing};
use super::{MASKED, is_answer, says_nothing};

/// Words that stand beside the names of secrets where those are names only: the fields of a form, the
/// columns of a table.
const FIELDS: [&str; 24] = [
    "account",
    "active",
    "address",
    "age",
    "created",
    "created_at",
    "date",
    "email",
    "first_name",
    "host",
    "id",
    "key",
    "last_name",
    "login",
    "mail",
    "name",
    "phone",
    "port",
    "role",
    "status",
    "title",
    "url",
    "user",
    "username",
];

/// The names of the two parts of a pair, in lower case.
const PARTS: [(&str, &str); 7] = [
    ("first", "second"),
    ("name", "value"),
    ("key", "value"),
    ("header", "value"),
    ("field", "value"),
    ("k", "v"),
    ("key", "val"),
];

/// The text with each value replaced that stands in a pair with the name of a secret before it, or in a
/// list behind an option of such a name. What was replaced is told.
pub(super) fn replace<'a>(text: &'a str, found: &mut dyn FnMut(Found<'a>)) -> Cow<'a, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut from = 0;
    while let Some(key) = quoted(text, from) {
        // What is inside of it may be quoted too.
        from = key.begin;
        if !is_secret_key(key.content) {
            continue;
        }
        let Some(value) = partner(text, &key) else {
            continue;
        };
        if !is_kept(key.content, value.content) {
            found(match value.is_quoted {
                true => Found::Quoted(value.content, value.open),
                false => Found::Bare(value.content),
            });
            out.push_str(text.get(done..value.begin).unwrap_or_default());
            out.push_str(MASKED);
            done = value.begin + value.content.len();
            from = value.end;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Which of these values, that are inside of another one, are secrets because of the value before them.
pub(crate) fn siblings<'a>(values: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<bool> {
    let values: Vec<(&str, &str)> = values.collect();
    let counted = |name: &str| name.trim_matches(['[', ']', '_']).parse::<usize>().ok();
    let elements = values.iter().filter(|(name, _)| counted(name).is_some());
    let is_pair = elements.count() == 2;
    let secret_behind = |(name, text): (&str, &str), (next, value): (&str, &str)| {
        let Some(key) = quoted(text, 0).filter(|key| is_secret_key(key.content)) else {
            return false;
        };
        let (at, behind) = (counted(name), counted(next));
        let follows = at.zip(behind).is_some_and(|(at, behind)| at + 1 == behind);
        let parts = follows && (is_pair || key.content.starts_with('-')) || are_parts(name, next);
        let content = quoted(value, 0);
        let content = content.as_ref().map_or(value, |value| value.content);
        let is_next = key.content.starts_with('-') && is_option(content);
        parts && !is_next && !is_kept(key.content, content)
    };
    let mut secret = vec![false];
    for pair in values.windows(2) {
        if let [before, value] = pair {
            secret.push(secret_behind(*before, *value));
        }
    }
    secret.truncate(values.len());
    secret
}

/// Whether two names are those of the parts of one pair: `key0` and `val0`, `Name` and `Value`.
fn are_parts(first: &str, second: &str) -> bool {
    let plain = |name: &str| {
        let name = name.trim_matches(['\'', '"', '.']).to_ascii_lowercase();
        let digits = name
            .trim_start_matches(|char: char| !char.is_ascii_digit())
            .to_owned();
        let word = name
            .strip_suffix(digits.as_str())
            .unwrap_or(&name)
            .to_owned();
        (word, digits)
    };
    let ((first, one), (second, other)) = (plain(first), plain(second));
    one == other && PARTS.contains(&(first.as_str(), second.as_str()))
}

/// Whether what stands beside the name of a secret is none.
fn is_kept(key: &str, value: &str) -> bool {
    let value = value.trim();
    let is_short_number = is_answer(value) && value.len() < 6;
    says_nothing(value)
        || value.contains(MASKED)
        || is_short_number
        || value.eq_ignore_ascii_case(key)
        || FIELDS.contains(&value.to_ascii_lowercase().as_str())
        || is_name_of_secret(value)
}

/// Whether what follows an option is another one: `-v`, `--verbose`.
fn is_option(text: &str) -> bool {
    text.starts_with("--") || text.starts_with('-') && text.len() == 2
}

/// Whether a text is the name of a secret and nothing more, such as another column of a table.
fn is_name_of_secret(text: &str) -> bool {
    text.chars()
        .all(|char| char.is_ascii_alphabetic() || matches!(char, '_' | '-'))
        && is_secret_name(text)
}

/// A text in quotes, or a word behind a key.
struct Piece<'a> {
    /// Where the whole begins, with what is put before the quote.
    start: usize,
    begin: usize,
    content: &'a str,
    /// Behind the closing quote.
    end: usize,
    open: bool,
    is_quoted: bool,
}

/// The first text in quotes from `from` on.
fn quoted(text: &str, from: usize) -> Option<Piece<'_>> {
    let rest = text.get(from..)?;
    let at = from + rest.find(['\'', '"', '`'])?;
    let quote = text.get(at..)?.chars().next()?;
    let slashes = text.get(from..at)?.len() - text.get(from..at)?.trim_end_matches('\\').len();
    let inside = text.get(at + 1..)?;
    let (length, open) = closing(inside, quote, slashes);
    let content = inside.get(..length)?;
    let head = text.get(from..at - slashes)?;
    // `b'x'`, and where a string of C lies: `0x55 "x"`.
    let head = head.trim_end_matches(['b', 'B', 'r', 'u', 'L']);
    let word = head
        .trim_end_matches(' ')
        .rsplit([' ', ',', '(', '[', '{', '='])
        .next();
    let address = word.filter(|word| word.starts_with("0x"));
    let head = address.map_or(head, |address| {
        head.trim_end().strip_suffix(address).unwrap_or(head)
    });
    let begin = at + 1;
    let end = begin + length + if open { 0 } else { slashes + 1 };
    Some(Piece {
        start: from + head.len(),
        begin,
        content,
        end: end.min(text.len()),
        open,
        is_quoted: true,
    })
}

/// The value that belongs to a key.
fn partner<'a>(text: &'a str, key: &Piece<'_>) -> Option<Piece<'a>> {
    let before = text.get(..key.start)?.trim_end();
    let behind = text.get(key.end..)?;
    let comma = behind.trim_start().strip_prefix(',')?;
    let at = text.len() - comma.trim_start().len();
    let field = field_before(before);
    let (at, is_pair) = match field {
        // `{name = "password", value = "x"}`
        Some(name) => {
            let (next, behind) = field_at(text, at)?;
            if !are_parts(name, next) {
                return None;
            }
            (behind, false)
        }
        None => (at, before.ends_with(['(', '[', '{'])),
    };
    let opens = key.content.starts_with('-');
    if field.is_none() && !is_pair && !opens {
        return None;
    }
    let value = piece(text, at)?;
    if field.is_some() || value.open {
        return Some(value);
    }
    if opens {
        let is_next = is_option(value.content);
        return (value.is_quoted && !is_next).then_some(value);
    }
    let closes = text.get(value.end..)?.trim_start().trim_start_matches(',');
    let ends = closes.trim_start().starts_with([')', ']', '}']);
    ends.then_some(value)
}

/// The value that begins here: a text in quotes, or a word.
fn piece(text: &str, at: usize) -> Option<Piece<'_>> {
    let rest = text.get(at..)?;
    if let Some(value) = quoted(text, at).filter(|value| value.start == at) {
        return Some(value);
    }
    let length = rest
        .find(|char: char| !(is_name(char) || char == '.'))
        .unwrap_or(rest.len());
    (length > 0).then(|| Piece {
        start: at,
        begin: at,
        content: rest.get(..length).unwrap_or_default(),
        end: at + length,
        open: false,
        is_quoted: false,
    })
}

/// The name of a field whose value begins behind this text.
fn field_before(before: &str) -> Option<&str> {
    let before = before.strip_suffix(['=', ':'])?.trim_end();
    let before = before.trim_end_matches(['\'', '"']);
    let start = before.rfind(|char| !is_name(char)).map_or(0, |at| at + 1);
    before.get(start..).filter(|name| !name.is_empty())
}

/// The name of the field that begins here, and where its value does.
fn field_at(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..)?;
    let name = rest.trim_start_matches(['\'', '"']);
    let length = name.find(|char| !is_name(char)).unwrap_or(name.len());
    let (name, behind) = name.split_at(length);
    let value = behind
        .trim_start_matches(['\'', '"'])
        .trim_start()
        .strip_prefix(['=', ':'])?;
    Some((name, text.len() - value.trim_start().len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        replace(text, &mut |_| {}).into_owned()
    }

    #[test]
    fn values_in_pairs_and_behind_options() {
        for (text, expected) in [
            (
                "[('password', 'hunter2xyz'), ('n', 1)]",
                "[('password', '***'), ('n', 1)]",
            ),
            (
                "[[\"password\", \"hunter2xyz\"]]",
                "[[\"password\", \"***\"]]",
            ),
            ("(2) ['api key', 'abc']", "(2) ['api key', '***']"),
            (
                "('Authorization', 'Bearer abc')",
                "('Authorization', '***')",
            ),
            (
                "[(b'authorization', b'Bearer x')]",
                "[(b'authorization', b'***')]",
            ),
            ("('Set-Cookie', 'sid=1; Path=/')", "('Set-Cookie', '***')"),
            (
                "['run', '--token', 'abc', 'x']",
                "['run', '--token', '***', 'x']",
            ),
            (
                "['--db-password', 'x', '-v']",
                "['--db-password', '***', '-v']",
            ),
            (
                "[]string [\"--token\",\"abc\"]",
                "[]string [\"--token\",\"***\"]",
            ),
            (
                "{name = 0x55 \"password\", value = 0x56 \"hunter2\"}",
                "{name = 0x55 \"password\", value = 0x56 \"***\"}",
            ),
            (
                "main.Pair {Key: \"db pass\", Value: \"hunter2\"}",
                "main.Pair {Key: \"db pass\", Value: \"***\"}",
            ),
            (
                "[{\"name\": \"Cookie\", \"value\": \"a=b\"}]",
                "[{\"name\": \"Cookie\", \"value\": \"***\"}]",
            ),
            (
                "{0x55 \"password\", 0x56 \"x1\"}",
                "{0x55 \"password\", 0x56 \"***\"}",
            ),
            (
                "(first = \"password\", second = \"hunter2\")",
                "(first = \"password\", second = \"***\")",
            ),
            ("[(\"password\", \"hun…", "[(\"password\", \"***"),
            (
                r#""[[\"password\", \"hunter2\"]]""#,
                r#""[[\"password\", \"***\"]]""#,
            ),
        ] {
            assert_eq!(masked(text), expected);
            assert_eq!(masked(expected), expected, "once is enough");
        }
        for text in [
            "['username', 'password', 'email']",
            "('password', 'email')",
            "[('password', 5), ('token', 3)]",
            "('password', None)",
            "('password', 'Password')",
            "['password', 'passwd']",
            "['--token', '--verbose']",
            "('passes', 'three')",
            "('token_count', 'five')",
            "'password', 'x'",
            "f('wrong password', 'try again')x",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn the_second_of_two_values_is_a_secret_by_the_first() {
        let of = |values: &[(&'static str, &'static str)]| siblings(values.iter().copied());
        assert_eq!(
            of(&[("0", "'password'"), ("1", "'hunter2'")]),
            [false, true]
        );
        assert_eq!(
            of(&[("__0", "\"api key\""), ("__1", "\"x\"")]),
            [false, true]
        );
        assert_eq!(
            of(&[("key0", "\"token\""), ("val0", "\"x\"")]),
            [false, true]
        );
        assert_eq!(
            of(&[("Name", "\"Cookie\""), ("Value", "\"x\"")]),
            [false, true]
        );
        assert_eq!(
            of(&[
                ("[0]", "\"run\""),
                ("[1]", "\"--token\""),
                ("[2]", "\"x\""),
                ("[3]", "\"y\"")
            ]),
            [false, false, true, false]
        );
        assert_eq!(of(&[("0", "'password'"), ("1", "'email'")]), [false, false]);
        assert_eq!(
            of(&[("0", "'password'"), ("1", "'n'"), ("2", "'x'")]),
            [false, false, false]
        );
        assert_eq!(of(&[]), Vec::<bool>::new());
    }
}
