//! The guides say what happens: their commands are run, and what they say is what comes.
//!
//! A block whose info string has `file=PATH` is a file of the project that the page is about. In a
//! block marked `console`, a line that begins with `$ ` is a command, and those below it are what it
//! says: `...` stands for any text, and alone on a line for any lines, which is not all that is said of
//! a command. `STAGE` is the stage that was made last. A command ends with 0, or with the status in a
//! comment behind it. A block marked `console real` needs language servers or debug adapters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fourfold_testkit::leftovers;
use serde_json::Value;

use crate::project::Project;

/// The info string of commands that need what is not everywhere.
const REAL: &str = "console real";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// A fenced block.
struct Block {
    info: String,
    text: String,
}

impl Block {
    /// The file of the project that it is.
    fn file(&self) -> Option<&str> {
        let mut words = self.info.split_whitespace();
        words.find_map(|word| word.strip_prefix("file="))
    }
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in markdown.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            (Some(_), Some("")) => found.extend(open.take()),
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block has no end");
    found
}

/// A command with what it is to say.
fn commands(console: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for line in console.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push((command.to_owned(), Vec::new())),
            (None, Some((_, expected))) => expected.push(line.to_owned()),
            (None, None) => panic!("a console block begins with a command, not with: {line}"),
        }
    }
    all
}

/// Whether lines are as they are expected to be.
fn are_alike(said: &[&str], expected: &[String]) -> bool {
    match (expected.split_first(), said.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((line, rest)), _) if line == "..." => {
            (0..=said.len()).any(|skipped| are_alike(&said[skipped..], rest))
        }
        (Some(_), None) => false,
        (Some((line, rest)), Some((first, others))) => {
            is_alike(first, line) && are_alike(others, rest)
        }
    }
}

