//! Structural search and staged, all-or-nothing rewrite, for programs that host people or agents.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod checkout;
mod config;
mod conversation;
mod edit;
mod error;
mod explain;
mod grep;
mod host;
mod lines;
mod misses;
mod nearest;
mod notes;
mod plan;
mod request;
mod resolve;
mod result;
mod run;
mod schema;
mod text;
mod tools;

pub use checkout::{Checkout, languages};
pub use config::{HostConfig, Limits};
pub use conversation::Conversation;
pub use error::{Error, Obstacle, Unusable};
pub use fourfold_pattern_match::{Rung, TemplateError, Unparsable};
pub use fourfold_rewrite_txn::{CommitError, Drift, DriftedFile};
pub use fourfold_syntax::Language;
pub use fourfold_worktree::Control;
pub use host::Host;
pub use request::{
    EditRequest, ExplainRequest, GrepRequest, ResolveAction, ResolveRequest, Selection, Shape,
    StagedRequest,
};
pub use result::{
    CaptureText, EditResult, EvictedStage, Explanation, FileMatches, GrepResult, GrepSummary,
    LanguageExplanation, LanguageInfo, LanguageSkipped, LeftOut, MatchInfo, NearMissInfo, Place,
    ReadingCount, ReadingInfo, RecoveredStage, Recovery, RefusalInfo, Refused, ResolveResult,
    SiteInfo, SkippedFiles, StagedFileInfo, StagedInfo, StagedResult,
};
pub use tools::{Access, Annotations, Tool, ToolResult};
