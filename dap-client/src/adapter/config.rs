//! What a configuration file says about adapters.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Adapter, AdapterCatalog, AdapterCommand, Transport};
use crate::configuration::lay_over;

/// The table `adapters` of a configuration file: an adapter's name, and what is different about it.
///
/// ```
/// use fourfold_dap_client::{AdapterCatalog, AdaptersConfig, Transport};
///
/// let config: AdaptersConfig = toml::from_str(r#"
///     [js-debug]
///     command = ["node", "/opt/js-debug/src/dapDebugServer.js", "0", "127.0.0.1"]
///
///     [debugpy.launch]
///     justMyCode = false
/// "#).unwrap();
/// let catalog = AdapterCatalog::built_in().configured(&config, false).unwrap();
/// assert_eq!(catalog.get("js-debug").unwrap().commands[0].program, "node");
/// assert_eq!(catalog.get("js-debug").unwrap().transport, Transport::Announced);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct AdaptersConfig(pub BTreeMap<String, AdapterConfig>);

/// What is different about one adapter, or all there is to say about a new one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AdapterConfig {
    /// Whether it may be used at all.
    pub enabled: Option<bool>,
    /// The program and its arguments, in place of all known commands; `{port}` stands for a free
    /// port.
    pub command: Option<Vec<String>>,
    /// How it is spoken to: `stdio`, `announced` (it prints `HOST:PORT`), `port` (it is told). Without,
    /// a command that is told no port is spoken to over `stdio` where the known ones are told one.
    pub transport: Option<TransportName>,
    /// Extensions of the source files, without the dot, in place of the known ones.
    pub extensions: Option<Vec<String>>,
    /// Files that mark a project, in place of the known ones.
    pub markers: Option<Vec<String>>,
    /// Laid over what every launch configuration has.
    pub launch: Value,
    /// Laid over what every attach configuration has.
    pub attach: Value,
    /// Environment variables of the adapter, beside the known ones.
    pub env: BTreeMap<String, String>,
}

/// The name of a [`Transport`] in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransportName {
    /// [`Transport::Stdio`]
    Stdio,
    /// [`Transport::Announced`]
    Announced,
    /// [`Transport::Port`]
    Port,
}

/// Why a configuration of adapters cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A table for an adapter that is not known and not described either.
    #[error(
        "there is no debug adapter `{adapter}`; the nearest name is `{nearest}`. \
         A new adapter needs `command` and `extensions`"
    )]
    UnknownAdapter {
        /// The name that was given.
        adapter: String,
        /// A known one.
        nearest: String,
    },
    /// A command without a program.
    #[error("the `command` of debug adapter `{adapter}` is empty; it needs the name of a program")]
    EmptyCommand {
        /// The adapter.
        adapter: String,
    },
}

impl AdapterConfig {
    /// The row with what is different.
    pub(super) fn over(
        &self,
        id: &str,
        catalog: &AdapterCatalog,
        from_checkout: bool,
    ) -> Result<Adapter, ConfigError> {
        let mut row = match catalog.get(id) {
            Some(known) => known.as_ref().clone(),
            None if self.command.is_some() && self.extensions.is_some() => Adapter {
                languages: vec![id.to_owned()],
                ..Adapter::new(id)
            },
            None => {
                return Err(ConfigError::UnknownAdapter {
                    adapter: id.to_owned(),
                    nearest: catalog.nearest(id),
                });
            }
        };
        if let Some(enabled) = self.enabled {
            row.disabled = !enabled;
        }
        if let Some(command) = &self.command {
            let Some((program, args)) = command.split_first().filter(|(name, _)| !name.is_empty())
            else {
                return Err(ConfigError::EmptyCommand {
                    adapter: id.to_owned(),
                });
            };
            row.commands = vec![AdapterCommand::new(program, args.iter().cloned())];
            let is_told = args.iter().any(|arg| arg.contains("{port}"));
            if row.transport == Transport::Port && !is_told {
                row.transport = Transport::Stdio;
            }
        }
        // A launch configuration can name programs as well as a command does.
        let decides = self.command.is_some() || !self.launch.is_null() || !self.env.is_empty();
        row.from_checkout |= from_checkout && decides;
        if let Some(transport) = self.transport {
            row.transport = match transport {
                TransportName::Stdio => Transport::Stdio,
                TransportName::Announced => Transport::Announced,
                TransportName::Port => Transport::Port,
            };
        }
        if let Some(extensions) = &self.extensions {
            let bare = |extension: &String| extension.trim_start_matches('.').to_owned();
            row.extensions = extensions.iter().map(bare).collect();
        }
        if let Some(markers) = &self.markers {
            row.markers.clone_from(markers);
        }
        lay_over(&mut row.launch_defaults, &self.launch);
        lay_over(&mut row.attach_defaults, &self.attach);
        row.env.extend(
            self.env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        Ok(row)
    }
}
