//! What the kinds of a grammar mean to the matcher: which are separators, wrappers, strings, or
//! parts that a declaration may omit.
//!
//! Grammars share most of their vocabulary, so one table of names serves all of them; the few
//! names that mean different things in different grammars are told apart by language.

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
    /// The members of something between brackets, whatever fields they are in.
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

    pub(crate) fn is_return_field(&self, field: u8) -> bool {
        self.return_fields.contains(&field)
    }

    pub(crate) fn is_supertype_field(&self, field: u8) -> bool {
        self.supertype_fields.contains(&field)
    }
}

fn classify(language: &str, name: &'static str, named: bool) -> Kind {
    let word = !named
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let blank = !named && name.trim().is_empty();
    Kind {
        name,
        separator: blank
            || (!named && matches!(name, "," | ";"))
            || matches!(name, "php_tag" | "php_end_tag")
            || (!named && language == "haskell" && name == "|"),
        quote: !named && matches!(name, "'" | "\""),
        closer: !named && matches!(name, ")" | "]" | "}" | ">" | "|" | "end" | "|}"),
        wild: match named {
            true => name == "wildcard_pattern",
            false => matches!(name, "_" | "*" | "..."),
        },
        word,
        list: named && is_list(language, name),
        body: named && is_body(name),
        clause: named && is_clause(language, name),
        transparent: named
            && (is_modifiers(name) || (language == "csharp" && name == "global_statement")),
        modifiers: named && is_modifiers(name),
        string: named && is_string(name),
        bracketed: named
            && ["_body", "_list", "_block"]
                .iter()
                .any(|end| name.ends_with(end)),
        declaration: named && is_declaration(name),
        bare_result: match language {
            "kotlin" => matches!(
                name,
                "function_declaration" | "anonymous_function" | "getter"
            ),
            "swift" => matches!(
                name,
                "function_declaration" | "protocol_function_declaration"
            ),
            _ => false,
        },
        flat_path: named
            && language == "scala"
            && matches!(name, "import_declaration" | "export_declaration"),
        token_tree: named && language == "rust" && name == "token_tree",
        macro_call: named && language == "rust" && name == "macro_invocation",
        loose: named && is_loose(language, name),
        vanishes: named && may_vanish(language, name),
        operator_word: named
            && language == "php"
            && (matches!(name, "echo_statement" | "print_intrinsic")
                || name.starts_with("include_")
                || name.starts_with("require_")),
        commas: named && name == "sequence_expression",
        parenthesized: named && name == "parenthesized_expression",
        cascade: named && name == "cascade",
        generator: named && language == "python" && name == "generator_expression",
        class: if named {
            part_class(language, name)
        } else {
            keyword_class(language, name)
        },
    }
}

fn is_body(name: &str) -> bool {
    matches!(
        name,
        "statements"
            | "source_file"
            | "program"
            | "module"
            | "compilation_unit"
            | "translation_unit"
            | "chunk"
            | "block"
            | "body_statement"
            | "declarations"
            | "template_body"
            | "statement_list"
            | "case_block"
            | "indented_block"
            | "indented_cases"
            | "block_body"
            | "block_mapping"
            | "block_sequence"
            | "block_node"
            | "class_declarations"
            | "instance_declarations"
            | "enum_body"
            | "class_body"
    )
}

fn is_clause(language: &str, name: &str) -> bool {
    match language {
        "ruby" => matches!(name, "rescue" | "ensure" | "else" | "elsif"),
        "elixir" => name.ends_with("_block") && name != "do_block",
        _ => matches!(
            name,
            "else_clause"
                | "elif_clause"
                | "else_if_clause"
                | "except_clause"
                | "catch_clause"
                | "finally_clause"
                | "catch_block"
                | "finally_block"
                | "else_statement"
                | "elseif_statement"
        ),
    }
}

fn is_modifiers(name: &str) -> bool {
    matches!(
        name,
        "modifiers" | "function_modifiers" | "parameter_modifiers"
    )
}

/// Kinds whose only child, if it is alone, has their whole span although they may hold several or
/// may hold a part that is optional.
fn is_list(language: &str, name: &str) -> bool {
    let everywhere = matches!(
        name,
        "expression_list"
            | "pattern_list"
            | "variable_list"
            | "identifier_list"
            | "statement_list"
            | "statements"
            | "program"
            | "source_file"
            | "compilation_unit"
            | "translation_unit"
            | "chunk"
            | "document"
            | "stream"
            | "declarations"
            | "variable_declarator"
            | "variable_declaration"
            | "init_declarator"
            | "initialized_identifier"
            | "initialized_identifier_list"
            | "static_final_declaration"
            | "static_final_declaration_list"
            | "parameter_list"
            | "lambda_parameters"
            | "import_list"
            | "type_list"
            | "body_statement"
            | "block_body"
            | "case_block"
            | "indented_block"
            | "template_body"
            | "indented_cases"
            | "block_mapping"
            | "block_sequence"
            | "block_node"
            | "enum_body"
            | "const_spec"
            | "var_spec"
            | "variables"
            | "class_body"
            | "field_initializer_list"
            | "function_value_parameters"
            | "lambda_formal_parameters"
            | "delegation_specifiers"
    );
    everywhere
        || match language {
            "python" => matches!(name, "block" | "module"),
            "lua" => matches!(name, "block" | "arguments"),
            "ruby" => matches!(
                name,
                "argument_list"
                    | "then"
                    | "do"
                    | "block_parameters"
                    | "method_parameters"
                    | "else"
                    | "left_assignment_list"
                    | "right_assignment_list"
            ),
            "elixir" => matches!(
                name,
                "arguments" | "body" | "source" | "stab_clause" | "keywords"
            ),
            "haskell" => matches!(
                name,
                "patterns"
                    | "local_binds"
                    | "class_declarations"
                    | "instance_declarations"
                    | "haskell"
                    | "exps"
                    | "match"
                    | "data_constructors"
            ),
            _ => false,
        }
}

