//! What the text of a source file says around a name: is it called, is it bound to a function, where
//! does its statement end. Only lines and signs are looked at, so that the measure has no parser in
//! common with what it measures.

use std::fs;
use std::io;
use std::path::Path;

/// The languages whose indexes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    /// And JavaScript.
    TypeScript,
    Rust,
    Other,
}

impl Language {
    pub(crate) fn of(path: &str) -> Language {
        match path.rsplit('.').next().unwrap_or_default() {
            "py" | "pyi" => Language::Python,
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Language::TypeScript,
            "rs" => Language::Rust,
            _ => Language::Other,
        }
    }
}

/// How a name is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// `f()`
    Bare,
    /// `x.f()`
    Method,
    /// `new X()`, or the call of a class
    New,
    /// `a::f()`
    Path,
    /// `self.f()`, `this.f()`, `super().f()`, `Self::f()`
    OnSelf,
}

impl Shape {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Bare => "bare",
            Shape::Method => "method",
            Shape::New => "new",
            Shape::Path => "path",
            Shape::OnSelf => "self",
        }
    }
}

/// A file as lines.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    text: String,
    /// Where each line starts.
    starts: Vec<usize>,
    pub(crate) language: Language,
}

impl Source {
    /// Reads a file; bytes that are no UTF-8 are replaced, and every end of a line becomes `\n`.
    pub(crate) fn read(root: &Path, path: &str) -> io::Result<Source> {
        let bytes = fs::read(root.join(path))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Source::new(path, &text))
    }

    pub(crate) fn new(path: &str, text: &str) -> Source {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Source {
            text,
            starts,
            language: Language::of(path),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// A line without its end; empty past the last.
    pub(crate) fn line(&self, line: usize) -> &str {
        let Some(&start) = self.starts.get(line) else {
            return "";
        };
        let rest = &self.text[start..];
        rest.split('\n').next().unwrap_or(rest)
    }

    /// The part of a line between two columns, counted in characters.
    pub(crate) fn slice(&self, line: usize, start: usize, end: usize) -> &str {
        let text = self.line(line);
        let (start, end) = (byte_of(text, start), byte_of(text, end));
        text.get(start..end).unwrap_or_default()
    }

    /// The part of a line before a column.
    pub(crate) fn before(&self, line: usize, column: usize) -> &str {
        let text = self.line(line);
        &text[..byte_of(text, column)]
    }

    /// The text from a column on, to the end of the line that is `more` lines on.
    pub(crate) fn after(&self, line: usize, column: usize, more: usize) -> &str {
        let Some(&start) = self.starts.get(line) else {
            return "";
        };
        let start = start + byte_of(self.line(line), column);
        let end = match self.starts.get(line + more + 1) {
            Some(&next) => next - 1,
            None => self.text.len(),
        };
        self.text.get(start..end).unwrap_or_default()
    }

    /// Whether the line imports, or exports what it imports.
    pub(crate) fn is_import(&self, line: usize) -> bool {
        let text = self.line(line).trim_start();
        match self.language {
            Language::Python => ["from", "import"].iter().any(|word| {
                let rest = text.strip_prefix(word);
                rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
            }),
            Language::TypeScript => {
                let exported = text.strip_prefix("export").unwrap_or_default().trim_start();
                exported.starts_with(['{', '*'])
                    || text
                        .strip_prefix("import")
                        .is_some_and(|rest| !rest.starts_with(is_word))
            }
            Language::Rust => {
                let mut text = text;
                if let Some(rest) = text.strip_prefix("pub") {
                    let scope = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
                    let rest = scope.map_or(rest, |(_, rest)| rest);
                    if rest.starts_with(char::is_whitespace) {
                        text = rest.trim_start();
                    }
                }
                text.strip_prefix("use")
                    .is_some_and(|rest| rest.starts_with(char::is_whitespace))
            }
            Language::Other => false,
        }
    }

    /// Whether an `impl` of Rust starts on the line.
    pub(crate) fn is_implementation(&self, line: usize) -> bool {
        let text = self.line(line).trim_start();
        let text = text.strip_prefix("unsafe ").unwrap_or(text);
        self.language == Language::Rust
            && text
                .strip_prefix("impl")
                .is_some_and(|rest| !rest.starts_with(is_word))
    }

    /// The line with the brace that opens the block.
    pub(crate) fn head_end(&self, line: usize) -> usize {
        let mut lines = line..self.lines().min(line + 40);
        lines
            .find(|&line| self.line(line).contains('{'))
            .unwrap_or(line)
    }

    /// The last line of the import that starts on this line.
    pub(crate) fn import_end(&self, line: usize) -> usize {
        let ends: &[char] = match self.language {
            Language::Rust => &[';'],
            Language::TypeScript if self.line(line).trim_start().starts_with("export") => {
                &['\'', '"', ';', '}']
            }
            Language::TypeScript => &['\'', '"', ';'],
            Language::Python | Language::Other => return line,
        };
        let mut lines = line..self.lines().min(line + 400);
        lines
            .find(|&line| self.line(line).contains(ends))
            .unwrap_or(line)
    }

    /// The pairs `(a, b)` of `export { a as b }` in a file of TypeScript.
    pub(crate) fn exported_aliases(&self) -> Vec<(&str, &str)> {
        if self.language != Language::TypeScript {
            return Vec::new();
        }
        let blocks = self.text.match_indices("export").filter_map(|(at, word)| {
            let rest = self.text[at + word.len()..].trim_start();
            rest.strip_prefix('{')?.split_once('}')
        });
        let items = blocks.flat_map(|(inside, _)| inside.split(','));
        let pairs = items.filter_map(|item| {
            let mut words = item.split_whitespace().filter(|word| *word != "type");
            match (words.next(), words.next(), words.next(), words.next()) {
                (Some(own), Some("as"), Some(other), None) => Some((own, other)),
                _ => None,
            }
        });
        pairs.collect()
    }

    /// How the name at these columns is called, if it is.
    pub(crate) fn call_shape(&self, line: usize, start: usize, end: usize) -> Option<Shape> {
        let called = is_called(self.after(line, end, 5), self.language);
        let mut before = self.before(line, start);
        if before.trim().is_empty() && line > 0 {
            let above = self.line(line - 1);
            before = above.split("//").next().unwrap_or(above).trim_end();
        }
        if self.language == Language::TypeScript && follows_new(before) {
            return Some(Shape::New);
        }
        if !called {
            return None;
        }
        let before = before.trim_end();
        if self.language == Language::Rust
            && let Some(path) = before.strip_suffix("::")
        {
            let on_self = path
                .trim_end()
                .strip_suffix("Self")
                .is_some_and(|rest| !rest.ends_with(is_word));
            return Some(if on_self { Shape::OnSelf } else { Shape::Path });
        }
        match before.strip_suffix('.') {
            Some(receiver) if !receiver.ends_with('.') => Some(if is_self(receiver) {
                Shape::OnSelf
            } else {
                Shape::Method
            }),
            _ => Some(Shape::Bare),
        }
    }

    /// Whether the name that ends at this column is bound to a literal function on the spot.
    /// `in_literal`: it may also be a member of an object literal.
    pub(crate) fn binds_function(&self, line: usize, end: usize, in_literal: bool) -> bool {
        match self.language {
            Language::TypeScript => {
                let text = self.after(line, end, 29);
                let text = match text.char_indices().nth(1500) {
                    Some((cut, _)) => &text[..cut],
                    None => text,
                };
                let first = text.trim_start();
                if first.starts_with(['(', '<']) {
                    return opens_parameters(first);
                }
                assigns_function(text) || (in_literal && is_function_member(first))
            }
            Language::Python => {
                let text = self.after(line, end, 0).trim_start();
                let value = match text.strip_prefix(':') {
                    Some(annotated) => annotated
                        .split_once('=')
                        .and_then(|(annotation, value)| (!annotation.is_empty()).then_some(value)),
                    None => text.strip_prefix('='),
                };
                value
                    .and_then(|value| value.trim_start().strip_prefix("lambda"))
                    .is_some_and(|rest| !rest.starts_with(is_word))
            }
            Language::Rust | Language::Other => false,
        }
    }

    /// Whether a word that begins a function stands before this column.
    pub(crate) fn follows_function_word(&self, line: usize, column: usize) -> bool {
        let before = self.before(line, column).trim_end();
        let before = before.strip_suffix('*').unwrap_or(before).trim_end();
        ["def", "fn", "function", "func"].iter().any(|word| {
            let rest = before.strip_suffix(word);
            rest.is_some_and(|rest| !rest.ends_with(is_word))
        })
    }

    /// The last line of the binding whose name ends at this column: brackets balance, and a line
    /// that ends in an operator goes on.
    pub(crate) fn statement_end(&self, line: usize, column: usize) -> usize {
        const LIMIT: usize = 4000;
        let mut state = Scan::default();
        for at in line..self.lines().min(line + LIMIT) {
            let text = self.line(at);
            let from = if at == line { byte_of(text, column) } else { 0 };
            if state.read(text, from) {
                return at;
            }
            if state.within.is_some() || state.depth > 0 {
                continue;
            }
            if state
                .last
                .is_none_or(|last| b"=,+-*/&|?:<.".contains(&last))
                || (state.last == Some(b'>') && text.trim_end().ends_with("=>"))
            {
                continue;
            }
            let next = (at + 1..(at + 3).min(self.lines()))
                .map(|next| self.line(next).trim())
                .find(|next| !next.is_empty());
            let goes_on = next.is_none_or(|next| {
                next.starts_with(['.', '?', ':', '&', '|', '=', '+']) && !next.starts_with("?.")
            });
            if !goes_on {
                return at;
            }
        }
        (self.lines().saturating_sub(1)).min(line + LIMIT)
    }

    /// The columns at which the name stands as a word, but in a comment that fills the line.
    pub(crate) fn mentions(&self, line: usize, name: &str) -> Vec<usize> {
        let text = self.line(line);
        let start = text.trim_start();
        let is_comment = ["//", "#", "* "].iter().any(|sign| start.starts_with(sign))
            && !start.starts_with("#[");
        if is_comment || name.is_empty() {
            return Vec::new();
        }
        text.match_indices(name)
            .filter(|(at, name)| {
                !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
            })
            .map(|(at, _)| text[..at].chars().count())
            .collect()
    }

    /// The line and the column of a byte of the text.
    pub(crate) fn place(&self, byte: usize) -> (usize, usize) {
        let line = self
            .starts
            .partition_point(|&start| start <= byte)
            .saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..byte).unwrap_or_default();
        (line, before.chars().count())
    }

    /// The byte of a line and a column.
    pub(crate) fn byte(&self, line: usize, column: usize) -> usize {
        let start = self.starts.get(line).copied().unwrap_or(self.text.len());
        start + byte_of(self.line(line), column)
    }

    /// Everything on a line that looks like a call: the column of the name, and the name.
    pub(crate) fn calls(&self, line: usize) -> Vec<(usize, &str)> {
        let text = self.line(line);
        let start = text.trim_start();
        let is_comment = ["//", "# ", "* "]
            .iter()
            .any(|sign| start.starts_with(sign));
        if is_comment || !text.contains('(') {
            return Vec::new();
        }
        let mut calls = Vec::new();
        let mut at = 0;
        let mut before = None;
        while let Some(c) = text[at..].chars().next() {
            let fresh = !before.is_some_and(|c| is_word(c) || c == '$');
            if !fresh || !(c.is_ascii_alphabetic() || c == '_' || c == '$') {
                before = Some(c);
                at += c.len_utf8();
                continue;
            }
            let name = leading_name(&text[at..]);
            let column = text[..at].chars().count();
            let after = &text[at + name.len()..];
            before = name.chars().next_back();
            at += name.len();
            if let Some(open) = opens_call(after) {
                at += open;
                before = Some('(');
                if !KEYWORDS.contains(&name) {
                    calls.push((column, name));
                }
            }
        }
        calls
    }
}

