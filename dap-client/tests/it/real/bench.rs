//! What a test needs to debug a program.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fourfold_dap_client::program::{Plan, ProgramError, ProgramRequest, Runner, choose, prepare};
use fourfold_dap_client::{AdapterCatalog, End};
use fourfold_dap_client::{
    AdaptersConfig, AttachRequest, DebugError, Debugger, DebuggerConfig, LaunchRequest, Outcome,
    Session, Stop, Target,
};
use fourfold_testkit::{Project, adapters, leftovers, program};

/// A project and its debugger; when it goes, nothing of the project may be left running.
pub(super) struct Bench {
    pub(super) project: Project,
    pub(super) debugger: Debugger,
}

impl Bench {
    pub(super) fn new(project: Project) -> Bench {
        Bench::with(project, |_| {})
    }

    pub(super) fn with(project: Project, change: impl FnOnce(&mut DebuggerConfig)) -> Bench {
        let mut config = config(project.root());
        change(&mut config);
        Bench {
            project,
            debugger: Debugger::new(config),
        }
    }

    /// What would be launched.
    pub(super) async fn plan(&self, request: &ProgramRequest) -> LaunchRequest {
        planned(&self.debugger, self.project.root(), request)
            .await
            .unwrap()
    }

    pub(super) async fn launch(
        &self,
        request: &ProgramRequest,
        change: impl FnOnce(&mut LaunchRequest),
    ) -> Result<(Session, Outcome), DebugError> {
        let mut launch = self.plan(request).await;
        change(&mut launch);
        self.debugger.launch(launch).await
    }

    /// A session that is attached to a process, which goes on.
    pub(super) async fn attached(&self, adapter: &str, program: &Child) -> Session {
        let mut request = AttachRequest::new(adapter, Target::Pid(program.id()));
        request.wait = Some(Duration::from_millis(1));
        self.debugger.attach(request).await.unwrap().0
    }

    /// Ends the session, and asserts that nothing of it is left.
    pub(super) async fn end(&self) {
        let end = self.debugger.terminate().await.unwrap();
        assert_eq!(end.left, Some(0), "{end}");
        leftovers::assert_none(self.project.root());
    }
}

/// A debugger's settings for the checkout in a folder.
pub(super) fn config(root: &Path) -> DebuggerConfig {
    let mut config = DebuggerConfig::new(root.to_owned());
    config.catalog = catalog();
    config.detect.search_path = adapters::path();
    config.detect.virtual_env = Some(adapters::folder().join("venv"));
    config.detect.guard = fourfold_child::Guard::Program(program::guard());
    // Machines that test are busy.
    config.limits.wait = Duration::from_secs(60);
    config.limits.connect = Duration::from_secs(60);
    config.limits.request = Duration::from_secs(60);
    config
}

/// What would be launched for a request in the checkout `root`.
pub(super) async fn planned(
    debugger: &Debugger,
    root: &Path,
    request: &ProgramRequest,
) -> Result<LaunchRequest, ProgramError> {
    let plan = Plan::new(request, root)?;
    let adapter = choose(&plan, debugger.detector()).await?;
    let runner = Runner::of(&debugger.config().detect);
    let mut launch = prepare(&plan, &adapter, &runner).await?;
    // What a test leaves behind is found by it.
    let mark = root.display().to_string();
    launch.env.insert("FOURFOLD_TEST".to_owned(), mark);
    Ok(launch)
}

/// The adapters, that of JavaScript where `cargo xtask adapters` puts it.
pub(super) fn catalog() -> AdapterCatalog {
    let script = adapters::js_debug();
    let node = adapters::find("node");
    let config = serde_json::json!({
        "js-debug": { "command": [node, script, "0", "127.0.0.1"] }
    });
    let config: AdaptersConfig = serde_json::from_value(config).unwrap();
    AdapterCatalog::built_in()
        .configured(&config, false)
        .unwrap()
}

/// An example of this crate: they are built beside the tests.
pub(super) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.exists(), "build the examples: {}", path.display());
    path
}

/// A program of somebody else's that has said its first line.
pub(super) fn begun(command: &mut Command) -> Child {
    let mut program = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    program
}

#[track_caller]
pub(super) fn stopped(outcome: Outcome) -> Stop {
    match outcome {
        Outcome::Stopped(stop) => *stop,
        other => panic!("did not stop: {other}"),
    }
}

#[track_caller]
pub(super) fn exited(outcome: Outcome) -> End {
    match outcome {
        Outcome::Exited(end) => end,
        other => panic!("did not exit: {other}"),
    }
}

/// The place of the frame that a stop shows, as `FILE:LINE`.
pub(super) fn place(stop: &Stop) -> String {
    let place = stop.frame.as_ref().and_then(|frame| frame.place.as_ref());
    place.map(ToString::to_string).unwrap_or_default()
}

/// The text of a local.
pub(super) fn local<'a>(stop: &'a Stop, name: &str) -> &'a str {
    let found = stop.locals.items.iter().find(|value| value.name == name);
    &found.unwrap_or_else(|| panic!("no {name} in {stop}")).text
}

/// How long a resuming call waits for a stop that must come.
pub(super) const WAIT: Duration = Duration::from_secs(60);

/// The text of an expression in the frame of the stop.
pub(super) async fn asked(session: &Session, expression: &str) -> String {
    let query = fourfold_dap_client::EvaluateQuery::new(expression);
    session.evaluate(query).await.unwrap().text
}
