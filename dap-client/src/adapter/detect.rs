//! Which adapters can run here, and exactly what is missing for the others.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fourfold_child::{EndedBy, Folder, Guard, Limits, Spawn, which};
use tokio::io::AsyncReadExt;

use super::{Adapter, AdapterCatalog, AdapterCommand, Probe};

/// What is read at most of a probe's output.
const OUTPUT_BYTES: u64 = 64 << 10;

/// Lines of standard error that are shown: the last one is where Python and the loader say it.
const LAST_WORDS: usize = 1;

/// Where adapters are looked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DetectConfig {
    /// The checkout, absolute.
    pub checkout: PathBuf,
    /// Whether programs inside the checkout, and those that its own configuration names, may run.
    /// Default: no.
    pub trusted: bool,
    /// The search path, in the form of `PATH`. Default: ours at the time of the call.
    pub search_path: OsString,
    /// The environment that the user has chosen for Python, looked into first. Default:
    /// `VIRTUAL_ENV`.
    pub virtual_env: Option<PathBuf>,
    /// Who ends what is started when we cannot.
    pub guard: Guard,
    /// How long a probe may take. Default: 10 s; a Python that imports debugpy takes 0.2 s.
    pub probe: Duration,
}

impl DetectConfig {
    /// A checkout that is not trusted, our search path, our own binary as guard.
    #[must_use]
    pub fn new(checkout: PathBuf) -> Self {
        Self {
            checkout,
            trusted: false,
            search_path: env::var_os("PATH").unwrap_or_default(),
            virtual_env: env::var_os("VIRTUAL_ENV").map(PathBuf::from),
            guard: Guard::default(),
            probe: Duration::from_secs(10),
        }
    }
}

/// Looks for adapters in one checkout.
#[derive(Clone, Debug)]
pub struct Detector {
    catalog: AdapterCatalog,
    config: DetectConfig,
}

/// One adapter: whether it can be started here, and if not, why. Its `Display` form is one line,
/// with what to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Detection {
    /// The row of the table.
    pub adapter: Arc<Adapter>,
    /// Whether it can be started.
    pub availability: Availability,
    /// Programs that were found and cannot be used, each with the reason.
    pub passed_over: Vec<(PathBuf, String)>,
}

/// Whether an adapter can be started.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Availability {
    /// It can, like this.
    Usable(Launchable),
    /// What is there is the checkout's choice, and the checkout is not trusted.
    NotTrusted {
        /// The program; nothing when the checkout's own configuration names it.
        program: Option<PathBuf>,
    },
    /// No program of that name is there, or none of them can be used.
    NoProgram,
    /// Configuration switches it off.
    Disabled,
}

/// All that is needed to start an adapter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Launchable {
    /// The row of the table.
    pub adapter: Arc<Adapter>,
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments, with `{port}` still in them.
    pub args: Vec<String>,
}

impl Detection {
    /// How to start it, if it can be started.
    #[must_use]
    pub fn launchable(&self) -> Option<&Launchable> {
        match &self.availability {
            Availability::Usable(launchable) => Some(launchable),
            _ => None,
        }
    }
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.adapter.id)?;
        match &self.availability {
            Availability::Usable(launchable) => {
                write!(f, "can be used: {}", launchable.program.display())
            }
            Availability::NotTrusted {
                program: Some(program),
            } => write!(
                f,
                "found {}, which runs only in a trusted checkout: `fourfold trust`",
                program.display()
            ),
            Availability::NotTrusted { program: None } => f.write_str(
                "this checkout's configuration decides what it runs, which needs a trusted one: \
                 `fourfold trust`",
            ),
            Availability::Disabled => f.write_str("switched off by configuration"),
            Availability::NoProgram => {
                if self.passed_over.is_empty() {
                    let names: Vec<_> = self
                        .adapter
                        .commands
                        .iter()
                        .map(|command| command.program.as_str())
                        .collect();
                    write!(f, "there is no {} on the search path", names.join(" or "))?;
                } else {
                    f.write_str("what was found cannot be used")?;
                }
                for (program, why) in &self.passed_over {
                    write!(f, "; {}: {why}", program.display())?;
                }
                write!(f, "; to install it: {}", self.adapter.install_hint)
            }
        }
    }
}

