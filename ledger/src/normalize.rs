//! Takes positions out of messages, so that a problem that slid down is not a new problem.

use std::borrow::Cow;

/// Turns a message into the form that is compared. Only the comparison uses it; what people read
/// is the message as it was sent.
///
/// An implementation must be a function of its arguments alone and, run on its own result, change
/// nothing. A producer with texts of its own (members of a union type in changing order, say) gets a
/// rule here, usually in front of [`Positions`].
pub trait Normalize: Send + Sync {
    /// The comparable form of a `message` that `producer` sent.
    fn normalize<'a>(&self, producer: &str, message: &'a str) -> Cow<'a, str>;
}

/// The rules that hold for every producer:
///
/// - line ends and runs of blanks become one blank, none at the ends;
/// - the numbers of `line 3`, `lines 3-5`, `column 7` and `at offset 90` become `#`;
/// - `a/b.rs:3:9`, `a/b.rs:3:9: 3:12` and `a/b.ts(3,9)` become `path:#`;
/// - generated names lose their number or place: `{closure@…}`, `[closure@…]`, `impl#4`, `{opaque#0}`;
/// - addresses of six and more hexadecimal digits after `0x` become `#`;
/// - the [`root`](Self::root) of the checkout is cut off paths.
///
/// All other numbers, names and texts stay. What stands in quotes stays to the letter, but for
/// generated names and the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Positions {
    /// The absolute root of the checkout. Empty: no path is shortened.
    pub root: String,
}

impl Normalize for Positions {
    fn normalize<'a>(&self, _producer: &str, message: &'a str) -> Cow<'a, str> {
        let rooted = without_root(message, &self.root);
        let mut out = String::with_capacity(rooted.len());
        let mut rest: &str = &rooted;
        let mut before = None;
        for (quote, end) in quotes(&rooted) {
            let done = rooted.len() - rest.len();
            plain(&rooted[done..quote], before, &mut out);
            generated_only(&rooted[quote..end], &mut out);
            rest = &rooted[end..];
            before = rooted[..end].chars().next_back();
        }
        plain(rest, before, &mut out);
        let trimmed = out.trim();
        if trimmed == message {
            Cow::Borrowed(message)
        } else if trimmed.is_empty() && !message.is_empty() {
            Cow::Borrowed(" ")
        } else {
            Cow::Owned(trimmed.to_owned())
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '\\' | '-' | '+' | '@')
}

/// Cuts `root` and its separator off every path that begins with it.
fn without_root<'a>(message: &'a str, root: &str) -> Cow<'a, str> {
    let root = root.trim_end_matches('/');
    if root.is_empty() || !message.contains(root) {
        return Cow::Borrowed(message);
    }
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(c) = rest.chars().next() {
        let inside = rest
            .strip_prefix(root)
            .and_then(|tail| tail.strip_prefix('/'));
        match inside {
            // `#` may stand for the end of a path.
            Some(tail) if !out.ends_with(|c| is_path(c) || c == '#') => rest = tail,
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    Cow::Owned(out)
}

/// The quoted parts with their quotes, in order. An apostrophe inside a word is no quote, and a
/// quote without a partner is a letter.
fn quotes(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    // A kind of quote that found no partner once finds none further on.
    let mut hopeless = [false; 3];
    let mut from = 0;
    let mut before = None;
    while let Some(c) = text[from..].chars().next() {
        let kind = match c {
            '`' => Some(0),
            '"' => Some(1),
            '\'' if !before.is_some_and(char::is_alphanumeric) => Some(2),
            _ => None,
        };
        let inner = from + c.len_utf8();
        let end = kind.filter(|kind| !hopeless[*kind]).and_then(|kind| {
            let end = partner(text, inner, c);
            hopeless[kind] = end.is_none();
            end
        });
        match end {
            Some(end) => {
                found.push((from, end));
                from = end;
                before = Some(c);
            }
            None => {
                from = inner;
                before = Some(c);
            }
        }
    }
    found
}

/// The end of the quoted part that began with `quote` just before `inner`.
fn partner(text: &str, inner: usize, quote: char) -> Option<usize> {
    text[inner..]
        .match_indices(quote)
        .map(|(at, _)| inner + at + quote.len_utf8())
        .find(|&end| quote != '\'' || !text[end..].starts_with(char::is_alphanumeric))
}

/// Copies a quoted part; only generated names change.
fn generated_only(text: &str, out: &mut String) {
    let mut rest = text;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let used = generated(rest, before, out).unwrap_or_else(|| {
            out.push(c);
            c.len_utf8()
        });
        before = rest[..used].chars().next_back();
        rest = &rest[used..];
    }
}

