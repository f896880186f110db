//! What the kinds of a grammar mean to the matcher: which are separators, wrappers, strings, or
//! parts that a declaration may omit.
//!
//! Grammars share most of their vocabulary, so one table of names serves all of them; the few
//! names that mean different things in different grammars are told apart by language.

mod classify;

use classify::classify;
use fourfold_syntax::Language;
use std::sync::OnceLock;

/// The kind of a piece of text that no node of the grammar covers.
pub(crate) const GAP: u16 = u16::MAX - 1;
/// The kind of an ERROR node.
pub(crate) const ERROR: u16 = u16::MAX;

/// Classes of parts that a declaration may omit, as bits.
pub(crate) mod class {
    pub(crate) const MODIFIER: u8 = 1;
    pub(crate) const ANNOTATION: u8 = 2;
    pub(crate) const TYPE_PARAMETERS: u8 = 4;
    pub(crate) const RETURN_TYPE: u8 = 8;
    pub(crate) const THROWS: u8 = 16;
    pub(crate) const SUPERTYPES: u8 = 32;
    pub(crate) const WHERE: u8 = 64;
    pub(crate) const INTERFACES: u8 = 128;

    /// What a class is called in messages.
    pub(crate) fn name(class: u8) -> &'static str {
        match class {
            MODIFIER => "modifier",
            ANNOTATION => "annotation",
            TYPE_PARAMETERS => "type parameters",
            RETURN_TYPE => "return type",
            THROWS => "throws clause",
            SUPERTYPES => "supertypes",
            INTERFACES => "interfaces",
            _ => "where clause",
        }
    }
}

/// What one kind of node or token is to the matcher.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// `,`, `;` or a line end: punctuation that is no difference where a language makes it optional.
    pub(crate) separator: bool,
    /// `'` or `"` as a token of its own.
    pub(crate) quote: bool,
    /// `)`, `]`, `}` and the like.
    pub(crate) closer: bool,
    /// A sign that stands where a thing may stand: `_`, `*`, `...`.
    pub(crate) wild: bool,
    /// A keyword token.
    pub(crate) word: bool,
    /// Holds a list of things without brackets, so that one thing alone has the list's span.
    pub(crate) list: bool,
    /// A list of statements, members or declarations.
    pub(crate) body: bool,
    /// A clause of a larger statement, such as an `else`, which no run of statements takes in.
    pub(crate) clause: bool,
    /// Wraps its children without meaning of its own; the matcher sees through it.
    pub(crate) transparent: bool,
    /// A transparent wrapper of modifiers.
    pub(crate) modifiers: bool,
    /// A string: the text between its children counts, blanks included.
    pub(crate) string: bool,
    /// A `$$$` in it stands for all kinds of members, whatever fields they are in.
    pub(crate) bracketed: bool,
    /// A declaration, whose modifiers may be omitted.
    pub(crate) declaration: bool,
    /// A function whose return type stands among its children with no mark but the sign before it.
    pub(crate) bare_result: bool,
    /// Holds a keyword and then the parts of a path, without a node for the whole path.
    pub(crate) flat_path: bool,
    /// A tree of tokens that the grammar leaves unparsed: the body of a Rust macro.
    pub(crate) token_tree: bool,
    /// A call of a Rust macro.
    pub(crate) macro_call: bool,
    /// The parentheses around it may be left out: `foo(1)` and `foo 1`.
    pub(crate) loose: bool,
    /// Is left out where it would be empty: `new T()` and `new T`.
    pub(crate) vanishes: bool,
    /// A keyword that takes what follows it, so that parentheses around all of it mean nothing.
    pub(crate) operator_word: bool,
    /// Several expressions with commas between them and nothing around.
    pub(crate) commas: bool,
    /// An expression in parentheses of its own.
    pub(crate) parenthesized: bool,
    /// Calls and assignments on one receiver, one after the other.
    pub(crate) cascade: bool,
    /// A function of one expression, whose only parameter needs no parentheses.
    pub(crate) arrow: bool,
    /// A generator, which as the only argument of a call has the call's parentheses.
    pub(crate) generator: bool,
    /// The class of omissible parts that the kind belongs to, or 0.
    pub(crate) class: u8,
}

/// The kinds of one grammar.
#[derive(Debug)]
pub(crate) struct Shape {
    kinds: Vec<Kind>,
    /// Field ids whose children are a return type.
    return_fields: Vec<u8>,
    supertype_fields: Vec<u8>,
    /// The kind of the arguments of a call, where the grammar calls it so.
    argument_list: u16,
    parameter: Option<LoneParameter>,
}

/// How the grammar writes the parameters of an arrow function in parentheses, for one that has
/// none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoneParameter {
    /// The kind of the list, and the field that it is in.
    pub(crate) list: u16,
    pub(crate) list_field: u8,
    /// The kind of an item, where it is more than the name.
    pub(crate) item: Option<u16>,
    /// The kind of the name, and the field that it is in.
    pub(crate) name: u16,
    pub(crate) name_field: u8,
}

