//! What runs before a launch.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fourfold_child::Guard;

use super::plan::Kind;
use super::run::Command;
use super::{Plan, ProgramError, cargo, python, redirect};
use crate::adapter::{DetectConfig, Detector, Launchable};
use crate::request::LaunchRequest;

/// How commands run before a launch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Runner {
    /// Who ends them when we cannot.
    pub guard: Guard,
    /// The search path, in the form of `PATH`.
    pub search_path: OsString,
    /// How long a build may take; 5 min. The first build of a large project takes longer, and goes
    /// on from there the next time.
    pub build: Duration,
    /// How long a short question to a program may take, such as for the list of its tests; 20 s.
    pub question: Duration,
}

impl Runner {
    /// As adapters are looked for.
    #[must_use]
    pub fn of(config: &DetectConfig) -> Self {
        Self {
            guard: config.guard.clone(),
            search_path: config.search_path.clone(),
            build: Duration::from_secs(300),
            question: Duration::from_secs(20),
        }
    }
}

/// What was learned before a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Learned {
    /// What was built, or which of several programs it is.
    pub(super) executable: Option<PathBuf>,
    /// The exact names of the tests that Cargo built.
    pub(super) tests: Option<Vec<String>>,
    /// Where the program's ecosystem runs it.
    pub(super) cwd: Option<PathBuf>,
    /// What its ecosystem tells it.
    pub(super) env: Vec<(String, String)>,
    /// Whether this Python has pytest.
    pub(super) pytest: bool,
    /// The Rust toolchain, which has printers of values.
    pub(super) sysroot: Option<PathBuf>,
    /// What is removed when the session has ended.
    pub(super) scratch: Option<Scratch>,
    /// What the program is to read.
    pub(super) stdin: Option<PathBuf>,
    /// Where the exit code is written to, of a program that runs in a shell of ours.
    pub(super) code: Option<PathBuf>,
    /// The Node.js that runs it.
    pub(super) node: Option<PathBuf>,
}

/// The first adapter for a program that can be started.
///
/// # Errors
/// [`ProgramError::NoAdapter`] says of each why not.
pub async fn choose(plan: &Plan, detector: &Detector) -> Result<Launchable, ProgramError> {
    let mut found = Vec::new();
    for id in plan.adapters(detector.catalog())? {
        let Some(detection) = detector.find(&id).await else {
            continue;
        };
        match detection.launchable() {
            Some(launchable) => return Ok(launchable.clone()),
            None => found.push(detection.to_string()),
        }
    }
    Err(ProgramError::NoAdapter {
        program: plan.title().to_owned(),
        found,
    })
}

/// Builds what must be built, finds out what must be known, and says what to launch.
///
/// *Cancel safety*: when the future is dropped, whatever runs is ended.
///
/// # Errors
/// [`ProgramError::BuildFailed`] with the compiler's errors; that there is no such test; that a
/// command could not be run or took too long.
pub async fn prepare(
    plan: &Plan,
    adapter: &Launchable,
    runner: &Runner,
) -> Result<LaunchRequest, ProgramError> {
    plan.suits(&adapter.adapter)?;
    if let Some(line) = &plan.build {
        Command::shell(line).build(&plan.cwd, runner).await?;
    }
    let mut learned = Learned::default();
    match &plan.kind {
        Kind::PythonTest(test) => {
            learned.pytest = python::has_pytest(&adapter.program, &plan.cwd, runner).await;
            learned.cwd = (!learned.pytest).then(|| test.top());
        }
        Kind::Go(go) => {
            let scratch = Scratch::new()?;
            let executable = scratch.folder().join("program");
            let output = go.command(&executable).build(&go.folder, runner).await?;
            if !executable.is_file() {
                let said = format!("{}\n{}", output.stdout.trim(), output.stderr.trim());
                return Err(go.command(&executable).failed("no program", said.trim()));
            }
            learned.executable = Some(executable);
            learned.cwd = go.test.is_some().then(|| go.folder.clone());
            learned.scratch = Some(scratch);
        }
        Kind::Cargo(wanted) => cargo::build(wanted, runner, &mut learned).await?,
        Kind::Native(_) => {
            let file = plan.file().unwrap_or(&plan.cwd);
            // It may have been built only now.
            let executable = super::native::checked(file)?;
            if executable.rust {
                learned.sysroot = cargo::sysroot(&plan.cwd, runner).await;
            }
            learned.executable = Some(file.to_owned());
        }
        Kind::Node(_) => {
            learned.node = node(runner);
            let scratch = Scratch::new()?;
            learned.code = Some(scratch.folder().join("code"));
            learned.scratch = Some(scratch);
        }
        Kind::Script(_) | Kind::Module(_) => {}
    }
    if let Some(text) = plan.stdin() {
        if !redirect::can(&adapter.adapter.id) {
            return Err(ProgramError::NoStdin {
                adapter: adapter.adapter.id.clone(),
            });
        }
        let scratch = match learned.scratch.take() {
            Some(scratch) => scratch,
            None => Scratch::new()?,
        };
        let file = scratch.folder().join("stdin");
        fs::write(&file, text).map_err(|error| ProgramError::NotStarted {
            command: format!("writing {}", file.display()),
            why: error.to_string(),
        })?;
        learned.stdin = Some(file);
        learned.scratch = Some(scratch);
    }
    Ok(plan.launch(adapter, learned))
}

