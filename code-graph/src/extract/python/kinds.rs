//! The grammar's node kinds and fields by number.

use std::sync::OnceLock;
use tree_sitter::Node;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// The kinds of nodes that matter here.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            Other,
            $($(#[$doc])* $kind,)*
        }

        const NAMES: &[(&str, Kind)] = &[$(($name, Kind::$kind),)*];
    };
}

kinds! {
    Comment = "comment",
    Identifier = "identifier",
    Attribute = "attribute",
    Call = "call",
    Subscript = "subscript",
    Slice = "slice",
    Integer = "integer",
    Float = "float",
    True = "true",
    False = "false",
    None = "none",
    Ellipsis = "ellipsis",
    String = "string",
    StringStart = "string_start",
    StringContent = "string_content",
    StringEnd = "string_end",
    ConcatenatedString = "concatenated_string",
    Function = "function_definition",
    Class = "class_definition",
    Decorated = "decorated_definition",
    Decorator = "decorator",
    Import = "import_statement",
    ImportFrom = "import_from_statement",
    FutureImport = "future_import_statement",
    AliasedImport = "aliased_import",
    WildcardImport = "wildcard_import",
    RelativeImport = "relative_import",
    ImportPrefix = "import_prefix",
    DottedName = "dotted_name",
    Assignment = "assignment",
    Augmented = "augmented_assignment",
    NamedExpression = "named_expression",
    For = "for_statement",
    ForIn = "for_in_clause",
    With = "with_statement",
    WithClause = "with_clause",
    WithItem = "with_item",
    AsPattern = "as_pattern",
    AsPatternTarget = "as_pattern_target",
    Try = "try_statement",
    Except = "except_clause",
    If = "if_statement",
    Elif = "elif_clause",
    Assert = "assert_statement",
    Delete = "delete_statement",
    Global = "global_statement",
    Nonlocal = "nonlocal_statement",
    Raise = "raise_statement",
    Return = "return_statement",
    Yield = "yield",
    Await = "await",
    KeywordArgument = "keyword_argument",
    Lambda = "lambda",
    ListComprehension = "list_comprehension",
    SetComprehension = "set_comprehension",
    DictionaryComprehension = "dictionary_comprehension",
    Generator = "generator_expression",
    Conditional = "conditional_expression",
    BooleanOperator = "boolean_operator",
    NotOperator = "not_operator",
    BinaryOperator = "binary_operator",
    UnaryOperator = "unary_operator",
    Comparison = "comparison_operator",
    Match = "match_statement",
    CaseClause = "case_clause",
    CasePattern = "case_pattern",
    ClassPattern = "class_pattern",
    TypeAlias = "type_alias_statement",
    Type = "type",
    GenericType = "generic_type",
    TypeParameter = "type_parameter",
    UnionType = "union_type",
    MemberType = "member_type",
    ConstrainedType = "constrained_type",
    SplatType = "splat_type",
    Block = "block",
    ExpressionStatement = "expression_statement",
    PatternList = "pattern_list",
    TuplePattern = "tuple_pattern",
    ListPattern = "list_pattern",
    ExpressionList = "expression_list",
    Tuple = "tuple",
    List = "list",
    Set = "set",
    Dictionary = "dictionary",
    Pair = "pair",
    Parenthesized = "parenthesized_expression",
    ListSplat = "list_splat",
    DictionarySplat = "dictionary_splat",
    ListSplatPattern = "list_splat_pattern",
    DictionarySplatPattern = "dictionary_splat_pattern",
    DefaultParameter = "default_parameter",
    TypedParameter = "typed_parameter",
    TypedDefaultParameter = "typed_default_parameter",
}

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// The grammar's fields; 0 for one that it does not have.
        #[derive(Debug, Default)]
        pub(super) struct Fields {
            $(pub(super) $field: u16,)*
        }

        impl Fields {
            fn of(grammar: &tree_sitter::Language) -> Fields {
                let id = |name: &str| grammar.field_id_for_name(name).map_or(0, |id| id.get());
                Fields { $($field: id($name),)* }
            }
        }
    };
}

fields! {
    alias = "alias",
    alternative = "alternative",
    arguments = "arguments",
    attribute = "attribute",
    body = "body",
    condition = "condition",
    consequence = "consequence",
    definition = "definition",
    function = "function",
    guard = "guard",
    key = "key",
    left = "left",
    module_name = "module_name",
    name = "name",
    object = "object",
    operator = "operator",
    parameters = "parameters",
    return_type = "return_type",
    right = "right",
    subject = "subject",
    superclasses = "superclasses",
    type_ = "type",
    type_parameters = "type_parameters",
    value = "value",
}

/// Kinds by their number, and fields.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    kinds: Vec<Kind>,
    pub(super) fields: Fields,
}

impl Kinds {
    /// The kind of a node.
    pub(super) fn of(&self, node: Node<'_>) -> Kind {
        let kind = self.kinds.get(usize::from(node.kind_id()));
        kind.copied().unwrap_or(Kind::Other)
    }
}

/// The numbers of the grammar that is compiled in.
pub(super) fn kinds() -> &'static Kinds {
    static KINDS: OnceLock<Kinds> = OnceLock::new();
    KINDS.get_or_init(|| {
        let Ok(language) = fourfold_syntax::Language::named("python") else {
            return Kinds::default();
        };
        let grammar = language.grammar();
        let mut kinds = vec![Kind::Other; grammar.node_kind_count()];
        for (id, kind) in kinds.iter_mut().enumerate() {
            let id = id as u16;
            if !grammar.node_kind_is_named(id) {
                continue;
            }
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            let known = NAMES.iter().find(|(known, _)| *known == name);
            *kind = known.map_or(Kind::Other, |(_, kind)| *kind);
        }
        Kinds {
            kinds,
            fields: Fields::of(grammar),
        }
    })
}
