//! Macro invocations. Their arguments are read as what they look like (arguments of a call, then
//! statements and items, then, part by part, whatever has the form of a call), at the positions that
//! they have in the file.

use super::{Container, State, Walk};
use crate::extract::field::Fields;
use crate::facts::{Expr, ExprId, Flags, List, NameId, ScopeId, ScopeKind, SiteKind};
use fourfold_syntax::{ParseLimits, with_parser};
use std::ops::Range;
use tree_sitter::Node;

/// How many invocations inside invocations are read.
const DEPTH: usize = 12;

/// A rule of a macro that makes a function of the name that an argument is.
#[derive(Debug, Clone)]
pub(super) struct Maker {
    /// What the rule wants its arguments to be, where that is a word.
    literals: Vec<Option<String>>,
    /// The argument that names the function.
    at: usize,
    test: bool,
}

/// What the arguments of an invocation were read as.
struct Arguments {
    values: Vec<ExprId>,
    /// What the last expression of statements gives.
    tail: Option<ExprId>,
}

impl Arguments {
    fn none() -> Arguments {
        Arguments {
            values: Vec::new(),
            tail: None,
        }
    }
}

impl Walk<'_, '_> {
    /// `name!(…)`
    pub(super) fn macro_invocation(&mut self, node: Node<'_>) {
        let Some(path) = node.field("macro") else {
            return;
        };
        let what = self.path(path);
        let last = self.last_name(path);
        self.site(SiteKind::Macro, what, last, List::default());
        let name = self.text(last);
        let mut cursor = node.walk();
        let tree = node
            .named_children(&mut cursor)
            .find(|child| child.kind() == "token_tree");
        let Some(tree) = tree else { return };
        let before = self.state;
        let id = self.name_of(last);
        if self.state.container == Container::Module && self.macro_depth == 0 {
            self.scope_of_macro(id);
            if let Some((made, test)) = self.made_by_macro(tree, id, name) {
                self.function_of_macro(node, made, test);
            }
        }
        self.pending.clear();
        let read = self.contents(tree, name);
        self.state = before;
        let value = self.macro_value(name, read);
        let value = self.b.expr(value);
        self.remember(node, value);
    }

