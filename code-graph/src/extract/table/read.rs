//! Reading expressions and types by a language's table.

use super::{Walk, children};
use crate::extract::field::Fields;
use crate::facts::{Expr, ExprId, List, ScopeId};
use tree_sitter::Node;

/// How deep expressions are read; what is deeper is unknown.
const DEPTH: usize = 64;

/// Which child of a node.
#[derive(Clone, Copy)]
pub(crate) enum At {
    /// The child in a field.
    Field(&'static str),
    /// Named child number `n`, comments not counted.
    Nth(usize),
    /// The last named child.
    Last,
    /// The first named child of a kind.
    Kind(&'static str),
}

impl At {
    /// The child.
    pub(crate) fn of<'n>(self, node: Node<'n>) -> Option<Node<'n>> {
        match self {
            At::Field(name) => node.field(name),
            At::Nth(n) => children(node).nth(n),
            At::Last => children(node).last(),
            At::Kind(kind) => children(node).find(|child| child.kind() == kind),
        }
    }
}

/// How a node is read as an expression or a type.
#[derive(Clone, Copy)]
pub(crate) enum Read {
    /// Its text is a name.
    Name,
    /// It is what the child is.
    Through(At),
    /// `object.name`.
    Member(At, At),
    /// Named children that are the parts of a dotted name.
    Segments,
    /// A callee and the node of its arguments.
    Call(At, At),
    /// A call whose object (if any), name and arguments are children of one node.
    Method(At, At, At),
    /// The class and the node of the arguments.
    New(At, At),
    /// A type and the node of its type arguments.
    Generic(At, At),
    /// A value of the type.
    Instance(At),
    /// The receiver.
    This,
    /// The receiver as its superclass.
    Super,
    /// A literal of a type.
    Literal(&'static str),
    /// A text.
    Text,
    /// One of these children.
    Either(At, At),
    /// Any of the named children.
    Union,
    /// A tuple of the named children.
    Tuple,
    /// An array with, or of, the named children.
    Array,
    /// `object[key]`.
    Index(At, At),
    /// What awaiting gives.
    Await(At),
    /// Without its wrapper for absence or failure.
    Unwrap(At),
    /// A closure.
    Closure,
    /// An operator between two operands (fields `left`, `operator`, `right`); the name is the
    /// language's type of truth values.
    Binary(&'static str),
    /// Whatever the language says.
    Hook(fn(&mut Walk<'_, '_>, Node<'_>) -> Expr),
}

impl Walk<'_, '_> {
    /// How the table reads a node.
    pub(crate) fn read_of(&self, node: Node<'_>) -> Option<Read> {
        let read = self.numbered.read.get(usize::from(node.kind_id()));
        read.copied().flatten()
    }

    /// A node as an expression or a type.
    pub(crate) fn read(&mut self, node: Node<'_>) -> ExprId {
        if let Some(known) = self.b.recall(node) {
            return known;
        }
        let expr = if self.reading >= DEPTH {
            Expr::Unknown
        } else {
            self.reading += 1;
            let expr = self.read_expr(node);
            self.reading -= 1;
            expr
        };
        let id = self.b.expr(expr);
        if self.reading == 0 || !matches!(expr, Expr::Name(_) | Expr::Unknown) {
            self.b.remember(node, id);
        }
        id
    }

    /// A node read in a scope other than the one the walk is in (closures in it belong there).
    pub(crate) fn read_in(&mut self, scope: ScopeId, node: Node<'_>) -> ExprId {
        let before = std::mem::replace(&mut self.state.scope, scope);
        let id = self.read(node);
        self.state.scope = before;
        id
    }

    /// The child of a node as an expression.
    pub(crate) fn read_at(&mut self, node: Node<'_>, at: At) -> ExprId {
        match at.of(node) {
            Some(child) => self.read(child),
            None => self.b.expr(Expr::Unknown),
        }
    }

    /// The named children of a node as a list.
    pub(crate) fn read_all(&mut self, node: Node<'_>) -> List {
        let operands: Vec<_> = children(node).map(|child| self.read(child)).collect();
        self.b.list(&operands)
    }

    fn read_expr(&mut self, node: Node<'_>) -> Expr {
        let Some(read) = self.read_of(node) else {
            return Expr::Unknown;
        };
        match read {
            Read::Name => Expr::Name(self.b.name_of(node)),
            Read::Through(at) => {
                let inner = self.read_at(node, at);
                self.b.expr_at(inner)
            }
            Read::Member(object, name) => match name.of(node) {
                Some(name) => {
                    let object = self.read_at(node, object);
                    let name = self.last_name(name);
                    Expr::Member(object, self.b.name_of(name))
                }
                None => Expr::Unknown,
            },
            Read::Segments => self.segments(node),
            Read::Call(callee, args) => {
                let callee = self.read_at(node, callee);
                let args = self.arguments(args.of(node));
                Expr::Call(callee, args)
            }
            Read::Method(object, name, args) => match name.of(node) {
                Some(name) => {
                    let callee = self.member_of(object.of(node), name);
                    let args = self.arguments(args.of(node));
                    Expr::Call(callee, args)
                }
                None => Expr::Unknown,
            },
            Read::New(class, args) => {
                let class = self.read_at(node, class);
                let args = self.arguments(args.of(node));
                Expr::New(class, args)
            }
            Read::Generic(base, args) => {
                let base = self.read_at(node, base);
                match args.of(node) {
                    Some(args) => {
                        let args = self.read_all(args);
                        Expr::Generic(base, args)
                    }
                    None => self.b.expr_at(base),
                }
            }
            Read::Instance(at) => Expr::Instance(self.read_at(node, at)),
            Read::This => Expr::This,
            Read::Super => Expr::Super,
            Read::Literal(name) => Expr::Literal(self.b.name(name)),
            Read::Text => self.text_literal(node),
            Read::Either(one, other) => {
                let operands = [self.read_at(node, one), self.read_at(node, other)];
                Expr::Union(self.b.list(&operands))
            }
            Read::Union => Expr::Union(self.read_all(node)),
            Read::Tuple => Expr::Tuple(self.read_all(node)),
            Read::Array => Expr::Array(self.read_all(node)),
            Read::Index(object, key) => {
                let object = self.read_at(node, object);
                let key = self.read_at(node, key);
                Expr::Index(object, key)
            }
            Read::Await(at) => Expr::Await(self.read_at(node, at)),
            Read::Unwrap(at) => Expr::Unwrap(self.read_at(node, at)),
            Read::Closure => Expr::Closure(self.closure_of(node)),
            Read::Binary(truth) => self.binary(node, truth),
            Read::Hook(hook) => hook(self, node),
        }
    }

    /// An operator: comparisons give truth values, others what the left operand makes of it.
    pub(crate) fn binary(&mut self, node: Node<'_>, truth: &str) -> Expr {
        let Some(operator) = node.field("operator") else {
            return Expr::Unknown;
        };
        match operator.kind() {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "===" | "!==" => {
                Expr::Literal(self.b.name(truth))
            }
            _ => {
                let left = self.read_at(node, At::Field("left"));
                Expr::Operator(self.b.name_of(operator), left)
            }
        }
    }

    /// Named children as the parts of a dotted name.
    fn segments(&mut self, node: Node<'_>) -> Expr {
        let mut whole = None;
        for part in children(node) {
            whole = Some(match (whole, self.read_of(part)) {
                (None, _) => {
                    let expr = self.read(part);
                    self.b.expr_at(expr)
                }
                (Some(base), Some(Read::Name | Read::Generic(..) | Read::Through(_))) => {
                    let base = self.b.expr(base);
                    let name = self.last_name(part);
                    Expr::Member(base, self.b.name_of(name))
                }
                (Some(base), _) => base,
            });
        }
        whole.unwrap_or(Expr::Unknown)
    }

    /// A text literal; a long one is only known to be one.
    fn text_literal(&mut self, node: Node<'_>) -> Expr {
        let text = self.b.text(node);
        let inner = text.trim_matches(['"', '\'']);
        if inner.len() > 64 || inner.contains('\n') {
            return Expr::Literal(self.b.name("String"));
        }
        Expr::Str(self.b.name(inner))
    }
}
