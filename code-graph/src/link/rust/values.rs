//! What values are: expressions of code.

use super::super::Certainty;
use super::super::value::{FileId, SymRef};
use super::methods::Found;
use super::names::{Def, Ns};
use super::ty::{Hole, Subst, Ty, merge};
use super::{Linker, known};
use crate::facts::{
    Bound as Bind, Expr, ExprId, Flags, FunctionId, List, NameId, ScopeId, SymbolKind,
};
use std::sync::Arc;

/// What is called.
#[derive(Debug, Clone)]
pub(super) enum Callee {
    /// Functions of the checkout, and what the receiver is, where there is one.
    Functions(Vec<Found>, Certainty, Option<Ty>),
    /// A tuple struct or variant.
    Constructor(SymRef, Certainty),
    /// A method of something outside.
    Method(Ty, Arc<str>),
    /// A function outside, by its path; with the type that it belongs to.
    Path(Arc<str>, Vec<Ty>),
    /// A value that can be called.
    Value(Ty, Certainty),
    /// Nothing is known.
    Unknown,
}

/// How many alternatives are looked at.
const ALTERNATIVES: usize = 4;

impl<'w> Linker<'w> {
    fn at(&self, file: FileId, expr: ExprId) -> Expr {
        let known = self
            .unit(file)
            .and_then(|unit| unit.facts.exprs.get(expr.index()));
        known.copied().unwrap_or(Expr::Unknown)
    }

