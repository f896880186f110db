//! The error of a fragment that no rung accepts.

use crate::ladder::Refusal;
use crate::rung::Rung;
use fourfold_syntax::Language;
use std::fmt::Write as _;

/// A fragment that is no code of its language on any rung.
///
/// Its message gives a hint for the usual mistakes, and for the rungs that came furthest the place
/// and token where reading stopped. Such a fragment is never searched for.
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

/// Rungs that the message tells about; [`Unparsable::refusals`] has all.
const TOLD: usize = 6;

impl Unparsable {
    /// What was probably meant by a fragment that is code of a language, but code that people hardly
    /// ever search for: for a search that found nothing.
    pub fn likely_slip(language: Language, text: &str) -> Option<&'static str> {
        lower_case_variable(language, text)
            .or_else(|| is_lone_ellipsis(language, text).then_some(ELLIPSIS))
    }

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
        if let Some(hint) = self.hint {
            let _ = write!(message, "\n  hint: {hint}");
        }
        for refusal in self.refusals.iter().take(TOLD) {
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
        match self.refusals.len().saturating_sub(TOLD) {
            0 => {}
            1 => message.push_str("\n  and 1 more rung"),
            more => {
                let _ = write!(message, "\n  and {more} more rungs");
            }
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

const ELLIPSIS: &str = "`...` is no placeholder; write $$$ for any number of things";

/// Whether `...` stands where a person means "anything", and the language has no use of its own for
/// it there.
fn is_lone_ellipsis(language: Language, text: &str) -> bool {
    !["c", "cpp", "php"].contains(&language.id())
        && !text.contains("$$$")
        && text.match_indices("...").any(|(at, dots)| {
            let before = text[..at].trim_end().chars().next_back();
            let after = text[at + dots.len()..].trim_start().chars().next();
            before.is_none_or(|c| "([{,:;".contains(c)) && after.is_none_or(|c| ")]},;".contains(c))
        })
}

/// The hint for `$x` in a language that has no such names.
fn lower_case_variable(language: Language, text: &str) -> Option<&'static str> {
    if ["php", "bash"].contains(&language.id()) {
        return None;
    }
    let is_lower = text.split('$').skip(1).any(|after| {
        let name = after
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default();
        !name.starts_with(|c: char| c.is_ascii_digit())
            && name.contains(|c: char| c.is_ascii_lowercase())
    });
    is_lower.then_some("metavariables are capitals: $X for one node, $$$XS for any number of them")
}

/// Whether a decorator and what it decorates stand on one line.
fn is_decorated_on_one_line(text: &str) -> bool {
    text.lines().any(|line| {
        line.trim_start().starts_with('@')
            && [" def ", " class ", " async "]
                .iter()
                .any(|word| line.contains(word))
    })
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
        return Some(ELLIPSIS);
    }
    if let Some(hint) = lower_case_variable(language, text) {
        return Some(hint);
    }
    if language.id() == "python" && is_decorated_on_one_line(text) {
        return Some(
            "a decorator stands on a line of its own; put a line break between it and the definition",
        );
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test ends where its set-up fails")]
mod tests {
    use super::*;
    use crate::{Options, Pattern};

    fn python() -> Language {
        Language::named("python").unwrap()
    }

    fn refused(text: &str) -> Unparsable {
        Pattern::compile(python(), text, &Options::default()).unwrap_err()
    }

    #[test]
    fn the_hint_comes_first_and_the_rungs_are_few() {
        let refused = refused("foo($x)");
        assert!(refused.refusals.len() > TOLD);
        let message = refused.to_string();
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines[0], "the pattern is no Python code: `foo($x)`");
        assert_eq!(
            lines[1],
            "  hint: metavariables are capitals: $X for one node, $$$XS for any number of them"
        );
        assert_eq!(lines.len(), 2 + TOLD + 1);
        let more = refused.refusals.len() - TOLD;
        assert_eq!(lines[2 + TOLD], format!("  and {more} more rungs"));
    }

    #[test]
    fn usual_mistakes_have_hints() {
        let hint = |text| refused(text).hint.unwrap_or_default();
        assert!(hint("foo.*bar").contains("regular expression"));
        assert!(hint("@$D def $F(): $$$").contains("a line of its own"));
        assert!(hint("foo($Name, $x_y)").contains("capitals"));
    }

    #[test]
    fn what_parses_may_be_a_slip_too() {
        let slip = |language, text| {
            Unparsable::likely_slip(Language::named(language).unwrap(), text).is_some()
        };
        assert!(slip("python", "f(...)"));
        assert!(slip("python", "f($X, ...)"));
        assert!(!slip("python", "f($$$)"));
        assert!(!slip("python", "f($X1, $_, $$$XS)"));
        // Spread, variadic arguments and parameters, closures of callables.
        assert!(!slip("javascript", "f(...xs)"));
        assert!(!slip("go", "append(xs, ys...)"));
        assert!(!slip("c", "int f(char *x, ...);"));
        assert!(!slip("php", "strlen(...)"));
        assert!(slip("javascript", "f($x)"));
        assert!(!slip("php", "f($x)"));
    }
}
