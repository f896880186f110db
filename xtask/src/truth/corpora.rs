//! The projects that a score is taken on: what to get, from which registry, and where it lies.
//!
//! A corpus is a folder with the checkout in `src` and the index in `index.scip`. Those of the
//! registries are made below `target/truth`. `FOURFOLD_CORPORA` names further folders, separated like
//! `PATH`, each with corpora by name, index included; they come before the registries.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::indexers::Indexers;
use crate::registry;
use crate::run::{Shell, quietly};
use crate::toolbox::Toolbox;

/// The variable with further folders.
const FURTHER: &str = "FOURFOLD_CORPORA";

/// A project of a registry.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) from: Registry,
    /// The F1 of our calls that is not to be lost again.
    pub(crate) bar: f64,
}

/// Which registry, and what is special there.
pub(crate) enum Registry {
    /// A source distribution. `may_be_cut`: its indexer crashes near the end, after all that counts.
    PyPi {
        may_be_cut: bool,
    },
    /// A package with its sources in `src`. The project to index, and what its file has to say where
    /// the package has none.
    Npm {
        project: &'static str,
        settings: Option<&'static str>,
    },
    Crate,
}

/// Small ones first.
pub(crate) const KNOWN: &[Known] = &[
    Known {
        name: "rich",
        version: "14.0.0",
        bar: 0.96,
        from: Registry::PyPi { may_be_cut: false },
    },
    Known {
        name: "httpx",
        version: "0.28.1",
        bar: 0.90,
        from: Registry::PyPi { may_be_cut: false },
    },
    Known {
        name: "click",
        version: "8.5.1",
        bar: 0.95,
        from: Registry::PyPi { may_be_cut: false },
    },
    Known {
        name: "rxjs",
        version: "7.8.2",
        bar: 0.86,
        from: Registry::Npm {
            project: "src/tsconfig.esm.json",
            settings: None,
        },
    },
    Known {
        name: "zod",
        version: "4.6.7",
        bar: 0.85,
        from: Registry::Npm {
            project: "tsconfig.json",
            // Its tests import it by its name: the condition leads to the sources.
            settings: Some(
                r#"{
  "compilerOptions": {
    "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "strict": true,
    "noEmit": true, "skipLibCheck": true, "lib": ["es2022", "dom"], "esModuleInterop": true,
    "customConditions": ["@zod/source"], "allowImportingTsExtensions": true
  },
  "include": ["src"]
}
"#,
            ),
        },
    },
    Known {
        name: "regex-automata",
        version: "0.4.19",
        bar: 0.94,
        from: Registry::Crate,
    },
    Known {
        name: "django",
        version: "5.2.3",
        bar: 0.95,
        from: Registry::PyPi { may_be_cut: true },
    },
];

/// A corpus that is ready.
pub(crate) struct Corpus {
    pub(crate) root: PathBuf,
    pub(crate) index: PathBuf,
}

/// Where corpora are kept.
pub(crate) struct Corpora<'a> {
    shell: &'a Shell,
    home: PathBuf,
    further: Vec<PathBuf>,
}