fn is_alike(said: &str, expected: &str) -> bool {
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = said.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The pages whose settings are those of servers too, or that say what a program is missing.
const ASKING: [&str; 1] = ["configuration.md"];

/// The pages whose shell blocks are run as those of the README are.
pub(crate) const IN_SHELL: [&str; 2] = ["patterns.md", "command-line.md"];

/// The status that a command has to end with: 0, unless a comment behind it says another one.
fn status(command: &str) -> i32 {
    let said = command.rsplit_once("# status ");
    said.map_or(0, |(_, status)| status.trim().parse().unwrap())
}

/// Runs the commands in the blocks of a page that have this info string, each as `prepare` has it; how
/// many there are.
fn try_out(page: &Path, info: &str, prepare: impl Fn(&mut Command)) -> usize {
    let blocks = blocks(&fs::read_to_string(page).unwrap());
    let project = Project::new(&[]);
    for block in &blocks {
        if let Some(path) = block.file() {
            project.write(path, &block.text);
        }
    }
    let program = Path::new(env!("CARGO_BIN_EXE_fourfold")).parent().unwrap();
    let run = |command: &str| {
        let mut shell = Command::new("/bin/sh");
        let as_ours = project.command();
        shell.envs(
            as_ours
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        shell
            .current_dir(project.root())
            .env("PATH", program)
            .arg("-c")
            .arg(command);
        prepare(&mut shell);
        project.finish(&mut shell)
    };
    let mut stage = String::new();
    let mut tried = 0;
    for block in blocks.iter().filter(|block| block.info == info) {
        for (command, expected) in commands(&block.text) {
            let command = command.replace("STAGE", &stage);
            let says_nothing = !expected.is_empty() && expected.iter().all(|line| line == "...");
            assert!(!says_nothing, "{}: `{command}`: say more", page.display());
            let run = run(&command);
            let whole = format!("{}{}", run.out, run.err);
            let said: Vec<&str> = whole.lines().map(str::trim_end).collect();
            assert!(
                run.status == status(&command) && are_alike(&said, &expected),
                "{}: `{command}` ended with {} and said\n{whole}\nnot\n{}",
                page.display(),
                run.status,
                expected.join("\n")
            );
            if let Some(at) = whole.find("s-") {
                let id = whole[at..]
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '-');
                stage = id.collect();
            }
            tried += 1;
        }
    }
    if info == REAL && tried > 0 {
        run("fourfold serve --stop");
        leftovers::assert_none(project.root());
    }
    tried
}

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(docs()).unwrap();
    let pages = entries.map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = pages
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

fn page(name: &str) -> String {
    fs::read_to_string(docs().join(name)).unwrap()
}

#[test]
fn every_command_does_what_its_page_says() {
    let mut tried = 0;
    for page in pages() {
        tried += try_out(&page, "console", |command| {
            // A table of servers is read by who may ask one.
            if ASKING.iter().any(|name| page.ends_with(name)) {
                command.env("FOURFOLD_NO_CHECK", "");
            }
        });
    }
    assert!(tried > 10, "{tried}");
}

/// A block of commands that nobody runs proves nothing.
#[test]
fn every_block_of_commands_is_run() {
    for page in pages() {
        for block in blocks(&fs::read_to_string(&page).unwrap()) {
            let typed = block
                .text
                .lines()
                .any(|line| line.starts_with("fourfold ") || line.starts_with("$ "));
            // Those in the form of a shell are run with the README.
            let with_readme = IN_SHELL.iter().any(|name| page.ends_with(name));
            let is_run = match block.info.as_str() {
                "console" | REAL => true,
                "sh" => with_readme,
                _ => false,
            };
            assert!(!typed || is_run, "{}: {}", page.display(), block.text);
        }
    }
}

/// What is to be copied can be read.
#[test]
fn settings_in_the_guides_are_what_they_look_like() {
    let mut hosts = 0;
    for page in pages() {
        for block in blocks(&fs::read_to_string(&page).unwrap()) {
            let language = block.info.split(' ').next().unwrap_or_default();
            if language == "json" {
                let read: Value = serde_json::from_str(&block.text)
                    .unwrap_or_else(|error| panic!("{}: {error}: {}", page.display(), block.text));
                if page.ends_with("hosts.md") {
                    starts_fourfold(&read);
                    hosts += 1;
                }
            } else if language == "toml" {
                let read: toml::Table = block
                    .text
                    .parse()
                    .unwrap_or_else(|error| panic!("{}: {error}: {}", page.display(), block.text));
                if page.ends_with("hosts.md") {
                    starts_fourfold(&serde_json::to_value(read).unwrap());
                    hosts += 1;
                } else if block.file().is_none_or(|file| file == "fourfold.toml") {
                    is_understood(&block.text);
                }
            }
        }
    }
    assert!(hosts > 4, "{hosts}");
}

/// The settings of a host start `fourfold mcp`, with options that there are.
fn starts_fourfold(settings: &Value) {
    let servers = settings.as_object().unwrap().values().next().unwrap();
    let server = &servers["fourfold"];
    assert!(
        server["command"].as_str().unwrap().ends_with("fourfold"),
        "{settings}"
    );
    let args = server["args"].as_array().unwrap();
    assert_eq!(args[0], "mcp");
    let options = args.iter().filter_map(Value::as_str);
    let options = options.filter(|arg| arg.starts_with('-'));
    for option in options {
        assert_eq!(option, "--root", "{settings}");
    }
}

/// Everything in these settings is known.
fn is_understood(settings: &str) {
    let project = Project::asking(&[("fourfold.toml", settings), ("a.py", "x = 1\n")]);
    let servers = project.run(["servers"]);
    assert_eq!(
        (servers.status, servers.err.as_str()),
        (0, ""),
        "{settings}"
    );
    // No adapter is there; the table is read before that is said.
    let debugged = || project.run(["debug", "ask", "a.py", "-e", "x"]).err;
    assert!(
        !debugged().contains("cannot use"),
        "{}: {settings}",
        debugged()
    );
    project.write("fourfold.toml", "[adapters.debugpy]\ncomand = [\"x\"]\n");
    assert!(debugged().contains("cannot use"), "{}", debugged());
}

/// Every setting that the program knows is on the page, by the names of the structures that read it.
#[test]
fn every_setting_is_on_its_page() {
    let page = page("configuration.md");
    let limits = serde_json::to_value(fourfold::Limits::default()).unwrap();
    let mut names: Vec<String> = limits.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names.len(), 15);
    let tables = [
        ("lsp-client/src/catalog/config.rs", "ServerConfig", 10),
        ("lsp-client/src/catalog/config.rs", "TimesConfig", 4),
        ("dap-client/src/adapter/config.rs", "AdapterConfig", 8),
    ];
    for (file, structure, count) in tables {
        let source = docs().join("..").join(file);
        let source = fs::read_to_string(source).unwrap();
        let begun = source
            .split_once(&format!("pub struct {structure} {{"))
            .unwrap()
            .1;
        let fields = begun.split_once("\n}").unwrap().0.lines();
        let fields = fields.filter_map(|line| line.trim().strip_prefix("pub "));
        let fields: Vec<&str> = fields
            .filter_map(|field| Some(field.split_once(':')?.0))
            .filter(|field| *field != "unknown")
            .collect();
        assert_eq!(fields.len(), count, "{structure}: {fields:?}");
        names.extend(fields.into_iter().map(str::to_owned));
    }
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

/// The code of the guides is that of the examples, which are compiled and run.
#[test]
fn the_code_on_embedding_is_in_the_examples() {
    let lines = |text: &str| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        format!("\n{}\n", lines.collect::<Vec<_>>().join("\n"))
    };
    let folder = docs().join("../facade/examples");
    let examples: Vec<String> = ["smallest", "approval", "two_conversations"]
        .iter()
        .map(|name| lines(&fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap()))
        .collect();
    let blocks = blocks(&page("embedding.md"));
    let code: Vec<_> = blocks
        .iter()
        .filter(|block| block.info.starts_with("rust"))
        .collect();
    assert_eq!(code.len(), 4);
    for block in code {
        let shown = lines(&block.text);
        assert!(
            examples.iter().any(|example| example.contains(&shown)),
            "{shown}"
        );
    }
}

