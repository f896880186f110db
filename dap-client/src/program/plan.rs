//! From a name to what is launched.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::cargo::Wanted;
use super::go::{self, Go};
use super::node::{self, Node};
use super::prepare::Learned;
use super::python;
use super::redirect;
use super::{ProgramError, ProgramRequest, What, elf, native, search};
use crate::adapter::{Adapter, AdapterCatalog, Launchable};
use crate::configuration::lay_over;
use crate::request::{Breakpoint, LaunchRequest};

/// What will be launched, as far as files tell.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) kind: Kind,
    title: String,
    language: &'static str,
    checkout: PathBuf,
    pub(super) cwd: PathBuf,
    /// Whether the request names the folder that the program runs in.
    cwd_given: bool,
    pub(super) build: Option<String>,
    request: ProgramRequest,
}

/// What kind of program it is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// An interpreter runs the file.
    Script(PathBuf),
    /// Python runs the module.
    Module(String),
    PythonTest(python::Test),
    Node(Node),
    Go(Go),
    Cargo(Wanted),
    /// An executable, there or yet to be built.
    Native(PathBuf),
}

/// Languages by the extension of a script.
const SCRIPTS: &[(&str, &str)] = &[
    ("py", "Python"),
    ("pyw", "Python"),
    ("sh", "Bash"),
    ("bash", "Bash"),
    ("rb", "Ruby"),
    ("php", "PHP"),
    ("pl", "Perl"),
    ("lua", "Lua"),
    ("dart", "Dart"),
];

/// Extensions of sources that are built by a command that we do not know.
const COMPILED: &[&str] = &["c", "h", "cc", "cpp", "cxx", "hh", "hpp"];

/// Names of tests that are understood.
const FORMS: &[&str] = &[
    "`tests/test_x.py::TestX::test_y`",
    "`module::tests::name` of Rust",
    "`./package.TestName` of Go",
    "`x.test.js::name`",
    "a file of tests alone for all of them",
];

impl Plan {
    /// Finds out what is meant. Files are looked at; nothing is run.
    ///
    /// # Errors
    /// That there is no such file or test, with those of similar names, or that it is no program.
    pub fn new(request: &ProgramRequest, checkout: &Path) -> Result<Self, ProgramError> {
        let cwd = match &request.cwd {
            Some(cwd) => search::existing(cwd, checkout)?,
            None => checkout.to_owned(),
        };
        let (kind, language, title) = match &request.what {
            What::Module(name) => (
                Kind::Module(name.clone()),
                "Python",
                format!("python -m {name}"),
            ),
            What::Test(name) => test(name, &cwd, checkout)?,
            What::File(path) => {
                // What a build makes need not be there yet.
                let file = match request.build {
                    Some(_) => checkout.join(path),
                    None => search::existing(path, checkout)?,
                };
                let title = match search::shown(&file, checkout) {
                    root if root.is_empty() => ".".to_owned(),
                    title => title,
                };
                let (kind, language) = file_kind(file, request.build.is_some(), checkout)?;
                (kind, language, title)
            }
        };
        Ok(Self {
            kind,
            title,
            language,
            checkout: checkout.to_owned(),
            cwd,
            cwd_given: request.cwd.is_some(),
            build: request.build.clone(),
            request: request.clone(),
        })
    }

    /// What people call it, such as `pytest test_cart.py::test_total`.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The language, as the catalog of adapters names it; empty when only the file's extension can
    /// tell.
    #[must_use]
    pub fn language(&self) -> &str {
        self.language
    }

