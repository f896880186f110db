//! One mistake that is told twice: by two servers, each in its own words, or by one.

use fourfold_ledger::Resolved;
use fourfold_lsp_client::Diagnostic;

use super::compose::Heard;

/// Whether two servers tell the same mistake: it is as bad, begins at the same place, and they name
/// the same thing.
pub(super) fn same_mistake(one: &Heard, other: &Heard) -> bool {
    let (first, second) = (&one.finding, &other.finding);
    first.severity == second.severity
        && (first.line, one.column) == (second.line, other.column)
        && name_the_same(&first.message, &second.message)
}

/// The same of mistakes that are gone, whose place is not known any more.
pub(super) fn same_gone(one: &Resolved, other: &Resolved) -> bool {
    one.severity == other.severity && name_the_same(&one.message, &other.message)
}

fn name_the_same(one: &str, other: &str) -> bool {
    one == other || quoted(one).any(|name| quoted(other).any(|also| also == name))
}

/// What a message has in quotes of whatever form: the names that it is about.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let line = message.lines().next().unwrap_or_default();
    let mut parts = line.split(['"', '\'', '`', '“', '”', '‘', '’']);
    // Every other part is inside, but an apostrophe may have changed the sides.
    parts.next();
    // A macro may be named with the mark that calls it.
    let names = parts.map(|part| part.strip_suffix('!').unwrap_or(part));
    names.filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
}

/// The diagnostics of a server, one for each mistake: a compiler that builds a file for two targets
/// tells it twice, and may have other notes to it the second time; a server that has found it before
/// its compiler tells it with fewer notes, in other words and perhaps by another code. What one
/// message of a compiler says of several places is one mistake, at the first of them.
pub(super) fn distinct(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    // Whatever their order, it is the same that stays.
    let goes_before = |one: &Diagnostic, other: &Diagnostic| match one.code == other.code {
        true => one.message < other.message,
        false => (one.message.len(), &one.code) > (other.message.len(), &other.code),
    };
    let is_told = move |one: &Diagnostic, other: &Diagnostic| {
        one.severity == other.severity
            && (is_same(one, other) && goes_before(other, one)
                || goes_on(one, other)
                || is_found_ahead(one, other))
    };
    let stays = move |one: &&Diagnostic| {
        let mut others = diagnostics.iter();
        !others.any(|other| is_told(one, other))
    };
    diagnostics.iter().filter(stays)
}

fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.span.start == other.span.start && one.message.lines().next() == other.message.lines().next()
}

/// Whether one is a further place of a compiler's message that the other is the first place of.
fn goes_on(one: &Diagnostic, first: &Diagnostic) -> bool {
    one.rendered.is_some() && one.rendered == first.rendered && one.span.start > first.span.start
}

/// Whether one is rust-analyzer's own finding of what the other, by the compiler, says too. It leaves
/// out those with the compiler's code by itself, but has other codes for some.
fn is_found_ahead(one: &Diagnostic, compiled: &Diagnostic) -> bool {
    let of = |one: &Diagnostic, source: &str| one.source.as_deref() == Some(source);
    if !of(one, "rust-analyzer") || !of(compiled, "rustc") {
        return false;
    }
    let (start, other) = (one.span.start, compiled.span.start);
    start == other && name_the_same(&one.message, &compiled.message)
        || start.line == other.line && count_arguments(one, compiled)
}

/// Whether one says by its own code that a call has too many or too few arguments, and the other by
/// the compiler's, of functions or of closures.
fn count_arguments(one: &Diagnostic, compiled: &Diagnostic) -> bool {
    let code = |one: &Diagnostic, codes: &[&str]| {
        let code = one.code.as_deref();
        code.is_some_and(|code| codes.contains(&code))
    };
    code(one, &["E0107"])
        && one.message.starts_with("expected ")
        && one.message.contains(" argument")
        && code(compiled, &["E0057", "E0061"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_name_the_same_thing_in_other_words() {
        let same = [
            ("\"cent\" is not defined", "Undefined name `cent`"),
            ("Cannot find name 'total'.", "'total' is not defined."),
            ("undeclared", "undeclared"),
            (
                "unresolved macro `say!`",
                "cannot find macro `say` in this scope",
            ),
        ];
        for (one, other) in same {
            assert!(name_the_same(one, other), "{one} and {other}");
        }
        let differ = [
            ("\"cent\" is not defined", "Undefined name `cents`"),
            ("it isn't here", "it can't be there"),
            ("", "\"\""),
        ];
        for (one, other) in differ {
            assert!(!name_the_same(one, other), "{one} and {other}");
        }
    }
}