    /// What the value of an expression is.
    pub(super) fn value(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> (Ty, Certainty) {
        let key = (file, scope, expr);
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        if !self.active.insert(key) {
            return (Ty::Unknown, Certainty::Inferred);
        }
        if !self.step() {
            self.active.remove(&key);
            return (Ty::Unknown, Certainty::Inferred);
        }
        let within = self.within.replace((file, scope));
        let (found, certainty) = self.value_of(file, scope, expr);
        let found = self.settle(found);
        self.within = within;
        self.leave();
        self.active.remove(&key);
        self.values.insert(key, (found.clone(), certainty));
        (found, certainty)
    }

    fn value_of(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> (Ty, Certainty) {
        use Certainty::{Exact, Inferred, Typed};
        let outside = |name: &str| (Ty::outside(name, []), Typed);
        match self.at(file, expr) {
            Expr::This | Expr::SelfType => (self.self_ty(file, scope), Typed),
            Expr::Name(_) | Expr::Path(..) => self.named_value(file, scope, expr),
            Expr::Generic(of, list) => {
                let (ty, certainty) = self.value(file, scope, of);
                if let Ty::Item(symbol, subst) = &ty
                    && let Some(function) = self.symbol(*symbol).and_then(|facts| facts.function)
                {
                    let args: Vec<Ty> = self
                        .list(file, list)
                        .iter()
                        .map(|of| self.ty(file, scope, *of))
                        .collect();
                    let mut subst = (**subst).clone();
                    self.turbofish(symbol.file, function, &args, &mut subst);
                    return (Ty::Item(*symbol, Arc::new(subst)), certainty);
                }
                (ty, certainty)
            }
            Expr::Member(of, name) => self.field(file, scope, of, name),
            Expr::Call(callee, args) => self.call(file, scope, callee, args),
            Expr::New(of, fields) => (self.made(file, scope, of, fields), Typed),
            Expr::Literal(name) => outside(self.text(file, name)),
            Expr::Str(_) => outside("str"),
            Expr::Int(_) => outside("int"),
            Expr::Instance(of) => (self.ty(file, scope, of), Typed),
            Expr::Closure(function) => (Ty::Closure(file, function, Arc::default()), Exact),
            Expr::Tuple(list) => {
                let mut certainty = Exact;
                let mut parts = Vec::new();
                for of in self.list(file, list) {
                    let (ty, c) = self.value(file, scope, *of);
                    certainty = certainty.max(c);
                    parts.push(ty);
                }
                (Ty::Tuple(parts.into()), certainty)
            }
            Expr::Array(list) => {
                let mut element = Ty::Unknown;
                let mut certainty = Exact;
                for of in self.list(file, list).iter().take(ALTERNATIVES) {
                    let (ty, c) = self.value(file, scope, *of);
                    element = merge(&element, &ty);
                    certainty = certainty.max(c);
                }
                (Ty::outside("Vec", [element]), certainty)
            }
            Expr::Union(list) => {
                let mut found = (Ty::Unknown, Exact);
                for of in self.list(file, list).iter().take(ALTERNATIVES) {
                    let (ty, certainty) = self.value(file, scope, *of);
                    let all = merge(&found.0, &ty);
                    if all != found.0 {
                        found.1 = found.1.max(certainty);
                    }
                    found.0 = all;
                }
                found
            }
            Expr::Element(of) => {
                let (ty, certainty) = self.value(file, scope, of);
                (self.element(&ty), certainty)
            }
            Expr::Index(of, key) => {
                let (ty, certainty) = self.value(file, scope, of);
                (self.indexed(file, scope, &ty, key), certainty)
            }
            Expr::Part(of, at) => self.part(file, scope, of, at),
            Expr::Variant(of, _) => self.value(file, scope, of),
            Expr::Await(of) => {
                let (ty, _) = self.value(file, scope, of);
                (self.awaited(&ty), Inferred)
            }
            Expr::Unwrap(of) => {
                let (ty, certainty) = self.value(file, scope, of);
                match &ty {
                    Ty::Outside(name, _) if matches!(&**name, "Option" | "Result" | "Poll") => {
                        (ty.arg(0), certainty)
                    }
                    _ if ty.is_foreign() => (ty, certainty),
                    _ => (Ty::Unknown, certainty),
                }
            }
            Expr::Reference(of) => self.value(file, scope, of),
            Expr::Operator(name, of) => {
                let (ty, certainty) = self.value(file, scope, of);
                (self.operated(&ty, self.text(file, name)), certainty)
            }
            Expr::Passed(call, param) => self.passed(file, scope, call, param),
            _ => (Ty::Unknown, Inferred),
        }
    }

    // ------------------------------------------------------------------ names

    fn named_value(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> (Ty, Certainty) {
        for def in self.def(file, scope, expr, Ns::Value) {
            match def {
                Def::Local(file, scope, name) => return self.local(file, scope, name),
                Def::Symbol(symbol) => return (self.symbol_value(symbol), Certainty::Typed),
                Def::Outside(path) if path.ends_with("None") => {
                    return (Ty::outside("Option", [Ty::Unknown]), Certainty::Typed);
                }
                Def::Outside(path) if known::is_foreign(&path) => {
                    return (Ty::foreign(), Certainty::Typed);
                }
                _ => {}
            }
        }
        if let Expr::Path(..) = self.at(file, expr)
            && let Callee::Functions(found, certainty, _) = self.callee(file, scope, expr, &[])
            && let Some(found) = found.first()
        {
            if self
                .symbol(found.symbol)
                .is_some_and(|s| s.kind == SymbolKind::Constant)
            {
                let ty = self.symbol_value(found.symbol);
                return (found.subst.apply(&ty), certainty);
            }
            return (
                Ty::Item(found.symbol, Arc::new(found.subst.clone())),
                certainty,
            );
        }
        (Ty::Unknown, Certainty::Inferred)
    }

    fn symbol_value(&mut self, symbol: SymRef) -> Ty {
        let Some(facts) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        match facts.kind {
            SymbolKind::Constant | SymbolKind::Variable => match facts.declared {
                Some(declared) => self.ty(symbol.file, facts.scope, declared),
                None => Ty::Unknown,
            },
            SymbolKind::Function | SymbolKind::Method => Ty::Item(symbol, Arc::default()),
            SymbolKind::EnumMember => match self.owner(symbol) {
                Some(owner) if self.is_tuple(symbol) => {
                    let _ = owner;
                    Ty::Item(symbol, Arc::default())
                }
                Some(owner) => self.open_type(owner),
                None => Ty::Unknown,
            },
            SymbolKind::Struct if self.is_tuple(symbol) => Ty::Item(symbol, Arc::default()),
            SymbolKind::Struct => self.open_type(symbol),
            _ => Ty::Unknown,
        }
    }

    /// Whether a struct or variant has fields without names.
    fn is_tuple(&self, symbol: SymRef) -> bool {
        let zero = self.world.atom("0");
        let members = self.symbol(symbol).and_then(|facts| facts.members);
        let (Some(members), Some(unit)) = (members, self.unit(symbol.file)) else {
            return false;
        };
        let name = unit.name(zero);
        name.is_some_and(|name| !unit.facts.bindings_of(members, name).is_empty())
    }

    /// A struct or enum of which no type argument is known.
    pub(super) fn open_type(&mut self, symbol: SymRef) -> Ty {
        let params = self.params_of(symbol);
        Ty::Adt(symbol, params.iter().map(|_| Ty::Unknown).collect())
    }

    fn local(&mut self, file: FileId, scope: ScopeId, name: NameId) -> (Ty, Certainty) {
        let Some(unit) = self.unit(file) else {
            return (Ty::Unknown, Certainty::Inferred);
        };
        let mut found = (Ty::Unknown, Certainty::Exact);
        for binding in unit
            .facts
            .bindings_of(scope, name)
            .iter()
            .take(ALTERNATIVES)
        {
            let (ty, certainty) = match binding.bound {
                Bind::Declared(of) => (self.ty(file, binding.env, of), Certainty::Typed),
                Bind::Value(of) => self.value(file, binding.env, of),
                _ => continue,
            };
            let all = merge(&found.0, &ty);
            if all != found.0 {
                found.1 = found.1.max(certainty);
            }
            found.0 = all;
        }
        found
    }

    // ------------------------------------------------------------------ fields and parts

    /// `of.name`, a field.
    fn field(&mut self, file: FileId, scope: ScopeId, of: ExprId, name: NameId) -> (Ty, Certainty) {
        let text = self.text(file, name);
        if let Expr::Variant(value, path) = self.at(file, of) {
            let (ty, certainty) = self.value(file, scope, value);
            return (self.variant_field(file, scope, &ty, path, text), certainty);
        }
        let (ty, certainty) = self.value(file, scope, of);
        (self.field_of(&ty, text), certainty)
    }

    /// The field of a value, dereferenced as often as it takes.
    fn field_of(&mut self, ty: &Ty, name: &str) -> Ty {
        if let Ty::OneOf(any) = ty {
            let known: Vec<Ty> = any.iter().map(|one| self.field_of(one, name)).collect();
            return Ty::one_of(known);
        }
        let mut at = ty.clone();
        for _ in 0..8 {
            match &at {
                Ty::Tuple(parts) => {
                    let part = name.parse::<usize>().ok().and_then(|n| parts.get(n));
                    return part.cloned().unwrap_or(Ty::Unknown);
                }
                Ty::Adt(symbol, _) => {
                    let found = self.own_field(*symbol, &at, name);
                    if let Some(found) = found {
                        return found;
                    }
                }
                _ => {}
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    /// A field that a struct, union or variant declares, as an instance `of` its type has it.
    fn own_field(&mut self, symbol: SymRef, of: &Ty, name: &str) -> Option<Ty> {
        self.note_member(symbol, name);
        let facts = self.symbol(symbol)?;
        let unit = self.unit(symbol.file)?;
        let members = facts.members?;
        let id = unit.name(self.world.atom(name))?;
        let mut found = None;
        for binding in unit.facts.bindings_of(members, id) {
            let ty = match binding.bound {
                Bind::Symbol(field) => {
                    let field = unit.facts.symbols.get(field.index())?;
                    self.ty(symbol.file, field.scope, field.declared?)
                }
                Bind::Declared(of) => self.ty(symbol.file, binding.env, of),
                _ => continue,
            };
            // Twins under other conditions: the first that is known.
            found = Some(match found {
                None => ty,
                Some(before) => merge(&before, &ty),
            });
        }
        let found = found?;
        let subst = self.args_of(of);
        Some(self.settle(subst.apply(&found)))
    }

    /// The type arguments of a struct or enum, for its parameters.
    fn args_of(&mut self, ty: &Ty) -> Subst {
        let mut subst = Subst::default();
        if let Ty::Adt(symbol, args) = ty {
            for ((scope, name), arg) in self.params_of(*symbol).iter().zip(args.iter()) {
                subst.put(Hole::Param(symbol.file, *scope, *name), arg.clone());
            }
        }
        subst
    }

    /// Number `at` of what unpacking a value gives.
    fn part(&mut self, file: FileId, scope: ScopeId, of: ExprId, at: u16) -> (Ty, Certainty) {
        if let Expr::Variant(value, path) = self.at(file, of) {
            let (ty, certainty) = self.value(file, scope, value);
            let name = at.to_string();
            return (self.variant_field(file, scope, &ty, path, &name), certainty);
        }
        let (ty, certainty) = self.value(file, scope, of);
        let mut ty = ty;
        while let Some(inner) = self.deref(&ty).filter(|inner| *inner != ty) {
            ty = inner;
        }
        match &ty {
            Ty::Tuple(_) => (ty.arg(usize::from(at)), certainty),
            _ => (Ty::Unknown, certainty),
        }
    }

    /// A field of a value that was made by the variant or struct that a path names.
    fn variant_field(
        &mut self,
        file: FileId,
        scope: ScopeId,
        ty: &Ty,
        path: ExprId,
        field: &str,
    ) -> Ty {
        let mut defs = self.def(file, scope, path, Ns::Value);
        if defs.is_empty() {
            defs = self.def(file, scope, path, Ns::Type);
        }
        // `Self::Variant`, `Alias::Variant`, `Self { … }`.
        if defs.is_empty() {
            match self.at(file, path) {
                Expr::Path(of, name) => {
                    if let Ty::Adt(symbol, _) = self.path_type(file, scope, of) {
                        let name = self.atom(file, name);
                        defs = self.variant(symbol, name);
                    }
                }
                _ => {
                    if let Ty::Adt(symbol, _) = self.path_type(file, scope, path) {
                        defs = vec![Def::Symbol(symbol)];
                    }
                }
            }
        }
        let Some(def) = defs.into_iter().next() else {
            return Ty::Unknown;
        };
        match def {
            Def::Symbol(mut symbol) => {
                if self
                    .symbol(symbol)
                    .is_some_and(|s| s.kind == SymbolKind::TypeAlias)
                    && let Ty::Adt(target, _) = self.own_or_alias(symbol)
                {
                    symbol = target;
                }
                let owner = match self.symbol(symbol).map(|facts| facts.kind) {
                    Some(SymbolKind::EnumMember) => self.owner(symbol),
                    _ => Some(symbol),
                };
                let Some(owner) = owner else {
                    return Ty::Unknown;
                };
                // Through boxes and references to the type that the variant belongs to.
                let mut of = ty.clone();
                for _ in 0..4 {
                    if matches!(&of, Ty::Adt(symbol, _) if *symbol == owner) {
                        break;
                    }
                    match self.deref(&of) {
                        Some(next) if next != of => of = next,
                        _ => {
                            of = self.open_type(owner);
                            break;
                        }
                    }
                }
                self.own_field(symbol, &of, field).unwrap_or(Ty::Unknown)
            }
            Def::Outside(path) => {
                let mut ty = ty.clone();
                while let Ty::Outside(name, args) = &ty
                    && let Some(inner) = known::deref(name, args)
                {
                    ty = inner;
                }
                let Ty::Outside(name, _) = &ty else {
                    return Ty::Unknown;
                };
                let last = path.rsplit("::").next().unwrap_or_default();
                match (&**name, last) {
                    ("Option", "Some") | ("Result", "Ok") | ("Poll", "Ready") => ty.arg(0),
                    ("Result", "Err") => ty.arg(1),
                    ("Entry", "Occupied" | "Vacant") => ty.clone(),
                    _ => Ty::Unknown,
                }
            }
            _ => Ty::Unknown,
        }
    }

    fn own_or_alias(&mut self, symbol: SymRef) -> Ty {
        let Some(facts) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        match facts.declared {
            Some(declared) => self.ty(symbol.file, facts.scope, declared),
            None => self.own_type(symbol),
        }
    }

    fn indexed(&mut self, file: FileId, scope: ScopeId, ty: &Ty, key: ExprId) -> Ty {
        let (key, _) = self.value(file, scope, key);
        let range = matches!(&key, Ty::Outside(name, _) if &**name == "Range");
        let mut at = ty.clone();
        for _ in 0..6 {
            match &at {
                Ty::Outside(name, args) => match &**name {
                    "HashMap" | "BTreeMap" | "IndexMap" => return at.arg(1),
                    "[]" | "Vec" | "VecDeque" | "bytes" | "collected" | "SmallVec" => {
                        return if range {
                            at.clone()
                        } else {
                            known::element(name, args).unwrap_or(Ty::Unknown)
                        };
                    }
                    "str" | "String" => return Ty::outside("str", []),
                    _ => {}
                },
                Ty::Adt(..) => {
                    let output = self.associated_in(&at, "Output", &["Index"]);
                    if !output.is_unknown() {
                        return output;
                    }
                }
                _ => {}
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    fn operated(&mut self, ty: &Ty, operator: &str) -> Ty {
        let of = match operator {
            "+" => "Add",
            "-" => "Sub",
            "*" => "Mul",
            "/" => "Div",
            "%" => "Rem",
            "|" => "BitOr",
            "&" => "BitAnd",
            "^" => "BitXor",
            "<<" => "Shl",
            ">>" => "Shr",
            "!" => "Not",
            "**" => {
                return match ty {
                    Ty::Outside(name, _) if known::is_pointer(name) => {
                        self.deref(ty).unwrap_or(Ty::Unknown)
                    }
                    _ => ty.clone(),
                };
            }
            _ => return ty.clone(),
        };
        match ty {
            Ty::Adt(..) => {
                let output = self.associated_in(ty, "Output", &[of]);
                if output.is_unknown() {
                    ty.clone()
                } else {
                    output
                }
            }
            _ => ty.clone(),
        }
    }

    // ------------------------------------------------------------------ calls

    /// The type that a path in an expression goes through; type arguments that are not written are
    /// open.
    pub(super) fn path_type(&mut self, file: FileId, scope: ScopeId, of: ExprId) -> Ty {
        match self.at(file, of) {
            Expr::Name(_) | Expr::Path(..) => {
                let mut twins = Vec::new();
                for def in self
                    .def(file, scope, of, Ns::Type)
                    .into_iter()
                    .take(ALTERNATIVES)
                {
                    if let Def::Symbol(symbol) = def {
                        match self.symbol(symbol).map(|facts| facts.kind) {
                            Some(SymbolKind::Struct | SymbolKind::Enum) => {
                                twins.push(self.open_type(symbol));
                            }
                            Some(SymbolKind::EnumMember) => {
                                if let Some(owner) = self.owner(symbol) {
                                    return self.open_type(owner);
                                }
                            }
                            _ => {}
                        }
                    }
                }
                match twins.is_empty() {
                    true => self.ty(file, scope, of),
                    false => Ty::one_of(twins),
                }
            }
            _ => self.ty(file, scope, of),
        }
    }

    /// What is called by an expression. `args` may tell which of several it is.
    pub(super) fn callee(
        &mut self,
        file: FileId,
        scope: ScopeId,
        expr: ExprId,
        args: &[Ty],
    ) -> Callee {
        match self.at(file, expr) {
            Expr::Generic(of, _) => self.callee(file, scope, of, args),
            Expr::Member(of, name) => self.method_callee(file, scope, of, name, args),
            Expr::Name(_) | Expr::Path(..) => self.path_callee(file, scope, expr, args),
            Expr::Unknown => Callee::Unknown,
            _ => {
                let (ty, certainty) = self.value(file, scope, expr);
                Callee::Value(ty, certainty)
            }
        }
    }

    fn method_callee(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        name: NameId,
        args: &[Ty],
    ) -> Callee {
        let (ty, certainty) = self.value(file, scope, of);
        let atom = self.atom(file, name);
        let text = self.text(file, name);
        let within = self.within.replace((file, scope));
        let found = self.method(&ty, atom);
        self.within = within;
        let mut found: Vec<Found> = found
            .iter()
            .filter(|found| self.has_receiver(found.symbol))
            .cloned()
            .collect();
        self.only_fitting(&mut found, args, false);
        if !found.is_empty() {
            return Callee::Functions(found, certainty.max(Certainty::Typed), Some(ty));
        }
        match &ty {
            Ty::Unknown => Callee::Unknown,
            ty if ty.is_undeclared() => Callee::Unknown,
            Ty::Projection(..) | Ty::Param(..) if self.bounds(&ty).is_empty() => {
                Callee::Method(ty, text.into())
            }
            _ => Callee::Method(ty, text.into()),
        }
    }

    fn path_callee(&mut self, file: FileId, scope: ScopeId, expr: ExprId, args: &[Ty]) -> Callee {
        let mut functions = Vec::new();
        for def in self.def(file, scope, expr, Ns::Value) {
            match def {
                Def::Symbol(symbol) => match self.symbol(symbol).map(|facts| facts.kind) {
                    Some(SymbolKind::Function | SymbolKind::Method) => functions.push(Found {
                        symbol,
                        subst: Subst::default(),
                        by_trait: false,
                    }),
                    Some(SymbolKind::Struct | SymbolKind::EnumMember) => {
                        return Callee::Constructor(symbol, Certainty::Exact);
                    }
                    Some(SymbolKind::Constant | SymbolKind::Variable) => {
                        return Callee::Value(self.symbol_value(symbol), Certainty::Typed);
                    }
                    _ => {}
                },
                Def::Local(file, scope, name) => {
                    let (ty, certainty) = self.local(file, scope, name);
                    return Callee::Value(ty, certainty);
                }
                Def::Outside(path) => {
                    if let Expr::Path(of, name) = self.at(file, expr)
                        && of_a_type(&path)
                        && let Some(found) = self.of_type(file, scope, of, name, args)
                    {
                        return match found {
                            Callee::Path(_, held) => Callee::Path(path, held),
                            found => found,
                        };
                    }
                    return Callee::Path(path, Vec::new());
                }
                _ => {}
            }
        }
        if !functions.is_empty() {
            return Callee::Functions(functions, Certainty::Exact, None);
        }
        match self.at(file, expr) {
            Expr::Path(of, name) => self
                .of_type(file, scope, of, name, args)
                .unwrap_or(Callee::Unknown),
            _ => Callee::Unknown,
        }
    }

    /// `of::name`, where `of` is a type or trait.
    fn of_type(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        name: NameId,
        args: &[Ty],
    ) -> Option<Callee> {
        let atom = self.atom(file, name);
        let text = self.text(file, name);
        let by_self = matches!(self.at(file, of), Expr::SelfType);
        let (ty, of_trait) = match self.at(file, of) {
            Expr::Qualified(ty, bound) => {
                let ty = self.ty(file, scope, ty);
                let bounds = match self.ty(file, scope, bound) {
                    Ty::Any(bounds) => bounds.to_vec(),
                    _ => Vec::new(),
                };
                (ty, bounds.first().cloned())
            }
            _ => match self.path_type(file, scope, of) {
                // `Trait::method(x)`: what the first argument has.
                Ty::Any(bounds) if bounds.iter().any(|bound| bound.of.is_some()) => {
                    let receiver = args.first().cloned().unwrap_or(Ty::Unknown);
                    (receiver, bounds.first().cloned())
                }
                Ty::Any(bounds) => {
                    let name = bounds.first()?.name.clone();
                    return Some(Callee::Path(format!("{name}::{text}").into(), Vec::new()));
                }
                ty => (ty, None),
            },
        };
        if let Ty::Outside(name, held) = &ty
            && !ty.is_undeclared()
        {
            // What the type has of its own, and conversions of which nothing tells the trait's.
            let path = format!("{name}::{text}");
            let unsure = matches!(text, "from" | "try_from" | "from_iter")
                && args
                    .first()
                    .is_none_or(|arg| arg.is_unknown() || arg.is_foreign());
            if unsure || !known::function(&path, args, held).is_unknown() && text != "from" {
                return Some(Callee::Path(path.into(), held.to_vec()));
            }
        }
        let within = self.within.replace((file, scope));
        let mut found: Vec<Found> = self.methods_at(&ty, atom).to_vec();
        if let Some(bound) = &of_trait {
            let Some(of) = bound.of else {
                self.within = within;
                return Some(Callee::Path(
                    format!("{}::{text}", bound.name).into(),
                    vec![ty],
                ));
            };
            found.retain(|found| found.by_trait);
            if found.is_empty() {
                // The trait's own, when nothing is known of the type.
                let of_self = self.methods_at(&Ty::SelfOf(of), atom);
                found = of_self.to_vec();
            }
        }
        if found.is_empty()
            && let Ty::Adt(symbol, _) = &ty
        {
            // A variant through `Self::` or another name of the enum.
            for def in self.variant(*symbol, atom) {
                if let Def::Symbol(symbol) = def
                    && self
                        .symbol(symbol)
                        .is_some_and(|s| s.kind == SymbolKind::EnumMember)
                {
                    self.within = within;
                    return Some(Callee::Constructor(symbol, Certainty::Typed));
                }
            }
        }
        self.within = within;
        self.only_fitting(&mut found, args, true);
        if !found.is_empty() {
            let by_trait = found.iter().any(|found| found.by_trait);
            let certainty = if by_self || by_trait || of_trait.is_some() {
                Certainty::Typed
            } else {
                Certainty::Exact
            };
            return Some(Callee::Functions(found, certainty, Some(ty)));
        }
        match &ty {
            Ty::Unknown => None,
            ty if ty.is_undeclared() => None,
            Ty::Outside(name, args) => Some(Callee::Path(
                format!("{name}::{text}").into(),
                args.to_vec(),
            )),
            _ => Some(Callee::Method(ty, text.into())),
        }
    }

    /// Of several functions of one name, those whose parameters can be what is passed.
    fn only_fitting(&mut self, found: &mut Vec<Found>, args: &[Ty], by_path: bool) {
        if found.len() < 2 || args.is_empty() {
            return;
        }
        let mut fitting = Vec::new();
        for one in found.iter() {
            let Some(function) = self.symbol(one.symbol).and_then(|facts| facts.function) else {
                continue;
            };
            let skip = usize::from(by_path && self.has_receiver(one.symbol));
            let fits = args.iter().skip(skip).enumerate().all(|(at, actual)| {
                let pattern = self.parameter_of(one.symbol.file, function, at);
                let pattern = one.subst.apply(&pattern);
                self.unify(&pattern, actual, &mut Subst::default())
            });
            if fits {
                fitting.push(one.clone());
            }
        }
        if !fitting.is_empty() {
            *found = fitting;
        }
    }

    /// The types of arguments.
    pub(super) fn arguments(&mut self, file: FileId, scope: ScopeId, args: List) -> Vec<Ty> {
        let list = self.list(file, args);
        list.iter()
            .map(|arg| self.value(file, scope, *arg).0)
            .collect()
    }

    fn call(
        &mut self,
        file: FileId,
        scope: ScopeId,
        callee: ExprId,
        args: List,
    ) -> (Ty, Certainty) {
        if let Expr::Literal(name) = self.at(file, callee)
            && self.text(file, name) == "async"
        {
            let args = self.arguments(file, scope, args);
            return (Ty::outside("Future", args), Certainty::Inferred);
        }
        let args = self.arguments(file, scope, args);
        let generic: Vec<Ty> = match self.at(file, callee) {
            Expr::Generic(_, list) => {
                let list = self.list(file, list);
                list.iter().map(|of| self.ty(file, scope, *of)).collect()
            }
            _ => Vec::new(),
        };
        match self.callee(file, scope, callee, &args) {
            Callee::Functions(found, certainty, receiver) => {
                let by_path = !matches!(self.at(file, self.bare(file, callee)), Expr::Member(..));
                let ty = self.result(&found, receiver.as_ref(), &args, &generic, by_path);
                let _ = certainty;
                (ty, Certainty::Inferred)
            }
            Callee::Constructor(symbol, certainty) => (
                self.constructed(symbol, &args),
                certainty.max(Certainty::Typed),
            ),
            Callee::Method(receiver, name) => (
                self.known_result(&receiver, &name, &args, &generic),
                Certainty::Inferred,
            ),
            Callee::Path(path, of) => {
                let mut ty = self.outside_result(&path, &args, &of);
                if ty.is_unknown() && known::is_foreign(&path) {
                    ty = Ty::foreign();
                }
                (ty, Certainty::Inferred)
            }
            Callee::Value(ty, certainty) => {
                let (ty, _) = self.called(&ty, &args);
                (ty, certainty.max(Certainty::Inferred))
            }
            Callee::Unknown => (Ty::Unknown, Certainty::Inferred),
        }
    }

    /// An expression without type arguments.
    fn bare(&self, file: FileId, expr: ExprId) -> ExprId {
        match self.at(file, expr) {
            Expr::Generic(of, _) => of,
            _ => expr,
        }
    }

    /// What calling functions gives: the first result that is known.
    fn result(
        &mut self,
        found: &[Found],
        receiver: Option<&Ty>,
        args: &[Ty],
        generic: &[Ty],
        by_path: bool,
    ) -> Ty {
        let mut all = Ty::Unknown;
        for one in found.iter().take(ALTERNATIVES) {
            let Some(facts) = self.symbol(one.symbol) else {
                continue;
            };
            let Some(function) = facts.function else {
                continue;
            };
            let file = one.symbol.file;
            let mut subst = one.subst.clone();
            self.turbofish(file, function, generic, &mut subst);
            let mut args = args;
            if by_path && self.has_receiver(one.symbol) {
                // `Type::method(receiver, …)`.
                if let Some((first, rest)) = args.split_first() {
                    if let Some(Ty::Adt(..)) = receiver
                        && let Some(target) = self.target_of(one.symbol)
                    {
                        self.unify(&target, first, &mut subst);
                    }
                    args = rest;
                }
            }
            self.infer(file, function, args, &mut subst);
            let Some(result) = self.result_of(file, function) else {
                continue;
            };
            let mut ty = self.settle(Self::closed(&result, &subst));
            if facts.flags.has(Flags::ASYNC) {
                ty = Ty::outside("Future", [ty]);
            }
            all = merge(&all, &ty);
        }
        all
    }

    /// The target of the `impl` block that a function stands in.
    fn target_of(&mut self, symbol: SymRef) -> Option<Ty> {
        let facts = self.symbol(symbol)?;
        let at = self.unit(symbol.file)?.extension_of(facts.scope)?;
        Some(self.implementation(symbol.file, at).target.clone())
    }

    /// What a tuple struct or variant makes.
    fn constructed(&mut self, symbol: SymRef, args: &[Ty]) -> Ty {
        let owner = match self.symbol(symbol).map(|facts| facts.kind) {
            Some(SymbolKind::EnumMember) => self.owner(symbol),
            _ => Some(symbol),
        };
        let Some(owner) = owner else {
            return Ty::Unknown;
        };
        let fields: Vec<(String, Ty)> = args
            .iter()
            .enumerate()
            .map(|(at, ty)| (at.to_string(), ty.clone()))
            .collect();
        self.filled(symbol, owner, &fields)
    }

    /// An instance of a type, its type arguments told by what its fields get.
    fn filled(&mut self, symbol: SymRef, owner: SymRef, fields: &[(String, Ty)]) -> Ty {
        let params = self.params_of(owner);
        if params.is_empty() {
            return Ty::Adt(owner, Arc::from([]));
        }
        let own = self.own_type(owner);
        let mut subst = Subst::default();
        for (name, actual) in fields {
            if let Some(pattern) = self.own_field(symbol, &own, name) {
                let mut learned = Subst::default();
                self.unify(&pattern, actual, &mut learned);
                subst = subst.and(&learned);
            }
        }
        let arg = |(scope, name): &(ScopeId, NameId)| {
            let known = subst.get(Hole::Param(owner.file, *scope, *name));
            known.cloned().unwrap_or(Ty::Unknown)
        };
        Ty::Adt(owner, params.iter().map(arg).collect())
    }

    /// `of { … }`
    fn made(&mut self, file: FileId, scope: ScopeId, of: ExprId, fields: List) -> Ty {
        if let Expr::Literal(name) = self.at(file, of) {
            let args = self.arguments(file, scope, fields);
            return Ty::outside(self.text(file, name), args.into_iter().take(1));
        }
        let mut symbol = None;
        for def in self.def(file, scope, of, Ns::Type) {
            if let Def::Symbol(found) = def {
                symbol = Some(found);
                break;
            }
        }
        let kind = symbol.and_then(|symbol| Some(self.symbol(symbol)?.kind));
        let declared = match (symbol, kind) {
            (Some(_), Some(SymbolKind::Struct | SymbolKind::EnumMember)) => None,
            _ => Some(self.path_type(file, scope, of)),
        };
        let (symbol, owner) = match (declared, symbol) {
            (None, Some(symbol)) => {
                let owner = match kind {
                    Some(SymbolKind::EnumMember) => self.owner(symbol),
                    _ => Some(symbol),
                };
                match owner {
                    Some(owner) => (symbol, owner),
                    None => return Ty::Unknown,
                }
            }
            (Some(Ty::Adt(symbol, args)), _) => {
                if args.iter().all(|arg| !arg.is_unknown()) {
                    return Ty::Adt(symbol, args);
                }
                (symbol, symbol)
            }
            (Some(other), _) => return other,
            _ => return Ty::Unknown,
        };
        if self.params_of(owner).is_empty() {
            return Ty::Adt(owner, Arc::from([]));
        }
        let mut known = Vec::new();
        for field in self.list(file, fields) {
            if let Expr::Keyword(name, value) = self.at(file, *field) {
                let (ty, _) = self.value(file, scope, value);
                known.push((self.text(file, name).to_owned(), ty));
            }
        }
        self.filled(symbol, owner, &known)
    }

    /// What a method of something that is not in the checkout gives.
    fn known_result(&mut self, receiver: &Ty, name: &str, args: &[Ty], generic: &[Ty]) -> Ty {
        let mut at = receiver.clone();
        for _ in 0..6 {
            // `T: Into<U>`
            let wanted = match name {
                "into" => "Into",
                "as_ref" => "AsRef",
                "borrow" => "Borrow",
                _ => "",
            };
            if !wanted.is_empty() {
                let bounds = self.bounds(&at);
                let said = bounds.iter().find(|bound| &*bound.name == wanted);
                if let Some(into) = said.and_then(|bound| bound.args.first()) {
                    return into.clone();
                }
            }
            let found = self.known_at(&at, name, args);
            if !found.is_unknown() {
                if let (Ty::Outside(of, items), [collection]) = (&found, generic)
                    && &**of == "collected"
                {
                    return merge(collection, &Ty::Outside(of.clone(), items.clone()));
                }
                return found;
            }
            if let (true, [ty]) = (
                matches!(name, "parse" | "sum" | "product" | "into"),
                generic,
            ) {
                return match name {
                    "parse" => Ty::outside("Result", [ty.clone(), Ty::Unknown]),
                    _ => ty.clone(),
                };
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => break,
            }
        }
        match &at {
            // What methods of types of other crates give is of other crates too.
            Ty::Outside(of, _) if !known::is_std(of) && !at.is_undeclared() => Ty::foreign(),
            _ => Ty::Unknown,
        }
    }

    fn known_at(&mut self, receiver: &Ty, name: &str, args: &[Ty]) -> Ty {
        let iterates = match receiver {
            Ty::Adt(..) | Ty::Any(_) | Ty::Param(..) | Ty::SelfOf(_) | Ty::Projection(..) => {
                !matches!(
                    name,
                    "clone" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "to_owned"
                )
            }
            _ => false,
        };
        if iterates {
            let item = self.element(receiver);
            if !matches!(item, Ty::Unknown) {
                let iter = Ty::outside("Iter", [item]);
                let found = self.known_of(&iter, name, args);
                if !found.is_unknown() {
                    return found;
                }
            }
        }
        self.known_of(receiver, name, args)
    }

    fn known_of(&mut self, receiver: &Ty, name: &str, args: &[Ty]) -> Ty {
        // Results of closures are wanted only where a method is known to give them on.
        let mut results: Vec<Option<Ty>> = Vec::new();
        for arg in args {
            results.push(match arg {
                Ty::Closure(..) | Ty::Item(..) | Ty::Any(_) | Ty::Param(..) => {
                    Some(self.called(arg, &[]).0)
                }
                _ => None,
            });
        }
        let mut elements: Vec<Ty> = Vec::new();
        for arg in args {
            elements.push(self.element(arg));
        }
        let flat: Vec<Ty> = results.iter().flatten().cloned().collect();
        let mut inner: Vec<(Ty, Ty)> = Vec::new();
        for ty in flat.iter().chain([receiver.arg(0)].iter()) {
            let element = self.element(ty);
            inner.push((ty.clone(), element));
        }
        let mut call = |arg: &Ty| {
            let at = args.iter().position(|known| known == arg);
            let found = at.and_then(|at| results.get(at).cloned().flatten());
            found.unwrap_or(Ty::Unknown)
        };
        let mut element = |ty: &Ty| {
            let at = args.iter().position(|known| known == ty);
            if let Some(found) = at.and_then(|at| elements.get(at)) {
                return found.clone();
            }
            let found = inner.iter().find(|(known, _)| known == ty);
            found.map_or(Ty::Unknown, |(_, element)| element.clone())
        };
        known::method(receiver, name, args, &mut call, &mut element)
    }

    fn outside_result(&mut self, path: &str, args: &[Ty], of: &[Ty]) -> Ty {
        let last = path.rsplit("::").next().unwrap_or_default();
        match (last, of.first()) {
            // `<T as Default>::default()`, `T::from(…)` of something of the checkout.
            ("default" | "from" | "from_iter", Some(ty))
                if path.starts_with("Default") || path.starts_with("From") =>
            {
                ty.clone()
            }
            _ => known::function(path, args, of),
        }
    }

    /// What calling a value gives.
    pub(super) fn called(&mut self, ty: &Ty, args: &[Ty]) -> (Ty, Certainty) {
        if !self.step() {
            return (Ty::Unknown, Certainty::Inferred);
        }
        let found = self.called_now(ty, args);
        self.leave();
        (found, Certainty::Inferred)
    }

    fn called_now(&mut self, ty: &Ty, args: &[Ty]) -> Ty {
        match ty {
            Ty::Closure(file, function, subst) => {
                let result = match self.result_of(*file, *function) {
                    Some(result) => result,
                    None => self.returned(*file, *function),
                };
                self.settle(subst.apply(&result))
            }
            Ty::Item(symbol, subst) => {
                let Some(facts) = self.symbol(*symbol) else {
                    return Ty::Unknown;
                };
                if matches!(facts.kind, SymbolKind::Struct | SymbolKind::EnumMember) {
                    return self.constructed(*symbol, args);
                }
                let found = Found {
                    symbol: *symbol,
                    subst: (**subst).clone(),
                    by_trait: false,
                };
                self.result(&[found], None, args, &[], true)
            }
            Ty::Any(_) | Ty::Param(..) | Ty::Projection(..) => {
                let bounds = self.bounds(ty);
                let function = bounds.iter().find_map(|bound| bound.function.clone());
                match function {
                    Some(function) => self.called(&function, args).0,
                    None => Ty::Unknown,
                }
            }
            Ty::Outside(name, inner) => match known::deref(name, inner) {
                Some(inner) if inner != *ty => self.called(&inner, args).0,
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// What a closure gives by its body.
    fn returned(&mut self, file: FileId, function: FunctionId) -> Ty {
        let Some(facts) = self
            .unit(file)
            .and_then(|u| u.facts.functions.get(function.index()))
        else {
            return Ty::Unknown;
        };
        match facts.returns.first() {
            Some(of) => self.value(file, facts.scope, *of).0,
            None => Ty::Unknown,
        }
    }

    /// What the callee of a call hands to a closure that is its next argument.
    fn passed(
        &mut self,
        file: FileId,
        scope: ScopeId,
        call: ExprId,
        param: u16,
    ) -> (Ty, Certainty) {
        let Expr::Call(callee, list) = self.at(file, call) else {
            return (Ty::Unknown, Certainty::Inferred);
        };
        let args = self.arguments(file, scope, list);
        let next = args.len();
        match self.callee(file, scope, callee, &args) {
            Callee::Functions(found, _, _) => {
                let by_path = !matches!(self.at(file, self.bare(file, callee)), Expr::Member(..));
                for one in found {
                    let Some(function) = self.symbol(one.symbol).and_then(|s| s.function) else {
                        continue;
                    };
                    let mut at = next;
                    let mut given = args.as_slice();
                    if by_path && self.has_receiver(one.symbol) {
                        at = at.saturating_sub(1);
                        given = given.get(1..).unwrap_or_default();
                    }
                    let mut subst = one.subst.clone();
                    self.infer(one.symbol.file, function, given, &mut subst);
                    let declared = self.parameter_of(one.symbol.file, function, at);
                    let ty = self.handed(&declared, usize::from(param), &subst);
                    if !ty.is_unknown() {
                        return (ty, Certainty::Inferred);
                    }
                }
                (Ty::Unknown, Certainty::Inferred)
            }
            Callee::Method(receiver, name) => {
                let mut at = receiver;
                for _ in 0..6 {
                    if matches!(at, Ty::Adt(..) | Ty::OneOf(_))
                        && matches!(
                            &*name,
                            "with" | "try_with" | "with_borrow" | "with_borrow_mut"
                        )
                    {
                        return (at, Certainty::Inferred);
                    }
                    let iterates = matches!(
                        at,
                        Ty::Adt(..)
                            | Ty::Any(_)
                            | Ty::Param(..)
                            | Ty::SelfOf(_)
                            | Ty::Projection(..)
                    );
                    let of = if iterates {
                        let item = self.element(&at);
                        Ty::outside("Iter", [item])
                    } else {
                        at.clone()
                    };
                    let pointer = matches!(&of, Ty::Outside(name, args) if known::deref(name, args).is_some() && &**name != "Vec");
                    if !pointer {
                        let ty = known::passed(&of, &name, next, usize::from(param), &args);
                        if !ty.is_unknown() {
                            return (ty, Certainty::Inferred);
                        }
                    }
                    match self.deref(&at) {
                        Some(next) if next != at => at = next,
                        _ => break,
                    }
                }
                (Ty::Unknown, Certainty::Inferred)
            }
            _ => (Ty::Unknown, Certainty::Inferred),
        }
    }

    /// Parameter number `param` of the function that a declared type is.
    fn handed(&mut self, declared: &Ty, param: usize, subst: &Subst) -> Ty {
        let function = match declared {
            Ty::Closure(..) => Some(declared.clone()),
            Ty::Param(..) | Ty::Any(_) | Ty::Projection(..) => {
                let bounds = self.bounds(declared);
                bounds
                    .iter()
                    .find_map(|bound| Some((*bound.function.clone()?).clone()))
            }
            Ty::Outside(_, args) => match args.first() {
                Some(Ty::Any(bounds)) => bounds
                    .iter()
                    .find_map(|bound| Some((*bound.function.clone()?).clone())),
                _ => None,
            },
            _ => None,
        };
        let Some(Ty::Closure(file, function, inner)) = function else {
            return Ty::Unknown;
        };
        let ty = self.parameter_of(file, function, param);
        let ty = inner.apply(&ty);
        self.settle(subst.apply(&ty))
    }
}

/// Whether the last name of a path belongs to a type.
fn of_a_type(path: &str) -> bool {
    let of = path.rsplit("::").nth(1).unwrap_or_default();
    of.starts_with(char::is_uppercase)
        || matches!(
            of,
            "u8" | "u16"
                | "u32"
                | "u64"
                | "u128"
                | "usize"
                | "i8"
                | "i16"
                | "i32"
                | "i64"
                | "i128"
                | "isize"
                | "f32"
                | "f64"
                | "str"
                | "char"
                | "bool"
        )
}
