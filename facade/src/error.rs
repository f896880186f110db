//! The one error type of the crate: sentences that a person or a model can act on.

use std::path::PathBuf;

use fourfold_dap_client::DebugError;
use fourfold_pattern_match::{TemplateError, Unparsable};
use fourfold_rewrite_txn::{CommitError, DriftedFile};
use fourfold_syntax::Language;

use crate::echo;
use crate::policy::Deed;

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
    /// The pattern, the query or a constraint is no code of any language that was asked for or met;
    /// or it was found nowhere, and is no code of the languages that most files are of.
    #[error("{}", unusable(.languages, .searched))]
    Unusable {
        /// Each language with the obstacle met in it, that with most files first.
        languages: Vec<Unusable>,
        /// The languages in which it was searched for without result.
        searched: Vec<Language>,
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
        "no stage is called `{id}`{hint}; one that was is resolved, expired, evicted or ended with its conversation; {known}"
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
    #[error("stage {id} was not applied and nothing was changed, because {}; the stage is kept: {again}, or {without}", drifted(.files))]
    Drifted {
        /// The stage.
        id: String,
        /// Every file that drifted.
        files: Vec<DriftedFile>,
        /// How to stage the rewrite again, as a clause.
        again: String,
        /// How to apply the rest, as the end of the sentence.
        without: String,
    },
    /// Files changed at the moment when they were to be written. Nothing was written.
    #[error("nothing was written, because {} at the same moment; read again and repeat it", drifted(.files))]
    ChangedMeanwhile {
        /// Every file that changed.
        files: Vec<DriftedFile>,
    },
    /// A file has not the content that the caller has seen. Nothing was written.
    #[error("{path} was not changed: its content has not the hash {expected}; {}", now(.found.as_deref()))]
    NotAsExpected {
        /// The file, below the root.
        path: String,
        /// The digits that were expected.
        expected: String,
        /// The hash of what is there; none if there is no file.
        found: Option<String>,
    },
    /// Text could not be replaced in a file.
    #[error("{path}: {source}")]
    Edit {
        /// The file, below the root.
        path: String,
        /// Why, with the nearest places.
        source: Box<fourfold_edit::Error>,
    },
    /// A patch that cannot be read, or does not fit a file.
    #[error(transparent)]
    Patch(Box<fourfold_edit::Error>),
    /// Several things are wrong. Nothing was written.
    #[error("{}", several(.errors))]
    Several {
        /// Each of them.
        errors: Vec<Error>,
    },
    /// The checkout could not be indexed.
    #[error(transparent)]
    Index(fourfold_code_graph::Error),
    /// Staging, keeping, loading or recovering failed.
    #[error(transparent)]
    Stage(#[from] fourfold_rewrite_txn::Error),
    /// The commit failed; unless it says otherwise, nothing was changed.
    #[error(transparent)]
    Commit(CommitError),
    /// Who was asked before it happened said no. Nothing was changed; a stage is kept.
    #[error("{what}: {}, declined by the host: {why}", deed.undone())]
    Declined {
        /// What was to happen, in one line.
        what: String,
        /// What kind of thing that is.
        deed: Deed,
        /// The reason that was given.
        why: String,
    },
    /// The checkout was opened for reading only.
    #[error("cannot {doing} in `{}`: it was opened for reading only; start the server without `--read-only`, or open it to be changed", root.display())]
    ReadOnly {
        /// What was to be done.
        doing: &'static str,
        /// The root of the checkout.
        root: PathBuf,
    },
    /// A program was to be run where none may be.
    #[error(
        "cannot run a program here: nothing of the checkout may be run; start the server without \
         `--no-execute`, or take a handle that may"
    )]
    NotExecuting,
    /// A language server could not be asked, or did not answer.
    #[error("{message}")]
    Server {
        /// The whole sentence.
        message: String,
    },
    /// The debugger did not do what it was asked.
    #[error(transparent)]
    Debug(#[from] DebugError),
    /// There is nothing to debug: no such file or test, a build that fails, no adapter.
    #[error(transparent)]
    Program(#[from] fourfold_dap_client::program::ProgramError),
    /// What the user trusts could not be read or remembered.
    #[error("cannot remember whether `{}` is trusted in `{}`: {source}; correct or remove that file", root.display(), file.display())]
    Trust {
        /// The root of the checkout.
        root: PathBuf,
        /// The file that remembers.
        file: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// What the user trusts could not be read.
    #[error("cannot tell which checkouts are trusted: `{}` cannot be read: {source}; correct or remove that file", file.display())]
    TrustUnread {
        /// The file that remembers.
        file: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The checkout's configuration cannot be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// Another one, whose sentence repeated more of what was given than anybody wants to read again.
    #[error("{message}")]
    Shortened {
        /// The sentence, with what was given cut.
        message: String,
        /// The error itself.
        of: Box<Error>,
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
            Error::Several { errors } => errors.iter().all(Error::is_user),
            Error::Shortened { of, .. } => of.is_user(),
            Error::Debug(error) => !matches!(
                error,
                DebugError::NotStarted { .. } | DebugError::TimedOut { .. } | DebugError::Ended(_)
            ),
            Error::Language(_)
            | Error::Edit { .. }
            | Error::Patch(_)
            | Error::Unusable { .. }
            | Error::Template { .. }
            | Error::Usage { .. }
            | Error::UnknownTool { .. }
            | Error::Argument { .. }
            | Error::NoSuchStage { .. }
            | Error::NotInStage { .. }
            | Error::ReadOnly { .. }
            | Error::NotExecuting
            | Error::Program(_)
            | Error::Config { .. } => true,
            Error::Drifted { .. }
            | Error::ChangedMeanwhile { .. }
            | Error::NotAsExpected { .. }
            | Error::Stage(_)
            | Error::Commit(_)
            | Error::Index(_)
            | Error::Cancelled
            | Error::Declined { .. }
            | Error::Server { .. }
            | Error::Trust { .. }
            | Error::TrustUnread { .. }
            | Error::Crashed { .. } => false,
        }
    }

    /// The errors as one: the only one itself, or else all of them. `None` if there are none.
    pub(crate) fn all(mut errors: Vec<Error>) -> Option<Error> {
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Error::Several { errors }),
        }
    }

    /// The same, repeating no more of each given text than tells which one is meant.
    pub(crate) fn shortened(self, given: &[String]) -> Error {
        if given.is_empty() {
            return self;
        }
        let whole = self.to_string();
        let message = echo::shortened(&whole, given.iter().map(String::as_str));
        match message == whole {
            true => self,
            false => Error::Shortened {
                message,
                of: Box::new(self),
            },
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Error {
        Error::Usage {
            message: message.into(),
        }
    }
}

/// What has another content than was expected.
fn now(found: Option<&str>) -> String {
    match found {
        Some(hash) => format!("it has the hash {hash} now; read it again"),
        None => "there is no such file now; leave the expected hash out to make it".to_owned(),
    }
}

/// How many of several problems the sentence tells; the field has them all.
const TOLD: usize = 20;

fn several(errors: &[Error]) -> String {
    // Those of a patch are several themselves.
    let mut sentences = Vec::new();
    for error in errors {
        match error {
            Error::Patch(source) => sentences.extend(source.each().iter().map(ToString::to_string)),
            other => sentences.push(other.to_string()),
        }
    }
    let mut text = format!("{} problems, nothing was changed:", sentences.len());
    for (index, sentence) in sentences.iter().take(TOLD).enumerate() {
        text.push_str(&format!("\n{}. {sentence}", index + 1));
    }
    if sentences.len() > TOLD {
        text.push_str(&format!("\nand {} more", sentences.len() - TOLD));
    }
    text
}

impl From<fourfold_edit::Error> for Error {
    fn from(error: fourfold_edit::Error) -> Error {
        Error::Patch(Box::new(error))
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
    /// The query is none there.
    #[error("{0}")]
    Query(String),
    /// A condition or a node kind is not usable there.
    #[error("{0}")]
    Other(String),
}

impl Obstacle {
    /// Whether a pattern, that of the request or of a constraint, is no code there.
    pub fn is_no_code(&self) -> bool {
        matches!(self, Obstacle::Pattern(_) | Obstacle::Constraint { .. })
    }

    /// Which part of the request is in the way: `pattern`, `constraint`, `template`, `query`, or
    /// `condition` for a condition or a node kind.
    pub fn part(&self) -> &'static str {
        match self {
            Obstacle::Pattern(_) => "pattern",
            Obstacle::Constraint { .. } => "constraint",
            Obstacle::Template(_) => "template",
            Obstacle::Query(_) => "query",
            Obstacle::Other(_) => "condition",
        }
    }

    /// The first line of the message.
    pub fn short(&self) -> String {
        let text = self.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// How many languages are explained in full when the pattern is no code in any.
const EXPLAINED: usize = 3;

/// How many languages are named in a sentence.
const NAMED: usize = 8;

fn unusable(languages: &[Unusable], searched: &[Language]) -> String {
    // What was searched somewhere is explained for the language that was probably meant.
    let explained = match searched {
        [] => EXPLAINED,
        _ => 1,
    };
    let mut told: Vec<String> = Vec::new();
    let mut rest = Vec::new();
    // Where the pattern is code, what is wrong is something else, and that is to be mended.
    let is_read = languages.iter().any(|one| !one.obstacle.is_no_code());
    for one in languages {
        if is_read && one.obstacle.is_no_code() {
            continue;
        }
        let message = one.obstacle.to_string();
        if told.contains(&message) {
            continue;
        }
        match told.len() < explained {
            true => told.push(message),
            false => rest.push(one),
        }
    }
    let mut text = told.join("\n");
    if !rest.is_empty() {
        text.push_str(match rest.iter().all(|one| one.obstacle.is_no_code()) {
            true => "\nnor is it code of ",
            false => "\nnor can it be searched for in ",
        });
        text.push_str(&names(rest.iter().map(|one| one.language)));
    }
    if !searched.is_empty() {
        text.push_str("\nsearched without result: ");
        text.push_str(&names(searched.iter().copied()));
        text.push_str(", where it can be read");
    }
    text
}

fn names(languages: impl ExactSizeIterator<Item = Language>) -> String {
    let more = languages.len().saturating_sub(NAMED);
    let names: Vec<&str> = languages.take(NAMED).map(Language::name).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
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

impl From<fourfold_code_graph::Error> for Error {
    fn from(error: fourfold_code_graph::Error) -> Error {
        match error {
            fourfold_code_graph::Error::Cancelled { .. } => Error::Cancelled,
            other => Error::Index(other),
        }
    }
}
