//! What a language's rules decide while linking.

use super::eval::{Arguments, Eval, Fit};
use super::modules::Tree;
use super::value::{Args, Class, Collect, FileId, SymRef, Value, Values};
use super::world::{Atom, World};
use super::{Certainty, Links};
use crate::facts::{Binding, Bound, FunctionId, Import, NameId, ScopeId, Symbol};

/// The rules of one language (or of a family that imports from each other, as JavaScript and
/// TypeScript do). Made once for a [`World`](super::World), so that it may keep what it reads from
/// paths and project files.
///
/// Every method has an answer that suits most languages. Whatever a rule looks up in another file
/// it looks up through the [`Eval`] that it is given, which notes the question; a rule keeps no
/// state of its own between calls.
pub(crate) trait Rules: Send + Sync {
    /// A name for these rules; languages with equal names share one object.
    fn name(&self) -> &'static str;

    /// The links of a file, for a language that finds them in a way of its own.
    fn link(&self, _world: &World<'_>, _file: FileId) -> Option<Links> {
        None
    }

    // ------------------------------------------------------------------ modules

    /// The namespace that a file's top-level names belong to, in languages where files are parts of
    /// namespaces; none where a file is a module of its own. A pure function of path, surface and
    /// project files.
    fn namespace(&self, _tree: &Tree, _file: FileId) -> Option<String> {
        None
    }

    /// The names under which others ask whether there are files like one at this path (a folder that
    /// holds it, a module of its name), see [`key::namespace`](super::key::namespace).
    fn brings(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    /// A fingerprint of where a file stands as these rules see it, for rules that work that out for
    /// all files together (module trees, packages): a pure function of paths, surfaces and project
    /// files. When it changes, the file is linked again, and so is every file that noted
    /// [`key::PLACE`](super::key::PLACE) of it or anything in it.
    fn place(&self, _tree: &Tree, _file: FileId) -> u64 {
        0
    }

    /// What an import brings: a module, a namespace, what a name in it means, or something
    /// external. Whoever can tell that the import leaves the checkout says so
    /// ([`Value::external`]); nothing at all means that it is unknown.
    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values;

    /// The module that an import names, whatever it binds: of `import a.b.c`, which binds `a`, the
    /// module `a.b.c`. The import comes without a name taken from the module.
    fn imported_module(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        self.import(eval, file, import)
    }

    /// What a name means that nothing in the file binds: a name of the same package, of the
    /// prelude, a builtin (external).
    fn global(
        &self,
        _eval: &mut Eval<'_>,
        _file: FileId,
        _scope: ScopeId,
        _name: NameId,
    ) -> Values {
        Values::none()
    }

    /// What a name at the top of a module means that the module does not bind (a submodule).
    fn missing_top(&self, _eval: &mut Eval<'_>, _file: FileId, _name: Atom) -> Values {
        Values::none()
    }

    /// What a name means in a namespace that the rules made up themselves (a folder); `None` for
    /// one that [`namespace`](Rules::namespace) gives.
    fn namespace_member(
        &self,
        _eval: &mut Eval<'_>,
        _namespace: &str,
        _name: &str,
    ) -> Option<Values> {
        None
    }

    /// Whether a wildcard import of a file brings a name that the file has.
    fn wildcard_brings(&self, eval: &mut Eval<'_>, from: FileId, name: Atom) -> bool {
        let Some(unit) = eval.world.unit(from) else {
            return false;
        };
        eval.note_wildcards(from);
        match &unit.facts.exports {
            Some(names) => {
                let name = unit.name(name);
                names.iter().any(|export| Some(*export) == name)
            }
            None => true,
        }
    }

    /// The part that stands for a type that is declared in several; it is asked for types that are
    /// extended by a block whose members are their own.
    fn canonical(&self, _eval: &mut Eval<'_>, class: SymRef) -> SymRef {
        class
    }

    /// Whether a top-level name of a file is visible in the whole namespace (imports are not).
    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        let Some(unit) = eval.world.unit(file) else {
            return false;
        };
        let bindings = unit.facts.bindings_of(ScopeId::MODULE, name);
        bindings
            .iter()
            .any(|binding| !matches!(binding.bound, Bound::Import(_)))
    }

    // ------------------------------------------------------------------ names

    /// Whether methods have names of their own: they are bound and called as `name()`, which is
    /// shown as `name`.
    fn methods_apart(&self) -> bool {
        false
    }

    /// Whether a method that is named without arguments is called by that.
    fn bare_calls(&self) -> bool {
        false
    }

