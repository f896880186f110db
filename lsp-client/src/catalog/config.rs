//! What a configuration file says about servers.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::spec::{DocumentKind, Marker, Origin, Role, ServerCommand, ServerSpec};

/// The table `servers` of a configuration file: a server's name, and what is different about it.
///
/// ```
/// use fourfold_lsp_client::{Catalog, Origin, ServersConfig};
///
/// let config: ServersConfig = toml::from_str(r#"
///     [ruff]
///     enabled = false
///
///     [pyright.settings.python.analysis]
///     typeCheckingMode = "strict"
///
///     [gdscript]
///     command = ["gdscript-lsp", "--stdio"]
///     language = "gdscript"
///     extensions = ["gd"]
///     root_markers = ["project.godot"]
/// "#).unwrap();
/// let catalog = Catalog::built_in().configured(&config, Origin::User).unwrap();
/// assert_eq!(catalog.for_path("a.gd".as_ref()).count(), 1);
/// assert_eq!(catalog.get("ruff").unwrap().disabled, Some(Origin::User));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct ServersConfig(pub BTreeMap<String, ServerConfig>);

/// What is different about one server, or all there is to say about a new one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Whether it may be used at all.
    pub enabled: Option<bool>,
    /// The program and its arguments, in place of all known commands. A name is looked for where
    /// the others are; a path with a `/` is one of the checkout when the checkout's own file names
    /// it, and must be absolute otherwise.
    pub command: Option<Vec<String>>,
    /// The language id for `extensions` that no known language of the server has; the server's name
    /// when absent.
    pub language: Option<String>,
    /// The extensions of the files it is asked about, without the dot, in place of the known ones.
    pub extensions: Option<Vec<String>>,
    /// The files that mark its root, in place of the known ones: the nearest folder that holds one.
    /// An empty list means that it needs none.
    pub root_markers: Option<Vec<String>>,
    /// Laid over the known settings: objects are merged, everything else is replaced.
    pub settings: Value,
    /// Laid over the known initialization options in the same way.
    pub initialization_options: Value,
    /// Whether it is a linter, whose silence does not make a file clean.
    pub linter: Option<bool>,
    /// Whether it tells what is wrong in files that are not open too. Where it does not, the files
    /// that use what a change touches are opened for it.
    pub unopened: Option<bool>,
    /// How long is waited for it.
    pub times: TimesConfig,
    /// What else the table holds: mistakes.
    #[serde(flatten)]
    pub unknown: BTreeMap<String, Value>,
}

/// How long a server may take for what, in milliseconds; see
/// [`DiagnosticsProfile`](crate::DiagnosticsProfile).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TimesConfig {
    /// How long a publish must stay the last one.
    pub settle_ms: Option<u64>,
    /// How long the first publish may take.
    pub appear_ms: Option<u64>,
    /// The whole wait for a server that is up.
    pub warm_ms: Option<u64>,
    /// The whole wait for one that was just started.
    pub cold_ms: Option<u64>,
}

/// Why a configuration of servers cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A table for a server that is not known and not described either.
    #[error(
        "there is no server `{server}`; the nearest name is `{nearest}`. \
         A new server needs `command` and `extensions`"
    )]
    UnknownServer {
        /// The name that was given.
        server: String,
        /// A known one.
        nearest: String,
    },
    /// A setting that does not exist.
    #[error("server `{server}` has no setting `{setting}`; the nearest name is `{nearest}`")]
    UnknownSetting {
        /// The server.
        server: String,
        /// The name that was given.
        setting: String,
        /// A known one.
        nearest: String,
    },
    /// A command that names no program, or one that depends on where somebody stands.
    #[error("the `command` of server `{server}` {problem}")]
    Command {
        /// The server.
        server: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A marker or name that is no glob.
    #[error("server `{server}` has a pattern that cannot be understood: {source}")]
    Pattern {
        /// The server.
        server: String,
        /// Where and why.
        source: globset::Error,
    },
}

const SETTINGS: [&str; 10] = [
    "command",
    "enabled",
    "extensions",
    "initialization_options",
    "language",
    "linter",
    "root_markers",
    "settings",
    "times",
    "unopened",
];

