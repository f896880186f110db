//! Whether code of Python catches an exception that leaves a function it has called by way of a library: a
//! `try` with an `except` for it, or a `with` that waits for it, as `pytest.raises` does. What raises it
//! again does not catch it: debugpy tells of an exception once only.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::connection::Connection;
use crate::protocol::{RawFrame, text};
use crate::source;

use super::inner::Inner;
use super::moment::FrameRef;

/// How long the classes of a clause may take to be looked at.
const CLASSES: Duration = Duration::from_secs(3);

impl Inner {
    /// Whether one of the user's own frames that have called what raised catches the exception.
    pub(super) async fn own_code_catches(
        &self,
        link: &Connection,
        connection: usize,
        thread: i64,
        frames: &[RawFrame],
    ) -> bool {
        let mut clauses = Vec::new();
        let own = frames.iter().filter(|frame| self.is_ours(frame));
        for frame in own.skip(1) {
            let path = frame.path.as_deref().unwrap_or_default();
            let Some(code) = source::read(Path::new(path)) else {
                continue;
            };
            clauses.extend(
                around(&code, frame.line)
                    .into_iter()
                    .map(|clause| (frame.id, clause)),
            );
        }
        if clauses.is_empty() {
            return false;
        }
        let Some(names) = self.names_of_raised(link, connection, thread, frames).await else {
            return false;
        };
        for (id, clause) in clauses {
            let of = FrameRef {
                connection,
                id,
                thread,
            };
            let catches = match &clause.classes {
                None => true,
                Some(classes) => self.matches(link, &of, classes, &names).await,
            };
            if catches {
                return !clause.raises;
            }
        }
        false
    }

    /// The names of the class of the exception and of those that it is made from.
    async fn names_of_raised(
        &self,
        link: &Connection,
        connection: usize,
        thread: i64,
        frames: &[RawFrame],
    ) -> Option<Vec<String>> {
        let asked = json!({ "threadId": thread });
        let info = link.request("exceptionInfo", asked, CLASSES).await.ok()?;
        let details = info.get("details").unwrap_or(&Json::Null);
        let name = text(details, "typeName").or_else(|| text(&info, "exceptionId"))?;
        let name = name.split("(note:").next().unwrap_or(name).trim();
        let name = name.rsplit('.').next().unwrap_or(name);
        if !name
            .chars()
            .all(|char| char.is_alphanumeric() || char == '_')
        {
            return None;
        }
        let of = FrameRef {
            connection,
            id: frames.first()?.id,
            thread,
        };
        // The one class of this name, wherever it was made.
        let asked = format!(
            "(lambda known: ' '.join(c.__name__ for c in known[0].__mro__) if len(known) == 1 else '')\
             ([c for c in (lambda all: all(all, BaseException))(lambda all, c: {{c}}.union(*(all(all, s) \
             for s in type.__subclasses__(c)))) if c.__name__ == '{name}'])"
        );
        let raw = self.evaluate_in(link, &of, &asked, CLASSES).await.ok()?;
        Some(words(&raw.value))
    }

    async fn matches(
        &self,
        link: &Connection,
        of: &FrameRef,
        classes: &str,
        names: &[String],
    ) -> bool {
        let asked = format!(
            "' '.join(c.__name__ for c in (lambda c: c if isinstance(c, tuple) else (c,))({classes}))"
        );
        let Ok(raw) = self.evaluate_in(link, of, &asked, CLASSES).await else {
            return false;
        };
        words(&raw.value).iter().any(|name| names.contains(name))
    }
}

/// The words of a string as Python shows it.
fn words(text: &str) -> Vec<String> {
    let text = text.trim_matches(['\'', '"']);
    text.split_whitespace().map(str::to_owned).collect()
}

/// What may catch an exception around a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    /// The expression for the classes; none of a clause for everything.
    classes: Option<String>,
    /// Whether what is done then raises again.
    raises: bool,
}

/// The clauses around a line, counted from 1, in its function, the innermost first.
fn around(text: &str, line: u32) -> Vec<Clause> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut inner = usize::MAX;
    for index in (0..line as usize).rev() {
        let Some(code) = lines.get(index).copied().filter(|code| is_code(code)) else {
            continue;
        };
        if indent(code) >= inner {
            continue;
        }
        let is_around = inner != usize::MAX;
        inner = indent(code);
        let words = code.trim_start().trim_start_matches("async ");
        if let Some(classes) = waits_for(words) {
            found.push(Clause {
                classes: Some(classes),
                raises: false,
            });
        }
        if !is_around {
            continue;
        }
        if ["def ", "class "]
            .iter()
            .any(|word| words.starts_with(word))
        {
            break;
        }
        if words.trim_end().starts_with("try:") {
            found.extend(clauses(lines.get(index + 1..).unwrap_or_default(), inner));
        }
    }
    found
}

