//! Random patterns: a piece is cut out of a source, and metavariables take the place of some of
//! its parts.
//!
//! What the pattern means is read off where it was cut out: the whole source is parsed with plain
//! names in place of the metavariables.

use super::naive::{Name, Plain, Wanted};
use super::sources::Tape;
use fourfold_syntax::{Language, Node, ParseLimits, Tree, with_parser};
use std::ops::Range;

/// A pattern and what it means.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) text: String,
    pub(super) root: Root,
}

#[derive(Debug)]
pub(super) enum Root {
    /// One node of this kind.
    Node(String, Wanted),
    /// Statements in a row.
    Row(Vec<Wanted>),
}

/// What the cutter knows of a grammar.
pub(super) struct Grammar {
    pub(super) id: &'static str,
    /// What is cut out.
    roots: &'static [&'static str],
    /// What holds items between brackets, with commas between them.
    lists: &'static [&'static str],
    /// What holds statements.
    pub(super) bodies: &'static [&'static str],
    /// What may hold more than the one thing that has its span.
    wrappers: &'static [&'static str],
}

pub(super) const GRAMMARS: [Grammar; 4] = [
    Grammar {
        id: "javascript",
        roots: &[
            "call_expression",
            "array",
            "binary_expression",
            "object",
            "arrow_function",
            "member_expression",
            "unary_expression",
            "assignment_expression",
            "if_statement",
            "lexical_declaration",
            "return_statement",
            "for_in_statement",
            "function_declaration",
            "expression_statement",
        ],
        lists: &["arguments", "array", "object", "formal_parameters"],
        bodies: &["statement_block", "program"],
        wrappers: &["program", "variable_declarator", "formal_parameters"],
    },
    Grammar {
        id: "python",
        roots: &[
            "call",
            "list",
            "dictionary",
            "generator_expression",
            "binary_operator",
            "comparison_operator",
            "lambda",
            "attribute",
            "assignment",
            "if_statement",
            "for_statement",
            "function_definition",
            "return_statement",
        ],
        lists: &["argument_list", "list", "dictionary", "parameters"],
        bodies: &["block", "module"],
        wrappers: &["block", "module", "lambda_parameters"],
    },
    Grammar {
        id: "ruby",
        roots: &[
            "call",
            "array",
            "binary",
            "assignment",
            "method",
            "return",
            "if",
        ],
        lists: &["argument_list", "array", "method_parameters"],
        bodies: &["program", "body_statement", "then", "else"],
        wrappers: &[
            "program",
            "body_statement",
            "argument_list",
            "method_parameters",
            "block_parameters",
        ],
    },
    Grammar {
        id: "rust",
        roots: &[
            "call_expression",
            "array_expression",
            "binary_expression",
            "closure_expression",
            "struct_expression",
            "field_expression",
            "reference_expression",
            "if_expression",
            "match_expression",
            "for_expression",
            "let_declaration",
            "return_expression",
            "expression_statement",
            "function_item",
        ],
        lists: &[
            "arguments",
            "array_expression",
            "parameters",
            "field_initializer_list",
            "closure_parameters",
        ],
        bodies: &["block", "source_file"],
        wrappers: &["source_file"],
    },
];

/// A place for a metavariable.
#[derive(Debug)]
struct Hole {
    /// What of the source it takes the place of.
    range: Range<usize>,
    /// What stands around it, such as the comma of a list that was empty.
    around: [String; 2],
    many: bool,
    name: Name,
    /// The end of the statement that takes its place while parsing.
    end: &'static str,
    tokens: String,
}

pub(super) fn parse(language: Language, text: &str) -> Tree {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, text)
    })
    .unwrap()
}

