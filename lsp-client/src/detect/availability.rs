//! What became of the search for a server, in words.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::spec::{Marker, Need, Origin, ServerSpec};

/// One server and one file, or one root: whether it can be started, and if not, why.
///
/// Its `Display` form is one line for people and agents, with what to do about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Detection {
    /// The row of the table.
    pub server: Arc<ServerSpec>,
    /// The language id of the file.
    pub language_id: String,
    /// Where it would be started.
    pub root: Option<PathBuf>,
    /// Whether it can be.
    pub availability: Availability,
    /// Programs that were found and cannot be used.
    pub passed_over: Vec<PassedOver>,
}

/// Whether a server can be started.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Availability {
    /// It can, like this.
    Usable(Launchable),
    /// What is there is the checkout's choice, and the checkout is not trusted.
    NotTrusted {
        /// The program; nothing when the checkout's own files decide what it runs.
        program: Option<PathBuf>,
    },
    /// No program of that name is there.
    NoProgram {
        /// The names, the preferred one first.
        programs: Vec<String>,
        /// Folders of the root and of those above it that were looked into.
        project_folders: Vec<String>,
        /// How many folders of the search path were looked into.
        search_path: usize,
    },
    /// Programs are there, and none of them can be used: see [`Detection::passed_over`].
    NoneStarts,
    /// Nothing says that the checkout uses the language.
    NoMarker {
        /// What was looked for, from the file's folder up to the checkout's root.
        markers: Vec<String>,
    },
    /// The file belongs to another server.
    Elsewhere {
        /// What says so.
        because: PathBuf,
    },
    /// A preferred server does the same work.
    GivesWay {
        /// That one.
        to: String,
    },
    /// A configuration file switches it off.
    Disabled {
        /// Whose.
        by: Origin,
    },
}

/// All that is needed to start a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Launchable {
    /// The row of the table.
    pub server: Arc<ServerSpec>,
    /// Its settings as they are for this root.
    pub settings: Value,
    /// Its `initializationOptions` as they are for this root.
    pub initialization_options: Value,
    /// Where it is started, and what it is told is the workspace.
    pub root: PathBuf,
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// `PATH` for it and for what it starts.
    pub search_path: OsString,
    /// What it may keep for this root. It need not exist yet.
    pub state: PathBuf,
}

/// A program that was found and cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassedOver {
    /// The program.
    pub program: PathBuf,
    /// Why not.
    pub why: WhyNot,
}

/// Why a program that was found cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyNot {
    /// The checkout decides what it is, and is not trusted.
    NotTrusted,
    /// It is a rustup proxy, and the toolchain does not have what it stands for.
    NotInstalled(Failure),
    /// It was started before, and ended.
    Failed(Failure),
    /// A second program is missing.
    Needs(Need),
    /// A package of the checkout is missing, or has the wrong version; in words.
    Package(String),
}

/// How a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What happened, such as `exit code 1`.
    pub what: String,
    /// The last lines that it wrote to standard error.
    pub last_words: Vec<String>,
}

impl Availability {
    pub(super) fn unmarked(server: &ServerSpec) -> Self {
        let shown = |marker: &Marker| match &marker.line {
            None => marker.name.clone(),
            Some(line) => format!("{} with a line `{line}`", marker.name),
        };
        let rule = &server.roots;
        Self::NoMarker {
            markers: rule
                .outermost
                .iter()
                .chain(&rule.nearest)
                .map(shown)
                .collect(),
        }
    }
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

    /// What became of the search, and what to do about it, for those who have named the server and
    /// its root already.
    pub fn why(&self) -> impl fmt::Display {
        Why(self)
    }

    /// Whether installing the server is what helps.
    fn may_be_installed(&self) -> bool {
        match self.availability {
            Availability::NoProgram { .. } => true,
            Availability::NoneStarts => self
                .passed_over
                .iter()
                .any(|passed| matches!(passed.why, WhyNot::NotInstalled(_))),
            _ => false,
        }
    }
}

