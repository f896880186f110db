//! The table of servers: what is compiled in, and what configuration says otherwise.

use std::path::Path;
use std::sync::Arc;

use crate::name::NamePattern;
use crate::root::{Root, RootFinder};
use crate::spec::{Origin, ServerSpec};

mod config;
mod data;
mod functional;
mod managed;
mod native;
mod row;
mod scripting;
mod web;

pub use config::{ConfigError, ServerConfig, ServersConfig, TimesConfig};

/// The servers that are known, in order of preference.
///
/// ```
/// use fourfold_lsp_client::Catalog;
///
/// let catalog = Catalog::built_in();
/// let names: Vec<_> = catalog
///     .for_path("src/main.rs".as_ref())
///     .map(|server| (server.id.as_str(), catalog.language_id(server, "src/main.rs".as_ref())))
///     .collect();
/// assert_eq!(names, [("rust-analyzer", Some("rust"))]);
/// ```
#[derive(Clone, Debug)]
pub struct Catalog {
    rows: Vec<Arc<Row>>,
}

/// A server, with what is compiled from its patterns.
#[derive(Debug)]
struct Row {
    spec: Arc<ServerSpec>,
    /// Whole names of files, each with the number of its document kind.
    names: Vec<(NamePattern, usize)>,
    roots: RootFinder,
}

impl Catalog {
    /// The table that is compiled in.
    #[must_use]
    pub fn built_in() -> Self {
        let rows = [
            native::rows(),
            web::rows(),
            scripting::rows(),
            managed::rows(),
            functional::rows(),
            data::rows(),
        ];
        Self::of(rows.into_iter().flatten())
    }

    /// A table of compiled-in rows. Tests try every pattern, so that none is left out.
    pub(crate) fn of(rows: impl Iterator<Item = ServerSpec>) -> Self {
        Self {
            rows: rows
                .filter_map(|spec| Row::new(spec).ok().map(Arc::new))
                .collect(),
        }
    }

    /// The table with what a configuration file says otherwise; of two files, the later wins. A
    /// server for which the checkout's own file names a command, settings or options stays marked
    /// as the checkout's choice, whatever is laid over it.
    ///
    /// # Errors
    /// Names the server and the setting that cannot be understood. The table is not changed then.
    pub fn configured(&self, config: &ServersConfig, origin: Origin) -> Result<Self, ConfigError> {
        let mut rows = self.rows.clone();
        for (id, server) in &config.0 {
            let position = rows.iter().position(|row| row.spec.id == *id);
            let known = position.and_then(|position| rows.get(position));
            let spec = match known {
                Some(row) => server.over(id, &row.spec, origin)?,
                None => server.alone(id, origin, self.ids())?,
            };
            let row = Row::new(spec).map_err(|source| ConfigError::Pattern {
                server: id.clone(),
                source,
            })?;
            match position.and_then(|position| rows.get_mut(position)) {
                Some(place) => *place = Arc::new(row),
                None => rows.push(Arc::new(row)),
            }
        }
        Ok(Self { rows })
    }

    /// Every server, the preferred ones of a language first.
    pub fn servers(&self) -> impl Iterator<Item = &Arc<ServerSpec>> {
        self.rows.iter().map(|row| &row.spec)
    }

    /// The server of this name.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<ServerSpec>> {
        self.servers().find(|spec| spec.id == id)
    }

    /// The servers that are asked about a file, by its name alone; those that were switched off
    /// too.
    pub fn for_path(&self, path: &Path) -> impl Iterator<Item = &Arc<ServerSpec>> {
        self.rows
            .iter()
            .filter(move |row| row.language_id(path).is_some())
            .map(|row| &row.spec)
    }

    /// The language id under which a server is told of a file; nothing when it is not asked about
    /// it.
    #[must_use]
    pub fn language_id<'a>(&self, server: &'a ServerSpec, path: &Path) -> Option<&'a str> {
        let kind = self.row(&server.id)?.kind(path)?;
        Some(server.documents.get(kind)?.language_id.as_str())
    }

    /// Where a server is started for the files of a folder of the checkout.
    pub(crate) fn root(&self, server: &ServerSpec, checkout: &Path, folder: &Path) -> Root {
        self.row(&server.id)
            .map_or(Root::Unmarked, |row| row.roots.find(checkout, folder))
    }

    fn row(&self, id: &str) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.spec.id == id)
            .map(AsRef::as_ref)
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.servers().map(|spec| spec.id.as_str())
    }
}

impl Default for Catalog {
    fn default() -> Self {
        Self::built_in()
    }
}

impl Row {
    fn new(spec: ServerSpec) -> Result<Self, globset::Error> {
        let mut names = Vec::new();
        for (kind, documents) in spec.documents.iter().enumerate() {
            for name in &documents.file_names {
                names.push((NamePattern::new(name)?, kind));
            }
        }
        Ok(Self {
            roots: RootFinder::new(&spec.roots)?,
            spec: Arc::new(spec),
            names,
        })
    }

    fn language_id(&self, path: &Path) -> Option<&str> {
        Some(
            self.spec
                .documents
                .get(self.kind(path)?)?
                .language_id
                .as_str(),
        )
    }

    /// The number of the document kind; a whole name says more than an extension.
    fn kind(&self, path: &Path) -> Option<usize> {
        let name = path.file_name()?;
        let by_name = self.names.iter().find(|(known, _)| known.matches(name));
        by_name.map(|(_, kind)| *kind).or_else(|| {
            let extension = path.extension()?.to_str()?;
            self.spec
                .documents
                .iter()
                .position(|kind| kind.extensions.iter().any(|known| known == extension))
        })
    }
}

#[cfg(test)]
mod tests;