/// Copies a part outside quotes, with all rules. `before` is the character in front of it.
fn plain(text: &str, mut before: Option<char>, out: &mut String) {
    let mut rest = text;
    // Where the path that is being copied begins in `out`.
    let mut path = out.len();
    while let Some(c) = rest.chars().next() {
        let rule = if c.is_whitespace() {
            let blanks = rest.len() - rest.trim_start().len();
            if !out.ends_with(' ') {
                out.push(' ');
            }
            Some(blanks)
        } else {
            generated(rest, before, out)
                .or_else(|| counted_place(rest, before, out))
                .or_else(|| address(rest, before, out))
                .or_else(|| place_in_path(rest, path, out))
        };
        let used = rule.unwrap_or_else(|| {
            out.push(c);
            c.len_utf8()
        });
        if rule.is_some() || !is_path(c) {
            path = out.len();
        }
        before = rest[..used].chars().next_back();
        rest = &rest[used..];
    }
}

/// `{closure@a.rs:3:9: 3:12}` and `impl#4`. Gives the number of bytes that were replaced.
fn generated(rest: &str, before: Option<char>, out: &mut String) -> Option<usize> {
    /// The longest place inside a generated name, in bytes.
    const PLACE: usize = 1024;
    for (open, close) in [("{closure@", b'}'), ("[closure@", b']')] {
        if let Some(tail) = rest.strip_prefix(open) {
            let end = tail.bytes().take(PLACE).position(|byte| byte == close)?;
            out.push_str(open);
            out.push('#');
            out.push(char::from(close));
            return Some(open.len() + end + 1);
        }
    }
    let name = if rest.starts_with("impl#") && !before.is_some_and(is_word) {
        "impl"
    } else if let Some(tail) = rest.strip_prefix('{') {
        let end = tail
            .bytes()
            .take(64)
            .position(|b| !(b.is_ascii_alphanumeric() || b == b'_'))?;
        &rest[..=end]
    } else {
        return None;
    };
    let number = rest[name.len()..].strip_prefix('#')?;
    let digits = digits(number)?;
    if number[digits..].starts_with(is_word) {
        return None;
    }
    out.push_str(name);
    out.push('#');
    Some(name.len() + 1 + digits)
}

/// `line 3`, `lines 3-5`, `column 7`, `at offset 90`. Gives the number of bytes that were replaced.
fn counted_place(rest: &str, before: Option<char>, out: &mut String) -> Option<usize> {
    if before.is_some_and(is_word) {
        return None;
    }
    let word = ["lines", "line", "columns", "column", "at offset"]
        .into_iter()
        .find(|word| {
            rest.get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
        })?;
    let tail = &rest[word.len()..];
    let number = tail.trim_start();
    if number.len() == tail.len() {
        return None;
    }
    let mut end = digits(number)?;
    for between in ['-', ':'] {
        // The digit may be the first of an address, which is another rule's.
        end += number[end..]
            .strip_prefix(between)
            .and_then(digits)
            .map(|more| between.len_utf8() + more)
            .filter(|more| !number[end + more..].starts_with(is_word))
            .unwrap_or(0);
    }
    if number[end..].starts_with(is_word) {
        return None;
    }
    out.push_str(&rest[..word.len()]);
    out.push_str(" #");
    Some(rest.len() - number.len() + end)
}

/// `0x7ffe0012`. Gives the number of bytes that were replaced.
fn address(rest: &str, before: Option<char>, out: &mut String) -> Option<usize> {
    let number = rest.strip_prefix("0x")?;
    let digits = number.bytes().take_while(u8::is_ascii_hexdigit).count();
    if digits < 6 || before.is_some_and(is_word) || number[digits..].starts_with(is_word) {
        return None;
    }
    out.push('#');
    Some(2 + digits)
}

/// The `:3:9`, `:3:9: 3:12` or `(3,9)` behind a path, which is what `out` ends with from `path` on.
/// Gives the number of bytes that were replaced.
fn place_in_path(rest: &str, path: usize, out: &mut String) -> Option<usize> {
    let used = if let Some(tail) = rest.strip_prefix('(') {
        let end = 1 + pair(tail, ',')?;
        rest[end..].starts_with(')').then_some(end + 1)?
    } else {
        let end = 1 + pair(rest.strip_prefix(':')?, ':')?;
        let to = rest[end..]
            .strip_prefix(": ")
            .and_then(|tail| pair(tail, ':'))
            .map(|more| 2 + more)
            .filter(|more| !rest[end + more..].starts_with(is_word));
        end + to.unwrap_or(0)
    };
    // Last, for a path may be long and this looks at all of it.
    let name = &out[path..];
    let runs_on = rest.starts_with(':') && rest[used..].starts_with(is_word);
    if runs_on
        || !name.contains(['.', '/', '\\'])
        || !name.contains(|c: char| c.is_ascii_alphabetic())
    {
        return None;
    }
    out.push_str(":#");
    Some(used)
}

/// The length of `3:9` at the start of `text`, for the separator `:`.
fn pair(text: &str, separator: char) -> Option<usize> {
    let first = digits(text)?;
    let second = digits(text[first..].strip_prefix(separator)?)?;
    Some(first + separator.len_utf8() + second)
}

/// How many digits `text` starts with; `None` for none.
fn digits(text: &str) -> Option<usize> {
    let many = text.bytes().take_while(u8::is_ascii_digit).count();
    (many > 0).then_some(many)
}
