//! How a value or a type is written, as far as that can tell what it is.

use super::{NameId, ScopeId, SymbolId, id};
use serde::{Deserialize, Serialize};

id! {
    /// An expression of one file: an index into [`Facts::exprs`](super::Facts::exprs).
    ExprId
}

id! {
    /// A function of one file: an index into [`Facts::functions`](super::Facts::functions).
    FunctionId
}

/// Operands: a range of [`Facts::lists`](super::Facts::lists).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct List {
    /// First index.
    pub start: u32,
    /// How many.
    pub len: u16,
}

/// An expression. Values and types are written with the same words: `Name` in a type position is
/// the type of that name.
///
/// An expression holds no scope: whoever evaluates it says in which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// Nothing is known of it.
    Unknown,
    /// A name, looked up in the scope.
    Name(NameId),
    /// `e.name`, and `e->name`, `e?.name`.
    Member(ExprId, NameId),
    /// `e::name`: a name inside a module or a type, where the language writes that differently.
    Path(ExprId, NameId),
    /// The result of calling the first with these arguments.
    Call(ExprId, List),
    /// An instance made of the class that the first names, with these arguments.
    New(ExprId, List),
    /// The receiver: `self`, `this`.
    This,
    /// The receiver seen as its superclass.
    Super,
    /// The type around (`Self`, `cls`, `static`).
    SelfType,
    /// A text literal.
    Str(NameId),
    /// A whole number literal.
    Int(u32),
    /// Another literal; the name is the language's type of it (`float`, `bool`, `None`, `RegExp`).
    Literal(NameId),
    /// An instance of the type that the operand names: a cast, a declared type.
    Instance(ExprId),
    /// The type of the operand's value (`typeof x`, `decltype(x)`).
    TypeOf(ExprId),
    /// A type with type arguments.
    Generic(ExprId, List),
    /// Any of these: `a or b`, `c ? a : b`, a union type, the branches of a match.
    Union(List),
    /// A tuple, as value or type.
    Tuple(List),
    /// A list, set or array literal; as a type, an array of the one operand.
    Array(List),
    /// An object literal or a dictionary with known keys; its members are the bindings of the scope.
    Object(ScopeId),
    /// A class, function or anything else declared in an expression.
    Symbol(SymbolId),
    /// A closure, or the type of one.
    Closure(FunctionId),
    /// What iterating over the operand yields.
    Element(ExprId),
    /// `e[key]`.
    Index(ExprId, ExprId),
    /// Number `n` of what unpacking the operand gives.
    Part(ExprId, u16),
    /// What awaiting the operand yields.
    Await(ExprId),
    /// The operand without its wrapper for absence or failure: `?`, `!`, `!!`, `try`.
    Unwrap(ExprId),
    /// What entering the operand yields (`with e as x`, `using`).
    Enter(ExprId),
    /// A reference to, or the target of, the operand (`&e`, `*e`); the type `&T`, `*T` as well.
    Reference(ExprId),
    /// `trait object`, `impl Trait`, `out T`: a type that has the members of all operands.
    Bounds(List),
    /// An operator applied to a left operand, for languages that let types define them.
    Operator(NameId, ExprId),
    /// A named argument, or a named member of a literal.
    Keyword(NameId, ExprId),
    /// What the callee of the operand, a call, takes as argument number `n`: the declared type of
    /// its parameter, with the type arguments of the call.
    Expected(ExprId, u16),
    /// The operand spread into the list around it (`*args`, `...rest`).
    Spread(ExprId),
    /// What the callee of the operand, a call written with the arguments so far, hands to a closure
    /// that is its next argument: the closure's parameter of this number.
    Passed(ExprId, u16),
    /// The first, seen as made by the variant or constructor that the second names: what a pattern
    /// like `Some(x)` takes apart. Its parts are [`Part`](Expr::Part)s and
    /// [`Member`](Expr::Member)s of this.
    Variant(ExprId, ExprId),
    /// The first type, seen as having the members of the second (`<T as Trait>`).
    Qualified(ExprId, ExprId),
}

/// Parameters and results of a function, method or closure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The symbol it is; none for a closure.
    pub symbol: Option<SymbolId>,
    /// The scope of its parameters and locals. Everything below is evaluated in it.
    pub scope: ScopeId,
    /// Its parameters, the receiver excluded.
    pub params: Vec<Param>,
    /// The declared result.
    pub result: Option<ExprId>,
    /// What it returns, as written: the operands of its `return`s, the last expression.
    pub returns: Vec<ExprId>,
    /// What it yields: it is a generator when this is not empty.
    pub yields: Vec<ExprId>,
    /// Type parameters in order.
    pub type_params: Vec<NameId>,
    /// What the place it is written at expects it to be (a declared type, a parameter that it is
    /// passed for); evaluated in the scope around the function's own.
    pub context: Option<ExprId>,
}

/// One parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name.
    pub name: NameId,
    /// Its declared type.
    pub declared: Option<ExprId>,
    /// Its default value.
    pub default: Option<ExprId>,
    /// It takes all that is left (`*args`, `...rest`, `vararg`).
    pub rest: bool,
}
