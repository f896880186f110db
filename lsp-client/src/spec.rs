//! What is known about one language server: data, without behaviour.

use std::time::Duration;

use serde_json::Value;

/// One row of the server table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerSpec {
    /// Its name in configuration, answers and logs, such as `rust-analyzer`.
    pub id: String,
    /// The files that it is asked about.
    pub documents: Vec<DocumentKind>,
    /// How the root folder of a file is found.
    pub roots: RootRule,
    /// The programs that can serve, the preferred one first.
    pub commands: Vec<ServerCommand>,
    /// `initializationOptions` of the `initialize` request; null for none.
    pub initialization_options: Value,
    /// The answer to `workspace/configuration`: the whole tree, looked up by dotted section.
    pub settings: Value,
    /// Whether it can confirm that a file is clean.
    pub role: Role,
    /// How its diagnostics arrive.
    pub diagnostics: DiagnosticsProfile,
    /// How it shows that it has loaded the project.
    pub readiness: Readiness,
    /// How to install it, one line a person can copy.
    pub install_hint: String,
}

/// Files of one LSP language id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentKind {
    /// The id that `textDocument/didOpen` names.
    pub language_id: String,
    /// Extensions without the dot.
    pub extensions: Vec<String>,
    /// Whole file names, which may be globs such as `Dockerfile*`.
    pub file_names: Vec<String>,
}

/// How the root folder is found that a server is started in. Markers are file names or globs of
/// one file name; a marker may hold a `/` for a file in a folder below, such as
/// `build/compile_commands.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootRule {
    /// The outermost folder within the checkout that holds one of these wins: a workspace.
    pub outermost: Vec<Marker>,
    /// Else the nearest folder upwards that holds one of these.
    pub nearest: Vec<Marker>,
    /// When a folder at or below the root found so holds one of these (as near to the file or
    /// nearer), the server is not for this file: `deno.json` for the TypeScript servers.
    pub unless: Vec<Marker>,
    /// Whether the checkout's root serves when no marker is found: languages of single files.
    pub single_file: bool,
}

/// A file that marks a root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marker {
    /// File name or glob.
    pub name: String,
    /// A text that the file must hold, such as `[workspace]` in `Cargo.toml`; at most the first
    /// megabyte is looked at.
    pub containing: Option<String>,
}

/// A program that can serve.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerCommand {
    /// The name of the program, without folder.
    pub program: String,
    /// Its arguments. `{root}` stands for the root folder, `{state}` for a folder outside the
    /// checkout that is kept for this server and root.
    pub args: Vec<String>,
    /// Folders below the root, and below each folder between it and the checkout's root, that are
    /// looked into before the search path, such as `node_modules/.bin`. What is found there runs
    /// only in a trusted checkout.
    pub look_in: Vec<String>,
    /// Arguments of a run whose success proves that the program is more than a name, and how; run
    /// only for a rustup proxy, whatever this says.
    pub proof: Option<Vec<String>>,
    /// Programs that must be found too, such as `shellcheck` for the server of Bash: each with
    /// what is missing without it.
    pub needs: Vec<Need>,
}

/// A second program that a server cannot do without.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// The name of the program.
    pub program: String,
    /// What the server does not do without it, and how to install it.
    pub why: String,
}

/// Whether a server's silence about a file means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It checks names and types: it can make a verdict clean.
    Types,
    /// It checks style or schemas: it makes a verdict clean only where it is the language's only
    /// server.
    Linter,
}

/// How the diagnostics of a server arrive, and how long each step takes. The durations are the
/// defaults of this server; a host can replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiagnosticsProfile {
    /// Whether publishes carry the version of the text. A server that turns out to send versions
    /// that never match is treated as one without.
    pub versioned: bool,
    /// Whether it publishes nothing when a clean file stays clean.
    pub silent_when_clean: bool,
    /// How it can be asked directly, beside `textDocument/diagnostic`.
    pub ask: Option<Ask>,
    /// The check that a save starts, whose findings come after the others.
    pub after_save: Option<AfterSave>,
    /// How long a publish must stay the last one before it counts.
    pub settle: Duration,
    /// How long the first publish after a change may take before the server counts as silent.
    pub appear: Duration,
    /// The whole wait for a server that is up.
    pub warm: Duration,
    /// The whole wait for one that was just started.
    pub cold: Duration,
}

/// A way to ask a server for the diagnostics of a file that is not part of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ask {
    /// `workspace/executeCommand` with `typescript.tsserverRequest`: the commands
    /// `syntacticDiagnosticsSync` and `semanticDiagnosticsSync` of tsserver.
    TsServer,
}

/// A check of the project that `textDocument/didSave` starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AfterSave {
    /// The beginning of the tokens of its work-done progress.
    pub token: String,
    /// How long its beginning may take.
    pub begin: Duration,
    /// How long no new run must begin after the last one ended.
    pub quiet: Duration,
    /// How long a write waits for its end.
    pub budget: Duration,
}

/// How a server shows that it has loaded the project; before that its answers may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Readiness {
    /// It answers right from the start, or holds its answers back.
    AtOnce,
    /// `experimental/serverStatus` with `quiescent`.
    ServerStatus,
    /// The work-done progress whose title begins so has ended, and none is open.
    Progress(String),
    /// `language/status` with this type.
    LanguageStatus(String),
    /// No work-done progress was open for half a second.
    NoProgress,
}
