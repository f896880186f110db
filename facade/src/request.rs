//! What is asked of the tools: the arguments, typed and documented.

use std::path::PathBuf;

use fourfold_pattern_match::Rung;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to look for: a pattern (code with metavariables) or a tree-sitter query, and what a match
/// must fulfil besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Shape {
    /// Code as it is written in the language, with $X for any one node, $_ for one that is not
    /// kept, $$$XS or $$$ for any run of siblings. A name used twice must be the same code twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub pattern: Option<String>,
    /// A tree-sitter query in place of a pattern; a match is what it captures as @match, else the
    /// first capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub query: Option<String>,
    /// Search only files of these languages (ids, names or aliases, such as rust, c++, py). Without
    /// it the language of each file is inferred, and several are searched at once.
    #[serde(rename = "language", skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Read the pattern only as this rung of the ladder, when it can be read in several ways.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = Rung::ALL.map(Rung::name)))]
    pub as_rung: Option<String>,
    /// Parts that a declaration may omit (modifiers, annotations, type parameters, return type,
    /// throws, supertypes) must be in the pattern if they are in the source.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Only matches that lie inside a match of each of these patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<String>,
    /// Only matches that lie inside no match of any of these patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_inside: Vec<String>,
    /// Only matches that hold a match of each of these patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<String>,
    /// Only matches that hold no match of any of these patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_has: Vec<String>,
    /// Conditions on captures: `$X=~REGEX` (its text matches) or `$X!~REGEX` (it does not).
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Only matches whose node has this kind in the grammar, such as call_expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub kind: Option<String>,
}

impl Shape {
    /// A pattern and nothing else.
    pub fn pattern(text: impl Into<String>) -> Shape {
        Shape {
            pattern: Some(text.into()),
            ..Shape::default()
        }
    }

    /// A tree-sitter query and nothing else.
    pub fn query(text: impl Into<String>) -> Shape {
        Shape {
            query: Some(text.into()),
            ..Shape::default()
        }
    }
}

/// Where to look: which files of the checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Selection {
    /// Files and folders, relative to the root of the checkout; without it the whole checkout. A
    /// file named here is searched even when it is ignored or hidden.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub paths: Vec<PathBuf>,
    /// Globs in the form of .gitignore, relative to the root: only matching files, or with a
    /// leading `!` all but those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
    /// Search files and folders whose name begins with a dot.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Search what .gitignore and .ignore leave out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_ignore: bool,
    /// Skip files longer than this many bytes; 8 MiB unless configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(max = 1_073_741_824))]
    pub max_file_bytes: Option<u64>,
}

/// A structural search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GrepRequest {
    /// What to look for.
    #[serde(flatten)]
    pub shape: Shape,
    /// Where to look.
    #[serde(flatten)]
    pub selection: Selection,
    /// The most matches to give; all are counted. 100 for a collected result unless configured;
    /// no bound where results are streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 10_000))]
    pub limit: Option<usize>,
    /// Matches to pass over first: the `limit` of the page before, added up.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: usize,
    /// Only count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub count_only: bool,
    /// The most bytes of each text (a match, a capture) to give; 240 unless configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 1_048_576))]
    pub max_text_bytes: Option<usize>,
    /// When nothing matches, how many of the nearest misses to give with the reason; 5 for a
    /// collected result, none where results are streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 100))]
    pub near_misses: Option<usize>,
    /// Hand over the whole text of each file with matches, see
    /// [`FileMatches::source`](crate::FileMatches::source), in place of the text and the captures
    /// of each match. For terminals that show lines.
    #[serde(skip)]
    pub with_source: bool,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl GrepRequest {
    /// A search of the whole checkout.
    pub fn new(shape: Shape) -> GrepRequest {
        GrepRequest {
            shape,
            ..GrepRequest::default()
        }
    }

    /// A search of the whole checkout for a pattern.
    pub fn pattern(text: impl Into<String>) -> GrepRequest {
        GrepRequest::new(Shape::pattern(text))
    }
}

/// A structural rewrite, to be staged. Nothing on disk is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RewriteRequest {
    /// What to look for; a pattern, not a query.
    #[serde(flatten)]
    pub shape: Shape,
    /// What takes the place of each match, with the pattern's metavariables in it; empty to delete.
    pub template: String,
    /// Where to look.
    #[serde(flatten)]
    pub selection: Selection,
    /// Rewrite also where that drops something that neither the pattern nor a capture holds, such
    /// as a comment. Without it such sites are left out and listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_loss: bool,
    /// Rewrite also files that would no longer parse. Without it they are left out and listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Sites (such as src/a.rs:12) and files to leave out, by the names of an earlier result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Keep the stage on disk, so that it outlives this conversation and process.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// The most sites to list; all are staged. 100 unless configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 10_000))]
    pub limit: Option<usize>,
    /// The most bytes of each text to give; 240 unless configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 1_048_576))]
    pub max_text_bytes: Option<usize>,
    /// The most bytes of the unified diff; 16 KiB unless configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 16_777_216))]
    pub max_diff_bytes: Option<usize>,
}

impl RewriteRequest {
    /// A rewrite in the whole checkout.
    pub fn new(pattern: impl Into<String>, template: impl Into<String>) -> RewriteRequest {
        RewriteRequest {
            shape: Shape::pattern(pattern),
            template: template.into(),
            ..RewriteRequest::default()
        }
    }
}

/// What becomes of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolveAction {
    /// Change all its files, or none.
    #[default]
    Apply,
    /// Drop it; nothing on disk is changed.
    Discard,
}

/// The end of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResolveRequest {
    /// The id of the stage, such as s-7k2m.
    pub id: String,
    /// What becomes of it.
    pub action: ResolveAction,
    /// Sites and files to leave out when applying, by the names of the stage's result. They are a
    /// stage of their own afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
}

impl ResolveRequest {
    /// Applies the whole stage.
    pub fn apply(id: impl Into<String>) -> ResolveRequest {
        ResolveRequest {
            id: id.into(),
            ..ResolveRequest::default()
        }
    }

    /// Drops the stage.
    pub fn discard(id: impl Into<String>) -> ResolveRequest {
        ResolveRequest {
            id: id.into(),
            action: ResolveAction::Discard,
            ..ResolveRequest::default()
        }
    }
}

/// How a pattern is read, and why it does not match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExplainRequest {
    /// What to explain.
    #[serde(flatten)]
    pub shape: Shape,
    /// Where to look for near misses.
    #[serde(flatten)]
    pub selection: Selection,
    /// The most near misses to give; 5 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 100))]
    pub near_misses: Option<usize>,
}

/// The stages of a checkout and a conversation: no arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StagedRequest {}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// The files to be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckRequest {
    /// Files and folders, relative to the root of the checkout; without it all that somebody else
    /// changed since the last answer, and what earlier answers left wrong or open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub paths: Vec<PathBuf>,
    /// The files in `paths` are about to be written by other means: find out what is wrong in them
    /// now, so that the next `check` tells what is new against it.
    #[serde(skip_serializing_if = "is_false")]
    pub before: bool,
}
