//! Metavariables in pattern and template text: `$X`, `$_`, `$$$XS`, `$$$`.

use std::ops::Range;

/// What a metavariable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arity {
    /// Exactly one node: `$X`.
    One,
    /// Any run of siblings, also none: `$$$XS`.
    Many,
}

/// A metavariable that binds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    /// The name without its dollars.
    pub name: String,
    /// One node or a run of them.
    pub arity: Arity,
}

/// One occurrence of a metavariable in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Bytes of the text, dollars included.
    pub(crate) range: Range<usize>,
    /// `None` for `$_` and `$$$`, which never bind.
    pub(crate) name: Option<String>,
    pub(crate) arity: Arity,
}

/// Finds the metavariables of a text, in order.
///
/// `$` and a name of capitals, digits and underscores that does not begin with a digit; a name
/// that begins with an underscore never binds. What stands directly before or after must not
/// continue an identifier: `on$EVENT` and `$Foo` are ordinary text, as is `$foo`.
pub(crate) fn occurrences(text: &str) -> Vec<Occurrence> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'$', &bytes[at..]) {
        let start = at + offset;
        let dollars = bytes[start..]
            .iter()
            .take_while(|&&byte| byte == b'$')
            .count();
        let name_start = start + dollars;
        let name_end = name_start
            + bytes[name_start..]
                .iter()
                .take_while(|&&byte| is_name_byte(byte))
                .count();
        at = name_end.max(name_start);
        let glued_before = text[..start].chars().next_back().is_some_and(is_word);
        let glued_after = text[name_end..].chars().next().is_some_and(is_word);
        let name = &text[name_start..name_end];
        let well_named = !name.starts_with(|c: char| c.is_ascii_digit());
        let arity = match dollars {
            1 if !name.is_empty() => Arity::One,
            3 => Arity::Many,
            _ => continue,
        };
        if glued_before || glued_after || !well_named {
            continue;
        }
        let binds = !name.is_empty() && !name.starts_with('_');
        found.push(Occurrence {
            range: start..name_end,
            name: binds.then(|| name.to_owned()),
            arity,
        });
    }
    found
}

pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Whether a text that ends with this character may end with a metavariable.
pub(crate) fn is_name_end(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_name_byte)
}

/// Whether a character continues a word.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        occurrences(text)
            .into_iter()
            .map(|o| {
                format!(
                    "{}{}",
                    o.name.unwrap_or_default(),
                    if o.arity == Arity::Many { "*" } else { "" }
                )
            })
            .collect()
    }

    #[test]
    fn what_is_a_metavariable_and_what_is_text() {
        assert_eq!(
            names("f($X, $_, $$$XS, $$$, $A_1)"),
            ["X", "", "XS*", "*", "A_1"]
        );
        assert_eq!(
            names("$foo $Foo on$EVENT $1 $ $$NAME $$$foo cost$"),
            Vec::<String>::new()
        );
        assert_eq!(names("$A.$B`${$C}`"), ["A", "B", "C"]);
        assert_eq!(names("é$A $Bé"), Vec::<String>::new());
    }
}
