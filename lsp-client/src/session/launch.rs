//! What it takes to start a session.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

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
            Self::Pipes { .. } => f.write_str("Pipes"),
        }
    }
}
