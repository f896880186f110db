//! A small checkout, and the program run in it.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::Expect;
use fourfold_testkit::{leftovers, servers};
use tempfile::TempDir;

/// A small project of C, and what may be written to it.
pub(crate) mod sources {
    pub(crate) const C: &[(&str, &str)] = &[
        ("compile_flags.txt", "-std=c11\n"),
        ("shop.h", "/// The sum.\nint total(int a, int b);\n"),
        (
            "main.c",
            "#include \"shop.h\"\n\nint main(void) { return total(1, 2); }\n",
        ),
        ("bad.c", "int f(void) { return missing; }\n"),
        // What is said of a header's functions clangd knows only some time after it has read it.
        (
            "sum.c",
            "/// The sum.\nint sum(int a, int b) { return a + b; }\n\nint one(void) { return sum(1, 0); }\n",
        ),
    ];

    /// `main.c` with a name that there is not.
    pub(crate) const WRONG: &str =
        "#include \"shop.h\"\n\nint main(void) { return absent(1, 2); }\n";

    /// To `main.c` as it was: too few arguments.
    pub(crate) const PATCH: &str = "*** Begin Patch\n*** Update File: main.c\n@@\n\
        -int main(void) { return total(1, 2); }\n+int main(void) { return total(1); }\n*** End Patch\n";
}

/// A checkout in a folder of its own.
pub(crate) struct Project {
    folder: TempDir,
    /// What the user of these tests has: no settings, and no language server.
    home: TempDir,
    /// Whether the program looks for one all the same.
    asks: bool,
}

/// What one run of the program said.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    /// A checkout with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let home = tempfile::tempdir().unwrap();
        let project = Project {
            folder,
            home,
            asks: false,
        };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// The same, where language servers are looked for.
    pub(crate) fn asking(files: &[(&str, &str)]) -> Project {
        Project {
            asks: true,
            ..Project::new(files)
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A program that the user has, and that fails.
    pub(crate) fn install(&self, program: &str) {
        self.install_script(program, "exit 1");
    }

    /// A program that the user has, by what a shell does for it.
    pub(crate) fn install_script(&self, program: &str, script: &str) {
        let path = self.home.path().join(program);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }

    /// The real server of C, which leaves its process number behind when it starts.
    pub(crate) fn install_clangd(&self) {
        let program = servers::find("clangd-19");
        let started = self.home.path().join("started");
        let script = format!(
            "echo $$ >> '{}'\nexec '{}' \"$@\"",
            started.display(),
            program.display()
        );
        self.install_script("clangd", &script);
    }

    /// The process numbers of those that were started.
    pub(crate) fn clangds_started(&self) -> Vec<u32> {
        let started = fs::read_to_string(self.home.path().join("started")).unwrap();
        started.lines().map(|pid| pid.parse().unwrap()).collect()
    }

    /// Asserts that no process of the checkout or of its user is left.
    #[track_caller]
    pub(crate) fn assert_nobody_left(&self) {
        for folder in [self.root(), self.home.path()] {
            leftovers::assert_none(&folder.canonicalize().unwrap());
        }
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// The program, about to be run at the root.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourfold"));
        command
            .current_dir(self.root())
            .stdin(Stdio::null())
            .env("FOURFOLD_NO_SERVE", "1")
            .env("FOURFOLD_NO_CHECK", if self.asks { "" } else { "1" })
            .env("PATH", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("XDG_CACHE_HOME", self.home.path().join("cache"))
            .env("XDG_STATE_HOME", self.home.path().join("state"))
            .env("XDG_RUNTIME_DIR", self.home.path())
            .env_remove("NO_COLOR")
            .env_remove("RUST_LOG");
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        self.finish(self.command().args(args))
    }

    pub(crate) fn finish(&self, command: &mut Command) -> Run {
        let output = command.output().unwrap();
        let root = self.root().canonicalize().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(root.to_str().unwrap(), "ROOT")
        };
        Run {
            status: output.status.code().unwrap(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Run {
    /// Everything there is to see, stage ids made alike.
    pub(crate) fn whole(&self) -> String {
        let text = format!(
            "{}--- stderr, status {}\n{}",
            self.out, self.status, self.err
        );
        trimmed(&hide_ids(&text))
    }

    /// The same, when a pattern is no code, without what each rung says: the ladder has tests of
    /// its own.
    #[track_caller]
    pub(crate) fn expect_refusal(&self, expected: &Expect) {
        let whole = self.whole();
        let (rungs, rest): (Vec<&str>, Vec<&str>) = whole
            .lines()
            .partition(|line| line.contains(": stops at ") || line.ends_with(" more rungs"));
        assert!(
            rungs.iter().any(|line| line.contains("statement: ")),
            "{whole}"
        );
        expected.assert_eq(&format!("{}\n", rest.join("\n")));
    }

    /// The same, where a server needed its time.
    #[track_caller]
    pub(crate) fn expect_untimed(&self, expected: &Expect) {
        let whole = self.whole();
        let mut said = String::new();
        let mut rest = whole.as_str();
        while let Some((before, after)) = rest.split_once("(clangd ") {
            let (_, after) = after.split_once(')').unwrap();
            said += before;
            said += "(clangd TIME)";
            rest = after;
        }
        expected.assert_eq(&(said + rest));
    }

    #[track_caller]
    pub(crate) fn expect(&self, expected: &Expect) {
        expected.assert_eq(&self.whole());
    }

    /// The lines of JSON on standard output.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The first stage id that is named anywhere.
    #[track_caller]
    pub(crate) fn stage(&self) -> String {
        let text = format!("{}{}", self.out, self.err);
        let at = text
            .match_indices("s-")
            .map(|(at, _)| at)
            .find(|&at| is_id(&text, at));
        text[at.expect("a stage is named")..][..ID].to_owned()
    }
}

/// Without blanks at the ends of lines, which a snapshot does not keep.
pub(crate) fn trimmed(text: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// `s-` and four characters.
const ID: usize = 6;

fn is_id(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let id = text.get(at + 2..at + ID);
    let after = text[at + 2..].chars().nth(ID - 2);
    !before.is_some_and(char::is_alphanumeric)
        && id.is_some_and(|id| {
            id.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
        && !after.is_some_and(char::is_alphanumeric)
}

fn hide_ids(text: &str) -> String {
    let mut hidden = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices("s-") {
        if at >= from && is_id(text, at) {
            hidden += &text[from..at];
            hidden += "s-XXXX";
            from = at + ID;
        }
    }
    hidden + &text[from..]
}
