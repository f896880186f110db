//! Reading a template's text: what in it is a metavariable, and which one.

use crate::metavariable::{Arity, Variable, is_name_byte};
use crate::pattern::Pattern;
use crate::template::{Part, TemplateError, blanks_of};

/// PHP's own variables that are spelled like metavariables; a template may hold them.
const PHP_SUPERGLOBALS: [&str; 9] = [
    "GLOBALS", "_COOKIE", "_ENV", "_FILES", "_GET", "_POST", "_REQUEST", "_SERVER", "_SESSION",
];

/// A metavariable, or what looks like one, in a template.
struct Spelling<'t> {
    text: &'t str,
    dollars: usize,
    name: &'t str,
    braced: bool,
    /// With the character before and the one after it.
    context: &'t str,
    is_escaped: bool,
    /// Whether it is read as a metavariable here.
    is_read: bool,
}

/// Reads the parts of a template.
pub(crate) fn read(text: &str, pattern: &Pattern) -> Result<Vec<Part>, TemplateError> {
    let mut parts = Vec::new();
    let mut lines = 0;
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'$', &text.as_bytes()[at..]) {
        let start = at + offset;
        let spelling = spell(text, start);
        let end = start + spelling.text.len();
        if let Some((slot, many)) = resolve(&spelling, pattern)? {
            push_text(&mut parts, &mut lines, &text[copied..start]);
            parts.push(Part::Variable { slot, many });
            copied = end;
        }
        at = end;
    }
    push_text(&mut parts, &mut lines, &text[copied..]);
    Ok(parts)
}

fn push_text(parts: &mut Vec<Part>, lines: &mut usize, text: &str) {
    for (number, line) in text.split('\n').enumerate() {
        let mut line = line;
        if number > 0 {
            *lines += 1;
            let indent = blanks_of(line);
            line = &line[indent.len()..];
            parts.push(Part::Line {
                indent: indent.to_owned(),
                number: *lines,
            });
        }
        if !line.is_empty() {
            parts.push(Part::Text(line.to_owned()));
        }
    }
}

fn spell(text: &str, start: usize) -> Spelling<'_> {
    let bytes = text.as_bytes();
    let count =
        |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is(byte)).count();
    let dollars = count(start, |&byte| byte == b'$');
    let after = start + dollars;
    let continues = |c: char| c.is_alphanumeric() || c == '_';
    let escapes = text[..start]
        .bytes()
        .rev()
        .take_while(|&byte| byte == b'\\')
        .count();
    let inner = after + 1;
    let braced = bytes.get(after) == Some(&b'{')
        && bytes.get(inner + count(inner.min(bytes.len()), |&byte| is_name_byte(byte)))
            == Some(&b'}');
    let name_start = if braced { inner } else { after };
    let name_end = name_start + count(name_start, |&byte| is_name_byte(byte));
    let name = &text[name_start..name_end];
    let end = if braced { name_end + 1 } else { name_end };
    let before = text[..start].chars().next_back();
    let next = text[end..].chars().next();
    let apart = braced || !(before.is_some_and(continues) || next.is_some_and(continues));
    let context = start - before.map_or(0, char::len_utf8)..end + next.map_or(0, char::len_utf8);
    let is_escaped = escapes % 2 == 1;
    let well_named = !name.starts_with(|c: char| c.is_ascii_digit())
        && match dollars {
            1 => !name.is_empty(),
            3 => !(braced && name.is_empty()),
            _ => false,
        };
    Spelling {
        text: &text[start..end],
        dollars,
        name,
        braced,
        context: &text[context],
        is_escaped,
        is_read: apart && well_named && !is_escaped,
    }
}

/// The slot that a spelling means; `None` when it is text.
fn resolve(
    spelling: &Spelling<'_>,
    pattern: &Pattern,
) -> Result<Option<(usize, bool)>, TemplateError> {
    let language = pattern.language().id();
    let name = spelling.name;
    let spelled = spelling.text.to_owned();
    let bound = pattern
        .variables()
        .iter()
        .position(|variable| variable.name == name);
    if !spelling.is_read {
        // Text, unless it was most likely meant: silence would leave the dollar in the program.
        let is_meant = !spelling.is_escaped && !pattern.text().contains(spelling.context);
        let Some(slot) = bound.filter(|_| is_meant) else {
            return Ok(None);
        };
        let variable = &pattern.variables()[slot];
        let dollars = dollars(&variable.to_string()).to_owned();
        return Err(TemplateError::NotRead {
            spelled: spelling.context.to_owned(),
            name: name.to_owned(),
            meant: format!("{dollars}{{{name}}}"),
        });
    }
    let Some(slot) = bound else {
        if language == "php" && PHP_SUPERGLOBALS.contains(&name) {
            return Ok(None);
        }
        if name.is_empty() || name.starts_with('_') {
            return Err(TemplateError::Unnamed { spelled });
        }
        if spelling.braced && interpolates(language) {
            return Ok(None);
        }
        let bound: Vec<String> = pattern
            .variables()
            .iter()
            .map(Variable::to_string)
            .collect();
        let nearest = pattern
            .variables()
            .iter()
            .map(|variable| (distance(&variable.name, name), variable))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, variable)| *distance * 2 <= variable.name.len().max(name.len()))
            .map(|(_, variable)| variable.to_string());
        return Err(TemplateError::Unbound {
            name: name.to_owned(),
            spelled,
            bound,
            nearest,
        });
    };
    let variable = &pattern.variables()[slot];
    let many = variable.arity == Arity::Many;
    if many != (spelling.dollars == 3) {
        return Err(TemplateError::Arity {
            spelled,
            bound: variable.to_string(),
        });
    }
    Ok(Some((slot, many)))
}

/// Languages that write a value inside a string as `${NAME}`.
fn interpolates(language: &str) -> bool {
    matches!(
        language,
        "javascript"
            | "jsx"
            | "typescript"
            | "tsx"
            | "dart"
            | "kotlin"
            | "scala"
            | "php"
            | "bash"
            | "yaml"
            | "toml"
            | "json"
            | "html"
    )
}

/// Edits of one letter that turn one name into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The dollars that a metavariable begins with.
pub(crate) fn dollars(spelled: &str) -> &str {
    &spelled[..spelled.bytes().take_while(|&byte| byte == b'$').count()]
}
