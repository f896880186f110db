//! What a file declares.

use super::{ExprId, FunctionId, NameId, ScopeId, id};
use serde::{Deserialize, Serialize};

id! {
    /// A symbol of one file: an index into [`Facts::symbols`](super::Facts::symbols).
    SymbolId
}

/// A stretch of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// 0-based row of the first byte.
    pub row: u32,
    /// 0-based row of the last byte.
    pub end_row: u32,
}

impl Span {
    /// The stretch of a syntax node.
    pub fn of(node: tree_sitter::Node<'_>) -> Span {
        Span {
            start: node.start_byte() as u32,
            end: node.end_byte() as u32,
            row: node.start_position().row as u32,
            end_row: node.end_position().row as u32,
        }
    }
}

/// What kind of thing a symbol is. The words are those that agents and people type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SymbolKind {
    /// A module or namespace declared inside a file.
    Module,
    /// A class, or what a language uses for one (a Kotlin or Scala object, an Elixir module).
    Class,
    /// A struct, record or union.
    Struct,
    /// An interface, trait or protocol.
    Interface,
    /// An enum.
    Enum,
    /// A member or variant of an enum.
    EnumMember,
    /// A function that belongs to no type.
    Function,
    /// A function that belongs to a type.
    Method,
    /// What makes an instance.
    Constructor,
    /// A property that is read by calling code.
    Getter,
    /// A property that is written by calling code.
    Setter,
    /// A field or property of a type.
    Field,
    /// A constant outside a function.
    Constant,
    /// A variable outside a function.
    Variable,
    /// Another name for a type.
    TypeAlias,
    /// A macro.
    Macro,
    /// A mixin.
    Mixin,
    /// A block that adds members to a type, where the language gives it a name of its own.
    Extension,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: [SymbolKind; 18] = [
        SymbolKind::Module,
        SymbolKind::Class,
        SymbolKind::Struct,
        SymbolKind::Interface,
        SymbolKind::Enum,
        SymbolKind::EnumMember,
        SymbolKind::Function,
        SymbolKind::Method,
        SymbolKind::Constructor,
        SymbolKind::Getter,
        SymbolKind::Setter,
        SymbolKind::Field,
        SymbolKind::Constant,
        SymbolKind::Variable,
        SymbolKind::TypeAlias,
        SymbolKind::Macro,
        SymbolKind::Mixin,
        SymbolKind::Extension,
    ];

    /// The word for it, as it stands in ids and in exports.
    pub fn word(self) -> &'static str {
        match self {
            SymbolKind::Module => "module",
            SymbolKind::Class => "class",
            SymbolKind::Struct => "struct",
            SymbolKind::Interface => "interface",
            SymbolKind::Enum => "enum",
            SymbolKind::EnumMember => "enum_member",
            SymbolKind::Function => "function",
            SymbolKind::Method => "method",
            SymbolKind::Constructor => "constructor",
            SymbolKind::Getter => "getter",
            SymbolKind::Setter => "setter",
            SymbolKind::Field => "field",
            SymbolKind::Constant => "constant",
            SymbolKind::Variable => "variable",
            SymbolKind::TypeAlias => "type_alias",
            SymbolKind::Macro => "macro",
            SymbolKind::Mixin => "mixin",
            SymbolKind::Extension => "extension",
        }
    }

    /// Whether it has members of its own that are looked up by name.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            SymbolKind::Module
                | SymbolKind::Class
                | SymbolKind::Struct
                | SymbolKind::Interface
                | SymbolKind::Enum
                | SymbolKind::Mixin
                | SymbolKind::Extension
        )
    }

    /// Whether it can be called as it stands.
    pub fn is_callable(self) -> bool {
        matches!(
            self,
            SymbolKind::Function
                | SymbolKind::Method
                | SymbolKind::Constructor
                | SymbolKind::Getter
                | SymbolKind::Setter
                | SymbolKind::Macro
        )
    }
}

/// Who may see a symbol, as far as its declaration or its name says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody, packages that depend on this one included.
    #[default]
    Public,
    /// This package, module or assembly.
    Internal,
    /// The type and those that inherit from it.
    Protected,
    /// The type or the file.
    Private,
}

/// Yes-or-no facts about a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Flags(pub u16);

impl Flags {
    /// A test, by the language's own sign (`#[test]`, `@Test`, `func TestX`, `def test_x`, `it(…)`).
    pub const TEST: Flags = Flags(1);
    /// Belongs to the type, not to an instance.
    pub const STATIC: Flags = Flags(1 << 1);
    /// Has no body of its own.
    pub const ABSTRACT: Flags = Flags(1 << 2);
    /// `async`, `suspend`.
    pub const ASYNC: Flags = Flags(1 << 3);
    /// Marked as replacing an inherited member.
    pub const OVERRIDE: Flags = Flags(1 << 4);
    /// Carries a decorator, annotation or attribute: something else may call it.
    pub const DECORATED: Flags = Flags(1 << 5);
    /// Exported by an explicit sign.
    pub const EXPORTED: Flags = Flags(1 << 6);
    /// Read like a field although it is a function (`@property`, a getter).
    pub const PROPERTY: Flags = Flags(1 << 7);
    /// Gets the type as its first argument (`@classmethod`).
    pub const CLASS_METHOD: Flags = Flags(1 << 8);
    /// Deprecated, as its declaration says.
    pub const DEPRECATED: Flags = Flags(1 << 9);
    /// Only declared here (a prototype, an overload signature, an `extern`).
    pub const DECLARATION: Flags = Flags(1 << 10);
    /// Stands inside a function.
    pub const LOCAL: Flags = Flags(1 << 11);
    /// Called by the runtime or a framework (`main`, a dunder method, a route, a fixture).
    pub const ENTRY: Flags = Flags(1 << 12);
    /// Lives in code that is compiled for tests only.
    pub const TEST_CODE: Flags = Flags(1 << 13);
    /// Declared under a condition: another declaration of its name may stand instead.
    pub const CONDITIONAL: Flags = Flags(1 << 14);

    /// Whether all of `flags` are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Sets all of `flags`.
    pub fn set(&mut self, flags: Flags) {
        self.0 |= flags.0;
    }
}

/// One declared thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its simple name.
    pub name: NameId,
    /// The symbol that it is declared in. It stands before this one in the table.
    pub parent: Option<SymbolId>,
    /// For what is written apart from its owner (an `impl` method, a Go method, a C++ definition
    /// outside its class): the owner's name as written, without type arguments. It is part of the
    /// qualified name.
    pub owner: Option<NameId>,
    /// The whole declaration, decorators and attributes included, doc comment excluded.
    pub span: Span,
    /// First byte of the name.
    pub name_at: u32,
    /// 0-based row of the name.
    pub name_row: u32,
    /// One line: the declaration without its body, white space collapsed, at most 240 bytes.
    pub signature: NameId,
    /// The first paragraph of the doc comment, without its markers, at most 240 bytes.
    pub doc: Option<NameId>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Yes-or-no facts.
    pub flags: Flags,
    /// The scope of its members (types, modules).
    pub members: Option<ScopeId>,
    /// Parameters and result (functions, methods, constructors, getters).
    pub function: Option<FunctionId>,
    /// The declared type of a field, constant or variable; the aliased type of an alias. It is
    /// evaluated in `scope`.
    pub declared: Option<ExprId>,
    /// The scope that the symbol is declared in.
    pub scope: ScopeId,
}
