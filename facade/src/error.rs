//! The one error type of the crate: sentences that a person or a model can act on.

use std::path::PathBuf;

use fourfold_pattern_match::{TemplateError, Unparsable};
use fourfold_rewrite_txn::{CommitError, DriftedFile};
use fourfold_syntax::Language;

/// Why a request was not carried out.
///
/// What could not be read, parsed or rewritten on the way is no error but a value in the result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A path that the door of the checkout does not let in, or a glob that cannot be read.
    #[error(transparent)]
    Path(#[from] fourfold_worktree::Error),
    /// A language that is unknown or not compiled in.
    #[error(transparent)]
    Language(#[from] fourfold_syntax::Error),
    /// The pattern, the query or a constraint is no code of any language that was asked for or met.
    #[error("{}", unusable(.languages))]
    Unusable {
        /// Each language with the obstacle met in it.
        languages: Vec<Unusable>,
    },
    /// The template does not fit the pattern.
    #[error("{source}")]
    Template {
        /// The language in which it was read.
        language: Language,
        /// What is wrong.
        source: TemplateError,
    },
    /// Arguments that make no sense together, or not at all.
    #[error("{message}")]
    Usage {
        /// The whole sentence.
        message: String,
    },
    /// There is no such tool.
    #[error("no tool is called `{given}`{hint}; the tools are {known}")]
    UnknownTool {
        /// The name as it was given.
        given: String,
        /// The nearest known one, as a clause; may be empty.
        hint: String,
        /// All names.
        known: String,
    },
    /// An argument of a tool that is unknown, missing or of another type.
    #[error("{tool}: {message}")]
    Argument {
        /// The tool.
        tool: &'static str,
        /// The rest of the sentence.
        message: String,
    },
    /// No stage has this id.
    #[error(
        "no stage is called `{id}`{hint}: it was resolved, expired or evicted, or it ended with its conversation; {known}"
    )]
    NoSuchStage {
        /// The id as it was given.
        id: String,
        /// The nearest known one, as a clause; may be empty.
        hint: String,
        /// Which stages there are, as a clause.
        known: String,
    },
    /// A name in `except` that the stage does not have.
    #[error(
        "stage {id} has no site or file called `{name}`{hint}; its sites are named like {example}"
    )]
    NotInStage {
        /// The stage.
        id: String,
        /// The name.
        name: String,
        /// The nearest known one, as a clause; may be empty.
        hint: String,
        /// One of its names.
        example: String,
    },
    /// Files changed since they were staged. Nothing was written, and the stage is kept.
    #[error("stage {id} was not applied and nothing was changed, because {}; the stage is kept: {again}", drifted(.files))]
    Drifted {
        /// The stage.
        id: String,
        /// Every file that drifted.
        files: Vec<DriftedFile>,
        /// How to go on, as the end of the sentence.
        again: String,
    },
    /// Staging, keeping, loading or recovering failed.
    #[error(transparent)]
    Stage(#[from] fourfold_rewrite_txn::Error),
    /// The commit failed; unless it says otherwise, nothing was changed.
    #[error(transparent)]
    Commit(CommitError),
    /// The checkout was opened for reading only.
    #[error("cannot {doing} in `{}`: the checkout was opened for reading only; open it with `Host::checkout`", root.display())]
    ReadOnly {
        /// What was to be done.
        doing: &'static str,
        /// The root of the checkout.
        root: PathBuf,
    },
    /// The checkout's configuration cannot be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// The work was cancelled before there was a result.
    #[error("the work was cancelled before it was done; nothing was changed")]
    Cancelled,
    /// The work on the blocking pool ended without a result.
    #[error(
        "the work ended without a result ({reason}); this is a fault of Fourfold, please report it"
    )]
    Crashed {
        /// What is known.
        reason: String,
    },
}

impl Error {
    /// Whether the request is to blame (a typing error, a path, a pattern that is no code): asking
    /// differently helps. Else the state of the disk or of the stage is, or a fault of ours.
    pub fn is_user(&self) -> bool {
        match self {
            Error::Path(error) => !matches!(
                error,
                fourfold_worktree::Error::Io { .. } | fourfold_worktree::Error::Threads { .. }
            ),
            Error::Language(_)
            | Error::Unusable { .. }
            | Error::Template { .. }
            | Error::Usage { .. }
            | Error::UnknownTool { .. }
            | Error::Argument { .. }
            | Error::NoSuchStage { .. }
            | Error::NotInStage { .. }
            | Error::ReadOnly { .. }
            | Error::Config { .. } => true,
            Error::Drifted { .. }
            | Error::Stage(_)
            | Error::Commit(_)
            | Error::Cancelled
            | Error::Crashed { .. } => false,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Error {
        Error::Usage {
            message: message.into(),
        }
    }
}

/// A language in which a request cannot be searched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unusable {
    /// The language.
    pub language: Language,
    /// What is in the way.
    pub obstacle: Obstacle,
}

/// Why a request cannot be searched in a language.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// The pattern is no code there.
    #[error("{0}")]
    Pattern(Unparsable),
    /// The pattern of a constraint is no code there.
    #[error("in `{option}`, {source}")]
    Constraint {
        /// Which constraint.
        option: &'static str,
        /// What is wrong.
        source: Unparsable,
    },
    /// The template does not fit the pattern.
    #[error("{0}")]
    Template(TemplateError),
    /// A condition, a node kind or a query is not usable there.
    #[error("{0}")]
    Other(String),
}

impl Obstacle {
    /// The first line of the message.
    pub fn short(&self) -> String {
        let text = self.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// How many languages are explained in full when the pattern is no code in any.
const EXPLAINED: usize = 3;

fn unusable(languages: &[Unusable]) -> String {
    let full: Vec<String> = languages
        .iter()
        .take(EXPLAINED)
        .map(|one| one.obstacle.to_string())
        .collect();
    let rest: Vec<&str> = languages
        .iter()
        .skip(EXPLAINED)
        .map(|one| one.language.name())
        .collect();
    let mut text = full.join("\n");
    if !rest.is_empty() {
        text.push_str("\nnor is it code of ");
        text.push_str(&rest.join(", "));
    }
    text
}

/// How many drifted files the sentence names; the field has them all.
const DRIFTED: usize = 8;

fn drifted(files: &[DriftedFile]) -> String {
    let mut named: Vec<String> = files
        .iter()
        .take(DRIFTED)
        .map(ToString::to_string)
        .collect();
    if files.len() > DRIFTED {
        named.push(format!("{} more", files.len() - DRIFTED));
    }
    named.join(", ")
}