/// A random pattern from a source; `None` where what came out is no code.
pub(super) fn cut(grammar: &Grammar, source: &str, tape: &mut Tape<'_>) -> Option<Cut> {
    let language = Language::named(grammar.id).unwrap();
    let tree = parse(language, source);
    if tree.root_node().has_error() {
        return None;
    }
    let nodes = all(tree.root_node());
    let is_row = tape.pick(4) == 1;
    let (piece, kind, row) = if is_row {
        let blocks: Vec<&Node<'_>> = nodes
            .iter()
            .filter(|node| grammar.bodies.contains(&node.kind()) && items(**node).len() > 1)
            .collect();
        let statements = items(**blocks.get(tape.pick(blocks.len()))?);
        let first = tape.pick(statements.len() - 1);
        let last = first + 1 + tape.pick(statements.len() - first - 1);
        let row: Vec<Range<usize>> = statements[first..=last]
            .iter()
            .map(|item| span(*item, source))
            .collect();
        (row[0].start..row[row.len() - 1].end, None, row)
    } else {
        let roots: Vec<&Node<'_>> = nodes
            .iter()
            .filter(|node| grammar.roots.contains(&node.kind()))
            .filter(|node| {
                let range = span(**node, source);
                items(**node)
                    .iter()
                    .all(|item| span(*item, source) != range)
            })
            .collect();
        let root = *roots.get(tape.pick(roots.len()))?;
        (
            span(*root, source),
            Some(root.kind().to_owned()),
            Vec::new(),
        )
    };
    let inside: Vec<Node<'_>> = nodes
        .into_iter()
        .filter(|node| {
            let range = span(*node, source);
            range.start >= piece.start && range.end <= piece.end && !range.is_empty()
        })
        .collect();
    let mut holes: Vec<Hole> = Vec::new();
    for _ in 0..tape.pick(7) {
        let Some(mut hole) = hole(grammar, source, &piece, &row, &inside, tape) else {
            continue;
        };
        let apart =
            |other: &Hole| hole.range.end < other.range.start || other.range.end < hole.range.start;
        if !holes.iter().all(apart) {
            continue;
        }
        let alike = holes
            .iter()
            .find(|other| other.many == hole.many && other.tokens == hole.tokens);
        hole.name = match (alike, tape.pick(3)) {
            (Some(alike), 1 | 2) => alike.name,
            _ => [Some("A"), Some("B"), Some("C"), None][tape.pick(4)],
        };
        holes.push(hole);
    }
    holes.sort_by_key(|hole| hole.range.start);
    fill(grammar, source, &piece, kind, &holes)
}

/// Writes the pattern, and reads what it means.
fn fill(
    grammar: &Grammar,
    source: &str,
    piece: &Range<usize>,
    kind: Option<String>,
    holes: &[Hole],
) -> Option<Cut> {
    let mut text = String::new();
    let mut stood_in = source[..piece.start].to_owned();
    let mut places = Vec::new();
    let mut at = piece.start;
    for (number, hole) in holes.iter().enumerate() {
        let kept = &source[at..hole.range.start];
        let spelled = match (hole.name, hole.many) {
            (None, false) => "$_".to_owned(),
            (name, false) => format!("${}", name.unwrap_or_default()),
            (name, true) => format!("$$${}", name.unwrap_or_default()),
        };
        let [before, after] = &hole.around;
        text.extend([kept, before, &spelled, after]);
        stood_in.extend([kept, before]);
        let start = stood_in.len();
        stood_in.push_str(&format!("hole{number}{}", hole.end));
        places.push(start..stood_in.len());
        stood_in.push_str(after);
        at = hole.range.end;
    }
    let kept = &source[at..piece.end];
    text.push_str(kept);
    stood_in.push_str(kept);
    let range = piece.start..stood_in.len();
    stood_in.push_str(&source[piece.end..]);

    let tree = parse(Language::named(grammar.id).unwrap(), &stood_in);
    if tree.root_node().has_error() {
        return None;
    }
    let whole = Plain::of_tree(&tree, &stood_in, false);
    let mut reader = Reader {
        grammar,
        holes,
        places: &places,
        used: 0,
    };
    let root = match kind {
        Some(kind) => {
            let same = |node: &&Plain| node.kind == kind && node.range == range;
            let root = whole.all().into_iter().rfind(same)?;
            let is_innermost = root.children.iter().all(|child| child.range != range);
            let wanted = reader.tree(root);
            Root::Node(kind, is_innermost.then_some(wanted)?)
        }
        None => {
            let rows: Vec<Vec<&Plain>> = whole
                .all()
                .into_iter()
                .filter(|node| grammar.bodies.contains(&node.kind.as_str()))
                .map(|node| {
                    let inside = |item: &&Plain| {
                        item.named && item.range.start >= range.start && item.range.end <= range.end
                    };
                    node.children.iter().filter(inside).collect()
                })
                .collect();
            let is_all = |row: &&Vec<&Plain>| {
                row.len() > 1
                    && row[0].range.start == range.start
                    && row.last().is_some_and(|last| last.range.end == range.end)
            };
            let row = rows.iter().find(is_all)?;
            let items: Vec<Wanted> = row.iter().map(|item| reader.node(item)).collect();
            let says_something = items.iter().any(|item| matches!(item, Wanted::Tree(..)));
            Root::Row(says_something.then_some(items)?)
        }
    };
    let line = source[..piece.start]
        .rsplit('\n')
        .next()
        .unwrap_or_default();
    if line.trim().is_empty() {
        text = text.replace(&format!("\n{line}"), "\n");
    }
    (reader.used == holes.len()).then_some(Cut { text, root })
}

/// Reads what a pattern means.
struct Reader<'a> {
    grammar: &'a Grammar,
    holes: &'a [Hole],
    places: &'a [Range<usize>],
    used: usize,
}

