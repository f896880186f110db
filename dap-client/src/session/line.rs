//! One line for a value that has none of its own: structs of gdb, lists of which only the size is told,
//! what a pointer leads to. They are opened level by level, so that what lies near is shown first.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::DebugError;
use crate::protocol::RawValue;
use crate::result::Value;

use super::inner::Inner;
use super::moment::ValueRef;

/// Levels that are opened for a line, and values in all.
const LEVELS: usize = 8;
const OPENED: usize = 80;

/// How long opening may take for one answer.
const WITHIN: Duration = Duration::from_secs(2);

/// What is shown of the inside of the value itself, and of those in it.
const FIRST: usize = 12;
const DEEPER: usize = 6;

/// Characters of one part of a line that was not opened.
const PART: usize = 160;

/// A value on its way into a line; what is inside of it is behind it in the same list.
struct Node {
    name: String,
    kind: String,
    text: String,
    of: Option<ValueRef>,
    masked: bool,
    inside: Option<Inside>,
    /// Whether something of it is left out.
    shortened: bool,
}

struct Inside {
    first: usize,
    count: usize,
    more: bool,
}

impl Inner {
    /// Gives lines to the values that have none, at most of so many characters.
    pub(super) async fn sum_up(
        &self,
        values: &mut [Value],
        characters: usize,
    ) -> Result<(), DebugError> {
        let mut nodes = Vec::new();
        let mut seeds = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let kind = value.kind.clone().unwrap_or_default();
            let Some(handle) = value.handle.filter(|_| !value.masked && !value.shortened) else {
                continue;
            };
            // Others have texts of their own.
            let says_nothing = match self.is_native() {
                true => is_bare(&value.text, &kind),
                false => value.text.is_empty(),
            };
            if says_nothing {
                seeds.push(index);
                nodes.push(Node {
                    name: value.name.clone(),
                    kind,
                    text: value.text.clone(),
                    of: Some(self.moment.lock().value(handle)?),
                    masked: false,
                    inside: None,
                    shortened: false,
                });
            }
        }
        if seeds.is_empty() {
            return Ok(());
        }
        self.open_nodes(&mut nodes).await?;
        compose(&mut nodes);
        for (index, node) in seeds.into_iter().zip(nodes) {
            let Some(value) = values.get_mut(index).filter(|_| node.inside.is_some()) else {
                continue;
            };
            let total = node.text.chars().count();
            value.cut_from = (total > characters).then_some(total);
            // The parts of it may tell together what each of them did not.
            let text = self.hidden(&node.text);
            value.masked |= text != node.text;
            value.text = match value.cut_from {
                Some(_) => text.chars().take(characters).collect(),
                None => text,
            };
            value.masked |= node.masked;
            value.shortened = node.shortened || value.cut_from.is_some();
        }
        Ok(())
    }

    async fn open_nodes(&self, nodes: &mut Vec<Node>) -> Result<(), DebugError> {
        let until = Instant::now() + WITHIN;
        let mut opened = 0;
        let mut level = 0..nodes.len();
        for depth in 0..LEVELS {
            let begin = nodes.len();
            for index in level {
                let Some(node) = nodes.get(index) else { break };
                let Some(of) = &node.of else { continue };
                if !is_bare(&node.text, &node.kind) {
                    continue;
                }
                if opened >= OPENED || Instant::now() > until {
                    return Ok(());
                }
                opened += 1;
                let count = if depth == 0 { FIRST } else { DEEPER };
                let (raw, more) = match self.children(of, 0, count).await {
                    Ok(children) => children,
                    Err(ended @ DebugError::Ended(_)) => return Err(ended),
                    // What cannot be opened stays as it is.
                    Err(_) => continue,
                };
                let (connection, secret) = (of.connection, of.secret);
                let first = nodes.len();
                let secrets = self.secret_among(&raw, secret);
                let inside = raw.iter().zip(secrets);
                nodes.extend(inside.map(|(raw, secret)| self.node(connection, raw, secret)));
                let inside = Inside {
                    first,
                    count: raw.len(),
                    more,
                };
                if let Some(node) = nodes.get_mut(index) {
                    node.inside = Some(inside);
                }
            }
            level = begin..nodes.len();
        }
        Ok(())
    }

    fn node(&self, connection: usize, raw: &RawValue, inside: bool) -> Node {
        let (masked, secret) = {
            let mut secrets = self.secrets.lock();
            let masked = secrets.value(&raw.name, inside, &raw.value);
            (masked, inside || secrets.is_secret(&raw.name, &raw.value))
        };
        let text = masked.as_deref().unwrap_or(&raw.value);
        Node {
            name: raw.name.clone(),
            kind: raw.kind.clone().unwrap_or_default(),
            text: text.to_owned(),
            of: (raw.reference > 0 && masked.is_none()).then(|| ValueRef {
                connection,
                reference: raw.reference,
                indexed: raw.indexed,
                name: raw.name.clone(),
                secret,
                root: None,
            }),
            masked: masked.is_some(),
            inside: None,
            shortened: false,
        }
    }
}