/// Words that stand before a parenthesis and are no function.
const KEYWORDS: &[&str] = &[
    "if", "for", "while", "switch", "match", "return", "catch", "function", "def", "fn", "async",
    "await", "not", "and", "or", "is", "elif", "with", "print", "super", "class", "typeof", "new",
    "yield", "lambda", "del", "assert", "raise", "except", "func", "go", "defer", "select", "else",
    "do", "of", "void", "throw", "import", "export", "from", "as", "use", "mod", "impl", "pub",
    "unsafe", "move", "ref", "where", "loop", "in",
];

/// The state of a scan for the end of a statement.
#[derive(Default)]
struct Scan {
    depth: i32,
    /// What the text is in the middle of: `/` a comment, `` ` `` a template string.
    within: Option<u8>,
    /// The last sign that was not a blank.
    last: Option<u8>,
}

impl Scan {
    /// Reads a line; true when the statement ends on it for certain.
    fn read(&mut self, line: &str, from: usize) -> bool {
        let bytes = line.as_bytes();
        let mut at = from;
        while let Some(&c) = bytes.get(at) {
            match self.within {
                Some(b'/') => match line.get(at..).and_then(|rest| rest.find("*/")) {
                    Some(end) => {
                        at += end + 2;
                        self.within = None;
                    }
                    None => return false,
                },
                Some(_) => {
                    match c {
                        b'\\' => at += 1,
                        b'`' => self.within = None,
                        _ => {}
                    }
                    at += 1;
                }
                None => {
                    match c {
                        b'/' if bytes.get(at + 1) == Some(&b'/') => return false,
                        b'/' if bytes.get(at + 1) == Some(&b'*') => {
                            self.within = Some(b'/');
                            at += 2;
                            continue;
                        }
                        b'`' => {
                            self.within = Some(b'`');
                            at += 1;
                            continue;
                        }
                        b'\'' | b'"' => {
                            at += 1;
                            while bytes.get(at).is_some_and(|&inner| inner != c) {
                                at += if bytes[at] == b'\\' { 2 } else { 1 };
                            }
                        }
                        b'(' | b'[' | b'{' => self.depth += 1,
                        b')' | b']' | b'}' => {
                            self.depth -= 1;
                            if self.depth < 0 {
                                return true;
                            }
                        }
                        b';' if self.depth == 0 => return true,
                        _ => {}
                    }
                    if !c.is_ascii_whitespace() {
                        self.last = Some(c);
                    }
                    at += 1;
                }
            }
        }
        false
    }
}

