//! `fourfold graph`: the questions and their options.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{languages, positive};

/// `fourfold graph`.
#[derive(Debug, Args)]
pub(crate) struct Graph {
    #[command(subcommand)]
    pub(crate) question: Question,
}

/// The questions.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Find symbols by words, by a name or a part of one, by signature or documentation.
    Search(Search),
    /// Show one symbol: its source, its members, how often it is used.
    Symbol(Symbol),
    /// Show what a file, a folder or a type declares.
    Outline(Outline),
    /// Show who calls a symbol, with the lines that do.
    Callers(Calls),
    /// Show what a symbol calls: in the checkout, outside of it, and what could not be told.
    Callees(Calls),
    /// Show every use of a symbol: calls, imports, types, values, inheritance.
    Refs(Calls),
    /// Show what depends on symbols, files or a diff, and the tests that reach it.
    Impact(Impact),
    /// Show how one symbol reaches another.
    Paths(Paths),
    /// Show folders or files that need each other in a circle.
    Cycles(Modules),
    /// Show symbols without a known use, with what speaks against their being unused.
    Unused(Unused),
    /// Show which folders or files need which, in layers.
    Modules(Modules),
    /// Show the declarations of the most important symbols.
    Map(Map),
    /// Show what a type inherits from, what inherits from it; what a method overrides.
    Hierarchy(Calls),
    /// Draw what is around a symbol.
    Draw(Draw),
    /// Write the whole graph for other programs.
    Export(Export),
    /// Tell what the index covers, and how much of it is known.
    Status(Status),
}

/// How much of an answer.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How much")]
pub(crate) struct Page {
    /// Show at most so many entries.
    #[arg(short = 'n', long, value_name = "N", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) limit: Option<usize>,
    /// Pass over so many entries first.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub(crate) offset: usize,
    /// The text may have so many tokens, of four bytes; 2000 if not told, 100 at least.
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tokens: Option<usize>,
}

/// Which symbols.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which symbols")]
pub(crate) struct Scope {
    /// Only files that match a path, a folder or a glob, or with a leading `!` all but these; may be
    /// repeated.
    #[arg(short, long = "path", value_name = "GLOB")]
    pub(crate) paths: Vec<String>,
    /// Only files of this language; may be repeated.
    #[arg(
        short,
        long = "lang",
        value_name = "LANG",
        ignore_case = true,
        hide_possible_values = true
    )]
    #[arg(value_parser = languages(), value_delimiter = ',')]
    pub(crate) langs: Vec<String>,
    /// What becomes of tests: apart, without or only.
    #[arg(long, value_name = "WHAT", value_parser = ["apart", "without", "only"])]
    pub(crate) tests: Option<String>,
}

/// The least sure edges that count.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sure {
    /// The least sure edges that count: exact, typed, inferred, candidate or name (what could not
    /// be told, by its name only); inferred if not told.
    #[arg(long, value_name = "TIER", hide_possible_values = true)]
    #[arg(value_parser = ["exact", "typed", "inferred", "candidate", "name"])]
    pub(crate) certainty: Option<String>,
}

/// A symbol as it is typed.
#[derive(Debug, Clone, Args)]
pub(crate) struct Named {
    /// The symbol: a name, bare or qualified (`send`, `Session.send`), a place (`sessions.py:40`),
    /// a name in a file (`sessions.py::send`), a file, or an id.
    pub(crate) symbol: String,
    /// Only a symbol of this kind: class, method, ...
    #[arg(short, long, value_name = "KIND", hide_possible_values = true)]
    #[arg(value_parser = kinds())]
    pub(crate) kind: Option<String>,
    /// Only a symbol in this file or folder.
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) inside: Option<PathBuf>,
}

/// `fourfold graph search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words, a name or a qualified name.
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How names are compared: words, exact, prefix or fuzzy.
    #[arg(short, long, value_name = "MODE", value_parser = ["words", "exact", "prefix", "fuzzy"])]
    pub(crate) mode: Option<String>,
    /// Only symbols of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND", hide_possible_values = true)]
    #[arg(value_parser = kinds(), value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,
    /// Only symbols that may be seen at least this widely.
    #[arg(long, value_name = "WHO", value_parser = ["public", "internal", "protected", "private"])]
    pub(crate) visibility: Option<String>,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph symbol`.
#[derive(Debug, Args)]
pub(crate) struct Symbol {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Leave the source out.
    #[arg(long)]
    pub(crate) no_source: bool,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph outline`.
#[derive(Debug, Args)]
pub(crate) struct Outline {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Show so many levels.
    #[arg(short, long, value_name = "N")]
    pub(crate) depth: Option<u8>,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph callers` and its like.
#[derive(Debug, Args)]
pub(crate) struct Calls {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Go so many steps, 1 to 6: with 2, the callers of callers as well.
    #[arg(short, long, value_name = "N")]
    pub(crate) depth: Option<u8>,
    #[command(flatten)]
    pub(crate) sure: Sure,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph impact`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").required(true).multiple(true).args(["symbols", "since"])))]
pub(crate) struct Impact {
    /// Symbols and files that change.
    #[arg(value_name = "SYMBOL")]
    pub(crate) symbols: Vec<String>,
    /// Take what changed in the work tree since COMMIT.
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD")]
    pub(crate) since: Option<String>,
    /// Go so many steps, 1 to 6; 2 if not told.
    #[arg(short, long, value_name = "N")]
    pub(crate) depth: Option<u8>,
    #[command(flatten)]
    pub(crate) sure: Sure,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph paths`.
#[derive(Debug, Args)]
pub(crate) struct Paths {
    /// Where the way begins.
    pub(crate) from: String,
    /// Where it ends.
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) sure: Sure,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph modules` and `cycles`.
#[derive(Debug, Args)]
pub(crate) struct Modules {
    /// What is one module.
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "folder")]
    pub(crate) level: Level,
    /// Take folders deeper than N as one with the folder above.
    #[arg(short, long, value_name = "N")]
    pub(crate) depth: Option<u8>,
    #[command(flatten)]
    pub(crate) sure: Sure,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// What is one module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// `fourfold graph unused`.
#[derive(Debug, Args)]
pub(crate) struct Unused {
    /// Only symbols of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND", hide_possible_values = true)]
    #[arg(value_parser = kinds(), value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph map`.
#[derive(Debug, Args)]
pub(crate) struct Map {
    /// Symbols and files that the work is about.
    #[arg(value_name = "FOCUS")]
    pub(crate) focus: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph draw`.
#[derive(Debug, Args)]
pub(crate) struct Draw {
    /// The symbol in the middle.
    pub(crate) symbol: String,
    /// Draw so many steps around it, 1 to 6.
    #[arg(short, long, value_name = "N")]
    pub(crate) depth: Option<u8>,
    /// Draw for Graphviz, not for Mermaid.
    #[arg(long)]
    pub(crate) dot: bool,
    #[command(flatten)]
    pub(crate) sure: Sure,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// `fourfold graph export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The form.
    #[arg(value_enum)]
    pub(crate) form: Form,
    /// Write to FILE, not to standard output.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
}

/// The forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Every node and edge, one JSON object a line.
    Jsonl,
    /// The calls, as pairs of definitions, one JSON object a line.
    Edges,
    /// SCIP, for a code search.
    Scip,
}

/// `fourfold graph status`.
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) page: Page,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(fourfold::symbol_kinds())
}