    /// Whether code inside a type sees the type's members by their bare names.
    fn sees_members(&self) -> bool {
        true
    }

    /// Whether the types that a function declares are looked up outside it, so that a parameter
    /// hides no type of its name.
    fn signatures_outside(&self) -> bool {
        false
    }

    /// Which of the meanings that one scope gives a name count. They come in the order of position.
    /// The default: a declared type beats values, an implementation beats its overload signatures.
    fn choose(&self, eval: &Eval<'_>, file: FileId, bindings: &[Binding]) -> Vec<Binding> {
        choose(eval, file, bindings)
    }

    /// What a parameter gets of which nothing is declared (a fixture by its name, the type that
    /// context gives it).
    fn parameter(
        &self,
        _eval: &mut Eval<'_>,
        _file: FileId,
        _function: FunctionId,
        _index: u16,
    ) -> Values {
        Values::none()
    }

    // ------------------------------------------------------------------ types

    /// The name of the type of text literals.
    fn text(&self) -> &'static str {
        "string"
    }

    /// The name of the type of whole number literals.
    fn integer(&self) -> &'static str {
        "int"
    }

    /// The name of the type of array literals and array types; its one argument is the element.
    fn array(&self) -> &'static str {
        "[]"
    }

    /// Whether the type of a short array literal keeps the parts, as further arguments after the
    /// element.
    fn keeps_parts(&self) -> bool {
        false
    }

    /// The name of the type of tuples; its arguments are the parts.
    fn tuple(&self) -> &'static str {
        "()"
    }

    /// The name of the type of generators and what they yield.
    fn generator(&self) -> &'static str {
        "Generator"
    }

    /// Which external types stand for one of their arguments wherever a member is read, called or
    /// iterated: `Box<T>`, `&T`, `Optional[T]`, `Annotated[T, …]`. The answer is the number of the
    /// argument.
    fn transparent(&self, _name: &str) -> Option<usize> {
        None
    }

    /// What a member of an instance of an external type is: `None` when nothing is known, which
    /// makes it external. `self_` is the instance with its type arguments.
    fn external_member(
        &self,
        _eval: &mut Eval<'_>,
        _class: &str,
        _self_: &Value,
        _member: &str,
    ) -> Option<Values> {
        None
    }

    /// What a member of an object literal is, where that is not the literal's entry of that name.
    fn object_member(
        &self,
        _eval: &mut Eval<'_>,
        _file: FileId,
        _scope: ScopeId,
        _member: &str,
    ) -> Option<Values> {
        None
    }

    /// What calling something external gives, by its name (`typing.cast`, `Vec::new`,
    /// `dict.get`); for a method, `type_args` are those of the instance that it was read from.
    /// `None` when nothing is known, which makes the result external.
    fn external_call(
        &self,
        _eval: &mut Eval<'_>,
        _name: &str,
        _type_args: &[Values],
        _args: Arguments,
    ) -> Option<Values> {
        None
    }

    /// What something external takes as argument number `n` of a call: a callback by the types of
    /// its parameters ([`CALLBACK`](super::eval::CALLBACK)).
    fn external_expected(
        &self,
        _eval: &mut Eval<'_>,
        _name: &str,
        _types: &Args,
        _n: u16,
        _args: Arguments,
    ) -> Values {
        Values::none()
    }

    /// What an object literal has under a name that it does not bind (what is spread into it).
    fn missing_member(
        &self,
        _eval: &mut Eval<'_>,
        _file: FileId,
        _members: ScopeId,
        _name: Atom,
    ) -> Values {
        Values::none()
    }

    /// What a type inherits from whose base is written as a value that makes instances. The answer
    /// holds types only.
    fn base_of(&self, _eval: &mut Eval<'_>, _value: &Value) -> Values {
        Values::none()
    }

    /// The type of a value, as a type expression gives it.
    fn type_of(&self, value: &Value) -> Value {
        super::eval::type_of(value).unwrap_or_else(|| value.clone())
    }

    /// Whether a member that the checkout shows counts before one that an external type may have,
    /// wherever it stands in the hierarchy.
    fn shown_first(&self) -> bool {
        false
    }

    /// The external type that every type inherits from in the end.
    fn root(&self) -> Option<&'static str> {
        None
    }

    /// Whether a type that inherits from an external one may have this member from there. When it
    /// may, a member that the checkout does not show is external.
    fn may_own(&self, _external: &str, _member: &str) -> bool {
        true
    }

    /// Whether a type fulfils an interface by having its methods, without saying so.
    fn fulfils_by_shape(&self) -> bool {
        false
    }

    /// Whether the language has extension blocks at all.
    fn has_extensions(&self) -> bool {
        true
    }

    /// Whether [`extension_applies`](Rules::extension_applies) depends on the file that asks.
    fn extensions_by_file(&self) -> bool {
        false
    }

    /// Whether an extension block counts for a member lookup from `file` (it is imported, or in
    /// reach anyway).
    fn extension_applies(
        &self,
        _eval: &mut Eval<'_>,
        _file: FileId,
        _extension: (FileId, u32),
    ) -> bool {
        true
    }

    /// What iterating over a value yields.
    fn element(&self, _eval: &mut Eval<'_>, value: &Value) -> Values {
        last_argument(value)
    }

    /// What `value[key]` is. The key is an expression of `args`' file and scope.
    fn index(&self, eval: &mut Eval<'_>, value: &Value, _key: Key) -> Values {
        self.element(eval, value)
    }

    /// What part `n` of unpacking a value is.
    fn part(&self, eval: &mut Eval<'_>, value: &Value, n: u16) -> Values {
        if let Value::Instance(Class::External(name), args) = value
            && **name == *self.tuple()
        {
            return args.get(usize::from(n)).cloned().unwrap_or_default();
        }
        self.element(eval, value)
    }

    /// What awaiting a value yields.
    fn awaited(&self, _eval: &mut Eval<'_>, value: &Value) -> Values {
        Values::one(value.clone(), Certainty::Exact)
    }

    /// What is left of a value without its wrapper for absence or failure (`?`, `!`).
    fn unwrapped(&self, _eval: &mut Eval<'_>, value: &Value) -> Values {
        Values::one(value.clone(), Certainty::Exact)
    }

    /// What entering a value yields (`with value as x`).
    fn entered(&self, _eval: &mut Eval<'_>, value: &Value) -> Values {
        Values::one(value.clone(), Certainty::Exact)
    }

    /// What an operator gives with this left operand.
    fn operated(&self, _eval: &mut Eval<'_>, _operator: &str, _value: &Value) -> Values {
        Values::none()
    }

    /// An instance of what a type expression gave. The default makes instances of types and leaves
    /// everything else as it is.
    fn instance(&self, eval: &mut Eval<'_>, value: &Value, certainty: Certainty) -> Values {
        eval.instance_of(value, certainty)
    }

    /// Whether something external of the name `owner` may have a method of the checkout as its
    /// `member`, because nobody here knows what it is: a call of that is then not surely outside.
    fn gives_unknown(&self, owner: &str, member: &str) -> bool {
        super::sites::gives_unknown(owner, member)
    }

    // ------------------------------------------------------------------ calls

    /// What the language calls where a value has not the member that it would call first (`a += b`
    /// runs `__add__` where there is no `__iadd__`).
    fn implicit_instead(&self, _member: &str) -> Option<&'static str> {
        None
    }

    /// Whether a member of the receiver that neither its type nor what it inherits from has is
    /// looked for in the types of the file that inherit from it.
    fn looks_below(&self) -> bool {
        false
    }

    /// Whether a site that makes something is a `raise`: a class makes an instance there, and
    /// anything else is used as it is.
    fn raises(&self) -> bool {
        false
    }

    /// Whether values are followed from the calls of a function into its parameters, within a file.
    fn follows_arguments(&self) -> bool {
        false
    }

    /// The names of the members that make instances, beside those of kind
    /// [`Constructor`](crate::facts::SymbolKind::Constructor).
    fn constructors(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name of the member that is called when the name of a type that has it is called; a type
    /// without it is made.
    fn type_call_member(&self) -> Option<&'static str> {
        None
    }

    /// Whether every constructor of a type is called by the type's name, not only those of
    /// [`constructors`](Rules::constructors).
    fn every_constructor(&self) -> bool {
        true
    }

    /// The name of the member that is called when an instance is called.
    fn call_member(&self) -> Option<&'static str> {
        None
    }

    /// What a call of a function of the checkout gives, when the language or a decorator says more
    /// than its declaration. `None`: as declared, else as inferred from what it returns.
    fn result(&self, _eval: &mut Eval<'_>, _function: SymRef, _symbol: &Symbol) -> Option<Values> {
        None
    }

    /// What calling a function whose result was worked out gives: an `async` function gives a
    /// promise of it.
    fn wrap_result(&self, _symbol: Option<&Symbol>, result: Values) -> Values {
        result
    }

    /// Whether one of several functions of a name fits a call with so many arguments.
    fn takes(&self, _eval: &Eval<'_>, _function: SymRef, _arguments: usize) -> bool {
        true
    }

    /// Whether one of several signatures of a function takes the arguments of a call. The default
    /// looks at how many there are, and at the texts among them.
    fn takes_call(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        signature: FunctionId,
        args: Arguments,
    ) -> Fit {
        eval.fits(file, signature, args)
    }

    /// Whether a call of a variable, or of a field, is a call of just that: what the variable holds
    /// is then told by what refers to it, not by who calls it.
    fn calls_variables(&self) -> bool {
        false
    }

    /// The name that a module binds for what it exports under another name than its own.
    fn exported_as(&self, _name: &str) -> Option<String> {
        None
    }

    /// How well the arguments of a call, and so many type arguments, fit one of several functions of
    /// a name; `None` when they
    /// cannot. Of those that fit, the best count.
    fn fits(
        &self,
        _eval: &mut Eval<'_>,
        _function: SymRef,
        _args: Arguments,
        _type_args: usize,
    ) -> Option<u32> {
        Some(0)
    }

    /// Whether a name that exactly one method of the checkout has may be taken for that method
    /// when the receiver is unknown. Only where it was measured to be right.
    fn unique_method(&self, _name: &str) -> bool {
        false
    }
}