/// The byte at which a column starts; the end of the text for a column past it.
fn byte_of(text: &str, column: usize) -> usize {
    if text.is_ascii() {
        return column.min(text.len());
    }
    let at = text.char_indices().nth(column);
    at.map_or(text.len(), |(byte, _)| byte)
}

/// A letter of a word, as regular expressions see it.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name that `text` starts with; `$` is one of its letters.
fn leading_name(text: &str) -> &str {
    let end = text.find(|c| !(is_word(c) || c == '$'));
    &text[..end.unwrap_or(text.len())]
}

fn is_called(after: &str, language: Language) -> bool {
    match language {
        Language::Python => after.trim_start_matches([' ', '\t']).starts_with('('),
        Language::Rust => {
            let mut rest = after.trim_start();
            if let Some(path) = rest.strip_prefix("::")
                && path.trim_start().starts_with('<')
            {
                // Without its end the turbofish is no call.
                rest = skip_generics(path.trim_start()).unwrap_or(rest);
            }
            rest.trim_start().starts_with('(')
        }
        Language::TypeScript | Language::Other => {
            let mut rest = after.trim_start();
            if let Some(asserted) = rest.strip_prefix('!')
                && (asserted.is_empty() || asserted.starts_with(['.', '<', '(']))
            {
                rest = asserted.trim_start();
            }
            if let Some(optional) = rest.strip_prefix("?.") {
                rest = optional.trim_start();
            }
            if rest.starts_with('<') {
                rest = skip_generics(rest).unwrap_or(rest).trim_start();
            }
            rest.starts_with('(') || (language == Language::TypeScript && rest.starts_with('`'))
        }
    }
}

