//! Notes uses: calls, creations, types, values.

use super::read::Read;
use super::{Walk, children};
use crate::facts::{Expr, ExprId, List, NameId, Site, SiteKind};
use tree_sitter::Node;

impl Walk<'_, '_> {
    /// The node of the last name of what `node` names: `c` in `a.b.c<T>`.
    pub(super) fn last_name<'n>(&self, node: Node<'n>) -> Node<'n> {
        let mut node = node;
        for _ in 0..16 {
            let next = match self.read_of(node) {
                Some(Read::Member(_, name)) => name.of(node),
                Some(Read::Generic(base, _)) => base.of(node),
                Some(Read::Through(inner) | Read::Unwrap(inner)) => inner.of(node),
                Some(Read::Method(_, name, _)) => name.of(node),
                Some(Read::New(class, _)) => class.of(node),
                Some(Read::Call(callee, _)) => callee.of(node),
                Some(Read::Segments) => children(node).last(),
                _ => None,
            };
            match next {
                Some(next) if next.id() != node.id() => node = next,
                _ => break,
            }
        }
        node
    }

    /// Adds a site whose name stands at `name`.
    pub(crate) fn site(&mut self, kind: SiteKind, what: ExprId, name: Node<'_>, args: List) {
        let site = Site {
            kind,
            owner: self.state.owner,
            scope: self.state.scope,
            what,
            at: name.start_byte() as u32,
            row: name.start_position().row as u32,
            args,
        };
        self.b.facts.sites.push(site);
    }

    /// A call of what a node names.
    pub(crate) fn call_of(&mut self, callee: Option<Node<'_>>, args: Option<Node<'_>>) {
        if let Some(callee) = callee {
            self.take(callee);
            let what = self.read(callee);
            let args = self.arguments(args);
            self.call_site(what, args, callee);
        }
    }

    /// A call whose callee is `name`, or ends in it.
    pub(crate) fn call_site(&mut self, what: ExprId, args: List, name: Node<'_>) {
        let name = self.last_name(name);
        if args.len > 0 {
            let call = self.b.expr(Expr::Call(what, args));
            self.expect(call, args);
        }
        self.site(SiteKind::Call, what, name, args);
    }

    /// The callee, the arguments and the node of the callee of a call.
    pub(super) fn callee<'n>(&mut self, node: Node<'n>) -> Option<(ExprId, List, Node<'n>)> {
        match self.read_of(node)? {
            Read::Call(callee, args) => {
                let callee = callee.of(node)?;
                let args = args.of(node);
                self.take(callee);
                let what = self.read(callee);
                let args = self.arguments(args);
                Some((what, args, callee))
            }
            Read::Method(object, name, args) => {
                let name = name.of(node)?;
                let what = self.member_of(object.of(node), name);
                let args = self.arguments(args.of(node));
                Some((what, args, name))
            }
            _ => None,
        }
    }

    /// The name that a method is bound and called by.
    pub(crate) fn method_name(&mut self, name: Node<'_>) -> NameId {
        let text = self.b.text(name).trim_matches('`');
        if !self.grammar.methods_apart {
            return self.b.name(text);
        }
        self.apart(text)
    }

    /// The name that a method of this name is bound and called by, where methods have names of
    /// their own.
    pub(crate) fn apart(&mut self, text: &str) -> NameId {
        let apart = format!("{text}()");
        self.b.name(&apart)
    }

    /// `object.name`, or the bare name without an object, as what is called.
    pub(super) fn member_of(&mut self, object: Option<Node<'_>>, name: Node<'_>) -> ExprId {
        let id = self.method_name(name);
        match object {
            Some(object) => {
                let object = self.read(object);
                self.b.expr(Expr::Member(object, id))
            }
            None => self.b.expr(Expr::Name(id)),
        }
    }

    /// An instance made in a node that the table reads as that.
    pub(crate) fn new_of(&mut self, node: Node<'_>) {
        let Some(Read::New(class, args)) = self.read_of(node) else {
            return;
        };
        let args = args.of(node);
        let args = self.arguments(args);
        if let Some(class) = class.of(node) {
            self.new_site(class, args);
            if args.len > 0 {
                let what = self.read(class);
                let call = self.b.expr(Expr::New(what, args));
                self.expect(call, args);
            }
        }
    }

    /// An instance is made of the class that a node names.
    pub(crate) fn new_site(&mut self, class: Node<'_>, args: List) {
        let what = self.read(class);
        let name = self.last_name(class);
        self.take(class);
        self.take(name);
        self.site(SiteKind::New, what, name, args);
    }

    /// An instance is made of a class, which stands at `class`.
    pub(crate) fn made(&mut self, what: ExprId, class: Node<'_>, args: List) {
        let name = self.last_name(class);
        self.take(class);
        self.take(name);
        self.site(SiteKind::New, what, name, args);
        if args.len > 0 {
            let call = self.b.expr(Expr::New(what, args));
            self.expect(call, args);
        }
    }

    /// A type is used where `node` names it.
    pub(crate) fn type_use(&mut self, node: Node<'_>) {
        if self.is_taken(node) {
            return;
        }
        let what = self.read(node);
        if matches!(
            self.b.expr_at(what),
            Expr::Unknown | Expr::Literal(_) | Expr::SelfType
        ) {
            return;
        }
        let name = self.last_name(node);
        // What leads to the last name is part of this use.
        self.take_names(node);
        self.site(SiteKind::Type, what, name, List::default());
    }

    /// Marks the parts of a dotted name.
    pub(super) fn take_names(&mut self, node: Node<'_>) {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            self.taken.insert(node.id());
            match self.read_of(node) {
                Some(Read::Member(object, name)) => {
                    left.extend(object.of(node));
                    left.extend(name.of(node));
                }
                Some(Read::Segments) => left.extend(children(node)),
                _ => {}
            }
        }
    }

    /// A class is named where one is used as a value or as a type: `self` and the like are not.
    pub(crate) fn class_use(&mut self, node: Node<'_>) {
        let what = self.read(node);
        if matches!(self.b.expr_at(what), Expr::Name(_) | Expr::Member(..)) && !self.is_taken(node)
        {
            self.take(node);
            let name = self.last_name(node);
            self.site(SiteKind::Type, what, name, List::default());
        }
    }

    /// Every type named in a node is used; for grammars whose type names are plain identifiers.
    pub(crate) fn types_in(&mut self, node: Node<'_>) {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            match self.read_of(node) {
                Some(Read::Name | Read::Member(..) | Read::Segments) => {
                    self.type_use(node);
                }
                // The length of an array is no type.
                _ if self.has_operands(node) => {}
                _ => {
                    let from = left.len();
                    left.extend(children(node));
                    left[from..].reverse();
                }
            }
        }
    }

    /// A member or name that stands for a value.
    pub(crate) fn value(&mut self, node: Node<'_>) {
        self.value_at(node, Some(self.last_name(node)));
    }

    /// A member or name that stands for a value and whose last name is at `name`.
    pub(crate) fn value_at(&mut self, node: Node<'_>, name: Option<Node<'_>>) {
        if self.is_taken(node) {
            return;
        }
        let what = self.read(node);
        match self.b.expr_at(what) {
            Expr::Name(name) if self.is_local(name) => return,
            Expr::Name(_) | Expr::Member(..) | Expr::Path(..) => {}
            _ => return,
        }
        self.take(node);
        self.site(SiteKind::Value, what, name.unwrap_or(node), List::default());
    }

    /// A node is used as a value if it is a bare name.
    pub(crate) fn value_if_name(&mut self, node: Node<'_>) {
        match self.read_of(node) {
            Some(Read::Name) => self.value(node),
            Some(Read::Hook(_)) if matches!(node.kind(), "identifier" | "simple_identifier") => {
                self.value_if_bare(node);
            }
            _ => {}
        }
    }

    /// A node is used as a value if it is read as a bare name.
    pub(crate) fn value_if_bare(&mut self, node: Node<'_>) {
        let what = self.read(node);
        if matches!(self.b.expr_at(what), Expr::Name(_)) {
            self.value_at(node, Some(node));
        }
    }

    /// A member or name that is written to.
    pub(crate) fn write(&mut self, node: Node<'_>) {
        self.write_at(node, self.last_name(node));
    }

    /// A member or name that is written to and whose last name is at `name`.
    pub(crate) fn write_at(&mut self, node: Node<'_>, name: Node<'_>) {
        let what = self.read(node);
        match self.b.expr_at(what) {
            Expr::Name(name) if self.is_local(name) => return,
            Expr::Name(_) | Expr::Member(..) | Expr::Path(..) => {}
            _ => return,
        }
        self.take(node);
        self.site(SiteKind::Write, what, name, List::default());
    }

    /// Names that stand directly in a node are used as values.
    pub(crate) fn values(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.value_if_name(child);
        }
    }

    /// The operands of an argument list, which are used as values.
    pub(crate) fn arguments(&mut self, args: Option<Node<'_>>) -> List {
        let Some(args) = args else {
            return List::default();
        };
        self.read_all(args)
    }

    /// Tells the closures among the arguments of a call what their place expects of them.
    pub(crate) fn expect(&mut self, call: ExprId, args: List) {
        let operands = self.b.operands(args).to_vec();
        for (at, operand) in operands.into_iter().enumerate() {
            if let Expr::Closure(function) = self.b.expr_at(operand) {
                let expected = self.b.expr(Expr::Expected(call, at as u16));
                if let Some(function) = self.b.function_mut(function) {
                    function.context.get_or_insert(expected);
                }
            }
        }
    }
}
