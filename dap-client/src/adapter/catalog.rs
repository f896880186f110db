//! The table of adapters: what is compiled in, and what configuration says otherwise.

use std::path::Path;
use std::sync::Arc;

use super::config::{AdaptersConfig, ConfigError};
use super::{Adapter, rows};

/// The adapters that are known, in order of preference.
///
/// ```
/// use fourfold_dap_client::AdapterCatalog;
///
/// let catalog = AdapterCatalog::built_in();
/// let python = catalog.for_path("test_cart.py".as_ref()).next().unwrap();
/// assert_eq!(python.id, "debugpy");
/// assert_eq!(catalog.for_language("Go").next().unwrap().id, "delve");
/// ```
#[derive(Clone, Debug)]
pub struct AdapterCatalog {
    rows: Vec<Arc<Adapter>>,
}

impl AdapterCatalog {
    /// The table that is compiled in.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            rows: rows::rows().into_iter().map(Arc::new).collect(),
        }
    }

    /// The table with what a configuration file says otherwise; `from_checkout` when the file is one
    /// of the checkout's own, whose commands need trust. Of two files, the later wins.
    ///
    /// # Errors
    /// Names the adapter and the setting that cannot be understood. The table is not changed then.
    pub fn configured(
        &self,
        config: &AdaptersConfig,
        from_checkout: bool,
    ) -> Result<Self, ConfigError> {
        let mut rows = self.rows.clone();
        for (id, adapter) in &config.0 {
            let row = adapter.over(id, self, from_checkout)?;
            match rows.iter_mut().find(|row| row.id == *id) {
                Some(place) => *place = Arc::new(row),
                None => rows.push(Arc::new(row)),
            }
        }
        Ok(Self { rows })
    }

    /// Every adapter, the preferred ones of a language first.
    pub fn adapters(&self) -> impl Iterator<Item = &Arc<Adapter>> {
        self.rows.iter()
    }

    /// The adapter of this name.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<Adapter>> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The adapters for programs written in this file, by its name alone.
    pub fn for_path(&self, path: &Path) -> impl Iterator<Item = &Arc<Adapter>> {
        self.rows.iter().filter(move |row| row.is_for(path))
    }

    /// The adapters of a language, by the name that people use; case does not matter.
    pub fn for_language(&self, language: &str) -> impl Iterator<Item = &Arc<Adapter>> {
        self.rows.iter().filter(move |row| {
            row.languages
                .iter()
                .any(|known| known.eq_ignore_ascii_case(language))
        })
    }

    /// The known name that is most like this one.
    pub(crate) fn nearest(&self, id: &str) -> String {
        let ids = self.rows.iter().map(|row| row.id.as_str());
        ids.min_by_key(|known| strsim::levenshtein(id, known))
            .unwrap_or_default()
            .to_owned()
    }
}

impl Default for AdapterCatalog {
    fn default() -> Self {
        Self::built_in()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::Transport;

    #[test]
    fn every_row_can_be_found_started_and_installed() {
        let catalog = AdapterCatalog::built_in();
        let mut ids: Vec<&str> = catalog.adapters().map(|row| row.id.as_str()).collect();
        let rows = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rows, "a name is used once");
        for row in catalog.adapters() {
            let id = &row.id;
            assert!(
                !row.languages.is_empty() && !row.extensions.is_empty(),
                "{id}"
            );
            assert!(
                !row.commands.is_empty() && !row.install_hint.is_empty(),
                "{id}"
            );
            for command in &row.commands {
                let told = command.args.iter().any(|arg| arg.contains("{port}"));
                assert_eq!(told, row.transport == Transport::Port, "{id}");
            }
        }
        for language in [
            "python",
            "rust",
            "c",
            "c++",
            "go",
            "javascript",
            "typescript",
            "ruby",
            "bash",
            "dart",
            "java",
            "php",
            "c#",
            "kotlin",
            "elixir",
            "lua",
            "perl",
        ] {
            assert!(
                catalog.for_language(language).next().is_some(),
                "{language}"
            );
        }
    }

    #[test]
    fn a_command_that_is_told_no_port_is_spoken_to_over_its_pipes() {
        let transport = |text: &str| {
            let config: AdaptersConfig = toml::from_str(text).unwrap();
            let catalog = AdapterCatalog::built_in()
                .configured(&config, false)
                .unwrap();
            catalog.get("debugpy").unwrap().transport
        };
        let plain = "[debugpy]\ncommand = ['python3', '-m', 'debugpy.adapter']";
        assert_eq!(transport(plain), Transport::Stdio);
        let told = plain.replace("]\ncommand", "]\ntransport = 'announced'\ncommand");
        assert_eq!(transport(&told), Transport::Announced);
        let port = plain.replace("adapter'", "adapter', '--port', '{port}'");
        assert_eq!(transport(&port), Transport::Port);
    }

    #[test]
    fn what_the_checkout_chooses_is_marked() {
        let config: AdaptersConfig =
            toml::from_str("[debugpy.launch]\npython = ['/tmp/python']").unwrap();
        let built_in = AdapterCatalog::built_in();
        let catalog = built_in.configured(&config, true).unwrap();
        let row = catalog.get("debugpy").unwrap();
        assert!(row.from_checkout);
        assert_eq!(row.launch_defaults["subProcess"], true, "the rest stays");
        assert_eq!(row.transport, Transport::Port);
        // The user's own file does not make it the user's choice again.
        let config: AdaptersConfig = toml::from_str("[debugpy]\nextensions = ['.py']").unwrap();
        let catalog = catalog.configured(&config, false).unwrap();
        assert!(catalog.get("debugpy").unwrap().from_checkout);
        let unknown: AdaptersConfig = toml::from_str("[debugpi]\nenabled = false").unwrap();
        assert_eq!(
            built_in
                .configured(&unknown, false)
                .unwrap_err()
                .to_string(),
            "there is no debug adapter `debugpi`; the nearest name is `debugpy`. A new adapter needs \
             `command` and `extensions`"
        );
    }
}