impl Detector {
    /// Looks with this catalog.
    #[must_use]
    pub fn new(catalog: AdapterCatalog, config: DetectConfig) -> Self {
        Self { catalog, config }
    }

    /// What is known about adapters.
    #[must_use]
    pub fn catalog(&self) -> &AdapterCatalog {
        &self.catalog
    }

    /// Where it looks.
    #[must_use]
    pub fn config(&self) -> &DetectConfig {
        &self.config
    }

    /// The adapters that the checkout has a use for: one of their markers is in its root. Nothing is
    /// started.
    #[must_use]
    pub fn marked(&self) -> Vec<&Arc<Adapter>> {
        let entries: Vec<String> = std::fs::read_dir(&self.config.checkout)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let marks = |marker: &String| match marker.strip_prefix('*') {
            Some(end) => entries.iter().any(|entry| entry.ends_with(end)),
            None => entries.contains(marker),
        };
        self.catalog
            .adapters()
            .filter(|row| !row.disabled && row.markers.iter().any(marks))
            .collect()
    }

    /// Whether there is a program for some adapter that may be run here, by looking alone: it may
    /// still turn out to be of no use.
    #[must_use]
    pub fn may_start(&self) -> bool {
        let may_run = |program: &Path| self.config.trusted || !self.is_inside(program);
        self.catalog.adapters().any(|adapter| {
            let ours = self.config.trusted || !adapter.from_checkout;
            let mut candidates = self.candidates(adapter).into_iter();
            !adapter.disabled && ours && candidates.any(|(_, program)| may_run(&program))
        })
    }

    /// Whether an adapter of the catalog can be started here; nothing when there is none of this
    /// name. Short programs may be run to find out.
    pub async fn find(&self, id: &str) -> Option<Detection> {
        let adapter = Arc::clone(self.catalog.get(id)?);
        Some(self.look_at(adapter).await)
    }

    /// The first usable adapter of a language, or what was found out about each of them.
    ///
    /// # Errors
    /// Why none of them can be used; empty for a language that the catalog does not have.
    pub async fn for_language(&self, language: &str) -> Result<Launchable, Vec<Detection>> {
        let mut unusable = Vec::new();
        for adapter in self.catalog.for_language(language) {
            let detection = self.look_at(Arc::clone(adapter)).await;
            match detection.availability {
                Availability::Usable(launchable) => return Ok(launchable),
                _ => unusable.push(detection),
            }
        }
        Err(unusable)
    }

    async fn look_at(&self, adapter: Arc<Adapter>) -> Detection {
        let mut passed_over = Vec::new();
        let availability = if adapter.disabled {
            Availability::Disabled
        } else if adapter.from_checkout && !self.config.trusted {
            Availability::NotTrusted { program: None }
        } else {
            self.choose(&adapter, &mut passed_over).await
        };
        Detection {
            adapter,
            availability,
            passed_over,
        }
    }

    async fn choose(
        &self,
        adapter: &Arc<Adapter>,
        passed_over: &mut Vec<(PathBuf, String)>,
    ) -> Availability {
        let mut untrusted = None;
        for (command, program) in self.candidates(adapter) {
            if passed_over.iter().any(|(known, _)| *known == program) {
                continue;
            }
            if !self.config.trusted && self.is_inside(&program) {
                untrusted.get_or_insert(program);
                continue;
            }
            match self.probe(command, &program).await {
                Ok(()) => {
                    return Availability::Usable(Launchable {
                        adapter: Arc::clone(adapter),
                        program,
                        args: command.args.clone(),
                    });
                }
                Err(why) => passed_over.push((program, why)),
            }
        }
        match untrusted {
            Some(program) => Availability::NotTrusted {
                program: Some(program),
            },
            None => Availability::NoProgram,
        }
    }

