//! What it takes to start a session.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fourfold_child::{Child, EndedBy};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::{Farewell, LastWords};
use crate::spec::ServerSpec;

/// A server that is about to be spoken to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Launch {
    /// What is known about it.
    pub spec: Arc<ServerSpec>,
    /// The folder that it works in: absolute, links resolved. It is also the working directory of
    /// its program.
    pub root: PathBuf,
    /// Its settings, placeholders filled in; those of the spec unless they are replaced.
    pub settings: Value,
    /// Its `initializationOptions`, placeholders filled in; those of the spec unless replaced.
    pub initialization_options: Value,
    /// Which life of the server this is. What was learned from another one is not valid in this.
    pub generation: u64,
    /// How it is spoken to.
    pub transport: Transport,
}

impl Launch {
    /// A first life with the spec's own settings.
    #[must_use]
    pub fn new(spec: Arc<ServerSpec>, root: PathBuf, transport: Transport) -> Self {
        Self {
            settings: spec.settings.clone(),
            initialization_options: spec.initialization_options.clone(),
            spec,
            root,
            generation: 1,
            transport,
        }
    }
}

/// How a server is spoken to.
#[non_exhaustive]
pub enum Transport {
    /// To a program, over its standard input and output, which nobody has taken yet. The session
    /// ends the program when it ends.
    Process(Child),
    /// Over pipes whose other ends somebody else holds.
    Pipes {
        /// What the server writes.
        read: Box<dyn AsyncRead + Send + Unpin>,
        /// What the server reads.
        write: Box<dyn AsyncWrite + Send + Unpin>,
    },
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(child) => f.debug_tuple("Process").field(child).finish(),
            Self::Pipes { .. } => f.debug_struct("Pipes").finish_non_exhaustive(),
        }
    }
}

/// Lines of standard error that tell why a program ended.
const LAST_LINES: usize = 20;

/// What is read and written, and who has the last word.
pub(super) struct Ends {
    pub(super) read: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) write: Box<dyn AsyncWrite + Send + Unpin>,
    pub(super) child: Option<Arc<Child>>,
    pub(super) farewell: Farewell,
}

impl Transport {
    /// `None` when somebody has taken the pipes of the process. The exit of a program that has
    /// closed its output is awaited so long, then it is killed.
    pub(super) fn open(self, farewell: Duration) -> Option<Ends> {
        match self {
            Self::Process(mut child) => {
                let (stdin, stdout) = (child.take_stdin()?, child.take_stdout()?);
                let child = Arc::new(child);
                Some(Ends {
                    read: Box::new(stdout),
                    write: Box::new(stdin),
                    farewell: Box::pin(last_words(Arc::clone(&child), farewell)),
                    child: Some(child),
                })
            }
            Self::Pipes { read, write } => Some(Ends {
                read,
                write,
                child: None,
                farewell: Box::pin(async { LastWords::default() }),
            }),
        }
    }
}

async fn last_words(child: Arc<Child>, patience: Duration) -> LastWords {
    let exit = tokio::time::timeout(patience, child.wait()).await.ok();
    // It is of no use any more, and neither is what it has started.
    child.kill();
    LastWords {
        code: exit
            .filter(|exit| exit.by == EndedBy::Itself)
            .and_then(|exit| exit.code),
        exit: exit
            .filter(|exit| exit.by != EndedBy::Host)
            .map(|exit| exit.to_string()),
        stderr: child.last_words(LAST_LINES).await.join("\n"),
    }
}