impl Launchable {
    /// Whether the folder for what it keeps is named to it.
    pub(crate) fn keeps_state(&self) -> bool {
        let state = self.state.to_string_lossy();
        let named = |text: &str| text.contains(&*state);
        self.args.iter().any(|arg| named(arg))
            || named(&self.initialization_options.to_string())
            || named(&self.settings.to_string())
    }
}

/// The command by which a person trusts a checkout.
const TRUST: &str = "`fourfold trust`";

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.server.id)?;
        if let Some(root) = &self.root {
            write!(f, " in {}", root.display())?;
        }
        write!(f, ": {}", self.why())
    }
}

/// What became of the search, without the server's name and root: see [`Detection::why`].
struct Why<'a>(&'a Detection);

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Why(found) = self;
        write!(f, "{}", found.availability)?;
        let of_interest = |passed: &&PassedOver| {
            !matches!(&found.availability, Availability::NotTrusted { program: Some(program) }
                if *program == passed.program)
        };
        let separator = match found.availability {
            Availability::NoneStarts => ": ",
            _ => "; passed over: ",
        };
        for (index, passed) in found.passed_over.iter().filter(of_interest).enumerate() {
            let separator = if index == 0 { separator } else { "; " };
            write!(f, "{separator}{passed}")?;
        }
        if found.may_be_installed() && !found.server.install_hint.is_empty() {
            write!(f, "; to install it: {}", found.server.install_hint)?;
        }
        Ok(())
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usable(launchable) => {
                write!(f, "can be used: {}", launchable.program.display())
            }
            Self::NotTrusted {
                program: Some(program),
            } => write!(
                f,
                "found {}, which this checkout chooses and which runs only in a trusted one: {TRUST}",
                program.display()
            ),
            Self::NotTrusted { program: None } => write!(
                f,
                "this checkout decides what it runs, which needs a trusted one: {TRUST}"
            ),
            Self::NoProgram {
                programs,
                project_folders,
                search_path,
            } => {
                write!(f, "there is no {}", list(programs, "or"))?;
                if !project_folders.is_empty() {
                    write!(f, " in {} of the project", list(project_folders, "or"))?;
                }
                match search_path {
                    0 => Ok(()),
                    1 => f.write_str(", nor in the one folder of the search path"),
                    n => write!(f, ", nor in the {n} folders of the search path"),
                }
            }
            Self::NoneStarts => f.write_str("what was found cannot be used"),
            Self::NoMarker { markers } => write!(
                f,
                "no folder from the file up to the checkout's root has {}",
                list(markers, "or")
            ),
            Self::Elsewhere { because } => {
                write!(f, "not for this file, because of {}", because.display())
            }
            Self::GivesWay { to } => write!(f, "not needed beside {to}"),
            Self::Disabled { by } => match by {
                Origin::Checkout => f.write_str("switched off by the checkout's configuration"),
                Origin::User | Origin::BuiltIn => {
                    f.write_str("switched off by the user's configuration")
                }
            },
        }
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", Path::display(&self.program))?;
        match &self.why {
            WhyNot::NotTrusted => write!(f, "runs only in a trusted checkout: {TRUST}"),
            WhyNot::NotInstalled(failure) => write!(
                f,
                "is a name that rustup has nothing under (asked for its version: {failure})"
            ),
            WhyNot::Failed(failure) => write!(
                f,
                "did not start the last time ({failure}); it is tried again when it has changed, \
                 or after a reload"
            ),
            WhyNot::Needs(need) => write!(
                f,
                "needs {}, which is not on the search path ({})",
                need.program, need.why
            ),
            WhyNot::Package(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.last_words.is_empty() {
            write!(f, ": {}", self.last_words.join(" / "))?;
        }
        Ok(())
    }
}

/// `a, b or c`.
fn list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}