    /// The programs that may serve: the project's own first, then the search path.
    fn candidates<'a>(&self, adapter: &'a Adapter) -> Vec<(&'a AdapterCommand, PathBuf)> {
        let checkout = &self.config.checkout;
        let on = |command: &'a AdapterCommand, path: &std::ffi::OsStr| {
            which(command.program.as_ref(), path, checkout)
                .found
                .into_iter()
                .map(move |program| (command, program))
        };
        let mut found = Vec::new();
        for command in &adapter.commands {
            // The environment of the user's choice counts where the project's own would.
            if let Some(folder) = &self.config.virtual_env
                && !command.look_in.is_empty()
            {
                found.extend(on(command, folder.join("bin").as_os_str()));
            }
            for below in &command.look_in {
                found.extend(on(command, checkout.join(below).as_os_str()));
            }
        }
        for command in &adapter.commands {
            found.extend(on(command, &self.config.search_path));
        }
        found
    }

    /// Whether the checkout decides what this program is.
    fn is_inside(&self, program: &Path) -> bool {
        // A checkout that is not there holds nothing.
        Folder::new(&self.config.checkout).is_ok_and(|checkout| checkout.holds(program))
    }

    /// Whether a process can be attached to by its number with what the adapter injects by.
    pub(crate) async fn injects(&self, launchable: &Launchable) -> Result<(), String> {
        let Some(injector) = &launchable.adapter.injector else {
            return Ok(());
        };
        let name = &injector.program;
        let (path, checkout) = (&self.config.search_path, &self.config.checkout);
        let found = which(name.as_ref(), path, checkout);
        let why = match found.first() {
            Some(program) if !self.config.trusted && self.is_inside(program) => format!(
                "{} runs only in a trusted checkout: `fourfold trust`",
                program.display()
            ),
            Some(program) => match self.run(&injector.probe, program).await {
                Ok(()) => return Ok(()),
                Err(why) => format!("{}: {why}", program.display()),
            },
            None => format!("there is no `{name}` on the search path"),
        };
        match &injector.unless {
            Some(unless) if self.run(unless, &launchable.program).await.is_ok() => Ok(()),
            _ => Err(format!(
                "{} attaches by means of {name}; {why}",
                launchable.adapter.id
            )),
        }
    }

    async fn probe(&self, command: &AdapterCommand, program: &Path) -> Result<(), String> {
        match &command.probe {
            Some(probe) => self.run(probe, program).await,
            None => Ok(()),
        }
    }

    async fn run(&self, probe: &Probe, program: &Path) -> Result<(), String> {
        let failed = |why: String| format!("{} ({why})", probe.means);
        let spawn = Spawn::new(program)
            .args(&probe.args)
            .cwd(&self.config.checkout)
            .env_without_secrets()
            .env("PATH", &self.config.search_path)
            .guard(self.config.guard.clone())
            .limits(Limits::default().with_hard(self.config.probe));
        let mut child = spawn.spawn().await.map_err(|error| error.to_string())?;
        drop(child.take_stdin());
        let mut printed = Vec::new();
        if let Some(stdout) = child.take_stdout() {
            // What cannot be read was not printed.
            let _ = stdout.take(OUTPUT_BYTES).read_to_end(&mut printed).await;
        }
        let exit = child.wait().await;
        if !exit.success() {
            let why = match exit.by {
                EndedBy::HardLimit => format!("no answer within {:?}", self.config.probe),
                _ => exit.to_string(),
            };
            let words = child.last_words(LAST_WORDS).await.join(" / ");
            let colon = if words.is_empty() { "" } else { ": " };
            return Err(failed(format!("{why}{colon}{words}")));
        }
        version_suffices(probe, &String::from_utf8_lossy(&printed)).map_err(failed)
    }
}

