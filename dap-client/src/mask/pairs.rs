//! Secrets inside of longer texts, known by the name before them: `password='x'`, `"token": "x"`,
//! `{password => x}`, `DB_PASSWORD=x`.

use std::borrow::Cow;

use super::names::{is_name, is_ordinary_token, is_secret_name};
use super::{MASKED, says_nothing};

/// Bytes of a name that are looked at.
const NAME: usize = 80;

/// Bytes in which the end of a quoted value is looked for.
const QUOTED: usize = 64 << 10;

/// What was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// What stood in quotes; and whether its end was missing.
    Quoted(&'a str, bool),
    /// A word without quotes.
    Bare(&'a str),
    /// Something in brackets.
    Inside(&'a str),
}

/// The text with each value replaced that stands behind the name of a secret. What was replaced is
/// told.
pub(super) fn replace<'a>(text: &'a str, found: &mut dyn FnMut(Found<'a>)) -> Cow<'a, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find([':', '='])) {
        let at = from + at;
        from = at + 1;
        let Some(behind) = separator(text, at) else {
            continue;
        };
        let before = text.get(done..at).unwrap_or_default();
        let Some(named) = name(before).filter(|named| is_secret(named, before)) else {
            continue;
        };
        let cookie = before.to_ascii_lowercase().trim_end().ends_with("cookie");
        let mut begin = behind;
        if let Some(what) = of_environment(text, named, behind) {
            found(Found::Quoted(what, false));
            out.push_str(text.get(done..behind).unwrap_or_default());
            out.push_str(MASKED);
            (done, from) = (behind + what.len(), behind + what.len());
            continue;
        }
        while let Some((start, end, what)) = value(text, begin, cookie) {
            found(what);
            out.push_str(text.get(done..start).unwrap_or_default());
            out.push_str(MASKED);
            (done, from) = (end, end);
            // What stood there may have been a type: `password: str = 'x'`.
            let rest = text.get(end..).unwrap_or_default();
            let trimmed = rest.trim_start_matches(' ');
            let typed = matches!(what, Found::Bare(_)) && trimmed.starts_with('=');
            let next = end + rest.len() - trimmed.len();
            match separator(text, next) {
                Some(behind) if typed => begin = behind,
                _ => break,
            }
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// The end of the separator that begins at `at`, when it is one: `:`, `=`, `:=`, `=>`.
fn separator(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?.chars().next_back();
    let rest = text.get(at..)?;
    if rest.starts_with("::") || rest.starts_with("://") || rest.starts_with("==") {
        return None;
    }
    if matches!(before, Some('=' | '!' | '<' | '>' | '+' | ':')) {
        return None;
    }
    let length = match rest {
        rest if rest.starts_with(":=") || rest.starts_with("=>") => 2,
        _ => 1,
    };
    Some(at + length)
}

/// The name at the end of a text, in quotes or not.
fn name(before: &str) -> Option<&str> {
    let before = before.trim_end_matches([' ', '?']);
    let begin = before.ceil_char_boundary(before.len().saturating_sub(NAME));
    let before = before.get(begin..)?;
    let before = before.strip_suffix(']').unwrap_or(before);
    let last = before.chars().next_back()?;
    if matches!(last, '\'' | '"' | '`') {
        let inside = before.get(..before.len() - 1)?.trim_end_matches('\\');
        return inside.rsplit(last).next();
    }
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, char)| is_name(*char))
        .last()?
        .0;
    before.get(start..)
}

/// Whether the name that ends a text is that of a secret, alone or with the word before it: `api key`.
fn is_secret(named: &str, before: &str) -> bool {
    let before = before.trim_end_matches([' ', '?']);
    let Some(head) = before.strip_suffix(named).filter(|_| !named.is_empty()) else {
        return is_secret_name(named);
    };
    let word = head.strip_suffix(' ').and_then(name);
    let both = word.map(|word| format!("{word} {named}"));
    let is_ordinary = both.as_ref().is_some_and(|both| is_ordinary_token(both));
    !is_ordinary && (is_secret_name(named) || both.is_some_and(|both| is_secret_name(&both)))
}

/// The whole value of `NAME=value with blanks`, as environments are printed: to the end of the line, or
/// of the quotes that both stand in.
fn of_environment<'a>(text: &'a str, named: &str, at: usize) -> Option<&'a str> {
    let begin = at.checked_sub(named.len() + 1)?;
    let head = text.get(..begin)?;
    let is_upper = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
    let quote = head
        .chars()
        .next_back()
        .filter(|char| "'\"`\n".contains(*char));
    let is_alone = head.is_empty() || quote.is_some();
    if !named.chars().all(is_upper) || !is_alone || !text.get(begin..)?.starts_with(named) {
        return None;
    }
    let rest = text.get(at..)?;
    if rest.starts_with([' ', '\'', '"', '`', '\\']) {
        return None;
    }
    let end = quote.filter(|quote| *quote != '\n').unwrap_or('\n');
    let line = rest.split([end, '\n']).next()?;
    // Several of them in one line.
    let is_next = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| !name.is_empty() && name.chars().all(is_upper))
    };
    let next = line.match_indices(' ').find(|(at, _)| {
        let word = line.get(at + 1..).unwrap_or_default();
        is_next(word.split(' ').next().unwrap_or_default())
    });
    let value = next.map_or(line, |(at, _)| line.get(..at).unwrap_or(line));
    let kept = says_nothing(value) || value.contains(MASKED);
    let is_quoted = quote.is_some_and(|quote| quote != '\n');
    ((is_quoted || value.contains(' ')) && !kept).then_some(value)
}