    /// The adapters that can debug it, the preferred one first.
    ///
    /// # Errors
    /// [`ProgramError::NoAdapter`] when there is none, [`ProgramError::WrongAdapter`] when the
    /// request names one of another language.
    pub fn adapters(&self, catalog: &AdapterCatalog) -> Result<Vec<String>, ProgramError> {
        let rows: Vec<_> = match (self.language, self.file()) {
            ("", Some(file)) => catalog.for_path(file).collect(),
            (language, _) => catalog.for_language(language).collect(),
        };
        let ids: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
        match &self.request.adapter {
            Some(wanted) if ids.contains(wanted) || ids.is_empty() => Ok(vec![wanted.clone()]),
            Some(wanted) => Err(ProgramError::WrongAdapter {
                adapter: wanted.clone(),
                language: self.language.to_owned(),
                instead: ids,
            }),
            None if ids.is_empty() => Err(ProgramError::NoAdapter {
                program: self.title.clone(),
                found: Vec::new(),
            }),
            None => Ok(ids),
        }
    }

    /// That an adapter is for this language.
    pub(super) fn suits(&self, adapter: &Adapter) -> Result<(), ProgramError> {
        let is_for = adapter.languages.iter().any(|name| name == self.language);
        let by_file = self.file().is_some_and(|file| adapter.is_for(file));
        if self.language.is_empty() || is_for || by_file {
            return Ok(());
        }
        Err(ProgramError::WrongAdapter {
            adapter: adapter.id.clone(),
            language: self.language.to_owned(),
            instead: self
                .adapters(&AdapterCatalog::built_in())
                .unwrap_or_default(),
        })
    }

    /// The file that is run, when it is one of the project's.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Script(file) | Kind::Native(file) | Kind::Node(Node { file, .. }) => Some(file),
            Kind::Module(_) | Kind::PythonTest(_) | Kind::Go(_) | Kind::Cargo(_) => None,
        }
    }

    /// The launch, after what was learned.
    pub(super) fn launch(&self, adapter: &Launchable, learned: Learned) -> LaunchRequest {
        let id = adapter.adapter.id.as_str();
        let more = &self.request.args;
        let mut configuration = match &self.kind {
            Kind::Script(file) => json!({ "program": file, "args": more }),
            Kind::Module(name) => json!({ "module": name, "args": more }),
            Kind::PythonTest(test) => test.configuration(learned.pytest, more),
            Kind::Node(node) => node.configuration(more),
            Kind::Go(go) => json!({ "mode": "exec", "args": go.args(more) }),
            Kind::Native(_) if id == "delve" => json!({ "mode": "exec", "args": more }),
            Kind::Native(_) => json!({ "args": more }),
            Kind::Cargo(_) => match &learned.tests {
                Some(tests) => {
                    let mut args = tests.clone();
                    let flags = ["--exact", "--nocapture", "--test-threads=1"];
                    args.extend(flags.map(str::to_owned));
                    args.extend(more.iter().cloned());
                    json!({ "args": args })
                }
                None => json!({ "args": more }),
            },
        };
        if let Some(executable) = &learned.executable {
            configuration["program"] = json!(executable);
        }
        let cwd = match &learned.cwd {
            Some(cwd) if !self.cwd_given => cwd,
            _ => &self.cwd,
        };
        configuration["cwd"] = json!(cwd);
        let mut launch = LaunchRequest::new(id, Value::Null);
        let given = self.request.env.iter();
        let env = learned.env.iter().map(|(name, value)| (name, value));
        let env = env
            .chain(given)
            .map(|(name, value)| (name.clone(), value.clone()));
        match id {
            // Of what it is given, gdb makes the whole environment.
            "gdb" => launch.env.extend(env),
            "lldb-dap" => {
                let lines: Vec<_> = env.map(|(name, value)| format!("{name}={value}")).collect();
                configuration["env"] = json!(lines);
            }
            _ => {
                let env: serde_json::Map<_, _> = env
                    .map(|(name, value)| (name, Value::String(value)))
                    .collect();
                configuration["env"] = env.into();
            }
        }
        if let Some(sysroot) = &learned.sysroot {
            printers(id, sysroot, &mut launch, &mut configuration);
        }
        if id == "rdbg" {
            let file = configuration["program"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            launch.adapter_args = ["--command", "--", "ruby"].map(str::to_owned).to_vec();
            launch.adapter_args.push(file);
            launch.adapter_args.extend(more.iter().cloned());
            launch.cwd = Some(cwd.clone());
            configuration = json!({});
        }
        redirect::lay(
            id,
            &adapter.program,
            &learned,
            &mut launch,
            &mut configuration,
        );
        launch.is_test = self.is_test() || learned.tests.is_some();
        if let Kind::PythonTest(test) = &self.kind {
            launch.test_file = Some(test.file.clone());
        }
        if let Kind::Go(Go { test: Some(_), .. }) = &self.kind {
            launch.breakpoints.push(Breakpoint::at_function(go::FAILS));
        }
        lay_over(&mut configuration, &self.request.configuration);
        launch.program = match (&learned.executable, self.file()) {
            (Some(executable), _) => Some(executable.clone()),
            (None, file) => file.map(Path::to_owned),
        };
        launch.found = Some(adapter.clone());
        launch.configuration = configuration;
        launch.title = self.called(&learned);
        launch.project = Some(self.checkout.clone());
        launch.scratch = learned
            .scratch
            .iter()
            .map(super::prepare::Scratch::keep)
            .collect();
        launch
    }

    pub(super) fn stdin(&self) -> Option<&str> {
        self.request.stdin.as_deref()
    }

    fn is_test(&self) -> bool {
        match &self.kind {
            Kind::PythonTest(_) => true,
            Kind::Node(node) => node.test.is_some(),
            Kind::Go(go) => go.test.is_some(),
            Kind::Script(_) | Kind::Module(_) | Kind::Cargo(_) | Kind::Native(_) => false,
        }
    }

    fn called(&self, learned: &Learned) -> String {
        match (&self.kind, learned.tests.as_deref()) {
            (Kind::PythonTest(_), _) => {
                let runner = if learned.pytest { "pytest" } else { "unittest" };
                format!("{runner} {}", self.title)
            }
            (Kind::Cargo(_), Some([test])) => format!("cargo test {test}"),
            (Kind::Cargo(_), Some(_)) => format!("cargo test {}", self.title),
            (Kind::Go(Go { test: Some(_), .. }), _) => format!("go test {}", self.title),
            _ => self.title.clone(),
        }
    }
}