fn version_suffices(probe: &Probe, printed: &str) -> Result<(), String> {
    let Some(least) = probe.at_least else {
        return Ok(());
    };
    match major(printed) {
        Some(major) if major >= least => Ok(()),
        Some(major) => Err(format!("this is version {major}")),
        None => Err("it does not tell its version".to_owned()),
    }
}

/// The part before the dot of the first number that has one.
fn major(printed: &str) -> Option<u64> {
    printed
        .split(|char: char| !(char.is_ascii_digit() || char == '.'))
        .filter_map(|word| word.split_once('.'))
        .find_map(|(major, minor)| {
            let plain = minor.starts_with(|char: char| char.is_ascii_digit());
            major.parse().ok().filter(|_| plain)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_programs_print_them() {
        assert_eq!(
            major("GNU gdb (Debian 13.1-3) 13.1\nCopyright (C) 2023"),
            Some(13)
        );
        assert_eq!(major("GNU gdb (GDB) 18.1"), Some(18));
        assert_eq!(major("lldb version 19.1.7"), Some(19));
        assert_eq!(major("no number. 7"), None);
    }

    #[tokio::test]
    async fn what_is_missing_is_said() {
        let root = tempfile::tempdir().unwrap();
        let mut config = DetectConfig::new(root.path().to_owned());
        config.search_path = root.path().join("bin").into();
        config.virtual_env = None;
        let detector = Detector::new(AdapterCatalog::built_in(), config);
        let found = detector.find("bash-dap").await.unwrap();
        assert_eq!(
            found.to_string(),
            "bash-dap: there is no bash-dap on the search path; to install it: pip install bash-dap"
        );
        assert!(detector.find("nothing").await.is_none());
        assert!(detector.marked().is_empty());
        std::fs::write(root.path().join("go.mod"), "").unwrap();
        std::fs::write(root.path().join("a.csproj"), "").unwrap();
        let marked: Vec<_> = detector.marked().iter().map(|row| row.id.clone()).collect();
        assert_eq!(marked, ["delve", "netcoredbg"]);
    }

    #[tokio::test]
    async fn a_program_of_the_checkout_needs_trust_and_a_probe() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join(".venv/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let python = bin.join("python3");
        std::fs::write(&python, "#!/bin/sh\necho no such module >&2\nexit 1\n").unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut config = DetectConfig::new(root.path().to_owned());
        config.search_path = OsString::new();
        config.virtual_env = None;
        config.guard = Guard::None;
        let detector = Detector::new(AdapterCatalog::built_in(), config.clone());
        let found = detector.find("debugpy").await.unwrap();
        assert_eq!(
            found.availability,
            Availability::NotTrusted {
                program: Some(python.clone())
            }
        );
        config.trusted = true;
        let detector = Detector::new(AdapterCatalog::built_in(), config);
        let found = detector.find("debugpy").await.unwrap().to_string();
        assert!(
            found.contains("this Python cannot import debugpy (exit code 1: no such module)"),
            "{found}"
        );
    }

    #[tokio::test]
    async fn a_link_of_the_checkout_on_the_way_to_a_program_needs_trust() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in ["checkout", "bin", "outside"] {
            std::fs::create_dir(at(folder)).unwrap();
        }
        std::fs::write(at("outside/tool"), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(at("outside/tool"), std::fs::Permissions::from_mode(0o755))
            .unwrap();
        // It begins and ends outside, and the checkout chooses where it ends.
        symlink(at("outside/tool"), at("checkout/through")).unwrap();
        symlink(at("checkout/through"), at("bin/python3")).unwrap();
        let mut config = DetectConfig::new(at("checkout"));
        config.search_path = at("bin").into_os_string();
        config.virtual_env = None;
        config.guard = Guard::None;
        let detector = Detector::new(AdapterCatalog::built_in(), config);
        let found = detector.find("debugpy").await.unwrap();
        assert_eq!(
            found.availability,
            Availability::NotTrusted {
                program: Some(at("bin/python3"))
            }
        );
    }
}
