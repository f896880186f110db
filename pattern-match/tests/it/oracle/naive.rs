//! The naive matcher: every way to match is written down, then those are thrown out in which a
//! name stands for two different things.

use fourfold_syntax::{Language, Node, Tree};
use std::ops::Range;

/// A node as the rules of matching see it: without comments, without separators, without tokens
/// of no width.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    pub(super) kind: String,
    pub(super) named: bool,
    pub(super) field: Option<u16>,
    pub(super) range: Range<usize>,
    /// The class of parts that its holder may have beyond the pattern.
    pub(super) part: Option<&'static str>,
    /// The texts of all its tokens, separators included.
    pub(super) tokens: Vec<String>,
    pub(super) children: Vec<Plain>,
}

impl Plain {
    /// A whole tree. Where parts may not be left out none is told apart.
    pub(super) fn of_tree(tree: &Tree, text: &str, strict: bool) -> Plain {
        let mut whole = Plain::of(tree.root_node(), None, text);
        if strict {
            whole.keep_parts();
        }
        whole
    }

    fn keep_parts(&mut self) {
        self.part = None;
        self.children.iter_mut().for_each(Plain::keep_parts);
    }

    pub(super) fn of(node: Node<'_>, field: Option<u16>, text: &str) -> Plain {
        let mut children = Vec::new();
        let mut tokens = Vec::new();
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let (child, field) = (cursor.node(), cursor.field_id());
            let field_name = cursor.field_name();
            let part = part(node.kind(), child.kind(), field_name);
            more = cursor.goto_next_sibling();
            if child.is_extra() || child.is_missing() || child.byte_range().is_empty() {
                continue;
            }
            let plain = Plain {
                part,
                ..Plain::of(child, field.map(u16::from), text)
            };
            let plain = match (node.kind(), child.kind(), field_name) {
                ("call", "generator_expression", _) => plain.argument(text),
                ("arrow_function", _, Some("parameter")) => Plain {
                    kind: "formal_parameters".to_owned(),
                    field: node
                        .language()
                        .field_id_for_name("parameters")
                        .map(u16::from),
                    children: vec![Plain {
                        field: None,
                        ..plain.clone()
                    }],
                    ..plain
                },
                _ => plain,
            };
            tokens.extend(plain.tokens.iter().cloned());
            let separates = !child.is_named()
                && (matches!(child.kind(), "," | ";") || child.kind().trim().is_empty());
            let is_free = has_free_parentheses(node) && matches!(child.kind(), "(" | ")")
                || child.kind() != "formal_parameters"
                    && has_free_parentheses(child)
                    && child.named_child_count() == 0;
            if !separates && !is_free {
                children.push(plain);
            }
        }
        let own = text[node.byte_range()].trim_end();
        if node.child_count() == 0 && !own.is_empty() {
            // Which quotes a string has is no difference.
            let quote = match node.kind() {
                "'" | "\"" | "string_end" => true,
                kind => kind == "string_start" && own.len() == 1,
            };
            tokens.push(if quote { "\"" } else { own }.to_owned());
        }
        Plain {
            kind: node.kind().to_owned(),
            named: node.is_named(),
            field,
            range: node.start_byte()..node.start_byte() + own.len(),
            part: None,
            tokens,
            children,
        }
    }

    /// A generator that is all of a call's arguments, as a list of one: the parentheses are the
    /// call's.
    fn argument(self, text: &str) -> Plain {
        let parenthesis = |kind: &str, range: Range<usize>| Plain {
            kind: kind.to_owned(),
            named: false,
            field: None,
            range,
            part: None,
            tokens: vec![kind.to_owned()],
            children: Vec::new(),
        };
        let (start, end) = (self.range.start, self.range.end);
        let inner = &text[start + 1..end - 1];
        let first = start + 1 + inner.len() - inner.trim_start().len();
        let generator = Plain {
            field: None,
            range: first..first + inner.trim().len(),
            tokens: self.tokens[1..self.tokens.len() - 1].to_vec(),
            ..self.clone()
        };
        let open = parenthesis("(", start..start + 1);
        let close = parenthesis(")", end - 1..end);
        Plain {
            kind: "argument_list".to_owned(),
            children: vec![open, generator, close],
            ..self
        }
    }

    /// The node and every one inside it.
    pub(super) fn all(&self) -> Vec<&Plain> {
        let mut all = vec![self];
        all.extend(self.children.iter().flat_map(Plain::all));
        all
    }
}

