//! What a project file says about where modules are.

use serde::{Deserialize, Serialize};

/// The part of a project file that tells where modules are. A pure function of the file's bytes,
/// as facts are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Manifest {
    /// `Cargo.toml`.
    Cargo {
        /// The package's name; none for a workspace without one.
        package: Option<String>,
        /// The library's name and path, where they are set.
        lib: (Option<String>, Option<String>),
        /// Every other target that is set: its kind (`bin`, `test`, …), name and path.
        targets: Vec<(String, Option<String>, Option<String>)>,
        /// Dependencies: the name they have here, the package's name when it is another one, the
        /// path when it is set. One whose package lies in the checkout is taken to be that.
        dependencies: Vec<(String, Option<String>, Option<String>)>,
    },
    /// `package.json`.
    Npm {
        /// The package's name.
        name: Option<String>,
        /// Where its modules are: `main`, `module`, `types`, `source`, and the paths of `exports`
        /// by subpath.
        entries: Vec<(String, String)>,
        /// Globs of the workspace's packages.
        workspaces: Vec<String>,
    },
    /// `tsconfig.json` or `jsconfig.json`.
    TypeScript {
        /// The file it goes on from.
        extends: Vec<String>,
        /// `baseUrl`.
        base_url: Option<String>,
        /// `paths`: pattern and where it leads.
        paths: Vec<(String, Vec<String>)>,
    },
    /// `go.mod`.
    Go {
        /// The module's path.
        module: String,
    },
    /// `pubspec.yaml`.
    Dart {
        /// The package's name.
        name: String,
    },
    /// `composer.json`.
    Composer {
        /// PSR-4 prefixes and their folders.
        psr4: Vec<(String, String)>,
    },
}