/// Kinds whose parentheses may be left out.
fn is_loose(language: &str, name: &str) -> bool {
    match language {
        "ruby" => matches!(
            name,
            "argument_list" | "method_parameters" | "lambda_parameters"
        ),
        "elixir" | "lua" => name == "arguments",
        "php" => name == "exit_statement",
        "python" => name == "generator_expression",
        _ => false,
    }
}

/// Kinds in parentheses that are left out, parentheses and all, where they would be empty.
fn may_vanish(language: &str, name: &str) -> bool {
    match language {
        "ruby" => is_loose(language, name),
        "javascript" | "jsx" | "typescript" | "tsx" | "php" => name == "arguments",
        "csharp" => matches!(name, "argument_list" | "attribute_argument_list"),
        "swift" => name == "value_arguments",
        _ => false,
    }
}

fn is_string(name: &str) -> bool {
    name.contains("string")
        || name.contains("quote")
        || name.contains("heredoc")
        || name == "charlist"
        || name == "sigil"
}

fn is_declaration(name: &str) -> bool {
    // Type arguments may be left out of these as they may of a declaration.
    if matches!(
        name,
        "extends_clause" | "jsx_self_closing_element" | "jsx_opening_element"
    ) {
        return true;
    }
    const PARTS: [&str; 16] = [
        "declaration",
        "definition",
        "_item",
        "signature",
        "declarator",
        "constructor",
        "parameter",
        "property",
        "field_",
        "_spec",
        "arrow_function",
        "closure",
        "function_expression",
        "method",
        "class",
        "lambda",
    ];
    matches!(name, "function" | "function_body")
        || (PARTS.iter().any(|part| name.contains(part))
            && !name.contains("call")
            && !name.contains("invocation"))
}

/// The class of a named part.
fn part_class(language: &str, name: &str) -> u8 {
    match name {
        "modifier"
        | "visibility_modifier"
        | "accessibility_modifier"
        | "override_modifier"
        | "member_modifier"
        | "inheritance_modifier"
        | "function_modifier"
        | "property_modifier"
        | "mutation_modifier"
        | "ownership_modifier"
        | "parameter_modifier"
        | "class_modifier"
        | "platform_modifier"
        | "extern_modifier"
        | "abstract_modifier"
        | "final_modifier"
        | "static_modifier"
        | "readonly_modifier"
        | "storage_class_specifier"
        | "access_modifier"
        | "open_modifier"
        | "opaque_modifier"
        | "infix_modifier"
        | "inline_modifier"
        | "into_modifier"
        | "tracked_modifier"
        | "transparent_modifier"
        | "virtual"
        | "virtual_specifier"
        | "explicit_function_specifier" => class::MODIFIER,
        "type_qualifier" if matches!(language, "c" | "cpp") => class::MODIFIER,
        "annotation"
        | "marker_annotation"
        | "decorator"
        | "attribute_declaration"
        | "attribute_specifier"
        | "annotations" => class::ANNOTATION,
        "attribute_list" if matches!(language, "csharp" | "php") => class::ANNOTATION,
        "attribute_group" if language == "php" => class::ANNOTATION,
        "attribute" if language == "swift" => class::ANNOTATION,
        "attribute_item" if language == "rust" => class::ANNOTATION,
        "type_parameters" | "type_parameter_list" => class::TYPE_PARAMETERS,
        "throws" | "throws_clause" => class::THROWS,
        "superclass"
        | "extends_interfaces"
        | "class_heritage"
        | "extends_clause"
        | "extends_type_clause"
        | "base_list"
        | "base_class_clause"
        | "delegation_specifiers"
        | "inheritance_specifier"
        | "base_clause" => class::SUPERTYPES,
        "super_interfaces"
        | "implements_clause"
        | "interfaces"
        | "class_interface_clause"
        | "mixins" => class::INTERFACES,
        "type_arguments" if matches!(language, "typescript" | "tsx") => class::TYPE_PARAMETERS,
        "derives_clause" => class::SUPERTYPES,
        "deriving" if language == "haskell" => class::SUPERTYPES,
        "trait_bounds" if language == "rust" => class::SUPERTYPES,
        "where_clause" if language != "elixir" => class::WHERE,
        "type_constraints" | "type_parameter_constraints_clause" => class::WHERE,
        _ => 0,
    }
}

/// The class of a keyword token that is a direct child of a declaration.
fn keyword_class(language: &str, name: &str) -> u8 {
    match name {
        "base" | "interface" | "mixin" if language == "dart" => class::MODIFIER,
        "async" | "static" | "readonly" | "abstract" | "public" | "private" | "protected"
        | "internal" | "final" | "override" | "declare" | "late" | "external" | "covariant"
        | "required" | "inline" | "sealed" | "unsafe" | "extern" | "open" | "implicit" | "lazy"
        | "virtual" | "accessor" | "pub" | "export" | "comptime" | "noinline" | "threadlocal" => {
            class::MODIFIER
        }
        "throws" | "rethrows" => class::THROWS,
        _ => 0,
    }
}