/// Whether the parentheses of a node may be left out, and all of it where it is empty.
fn has_free_parentheses(node: Node<'_>) -> bool {
    match node.kind() {
        "argument_list" | "method_parameters" => {
            *node.language() == *Language::named("ruby").unwrap().grammar()
        }
        "generator_expression" => node.named_child_count() > 0,
        "formal_parameters" => node
            .parent()
            .is_some_and(|holder| holder.kind() == "arrow_function"),
        _ => false,
    }
}

/// The class of parts of a declaration that a child of it belongs to.
fn part(holder: &str, kind: &str, field: Option<&str>) -> Option<&'static str> {
    let declares = matches!(
        holder,
        "function_declaration" | "arrow_function" | "function_definition" | "function_item"
    );
    match (kind, field) {
        _ if !declares => None,
        ("async" | "visibility_modifier", _) => Some("modifier"),
        ("type_parameters", _) => Some("type parameters"),
        ("->", _) | (_, Some("return_type")) => Some("return type"),
        _ => None,
    }
}

/// A pattern: a tree with holes.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// `$X`: one node that stands in the field.
    One(Name, Option<u16>),
    /// `$$$XS`: a run of nodes.
    Many(Name),
    /// `'$X'`: all between the quotes of a string.
    Content(Name),
    /// Anything else has to be there as it is, but for parts of classes that are not listed.
    Tree(Plain, Vec<&'static str>, Vec<Wanted>),
}

/// The name of a metavariable; `None` for one that binds nothing.
pub(super) type Name = Option<&'static str>;

/// What one metavariable stands for.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) name: Name,
    pub(super) is_list: bool,
    pub(super) ranges: Vec<Range<usize>>,
    tokens: Vec<Vec<String>>,
    is_text: bool,
}

impl Bound {
    fn nodes(name: Name, is_list: bool, nodes: &[Plain]) -> Bound {
        Bound {
            name,
            is_list,
            ranges: nodes.iter().map(|node| node.range.clone()).collect(),
            tokens: nodes.iter().map(|node| node.tokens.clone()).collect(),
            is_text: false,
        }
    }

    fn equals(&self, other: &Bound, text: &str) -> bool {
        if self.is_text || other.is_text {
            return text[self.ranges[0].clone()] == text[other.ranges[0].clone()];
        }
        self.tokens == other.tokens
    }
}

/// One way to match: what every metavariable stands for, in the order of the pattern.
pub(super) type Way = Vec<Bound>;

/// The first way in which a pattern matches a node, the shortest runs first.
pub(super) fn first(wanted: &Wanted, node: &Plain, text: &str) -> Option<Way> {
    ways(wanted, node, true)
        .into_iter()
        .find(|way| is_consistent(way, text))
}

/// The first way in which a row of items matches from the first of the nodes on, with the end of
/// the match.
pub(super) fn first_run(items: &[Wanted], nodes: &[Plain], text: &str) -> Option<(Way, usize)> {
    // A list at the end takes all that is left; otherwise what follows is not looked at.
    let lengths = match items.last() {
        Some(Wanted::Many(_)) => nodes.len()..=nodes.len(),
        _ => 0..=nodes.len(),
    };
    let mut found: Vec<(Way, usize)> = Vec::new();
    for length in lengths {
        for way in row(items, &nodes[..length]) {
            found.push((way, length));
        }
    }
    // The shortest runs first, from the front of the pattern.
    let sizes = |way: &Way| -> Vec<usize> { way.iter().map(|bound| bound.ranges.len()).collect() };
    found.sort_by_key(|(way, _)| sizes(way));
    found
        .into_iter()
        .filter(|(way, _)| is_consistent(way, text))
        .map(|(way, length)| (way, nodes[..length].last().map_or(0, |node| node.range.end)))
        .next()
}

