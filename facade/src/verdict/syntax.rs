//! Which problems are syntax errors, and whether a text parses at all.

use fourfold_lsp_client::Diagnostic;
use fourfold_syntax::{Language, ParseLimits, first_error};

/// Whether a server tells a syntax error, behind which others may be hidden. No field of the
/// protocol says so; the codes of the servers do.
pub(crate) fn is_syntax(server: &str, diagnostic: &Diagnostic) -> bool {
    let code = diagnostic.code.as_deref().unwrap_or_default();
    let source = diagnostic.source.as_deref().unwrap_or_default();
    let number = || code.trim_start_matches("TS").parse::<u32>().ok();
    match server {
        "rust-analyzer" | "rust" => code == "syntax-error",
        "typescript" | "vtsls" | "deno" => {
            number().is_some_and(|code| (1000..2000).contains(&code))
        }
        // What breaks a rule has the rule's name; what does not parse has none.
        "pyright" | "basedpyright" => {
            code.is_empty() && diagnostic.severity == fourfold_lsp_client::Severity::Error
        }
        "ty" | "ruff" => code == "invalid-syntax",
        "go" | "gopls" => source == "syntax",
        "c" | "clangd" => code.starts_with("expected") || code.starts_with("extraneous"),
        "bash" => code.trim_start_matches("SC").starts_with('1') && code.len() >= 4,
        _ => code == "invalid-syntax" || code == "syntax-error" || source == "syntax",
    }
}

/// The line, counted from 1, at which a text stops to parse though the one before it parsed as a
/// whole. `None` also when that cannot be told.
pub(crate) fn broken_line(
    path: &str,
    before: Option<&str>,
    after: &str,
    limits: ParseLimits,
) -> Option<usize> {
    let language = Language::of_path(path.as_ref())?;
    if let Some(before) = before
        && first_error(language, before, limits).ok()?.is_some()
    {
        return None;
    }
    let row = first_error(language, after, limits).ok()??;
    Some(row + 1)
}