    /// `name!(function, |…| …)` among items makes a function of that name: the name.
    ///
    /// What the macro's rules say counts, when they are in this file.
    fn made_by_macro<'n>(&self, tree: Node<'n>, id: NameId, by: &str) -> Option<(Node<'n>, bool)> {
        if let Some(makers) = self.makers.get(&id) {
            let mut cursor = tree.walk();
            let tokens: Vec<_> = tree.children(&mut cursor).collect();
            let inner = tokens.get(1..tokens.len().saturating_sub(1))?;
            let segments: Vec<&[Node<'n>]> = inner.split(|t| self.text(*t) == ",").collect();
            let says = |maker: &&Maker| {
                maker.literals.iter().enumerate().all(|(at, literal)| {
                    literal.as_ref().is_none_or(|literal| {
                        matches!(segments.get(at), Some([token]) if self.text(*token) == literal)
                    })
                })
            };
            let maker = makers.iter().find(says)?;
            let name = *segments.get(maker.at)?.first()?;
            return (name.kind() == "identifier").then_some((name, maker.test));
        }
        let name = tree.child(1).filter(|name| name.kind() == "identifier")?;
        let (comma, body) = (tree.child(2)?, tree.child(3)?);
        let text = self.text(body);
        let closure = text.starts_with(['|', '{']) || matches!(text, "move" | "async");
        (self.text(comma) == "," && closure).then_some((name, by.contains("test")))
    }

    /// What a macro is given stands beside the functions in its rules, and sees what they see.
    fn scope_of_macro(&mut self, id: NameId) {
        if let Some(scope) = self.beside.get(&id) {
            self.state.scope = *scope;
        }
    }

    /// What the rules of a macro make: functions that are named by an argument, and functions of
    /// their own.
    pub(super) fn rules_that_make(&mut self, node: Node<'_>, id: NameId) {
        let mut cursor = node.walk();
        for rule in node.named_children(&mut cursor) {
            let (Some(left), Some(right)) = (rule.field("left"), rule.field("right")) else {
                continue;
            };
            let scope = self.b.scope(self.state.scope, ScopeKind::Block, None);
            self.imports_of_rule(right, scope);
            let functions = functions_in(right, |token| self.text(token));
            for named in functions
                .iter()
                .filter(|(_, name, _)| name.kind() == "metavariable")
            {
                if let Some(maker) = self.maker(left, right, self.text(named.1)) {
                    self.makers.entry(id).or_default().push(maker);
                }
            }
            for (first, name, last) in functions {
                if name.kind() != "identifier" {
                    continue;
                }
                let range = self.bytes(first).start..self.bytes(last).end;
                let row = self.row(first);
                let before = self.b.facts.symbols.len();
                let state = self.state;
                self.state.scope = scope;
                self.parsed("", &range, "{}", row, |walk, root| {
                    walk.tree(only(root)?);
                    Some(())
                });
                self.state = state;
                if self.b.facts.symbols.len() > before {
                    self.beside.entry(id).or_insert(scope);
                }
            }
        }
    }

    /// `use` in the rules of a macro, for the functions there.
    fn imports_of_rule(&mut self, right: Node<'_>, scope: ScopeId) {
        let mut open = vec![right];
        while let Some(tree) = open.pop() {
            let mut cursor = tree.walk();
            let tokens: Vec<_> = tree.children(&mut cursor).collect();
            let mut first: Option<Node<'_>> = None;
            for token in &tokens {
                match self.text(*token) {
                    "use" => first = Some(*token),
                    ";" => {
                        let Some(first) = first.take() else { continue };
                        let range = self.bytes(first).start..self.bytes(*token).end;
                        let row = self.row(first);
                        let state = self.state;
                        self.state.scope = scope;
                        self.parsed("", &range, "", row, |walk, root| {
                            walk.tree(only(root)?);
                            Some(())
                        });
                        self.state = state;
                    }
                    _ if token.kind() == "token_tree" && first.is_none() => open.push(*token),
                    _ => {}
                }
            }
        }
    }

    /// Which argument of a rule names a function.
    fn maker(&self, left: Node<'_>, right: Node<'_>, variable: &str) -> Option<Maker> {
        let mut cursor = left.walk();
        let tokens: Vec<_> = left.children(&mut cursor).collect();
        let inner = tokens.get(1..tokens.len().saturating_sub(1))?;
        let mut literals = Vec::new();
        let mut found = None;
        for (at, segment) in inner.split(|token| self.text(*token) == ",").enumerate() {
            let mut literal = None;
            if let [token] = segment {
                let name = token.field("name");
                match token.kind() {
                    "identifier" => literal = Some(self.text(*token).to_owned()),
                    "token_binding_pattern" if name.is_some_and(|n| self.text(n) == variable) => {
                        found = Some(at);
                    }
                    _ => {}
                }
            }
            literals.push(literal);
        }
        Some(Maker {
            literals,
            at: found?,
            test: self.text(right).contains("test]"),
        })
    }

    /// The symbol of a function that a macro makes; what follows belongs to it.
    fn function_of_macro(&mut self, node: Node<'_>, name: Node<'_>, test: bool) {
        let mut flags = Flags::DECORATED;
        if test {
            flags.set(Flags::TEST);
            flags.set(Flags::TEST_CODE);
        }
        let symbol = self.made(node, name, flags);
        let scope = self
            .b
            .scope(self.state.scope, ScopeKind::Function, Some(symbol));
        self.state = State {
            owner: Some(symbol),
            parent: Some(symbol),
            scope,
            vars: scope,
            barrier: self.locals.len(),
            container: Container::Body,
            ..self.state
        };
    }

    /// What an invocation gives, for macros that everybody knows.
    fn macro_value(&mut self, name: &str, read: Arguments) -> Expr {
        let first = read.values.first().copied();
        match (name, first) {
            ("vec", _) => Expr::Array(self.b.list(&read.values)),
            ("dbg" | "pin", Some(first)) => self.b.expr_at(first),
            ("ready" | "try" | "try_ready" | "assert_ok" | "assert_ready", Some(first)) => {
                Expr::Unwrap(first)
            }
            ("assert_ready_ok" | "assert_ready_some", Some(first)) => {
                let ready = self.b.expr(Expr::Unwrap(first));
                Expr::Unwrap(ready)
            }
            ("join", _) => {
                let values: Vec<_> = read.values.into_iter().collect();
                let values: Vec<_> = values
                    .into_iter()
                    .map(|value| self.b.expr(Expr::Await(value)))
                    .collect();
                Expr::Tuple(self.b.list(&values))
            }
            ("format", _) => Expr::Literal(self.b.name("String")),
            ("concat" | "stringify" | "include_str" | "env" | "file" | "module_path", _) => {
                Expr::Literal(self.b.name("str"))
            }
            ("matches" | "cfg", _) => Expr::Literal(self.b.name("bool")),
            ("line" | "column", _) => Expr::Literal(self.b.name("u32")),
            _ => read.tail.map_or(Expr::Unknown, |tail| self.b.expr_at(tail)),
        }
    }

    /// Reads what stands in a token tree.
    fn contents(&mut self, tree: Node<'_>, name: &str) -> Arguments {
        if self.macro_depth >= DEPTH || self.language.is_none() {
            return Arguments::none();
        }
        self.macro_depth += 1;
        let read = self.contents_as(tree, name);
        self.macro_depth -= 1;
        read
    }

    fn contents_as(&mut self, tree: Node<'_>, name: &str) -> Arguments {
        let whole = self.bytes(tree);
        let inner = whole.start + 1..whole.end.saturating_sub(1).max(whole.start + 1);
        let row = self.row(tree);
        let text = self.b.source().get(inner.clone()).unwrap_or_default();
        if text.trim().is_empty() {
            return Arguments::none();
        }
        if matches!(name, "matches" | "assert_matches" | "debug_assert_matches")
            && self.matches(tree, &inner, row)
        {
            return Arguments::none();
        }
        if matches!(name, "select" | "select_biased") && text.contains("=>") {
            return self.select(tree);
        }
        let braces = self.text(tree).starts_with('{');
        let found = if braces {
            let found = self.statements(&inner, row);
            found.or_else(|| self.arguments(&inner, row))
        } else {
            let found = self.arguments(&inner, row);
            let found = found.or_else(|| self.repeated(&inner, row));
            found.or_else(|| self.statements(&inner, row))
        };
        found.unwrap_or_else(|| {
            let mut cursor = tree.walk();
            let tokens: Vec<_> = tree.children(&mut cursor).collect();
            let tokens = tokens.get(1..tokens.len().saturating_sub(1));
            self.segments(tokens.unwrap_or_default(), row);
            Arguments::none()
        })
    }

    /// Parses a stretch of the file between `prefix` and `suffix`, and lets `read` walk the tree with
    /// positions of the file. `None` when it does not parse.
    fn parsed<R>(
        &mut self,
        prefix: &str,
        inner: &Range<usize>,
        suffix: &str,
        row: usize,
        read: impl FnOnce(&mut Self, Node<'_>) -> Option<R>,
    ) -> Option<R> {
        let text = self.b.source().get(inner.clone())?;
        self.parsed_text(
            &format!("{prefix}{text}{suffix}"),
            prefix.len(),
            inner.start,
            row,
            read,
        )
    }

    /// Parses a text of which byte `from` is byte `start` of the file.
    fn parsed_text<R>(
        &mut self,
        text: &str,
        from: usize,
        start: usize,
        row: usize,
        read: impl FnOnce(&mut Self, Node<'_>) -> Option<R>,
    ) -> Option<R> {
        let language = self.language?;
        let tree = with_parser(ParseLimits::default(), |parser| {
            parser.parse_sound(language, text)
        });
        let tree = tree.ok()??;
        let nodes = std::mem::take(&mut self.read);
        let (delta, rows) = (self.delta, self.rows);
        self.delta = start as isize - from as isize;
        self.rows = row;
        let result = read(self, tree.root_node());
        (self.delta, self.rows, self.read) = (delta, rows, nodes);
        result
    }

    /// `a, b, c`
    fn arguments(&mut self, inner: &Range<usize>, row: usize) -> Option<Arguments> {
        self.parsed("m(", inner, ");", row, |walk, root| {
            let call = only(root)?.named_child(0)?;
            let list = call.field("arguments")?;
            Some(walk.list_of(list))
        })
    }

    /// `a; n`
    fn repeated(&mut self, inner: &Range<usize>, row: usize) -> Option<Arguments> {
        let text = self.b.source().get(inner.clone())?;
        if !text.contains(';') {
            return None;
        }
        self.parsed("[", inner, "];", row, |walk, root| {
            let list = only(root)?.named_child(0)?;
            let mut read = walk.list_of(list);
            read.values.truncate(1);
            Some(read)
        })
    }

    fn list_of(&mut self, list: Node<'_>) -> Arguments {
        let mut values = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            self.tree(child);
            if !child.is_extra() && child.kind() != "attribute_item" {
                values.push(self.get(Some(child)));
            }
        }
        Arguments { values, tail: None }
    }

    /// Items and statements; what they declare is visible after the invocation.
    fn statements(&mut self, inner: &Range<usize>, row: usize) -> Option<Arguments> {
        self.parsed("fn m(){", inner, "}", row, |walk, root| {
            let block = only(root)?.field("body")?;
            let mut cursor = block.walk();
            for child in block.named_children(&mut cursor) {
                walk.tree(child);
            }
            let tail = walk.tail(block);
            let tail = walk.b.expr(tail);
            Some(Arguments {
                values: Vec::new(),
                tail: Some(tail),
            })
        })
    }

    /// `matches!(value, pattern if guard)`, read as a `match`.
    fn matches(&mut self, tree: Node<'_>, inner: &Range<usize>, row: usize) -> bool {
        let mut cursor = tree.walk();
        let comma = tree
            .children(&mut cursor)
            .find(|child| self.text(*child) == ",");
        let Some(comma) = comma else { return false };
        let comma = self.bytes(comma).start;
        let source = self.b.source();
        let (Some(value), Some(pattern)) = (
            source.get(inner.start..comma),
            source.get(comma + 1..inner.end),
        ) else {
            return false;
        };
        let pattern = pattern.trim_end().trim_end_matches(',');
        // The brace stands where the comma stood, so that all positions stay.
        let text = format!("match {value}{{{pattern} => {{}} }}");
        let found = self.parsed_text(&text, 6, inner.start, row, |walk, root| {
            walk.tree(only(root)?);
            Some(())
        });
        found.is_some()
    }

    /// `select! { pattern = future => handler, … }`: the pattern takes apart what awaiting yields.
    fn select(&mut self, tree: Node<'_>) -> Arguments {
        let mut cursor = tree.walk();
        let tokens: Vec<_> = tree.children(&mut cursor).collect();
        let mut at = 1;
        let end = tokens.len().saturating_sub(1);
        let mut values = Vec::new();
        while at < end {
            let rest = tokens.get(at..end).unwrap_or_default();
            let Some(arrow) = rest.iter().position(|token| self.text(*token) == "=>") else {
                self.segments(rest, self.row(tree));
                break;
            };
            let locals = self.locals.len();
            self.select_head(rest.get(..arrow).unwrap_or_default());
            at += arrow + 1;
            let rest = tokens.get(at..end).unwrap_or_default();
            let block = rest
                .first()
                .filter(|token| self.text(**token).starts_with('{'));
            if let Some(block) = block {
                let read = self.contents(*block, "");
                values.extend(read.tail);
                at += 1;
                if rest.get(1).is_some_and(|token| self.text(*token) == ",") {
                    at += 1;
                }
            } else {
                let comma = rest.iter().position(|token| self.text(*token) == ",");
                let handler = rest.get(..comma.unwrap_or(rest.len())).unwrap_or_default();
                values.extend(self.segment(handler, self.row(tree)));
                at += comma.map_or(rest.len(), |comma| comma + 1);
            }
            self.locals.truncate(locals);
        }
        let unit = self.b.expr(Expr::Tuple(List::default()));
        values.retain(|value| *value != unit);
        values.truncate(4);
        let tail = match *values {
            [] => None,
            [one] => Some(one),
            _ => {
                let list = self.b.list(&values);
                Some(self.b.expr(Expr::Union(list)))
            }
        };
        Arguments {
            values: Vec::new(),
            tail,
        }
    }

    /// `pattern = future, if condition`
    fn select_head(&mut self, head: &[Node<'_>]) {
        let equals = head.iter().position(|token| self.text(*token) == "=");
        let (Some(_), Some(first)) = (equals, head.first()) else {
            return;
        };
        let mut start = 0;
        // `biased;` and what else stands before the first branch.
        if let Some(semicolon) = head.iter().position(|token| self.text(*token) == ";") {
            start = semicolon + 1;
        }
        let comma = head.iter().enumerate().position(|(at, token)| {
            self.text(*token) == ","
                && head
                    .get(at + 1)
                    .is_some_and(|next| self.text(*next) == "if")
        });
        let let_end = comma.unwrap_or(head.len());
        let first = head.get(start).unwrap_or(first);
        let Some(last) = let_end.checked_sub(1).and_then(|at| head.get(at)) else {
            return;
        };
        let range = self.bytes(*first).start..self.bytes(*last).end;
        let row = self.row(*first);
        let awaited = std::mem::replace(&mut self.awaited, true);
        let bound = self.parsed("if let ", &range, " {}", row, |walk, root| {
            let condition = only(root)?.named_child(0)?.field("condition")?;
            walk.tree(condition);
            Some(())
        });
        self.awaited = awaited;
        if bound.is_none() {
            self.scan(head.get(start..let_end).unwrap_or_default(), false);
        }
        if let Some(condition) = comma.and_then(|comma| head.get(comma + 2..)) {
            self.segment(condition, row);
        }
    }

    /// Parts between commas, semicolons and arrows.
    fn segments(&mut self, tokens: &[Node<'_>], row: usize) {
        let mut from = 0;
        for at in 0..=tokens.len() {
            let token = tokens.get(at).map(|token| self.text(*token));
            if matches!(token, None | Some("," | ";" | "=>")) {
                self.segment(tokens.get(from..at).unwrap_or_default(), row);
                from = at + 1;
            }
        }
    }

    /// One part: an expression, or else whatever has the form of a call.
    fn segment(&mut self, tokens: &[Node<'_>], _row: usize) -> Option<ExprId> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        let range = self.bytes(*first).start..self.bytes(*last).end;
        let row = self.row(*first);
        if let [token] = tokens
            && token.kind() == "token_tree"
            && self.text(*token).starts_with('{')
        {
            return self.contents(*token, "").tail;
        }
        if let Some(read) = self.arguments(&range, row) {
            return read.values.first().copied();
        }
        self.scan(tokens, false);
        None
    }

    /// Tokens that are no expression: names before parentheses are called. In the rules of a macro,
    /// which are code of wherever it is invoked, only names that begin with `$crate` are looked at.
    fn scan(&mut self, tokens: &[Node<'_>], rules: bool) {
        let mut chain: Option<(ExprId, Node<'_>)> = None;
        let mut before = "";
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let text = self.text(*token);
            match token.kind() {
                "identifier" | "self" | "crate" | "super" | "metavariable" => {
                    let expr = match (chain, before) {
                        (Some((of, _)), ".") => Some(Expr::Member(of, self.name_of(*token))),
                        (Some((of, _)), "::") => Some(Expr::Path(of, self.name_of(*token))),
                        (_, "fn" | "struct" | "mod" | "." | "::" | "let") => None,
                        _ if text == "$crate" => Some(Expr::Name(self.b.name("crate"))),
                        _ if rules || token.kind() == "metavariable" => None,
                        _ if text == "self"
                            && tokens.get(at).is_none_or(|next| self.text(*next) != "::") =>
                        {
                            Some(Expr::This)
                        }
                        _ if text == "Self" => Some(Expr::SelfType),
                        _ => {
                            let name = self.name_of(*token);
                            Some(Expr::Name(self.local(name).unwrap_or(name)))
                        }
                    };
                    chain = expr.map(|expr| (self.b.expr(expr), *token));
                }
                "token_tree" => {
                    let called = text.starts_with('(') && is_name(before);
                    if let Some((what, name)) = chain.filter(|_| called) {
                        self.site(SiteKind::Call, what, name, List::default());
                        let call = self.b.expr(Expr::Call(what, List::default()));
                        chain = Some((call, name));
                    } else {
                        chain = None;
                    }
                    if before != "#" {
                        self.nested(*token, rules);
                    }
                }
                _ => match text {
                    "." | "::" => {}
                    "?" => {
                        chain = chain.map(|(of, name)| (self.b.expr(Expr::Unwrap(of)), name));
                    }
                    "await" if before == "." => {
                        chain = chain.map(|(of, name)| (self.b.expr(Expr::Await(of)), name));
                    }
                    "<" if before == "::" || before == "name" && chain.is_some() => {
                        let after = after_angles(tokens, at, |token| self.text(token));
                        let path = tokens
                            .get(after)
                            .is_some_and(|next| self.text(*next) == "::");
                        if before == "::" || path {
                            at = after;
                            before = "name";
                            continue;
                        }
                        chain = None;
                    }
                    "!" if is_name(before)
                        && tokens
                            .get(at)
                            .is_some_and(|next| next.kind() == "token_tree") =>
                    {
                        if let Some((what, name)) = chain.take() {
                            self.site(SiteKind::Macro, what, name, List::default());
                        }
                    }
                    _ => chain = None,
                },
            }
            before = match token.kind() {
                "identifier" | "self" | "crate" | "super" | "metavariable" => "name",
                _ => text,
            };
        }
    }

    fn nested(&mut self, tree: Node<'_>, rules: bool) {
        if !rules {
            self.contents(tree, "");
            return;
        }
        if self.macro_depth >= DEPTH {
            return;
        }
        self.macro_depth += 1;
        let mut cursor = tree.walk();
        let tokens: Vec<_> = tree.children(&mut cursor).collect();
        self.scan(&tokens, true);
        self.macro_depth -= 1;
    }

    /// What the rules of a macro call.
    pub(super) fn macro_rules(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        for rule in node.named_children(&mut cursor) {
            if let Some(right) = rule.field("right") {
                self.nested(right, true);
            }
        }
    }
}

/// Functions among tokens: the first token of each, its name, and the last before its body.
fn functions_in<'n, 't>(
    tree: Node<'n>,
    text: impl Fn(Node<'n>) -> &'t str,
) -> Vec<(Node<'n>, Node<'n>, Node<'n>)> {
    let mut found = Vec::new();
    let mut open = vec![tree];
    while let Some(tree) = open.pop() {
        let mut cursor = tree.walk();
        let tokens: Vec<_> = tree.children(&mut cursor).collect();
        for (at, token) in tokens.iter().enumerate() {
            if matches!(token.kind(), "token_tree" | "token_repetition") {
                open.push(*token);
            }
            if text(*token) != "fn" {
                continue;
            }
            let rest = tokens.get(at + 1..).unwrap_or_default();
            let Some(name) = rest.first() else { continue };
            let body = rest.iter().position(|token| text(*token).starts_with('{'));
            let last = body.and_then(|body| rest.get(body.checked_sub(1)?));
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let first = before
                .filter(|before| text(**before) == "async")
                .unwrap_or(token);
            if let Some(last) = last {
                found.push((*first, *name, *last));
            }
        }
    }
    found
}

/// Whether the token before can be called.
fn is_name(before: &str) -> bool {
    before == "name"
}

/// The first token after angle brackets, from inside of the first.
fn after_angles<'n, 't>(
    tokens: &[Node<'n>],
    from: usize,
    text: impl Fn(Node<'n>) -> &'t str,
) -> usize {
    let mut depth = 1_usize;
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match text(*token) {
            "<" => depth += 1,
            ">" => depth -= 1,
            ">>" => depth = depth.saturating_sub(2),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The only child of a tree's root; none when a closing bracket in the text made two of it.
fn only(root: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = root.walk();
    let mut children = root
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra());
    let first = children.next()?;
    children.next().is_none().then_some(first)
}