impl Reader<'_> {
    fn node(&mut self, node: &Plain) -> Wanted {
        let place = self.places.iter().position(|place| *place == node.range);
        match place {
            Some(at) if !self.grammar.wrappers.contains(&node.kind.as_str()) => {
                self.used += 1;
                let hole = &self.holes[at];
                match hole.many {
                    true => Wanted::Many(hole.name),
                    false => Wanted::One(hole.name, node.field),
                }
            }
            _ => self.tree(node),
        }
    }

    fn tree(&mut self, node: &Plain) -> Wanted {
        let mut children: Vec<Wanted> =
            node.children.iter().map(|child| self.node(child)).collect();
        if matches!(node.kind.as_str(), "string" | "string_literal")
            && let [_, inner, _] = children.as_mut_slice()
            && let Wanted::One(name, _) = inner
        {
            *inner = Wanted::Content(*name);
        }
        let like = Plain {
            children: Vec::new(),
            ..node.clone()
        };
        let parts = node
            .children
            .iter()
            .filter_map(|child| child.part)
            .collect();
        Wanted::Tree(like, parts, children)
    }
}

/// A random place for a metavariable.
fn hole(
    grammar: &Grammar,
    source: &str,
    piece: &Range<usize>,
    row: &[Range<usize>],
    inside: &[Node<'_>],
    tape: &mut Tape<'_>,
) -> Option<Hole> {
    if tape.pick(3) == 1 {
        let lists: Vec<&Node<'_>> = inside
            .iter()
            .filter(|node| grammar.lists.contains(&node.kind()) || is_body(grammar, node))
            .collect();
        let choice = tape.pick(lists.len() + usize::from(!row.is_empty()));
        return Some(match lists.get(choice) {
            Some(list) => {
                let items: Vec<_> = items(**list)
                    .iter()
                    .map(|item| span(*item, source))
                    .collect();
                let open = span(**list, source).start + 1;
                many(grammar, source, &items, open, is_body(grammar, list), tape)
            }
            None if row.is_empty() => return None,
            None => many(grammar, source, row, piece.start, true, tape),
        });
    }
    let ones: Vec<&Node<'_>> = inside
        .iter()
        .filter(|node| span(**node, source) != *piece && node.kind() != "escape_sequence")
        .collect();
    let node = **ones.get(tape.pick(ones.len()))?;
    let is_piece = |node: Node<'_>| items(node).len() > 1 && node.kind().starts_with("string");
    if node.parent().is_some_and(is_piece) {
        // A metavariable in a longer string is text.
        return None;
    }
    Some(Hole {
        range: span(node, source),
        around: [String::new(), String::new()],
        many: false,
        name: None,
        end: "",
        tokens: Plain::of(node, None, source).tokens.join(" "),
    })
}

fn is_body(grammar: &Grammar, node: &Node<'_>) -> bool {
    grammar.bodies.contains(&node.kind())
}

/// A place for a `$$$`: instead of some of the items, or between two of them.
fn many(
    grammar: &Grammar,
    source: &str,
    items: &[Range<usize>],
    open: usize,
    is_body: bool,
    tape: &mut Tape<'_>,
) -> Hole {
    let start = tape.pick(items.len() + 1);
    let end = start + tape.pick(items.len() - start + 1);
    let between = match items.first() {
        Some(first) if is_body => {
            let line = source[..first.start]
                .rsplit('\n')
                .next()
                .unwrap_or_default();
            format!("\n{}", &line[..line.len() - line.trim_start().len()])
        }
        _ => ", ".to_owned(),
    };
    let (range, around) = if end > start {
        (
            items[start].start..items[end - 1].end,
            [String::new(), String::new()],
        )
    } else if let Some(next) = items.get(start) {
        (next.start..next.start, [String::new(), between])
    } else if let Some(last) = items.last() {
        (last.end..last.end, [between, String::new()])
    } else {
        (open..open, [String::new(), String::new()])
    };
    let statement = is_body && !matches!(grammar.id, "python" | "ruby");
    Hole {
        range,
        around,
        many: true,
        name: None,
        end: if statement { ";" } else { "" },
        tokens: items[start..end]
            .iter()
            .map(|item| &source[item.clone()])
            .collect(),
    }
}

/// The bytes of a node, without the line end that some grammars count to it.
fn span(node: Node<'_>, text: &str) -> Range<usize> {
    let start = node.start_byte();
    start..start + text[node.byte_range()].trim_end().len()
}

/// The named children of a node.
fn items(node: Node<'_>) -> Vec<Node<'_>> {
    (0..node.child_count())
        .filter_map(|at| node.child(at))
        .filter(|child| child.is_named() && !child.is_extra())
        .collect()
}

fn all(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = vec![node];
    for child in items(node) {
        found.extend(all(child));
    }
    found
}
