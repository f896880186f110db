//! What a name means where: scopes and the bindings in them.

use super::{ExprId, NameId, SymbolId, id};
use serde::{Deserialize, Serialize};

id! {
    /// A scope of one file: an index into [`Facts::scopes`](super::Facts::scopes).
    ScopeId
}

impl ScopeId {
    /// The scope of the whole file.
    pub const MODULE: ScopeId = ScopeId(0);
}

id! {
    /// An imported name of one file: an index into [`Facts::imports`](super::Facts::imports).
    ImportId
}

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The file, or a module or namespace inside it.
    Module,
    /// The members of a type. Whether methods see them without a receiver is the language's rule.
    Members,
    /// A function or closure: parameters and locals.
    Function,
    /// A block inside a function.
    Block,
    /// The members of an object literal or of a dictionary with known keys.
    Object,
}

/// A region in which names have a meaning of their own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The scope around it; it stands before this one in the table.
    pub parent: Option<ScopeId>,
    /// What it belongs to.
    pub kind: ScopeKind,
    /// The symbol it belongs to: the type of its members, the function of its locals. A closure's
    /// scope has none: what stands in it belongs to the symbol around it.
    pub owner: Option<SymbolId>,
}

/// A name that gets a meaning in a scope. A name may have several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The scope that the name is visible in.
    pub scope: ScopeId,
    /// The name.
    pub name: NameId,
    /// The byte at which it is bound.
    pub at: u32,
    /// The scope in which the expressions of `bound` are evaluated: `self.x = y` in a method binds
    /// `x` among the members of the class, and `y` is a name of the method.
    pub env: ScopeId,
    /// What it means.
    pub bound: Bound,
}

/// What a binding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bound {
    /// A symbol that is declared here.
    Symbol(SymbolId),
    /// Something imported.
    Import(ImportId),
    /// The value of an expression.
    Value(ExprId),
    /// An instance of the type that this expression names.
    Declared(ExprId),
    /// The type that this expression names (a type parameter's bound, a local alias).
    Type(ExprId),
    /// Type parameter number `index` of the type, alias or function that the scope belongs to, and
    /// what it is bounded by.
    TypeParam(u16, Option<ExprId>),
    /// Parameter number `index` of the function that owns the scope, where nothing is declared:
    /// what callers and context say is all that is known.
    Parameter(u16),
    /// Something that hides an outer meaning and of which nothing is known.
    Unknown,
}

/// One imported name, or one imported module.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The module as it is written, without quotes: `a.b`, `./x`, `crate::a::b`, `A\B`.
    pub module: NameId,
    /// Leading dots of a relative import (Python); 0 elsewhere.
    pub level: u8,
    /// The name taken from the module; none when the module itself is bound, or all of it.
    pub name: Option<NameId>,
    /// The name that it is bound to here; none for a wildcard and for an import without a name
    /// (`import "x"`, `export * from`).
    pub local: Option<NameId>,
    /// All names of the module.
    pub wildcard: bool,
    /// Others may take the name from here as well (`pub use`, `export … from`). In languages where
    /// every import can be taken on (Python) this is set for all.
    pub reexport: bool,
    /// Only for types (`import type`).
    pub type_only: bool,
    /// The scope that the statement stands in.
    pub scope: ScopeId,
    /// First byte of the imported name or module.
    pub at: u32,
    /// Its 0-based row.
    pub row: u32,
}