impl<'a> Corpora<'a> {
    pub(crate) fn new(shell: &'a Shell) -> Corpora<'a> {
        let further = env::var_os(FURTHER).unwrap_or_default();
        Corpora {
            shell,
            home: shell.root().join("target/truth"),
            further: env::split_paths(&further).collect(),
        }
    }

    /// Where programs that make indexes, and peers, are installed.
    pub(crate) fn tools(&self, name: &str) -> Toolbox {
        Toolbox::at(self.home.join("tools").join(name))
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where our program keeps its indexes meanwhile.
    pub(crate) fn cache(&self) -> PathBuf {
        self.home.join("cache")
    }

    /// Every name there is: the registries' and those in the further folders.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = KNOWN.iter().map(|known| known.name.to_owned()).collect();
        for folder in &self.further {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut found: Vec<_> = entries
                .filter(|entry| entry.path().join("index.scip").is_file())
                .filter_map(|entry| entry.file_name().into_string().ok())
                .filter(|name| !names.contains(name))
                .collect();
            found.sort();
            names.append(&mut found);
        }
        names
    }

    /// A folder of one of the further ones.
    pub(crate) fn further(&self, name: &str) -> Option<PathBuf> {
        let folders = self.further.iter().map(|folder| folder.join(name));
        folders.into_iter().find(|folder| folder.is_dir())
    }

    /// The checkout of a corpus, fetched if it has to be.
    pub(crate) fn checkout(&self, name: &str) -> Result<PathBuf> {
        if let Some(root) = self.further(name).map(|folder| folder.join("src"))
            && root.is_dir()
        {
            return Ok(root);
        }
        self.fetched(self.known(name)?)
    }

    /// A corpus with its index, both made if they have to be.
    pub(crate) fn ready(&self, name: &str) -> Result<Corpus> {
        let root = self.checkout(name)?;
        let beside = root.with_file_name("index.scip");
        let index = if beside.is_file() {
            beside
        } else {
            let known = self.known(name)?;
            let index = self.home.join(name).join("index.scip");
            if !index.is_file() {
                let tools = self.tools("indexers");
                Indexers::new(self.shell, &tools).index(known, &root, &index)?;
            }
            index
        };
        Ok(Corpus { root, index })
    }

    fn known(&self, name: &str) -> Result<&'static Known> {
        let known = KNOWN.iter().find(|known| known.name == name);
        known.with_context(|| {
            format!(
                "there is no corpus `{name}`; the corpora are {} (put {FURTHER}=FOLDER in the environment for more: FOLDER/NAME/src and FOLDER/NAME/index.scip)",
                self.names().join(", ")
            )
        })
    }

    fn fetched(&self, known: &Known) -> Result<PathBuf> {
        let folder = self.home.join(known.name);
        let root = folder.join("src");
        let stamp = folder.join("version");
        if fs::read_to_string(&stamp).is_ok_and(|version| version == known.version) {
            return Ok(root);
        }
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&root).with_context(|| format!("cannot create {}", root.display()))?;
        self.fetch(known, &folder, &root)
            .with_context(|| format!("cannot get {} {}", known.name, known.version))?;
        // A work tree of its own: no tool is to look at the one around it.
        quietly(
            self.shell
                .command("git")
                .args(["init", "--quiet"])
                .current_dir(&root),
        )?;
        fs::write(&stamp, known.version)?;
        Ok(root)
    }

    fn fetch(&self, known: &Known, folder: &Path, root: &Path) -> Result<()> {
        let download = folder.join("download");
        match &known.from {
            Registry::PyPi { .. } => {
                let package = format!("{}=={}", known.name, known.version);
                registry::pypi(self.shell, &package, &download, root)?;
                lay_flat(root)
            }
            Registry::Npm { project, settings } => {
                let npm = super::indexers::npm(self.shell, &self.tools("indexers"))?;
                let package = format!("{}@{}", known.name, known.version);
                registry::npm(self.shell, npm, &package, &download, root)?;
                // What is built is not to be indexed again.
                for entry in fs::read_dir(root)?.flatten() {
                    let name = entry.file_name();
                    let kept = ["src", "package.json", "tsconfig.json"];
                    if kept.iter().all(|kept| name != *kept) {
                        remove(&entry.path())?;
                    }
                }
                if let Some(settings) = settings {
                    fs::write(root.join(project), settings)?;
                }
                Ok(())
            }
            Registry::Crate => {
                let package = (known.name, known.version);
                registry::cargo(self.shell, package, &download, root)
            }
        }
    }
}

/// Python's packages in `src/` come to the root, so that their names are their paths.
fn lay_flat(root: &Path) -> Result<()> {
    let source = root.join("src");
    if !source.is_dir() || source.join("__init__.py").is_file() {
        return Ok(());
    }
    for entry in fs::read_dir(&source)?.flatten() {
        let target = root.join(entry.file_name());
        if target.exists() {
            bail!("{} is in `src/` and beside it", target.display());
        }
        fs::rename(entry.path(), target)?;
    }
    Ok(fs::remove_dir(&source)?)
}

fn remove(path: &Path) -> Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else {
        fs::remove_file(path)?;
    }
    Ok(())
}