/// A string of Rust that lldb takes for one, of a variant that is not there, has any length: reading it
/// would wedge the debugger.
const BOUNDED_STRINGS: &str = r#"
import lldb_lookup
lldb_lookup.fourfold_whole = lldb_lookup.StdStringSummaryProvider
def bounded(value, dictionary):
    inner = value.GetNonSyntheticValue().GetChildMemberWithName('vec').GetNonSyntheticValue()
    length = inner.GetChildMemberWithName('len').GetValueAsUnsigned()
    return lldb_lookup.fourfold_whole(value, dictionary) if length < 1 << 24 else '(no string)'
lldb_lookup.StdStringSummaryProvider = bounded
"#;

/// What shows the values of Rust as people write them.
fn printers(id: &str, sysroot: &Path, launch: &mut LaunchRequest, configuration: &mut Value) {
    let scripts = sysroot.join("lib/rustlib/etc");
    if !scripts.is_dir() {
        return;
    }
    let scripts = scripts.display();
    match id {
        "gdb" => {
            for command in [
                format!("add-auto-load-safe-path {scripts}"),
                format!("dir {scripts}"),
                format!(
                    "python import sys; sys.path.insert(0, {:?})",
                    scripts.to_string()
                ),
            ] {
                launch.adapter_args.extend(["-iex".to_owned(), command]);
            }
        }
        "lldb-dap" | "codelldb" => {
            configuration["initCommands"] = json!([
                format!("command script import \"{scripts}/lldb_lookup.py\""),
                format!("command source -s true \"{scripts}/lldb_commands\""),
                format!("script exec({BOUNDED_STRINGS:?})"),
            ]);
        }
        _ => {}
    }
}