/// What follows the balanced `<…>` that `text` starts with.
pub(crate) fn skip_generics(text: &str) -> Option<&str> {
    let mut depth = 0;
    let mut before = '<';
    for (at, c) in text.char_indices().take(400) {
        match c {
            '<' => depth += 1,
            '>' if before != '=' && before != '-' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[at + 1..]);
                }
            }
            ';' => return None,
            _ => {}
        }
        before = c;
    }
    None
}

/// Whether `new` and at most a path of names stand at the end of `before`.
fn follows_new(before: &str) -> bool {
    let mut rest = before;
    loop {
        let trimmed = rest.trim_end();
        if trimmed.len() < rest.len()
            && let Some(start) = trimmed.strip_suffix("new")
            && !start.ends_with(is_word)
        {
            return true;
        }
        let Some(path) = trimmed.strip_suffix('.') else {
            return false;
        };
        let path = path.trim_end();
        rest = path.trim_end_matches(|c| is_word(c) || c == '$');
        if rest.len() == path.len() {
            return false;
        }
    }
}

/// Whether `receiver`, what stands before a `.`, is the object of the method itself.
fn is_self(receiver: &str) -> bool {
    let receiver = receiver.trim_end();
    let receiver = receiver
        .strip_suffix(['?', '!'])
        .unwrap_or(receiver)
        .trim_end();
    let alone = |word: &str, text: &str| {
        text.strip_suffix(word)
            .is_some_and(|rest| !rest.ends_with(|c| is_word(c) || c == '.'))
    };
    if let Some(arguments) = receiver.strip_suffix(')') {
        return arguments.rfind(['(', ')']).is_some_and(|at| {
            arguments[at..].starts_with('(') && alone("super", arguments[..at].trim_end())
        });
    }
    ["self", "this", "cls", "super"]
        .iter()
        .any(|word| alone(word, receiver))
}