/// The value from `at` on: where it begins and ends, and what it is.
fn value(text: &str, at: usize, cookie: bool) -> Option<(usize, usize, Found<'_>)> {
    let rest = text.get(at..)?;
    let mut start = at + rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let mut rest = text.get(start..)?;
    if !rest.starts_with(MASKED) {
        let pointee = rest.trim_start_matches(['&', '*']);
        start += rest.len() - pointee.len();
        rest = pointee;
    }
    // Where a string of C lies, before it.
    if let Some(digits) = rest.strip_prefix("0x") {
        let behind = digits.trim_start_matches(|char: char| char.is_ascii_hexdigit());
        if let Some(behind) = behind.strip_prefix(' ')
            && behind.starts_with('"')
        {
            start += rest.len() - behind.len();
            rest = behind;
        }
    }
    // `b'x'`, `rb"x"`, `L"x"`.
    let letters = rest.trim_start_matches(['b', 'B', 'r', 'R', 'u', 'U', 'f', 'F', 'L']);
    if rest.len() - letters.len() <= 2 && letters.starts_with(['\'', '"', '`', '\\']) {
        start += rest.len() - letters.len();
        rest = letters;
    }
    let bare = rest.trim_start_matches('\\');
    let slashes = rest.len() - bare.len();
    if let Some(quote @ ('\'' | '"' | '`')) = bare.chars().next() {
        let begin = start + slashes + 1;
        let inside = text.get(begin..)?;
        let (length, open) = closing(inside, quote, slashes);
        let content = inside.get(..length)?;
        return (!content.is_empty() && content != MASKED).then_some((
            begin,
            begin + length,
            Found::Quoted(content, open),
        ));
    }
    if cookie {
        let end = rest.find(['\n', '"', '\'']).unwrap_or(rest.len());
        let whole = rest.get(..end)?.trim_end();
        return (!says_nothing(whole) && whole != MASKED).then_some((
            start,
            start + whole.len(),
            Found::Bare(whole),
        ));
    }
    let head = rest
        .find(|char: char| !(is_name(char) || matches!(char, '.' | ':' | '*' | '&' | '<' | '>')))
        .unwrap_or(rest.len());
    let behind = rest.get(head..)?;
    let spaced = behind
        .strip_prefix(' ')
        .filter(|rest| rest.starts_with('{'));
    let opened = spaced.unwrap_or(behind);
    if opened.starts_with(['(', '[', '{']) {
        let inside = balanced(opened);
        let nothing = inside.chars().all(|char| "()[]{}… ".contains(char));
        let end = start + head + (behind.len() - opened.len()) + inside.len();
        return (!nothing).then_some((start, end, Found::Inside(inside)));
    }
    let word = word(rest);
    let scheme = matches!(word, "Bearer" | "Basic" | "Token" | "Digest");
    let word = match rest
        .get(word.len()..)
        .and_then(|rest| rest.strip_prefix(' '))
    {
        Some(next) if scheme => rest.get(..word.len() + 1 + self::word(next).len())?,
        _ => word,
    };
    let kept = says_nothing(word) || word.contains(MASKED) || word == "ƒ" || word == "…";
    (!kept).then_some((start, start + word.len(), Found::Bare(word)))
}

fn word(rest: &str) -> &str {
    let end = match rest.starts_with('<') {
        true => rest.find('>').map_or(rest.len(), |at| at + 1),
        false => rest
            .find(|char: char| {
                char.is_whitespace()
                    || matches!(char, ',' | ';' | ')' | '}' | ']' | '&' | '"' | '\'' | '`')
            })
            .unwrap_or(rest.len()),
    };
    rest.get(..end).unwrap_or_default()
}

