//! A temporary checkout.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use fourfold::{
    Cache, Checkout, Control, Conversation, Error, GrepRequest, GrepResult, Host, HostConfig,
    Limits, RewriteRequest, RewriteResult,
};

pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(crate) fn checkout(&self) -> Arc<Checkout> {
        self.with_limits(Limits::default())
    }

    pub(crate) fn with_limits(&self, limits: Limits) -> Arc<Checkout> {
        host(limits).checkout(self.root()).unwrap()
    }

    /// A conversation of a host of its own: as good as another process.
    pub(crate) fn conversation(&self) -> Conversation {
        self.checkout().conversation("test")
    }

    pub(crate) fn grep(&self, request: &GrepRequest) -> GrepResult {
        self.checkout().grep(request, &Control::new()).unwrap()
    }

    pub(crate) fn grep_error(&self, request: &GrepRequest) -> String {
        self.checkout()
            .grep(request, &Control::new())
            .unwrap_err()
            .to_string()
    }

    pub(crate) fn rewrite(&self, request: &RewriteRequest) -> (Conversation, RewriteResult) {
        let conversation = self.conversation();
        let result = conversation.rewrite(request, &Control::new()).unwrap();
        (conversation, result)
    }

    pub(crate) fn rewrite_error(&self, request: &RewriteRequest) -> Error {
        self.conversation()
            .rewrite(request, &Control::new())
            .unwrap_err()
    }
}

/// A host that knows no user and starts no language server.
pub(crate) fn host(limits: Limits) -> Host {
    Host::new(config(limits))
}

/// What it is set up with.
pub(crate) fn config(limits: Limits) -> HostConfig {
    let mut config = HostConfig::with_limits(limits);
    config.user_folder = None;
    config.index_cache = Cache::Memory;
    config.servers.enabled = false;
    config
}

/// `path:line:column text` for each match.
pub(crate) fn lines(result: &GrepResult) -> Vec<String> {
    let matches = result
        .files
        .iter()
        .flat_map(|file| file.matches.iter().map(move |found| (file, found)));
    matches
        .map(|(file, found)| {
            let (line, column) = (found.start.line, found.start.column);
            format!("{}:{line}:{column} {}", file.path, found.text)
        })
        .collect()
}