/// Whether a text says nothing about what is inside.
fn is_bare(text: &str, kind: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || is_count(text)
        // What delve has not loaded yet.
        || text.contains(")(0x")
        // How a list or a map is laid out is of no interest.
        || !INTERNAL.iter().any(|begin| kind.starts_with(begin))
            && (text == "{...}"
                || text == kind
                || is_pointer(text)
                || text.rsplit_once(" @ ").is_some_and(|(_, at)| is_pointer(at)))
}

/// Whose types of Rust lldb shows as they are laid out, where it has nothing better.
const INTERNAL: [&str; 4] = ["alloc::", "core::", "std::", "hashbrown::"];

/// An address that leads somewhere.
fn is_pointer(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    digits.bytes().any(|byte| byte != b'0') && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `size=2`, `Vec(size=2)`, `Rc(strong=1, weak=0)`.
fn is_count(text: &str) -> bool {
    let inside = match text.split_once('(') {
        Some((name, rest)) if !name.contains(' ') => rest.strip_suffix(')').unwrap_or_default(),
        _ => text,
    };
    let is_pair = |part: &str| {
        part.split_once('=').is_some_and(|(name, count)| {
            ["size", "strong", "weak"].contains(&name.trim()) && count.parse::<u64>().is_ok()
        })
    };
    inside.split(',').all(is_pair)
}

/// What stays of the text of a value before what is inside of it.
fn head(text: &str, kind: &str) -> String {
    let text = text.trim();
    // delve tells the type of a key before that of what is behind it.
    let kind = kind.rsplit(": ").next().unwrap_or(kind);
    if is_pointer(text) {
        return format!("{text} ");
    }
    if is_count(text) {
        return format!("{text} ");
    }
    if text.contains(")(0x") {
        return match text.split_once(", [") {
            Some((head, _)) if kind.starts_with('[') => format!("{head}, "),
            _ if kind.starts_with('*') => "&".to_owned(),
            _ => format!("{kind} "),
        };
    }
    String::new()
}

/// Makes the lines, from the innermost outwards.
fn compose(nodes: &mut [Node]) {
    for index in (0..nodes.len()).rev() {
        let (before, behind) = nodes.split_at_mut(index + 1);
        let Some(node) = before.last_mut() else {
            return;
        };
        let Some(inside) = &node.inside else {
            close(node);
            continue;
        };
        let first = inside.first - index - 1;
        let parts = behind.get(first..first + inside.count).unwrap_or_default();
        node.masked |= parts.iter().any(|part| part.masked);
        node.shortened = inside.more || parts.iter().any(|part| part.shortened);
        node.text = line(&node.text, &node.kind, parts, inside.more);
    }
}

/// A value that was not opened, as a part of a line.
fn close(node: &mut Node) {
    if is_bare(&node.text, &node.kind) && node.of.is_some() {
        // An empty list is what it says; an address is all that there is to say.
        node.shortened = !node.text.contains("size=0");
        if head(&node.text, &node.kind).is_empty() {
            node.text = "{…}".to_owned();
        }
    }
    if let Some((end, _)) = node.text.char_indices().nth(PART) {
        node.text.truncate(end);
        node.text.push('…');
        node.shortened = true;
    }
}

fn line(text: &str, kind: &str, parts: &[Node], more: bool) -> String {
    let head = head(text, kind);
    if parts.is_empty() {
        let head = head.trim_end();
        return if head.is_empty() { "{}" } else { head }.to_owned();
    }
    if let [one] = parts {
        // A variant of Rust, as gdb tells it.
        if one.kind == format!("{kind}::{}", one.name) {
            let variant = &one.name;
            return match one.text.as_str() {
                "{}" => variant.clone(),
                inside if inside.starts_with('(') => format!("{variant}{inside}"),
                inside => format!("{variant} {inside}"),
            };
        }
        // What a pointer leads to.
        if !head.is_empty()
            && (one.name.is_empty() || one.name == "value" || one.name.starts_with('*'))
        {
            return format!("{head}{}", one.text);
        }
    }
    if text.contains("strong=")
        && let Some(value) = parts.iter().find(|part| part.name == "value")
    {
        return format!("{head}{}", value.text);
    }
    let rest = if more { ", …" } else { "" };
    let parts: Vec<&Node> = parts.iter().filter(|part| part.name != "len()").collect();
    if let Some(pairs) = pairs(&parts) {
        return format!("{head}{{{pairs}{rest}}}");
    }
    let all = |is: &dyn Fn(usize, &str) -> bool| {
        let mut numbered = parts.iter().enumerate();
        numbered.all(|(index, part)| is(index, &part.name))
    };
    let texts = || {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        texts.join(", ")
    };
    if all(&|index, name| name == format!("__{index}")) {
        return format!("{head}({}{rest})", texts());
    }
    if all(&|index, name| name == index.to_string() || name == format!("[{index}]")) {
        return format!("{head}[{}{rest}]", texts());
    }
    // As the language writes it.
    let sign = if text.contains(")(0x") { ":" } else { " =" };
    let named: Vec<String> = parts
        .iter()
        .map(|part| format!("{}{sign} {}", part.name, part.text))
        .collect();
    format!("{head}{{{}{rest}}}", named.join(", "))
}

/// The pairs of a map, as gdb tells them.
fn pairs(parts: &[&Node]) -> Option<String> {
    let mut pairs = Vec::new();
    for (number, pair) in parts.chunks(2).enumerate() {
        let [key, value] = pair else { return None };
        if key.name != format!("key{number}") || value.name != format!("val{number}") {
            return None;
        }
        pairs.push(format!("{}: {}", key.text, value.text));
    }
    Some(pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_say_nothing_are_known() {
        for (text, kind) in [
            ("", "struct item"),
            ("0x7fffffffdc10", "*mut shop::Order"),
            ("order @ 0x7fffffffe4d0", "order"),
            ("shop::Money", "shop::Money"),
            ("size=2", "alloc::vec::Vec<u32>"),
            ("Vec(size=2)", "alloc::vec::Vec<u32>"),
            ("&[u32](size=2)", "&[u32]"),
            ("Rc(strong=1, weak=0)", "alloc::rc::Rc<u32>"),
            ("main.Item {Cost: (*main.Money)(0xc00009e160)}", "main.Item"),
        ] {
            assert!(is_bare(text, kind), "{text}");
        }
        assert!(!is_bare("0x5f", "alloc::vec::Vec<u32> *"));
        for text in [
            "7",
            "\"size=2\"",
            "0x0",
            "0x00000000",
            "Some(3)",
            "[1, 2]",
            "0x55 \"pen\"",
        ] {
            assert!(!is_bare(text, "kind"), "{text}");
        }
    }

    fn node(name: &str, kind: &str, text: &str) -> Node {
        Node {
            name: name.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            of: None,
            masked: false,
            inside: None,
            shortened: false,
        }
    }

    #[test]
    fn what_is_inside_becomes_one_line() {
        let of = |text: &str, kind: &str, parts: &[(&str, &str, &str)], more| {
            let parts: Vec<Node> = parts
                .iter()
                .map(|(name, kind, text)| node(name, kind, text))
                .collect();
            line(text, kind, &parts, more)
        };
        assert_eq!(
            of(
                "",
                "struct p",
                &[("x", "int", "1"), ("y", "int", "2")],
                false
            ),
            "{x = 1, y = 2}"
        );
        assert_eq!(
            of("", "int [9]", &[("0", "int", "1"), ("1", "int", "2")], true),
            "[1, 2, …]"
        );
        assert_eq!(
            of("size=3", "Vec", &[("[0]", "int", "1")], true),
            "size=3 [1, …]"
        );
        assert_eq!(of("Vec(size=0)", "Vec", &[], false), "Vec(size=0)");
        let kind = "core::option::Option<u32>";
        let some = "core::option::Option<u32>::Some";
        assert_eq!(of("", some, &[("__0", "u32", "3")], false), "(3)");
        assert_eq!(of("", kind, &[("Some", some, "(3)")], false), "Some(3)");
        assert_eq!(
            of(
                "",
                kind,
                &[("None", "core::option::Option<u32>::None", "{}")],
                false
            ),
            "None"
        );
        let map = [("key0", "", "\"x\""), ("val0", "", "1")];
        assert_eq!(
            of("HashMap(size=1)", "HashMap", &map, false),
            "HashMap(size=1) {\"x\": 1}"
        );
        assert_eq!(
            of("0x5f", "*mut P", &[("value", "P", "{x = 1}")], false),
            "0x5f {x = 1}"
        );
        let rc = [("value", "P", "{x = 1}"), ("strong", "usize", "1")];
        assert_eq!(
            of("Rc(strong=1)", "Rc<P>", &rc, false),
            "Rc(strong=1) {x = 1}"
        );
        assert_eq!(
            of(
                "[]main.Item len: 1, cap: 1, [{Cost: (*main.Money)(0xc0)}]",
                "[]main.Item",
                &[(
                    "[0]",
                    "main.Item",
                    "main.Item {Cost: main.Money {Cents: 3}}"
                )],
                false
            ),
            "[]main.Item len: 1, cap: 1, [main.Item {Cost: main.Money {Cents: 3}}]"
        );
        assert_eq!(
            of(
                "map[string]main.Item [\"a\": (*main.Item)(0xc0), ]",
                "map[string]main.Item",
                &[
                    ("len()", "int", "1"),
                    ("\"a\"", "string: main.Item", "main.Item {}")
                ],
                false
            ),
            "map[string]main.Item {\"a\": main.Item {}}"
        );
    }

    #[test]
    fn lines_are_made_from_the_innermost_outwards() {
        let of = ValueRef {
            connection: 0,
            reference: 1,
            indexed: None,
            name: String::new(),
            secret: false,
            root: None,
        };
        let open = |name: &str, first, count, more| Node {
            of: Some(of.clone()),
            inside: Some(Inside { first, count, more }),
            ..node(name, "struct", "")
        };
        let closed = Node {
            of: Some(of.clone()),
            ..node("d", "struct", "")
        };
        // a {b {c = 1}, d}
        let mut nodes = vec![
            open("a", 1, 2, false),
            open("b", 3, 1, false),
            closed,
            node("c", "int", "1"),
        ];
        compose(&mut nodes);
        assert_eq!(nodes[0].text, "{b = {c = 1}, d = {…}}");
        assert!(nodes[0].shortened && !nodes[1].shortened);
    }
}