/// `(` or `<…>(`, at the start of `text`.
fn opens_parameters(text: &str) -> bool {
    let rest = match text.strip_prefix('<') {
        Some(generics) => generics.split_once('>').map(|(_, rest)| rest.trim_start()),
        None => Some(text),
    };
    rest.is_some_and(|rest| rest.starts_with('('))
}

/// `= function`, `= (a) =>` and the like, after an annotation or not.
fn assigns_function(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('!').unwrap_or(text).trim_start();
    let assigned = |text: &str| {
        text.trim_start()
            .strip_prefix('=')
            .is_some_and(|value| !value.starts_with(['=', '>']) && is_function(value))
    };
    let Some(annotation) = text.strip_prefix(':') else {
        return assigned(text);
    };
    // The annotation ends before any of its signs of assignment.
    let end = annotation.find([';', '\n']).unwrap_or(annotation.len());
    assigned(&annotation[end..])
        || annotation[..end]
            .match_indices('=')
            .any(|(at, _)| assigned(&annotation[at..]))
}

/// `: function`, `: (a) =>` and the like.
fn is_function_member(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(is_function)
}

/// Whether `text` starts with a function expression.
fn is_function(text: &str) -> bool {
    let mut text = text.trim_start();
    while let Some(comment) = text.strip_prefix("/*") {
        let Some((_, rest)) = comment.split_once("*/") else {
            return false;
        };
        text = rest.trim_start();
    }
    let plain = text
        .strip_prefix("async")
        .filter(|rest| !rest.starts_with(is_word))
        .map(str::trim_start);
    plain.is_some_and(starts_function) || starts_function(text)
}

