//! One mistake that two servers tell, each in its own words.

use fourfold_ledger::Resolved;

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
    parts.filter(|part| !part.is_empty() && !part.contains(char::is_whitespace))
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
