//! What is known about one language server: data, without behaviour.

use std::time::Duration;

use serde_json::Value;

/// One row of the server table. [`ServerSpec::new`] makes one that is filled in field by field.
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
    /// `initializationOptions` of the `initialize` request; null for none. Texts in it, and in the
    /// settings, may hold `{root}` and `{state}` as the arguments of a command may. An object
    /// `{"$first": [PATH, …]}` stands for the first of these that exists, and is left out when none
    /// does; what lies in the checkout counts only in a trusted one.
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
    /// Servers that do the same work better: where one of them can serve a file, this one is not
    /// started for it.
    pub only_without: Vec<String>,
    /// Whether a start takes tens of seconds or a gigabyte: it is then kept longer when idle.
    pub heavy: bool,
    /// Who chose what it runs and how: the settings of a server can name programs too.
    pub origin: Origin,
    /// The configuration that switched it off, if one did.
    pub disabled: Option<Origin>,
}

impl ServerSpec {
    /// A server of this name, without documents, root markers and commands; everything else is
    /// what most servers need.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            documents: Vec::new(),
            roots: RootRule::default(),
            commands: Vec::new(),
            initialization_options: Value::Null,
            settings: Value::Null,
            role: Role::Types,
            diagnostics: DiagnosticsProfile::default(),
            readiness: Readiness::NoProgress,
            install_hint: String::new(),
            only_without: Vec::new(),
            heavy: false,
            origin: Origin::BuiltIn,
            disabled: None,
        }
    }
}

/// Where a part of the server table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Compiled in.
    BuiltIn,
    /// The user's own configuration.
    User,
    /// A file of the checkout: whoever wrote the checkout chose it, and what it starts needs trust.
    Checkout,
}

/// Files of one LSP language id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentKind {
    /// The id that `textDocument/didOpen` names.
    pub language_id: String,
    /// Extensions without the dot.
    pub extensions: Vec<String>,
    /// Whole file names, which may be globs such as `Dockerfile*`.
    pub file_names: Vec<String>,
}

/// How the root folder is found that a server is started in. Only folders from the file's own up to
/// the checkout's root are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootRule {
    /// The outermost folder within the checkout that holds one of these wins: a workspace.
    pub outermost: Vec<Marker>,
    /// Else the nearest folder upwards that holds one of these.
    pub nearest: Vec<Marker>,
    /// From there upwards, as the build tool does it: from a member to what lists it.
    pub climb: Option<Climb>,
    /// When the root found so or a folder between it and the file holds one of these, the server is
    /// not for this file: `deno.json` for the servers that stand on tsserver.
    pub unless: Vec<Marker>,
    /// The same for folders between the root and the file only: the lock file of a package manager
    /// for Deno's server.
    pub unless_below: Vec<Marker>,
    /// Whether the checkout's root serves when no marker is found: languages of single files.
    pub single_file: bool,
}

/// How a build tool goes from the manifest of a part to that of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Climb {
    /// From a package to its workspace, as Cargo looks for it.
    Cargo,
    /// From a module to the `pom.xml` above it that lists it, as long as there is one.
    Maven,
}

/// A file or folder that marks a root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marker {
    /// Its name: `go.mod`. The last part may be a glob (`*.csproj`), and it may lie in a folder
    /// below (`build/compile_commands.json`).
    pub name: String,
    /// The beginning of a line that the file must have, such as `workspace:` in `pubspec.yaml`; at
    /// most the first megabyte is looked at.
    pub line: Option<String>,
}

impl Marker {
    /// A marker that counts whatever is in it.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            line: None,
        }
    }
}

/// A program that can serve.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerCommand {
    /// The name of the program. One with a `/` is a path, a relative one taken from the checkout's
    /// root; nothing is looked for then.
    pub program: String,
    /// Its arguments. `{root}` stands for the root folder, `{state}` for a folder outside the
    /// checkout that is kept for this server and root.
    pub args: Vec<String>,
    /// Folders below the root, and below each folder between it and the checkout's root, that are
    /// looked into before the search path, such as `node_modules/.bin`. What is found there runs
    /// only in a trusted checkout.
    pub look_in: Vec<String>,
    /// Whether the search path is looked into; without it only the folders of `look_in` are.
    pub search_path: bool,
    /// A package of npm that the checkout must have, or must not have in that version.
    pub package: Option<Package>,
    /// Programs that must be found too, such as `shellcheck` for the server of Bash: each with
    /// what is missing without it.
    pub needs: Vec<Need>,
}

