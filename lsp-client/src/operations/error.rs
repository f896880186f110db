//! Why an operation has no answer.

use std::path::PathBuf;
use std::time::Duration;

use crate::connection::{RequestError, SessionGone};
use crate::workspace_edit::EditError;

/// Why an operation has no answer. That nothing was found is none of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The server cannot do this, or not now.
    #[error("{server} does not offer {method}; ask another server, or do it by other means")]
    NotOffered {
        /// The server.
        server: String,
        /// What it does not offer, as the protocol names it.
        method: String,
    },
    /// The document is not open at the server.
    #[error(
        "asking {server} about {}: the document is not open; the file may have been deleted or be \
         no text any more, else open it first", .path.display()
    )]
    NotOpen {
        /// The server.
        server: String,
        /// The file.
        path: PathBuf,
    },
    /// It found nothing, and has not loaded the project yet.
    #[error(
        "asking {server} for {method}: it found nothing and is still loading the project after \
         {} s{}; ask again later", .after.as_secs(), clause(.doing)
    )]
    Loading {
        /// The server.
        server: String,
        /// What was asked.
        method: String,
        /// How long was waited.
        after: Duration,
        /// What it says it is doing.
        doing: Vec<String>,
    },
    /// The document changed again and again while the server was asked about it.
    #[error(
        "asking {server} for {method}: {} changed every time before the answer came; ask again",
        .path.display()
    )]
    Changing {
        /// The server.
        server: String,
        /// What was asked.
        method: String,
        /// The document.
        path: PathBuf,
    },
    /// There is nothing at the point that has a name of its own.
    #[error("{server} says that nothing at {}:{line} can be renamed", .path.display())]
    NotRenamable {
        /// The server.
        server: String,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
    },
    /// The server offers the action only to say why it cannot be done.
    #[error("\"{title}\" cannot be done here: {reason}")]
    Disabled {
        /// The action.
        title: String,
        /// Why not, in the server's words.
        reason: String,
    },
    /// The action is something that an editor does, not the server.
    #[error(
        "\"{title}\" is the command {command} of an editor, which {server} does not run; make the \
         change by other means"
    )]
    EditorCommand {
        /// The server.
        server: String,
        /// The action.
        title: String,
        /// The command.
        command: String,
    },
    /// A command sent several changes of the same file, one after another. They are for texts that
    /// the server never got.
    #[error(
        "\"{title}\" changes {} in several steps, which cannot be told apart; make the change by \
         other means", .path.display()
    )]
    SeveralSteps {
        /// The action.
        title: String,
        /// The file.
        path: PathBuf,
    },
    /// What the server proposes to change is refused.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// It has not answered, or with an error.
    #[error(transparent)]
    Request(#[from] RequestError),
}

impl From<SessionGone> for OperationError {
    fn from(gone: SessionGone) -> Self {
        OperationError::Request(gone.into())
    }
}

fn clause(doing: &[String]) -> String {
    match doing {
        [] => String::new(),
        doing => format!(" ({})", doing.join(", ")),
    }
}
