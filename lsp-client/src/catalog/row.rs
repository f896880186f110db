//! The words in which the compiled-in rows are written. Lists are words with blanks between them.

use std::time::Duration;

use serde_json::Value;

use crate::spec::{
    Ask, Climb, DocumentKind, Hides, Marker, Need, Package, ProjectCheck, Readiness, Role,
    ServerCommand, ServerSpec,
};

/// A row in the making.
pub(super) struct Row(ServerSpec);

/// A row without anything but its name.
pub(super) fn row(id: &str) -> Row {
    Row(ServerSpec::new(id))
}

fn words(list: &str) -> impl Iterator<Item = String> {
    list.split_whitespace().map(str::to_owned)
}

fn markers(names: &str) -> Vec<Marker> {
    words(names).map(Marker::new).collect()
}

/// A command that is looked for in the project's folders, then on the search path.
pub(super) fn command(line: &str) -> ServerCommand {
    let mut words = words(line);
    let program = words.next().unwrap_or_default();
    ServerCommand::new(program, words)
}

/// A package that the checkout must have.
pub(super) fn package(name: &str) -> Package {
    Package {
        name: name.to_owned(),
        optional: false,
        at_least: None,
        below: None,
    }
}

/// A program that a command cannot do without.
pub(super) fn need(program: &str, why: &str) -> Need {
    Need {
        program: program.to_owned(),
        why: why.to_owned(),
    }
}

impl Row {
    /// Files with these extensions have this language id.
    pub(super) fn extensions(self, language_id: &str, extensions: &str) -> Self {
        self.documents(language_id, extensions, "")
    }

    /// Files of these names too, which may be globs.
    pub(super) fn documents(mut self, language_id: &str, extensions: &str, names: &str) -> Self {
        self.0.documents.push(DocumentKind {
            language_id: language_id.to_owned(),
            extensions: words(extensions).collect(),
            file_names: words(names).collect(),
        });
        self
    }

    /// The first group of root markers.
    pub(super) fn outermost(mut self, names: &str) -> Self {
        self.0.roots.outermost.extend(markers(names));
        self
    }

    /// A root marker of the first group that has a line beginning so.
    pub(super) fn outermost_with(mut self, name: &str, line: &str) -> Self {
        self.0.roots.outermost.push(Marker {
            name: name.to_owned(),
            line: Some(line.to_owned()),
        });
        self
    }

    /// The second group of root markers.
    pub(super) fn nearest(mut self, names: &str) -> Self {
        self.0.roots.nearest.extend(markers(names));
        self
    }

    pub(super) fn climb(mut self, climb: Climb) -> Self {
        self.0.roots.climb = Some(climb);
        self
    }

    pub(super) fn unless(mut self, names: &str) -> Self {
        self.0.roots.unless.extend(markers(names));
        self
    }

    pub(super) fn unless_below(mut self, names: &str) -> Self {
        self.0.roots.unless_below.extend(markers(names));
        self
    }

    /// No marker is needed.
    pub(super) fn single_file(mut self) -> Self {
        self.0.roots.single_file = true;
        self
    }

    /// A program and its arguments.
    pub(super) fn run(self, line: &str) -> Self {
        self.run_as(command(line))
    }

    pub(super) fn run_as(mut self, command: ServerCommand) -> Self {
        self.0.commands.push(command);
        self
    }

    pub(super) fn settings(mut self, settings: Value) -> Self {
        self.0.settings = settings;
        self
    }

    pub(super) fn options(mut self, options: Value) -> Self {
        self.0.initialization_options = options;
        self
    }

    /// It checks style or schemas, not names and types.
    pub(super) fn linter(mut self) -> Self {
        self.0.role = Role::Linter;
        self
    }

    pub(super) fn heavy(mut self) -> Self {
        self.0.heavy = true;
        self
    }

    pub(super) fn only_without(mut self, ids: &str) -> Self {
        self.0.only_without.extend(words(ids));
        self
    }

    /// Publishes carry the version.
    pub(super) fn versioned(mut self) -> Self {
        self.0.diagnostics.versioned = true;
        self
    }

    pub(super) fn silent_when_clean(mut self) -> Self {
        self.0.diagnostics.silent_when_clean = true;
        self
    }

    /// It looks at the whole project, whatever is open.
    pub(super) fn unopened(mut self) -> Self {
        self.0.diagnostics.unopened = true;
        self
    }

    pub(super) fn ask(mut self, ask: Ask) -> Self {
        self.0.diagnostics.ask = Some(ask);
        self
    }

    pub(super) fn errors_hide(mut self, what: Hides) -> Self {
        self.0.diagnostics.errors_hide = what;
        self
    }

    pub(super) fn check(mut self, check: ProjectCheck) -> Self {
        self.0.diagnostics.check = Some(check);
        self
    }

    pub(super) fn settle_ms(mut self, settle: u64) -> Self {
        self.0.diagnostics.settle = Duration::from_millis(settle);
        self
    }

    pub(super) fn cold_s(mut self, cold: u64) -> Self {
        self.0.diagnostics.cold = Duration::from_secs(cold);
        self
    }

    /// It answers right from the start, or holds its answers back.
    pub(super) fn at_once(self) -> Self {
        self.ready(Readiness::AtOnce)
    }

    pub(super) fn ready(mut self, readiness: Readiness) -> Self {
        self.0.readiness = readiness;
        self
    }

    /// The end of the row.
    pub(super) fn install(mut self, hint: &str) -> ServerSpec {
        self.0.install_hint = hint.to_owned();
        self.0
    }
}
