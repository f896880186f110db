//! What to start, and how to keep it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::child::Child;
use crate::error::SpawnError;
#[cfg(target_os = "linux")]
use crate::guard;
#[cfg(target_os = "linux")]
use crate::keeper::GuardProgram;
use crate::keeper::{self, Order};
use crate::lookup::{Lookup, which};
use crate::secret;
use crate::start::{Pipes, Start};
use crate::token::{TOKEN_VARIABLE, Token};

/// A program to start: a builder, in the manner of [`std::process::Command`].
///
/// ```no_run
/// # async fn example() -> Result<(), fourfold_child::SpawnError> {
/// use fourfold_child::Spawn;
///
/// let mut child = Spawn::new("gopls")
///     .arg("-remote=off")
///     .cwd("/srv/project")
///     .env("GOFLAGS", "-mod=mod")
///     .spawn()
///     .await?;
/// let input = child.take_stdin();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is started before `spawn` is called"]
pub struct Spawn {
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    inherit: bool,
    /// Whether secrets are left out of what is inherited.
    discreet: bool,
    /// `None` removes.
    env: BTreeMap<OsString, Option<OsString>>,
    guard: Guard,
    limits: Limits,
}

/// Who ends the child's tree when we cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guard {
    /// This program, started once more. It must call [`guard::enter`](crate::guard::enter) first
    /// thing in `main`.
    #[default]
    OwnBinary,
    /// A program of its own, such as the `fourfold-guard` that comes with this crate.
    Program(PathBuf),
    /// Nobody, with the lower guarantee: the child's process group is killed, and on Linux also what
    /// can be found by its token, at the end of the child and at a drop. What has left the group is
    /// found only after the child has ended, and nothing at all happens when this process is killed,
    /// until some host calls [`sweep`](crate::sweep).
    ///
    /// On systems other than Linux every choice means this one.
    None,
}

/// How long a child may live, and how much is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The tree is killed this long after [`Spawn::spawn`] was called, whatever happens meanwhile.
    /// The clock is monotonic and does not run while the machine sleeps. The guard keeps this time
    /// too, so that it holds when this process is stuck or stopped. Default: none; a language server
    /// lives as long as it is of use.
    pub hard: Option<Duration>,
    /// The tree is killed when there was no [`Child::touch`] for so long. Only this process keeps
    /// this time. Default: none.
    pub idle: Option<Duration>,
    /// When nobody asks for its end, but this process is gone, the hard limit is reached, the guard is
    /// asked to end or the program has ended: how long what is left may take to end by itself, before
    /// it is killed. First for the end of its input, which comes when this process is gone; then, as
    /// long again, for SIGTERM. Only a guard gives this time. Default: none; a debugger that is attached
    /// to a process needs it to take its breakpoints out of that.
    pub farewell: Duration,
    /// The program must have been executed within this time. Default: 10 s; it takes some
    /// milliseconds, and seconds on an overloaded machine that reads the guard from a slow disk.
    pub start: Duration,
    /// Bytes of standard error that are kept. Default: 64 KiB; a panic with its backtrace takes ten.
    pub stderr: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hard: None,
            idle: None,
            farewell: Duration::ZERO,
            start: Duration::from_secs(10),
            stderr: 64 * 1024,
        }
    }
}

impl Limits {
    /// Sets [`Limits::hard`].
    #[must_use]
    pub fn with_hard(mut self, hard: Duration) -> Self {
        self.hard = Some(hard);
        self
    }

    /// Sets [`Limits::idle`].
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// Sets [`Limits::farewell`].
    #[must_use]
    pub fn with_farewell(mut self, farewell: Duration) -> Self {
        self.farewell = farewell;
        self
    }

    /// Sets [`Limits::start`].
    #[must_use]
    pub fn with_start(mut self, start: Duration) -> Self {
        self.start = start;
        self
    }

    /// Sets [`Limits::stderr`].
    #[must_use]
    pub fn with_stderr(mut self, stderr: usize) -> Self {
        self.stderr = stderr;
        self
    }
}