fn is_consistent(way: &Way, text: &str) -> bool {
    way.iter().enumerate().all(|(at, bound)| {
        way[..at].iter().all(|other| {
            let same =
                bound.name.is_some() && (bound.name, bound.is_list) == (other.name, other.is_list);
            !same || bound.equals(other, text)
        })
    })
}

/// Every way in which a pattern matches one node. Where the whole pattern stands is no matter.
fn ways(wanted: &Wanted, node: &Plain, is_root: bool) -> Vec<Way> {
    match wanted {
        Wanted::One(name, field) => {
            let word = node
                .kind
                .chars()
                .all(|c| c.is_ascii_alphabetic() || c == '_');
            let fits = (node.named || word) && *field == node.field;
            let bound = Bound::nodes(*name, false, std::slice::from_ref(node));
            if fits { vec![vec![bound]] } else { Vec::new() }
        }
        Wanted::Many(_) | Wanted::Content(_) => Vec::new(),
        Wanted::Tree(like, parts, children) => {
            let same_place = is_root || !like.named || like.field == node.field;
            if like.kind != node.kind && !(is_quote(like) && is_quote(node)) || !same_place {
                return Vec::new();
            }
            if like.children.is_empty() && children.is_empty() {
                let same = node.children.is_empty() && like.tokens == node.tokens;
                return if same { vec![Vec::new()] } else { Vec::new() };
            }
            let has = |child: &&Plain| child.part.is_none_or(|part| parts.contains(&part));
            let wanted: Vec<Plain> = node.children.iter().filter(has).cloned().collect();
            row(children, &wanted)
        }
    }
}

fn is_quote(node: &Plain) -> bool {
    matches!(node.kind.as_str(), "'" | "\"")
}

/// Every way in which a row of items matches all of a row of nodes.
fn row(items: &[Wanted], nodes: &[Plain]) -> Vec<Way> {
    let Some((item, items)) = items.split_first() else {
        return if nodes.is_empty() {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
    };
    let mut found = Vec::new();
    let mut follow = |bounds: &[Bound], rest: &[Plain]| {
        for mut way in row(items, rest) {
            way.splice(0..0, bounds.iter().cloned());
            found.push(way);
        }
    };
    match item {
        Wanted::Many(name) => {
            let most = nodes.iter().take_while(|node| node.named).count();
            for count in 0..=most {
                let bound = Bound::nodes(*name, true, &nodes[..count]);
                follow(&[bound], &nodes[count..]);
            }
        }
        Wanted::Content(name) => {
            // The item before was the opening quote, and the last node is the closing one.
            if let Some((close, content)) = nodes.split_last() {
                let range = match (content.first(), content.last()) {
                    (Some(first), Some(last)) => first.range.start..last.range.end,
                    _ => close.range.start..close.range.start,
                };
                let bound = Bound {
                    name: *name,
                    is_list: false,
                    ranges: vec![range],
                    tokens: Vec::new(),
                    is_text: true,
                };
                follow(&[bound], std::slice::from_ref(close));
            }
        }
        _ => {
            if let Some((node, rest)) = nodes.split_first() {
                for way in ways(item, node, false) {
                    follow(&way, rest);
                }
            }
            if let Wanted::Tree(_, _, inner) = item
                && let [_, ..] = inner.as_slice()
            {
                let lists: Option<Vec<Bound>> = inner
                    .iter()
                    .map(|one| match one {
                        Wanted::Many(name) => Some(Bound::nodes(*name, true, &[])),
                        _ => None,
                    })
                    .collect();
                // A list without brackets is not there when it is empty.
                if let Some(bounds) = lists {
                    follow(&bounds, nodes);
                }
            }
        }
    }
    found
}
