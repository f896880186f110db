//! A checkout with language servers, real ones or scripts in their place.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;

use fourfold::{
    Cache, Checkout, Conversation, Guard, Host, HostConfig, Limits, LspAction, LspRequest,
    LspResult, Policy,
};
use fourfold_testkit::{FakeProgram, Project, Script, leftovers, program, servers};

/// The checkout, and the folder of programs that is all its search path has first.
pub(crate) struct Served {
    pub(crate) project: Project,
    host: Host,
    conversation: Conversation,
}

impl Served {
    /// A checkout whose servers are in the folder `bin` beside it, and nowhere else.
    pub(crate) fn alone(files: &[(&str, &str)]) -> Served {
        Served::with(files, |bin| bin.into())
    }

    /// A checkout with these real servers, and the machine's programs for them to use.
    pub(crate) fn real(files: &[(&str, &str)], programs: &[&str]) -> Served {
        Served::real_within(files, programs, Limits::default())
    }

    /// [`real`](Served::real), with other limits.
    pub(crate) fn real_within(files: &[(&str, &str)], programs: &[&str], limits: Limits) -> Served {
        Served::real_project(project(files), programs, HostConfig::with_limits(limits))
    }

    /// [`real`](Served::real), in a project that is there.
    pub(crate) fn real_in(project: Project, programs: &[&str]) -> Served {
        Served::real_project(project, programs, HostConfig::default())
    }

    fn real_project(project: Project, programs: &[&str], config: HostConfig) -> Served {
        Served::open(project, config, |bin| {
            for program in programs {
                symlink(servers::find(program), bin.join(program)).unwrap();
            }
            let machine = std::env::var_os("PATH").unwrap_or_default();
            let all = [bin.to_path_buf()];
            let all = all.into_iter().chain(std::env::split_paths(&machine));
            std::env::join_paths(all).unwrap()
        })
    }

    /// A checkout whose files `*.fake` are looked at by a server that plays a script, which is told
    /// the URI of the root. Nobody waits for a verdict longer than `patience`, in milliseconds.
    pub(crate) fn scripted(
        files: &[(&str, &str)],
        patience: u64,
        script: impl FnOnce(&str) -> Script,
    ) -> Served {
        Served::scripted_all(files, patience, |root| vec![("fake", false, script(root))])
    }

    /// The same with several servers of the same files, each with its name and whether it is a linter.
    pub(crate) fn scripted_all(
        files: &[(&str, &str)],
        patience: u64,
        scripts: impl FnOnce(&str) -> Vec<(&'static str, bool, Script)>,
    ) -> Served {
        let project = project(files);
        let root = format!("file://{}", project.root().display());
        let beside = project.beside();
        let mut table = String::new();
        for (name, linter, script) in scripts(&root) {
            let fake = FakeProgram::new(&script, &beside.join(format!("script-{name}")));
            let program = [fake.program.to_str().unwrap().to_owned()];
            let command: Vec<String> = program.into_iter().chain(fake.args).collect();
            table += &format!(
                "[servers.{name}]\ncommand = {command:?}\nlanguage = \"fake\"\nlinter = {linter}\n\
                 extensions = [\"fake\"]\nroot_markers = []\n"
            );
        }
        let user = beside.join("user");
        fs::create_dir(&user).unwrap();
        fs::write(user.join("fourfold.toml"), table).unwrap();
        let mut config = HostConfig::default();
        config.limits.max_verdict_ms = patience;
        config.limits.max_cold_verdict_ms = patience;
        config.limits.max_before_ms = config.limits.max_before_ms.min(patience);
        Served::open(project, config, |bin| bin.into())
    }

    /// [`alone`](Served::alone), where somebody is asked first.
    pub(crate) fn asking(files: &[(&str, &str)], policy: Policy) -> Served {
        let mut config = HostConfig::default();
        config.policy = policy;
        Served::open(project(files), config, |bin| bin.into())
    }

    fn with(files: &[(&str, &str)], path: impl FnOnce(&Path) -> OsString) -> Served {
        Served::open(project(files), HostConfig::default(), path)
    }

    fn open(
        project: Project,
        mut config: HostConfig,
        path: impl FnOnce(&Path) -> OsString,
    ) -> Served {
        let beside = project.beside();
        let bin = beside.join("bin");
        fs::create_dir(&bin).unwrap();
        config.user_folder = Some(beside.join("user"));
        config.index_cache = Cache::Folder(beside.join("index"));
        config.servers.search_path = Some(path(&bin));
        config.servers.state_folder = beside.join("state");
        config.servers.guard = Guard::Program(program::guard());
        let host = Host::new(config);
        let checkout = host.checkout(project.root()).unwrap();
        Served {
            project,
            host,
            conversation: checkout.conversation("test"),
        }
    }

    /// A program in place of a real one: a shell script that leaves its name behind.
    pub(crate) fn program(&self, path: &Path, script: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let started = self.project.beside().join("started");
        let text = format!(
            "#!/bin/sh\necho {name} >> {}\n{script}\n",
            started.display()
        );
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// One on the search path.
    pub(crate) fn on_path(&self, name: &str, script: &str) {
        self.program(&self.project.beside().join("bin").join(name), script);
    }

    /// The scripts that were started.
    pub(crate) fn started(&self) -> String {
        fs::read_to_string(self.project.beside().join("started")).unwrap_or_default()
    }

    pub(crate) fn checkout(&self) -> &Arc<Checkout> {
        self.conversation.checkout()
    }

    pub(crate) fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    pub(crate) fn lsp(&self, request: &LspRequest) -> LspResult {
        self.conversation.lsp(request).unwrap()
    }

    /// `name: state` of every server.
    pub(crate) fn states(&self) -> Vec<String> {
        let status = self.lsp(&LspRequest::default());
        let servers = status.servers.iter();
        servers
            .map(|one| format!("{}: {}", one.server, one.state))
            .collect()
    }

    /// What is said of one server.
    pub(crate) fn about(&self, server: &str) -> String {
        let status = self.lsp(&LspRequest::default());
        let server = status.servers.iter().find(|one| one.server == server);
        server.unwrap().about.clone()
    }

    pub(crate) fn everywhere(&self) -> LspResult {
        self.lsp(&LspRequest::about(LspAction::Diagnostics, "*"))
    }

    /// Ends the servers, and asserts that nothing is left.
    pub(crate) fn close(self) {
        self.lsp(&LspRequest {
            action: LspAction::Reload,
            ..LspRequest::default()
        });
        let Served {
            project,
            host,
            conversation,
        } = self;
        drop((conversation, host));
        leftovers::assert_none(&project.beside());
    }
}

fn project(files: &[(&str, &str)]) -> Project {
    let mut project = Project::new();
    for (path, text) in files {
        project = project.file(path, text);
    }
    project
}

/// `path:line:column` of each place.
pub(crate) fn places(result: &LspResult) -> Vec<String> {
    let places = result.places.iter();
    places
        .map(|place| format!("{}:{}:{}", place.path, place.line, place.column))
        .collect()
}
