//! Markup, style sheets, schemas and data: HTML, CSS, Protobuf, JSON, YAML and TOML.

use super::{DIGITS, Dialect, Form, NAME, at, ending, form, indented};
use crate::rung::Rung::*;
use std::ops::Range;

pub(super) static HTML: Dialect = Dialect {
    scaffolds: &[
        at(Attribute, "<a ", "></a>\n"),
        at(Child, "<a>", "</a>\n"),
        at(OpeningTag, "", "\n"),
        at(OpeningTag, "", "</script>\n").only(&["<script"]),
        at(OpeningTag, "", "</style>\n").only(&["<style"]),
        at(Element, "", "\n"),
    ],
    ones: &[NAME],
    lone: &[],
    guess: None,
    bodies: &[],
    reserved: &[],
};

pub(super) static CSS: Dialect = Dialect {
    scaffolds: &[
        at(TopLevel, "", "\n"),
        ending(Pair, "a {\n", "\n}\n", &[";"]),
        at(Selector, "", " {}\n").unkeyed(),
        at(Value, "a { b: ", "; }\n"),
    ],
    ones: &[NAME],
    lone: &[
        form("", ": x;"),
        NAME,
        form("", " {}"),
        Form {
            after: "% {}",
            ..DIGITS
        },
    ],
    guess: None,
    bodies: &[],
    reserved: &[],
};

/// In Protobuf what follows `=` is a number, mostly, and the keys of a map are built-in types.
fn proto_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let before = text[..range.start].trim_end();
    let list = text[range.clone()].starts_with("$$$");
    if before.ends_with('=') {
        Some(DIGITS)
    } else if before.ends_with("map<") {
        Some(Form {
            word: Some("string"),
            ..NAME
        })
    } else if list && before.ends_with(['[', ',']) {
        Some(form("", " = x"))
    } else {
        None
    }
}

pub(super) static PROTO: Dialect = Dialect {
    scaffolds: &[
        ending(
            Member,
            "syntax = \"proto3\";\nmessage M {\n",
            "\n}\n",
            &[";"],
        ),
        ending(
            Member,
            "syntax = \"proto3\";\nmessage M { oneof o {\n",
            "\n} }\n",
            &[";"],
        ),
        ending(TopLevel, "syntax = \"proto3\";\n", "\n", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "syntax = \"proto3\";\nmessage M { ", " a = 1; }\n"),
        at(
            Pair,
            "syntax = \"proto3\";\nmessage M { int32 a = 1 [",
            "]; }\n",
        ),
        ending(
            InterfaceMember,
            "syntax = \"proto3\";\nservice S {\n",
            "\n}\n",
            &[";"],
        ),
        ending(
            EnumMember,
            "syntax = \"proto3\";\nenum E {\n",
            "\n}\n",
            &[";"],
        ),
        at(Value, "syntax = \"proto3\";\noption x = ", ";\n"),
    ],
    ones: &[NAME, DIGITS, form("\"", "\"")],
    lone: &[
        form("", " x = 1;"),
        form("", " = 0;"),
        form("rpc ", "(A) returns (B);"),
    ],
    guess: Some(proto_guess),
    bodies: &[],
    reserved: &[],
};

/// What a place in a data language wants, by the brackets and signs before it.
#[derive(PartialEq, Eq)]
enum Place {
    /// Between quotes.
    Content,
    Key,
    Value,
    /// A whole pair, or an item where there are no brackets.
    Item,
}

/// Finds the place of an occurrence in text made of brackets, quotes, and keys before `sign`.
fn place(text: &str, range: &Range<usize>, sign: char) -> Place {
    let before = &text[..range.start];
    let after = text[range.end..].trim_start();
    let mut open: Vec<char> = Vec::new();
    let mut quoted = None;
    let mut escaped = false;
    for c in before.chars() {
        match (quoted, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(quote), c) if c == quote => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(c),
            (None, '[' | '{') => open.push(c),
            (None, ']' | '}') => {
                open.pop();
            }
            _ => {}
        }
    }
    if quoted.is_some() {
        Place::Content
    } else if after.starts_with(sign) {
        Place::Key
    } else if before.trim_end().ends_with(sign) || open.last() == Some(&'[') {
        Place::Value
    } else {
        Place::Item
    }
}

const QUOTED: Form = form("\"", "\"");

fn json_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let list = text[range.clone()].starts_with("$$$");
    Some(match place(text, range, ':') {
        Place::Content => NAME,
        Place::Item if list => form("\"", "\": 0"),
        _ => QUOTED,
    })
}

pub(super) static JSON: Dialect = Dialect {
    scaffolds: &[at(Pair, "{\n", "\n}\n"), at(Value, "[\n", "\n]\n")],
    ones: &[QUOTED, NAME],
    lone: &[],
    guess: Some(json_guess),
    bodies: &[],
    reserved: &[],
};

fn toml_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let line = text[..range.start].rsplit('\n').next().unwrap_or_default();
    let header = line.trim_start().starts_with('[') && !text[..range.start].contains('=');
    let list = text[range.clone()].starts_with("$$$");
    Some(match place(text, range, '=') {
        _ if header => NAME,
        Place::Content | Place::Key => NAME,
        Place::Item if list => form("", " = 0"),
        _ => QUOTED,
    })
}

pub(super) static TOML: Dialect = Dialect {
    scaffolds: &[
        at(TopLevel, "", "\n"),
        at(Pair, "[t]\n", "\n"),
        at(Pair, "x = { ", " }\n"),
        at(Value, "x = ", "\n"),
    ],
    ones: &[QUOTED, NAME],
    lone: &[],
    guess: Some(toml_guess),
    bodies: &[],
    reserved: &[],
};

pub(super) static YAML: Dialect = Dialect {
    scaffolds: &[
        at(Pair, "", "\n"),
        at(Pair, "x: {", "}\n"),
        indented(Value, "x:\n", "\n"),
        indented(Value, "-\n", "\n"),
        at(Value, "x: [", "]\n"),
    ],
    ones: &[NAME],
    lone: &[form("", ": 0"), form("- ", ""), NAME],
    guess: None,
    bodies: &[],
    reserved: &[],
};
