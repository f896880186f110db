//! The error of a fragment that no rung accepts.

use crate::ladder::Refusal;
use crate::rung::Rung;
use fourfold_syntax::Language;
use std::fmt::Write as _;

/// A fragment that is no code of its language on any rung.
///
/// Its message tells, for each rung, the place and token where reading stopped, and a hint for the
/// usual mistakes. Such a fragment is never searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct Unparsable {
    /// The language whose grammar was asked.
    pub language: Language,
    /// The fragment.
    pub text: String,
    /// What each rung said; the furthest reading first.
    pub refusals: Vec<Refusal>,
    /// What was probably meant.
    pub hint: Option<&'static str>,
}

impl Unparsable {
    pub(crate) fn refused(
        language: Language,
        text: &str,
        only: Option<Rung>,
        mut refusals: Vec<Refusal>,
    ) -> Unparsable {
        if let Some(rung) = only {
            refusals.retain(|refusal| refusal.rung == rung);
            if refusals.is_empty() {
                return Unparsable {
                    language,
                    text: text.to_owned(),
                    refusals,
                    hint: Some(
                        "the language has no such rung, or an earlier rung reads the fragment the same way; leave the rung out to see every reading",
                    ),
                };
            }
        }
        refusals.sort_by_key(|refusal| (std::cmp::Reverse(refusal.at), refusal.rung));
        Unparsable {
            language,
            text: text.to_owned(),
            hint: hint(language, text),
            refusals,
        }
    }

    pub(crate) fn too_long(language: Language, text: &str, limit: usize) -> Unparsable {
        let mut end = limit.min(80);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Unparsable {
            language,
            text: format!("{}…", &text[..end]),
            refusals: Vec::new(),
            hint: Some(
                "the pattern is longer than the limit, which is 16 KiB unless set; search for a smaller piece of it",
            ),
        }
    }

    pub(crate) fn too_many_variables(language: Language, text: &str) -> Unparsable {
        Unparsable {
            language,
            text: text.to_owned(),
            refusals: Vec::new(),
            hint: Some(
                "the pattern has more than 250 metavariables; search for a smaller piece of it",
            ),
        }
    }

    pub(crate) fn too_deep(language: Language, text: &str) -> Unparsable {
        Unparsable {
            language,
            text: text.to_owned(),
            refusals: Vec::new(),
            hint: Some(
                "the pattern is nested more than 500 levels deep; search for a smaller piece of it",
            ),
        }
    }

    pub(crate) fn empty(language: Language) -> Unparsable {
        Unparsable {
            language,
            text: String::new(),
            refusals: Vec::new(),
            hint: Some(
                "the pattern is empty; write a piece of code, with $X where anything may stand",
            ),
        }
    }

    fn message(&self) -> String {
        let mut message = format!("the pattern is no {} code: `{}`", self.language, self.text);
        for refusal in &self.refusals {
            let (line, column) = position(&self.text, refusal.at);
            let _ = match refusal.token.as_str() {
                "" => write!(
                    message,
                    "\n  {}: stops at its end, which {}",
                    refusal.rung, refusal.why
                ),
                token => write!(
                    message,
                    "\n  {}: stops at {line}:{column}, where `{token}` {}",
                    refusal.rung, refusal.why
                ),
            };
        }
        if let Some(hint) = self.hint {
            let _ = write!(message, "\n  hint: {hint}");
        }
        message
    }
}

/// 1-based line and column, in characters.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line, column)
}

fn hint(language: Language, text: &str) -> Option<&'static str> {
    let has = |piece: &str| text.contains(piece);
    if has(".*")
        || has("\\(")
        || has("\\w")
        || has("\\s")
        || has("\\.")
        || has("\\b")
        || has(".+")
        || text.starts_with('^')
    {
        return Some(
            "this looks like a regular expression; write the code itself, with $X for one node and $$$XS for any number of them, and constrain a capture with --where '$X=~REGEX'",
        );
    }
    if crate::metavariable::occurrences(text).len() == 1 && text.starts_with("$$$") && !has(" ") {
        return Some(
            "a list cannot be a whole pattern; put what stands around it into the pattern, as in f($$$ARGS)",
        );
    }
    if has("...") && !has("$$$") {
        return Some("`...` is no placeholder here; write $$$ for any number of things");
    }
    let opened =
        |open: char, close: char| text.matches(open).count() != text.matches(close).count();
    if opened('(', ')') || opened('[', ']') || opened('{', '}') {
        return Some("a bracket is not closed; close it, with $$$ for what it holds");
    }
    if text.ends_with(':') {
        return Some(
            "the body is missing after the colon; add one, such as an indented $$$BODY on the next line",
        );
    }
    if has("$$") && !has("$$$") {
        return Some(
            "`$$` is no metavariable; write $X for one node, $$$XS for any number of them",
        );
    }
    let bodiless = [
        "function ",
        "class ",
        "def ",
        "fn ",
        "func ",
        "void ",
        "interface ",
        "struct ",
        "enum ",
        "public ",
        "export ",
    ];
    if bodiless.iter().any(|word| text.starts_with(word)) && !has("{") && !has("\n") {
        return Some(match language.id() {
            "python" => "the declaration has no body; add one, such as `:` and an indented $$$BODY",
            _ => "the declaration has no body; add one, such as { $$$BODY }",
        });
    }
    None
}
