//! A project with the servers that look at it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use fourfold_child::{Guard, Spawn};
use fourfold_lsp_client::{
    Catalog, Change, DetectConfig, Detector, Diagnostic, FileEvent, Launch, Launchable, Session,
    SessionLimits, Settled, Severity, Transport, Trust,
};
use fourfold_testkit::{Project, Seen, Write, fresh, leftovers, program, servers};

/// The longest that any answer may take: far more than a healthy server needs on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A server that runs.
pub(crate) struct Server {
    pub(crate) session: Session,
    language: String,
    project: Arc<Project>,
}

/// The row of the table and the programs that a server of this name needs; the first is the server.
fn known(name: &str) -> (&'static str, &'static [&'static str]) {
    match name {
        "rust-analyzer" => ("rust-analyzer", &["rust-analyzer"]),
        "pyright" => ("pyright", &["pyright-langserver", "node"]),
        "basedpyright" => ("pyright", &["basedpyright-langserver", "node"]),
        "ruff" => ("ruff", &["ruff"]),
        "typescript" => ("typescript", &["typescript-language-server", "node"]),
        "gopls" => ("gopls", &["gopls", "go"]),
        "clangd" => ("clangd", &["clangd-19"]),
        "bash" => ("bash", &["bash-language-server", "node", "shellcheck"]),
        "json" => ("json", &["vscode-json-language-server", "node"]),
        other => panic!("{other}: which programs are that?"),
    }
}

/// A search path on which those programs are the first of their kind: links in a folder beside the
/// project.
fn search_path(programs: &[&str], folder: &Path) -> OsString {
    fs::create_dir_all(folder).unwrap();
    for program in programs {
        symlink(servers::find(program), folder.join(program)).unwrap();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths(
        [folder.to_owned()]
            .into_iter()
            .chain(env::split_paths(&path)),
    )
    .unwrap()
}

impl Server {
    /// Starts the server of this name for a file of the project.
    pub(crate) async fn start(name: &str, project: &Arc<Project>, file: &str) -> Server {
        let (row, programs) = known(name);
        let beside = project.beside();
        let mut config = DetectConfig::new(beside.join("state"));
        config.search_path = search_path(programs, &beside.join(name));
        config.guard = Guard::Program(program::guard());
        let catalog = Catalog::built_in();
        let detector = Detector::new(catalog, project.root(), Trust::Untrusted, config).unwrap();
        let found = detector.detect(&project.path(file)).await;
        let found = found
            .into_iter()
            .find(|found| found.server.id == row)
            .unwrap();
        let how = found.launchable().unwrap_or_else(|| panic!("{found}"));
        assert_eq!(how.program.file_name().unwrap(), programs[0], "{found}");
        let session = launch(how).await;
        Server {
            session,
            language: found.language_id.clone(),
            project: Arc::clone(project),
        }
    }

    /// Makes the server know a file that nobody changes, and waits until it has seen it.
    pub(crate) async fn look_at(&self, file: &str) {
        let path = self.project.path(file);
        self.session.open(&path, &self.language).await.unwrap();
        let settled = self.session.settle(&path, PATIENCE).await;
        assert!(
            settled.evidence.is_confirmed(),
            "{file}: {:?}",
            settled.evidence
        );
    }

    /// What it says about the text that a file has now.
    pub(crate) async fn baseline(&self, file: &str) -> Settled {
        let text = self.project.read(file);
        let path = self.project.path(file);
        self.session
            .baseline(&path, &self.language, &text, PATIENCE)
            .await
    }

    /// Tells it what was written, and waits for what it says.
    pub(crate) async fn after(&self, file: &str, is_new: bool, text: &str) -> Settled {
        let path = self.project.path(file);
        let event = if is_new {
            FileEvent::Created
        } else {
            FileEvent::Changed
        };
        let change = Change::new(&path, event).with_text(&self.language, text);
        self.session.announce(&[change]).await.unwrap();
        self.session.settle(&path, PATIENCE).await
    }

    /// What it says about another file, opened for the purpose.
    pub(crate) fn elsewhere(&self, settled: &Settled) -> BTreeMap<String, Vec<Seen>> {
        settled
            .dependents
            .iter()
            .map(|file| {
                let path = file.path.strip_prefix(self.project.root()).unwrap();
                (path.to_str().unwrap().to_owned(), seen(&file.diagnostics))
            })
            .collect()
    }

    /// The memory that it and all it started take, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        leftovers::resident(&leftovers::of_folder(&self.project.beside()))
    }

    /// Ends it as the product does.
    pub(crate) async fn stop(self) {
        self.session.shutdown().await;
    }
}

/// Asserts that nothing is left of what was started for the project: the folder of its programs is
/// on the search path of all of them.
#[track_caller]
pub(crate) fn assert_quiet(project: &Project) {
    leftovers::assert_none(&project.beside());
}

async fn launch(how: &Launchable) -> Session {
    fs::create_dir_all(&how.state).unwrap();
    let child = Spawn::new(&how.program)
        .args(&how.args)
        .cwd(&how.root)
        .env("PATH", &how.search_path)
        .guard(Guard::Program(program::guard()))
        .spawn()
        .await
        .unwrap();
    let transport = Transport::Process(child);
    let mut launch = Launch::new(Arc::clone(&how.server), how.root.clone(), transport);
    launch.settings = how.settings.clone();
    launch.initialization_options = how.initialization_options.clone();
    Session::start(launch, SessionLimits::default())
        .await
        .unwrap()
}

/// Diagnostics as a story tells them.
pub(crate) fn seen(diagnostics: &[Diagnostic]) -> Vec<Seen> {
    diagnostics
        .iter()
        .map(|diagnostic| Seen {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information => "information",
                Severity::Hint => "hint",
            }
            .to_owned(),
            code: diagnostic.code.clone(),
            message: diagnostic.message.clone(),
            line: diagnostic.span.start.line,
            column: diagnostic.span.start.column,
        })
        .collect()
}

