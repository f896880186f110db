//! What an expression can stand for: small sets of values.

use super::Certainty;
use crate::facts::{FunctionId, NameId, ScopeId, SymbolId};
use std::sync::Arc;

/// A file of a [`World`](super::World): its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(crate) u32);

impl FileId {
    /// The index in the world's list.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A symbol of any file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymRef {
    /// Its file.
    pub(crate) file: FileId,
    /// Its number there.
    pub(crate) symbol: SymbolId,
}

/// A type: one of the checkout, or one that is known by its name only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// A symbol with members: class, struct, interface, enum, inline module.
    Symbol(SymRef),
    /// Something outside the checkout. Rules know it by this name (`list`, `Promise`, `std::vec::Vec`,
    /// `os.path.join`); whether it is a type, a function or a module need not be known.
    External(Arc<str>),
}

/// Type arguments: what instances of each can be. Empty when nothing is said.
pub(crate) type Args = Arc<[Values]>;

/// What an expression can stand for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// A file as a module.
    Module(FileId),
    /// A namespace that files belong to.
    Namespace(Arc<str>),
    /// A type itself; with an external class, anything external that can be named.
    Type(Class, Args),
    /// An instance of a type.
    Instance(Class, Args),
    /// The receiver inside the type: an instance of it or of whatever inherits from it.
    This(SymRef),
    /// The type of the receiver inside the type.
    ThisType(SymRef),
    /// The receiver seen as what the type inherits from.
    Super(SymRef),
    /// A function, and the receiver that it was read from.
    Function(SymRef, Option<Arc<Value>>),
    /// A closure, or the type of one, and the receiver whose type it was read from.
    Closure(FileId, FunctionId, Option<Arc<Value>>),
    /// The members of an object literal.
    Object(FileId, ScopeId),
    /// A type parameter: where it is bound, and whether an instance of it is meant.
    Variable(FileId, ScopeId, NameId, bool),
    /// What a function gets as parameter number `n`, where nothing is declared.
    Parameter(FileId, FunctionId, u16),
}

impl Value {
    /// Something outside the checkout, by name.
    pub(crate) fn external(name: impl Into<Arc<str>>) -> Value {
        Value::Type(Class::External(name.into()), no_args())
    }

    /// An instance of a type outside the checkout.
    pub(crate) fn external_instance(name: impl Into<Arc<str>>, args: Args) -> Value {
        Value::Instance(Class::External(name.into()), args)
    }

    /// A type of the checkout.
    pub(crate) fn class(class: SymRef) -> Value {
        Value::Type(Class::Symbol(class), no_args())
    }

    /// An instance of a type of the checkout.
    pub(crate) fn instance(class: SymRef) -> Value {
        Value::Instance(Class::Symbol(class), no_args())
    }

    /// The name of what is external.
    pub(crate) fn external_name(&self) -> Option<&Arc<str>> {
        match self {
            Value::Type(Class::External(name), _) | Value::Instance(Class::External(name), _) => {
                Some(name)
            }
            _ => None,
        }
    }

    /// Whether it, or a type argument of it, waits to be put in: a receiver, a type parameter, a
    /// parameter.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Value::This(_)
            | Value::ThisType(_)
            | Value::Variable(..)
            | Value::Parameter(..)
            | Value::Super(_) => true,
            Value::Type(_, args) | Value::Instance(_, args) => args.iter().any(Values::is_open),
            Value::Function(_, Some(receiver)) | Value::Closure(_, _, Some(receiver)) => {
                receiver.is_open()
            }
            _ => false,
        }
    }

    /// How deep type arguments are nested.
    fn depth(&self) -> usize {
        match self {
            Value::Type(_, args) | Value::Instance(_, args) => {
                let inner = args.iter().flat_map(Values::iter);
                1 + inner.map(|(value, _)| value.depth()).max().unwrap_or(0)
            }
            Value::Function(_, Some(receiver)) | Value::Closure(_, _, Some(receiver)) => {
                1 + receiver.depth()
            }
            _ => 0,
        }
    }
}

/// No type arguments.
pub(crate) fn no_args() -> Args {
    static NONE: std::sync::OnceLock<Args> = std::sync::OnceLock::new();
    NONE.get_or_init(|| Arc::from([])).clone()
}

/// How many values a set may have; one that would have more says nothing.
const MANY: usize = 12;

/// How deep type arguments may be nested; what is deeper loses its arguments.
const NESTED: usize = 4;

/// A small set of values, each with how surely it was found; in the order of finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Values(Option<Arc<[(Value, Certainty)]>>);

impl Values {
    /// Nothing is known.
    pub(crate) fn none() -> Values {
        Values(None)
    }

    /// One value.
    pub(crate) fn one(value: Value, certainty: Certainty) -> Values {
        Values(Some(Arc::from([(value, certainty)])))
    }

    /// The values of a list, without a bound on how many.
    pub(crate) fn list(items: Vec<(Value, Certainty)>) -> Values {
        if items.is_empty() {
            return Values(None);
        }
        Values(Some(items.into()))
    }

    /// The values and how surely each was found.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Value, Certainty)> {
        self.0.iter().flat_map(|items| items.iter())
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The only value.
    pub(crate) fn single(&self) -> Option<&(Value, Certainty)> {
        match self.0.as_deref() {
            Some([one]) => Some(one),
            _ => None,
        }
    }

    /// Whether one of them waits to be put in.
    pub(crate) fn is_open(&self) -> bool {
        self.iter().any(|(value, _)| value.is_open())
    }

    /// The same values, none surer than `least`.
    pub(crate) fn weakened(self, least: Certainty) -> Values {
        if self.iter().all(|(_, certainty)| *certainty >= least) {
            return self;
        }
        let items = self.iter();
        Values::list(items.map(|(v, c)| (v.clone(), (*c).max(least))).collect())
    }
}

/// A set of values in the making.
#[derive(Debug, Default)]
pub(crate) struct Collect {
    items: Vec<(Value, Certainty)>,
    many: bool,
}

impl Collect {
    /// Adds a value; of equal ones the surer finding stays.
    pub(crate) fn add(&mut self, value: Value, certainty: Certainty) {
        if let Some(known) = self.items.iter_mut().find(|(known, _)| *known == value) {
            known.1 = known.1.min(certainty);
            return;
        }
        if self.items.len() >= MANY {
            self.many = true;
            return;
        }
        let value = match value {
            Value::Type(class, args) if deep(&args) => Value::Type(class, no_args()),
            Value::Instance(class, args) if deep(&args) => Value::Instance(class, no_args()),
            Value::Function(symbol, Some(receiver)) if receiver.depth() > NESTED => {
                Value::Function(symbol, None)
            }
            Value::Closure(file, function, Some(receiver)) if receiver.depth() > NESTED => {
                Value::Closure(file, function, None)
            }
            value => value,
        };
        self.items.push((value, certainty));
    }

    /// Adds all values of a set, none surer than `least`.
    pub(crate) fn extend(&mut self, values: &Values, least: Certainty) {
        for (value, certainty) in values.iter() {
            self.add(value.clone(), (*certainty).max(least));
        }
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The finished set.
    pub(crate) fn finish(self) -> Values {
        if self.many {
            return Values::none();
        }
        Values::list(self.items)
    }
}

/// Whether arguments are nested too deep to be kept.
fn deep(args: &Args) -> bool {
    let inner = args.iter().flat_map(Values::iter);
    inner.map(|(value, _)| value.depth()).max().unwrap_or(0) >= NESTED
}