fn test(
    name: &str,
    cwd: &Path,
    checkout: &Path,
) -> Result<(Kind, &'static str, String), ProgramError> {
    let title = name.to_owned();
    if let Some(test) = python::Test::named(name, checkout)? {
        return Ok((Kind::PythonTest(test), "Python", title));
    }
    if let Some(node) = Node::test(name, checkout)? {
        return Ok((Kind::Node(node), "JavaScript", title));
    }
    let is_go = search::folder_with("go.mod", cwd, checkout).is_some();
    let is_rust = search::folder_with("Cargo.toml", cwd, checkout).is_some();
    if (is_go || name.contains("_test.go::"))
        && let Some(go) = Go::test(name, cwd, checkout)?
    {
        return Ok((Kind::Go(go), "Go", title));
    }
    if let Some(wanted) = Wanted::test(name, cwd, checkout)? {
        return Ok((Kind::Cargo(wanted), "Rust", title));
    }
    // A module in a folder below, which nothing at the root tells of.
    if !is_go
        && !is_rust
        && let Some(go) = Go::test(name, cwd, checkout)?
    {
        return Ok((Kind::Go(go), "Go", title));
    }
    Err(ProgramError::NoSuchForm {
        test: title,
        forms: FORMS.to_vec(),
    })
}

fn file_kind(
    file: PathBuf,
    built: bool,
    checkout: &Path,
) -> Result<(Kind, &'static str), ProgramError> {
    if file.is_dir() {
        let sources = std::fs::read_dir(&file).into_iter().flatten().flatten();
        let is_go = sources
            .map(|entry| entry.path())
            .any(|path| path.extension().is_some_and(|ending| ending == "go"));
        return match is_go {
            true => Ok((Kind::Go(Go::program(&file)), "Go")),
            false => Err(ProgramError::NotAProgram {
                path: search::shown(&file, checkout).into(),
                why: "it is a folder; name a file in it".to_owned(),
            }),
        };
    }
    let ending = file.extension().and_then(|ending| ending.to_str());
    let ending = ending.unwrap_or_default();
    if let Some((_, language)) = SCRIPTS.iter().find(|(known, _)| *known == ending) {
        return Ok((Kind::Script(file), language));
    }
    if node::EXTENSIONS.contains(&ending) {
        return Ok((Kind::Node(Node { file, test: None }), "JavaScript"));
    }
    match ending {
        "go" => return Ok((Kind::Go(Go::program(&file)), "Go")),
        "rs" => return Ok((Kind::Cargo(Wanted::program(&file, checkout)?), "Rust")),
        _ if COMPILED.contains(&ending) => return Err(native::source(&file, checkout)),
        _ => {}
    }
    if let Some(executable) = elf::read(&file) {
        return Ok(match (executable.go, executable.rust) {
            (true, _) => (Kind::Native(file), "Go"),
            (false, true) => (Kind::Native(file), "Rust"),
            (false, false) => (Kind::Native(file), "C"),
        });
    }
    if built {
        return Ok((Kind::Native(file), "C"));
    }
    match shebang(&file) {
        Some("JavaScript") => Ok((Kind::Node(Node { file, test: None }), "JavaScript")),
        Some(language) => Ok((Kind::Script(file), language)),
        // A configured adapter may know the extension.
        None if !ending.is_empty() => Ok((Kind::Script(file), "")),
        None => Err(ProgramError::NotAProgram {
            path: search::shown(&file, checkout).into(),
            why: "it is neither an executable nor a script in a known language".to_owned(),
        }),
    }
}

/// The language of the interpreter that the first line names.
fn shebang(file: &Path) -> Option<&'static str> {
    let text = search::text(file);
    let line = text.lines().next()?.strip_prefix("#!")?;
    let known = [
        ("python", "Python"),
        ("node", "JavaScript"),
        ("bash", "Bash"),
        ("/sh", "Bash"),
        ("ruby", "Ruby"),
        ("perl", "Perl"),
        ("php", "PHP"),
        ("lua", "Lua"),
    ];
    let (_, language) = known.iter().find(|(word, _)| line.contains(word))?;
    Some(language)
}