/// Does one write of a story under the eyes of these servers; what was wrong with what they said.
pub(crate) async fn write(
    servers: &BTreeMap<String, Server>,
    project: &Project,
    write: &Write,
) -> Vec<String> {
    let mut before = BTreeMap::new();
    let exists = project.path(&write.file).exists();
    for (name, server) in servers.iter().filter(|_| exists) {
        let baseline = server.baseline(&write.file).await;
        assert!(
            baseline.evidence.is_confirmed(),
            "{name}: {:?}",
            baseline.evidence
        );
        println!("{name}: baseline after {:?}", baseline.took);
        before.insert(name, seen(&baseline.diagnostics));
    }
    let (_, text) = write.apply(project);
    let mut wrong = Vec::new();
    let mut elsewhere = BTreeMap::new();
    for (name, server) in servers {
        let settled = server.after(&write.file, !exists, &text).await;
        if !settled.evidence.is_confirmed() {
            wrong.push(format!("{name}: {:?}", settled.evidence));
        }
        if write.within().is_some_and(|within| settled.took > within) {
            wrong.push(format!("{name} took {:?}", settled.took));
        }
        let before = before.get(name).map(Vec::as_slice).unwrap_or_default();
        let after = seen(&settled.diagnostics);
        let (new, gone) = (fresh(before, &after), fresh(&after, before));
        wrong.extend(write.judge(name, &new, &gone, &text));
        elsewhere.extend(server.elsewhere(&settled));
        println!(
            "{name}: {:?} after {:.2} s: {} new, {} gone, {} in all; {} other files",
            settled.evidence,
            settled.took.as_secs_f32(),
            new.len(),
            gone.len(),
            after.len(),
            elsewhere.len(),
        );
    }
    wrong.extend(write.judge_elsewhere(&elsewhere));
    wrong
}