#[test]
fn dots_stand_for_what_does_not_matter() {
    let expected = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(are_alike(
        &["a 1 b", "x", "c"],
        &expected("a ... b\n...\nc")
    ));
    assert!(are_alike(&["ab"], &expected("...a...b...")));
    assert!(!are_alike(&["ab", "c"], &expected("ab")));
    assert!(!are_alike(&["ba"], &expected("a...b")));
}

/// With what `cargo xtask servers` and `cargo xtask adapters` install.
mod real {
    use std::ffi::OsString;
    use std::path::Path;

    use fourfold_testkit::{adapters, servers};

    use super::{REAL, docs, try_out};

    fn search_path() -> OsString {
        let ours = Path::new(env!("CARGO_BIN_EXE_fourfold")).parent().unwrap();
        let (python, pyright) = (adapters::python(), servers::find("pyright-langserver"));
        let first =
            [ours, python.parent().unwrap(), pyright.parent().unwrap()].map(Path::to_path_buf);
        let machine = adapters::path();
        let path = first.into_iter().chain(std::env::split_paths(&machine));
        std::env::join_paths(path).unwrap()
    }

    fn does_as_it_says(page: &str, at_least: usize) {
        let path = search_path();
        let tried = try_out(&docs().join(page), REAL, |command| {
            // Servers and sessions live in a process of its own.
            command.env("PATH", &path);
            command.env("FOURFOLD_NO_SERVE", "0");
            command.env("FOURFOLD_NO_CHECK", "");
        });
        assert!(tried >= at_least, "{tried}");
    }

    #[test]
    fn a_red_test_is_followed_to_its_cause_as_the_page_says() {
        does_as_it_says("debug-a-failing-test.md", 10);
    }

    #[test]
    fn a_write_is_answered_as_the_page_says() {
        does_as_it_says("what-a-write-answers.md", 5);
    }

    #[test]
    fn servers_and_debuggers_do_what_the_command_line_says() {
        does_as_it_says("command-line.md", 9);
    }
}