/// The key of an index expression.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) file: FileId,
    pub(crate) scope: ScopeId,
    pub(crate) expr: crate::facts::ExprId,
}

/// The default of [`Rules::choose`].
pub(crate) fn choose(eval: &Eval<'_>, file: FileId, bindings: &[Binding]) -> Vec<Binding> {
    let Some(unit) = eval.world.unit(file) else {
        return Vec::new();
    };
    let symbol = |binding: &Binding| match binding.bound {
        Bound::Symbol(symbol) => unit.facts.symbols.get(symbol.index()),
        _ => None,
    };
    let declares = |binding: &&Binding| match binding.bound {
        Bound::Declared(_) => true,
        _ => symbol(binding).is_some_and(|symbol| symbol.declared.is_some()),
    };
    if bindings.iter().any(|binding| declares(&binding)) {
        return bindings.iter().filter(declares).copied().collect();
    }
    let body = |binding: &&Binding| {
        symbol(binding).is_some_and(|symbol| {
            symbol.function.is_some() && !symbol.flags.has(crate::facts::Flags::DECLARATION)
        })
    };
    if bindings.iter().any(|binding| body(&binding)) {
        let only_declared = |binding: &&Binding| match symbol(binding) {
            Some(symbol) if symbol.function.is_some() => body(binding),
            _ => true,
        };
        return bindings.iter().filter(only_declared).copied().collect();
    }
    bindings.to_vec()
}