impl ServerConfig {
    /// A known server with what is different.
    pub(super) fn over(
        &self,
        id: &str,
        known: &ServerSpec,
        origin: Origin,
    ) -> Result<ServerSpec, ConfigError> {
        self.check(id)?;
        let mut spec = known.clone();
        if let Some(enabled) = self.enabled {
            spec.disabled = (!enabled).then_some(origin);
        }
        if let Some(command) = self.command(id, origin)? {
            spec.commands = vec![command];
        }
        // Whatever is laid over it, something that the checkout chose may still be below.
        if self.decides_what_runs() && spec.origin != Origin::Checkout {
            spec.origin = origin;
        }
        if let Some(extensions) = &self.extensions {
            spec.documents = self.documents(id, extensions, &known.documents);
        }
        if let Some(markers) = &self.root_markers {
            spec.roots = crate::spec::RootRule {
                nearest: markers.iter().map(Marker::new).collect(),
                single_file: markers.is_empty(),
                ..Default::default()
            };
        }
        merge(&mut spec.settings, &self.settings);
        merge(
            &mut spec.initialization_options,
            &self.initialization_options,
        );
        if let Some(linter) = self.linter {
            spec.role = if linter { Role::Linter } else { Role::Types };
        }
        if let Some(unopened) = self.unopened {
            spec.diagnostics.unopened = unopened;
        }
        self.times.over(&mut spec);
        Ok(spec)
    }

    /// A new server.
    pub(super) fn alone<'a>(
        &self,
        id: &str,
        origin: Origin,
        known: impl Iterator<Item = &'a str>,
    ) -> Result<ServerSpec, ConfigError> {
        self.check(id)?;
        if self.command.is_none() || self.extensions.is_none() {
            return Err(ConfigError::UnknownServer {
                server: id.to_owned(),
                nearest: nearest(id, known),
            });
        }
        let mut new = ServerSpec::new(id);
        new.roots.single_file = self.root_markers.is_none();
        self.over(id, &new, origin)
    }

    /// Settings can name programs as well as a command does: a check of its own, an interpreter.
    fn decides_what_runs(&self) -> bool {
        self.command.is_some() || !self.settings.is_null() || !self.initialization_options.is_null()
    }

    fn check(&self, id: &str) -> Result<(), ConfigError> {
        match self.unknown.keys().next() {
            None => Ok(()),
            Some(setting) => Err(ConfigError::UnknownSetting {
                server: id.to_owned(),
                setting: setting.clone(),
                nearest: nearest(setting, SETTINGS.into_iter()),
            }),
        }
    }

    fn command(&self, id: &str, origin: Origin) -> Result<Option<ServerCommand>, ConfigError> {
        let wrong = |problem| {
            Err(ConfigError::Command {
                server: id.to_owned(),
                problem,
            })
        };
        let Some(words) = &self.command else {
            return Ok(None);
        };
        let Some((program, args)) = words
            .split_first()
            .filter(|(program, _)| !program.is_empty())
        else {
            return wrong("is empty; it needs the name of a program");
        };
        let relative = program.contains('/') && !program.starts_with('/');
        if relative && origin != Origin::Checkout {
            return wrong(
                "is a relative path, which means another program in every folder; \
                 give its name or its absolute path",
            );
        }
        Ok(Some(ServerCommand::new(program, args.iter().cloned())))
    }

    /// Extensions keep the language that the server has for them.
    fn documents(
        &self,
        id: &str,
        extensions: &[String],
        known: &[DocumentKind],
    ) -> Vec<DocumentKind> {
        let mut documents = known.to_vec();
        for kind in &mut documents {
            kind.extensions.clear();
        }
        for extension in extensions {
            let extension = extension.trim_start_matches('.');
            let language = known
                .iter()
                .find(|kind| kind.extensions.iter().any(|known| known == extension))
                .map(|kind| &kind.language_id)
                .filter(|_| self.language.is_none())
                .or(self.language.as_ref())
                .or(known.first().map(|kind| &kind.language_id))
                .map_or(id, String::as_str);
            match documents
                .iter_mut()
                .find(|kind| kind.language_id == language)
            {
                Some(kind) => kind.extensions.push(extension.to_owned()),
                None => documents.push(DocumentKind {
                    language_id: language.to_owned(),
                    extensions: vec![extension.to_owned()],
                    file_names: Vec::new(),
                }),
            }
        }
        documents.retain(|kind| !(kind.extensions.is_empty() && kind.file_names.is_empty()));
        documents
    }
}

impl TimesConfig {
    fn over(&self, spec: &mut ServerSpec) {
        let profile = &mut spec.diagnostics;
        for (given, place) in [
            (self.settle_ms, &mut profile.settle),
            (self.appear_ms, &mut profile.appear),
            (self.warm_ms, &mut profile.warm),
            (self.cold_ms, &mut profile.cold),
        ] {
            if let Some(given) = given {
                *place = Duration::from_millis(given);
            }
        }
    }
}

/// Lays one tree over another.
fn merge(under: &mut Value, over: &Value) {
    match (under, over) {
        (_, Value::Null) => {}
        (Value::Object(under), Value::Object(over)) => {
            for (key, over) in over {
                merge(under.entry(key.as_str()).or_insert(Value::Null), over);
            }
        }
        (under, over) => *under = over.clone(),
    }
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    known
        .min_by_key(|known| strsim::levenshtein(given, known))
        .unwrap_or_default()
        .to_owned()
}