const UNKNOWN: Kind = Kind {
    name: "ERROR",
    separator: false,
    quote: false,
    closer: false,
    wild: false,
    word: false,
    list: false,
    body: false,
    clause: false,
    transparent: false,
    modifiers: false,
    string: false,
    bracketed: false,
    declaration: false,
    bare_result: false,
    flat_path: false,
    token_tree: false,
    macro_call: false,
    loose: false,
    vanishes: false,
    operator_word: false,
    commas: false,
    parenthesized: false,
    cascade: false,
    arrow: false,
    generator: false,
    class: 0,
};

impl Shape {
    pub(crate) fn of(language: Language) -> &'static Shape {
        static SHAPES: OnceLock<Vec<OnceLock<Shape>>> = OnceLock::new();
        let shapes = SHAPES.get_or_init(|| Language::known().map(|_| OnceLock::new()).collect());
        let at = Language::known()
            .position(|id| id == language.id())
            .unwrap_or_default();
        shapes[at].get_or_init(|| Shape::build(language))
    }

    fn build(language: Language) -> Shape {
        let grammar = language.grammar();
        let kinds = (0..grammar.node_kind_count())
            .map(|id| {
                let id = u16::try_from(id).unwrap_or(ERROR);
                let name = grammar.node_kind_for_id(id).unwrap_or_default();
                classify(language.id(), name, grammar.node_kind_is_named(id))
            })
            .collect();
        let fields = |wanted: &[&str]| {
            (1..=grammar.field_count())
                .filter_map(|id| u16::try_from(id).ok())
                .filter(|&id| {
                    grammar
                        .field_name_for_id(id)
                        .is_some_and(|name| wanted.contains(&name))
                })
                .filter_map(|id| u8::try_from(id).ok())
                .collect()
        };
        let return_names: &[&str] = match language.id() {
            // In Go a result and in the others a return type may be left out; where the grammar
            // demands one, omitting it does not parse in the first place.
            "go" => &["result"],
            _ => &["return_type"],
        };
        let supertype_names: &[&str] = match language.id() {
            "python" => &["superclasses"],
            "ruby" | "java" => &["superclass", "interfaces"],
            "dart" => &["superclass", "interfaces", "mixins"],
            "scala" => &["extend"],
            _ => &[],
        };
        Shape {
            kinds,
            return_fields: fields(return_names),
            supertype_fields: fields(supertype_names),
            argument_list: grammar.id_for_node_kind("argument_list", true),
            parameter: lone_parameter(language),
        }
    }

    pub(crate) fn kind(&self, id: u16) -> &Kind {
        self.kinds.get(usize::from(id)).unwrap_or(&UNKNOWN)
    }

    /// The kinds with these names.
    pub(crate) fn ids_of<'n>(
        &self,
        names: &'n [&'n str],
    ) -> impl Iterator<Item = u16> + use<'_, 'n> {
        (0u16..)
            .zip(&self.kinds)
            .filter(move |(_, kind)| names.contains(&kind.name))
            .map(|(id, _)| id)
    }

    /// How many kinds the grammar has.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The kinds that are calls of macros whose bodies are parsed again.
    pub(crate) fn macro_calls(&self) -> impl Iterator<Item = u16> + '_ {
        (0u16..)
            .zip(&self.kinds)
            .filter(|(_, kind)| kind.macro_call)
            .map(|(id, _)| id)
    }

    pub(crate) fn name(&self, id: u16) -> &'static str {
        match id {
            GAP => "text",
            ERROR => "ERROR",
            _ => self.kind(id).name,
        }
    }

    pub(crate) fn argument_list(&self) -> u16 {
        self.argument_list
    }

    /// What the parameter of an arrow function is laid out as that has no parentheses.
    pub(crate) fn lone_parameter(&self) -> Option<LoneParameter> {
        self.parameter
    }

    pub(crate) fn is_return_field(&self, field: u8) -> bool {
        self.return_fields.contains(&field)
    }

    pub(crate) fn is_supertype_field(&self, field: u8) -> bool {
        self.supertype_fields.contains(&field)
    }
}

fn lone_parameter(language: Language) -> Option<LoneParameter> {
    let (list, item, name_field) = match language.id() {
        "javascript" | "jsx" => ("formal_parameters", None, None),
        "typescript" | "tsx" => (
            "formal_parameters",
            Some("required_parameter"),
            Some("pattern"),
        ),
        "java" => ("inferred_parameters", None, None),
        "csharp" => ("parameter_list", Some("parameter"), Some("name")),
        "scala" => ("bindings", Some("binding"), Some("name")),
        _ => return None,
    };
    let grammar = language.grammar();
    let kind = |name: &str| grammar.id_for_node_kind(name, true);
    let field = |name: &str| {
        let id = grammar.field_id_for_name(name)?;
        u8::try_from(id.get()).ok()
    };
    Some(LoneParameter {
        list: kind(list),
        list_field: field("parameters")?,
        item: item.map(kind),
        name: kind("identifier"),
        name_field: name_field.and_then(field).unwrap_or_default(),
    })
}
