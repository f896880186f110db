//! Declarators: where a name hides in `int (*(&f)[3])(char)`.

use crate::extract::field::Fields;
use tree_sitter::Node;

/// What a declarator says.
#[derive(Default)]
pub(super) struct Declarator<'n> {
    /// The declared name, without what it belongs to.
    pub(super) name: Option<Node<'n>>,
    /// What stands before `::`.
    pub(super) scope: Option<Node<'n>>,
    /// The parameters, when it declares a function.
    pub(super) parameters: Option<Node<'n>>,
    /// What is declared is a pointer or reference to a function of this declarator.
    pub(super) function: Option<Node<'n>>,
    /// A result that is written after the parameters.
    pub(super) result: Option<Node<'n>>,
    /// The value it begins with.
    pub(super) value: Option<Node<'n>>,
    /// An array is declared.
    pub(super) array: bool,
    /// A pointer is declared.
    pub(super) pointer: bool,
}

impl<'n> Declarator<'n> {
    /// Reads a declarator from the outside in.
    pub(super) fn of(node: Node<'n>) -> Declarator<'n> {
        let mut found = Declarator::default();
        let mut outer_function: Option<Node<'n>> = None;
        let mut at = Some(node);
        // As deep as anybody writes.
        for _ in 0..32 {
            let Some(node) = at else { break };
            let inner = node.field("declarator");
            at = match node.kind() {
                "init_declarator" => {
                    found.value = node.field("value");
                    inner
                }
                "function_declarator" => {
                    outer_function = Some(node);
                    inner
                }
                "array_declarator" => {
                    found.array = true;
                    inner
                }
                "pointer_declarator" => {
                    // A pointer inside a function's declarator: a pointer to that function.
                    match outer_function.take() {
                        Some(function) => found.function = Some(function),
                        None => found.pointer = true,
                    }
                    inner
                }
                "reference_declarator" => {
                    if let Some(function) = outer_function.take() {
                        found.function = Some(function);
                    }
                    inner.or_else(|| node.named_child(0))
                }
                "parenthesized_declarator" | "attributed_declarator" | "variadic_declarator" => {
                    inner.or_else(|| node.named_child(0))
                }
                "qualified_identifier" => {
                    found.scope(node);
                    None
                }
                "template_function" => node.field("name"),
                "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
                | "operator_name" | "operator_cast" => {
                    found.name = Some(node);
                    None
                }
                _ => None,
            };
        }
        if let Some(function) = outer_function {
            found.parameters = function.field("parameters");
            let mut cursor = function.walk();
            let trailing = function
                .named_children(&mut cursor)
                .find(|child| child.kind() == "trailing_return_type");
            found.result = trailing.and_then(|trailing| trailing.named_child(0));
        }
        found
    }

    /// `a::b::name`: what stands before the last `::` is the scope.
    fn scope(&mut self, node: Node<'n>) {
        self.scope = node.field("scope");
        let mut name = node.field("name");
        while let Some(inner) = name.filter(|name| name.kind() == "qualified_identifier") {
            // Of nested scopes only the innermost names the type; it is what members are found by.
            self.scope = inner.field("scope");
            name = inner.field("name");
        }
        self.name = match name {
            Some(name) if name.kind() == "template_function" => name.field("name"),
            name => name,
        };
    }
}
