//! The table of names: what the name of a kind tells of it.

use super::{Kind, class};

pub(super) fn classify(language: &str, name: &'static str, named: bool) -> Kind {
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
            && (["_body", "_list", "_block"]
                .iter()
                .any(|end| name.ends_with(end))
                || (language == "python" && name == "import_from_statement")),
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
        arrow: named && matches!(name, "arrow_function" | "lambda_expression"),
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
            "javascript" | "jsx" | "typescript" | "tsx" => name == "formal_parameters",
            "java" => name == "inferred_parameters",
            "scala" => name == "bindings",
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
        "python" => matches!(
            name,
            "generator_expression" | "import_from_statement" | "with_clause"
        ),
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