/// The `except` clauses of a `try` that is so far from the edge, from the lines behind it.
fn clauses(lines: &[&str], edge: usize) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    for code in lines.iter().filter(|code| is_code(code)) {
        let words = code.trim();
        if indent(code) > edge {
            if let Some(clause) = found.last_mut() {
                clause.raises |= words == "raise" || words.starts_with("raise ");
            }
            continue;
        }
        let Some(rest) = words
            .strip_prefix("except")
            .filter(|_| indent(code) == edge)
        else {
            break;
        };
        let Some((head, body)) = rest.rsplit_once(':') else {
            break;
        };
        let head = head.trim_start_matches('*');
        let classes = head.split(" as ").next().unwrap_or(head).trim();
        found.push(Clause {
            classes: (!classes.is_empty()).then(|| classes.to_owned()),
            raises: body.trim_start().starts_with("raise"),
        });
    }
    found
}

/// The classes of the exceptions that a `with` waits for.
fn waits_for(words: &str) -> Option<String> {
    let rest = words.strip_prefix("with ")?;
    let (_, rest) = [
        "raises(",
        "assertRaises(",
        "assertRaisesRegex(",
        "suppress(",
    ]
    .iter()
    .find_map(|call| rest.split_once(call))?;
    let mut depth = 0;
    let end = rest.find(|char: char| {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth < 0
    })?;
    let arguments = rest.get(..end)?.trim();
    // Options are named, and the pattern of a regular expression is a text.
    let classes: Vec<&str> = split(arguments)
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty() && !part.contains('=') && !part.contains(['"', '\'']))
        .collect();
    match classes.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        many => Some(format!("({})", many.join(", "))),
    }
}

/// The arguments of a call.
fn split(arguments: &str) -> Vec<&str> {
    let mut depth = 0;
    arguments
        .split(|char: char| {
            match char {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            char == ',' && depth == 0
        })
        .collect()
}

fn is_code(line: &str) -> bool {
    let words = line.trim();
    !words.is_empty() && !words.starts_with('#')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Option<String>, bool)> {
        let line = text.lines().position(|line| line.contains('@')).unwrap() + 1;
        let clauses = around(text, line as u32).into_iter();
        clauses
            .map(|clause| (clause.classes, clause.raises))
            .collect()
    }

    fn of(classes: &str, raises: bool) -> (Option<String>, bool) {
        (Some(classes.to_owned()), raises)
    }

    #[test]
    fn what_catches_around_a_line_is_read_from_the_text() {
        assert_eq!(
            found(
                "try:\n    @\nexcept (A, b.B) as e:\n    x\nexcept C: raise\nexcept:\n    pass\nelse:\n    y\n"
            ),
            [of("(A, b.B)", false), of("C", true), (None, false)]
        );
        let again =
            "try:\n    for x in y:\n        @\nexcept E:\n    if a:\n        raise F from e\n";
        assert_eq!(found(again), [of("E", true)]);
        // Neither the clause itself nor what is behind the `try`.
        assert_eq!(found("try:\n    x\nexcept E:\n    @\n"), []);
        assert_eq!(found("try:\n    x\nexcept E:\n    pass\n@\n"), []);
        assert_eq!(found("try:\n    @\nfinally:\n    x\n"), []);
        // Another function.
        assert_eq!(
            found("try:\n    def f():\n        @\nexcept E:\n    pass\n"),
            []
        );
        let nested =
            "try:\n    try:\n        @\n    except A:\n        pass\nexcept B:\n    pass\n";
        assert_eq!(found(nested), [of("A", false), of("B", false)]);
    }

    #[test]
    fn what_waits_for_an_exception_catches_it() {
        assert_eq!(
            found("with pytest.raises(ValueError):\n    @\n"),
            [of("ValueError", false)]
        );
        assert_eq!(
            found("with self.assertRaisesRegex((A, B), 'x') as c:\n    @\n"),
            [of("(A, B)", false)]
        );
        assert_eq!(
            found("with pytest.raises(A, match=\"x\"): @\n"),
            [of("A", false)]
        );
        assert_eq!(
            found("with suppress(A, B):\n    @\n"),
            [of("(A, B)", false)]
        );
        assert_eq!(found("with open(x):\n    @\n"), []);
    }
}
