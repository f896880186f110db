//! Who may depend on whom: a house keeps its shape only when a wall says no.

use crate::members::{Dependency, Member};

/// The rooms, each with the rooms it may stand on. Arrows only point down, and rooms of one floor
/// meet in the facade.
const ROOMS: &[(&str, &[&str])] = &[
    // Floor 0.
    ("fourfold-syntax", &[]),
    ("fourfold-worktree", &[]),
    ("fourfold-edit", &[]),
    ("fourfold-rewrite-txn", &[]),
    ("fourfold-ledger", &[]),
    ("fourfold-framing", &[]),
    ("fourfold-child", &[]),
    // Floor 1.
    // Its index walks a checkout.
    (
        "fourfold-code-graph",
        &["fourfold-syntax", "fourfold-worktree"],
    ),
    ("fourfold-pattern-match", &["fourfold-syntax"]),
    (
        "fourfold-lsp-client",
        &["fourfold-framing", "fourfold-child"],
    ),
    (
        "fourfold-dap-client",
        &["fourfold-framing", "fourfold-child"],
    ),
    // Floor 2: composes all of them.
    (
        "fourfold",
        &[
            "fourfold-syntax",
            "fourfold-worktree",
            "fourfold-edit",
            "fourfold-rewrite-txn",
            "fourfold-ledger",
            "fourfold-child",
            "fourfold-code-graph",
            "fourfold-pattern-match",
            "fourfold-lsp-client",
            "fourfold-dap-client",
        ],
    ),
    // Floor 3.
    ("fourfold-cli", &["fourfold"]),
    // Private.
    ("fourfold-testkit", &["fourfold-framing"]),
    (
        "fourfold-benches",
        &[
            "fourfold",
            "fourfold-syntax",
            "fourfold-worktree",
            "fourfold-edit",
            "fourfold-rewrite-txn",
            "fourfold-ledger",
            "fourfold-framing",
            "fourfold-code-graph",
            "fourfold-pattern-match",
        ],
    ),
    ("xtask", &[]),
];

/// A foreign package, a trailing `*` standing for any end; who may have it; and why.
const FOREIGN: &[(&str, &[&str], &str)] = &[
    (
        "tree-sitter-language",
        &["fourfold-syntax"],
        "grammars live in syntax",
    ),
    (
        "tree-sitter-*",
        &["fourfold-syntax"],
        "grammars live in syntax, so that everybody sees the same trees",
    ),
    (
        "tree-sitter",
        &[
            "fourfold-syntax",
            "fourfold-code-graph",
            "fourfold-pattern-match",
            "fourfold-cli",
        ],
        "trees are read on the two floors above syntax only; the binary sets its allocator",
    ),
    (
        "ignore",
        &["fourfold-worktree"],
        "there is one walk, and it is in worktree",
    ),
    (
        "globset",
        &[
            "fourfold-worktree",
            "fourfold-lsp-client",
            "fourfold-code-graph",
            "fourfold",
        ],
        "paths are selected in worktree and in questions to the graph; root markers of servers are globs",
    ),
    (
        "clap*",
        &["fourfold-cli"],
        "only the binary has a command line",
    ),
    ("rmcp", &["fourfold-cli"], "only the binary speaks MCP"),
    (
        "tracing-subscriber",
        &["fourfold-cli"],
        "a library emits events, the binary decides where they go",
    ),
    (
        "anyhow",
        &["fourfold-cli", "fourfold-benches", "xtask"],
        "a library has an error type of its own",
    ),
    ("lexopt", &["fourfold-benches", "xtask"], "for chores only"),
    (
        "tokio*",
        &[
            "fourfold-framing",
            "fourfold-child",
            "fourfold-lsp-client",
            "fourfold-dap-client",
            "fourfold",
            "fourfold-cli",
            "fourfold-testkit",
        ],
        "only what talks to processes is asynchronous",
    ),
    (
        "lsp-types",
        &["fourfold-lsp-client"],
        "the protocol's types stay inside its client",
    ),
    (
        "lsp-server",
        &["fourfold-testkit"],
        "for scripted servers only",
    ),
    (
        "rustix",
        &[
            "fourfold-child",
            "fourfold-rewrite-txn",
            "fourfold-worktree",
            "fourfold-cli",
        ],
        "system calls are made in three rooms, and where the binary keeps its socket",
    ),
    ("petgraph", &["fourfold-code-graph"], "there is one graph"),
    (
        "criterion",
        &["fourfold-benches"],
        "for measuring only: make it a dev-dependency",
    ),
    (
        "proptest",
        &["fourfold-testkit"],
        "for tests only: make it a dev-dependency",
    ),
    (
        "expect-test",
        &["fourfold-testkit"],
        "for tests only: make it a dev-dependency",
    ),
];

