//! What is launched: a file, a module or a test, named as people name it, as the configuration of an
//! adapter; built first where it has to be.
//!
//! [`Plan::new`] only looks at files. [`prepare`] runs what must be run before a launch: a build, a
//! look at which of several test programs holds a test. No adapter is needed for either.
//!
//! ```
//! use fourfold_dap_client::program::{Plan, ProgramRequest};
//!
//! let folder = std::env::temp_dir().join("fourfold-program-example");
//! std::fs::create_dir_all(&folder)?;
//! std::fs::write(folder.join("app.py"), "print(1)\n")?;
//! let plan = Plan::new(&ProgramRequest::file("app.py"), &folder).unwrap();
//! assert_eq!((plan.title(), plan.language()), ("app.py", "Python"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod cargo;
mod core_file;
mod elf;
mod error;
mod go;
mod native;
mod node;
mod plan;
mod prepare;
mod python;
mod redirect;
mod run;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

pub(crate) use core_file::{CoreFile, Match};
pub(crate) use elf::forks;
pub(crate) use go::FAILS as GO_FAILS;
pub(crate) use search::{files, folder_with, near};

/// Whether the Go compiler made an executable.
#[must_use]
pub fn is_go(executable: &std::path::Path) -> bool {
    elf::read(executable).is_some_and(|executable| executable.go)
}

pub use error::ProgramError;
pub use node::near_tests;
pub use plan::Plan;
pub use prepare::{Runner, choose, prepare, sweep};

/// What somebody wants to debug.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgramRequest {
    /// The program.
    pub what: What,
    /// Its arguments; of a test, those of the test runner.
    pub args: Vec<String>,
    /// Environment variables of the program, beside those that it inherits.
    pub env: BTreeMap<String, String>,
    /// What it reads from its standard input, which ends behind it. Without, there is nothing to read.
    pub stdin: Option<String>,
    /// Where it runs, absolute or relative to the checkout. When absent, where its ecosystem runs it.
    pub cwd: Option<PathBuf>,
    /// A shell command that builds it, run first.
    pub build: Option<String>,
    /// The adapter, when it is not for us to choose.
    pub adapter: Option<String>,
    /// What the adapter is told beside or instead of what is planned, in its own JSON.
    pub configuration: Value,
}

/// What is debugged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// A file: a script, a source file that is built, an executable; or the folder of a Go package.
    File(PathBuf),
    /// A module, as `python -m` names it.
    Module(String),
    /// A test, as its ecosystem names it: `tests/test_cart.py::CartTest::test_total`,
    /// `cart::tests::total`, `./cart.TestTotal`, `cart.test.js::total`.
    Test(String),
}

impl ProgramRequest {
    /// Without arguments, where and as its ecosystem runs it.
    #[must_use]
    pub fn new(what: What) -> Self {
        Self {
            what,
            args: Vec::new(),
            env: BTreeMap::new(),
            stdin: None,
            cwd: None,
            build: None,
            adapter: None,
            configuration: Value::Null,
        }
    }

    /// A file.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(What::File(path.into()))
    }

    /// A test.
    #[must_use]
    pub fn test(name: impl Into<String>) -> Self {
        Self::new(What::Test(name.into()))
    }
}
