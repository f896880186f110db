//! What names say in Python.

use crate::facts::{Flags, SymbolKind, Visibility};

/// Who is meant to see a name.
pub(super) fn visibility(name: &str, member: bool) -> Visibility {
    let dunder = is_dunder(name);
    match name {
        _ if dunder => Visibility::Public,
        name if name.starts_with("__") => Visibility::Private,
        name if name.starts_with('_') && member => Visibility::Protected,
        name if name.starts_with('_') => Visibility::Internal,
        _ => Visibility::Public,
    }
}

/// A name that the language itself calls.
pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// Written like a constant.
pub(super) fn is_constant(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// A class whose methods are tests.
pub(super) fn is_test_class(name: &str, bases: &[&str]) -> bool {
    let ends = ["TestCase", "Tests", "Test", "TestBase", "TestMixin"];
    name.starts_with("Test")
        || bases
            .iter()
            .any(|base| ends.iter().any(|end| base.ends_with(end)))
}

/// The kind of a class, by what it inherits.
pub(super) fn class_kind(bases: &[&str]) -> SymbolKind {
    let enums = [
        "Enum",
        "IntEnum",
        "StrEnum",
        "Flag",
        "IntFlag",
        "TextChoices",
        "IntegerChoices",
    ];
    if bases.iter().any(|base| enums.contains(base)) {
        return SymbolKind::Enum;
    }
    if bases.contains(&"Protocol") {
        return SymbolKind::Interface;
    }
    SymbolKind::Class
}

/// What the name and the decorators of a function say.
pub(super) fn function_flags(name: &str, decorators: &[&str], method: bool) -> Flags {
    let mut flags = Flags::default();
    if !decorators.is_empty() {
        flags.set(Flags::DECORATED);
    }
    for decorator in decorators {
        match *decorator {
            "staticmethod" => flags.set(Flags::STATIC),
            "classmethod" => flags.set(Flags::CLASS_METHOD),
            "abstractmethod" => flags.set(Flags::ABSTRACT),
            "overload" => flags.set(Flags::DECLARATION),
            "override" => flags.set(Flags::OVERRIDE),
            "deprecated" => flags.set(Flags::DEPRECATED),
            "fixture" => flags.set(Flags::ENTRY),
            name if method && name.to_ascii_lowercase().ends_with("property") => {
                flags.set(Flags::PROPERTY);
            }
            _ => {}
        }
    }
    if method && matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__") {
        flags.set(Flags::CLASS_METHOD);
    }
    if is_dunder(name) || name == "main" {
        flags.set(Flags::ENTRY);
    }
    flags
}
