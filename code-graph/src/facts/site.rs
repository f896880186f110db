//! Where something is called, made, used or inherited.

use super::{ExprId, NameId, ScopeId, SymbolId};
use serde::{Deserialize, Serialize};

/// What a site does with what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SiteKind {
    /// Calls it. `what` is the callee, not the whole call.
    Call,
    /// Makes an instance of it by a form of its own (`new T`, `T { … }`). `what` is the class.
    New,
    /// Uses it as a value: passes, stores or returns it without calling it.
    Value,
    /// Uses it as a type.
    Type,
    /// Decorates or annotates with it. The owner is the decorated symbol.
    Decorator,
    /// Invokes it as a macro.
    Macro,
    /// Writes to it.
    Write,
    /// Has the language call it without naming it: what a loop, a `with` or an operator runs.
    /// `what` is the member of the value that it is called of.
    Implicit,
}

/// One place where the file uses something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// What is done.
    pub kind: SiteKind,
    /// The innermost symbol around; none for the file itself. Closures have no symbol, so a call
    /// in a callback belongs to the function that the callback is written in.
    pub owner: Option<SymbolId>,
    /// The scope in which `what` is evaluated.
    pub scope: ScopeId,
    /// What is named.
    pub what: ExprId,
    /// First byte of the last name of `what`: of `c` in `a.b.c(…)`.
    pub at: u32,
    /// Its 0-based row.
    pub row: u32,
    /// The arguments of a call.
    pub args: super::List,
}

/// How a type takes over another's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BaseKind {
    /// Inherits from it.
    Extends,
    /// Promises to have its members (`implements`, `impl Trait for`).
    Implements,
    /// Takes its members in (`with`, `include`, Go embedding, PHP `use`).
    MixesIn,
}

/// What one class, interface or trait inherits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// The type that inherits.
    pub class: SymbolId,
    /// How.
    pub kind: BaseKind,
    /// What from; evaluated in `scope`.
    pub what: ExprId,
    /// The scope around the class.
    pub scope: ScopeId,
    /// First byte of the base's last name.
    pub at: u32,
    /// Its 0-based row.
    pub row: u32,
}

/// A block that adds members to a type which is declared elsewhere, or earlier.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    /// The type that gets the members; evaluated in `scope`.
    pub target: ExprId,
    /// The interface that the type fulfils by them (`impl Trait for T`); evaluated in `scope`.
    pub interface: Option<ExprId>,
    /// The members.
    pub members: ScopeId,
    /// The scope around the block.
    pub scope: ScopeId,
    /// First byte of the target's last name.
    pub at: u32,
    /// Its 0-based row.
    pub row: u32,
    /// The simple name of the target, by which blocks are found; none for a type without a name.
    pub target_name: Option<NameId>,
}