impl Spawn {
    /// A program to start, without arguments, in our working directory, with our environment.
    ///
    /// A name is looked for on the search path of the child's environment, as [`which`] does; a path
    /// that is relative is taken from the child's working directory.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            cwd: None,
            inherit: true,
            discreet: false,
            env: BTreeMap::new(),
            guard: Guard::default(),
            limits: Limits::default(),
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// The working directory; a relative one is taken from ours.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let value = value.as_ref().to_owned();
        self.env.insert(name.as_ref().to_owned(), Some(value));
        self
    }

    /// Sets environment variables.
    pub fn envs(
        self,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> Self {
        variables
            .into_iter()
            .fold(self, |spawn, (name, value)| spawn.env(name, value))
    }

    /// Leaves out an environment variable that would be inherited.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.as_ref().to_owned(), None);
        self
    }

    /// Inherits no environment variables, and forgets those set so far.
    pub fn env_clear(mut self) -> Self {
        self.inherit = false;
        self.env.clear();
        self
    }

    /// Inherits no environment variable that [holds a secret](crate::is_secret), except those that a
    /// person names in `FOURFOLD_PASS_ENV`; what is set here stays.
    pub fn env_without_secrets(mut self) -> Self {
        self.discreet = true;
        self
    }

    /// Who ends the child's tree when we cannot. Default: [`Guard::OwnBinary`].
    pub fn guard(mut self, guard: Guard) -> Self {
        self.guard = guard;
        self
    }

    /// How long it may live, and how much is kept of it.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Looks for the program as [`Spawn::spawn`] does, without starting it.
    pub fn resolve(&self) -> Lookup {
        let path = self
            .environment()
            .remove(OsStr::new("PATH"))
            .unwrap_or_default();
        which(&self.program, &path, &self.folder())
    }

    /// Starts the program.
    ///
    /// *Cancel safety*: when the future is dropped, whatever was started ends.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] tells what was missing. Nothing runs then.
    ///
    /// # Panics
    ///
    /// In a tokio runtime that was built without I/O or without time.
    pub async fn spawn(self) -> Result<Child, SpawnError> {
        let begin = Instant::now();
        let program = self.program.clone();
        if Handle::try_current().is_err() {
            return Err(SpawnError::NoRuntime { program });
        }
        let lookup = self.resolve();
        let Some(path) = lookup.first().map(ToOwned::to_owned) else {
            return Err(SpawnError::NotFound { lookup });
        };
        let cwd = self.folder();
        if !cwd.is_dir() {
            return Err(SpawnError::NoCwd { program, cwd });
        }
        let token = Token::new();
        let mut environment = self.environment();
        environment.insert(TOKEN_VARIABLE.into(), token.as_str().into());

        let failed = |doing| {
            let program = program.clone();
            move |source| SpawnError::System {
                program,
                doing,
                source,
            }
        };
        let (pipes, ours) = pipes().map_err(failed("making the pipes"))?;
        let order = Order {
            #[cfg(target_os = "linux")]
            guard: self.guard_program()?,
            start: Start {
                program: path,
                args: self.args,
                cwd,
                env: environment.into_iter().collect(),
                hard: self.limits.hard,
                farewell: self.limits.farewell,
            },
            pipes,
            token: token.clone(),
        };
        let (answer, life) =
            keeper::start(order).map_err(failed("starting the thread that keeps it"))?;
        let hand = answer.await.map_err(|_| {
            failed("starting the thread that keeps it")(io::ErrorKind::Interrupted.into())
        })??;
        Ok(Child::new(hand, life, token, ours, &self.limits, begin))
    }

    fn folder(&self) -> PathBuf {
        let ours = || env::current_dir().unwrap_or_else(|_| "/".into());
        match &self.cwd {
            Some(cwd) if cwd.is_absolute() => cwd.clone(),
            Some(cwd) => ours().join(cwd),
            None => ours(),
        }
    }

    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut environment = BTreeMap::new();
        if self.inherit {
            environment.extend(env::vars_os());
            if self.discreet {
                secret::withhold(&mut environment);
            }
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => environment.insert(name.clone(), value.clone()),
                None => environment.remove(name),
            };
        }
        environment
    }

    #[cfg(target_os = "linux")]
    fn guard_program(&self) -> Result<Option<GuardProgram>, SpawnError> {
        let path = match &self.guard {
            Guard::None => return Ok(None),
            Guard::Program(path) => path.clone(),
            // Otherwise it would be started as what it is, and start itself again.
            Guard::OwnBinary if !guard::entered() => {
                return Err(SpawnError::NotEntered {
                    program: self.program.clone(),
                });
            }
            // Stays the same when the file is replaced by a newer version.
            Guard::OwnBinary => "/proc/self/exe".into(),
        };
        Ok(Some(GuardProgram {
            path,
            within: self.limits.start,
        }))
    }
}

/// Our ends of a child's pipes.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) stdin: pipe::Sender,
    pub(crate) stdout: pipe::Receiver,
    pub(crate) stderr: pipe::Receiver,
}

/// All ends are closed when a program is executed, whoever executes it.
fn pipes() -> io::Result<(Pipes, Ours)> {
    let (stdin, to_stdin) = io::pipe()?;
    let (from_stdout, stdout) = io::pipe()?;
    let (from_stderr, stderr) = io::pipe()?;
    let theirs = Pipes {
        stdin: stdin.into(),
        stdout: stdout.into(),
        stderr: stderr.into(),
    };
    let ours = Ours {
        stdin: pipe::Sender::from_owned_fd(to_stdin.into())?,
        stdout: pipe::Receiver::from_owned_fd(from_stdout.into())?,
        stderr: pipe::Receiver::from_owned_fd(from_stderr.into())?,
    };
    Ok((theirs, ours))
}
