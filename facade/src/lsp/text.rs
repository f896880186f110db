//! The answer in words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::result::{LspResult, ServerInfo};
use crate::plain::OneLine;
use crate::verdict::{one_problem, seconds};

/// The answer as compact text.
pub(crate) fn lsp(result: &LspResult) -> String {
    let mut out = String::new();
    let by = result
        .server
        .as_deref()
        .map_or_else(String::new, |server| format!(" ({server})"));
    let count = |number: usize, name: &str| {
        let s = if number == 1 { "" } else { "s" };
        format!("{number} {name}{s}")
    };
    match result.action {
        "hover" => match &result.hover {
            Some(text) => {
                let _ = writeln!(out, "{}", text.trim_end());
            }
            None => {
                let _ = writeln!(out, "the server knows nothing about it{by}");
            }
        },
        "diagnostics" => {
            let _ = write!(out, "{}{by}", count(result.total, "problem"));
            let told: usize = result.checkers.iter().map(|run| run.from_before).sum();
            if told > 0 {
                let _ = write!(out, ", beside {told} that were told before");
            }
            out.push('\n');
        }
        "code_actions" if result.stage.is_none() => {
            let _ = writeln!(out, "{}{by}", count(result.actions.len(), "action"));
        }
        "status" => {
            let names: BTreeSet<&str> = result.servers.iter().map(|one| &*one.server).collect();
            let _ = writeln!(out, "{}", count(names.len(), "server"));
        }
        "rename" | "format" | "code_actions" | "reload" => {}
        _ if result.symbols.is_empty() => {
            let _ = writeln!(out, "{}{by}", count(result.total, "place"));
        }
        _ => {
            let _ = writeln!(out, "{}{by}", count(result.total, "symbol"));
        }
    }
    for place in &result.places {
        let _ = write!(
            out,
            "  {}:{}:{}",
            OneLine(&place.path),
            place.line,
            place.column
        );
        if let Some(source) = &place.source {
            let _ = write!(out, "  {}", source.trim());
        }
        out.push('\n');
    }
    for symbol in &result.symbols {
        let indent = "  ".repeat(symbol.depth + 1);
        let _ = write!(out, "{indent}{} {}", symbol.kind, OneLine(&symbol.name));
        let _ = write!(out, "  {}:{}", OneLine(&symbol.path), symbol.line);
        if !symbol.call_lines.is_empty() {
            let lines: Vec<String> = symbol.call_lines.iter().map(u32::to_string).collect();
            let _ = write!(out, "  calls on {}", lines.join(", "));
        }
        if let Some(detail) = symbol.detail.as_deref().filter(|detail| !detail.is_empty()) {
            let _ = write!(
                out,
                "  {}",
                detail.lines().next().unwrap_or_default().trim()
            );
        }
        out.push('\n');
    }
    for problem in &result.problems {
        one_problem(&mut out, problem);
    }
    for run in &result.checkers {
        let _ = write!(out, "{}", run.checker);
        if run.root != "." {
            let _ = write!(out, " in {}", run.root);
        }
        let _ = write!(out, ": {} new", run.new);
        if run.from_before > 0 {
            let _ = write!(out, ", {} as before", run.from_before);
        }
        if run.fixed > 0 {
            let _ = write!(out, ", {} gone", run.fixed);
        }
        let _ = writeln!(out, " ({})", seconds(run.took_ms));
    }
    for why in &result.unconfirmed {
        let _ = writeln!(out, "unconfirmed: {}", OneLine(why));
    }
    for action in &result.actions {
        let _ = write!(out, "  {} {}", action.number, action.title);
        match &action.kind {
            Some(kind) => {
                let _ = write!(out, "  [{}, {kind}]", action.server);
            }
            None => {
                let _ = write!(out, "  [{}]", action.server);
            }
        }
        if action.preferred {
            out.push_str("  preferred");
        }
        out.push('\n');
    }
    let unneeded = |server: &&ServerInfo| server.state == "unneeded";
    for server in result.servers.iter().filter(|server| !unneeded(server)) {
        let _ = write!(out, "  {}", server.server);
        if server.root != "." {
            let _ = write!(out, " in {}", server.root);
        }
        let _ = write!(out, ", {}: {}", count(server.files, "file"), server.state);
        if !server.about.is_empty() {
            let _ = write!(out, ": {}", server.about);
        }
        out.push('\n');
    }
    // One may be unneeded in several folders.
    let mut others: Vec<&str> = Vec::new();
    for server in result.servers.iter().filter(unneeded) {
        if !others.contains(&server.server.as_str()) {
            others.push(&server.server);
        }
    }
    if !others.is_empty() {
        let _ = writeln!(out, "  not needed here: {}", others.join(", "));
    }
    if let Some(stage) = &result.stage {
        let files = count(result.files.len(), "file");
        let _ = writeln!(
            out,
            "staged {stage}{by}: {files}; `resolve` applies or discards it"
        );
        out.push_str(&result.diff);
    }
    for notice in &result.notices {
        let _ = writeln!(out, "notice: {}", OneLine(notice));
    }
    let shown = result.places.len() + result.symbols.len() + result.problems.len();
    if let Some(offset) = result.next_offset {
        let before = offset.saturating_sub(shown);
        let mut left_out = format!("{} more after these", result.total.saturating_sub(offset));
        if before > 0 {
            let _ = write!(left_out, " and {before} before");
        }
        let _ = writeln!(
            out,
            "{left_out}; offset={offset} gives the next, limit more at once"
        );
    } else if shown > 0 && shown < result.total {
        let _ = writeln!(out, "{} before these", result.total - shown);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_needed_in_several_folders_is_named_once() {
        let server = |server: &str, root: &str, state: &str| ServerInfo {
            server: server.to_owned(),
            root: root.to_owned(),
            state: state.to_owned(),
            about: String::new(),
            files: 1,
        };
        let result = LspResult {
            action: "status",
            servers: vec![
                server("ccls", ".", "unneeded"),
                server("clangd", ".", "usable"),
                server("ccls", "sub", "unneeded"),
                server("clangd", "sub", "usable"),
                server("ty", "sub", "unneeded"),
            ],
            ..LspResult::default()
        };
        assert_eq!(
            lsp(&result),
            "3 servers\n  clangd, 1 file: usable\n  clangd in sub, 1 file: usable\n  \
             not needed here: ccls, ty\n"
        );
    }
}