fn starts_function(text: &str) -> bool {
    let word = text.strip_prefix("function");
    if word.is_some_and(|rest| !rest.starts_with(is_word)) {
        return true;
    }
    if let Some(generics) = text.strip_prefix('<') {
        let end = generics.find(['=', ';']).unwrap_or(generics.len());
        return generics[..end].match_indices('>').any(|(at, _)| {
            let rest = generics[at + 1..].trim_start();
            rest.strip_prefix('(').is_some_and(|parameters| {
                let statement = parameters.split(';').next().unwrap_or(parameters);
                statement.contains("=>")
            })
        });
    }
    if text.starts_with('(') {
        let Some(rest) = skip_parentheses(text) else {
            return false;
        };
        let rest = rest.trim_start();
        let arrow = match rest.strip_prefix(':') {
            Some(result) => result
                .find(['=', ';'])
                .filter(|&at| at > 0)
                .map_or("", |at| &result[at..]),
            None => rest,
        };
        return arrow.starts_with("=>");
    }
    let name = text.trim_start_matches(is_word);
    name.len() < text.len() && name.trim_start().starts_with("=>")
}

/// What follows the parentheses that `text` starts with; they nest three deep at most.
fn skip_parentheses(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' if depth == 3 => return None,
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    None
}

/// How far the `(` of a call is, where `after` is what follows the name; past it.
fn opens_call(after: &str) -> Option<usize> {
    let mut rest = after.trim_start();
    rest = rest
        .strip_prefix("?.")
        .or_else(|| rest.strip_prefix('!'))
        .unwrap_or(rest);
    let generics = rest.strip_prefix("::").unwrap_or(rest);
    if let Some(inner) = generics.strip_prefix('<') {
        let end = inner.find(['<', '>', '(', ')'])?;
        rest = inner[end..].strip_prefix('>')?;
    }
    let rest = rest.trim_start().strip_prefix('(')?;
    Some(after.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shape(path: &str, text: &str, name: &str, expected: Option<Shape>) {
        let source = Source::new(path, text);
        let (line, start) = (0..source.lines())
            .find_map(|line| Some((line, source.line(line).find(name)?)))
            .unwrap();
        let found = source.call_shape(line, start, start + name.len());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn calls_have_shapes() {
        shape("a.py", "f (1)", "f", Some(Shape::Bare));
        shape("a.py", "x = f\n(1)", "f", None);
        shape(
            "a.py",
            "super().__init__()",
            "__init__",
            Some(Shape::OnSelf),
        );
        shape("a.py", "a.self.m()", "m", Some(Shape::Method));
        shape("a.py", "self.m()", "m", Some(Shape::OnSelf));
        shape("a.py", "x = [*\n  range(3)]", "range", Some(Shape::Bare));
        shape("a.ts", "new a.b.C", "C", Some(Shape::New));
        shape("a.ts", "renew C()", "C", Some(Shape::Bare));
        shape("a.ts", "x?.m?.<T>(1)", "m", Some(Shape::Method));
        shape("a.ts", "this.\n  m()", "m", Some(Shape::OnSelf));
        shape("a.ts", "tag`x`", "tag", Some(Shape::Bare));
        shape("a.ts", "a < f", "f", None);
        shape("a.ts", "m!(1)", "m", Some(Shape::Bare));
        shape("a.ts", "f<(a: B) => C>(x)", "f", Some(Shape::Bare));
        shape("a.ts", "[...f()]", "f", Some(Shape::Bare));
        shape("a.rs", "Self::m()", "m", Some(Shape::OnSelf));
        shape("a.rs", "a::b::<Vec<T>>(x)", "b", Some(Shape::Path));
        shape("a.rs", "a::b::c(x)", "b", None);
        shape("a.rs", "x.iter().map(f)", "f", None);
    }

    #[test]
    fn functions_are_bound() {
        let binds = |path: &str, text: &str, in_literal| {
            let source = Source::new(path, text);
            let end = text.find(|c| !is_word(c)).unwrap();
            source.binds_function(0, end, in_literal)
        };
        for text in [
            "f = function () {}",
            "f = async x => x",
            "f = (a = g(h(1)), b): void => {}",
            "f: (a: string) => void = (a) => {}",
            "f = <T,>(a: T): T => a",
            "f = /* pure */ () => 1",
            "f(a: string) {}",
            "f<T>(a: T) {}",
        ] {
            assert!(binds("a.ts", text, false), "{text}");
        }
        for text in [
            "f = 1",
            "f == (a) => 1",
            "f = g((a) => 1)",
            "f: (a) => 1",
            "f: x = y",
        ] {
            assert!(!binds("a.ts", text, false), "{text}");
        }
        assert!(binds("a.ts", "f: (a) => 1", true));
        assert!(binds("a.ts", "f: async function () {}", true));
        assert!(!binds("a.ts", "f: 1", true));
        assert!(binds("a.py", "f = lambda x: x", false));
        assert!(binds("a.py", "f: Callable = lambda: 1", false));
        assert!(!binds("a.py", "f = lambdas", false));
    }

    #[test]
    fn statements_end() {
        let end = |text: &str| Source::new("a.ts", text).statement_end(0, 1);
        assert_eq!(end("f = (a) => {\n  g(';}')\n}\nnext"), 2);
        assert_eq!(end("f = a +\n  b;\nc"), 1);
        assert_eq!(end("f = a\n  .b()\nc"), 1);
        assert_eq!(end("f: g(`x\n}`) /* } */\nh"), 1);
        assert_eq!(end("f: a,\n  b\nc"), 1);
        assert_eq!(end("f: 1\n}\nx"), 0);
        assert_eq!(end("f =>\n  1\nx"), 1);
    }

    #[test]
    fn possible_calls_are_seen() {
        let source = Source::new("a.rs", "äf(g::<T>(x), if (y) z!(1), h<A>(), 9k(1))");
        let calls = source.calls(0);
        // Columns count characters; a name goes on from a letter that is not ASCII's.
        assert_eq!(calls, [(3, "g"), (21, "z"), (28, "h")]);
        assert!(Source::new("a.py", "# f(x)").calls(0).is_empty());
    }

    #[test]
    fn imports_are_told_from_other_lines() {
        for (path, line, expected) in [
            ("a.py", "from x import y", true),
            ("a.py", "  import x", true),
            ("a.py", "imports = 1", false),
            ("a.ts", "import'./x'", true),
            ("a.ts", "export * from './x'", true),
            ("a.ts", "export const x = 1", false),
            ("a.rs", "pub(in crate::a) use b::c;", true),
            ("a.rs", "pub use b::c;", true),
            ("a.rs", "used()", false),
        ] {
            assert_eq!(Source::new(path, line).is_import(0), expected, "{line}");
        }
    }

    #[test]
    fn columns_count_characters_and_lines_end_in_any_way() {
        let source = Source::new("a.py", "é = f\r\nx\rlast");
        assert_eq!(source.slice(0, 4, 5), "f");
        assert_eq!(
            (source.line(1), source.line(2), source.line(9)),
            ("x", "last", "")
        );
        assert_eq!(source.after(0, 4, 1), "f\nx");
        assert_eq!(source.slice(0, 4, 99), "f");
    }
}
