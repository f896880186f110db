//! Four ways to know code, for programs that host people or agents: a code graph, structural search
//! and rewrite, language servers that answer every write, and a debugger.
//!
//! - A [`Host`] is what one process has open. It opens a [`Checkout`] (a working tree on disk), and
//!   that a [`Conversation`] (one run of an agent, or of a person).
//! - [`Checkout::grep`] finds a code shape written as code; [`Checkout::grep_each`] hands over the
//!   matches file by file while the search goes on; [`Checkout::explain`] tells how a pattern is
//!   read and why it does not match.
//! - [`Conversation::rewrite`] stages a rewrite: sites, losses, diff, and the id of the stage. Nothing
//!   is changed before [`Conversation::resolve`] applies it, all files or none, or discards it.
//! - [`Conversation::write`], [`Conversation::edit`] and [`Conversation::apply_patch`] change text at
//!   once, all files or none; an old text or a hunk that fits no place, or several, changes nothing
//!   and is answered with the nearest ones.
//! - Each of them, and `resolve`, carries a [`Verdict`]: what the language servers of the project say
//!   is new or fixed, whether that is confirmed for this very content, or why nobody can say.
//!   [`Conversation::check`] gives it for what somebody else wrote, [`Conversation::before_write`] and
//!   [`Conversation::after_write`] go around a host's own writing.
//! - [`Conversation::lsp`] asks the servers: definitions, references, types; what they propose
//!   (renames, formatting, fixes) comes back as a stage. A host that keeps servers calls
//!   [`guard::enter`] first in its `main`, so that none outlives it.
//! - [`Checkout::search_code`], [`Checkout::code_callers`], [`Checkout::code_impact`] and others ask the
//!   code graph: where it is, who uses it, what a change reaches. It needs no server, and each answer
//!   says how sure it is.
//! - [`Conversation::debug`] runs a program or a test under its debugger: one question in one call, or a
//!   session whose stops are told whole.
//! - [`Policy`] names who is asked before something is written, applied or run; [`Conversation::events`]
//!   tells what happens meanwhile, [`Conversation::resources`] what is worth reading again, and
//!   [`Conversation::followed_by`] gives a handle that can be followed and cancelled.
//! - For agents the same is offered as tools: [`Checkout::tools`] with JSON Schemas and what each
//!   does to the world, [`Conversation::call`] by name with JSON.
//!
//! Searching, staging and writing block and use threads of their own. What a tool of a
//! [`Conversation`] does (`grep`, `explain`, `rewrite`, `resolve`, `staged`, `write`, `edit`,
//! `apply_patch`, `lsp`, `check`) has an `_async` twin there that computes on tokio's blocking pool;
//! `debug` and `call` are asynchronous themselves. The questions to the code graph are methods of
//! [`Checkout`] and block; through [`Conversation::code_async`] and [`Conversation::call`] they do not.
//!
//! ```
//! use fourfold::{Control, RewriteRequest, GrepRequest, Host, HostConfig, ResolveRequest};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path();
//! std::fs::write(root.join("shop.py"), "total = add(price, tax)\nprint(add(1, add(2, 3)))\n")?;
//!
//! let host = Host::new(HostConfig::default());
//! let checkout = host.checkout(root)?;
//!
//! // Search: every match with its place and its captures.
//! let found = checkout.grep(&GrepRequest::pattern("add($A, $B)"), &Control::new())?;
//! assert_eq!(found.summary.matches, 3);
//! assert_eq!(found.files[0].matches[0].text, "add(price, tax)");
//!
//! // Stage a rewrite: nothing is changed yet.
//! let conversation = checkout.conversation("example");
//! let request = RewriteRequest::new("add($A, $B)", "$A + $B");
//! let staged = conversation.rewrite(&request, &Control::new())?;
//! assert!(staged.diff.contains("+total = price + tax"));
//!
//! // Apply it: all files or none.
//! let id = staged.stage.ok_or("nothing to change")?;
//! conversation.resolve(&ResolveRequest::apply(id))?;
//! let text = std::fs::read_to_string(root.join("shop.py"))?;
//! assert_eq!(text, "total = price + tax\nprint(1 + (2 + 3))\n");
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//!
//! - **What was searched is what is staged, and what was staged is what is changed.** A file whose
//!   content is another by then is left out of the stage, or refuses the whole commit.
//! - **Nothing is silently left out.** What could not be read, parsed or rewritten, what a limit cut
//!   off and what other readings of the pattern would give is a value in the result.
//! - **An order that does not depend on threads**: by path, and in a file by place.
//!
//! # Limits
//!
//! - [`Limits`] bounds files, results, texts, diffs, stages and threads; a checkout's
//!   `fourfold.toml` comes before the host's.
//! - Files whose language their name does not tell are read only when they are named, or when a
//!   language is asked for; then their `#!` line decides.
//! - A rewrite uses one reading of the pattern; the result says what the others would add.
//! - A site inside another one is changed with it, and cannot be left out of a stage alone; leave it
//!   out when staging.
//! - Cancelling ends the parse of a file; looking through the tree of one file is bounded by steps.
//! - Near misses are looked for in the 100 files that have most of the pattern's words.
//! - Linux only, as the commit is.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod brief;
mod budget;
mod checkout;
mod code;
mod config;
mod conversation;
mod debug;
mod echo;
mod engine;
mod error;
mod events;
mod explain;
mod grep;
mod host;
mod lines;
mod lsp;
mod misses;
mod nearest;
mod notes;
mod plain;
mod plan;
mod policy;
mod request;
mod resolve;
mod resources;
mod rest;
mod result;
mod rewrite;
mod run;
mod schema;
mod text;
mod tools;
mod trust;
mod verdict;
mod words;
mod write;

