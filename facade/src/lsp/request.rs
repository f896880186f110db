//! What can be asked.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a language server is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LspAction {
    /// Everything that is wrong in a file now, also what was told before; with the file `*` all
    /// that is known of the checkout.
    Diagnostics,
    /// Where the symbol is defined.
    Definition,
    /// Where its type is defined.
    TypeDefinition,
    /// Where it is declared.
    Declaration,
    /// What implements it.
    Implementation,
    /// Where it is used.
    References,
    /// What is known about it: type, documentation.
    Hover,
    /// The symbols of a file, or with `query` those of the project.
    Symbols,
    /// Who calls it.
    IncomingCalls,
    /// Whom it calls.
    OutgoingCalls,
    /// What it extends or implements.
    Supertypes,
    /// What extends or implements it.
    Subtypes,
    /// Give it another name everywhere: a staged change.
    Rename,
    /// What the server offers to do on a line; with `apply` one of them, as a staged change.
    CodeActions,
    /// Format a file: a staged change.
    Format,
    /// Which servers run, and which could.
    #[default]
    Status,
    /// End the servers (with `query` only the one of this name); the next request starts them anew.
    Reload,
}

impl LspAction {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            LspAction::Diagnostics => "diagnostics",
            LspAction::Definition => "definition",
            LspAction::TypeDefinition => "type_definition",
            LspAction::Declaration => "declaration",
            LspAction::Implementation => "implementation",
            LspAction::References => "references",
            LspAction::Hover => "hover",
            LspAction::Symbols => "symbols",
            LspAction::IncomingCalls => "incoming_calls",
            LspAction::OutgoingCalls => "outgoing_calls",
            LspAction::Supertypes => "supertypes",
            LspAction::Subtypes => "subtypes",
            LspAction::Rename => "rename",
            LspAction::CodeActions => "code_actions",
            LspAction::Format => "format",
            LspAction::Status => "status",
            LspAction::Reload => "reload",
        }
    }

    /// Every action.
    pub const ALL: [LspAction; 17] = [
        LspAction::Diagnostics,
        LspAction::Definition,
        LspAction::TypeDefinition,
        LspAction::Declaration,
        LspAction::Implementation,
        LspAction::References,
        LspAction::Hover,
        LspAction::Symbols,
        LspAction::IncomingCalls,
        LspAction::OutgoingCalls,
        LspAction::Supertypes,
        LspAction::Subtypes,
        LspAction::Rename,
        LspAction::CodeActions,
        LspAction::Format,
        LspAction::Status,
        LspAction::Reload,
    ];
}

/// A question to the language servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LspRequest {
    /// What to ask for.
    pub action: LspAction,
    /// The file, relative to the root of the checkout; `*` for diagnostics of the whole checkout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<PathBuf>,
    /// The line, counted from 1, that the symbol stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub line: Option<u32>,
    /// The symbol as it is written on that line; `name#2` is its second occurrence there. Without
    /// `line` the line of the file that declares it is taken, else the first that mentions it, comments
    /// and strings aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub symbol: Option<String>,
    /// For symbols: what to look for in the project. For reload: the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub query: Option<String>,
    /// For rename: the new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub new_name: Option<String>,
    /// For code_actions: the number or the title of the one to stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub apply: Option<String>,
    /// Keep a staged change on disk, so that it outlives this conversation and process.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// The most places, symbols or problems to give; 50 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 10_000))]
    pub limit: Option<usize>,
    /// How many to pass over first.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl LspRequest {
    /// A question about a file.
    pub fn about(action: LspAction, file: impl Into<PathBuf>) -> LspRequest {
        LspRequest {
            action,
            file: Some(file.into()),
            ..LspRequest::default()
        }
    }

    /// Whether what it leads to is a staged change.
    pub(crate) fn stages(&self) -> bool {
        match self.action {
            LspAction::Rename | LspAction::Format => true,
            LspAction::CodeActions => self.apply.is_some(),
            _ => false,
        }
    }

    /// The same at a symbol on a line, counted from 1.
    #[must_use]
    pub fn at(mut self, line: u32, symbol: impl Into<String>) -> LspRequest {
        self.line = Some(line);
        self.symbol = Some(symbol.into());
        self
    }
}
