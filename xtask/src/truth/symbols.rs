//! The names of SCIP: what kind of thing a symbol is, and one small number for each.

use std::collections::HashMap;

use super::source::is_word;

/// What the last part of a symbol says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Function,
    Type,
    /// A variable, a constant, a field, an enum's variant.
    Term,
    /// A module or a package.
    Namespace,
    /// A member of an object literal in TypeScript.
    Member,
    Other,
}

/// The name and the class of a symbol; no name for a local one.
pub(crate) fn describe(symbol: &str) -> (String, Class) {
    let found = split_suffix(symbol).and_then(|(rest, class)| Some((last_name(rest)?, class)));
    let Some((name, class)) = found else {
        return (String::new(), Class::Other);
    };
    let name = name
        .strip_prefix("<get>")
        .or_else(|| name.strip_prefix("<set>"))
        .unwrap_or(name);
    let name = if name == "<constructor>" {
        "constructor"
    } else {
        name
    };
    (name.to_owned(), class)
}

fn split_suffix(symbol: &str) -> Option<(&str, Class)> {
    if let Some(rest) = split_call(symbol) {
        return Some((rest, Class::Function));
    }
    let last = symbol.chars().next_back()?;
    let class = match last {
        '.' => Class::Term,
        '#' => Class::Type,
        '/' => Class::Namespace,
        ':' => Class::Member,
        '!' => Class::Other,
        _ => return None,
    };
    Some((&symbol[..symbol.len() - 1], class))
}

/// What stands before the `().` or `(+1).` at the end.
fn split_call(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_suffix(").")?;
    let (rest, number) = rest.rsplit_once('(')?;
    let number = number
        .strip_prefix('+')
        .filter(|n| !n.is_empty())
        .unwrap_or(number);
    number.chars().all(is_word).then_some(rest)
}

/// The name at the end of a symbol without its suffix.
fn last_name(symbol: &str) -> Option<&str> {
    if let Some(quoted) = symbol.strip_suffix('`') {
        // A backtick inside is doubled.
        let mut start = quoted.rfind('`')?;
        while start > 0 && quoted[..start].ends_with('`') {
            start = quoted[..start - 1].rfind('`')?;
        }
        let name = &quoted[start + 1..];
        return (!name.is_empty()).then_some(name);
    }
    let rest = symbol.trim_end_matches(|c| is_word(c) || "$+-".contains(c));
    let name = &symbol[rest.len()..];
    (!name.is_empty()).then_some(name)
}

/// The type that a constructor's symbol belongs to.
pub(crate) fn constructed(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_suffix(").")?;
    let (rest, number) = rest.rsplit_once('(')?;
    let digits = number.strip_prefix('+');
    if !(number.is_empty()
        || digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit())))
    {
        return None;
    }
    ["__init__", "`<constructor>`", "constructor", "__new__"]
        .iter()
        .find_map(|name| rest.strip_suffix(name))
        .filter(|owner| owner.ends_with('#'))
}

/// The trait in a symbol of Rust such as `impl#[Type][Trait]method().`.
pub(crate) fn implemented_trait(symbol: &str) -> Option<&str> {
    symbol.match_indices("impl#[").find_map(|(at, begin)| {
        let (_, rest) = symbol[at + begin.len()..].split_once(']')?;
        let rest = rest.strip_prefix('[')?;
        let rest = rest.strip_prefix('`').unwrap_or(rest);
        let end = rest
            .find(|c| !(is_word(c) || c == ':'))
            .unwrap_or(rest.len());
        let path = &rest[..end];
        (!path.is_empty()).then(|| path.rsplit("::").next().unwrap_or(path))
    })
}

/// A symbol as a small number: the same for the same symbol, local ones apart by file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(usize);

/// The symbols behind the numbers.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    numbers: HashMap<Option<usize>, HashMap<String, Key>>,
    names: Vec<(Option<usize>, String)>,
}

/// Stands for the code of a file that is in no symbol.
const MODULE: &str = "<module>";

impl Keys {
    /// The number of a symbol that file number `file` mentions.
    pub(crate) fn of(&mut self, symbol: &str, file: usize) -> Key {
        self.add(symbol.starts_with("local ").then_some(file), symbol)
    }