pub use checkout::{Checkout, languages};
pub use code::{
    Among, CallsRequest, CodeAnswer, CodeCoverage, CodeEntry, CodeGraphRequest, CodeGroup,
    CodeLine, CodeMapRequest, CodeOutcome, CodePage, CodeScope, CodeSource, CodeSymbolRequest,
    ExportForm, FilesByReason, GraphAction, ImpactRequest, SearchCodeRequest, symbol_kinds,
};
pub use config::{Durabilities, HostConfig, Limits, ServerOptions};
pub use conversation::Conversation;
pub use debug::{
    DebugAction, DebugAnswered, DebugBreakpoint, DebugBreakpointInfo, DebugEnd, DebugExceptions,
    DebugFrame, DebugHit, DebugOutcome, DebugRequest, DebugResult, DebugScope, DebugSession,
    DebugStop, DebugThreads, DebugValue, DebugValues,
};
pub use echo::shortened;
pub use engine::sweep;
pub use error::{Error, Obstacle, Unusable};
pub use events::{Event, Events};
pub use fourfold_child::Guard;
/// What the `main` of a program that keeps language servers begins with, so that none of them
/// outlives it.
pub use fourfold_child::guard;
pub use fourfold_code_graph::index::Cache;
pub use fourfold_edit::Error as EditError;
pub use fourfold_pattern_match::{Rung, TemplateError, Unparsable};
pub use fourfold_rewrite_txn::{CommitError, Drift, DriftedFile, Durability};
pub use fourfold_syntax::Language;
pub use fourfold_worktree::Control;
pub use host::Host;
pub use lsp::{ActionInfo, LspAction, LspPlace, LspRequest, LspResult, LspSymbol, ServerInfo};
pub use nearest::nearest;
pub use plain::{OneLine, Plain};
pub use policy::{Approval, Approve, Deed, Policy, Proposal};
pub use request::{
    CheckRequest, ExplainRequest, GrepRequest, ResolveAction, ResolveRequest, RewriteRequest,
    Selection, Shape, StagedRequest,
};
pub use resources::Resource;
pub use result::{
    CaptureText, EvictedStage, Explanation, FileMatches, GrepResult, GrepSummary,
    LanguageExplanation, LanguageInfo, LanguageSkipped, LeftOut, MatchInfo, NearMissInfo, Place,
    ReadingCount, ReadingInfo, RecoveredStage, Recovery, RefusalInfo, Refused, ResolveResult,
    RewriteResult, SiteInfo, SkippedFiles, StageRest, StagedFileInfo, StagedInfo, StagedResult,
    StagedSite,
};
pub use tools::{Access, Annotations, Tool, ToolResult, staging_part, tool_names, tool_reference};
pub use trust::Trust;
pub use verdict::{
    BeforeWrite, CheckResult, CheckerRun, FileVerdict, FixedProblem, Problem, ProblemCounts,
    ServerAnswer, Verdict, VerdictState,
};
pub use write::{
    ApplyPatchRequest, EditRequest, RawText, TextEdit, WriteAction, WriteRequest, WriteResult,
    WrittenFile,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