/// Where projects keep programs of their own.
const PROJECT_FOLDERS: [&str; 4] = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];

impl ServerCommand {
    /// A program that is looked for where projects keep theirs (`node_modules/.bin`, `.venv/bin`,
    /// `venv/bin`, `vendor/bin`), then on the search path.
    #[must_use]
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            look_in: PROJECT_FOLDERS.map(str::to_owned).to_vec(),
            search_path: true,
            package: None,
            needs: Vec::new(),
        }
    }
}

/// A condition on a package of npm, as it is installed in `node_modules` of the root or of a folder
/// between it and the checkout's root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Whether the command can do without it. If not, it must be installed.
    pub optional: bool,
    /// The first major version that serves.
    pub at_least: Option<u64>,
    /// The first major version that does not serve any more.
    pub below: Option<u64>,
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
    /// Whether it tells what is wrong in files that are not open too, when a change of another file
    /// made it so.
    pub unopened: bool,
    /// What its errors may hide, also in other files, because it looks no further than they let it:
    /// what it does not find any more may still be there.
    pub errors_hide: Hides,
    /// How it can be asked directly, beside `textDocument/diagnostic`.
    pub ask: Option<Ask>,
    /// The check of the whole project that finds what the server does not find by itself.
    pub check: Option<ProjectCheck>,
    /// How long a publish must stay the last one before it counts.
    pub settle: Duration,
    /// How long the first publish after a change may take before the server counts as silent.
    pub appear: Duration,
    /// The whole wait for a server that is up.
    pub warm: Duration,
    /// The whole wait for one that was just started.
    pub cold: Duration,
}

impl Default for DiagnosticsProfile {
    /// What fits a server that nobody has measured.
    fn default() -> Self {
        Self {
            versioned: false,
            silent_when_clean: false,
            unopened: false,
            errors_hide: Hides::Nothing,
            ask: None,
            check: None,
            // Second rounds of one version were seen up to 50 ms after the first, on a busy machine.
            settle: Duration::from_millis(400),
            // The slowest server that pushes takes less than 3 s to begin on a large project.
            appear: Duration::from_secs(5),
            // The slowest warm answer on a project of 100,000 lines took 8 s.
            warm: Duration::from_secs(10),
            // Loading such a project takes tens of seconds.
            cold: Duration::from_secs(60),
        }
    }
}

/// What the errors of a server may hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hides {
    /// Nothing: it finds what there is beside them.
    Nothing,
    /// What is no error: it vets only what has types.
    Lesser,
    /// Other errors too: it stops at some.
    All,
}

/// A way to ask a server for the diagnostics of a file that is not part of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ask {
    /// `workspace/executeCommand` with `typescript.tsserverRequest`: the commands
    /// `syntacticDiagnosticsSync` and `semanticDiagnosticsSync` of tsserver.
    TsServer,
}

/// A check of the whole project that a server makes when it is told to.
///
/// It is started by a request of its own and not by saving a file: what a save starts may look at a
/// part of the project alone, and begins whenever the server comes to it, so that nothing would tell
/// which save a run belongs to. The server's settings must keep saves from starting one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectCheck {
    /// The notification that starts it, for the whole project; a run that goes on is cancelled.
    pub start: String,
    /// The beginning of the tokens of its work-done progress.
    pub token: String,
    /// How long its beginning may take.
    pub begin: Duration,
    /// How long a write waits for its end.
    pub budget: Duration,
}

impl ProjectCheck {
    /// A check that `start` starts and whose progress has tokens that begin with `token`.
    #[must_use]
    pub fn new(start: impl Into<String>, token: impl Into<String>) -> Self {
        Self {
            start: start.into(),
            token: token.into(),
            // Less than a second, but for a machine with much else to do.
            begin: Duration::from_secs(15),
            budget: Duration::from_secs(20),
        }
    }
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