    /// The number of a file as the owner of code.
    pub(crate) fn module(&mut self, file: usize) -> Key {
        self.add(Some(file), MODULE)
    }

    /// The number of something that a tool names and the index does not know.
    pub(crate) fn unknown(&mut self, file: usize, name: &str, line: usize) -> Key {
        self.add(Some(file), &format!("?{name}@{line}"))
    }

    pub(crate) fn find(&self, file: Option<usize>, symbol: &str) -> Option<Key> {
        self.numbers.get(&file)?.get(symbol).copied()
    }

    pub(crate) fn symbol(&self, key: Key) -> &str {
        self.names.get(key.0).map_or("", |(_, symbol)| symbol)
    }

    /// The file of a module, of a local symbol, of something unknown.
    pub(crate) fn file(&self, key: Key) -> Option<usize> {
        self.names.get(key.0)?.0
    }

    pub(crate) fn is_module(&self, key: Key) -> bool {
        self.symbol(key) == MODULE
    }

    /// The name that a tool gave to something that the index does not know.
    pub(crate) fn unknown_name(&self, key: Key) -> Option<&str> {
        let (name, _) = self.symbol(key).strip_prefix('?')?.rsplit_once('@')?;
        Some(name)
    }

    fn add(&mut self, file: Option<usize>, symbol: &str) -> Key {
        let numbers = self.numbers.entry(file).or_default();
        if let Some(key) = numbers.get(symbol) {
            return *key;
        }
        let key = Key(self.names.len());
        numbers.insert(symbol.to_owned(), key);
        self.names.push((file, symbol.to_owned()));
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_described() {
        for (symbol, name, class) in [
            ("scip-python python p 1 `a.b`/f().", "f", Class::Function),
            (
                "x p 1 `a.ts`/A#`<constructor>`().",
                "constructor",
                Class::Function,
            ),
            ("x p 1 `a.ts`/A#`<get>size`().", "size", Class::Function),
            ("x p 1 a/A#m(+1).", "m", Class::Function),
            ("x p 1 a/A#", "A", Class::Type),
            ("x p 1 a/A#field.", "field", Class::Term),
            ("x p 1 `a.b`/", "a.b", Class::Namespace),
            ("x p 1 a/name0:", "name0", Class::Member),
            ("x p 1 a/m!", "m", Class::Other),
            ("x p 1 a/f().(x)", "", Class::Other),
            ("x p 1 a/A#[T]", "", Class::Other),
            ("local 3", "", Class::Other),
            ("x p 1 a/`we``ird`#", "we``ird", Class::Type),
            ("x p 1 a/impl#[`F<T>`][D]drop().", "drop", Class::Function),
            ("", "", Class::Other),
        ] {
            assert_eq!(describe(symbol), (name.to_owned(), class), "{symbol}");
        }
    }

    #[test]
    fn constructors_belong_to_their_types() {
        assert_eq!(constructed("p A#__init__()."), Some("p A#"));
        assert_eq!(constructed("p A#`<constructor>`(+2)."), Some("p A#"));
        assert_eq!(constructed("p constructor()."), None);
        assert_eq!(constructed("p A#my__init__()."), None);
        assert_eq!(constructed("p A#__init__(x)."), None);
    }

    #[test]
    fn traits_are_read_from_symbols() {
        assert_eq!(
            implemented_trait("r c 1 m/impl#[T][Drop]drop()."),
            Some("Drop")
        );
        assert_eq!(
            implemented_trait("r c 1 impl#[`A<B>`][`fmt::Debug<X>`]f()."),
            Some("Debug")
        );
        assert_eq!(implemented_trait("r c 1 impl#[T]f()."), None);
    }

    #[test]
    fn local_symbols_are_apart_by_file() {
        let mut keys = Keys::default();
        assert_eq!(keys.of("p f().", 1), keys.of("p f().", 2));
        assert_ne!(keys.of("local 1", 1), keys.of("local 1", 2));
        let unknown = keys.unknown(1, "a@b", 7);
        assert_eq!(keys.unknown_name(unknown), Some("a@b"));
        let module = keys.module(4);
        assert!(keys.is_module(module) && keys.file(module) == Some(4));
    }
}
