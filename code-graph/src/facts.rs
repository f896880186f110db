//! What one file says by itself: a pure function of its bytes, its language and the extractor.
//!
//! Facts never name another file's symbols. They hold *symbols* (what is declared), *scopes* with
//! *bindings* (what a name means where), small *expressions* (how a value or a type is written),
//! and *sites* (where something is called, made, used or inherited). Everything that needs a
//! second file is [linking](crate::link).
//!
//! Ids are indices into the tables of the same [`Facts`]; `u32` each, so that a table of a large
//! file stays small. All positions are byte offsets and 0-based rows, as tree-sitter has them.

mod expr;
mod manifest;
mod names;
mod scope;
mod site;
mod symbol;

pub use expr::{Expr, ExprId, Function, FunctionId, List, Param};
pub use manifest::Manifest;
pub(crate) use names::Interner;
pub use names::{NameId, Names};
pub use scope::{Binding, Bound, Import, ImportId, Scope, ScopeId, ScopeKind};
pub use site::{Base, BaseKind, Extension, Site, SiteKind};
pub use symbol::{Flags, Span, Symbol, SymbolId, SymbolKind, Visibility};

use serde::{Deserialize, Serialize};

/// The version of all extractors together: it is part of the key under which facts are kept, so
/// that facts of an older extractor are never taken for today's. Raise it with every change that
/// lets the facts of any file differ.
pub const EXTRACTOR_VERSION: u32 = 5;

/// How much of a file the facts speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Extent {
    /// All of it; it parses.
    #[default]
    Whole,
    /// What could be read around syntax errors (or around a part that was cut off).
    Partial,
}

/// Everything one file says. See the [module](self).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// How much of the file this is.
    pub extent: Extent,
    /// Every text the other tables point to.
    pub names: Names,
    /// Declared symbols in the order of their position; a parent stands before its members.
    pub symbols: Vec<Symbol>,
    /// Scopes; [`ScopeId::MODULE`] is the file's own.
    pub scopes: Vec<Scope>,
    /// Sorted by (scope, name, at).
    pub bindings: Vec<Binding>,
    /// Import statements, an entry per imported name.
    pub imports: Vec<Import>,
    /// Expressions; an operand stands before the expression that uses it.
    pub exprs: Vec<Expr>,
    /// The operand lists of expressions, one after another; a [`List`] is a range of it.
    pub lists: Vec<ExprId>,
    /// Functions, methods and closures: parameters and results.
    pub functions: Vec<Function>,
    /// Type parameters of types whose parameters are not bound among their members (Python): the
    /// type and the parameter's name, which is looked up from outside the type and is bound as a
    /// [`Bound::TypeParam`]. In order; those of one type stand together.
    pub type_params: Vec<(SymbolId, NameId)>,
    /// What a class inherits.
    pub bases: Vec<Base>,
    /// Blocks that add members to a type declared elsewhere (`impl`, `extension`, Go receivers,
    /// reopened classes, C++ definitions outside the class).
    pub extensions: Vec<Extension>,
    /// Where something is called, made, used; in the order of position.
    pub sites: Vec<Site>,
    /// The package or namespace that the file declares itself to be in (`package a.b`,
    /// `namespace A\B`, `library x`), written as the language writes it.
    pub namespace: Option<NameId>,
    /// The names that a wildcard import of this file brings, when the file says so (`__all__`).
    pub exports: Option<Vec<NameId>>,
}

impl Facts {
    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// The bindings of `name` in `scope` itself, in the order of position.
    pub fn bindings_of(&self, scope: ScopeId, name: NameId) -> &[Binding] {
        let key = (scope, name);
        let from = self.bindings.partition_point(|b| (b.scope, b.name) < key);
        let rest = self.bindings.get(from..).unwrap_or_default();
        // Few names have more than one or two.
        let same = rest.iter().take_while(|b| (b.scope, b.name) == key);
        rest.get(..same.count()).unwrap_or_default()
    }

    /// Whether a signature without a body takes arguments by names that it does not list: what takes
    /// them (`**names`) is bound and is none of its parameters; a receiver is bound to a value.
    pub(crate) fn takes_any_name(&self, signature: &Function) -> bool {
        self.bindings_in(signature.scope).iter().any(|binding| {
            matches!(binding.bound, Bound::Declared(_) | Bound::Unknown)
                && !signature
                    .params
                    .iter()
                    .any(|param| param.name == binding.name)
        })
    }

    /// All bindings of `scope` itself, in the order of their names' ids.
    pub fn bindings_in(&self, scope: ScopeId) -> &[Binding] {
        let from = self.bindings.partition_point(|b| b.scope < scope);
        let rest = self.bindings.get(from..).unwrap_or_default();
        let len = rest.partition_point(|b| b.scope <= scope);
        rest.get(..len).unwrap_or_default()
    }

    /// The operands of a list.
    pub fn list(&self, list: List) -> &[ExprId] {
        let from = list.start as usize;
        self.lists
            .get(from..from + usize::from(list.len))
            .unwrap_or_default()
    }

    /// The last name of a type that is written as a name or path, with or without type arguments.
    pub(crate) fn simple_name(&self, of: ExprId) -> Option<NameId> {
        let mut at = of;
        loop {
            match self.exprs.get(at.index())? {
                Expr::Name(name) | Expr::Path(_, name) => return Some(*name),
                // An operand stands before the expression that uses it.
                Expr::Generic(inner, _) if *inner < at => at = *inner,
                _ => return None,
            }
        }
    }

    /// The qualified name of a symbol within the file: the names of its parents (the owner, for
    /// what is written apart from it) and its own, joined by dots.
    pub fn qualified_name(&self, id: SymbolId) -> String {
        let mut parts = Vec::new();
        let mut at = Some(id);
        while let Some(symbol) = at.and_then(|id| self.symbols.get(id.index())) {
            parts.push(self.name(symbol.name));
            parts.extend(symbol.owner.map(|owner| self.name(owner)));
            // A parent stands before its members, so this ends even for damaged facts.
            at = symbol.parent.filter(|parent| Some(*parent) < at);
        }
        parts.reverse();
        parts.join(".")
    }
}

/// Makes an id type: an index into one table of [`Facts`].
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The index in the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use id;
