//! The checkers that are known: rows as those of servers, and how their output is read.

use crate::catalog::Catalog;
use crate::spec::{Climb, Marker, Origin, Role, ServerCommand, ServerSpec};

use super::finding::Found;
use super::run::Output;
use super::{cargo, lines, pyright};

/// How a checker writes what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A JSON object a line, as rustc and Cargo write it.
    Cargo,
    /// `file(line,column): severity code: message`.
    TypeScript,
    /// `file:line:column: message`, on standard error.
    GoVet,
    /// One JSON object.
    Pyright,
    /// `severity|type|code|file|line|column|length|message`.
    Dart,
    /// `file:line:column:line:column: severity: message  [code]`.
    Mypy,
}

/// A checker: its name, its format, extensions of its files, root markers, its command lines.
struct Known {
    id: &'static str,
    format: Format,
    extensions: &'static [&'static str],
    markers: &'static [&'static str],
    commands: &'static [&'static str],
    install: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        id: "cargo check",
        format: Format::Cargo,
        extensions: &["rs"],
        markers: &["Cargo.toml"],
        commands: &["cargo check --workspace --all-targets --keep-going --message-format=json"],
        install: "rustup, or the packages of the distribution",
    },
    Known {
        id: "tsc",
        format: Format::TypeScript,
        extensions: &["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx"],
        markers: &["tsconfig.json"],
        commands: &["tsc --noEmit --pretty false"],
        install: "npm install --save-dev typescript",
    },
    Known {
        id: "go vet",
        format: Format::GoVet,
        extensions: &["go"],
        markers: &["go.mod"],
        commands: &["go vet ./..."],
        install: "apt-get install golang, or its release",
    },
    Known {
        id: "pyright check",
        format: Format::Pyright,
        extensions: &["py", "pyi"],
        markers: &[
            "pyrightconfig.json",
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "requirements.txt",
            "Pipfile",
        ],
        commands: &["basedpyright --outputjson", "pyright --outputjson"],
        install: "pip install basedpyright (or pyright)",
    },
    Known {
        id: "mypy",
        format: Format::Mypy,
        extensions: &["py", "pyi"],
        markers: &["mypy.ini", ".mypy.ini"],
        commands: &["mypy --show-column-numbers --show-error-end --no-pretty \
             --no-color-output --hide-error-context --no-error-summary ."],
        install: "pip install mypy",
    },
    Known {
        id: "dart analyze",
        format: Format::Dart,
        extensions: &["dart"],
        markers: &["pubspec.yaml"],
        commands: &["dart analyze --format=machine"],
        install: "comes with the Dart SDK",
    },
];

impl Format {
    pub(super) fn of(checker: &str) -> Option<Self> {
        let known = KNOWN.iter().find(|known| known.id == checker);
        known.map(|known| known.format)
    }

    /// What a run found.
    pub(super) fn read(self, output: &Output) -> Vec<Found> {
        let stdout = String::from_utf8_lossy(&output.stdout);
        match self {
            Self::Cargo => cargo::read(&stdout),
            Self::TypeScript => lines::typescript(&stdout),
            Self::GoVet => lines::go_vet(output.stderr.iter().map(String::as_str)),
            Self::Pyright => pyright::read(&stdout),
            Self::Dart => lines::dart(&stdout),
            Self::Mypy => lines::mypy(&stdout),
        }
    }
}

/// All of them, in the form of a server table. What they run is the checkout's choice.
pub(crate) fn catalog() -> Catalog {
    Catalog::of(KNOWN.iter().map(Known::row))
}

impl Known {
    fn row(&self) -> ServerSpec {
        let mut row = ServerSpec::new(self.id);
        row.origin = Origin::Checkout;
        row.role = Role::Types;
        row.install_hint = self.install.to_owned();
        row.documents = vec![crate::spec::DocumentKind {
            language_id: self.id.to_owned(),
            extensions: self.extensions.iter().map(ToString::to_string).collect(),
            file_names: Vec::new(),
        }];
        row.roots.nearest = self.markers.iter().map(|name| Marker::new(*name)).collect();
        if self.format == Format::Cargo {
            row.roots.climb = Some(Climb::Cargo);
        }
        if self.format == Format::Mypy {
            for (name, line) in [("pyproject.toml", "[tool.mypy]"), ("setup.cfg", "[mypy]")] {
                row.roots.nearest.push(Marker {
                    name: name.to_owned(),
                    line: Some(line.to_owned()),
                });
            }
        }
        row.commands = self
            .commands
            .iter()
            .map(|line| {
                let mut words = line.split_whitespace();
                ServerCommand::new(words.next().unwrap_or_default(), words)
            })
            .collect();
        row
    }
}