/// The Node.js of the search path, of which folders that are relative, and so the project's, count
/// for nothing.
fn node(runner: &Runner) -> Option<PathBuf> {
    let lookup = fourfold_child::which("node".as_ref(), &runner.search_path, Path::new("/"));
    lookup.first().map(Path::to_path_buf)
}

/// A folder of ours that goes when nobody keeps it.
#[derive(Clone, Debug)]
pub(super) struct Scratch(std::sync::Arc<Held>);

#[derive(Debug)]
struct Held {
    folder: PathBuf,
    kept: std::sync::atomic::AtomicBool,
}

/// What the names of such folders begin with; behind it the process they belong to.
const PREFIX: &str = "fourfold-debug-";

impl Scratch {
    fn new() -> Result<Scratch, ProgramError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let place = std::env::temp_dir();
        sweep_in(&place);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = place.join(format!("{PREFIX}{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(|error| ProgramError::NotStarted {
            command: format!("mkdir {}", folder.display()),
            why: error.to_string(),
        })?;
        Ok(Scratch(std::sync::Arc::new(Held {
            folder,
            kept: false.into(),
        })))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// From here on somebody else removes it.
    pub(super) fn keep(&self) -> PathBuf {
        self.0.kept.store(true, Ordering::Relaxed);
        self.0.folder.clone()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.kept.load(Ordering::Relaxed) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Removes the folders that hosts left which were killed while something was debugged. A host calls it
/// when it starts; it is quick, and a launch that needs a folder does the same.
pub fn sweep() {
    sweep_in(&std::env::temp_dir());
}

/// Removes the folders of processes that were killed.
fn sweep_in(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| {
            let (pid, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
            pid.parse::<u32>().ok()
        });
        let is_gone = |pid: u32| {
            Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{pid}")).exists()
        };
        if owner.is_some_and(is_gone) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_goes_unless_it_is_kept() {
        let gone = Scratch::new().unwrap();
        let folder = gone.folder().to_owned();
        assert!(folder.is_dir());
        drop(gone);
        assert!(!folder.exists());
        let kept = Scratch::new().unwrap().keep();
        assert!(kept.is_dir());
        fs::remove_dir(&kept).unwrap();
    }

    #[test]
    fn folders_of_the_dead_are_swept_and_no_others() {
        let place = tempfile::tempdir().unwrap();
        // No process has so high a number.
        let dead = place.path().join(format!("{PREFIX}4294967295-0"));
        let live = place
            .path()
            .join(format!("{PREFIX}{}-7", std::process::id()));
        let other = place.path().join("fourfold-debug-notes");
        for folder in [&dead, &live, &other] {
            fs::create_dir(folder).unwrap();
        }
        sweep_in(place.path());
        assert!(!dead.exists() && live.exists() && other.exists());
    }
}