/// The length of what is in quotes, and whether its end is missing. A quote behind as many
/// backslashes as the opening one ends it.
pub(super) fn closing(inside: &str, quote: char, slashes: usize) -> (usize, bool) {
    let mut run = 0;
    for (at, char) in inside.char_indices() {
        if at > QUOTED {
            break;
        }
        if char == '\\' {
            run += 1;
            continue;
        }
        let ends = match slashes {
            0 => run % 2 == 0,
            slashes => run == slashes,
        };
        if char == quote && ends {
            return (at - slashes.min(run), false);
        }
        run = 0;
    }
    let line = inside.find('\n').unwrap_or(inside.len());
    (line, true)
}

/// From an opening bracket to the one that closes it, else to the end.
fn balanced(text: &str) -> &str {
    let mut depth = 0usize;
    let mut skip_to = 0;
    for (at, char) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(..at + 1).unwrap_or(text);
                }
            }
            '\'' | '"' | '`' => {
                let inside = text.get(at + 1..).unwrap_or_default();
                let (length, open) = closing(inside, char, 0);
                if !open {
                    skip_to = at + 1 + length + 1;
                }
            }
            _ => {}
        }
    }
    text
}

/// Everything in quotes that is no key; and whether its end is missing.
pub(super) fn quoted(text: &str) -> Vec<(&str, bool)> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let quote = rest
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .unwrap_or('"');
        let inside = rest.get(at + 1..).unwrap_or_default();
        let (length, open) = closing(inside, quote, 0);
        let (content, behind) = inside.split_at(length);
        let behind = behind.get(1..).unwrap_or_default();
        let key = behind.trim_start().starts_with(':') || behind.trim_start().starts_with("=>");
        if !key && !content.is_empty() {
            all.push((content, open));
        }
        rest = behind;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        replace(text, &mut |_| {}).into_owned()
    }

    #[test]
    fn values_behind_the_name_of_a_secret_in_every_notation() {
        for (text, expected) in [
            (
                "Account(user='ada', password='hunter2', n=1)",
                "Account(user='ada', password='***', n=1)",
            ),
            (
                "{'db_password': 'dbpw-77', 'n': 1}",
                "{'db_password': '***', 'n': 1}",
            ),
            ("{'token': b'a\\'b', 'n': 1}", "{'token': b'***', 'n': 1}"),
            (
                "Client {password: 'js-hunter2', apiToken: 'x y'}",
                "Client {password: '***', apiToken: '***'}",
            ),
            (
                "Map(1) {'password' => 'map-secret'}",
                "Map(1) {'password' => '***'}",
            ),
            (
                "{\"password\":\"x\",\"n\":1}",
                "{\"password\":\"***\",\"n\":1}",
            ),
            (
                r#""{\"password\":\"x\",\"n\":1}""#,
                r#""{\"password\":\"***\",\"n\":1}""#,
            ),
            (
                "main.Conf {User: \"ada\", APIToken: \"go\"}",
                "main.Conf {User: \"ada\", APIToken: \"***\"}",
            ),
            (
                "map[string]string [\"password\": \"x\", ]",
                "map[string]string [\"password\": \"***\", ]",
            ),
            (
                "{name = 0x1 \"ada\", password = 0x2 \"x\"}",
                "{name = 0x1 \"ada\", password = 0x2 \"***\"}",
            ),
            (
                "Conf { secret: Some(\"x\"), n: 1 }",
                "Conf { secret: ***, n: 1 }",
            ),
            (
                "Conf { secret: Inner { a: \"}\" }, n: 1 }",
                "Conf { secret: ***, n: 1 }",
            ),
            (
                "{'secret_keys': [b'zebra', b'x'], 'n': 1}",
                "{'secret_keys': ***, 'n': 1}",
            ),
            ("DB_PASSWORD=x1 HOME=/h", "DB_PASSWORD=*** HOME=/h"),
            ("--password=x1", "--password=***"),
            ("a&password=x1&b=2", "a&password=***&b=2"),
            (
                "Authorization: Bearer abc\nHost: x",
                "Authorization: ***\nHost: x",
            ),
            ("Cookie: a=1; b=2\nHost: x", "Cookie: ***\nHost: x"),
            (
                "class C { password = 'x'; f() {} }",
                "class C { password = '***'; f() {} }",
            ),
            ("def f(password: str = 'x')", "def f(password: *** = '***')"),
            ("config['password'] = 'x'", "config['password'] = '***'"),
            ("{'password': 'cut off…", "{'password': '***"),
        ] {
            assert_eq!(masked(text), expected);
            assert_eq!(masked(expected), expected, "once is enough");
        }
        for text in [
            "password is wrong",
            "{password: undefined, token: null}",
            "if password == given",
            "secret::key",
            "secret://x",
            "n: 1, key='x'",
            "password: ƒ",
            "{'token': {}}",
            "{token: {…}}",
            "",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
