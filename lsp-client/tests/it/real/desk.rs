//! A project with the servers that look at it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use fourfold_child::Guard;
use fourfold_lsp_client::{
    Catalog, Change, DetectConfig, Detector, Diagnostic, FileEvent, InUse, PoolConfig, Servers,
    SessionLimits, Settled, Severity, Trust,
};
use fourfold_testkit::{Project, Seen, Write, fresh, leftovers, program, servers};

/// The longest that any answer may take: far more than a healthy server needs on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A project, and the servers that may be started for it.
pub(crate) struct Desk {
    pub(crate) project: Arc<Project>,
    pub(crate) servers: Servers,
}

/// A server in use.
pub(crate) struct Server {
    pub(crate) session: InUse,
    language: String,
    project: Arc<Project>,
}

/// A search path on which those programs are the first of their kind: links in a folder of the test.
fn search_path(programs: &[&str], folder: &Path) -> OsString {
    fs::create_dir_all(folder).unwrap();
    for program in programs.iter().collect::<BTreeSet<_>>() {
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

impl Desk {
    /// A project for which the servers of these names are there. Starts nothing.
    pub(crate) fn new(project: Project, names: &[&str]) -> Desk {
        Desk::with(project, names, PoolConfig::default())
    }

    pub(crate) fn with(project: Project, names: &[&str], pool: PoolConfig) -> Desk {
        let programs: Vec<_> = names
            .iter()
            .flat_map(|name| servers::known(name).1)
            .copied()
            .collect();
        let mut config = DetectConfig::new(project.beside().join("state"));
        config.search_path = search_path(&programs, &project.beside().join("bin"));
        config.guard = Guard::Program(program::guard());
        let catalog = Catalog::built_in();
        let detector = Detector::new(catalog, project.root(), Trust::Untrusted, config).unwrap();
        Desk {
            project: Arc::new(project),
            servers: Servers::new(Arc::new(detector), pool, SessionLimits::default()),
        }
    }

    /// The server of this name, for a file.
    pub(crate) async fn server(&self, name: &str, file: &str) -> Server {
        let (row, programs) = servers::known(name);
        let found = self
            .servers
            .detector()
            .detect(&self.project.path(file))
            .await;
        let found = found
            .into_iter()
            .find(|found| found.server.id == row)
            .unwrap();
        let how = found.launchable().unwrap_or_else(|| panic!("{found}"));
        assert_eq!(how.program.file_name().unwrap(), programs[0], "{found}");
        Server {
            session: self.servers.session(how).await.unwrap(),
            language: found.language_id.clone(),
            project: Arc::clone(&self.project),
        }
    }

    /// What runs for the project now: the folder of its programs is on the search path of all that
    /// was started for it.
    pub(crate) fn processes(&self) -> Vec<leftovers::Process> {
        leftovers::of_folder(&self.project.beside())
    }

    /// Ends the servers as the product does, and asserts that nothing is left.
    pub(crate) async fn close(self) {
        self.servers.shutdown().await;
        leftovers::assert_none(&self.project.beside());
    }
}

impl Server {
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