/// The last type argument of a value: what a container holds.
pub(crate) fn last_argument(value: &Value) -> Values {
    match value {
        Value::Instance(_, args) => args.last().cloned().unwrap_or_default(),
        _ => Values::none(),
    }
}

/// The union of several sets.
pub(crate) fn union<'v>(sets: impl IntoIterator<Item = &'v Values>) -> Values {
    let mut all = Collect::default();
    for set in sets {
        all.extend(set, Certainty::Exact);
    }
    all.finish()
}

/// The rules of a language that has none of its own: scopes and members, no imports.
pub(crate) struct Plain;

impl Rules for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn import(&self, _eval: &mut Eval<'_>, _file: FileId, _import: &Import) -> Values {
        Values::none()
    }
}

/// The rules of a language by its id. A language hooks in with one line.
pub(crate) fn rules_for(language: &str, tree: &Tree) -> Box<dyn Rules> {
    match language {
        "bash" => Box::new(super::bash::Bash),
        "c" | "cpp" => Box::new(super::c::C),
        "elixir" => Box::new(super::elixir::Elixir),
        "lua" => Box::new(super::lua::Lua),
        "ruby" => Box::new(super::ruby::Ruby),
        "rust" => Box::new(super::rust::Rust::new(tree)),
        "javascript" | "jsx" | "typescript" | "tsx" => Box::new(super::ecma::Ecma::new(tree)),
        "csharp" => Box::new(super::csharp::CSharp),
        "dart" => Box::new(super::dart::Dart::new(tree)),
        "go" => Box::new(super::go::Go::new(tree)),
        "java" => Box::new(super::java::Java),
        "kotlin" => Box::new(super::kotlin::Kotlin),
        "php" => Box::new(super::php::Php),
        "scala" => Box::new(super::scala::Scala),
        "swift" => Box::new(super::swift::Swift),
        "python" => Box::new(super::python::Python::new(tree)),
        _ => Box::new(Plain),
    }
}
