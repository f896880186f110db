//! What operators, subscripts and `len` call without naming it.

use super::kinds::Kind;
use super::{Place, Python};
use crate::facts::ExprId;
use tree_sitter::Node;

/// The method of the left side that an operator calls.
pub(crate) fn method_of(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "__add__",
        "-" => "__sub__",
        "*" => "__mul__",
        "/" => "__truediv__",
        "//" => "__floordiv__",
        "%" => "__mod__",
        "|" => "__or__",
        "&" => "__and__",
        "^" => "__xor__",
        "<<" => "__lshift__",
        ">>" => "__rshift__",
        "@" => "__matmul__",
        "**" => "__pow__",
        _ => return None,
    })
}

/// The method of the left side that an assignment with an operator calls first.
fn in_place(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+=" => "__iadd__",
        "-=" => "__isub__",
        "*=" => "__imul__",
        "/=" => "__itruediv__",
        "//=" => "__ifloordiv__",
        "%=" => "__imod__",
        "|=" => "__ior__",
        "&=" => "__iand__",
        "^=" => "__ixor__",
        "<<=" => "__ilshift__",
        ">>=" => "__irshift__",
        "@=" => "__imatmul__",
        "**=" => "__ipow__",
        _ => return None,
    })
}

/// The method of the left side that a comparison calls.
fn comparison(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "==" => "__eq__",
        "!=" => "__ne__",
        "<" => "__lt__",
        "<=" => "__le__",
        ">" => "__gt__",
        ">=" => "__ge__",
        _ => return None,
    })
}

impl<'t> Python<'_, '_, 't> {
    /// Several calls that the language makes of members of one value.
    pub(super) fn protocols(&mut self, of: ExprId, names: [&str; 2], at: Node<'t>, place: Place) {
        for name in names {
            self.protocol(of, name, at, place);
        }
    }

    /// `a + b`
    pub(super) fn binary(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        if let (Some(left), Some(operator)) =
            (self.field(node, f.left), self.field(node, f.operator))
            && let Some(name) = method_of(operator.kind())
        {
            let of = self.read(left, place);
            self.protocol(of, name, left, place);
        }
    }

    /// `a += b`, and `a[i] += b`, which reads and writes.
    pub(super) fn augmented(&mut self, node: Node<'t>, left: Option<Node<'t>>, place: Place) {
        let operator = self.field(node, self.kinds.fields.operator);
        let (Some(left), Some(operator)) = (left, operator) else {
            return;
        };
        if let Some(name) = in_place(operator.kind()) {
            let of = self.read(left, place);
            self.protocol(of, name, left, place);
        }
        if self.kind(left) == Kind::Subscript {
            self.subscript(left, "__setitem__", place);
        }
    }

    /// `a == b`, `a < b < c`, `a in b`
    pub(super) fn comparison(&mut self, node: Node<'t>, place: Place) {
        let mut left: Option<Node<'t>> = None;
        let mut operator = "";
        self.cursor.reset(node);
        let mut parts = Vec::new();
        if self.cursor.goto_first_child() {
            loop {
                parts.push(self.cursor.node());
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        for part in parts {
            if !part.is_named() {
                operator = part.kind();
                continue;
            }
            if self.kind(part) == Kind::Comment {
                continue;
            }
            if matches!(operator, "in" | "not in") {
                let of = self.read(part, place);
                self.protocol(of, "__contains__", part, place);
            } else if let (Some(left), Some(name)) = (left, comparison(operator)) {
                let of = self.read(left, place);
                self.protocol(of, name, left, place);
            }
            left = Some(part);
        }
    }

    /// `a[i]`, as it is read, written or deleted.
    pub(super) fn subscript(&mut self, node: Node<'t>, name: &str, place: Place) {
        if let Some(value) = self.field(node, self.kinds.fields.value) {
            let of = self.read(value, place);
            self.protocol(of, name, value, place);
        }
    }

    /// The subscripts that a target is, or holds, are not read.
    pub(super) fn subscripts(&mut self, target: Node<'t>, name: &str, place: Place) {
        let mut open = vec![target];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Subscript => {
                    self.subscript(node, name, place);
                    self.written.insert(node.id());
                }
                Kind::Tuple
                | Kind::List
                | Kind::ExpressionList
                | Kind::Parenthesized
                | Kind::PatternList
                | Kind::TuplePattern
                | Kind::ListPattern => open.extend(self.named_children(node)),
                _ => {}
            }
        }
    }

    /// `len(a)`, as long as the name is that of the built-in function where it is called.
    pub(super) fn length(&mut self, function: Node<'t>, arguments: Option<Node<'t>>, place: Place) {
        if self.kind(function) != Kind::Identifier || self.builder.text(function) != "len" {
            return;
        }
        let given = arguments.map(|arguments| self.named_children(arguments));
        let Some([of]) = given.as_deref() else {
            return;
        };
        if matches!(self.kind(*of), Kind::KeywordArgument | Kind::ListSplat) {
            return;
        }
        let of = *of;
        let expr = self.read(of, place);
        self.protocol(expr, "__len__", of, place);
    }

    /// Whether the file gives `len` a meaning of its own anywhere.
    pub(super) fn has_own_length(&mut self) -> bool {
        let len = self.builder.name("len");
        let bindings = &self.builder.facts.bindings;
        bindings.iter().any(|binding| binding.name == len)
    }
}