/// Every arrow that must not be, with the reason.
pub(crate) fn forbidden(members: &[Member]) -> Vec<String> {
    members
        .iter()
        .flat_map(|member| {
            let Some((_, below)) = ROOMS.iter().find(|(room, _)| *room == member.name) else {
                return vec![format!(
                    "{}: not in the table of rooms; decide which rooms it may stand on",
                    member.name
                )];
            };
            member
                .dependencies
                .iter()
                .filter_map(|dependency| {
                    let why = reason(member, below, dependency)?;
                    Some(format!("{} -> {}: {why}", member.name, dependency.name))
                })
                .collect()
        })
        .collect()
}

fn reason(from: &Member, below: &[&str], to: &Dependency) -> Option<String> {
    let name = to.name.as_str();
    if ROOMS.iter().any(|(room, _)| *room == name) {
        return (!below.contains(&name)).then(|| match below {
            [] => "this room stands on no other".to_owned(),
            _ => format!("this room may stand on {} only", below.join(", ")),
        });
    }
    match from.name.as_str() {
        "fourfold-framing" if name.starts_with("tokio") && !to.optional => {
            return Some("framing is free of tokio without its codec feature".to_owned());
        }
        "fourfold-framing" if name.starts_with("serde") => {
            return Some("framing knows no JSON".to_owned());
        }
        _ => {}
    }
    let (_, allowed, why) =
        FOREIGN
            .iter()
            .find(|(pattern, ..)| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *pattern,
            })?;
    (!allowed.contains(&from.name.as_str()))
        .then(|| format!("{why} (allowed: {})", allowed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, dependencies: &[(&str, bool)]) -> Member {
        Member {
            name: name.into(),
            folder: name.into(),
            published: true,
            has_library: true,
            has_example: true,
            dependencies: dependencies
                .iter()
                .map(|(name, optional)| Dependency {
                    name: (*name).into(),
                    optional: *optional,
                })
                .collect(),
        }
    }

    #[track_caller]
    fn check(from: &str, to: &str, optional: bool, expected: &str) {
        let found = forbidden(&[member(from, &[(to, optional)])]);
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn arrows_point_down_as_drawn() {
        check("fourfold-pattern-match", "fourfold-syntax", false, "");
        check("fourfold-cli", "fourfold", false, "");
        check("fourfold", "fourfold-pattern-match", false, "");
        check(
            "fourfold-pattern-match",
            "fourfold-code-graph",
            true,
            "fourfold-pattern-match -> fourfold-code-graph: this room may stand on fourfold-syntax only",
        );
        check(
            "fourfold-syntax",
            "fourfold-pattern-match",
            false,
            "fourfold-syntax -> fourfold-pattern-match: this room stands on no other",
        );
        check(
            "fourfold-cli",
            "fourfold-worktree",
            false,
            "fourfold-cli -> fourfold-worktree: this room may stand on fourfold only",
        );
    }

    #[test]
    fn foreign_packages_stay_in_their_rooms() {
        check("fourfold-syntax", "tree-sitter-rust", true, "");
        check("fourfold-pattern-match", "tree-sitter", false, "");
        check("fourfold-worktree", "thiserror", false, "");
        check("fourfold-framing", "tokio-util", true, "");
        check(
            "fourfold-pattern-match",
            "tree-sitter-rust",
            false,
            "fourfold-pattern-match -> tree-sitter-rust: grammars live in syntax, so that everybody sees the same trees (allowed: fourfold-syntax)",
        );
        check(
            "fourfold-framing",
            "tokio",
            false,
            "fourfold-framing -> tokio: framing is free of tokio without its codec feature",
        );
        check(
            "fourfold",
            "clap_complete",
            false,
            "fourfold -> clap_complete: only the binary has a command line (allowed: fourfold-cli)",
        );
    }

    #[test]
    fn a_new_room_has_to_be_placed() {
        check(
            "fourfold-attic",
            "thiserror",
            false,
            "fourfold-attic: not in the table of rooms; decide which rooms it may stand on",
        );
    }

    #[test]
    fn the_table_itself_points_down() {
        for (index, (room, below)) in ROOMS.iter().enumerate() {
            for other in *below {
                let place = ROOMS.iter().position(|(name, _)| name == other);
                assert!(
                    place.is_some_and(|place| place < index),
                    "{room} -> {other}"
                );
            }
        }
    }
}
